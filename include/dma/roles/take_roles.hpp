#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// A role that keeps the launch's register count spills where its budget would not. The hardware does not report that;
/// the host and the checked build do.
template <class Layout>
DMA_HOST_DEVICE void expect_budget_taken() {
  if constexpr (Layout::has_register_budgets) {
    DMA_EXPECTS(machine::has_budget(),
                "dma::DmaPipeline: the layout has register budgets and this warp has not taken its role's; call the "
                "role's code through dma::take_roles<Layout>()");
  }
}

/// Which roles of a layout each of `Bodies` functions serves: one for all compute groups, or one each; then one for all
/// DMA groups, or one each.
template <class Layout, int Bodies>
struct RolesOfBodies {
  static constexpr int compute_bodies = Bodies == Layout::roles ? Layout::compute_groups : 1;
  static constexpr int dma_bodies = Bodies - compute_bodies;
  static constexpr bool fit = dma_bodies == Layout::groups || (dma_bodies == 1 && Layout::is_specialized);

  /// The first role of function `body`; `Bodies` itself has the first after the last.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int first(int body) noexcept {
    if (body < compute_bodies) {
      return body;
    }
    return body == Bodies ? Layout::roles : Layout::compute_groups + body - compute_bodies;
  }
  /// The first function whose warps share no warpgroup with those of `body`: registers are taken once for both. Without
  /// budgets, the next function.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int next_taking(int body) noexcept {
    int next = body + 1;
    while (Layout::has_register_budgets && next < Bodies &&
           Layout::role_first_warp(first(next)) % warps_a_warpgroup != 0) {
      ++next;
    }
    return next;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool have_one_budget_each() noexcept {
    for (int body = 0; body < Bodies; ++body) {
      for (int role = first(body); role < first(body + 1); ++role) {
        if (Layout::role_registers(role) != Layout::role_registers(first(body))) {
          return false;
        }
      }
    }
    return true;
  }
};

/// Sets the register budget of a role, where the layout has budgets.
template <class Layout, int Role>
DMA_HOST_DEVICE void take_registers() {
  if constexpr (Layout::has_register_budgets) {
    machine::take_budget<Layout::launch_registers, Layout::role_registers(Role)>();
  }
}

/// Runs, of the functions `Body` to `End` - 1, the one of this warp's role; none in an idle warp.
template <class Layout, class Roles, int Body, int End, class First, class... Rest>
DMA_HOST_DEVICE void run_role(int warp, const First& first, const Rest&... rest) {
  constexpr int end_warp = Layout::role_end_warp(Roles::first(Body + 1) - 1);
  if (end_warp == Layout::role_first_warp(Roles::first(End)) || warp < end_warp) {
    first();
  } else if constexpr (Body + 1 < End) {
    run_role<Layout, Roles, Body + 1, End>(warp, rest...);
  }
}

/// The function `Body` of those that are given, and those after it.
template <int Body, class Call, class First, class... Rest>
DMA_HOST_DEVICE void from_body(const Call& call, const First& first, const Rest&... rest) {
  if constexpr (Body == 0) {
    call(first, rest...);
  } else {
    from_body<Body - 1>(call, rest...);
  }
}

/// Takes the registers of this warp's warpgroup, then runs its role's function. Function `Body` is the first of
/// `bodies`.
template <class Layout, class Roles, int Body, class... Bodies>
DMA_HOST_DEVICE void take_role(int warp, const Bodies&... bodies) {
  constexpr int next = Roles::next_taking(Body);
  constexpr int end = Roles::first(next);
  if (end == Layout::roles || warp < Layout::role_first_warp(end)) {
    take_registers<Layout, Roles::first(Body)>();
    run_role<Layout, Roles, Body, next>(warp, bodies...);
  } else if constexpr (end < Layout::roles) {
    from_body<next - Body>([&](const auto&... later) { take_role<Layout, Roles, next>(warp, later...); }, bodies...);
  }
}

}  // namespace detail

/// Runs a layout's roles, each in its warps: one function for all compute warps, then one for each DMA group, or one
/// for all of them. With several compute groups there may be one function for each role.
///
///     dma::take_roles<Warps>([&] { auto compute = pipe.as_compute(); ... },
///                            [&] { auto dma = pipe.as_dma(); ... });
///
/// Where the layout has register budgets, each role sets its own here. A kernel with budgets has this one branch
/// between roles: the compiler gives each side its registers only where setmaxnreg is at the start of the branch. Roles
/// of one warpgroup take their registers together and branch behind that. A kernel body calls `cta.take_roles(...)`.
///
/// Collective over the CTA, once in a kernel that has budgets.
///
/// @pre With budgets, a kernel of your own has `__launch_bounds__(Layout::threads, 1)`. Without the 1, ptxas may assign
///      fewer registers than the budgets divide, or warn with C7508 and ignore the budgets.
///
/// Cost    one instruction a warpgroup, which waits until the other roles have released their registers
template <class Layout, class ComputeBody, class... OtherBodies>
DMA_HOST_DEVICE void take_roles(const ComputeBody& compute, const OtherBodies&... others) {
  using Roles = detail::RolesOfBodies<Layout, 1 + int{sizeof...(others)}>;
  static_assert(Layout::roles > 1,
                "dma::take_roles: on a layout without DMA warps every warp has both roles; leave take_roles() out");
  static_assert(
      Layout::roles == 1 || Roles::fit,
      "dma::take_roles: there are more or fewer functions than it can give the roles; pass the compute warps' "
      "function, then one for each DMA group of the layout in its order, or one for all of them, and with "
      "several compute groups also one for every role");
  static_assert(!Roles::fit || Roles::have_one_budget_each(),
                "dma::take_roles: groups that one function serves have different register budgets, so that it would "
                "be compiled for all of them; give each group a function of its own");
  machine::enters(machine::Call::take_roles, {.pipeline = machine::type_name<Layout>()});
  const int warp = machine::uniform_warp_rank();
  constexpr int end_warp = Layout::role_end_warp(Roles::first(1) - 1);
  if constexpr (sizeof...(others) > 0 && Roles::next_taking(0) == 1 &&
                Layout::role_first_warp(Roles::first(1)) == end_warp) {
    // The compute warps' function is called from here: nvcc 13.0 orders its sums otherwise where another function is in
    // between.
    if (warp < end_warp) {
      detail::take_registers<Layout, 0>();
      compute();
    } else {
      detail::take_role<Layout, Roles, 1>(warp, others...);
    }
  } else {
    detail::take_role<Layout, Roles, 0>(warp, compute, others...);
  }
}

}  // namespace dma::inline v0_1
