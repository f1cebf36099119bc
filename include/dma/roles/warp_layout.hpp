#pragma once

#include <dma/config.hpp>
#include <dma/roles/role.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

namespace detail {

inline constexpr int sm_registers = 65536;  ///< of 32 bits, a quarter for each of its four partitions

/// Registers of each thread at launch when a CTA of `warps` warps has the SM to itself, as the assembler counts them: a
/// partition of the SM has every fourth warp and divides its registers among them, in steps of 8. So a warp more than a
/// multiple of four costs as much as four: 16 warps have 128 registers a thread, 17 to 20 have 96.
[[nodiscard]] DMA_HOST_DEVICE constexpr int registers_at_launch(int warps) noexcept {
  constexpr int partitions = 4;
  constexpr int most = 256;
  const int partition_threads = (warps + partitions - 1) / partitions * warp_size;
  const int share = sm_registers / partitions / partition_threads / 8 * 8;
  return share < most ? share : most;
}

}  // namespace detail

/// The role of each warp in a CTA: one compute group after another, then one DMA group after another.
///
/// `WarpLayout<Compute<4>, Dma<1>, Dma<2>>` is 7 warps: 0 to 3 compute, 4 is DMA group 0, 5 and 6 are DMA group 1. A
/// layout without `Dma` is a CTA that is not specialized: every warp both moves and computes.
///
/// `WarpLayout<Compute<4>, Compute<4>, Dma<1>>` has two compute groups. A pipeline is used by all compute warps, or by
/// one group (`UsedBy`); groups synchronize on their own (`ComputeHandle::sync_group`) and take turns (`Turns`).
///
/// `WarpLayout<Compute<8, Registers{240}>, Dma<1, Registers{24}>>` gives each role a register budget. The hardware
/// gives registers to warpgroups of four warps: a role with another budget than the one before it begins a warpgroup,
/// and idle warps complete short ones. This layout has 12 warps, three of them idle. Roles that follow one another with
/// one budget share warpgroups. The sum over all threads is at most what the CTA is launched with, one CTA an SM.
///
/// Every count that a kernel, a barrier or a launch needs is derived from this type.
///
/// Source  SC'11, section 3.1: dmaID, num_dma_threads, num_compute_threads and dma_threadIdx_start, derived
template <class FirstRole, class... OtherRoles>
struct WarpLayout {
 private:
  static constexpr detail::RolePlaces<1 + sizeof...(OtherRoles)> places{
      {detail::role_shape<FirstRole>, detail::role_shape<OtherRoles>...}};

  static_assert(places.are_in_order(),
                "dma::WarpLayout: compute groups come first, at least one, then one DMA group after another; "
                "write WarpLayout<Compute<4>, Dma<1>, ...>");

 public:
  static constexpr int roles = 1 + sizeof...(OtherRoles);
  static constexpr int compute_groups = places.compute_groups;
  static constexpr int groups = roles - compute_groups;  ///< of DMA warps
  static constexpr bool is_specialized = groups > 0;

  static constexpr int compute_warps = [] {
    int warps = 0;
    for (int role = 0; role < compute_groups; ++role) {
      warps += places.shape[role].warps;
    }
    return warps;
  }();
  static constexpr int dma_warps = [] {
    int warps = 0;
    for (int role = compute_groups; role < roles; ++role) {
      warps += places.shape[role].warps;
    }
    return warps;
  }();
  static constexpr int warps = places.warps;
  static constexpr int idle_warps = warps - compute_warps - dma_warps;  ///< that complete warpgroups

  static constexpr int compute_threads = compute_warps * warp_size;
  static constexpr int threads = warps * warp_size;  ///< for `__launch_bounds__`

  static_assert(threads <= detail::max_cta_threads,
                "dma::WarpLayout: a CTA has at most 32 warps; use fewer compute or DMA warps");

  static constexpr bool has_register_budgets = places.has_any_budget();
  /// Registers of each thread at launch, one CTA an SM.
  static constexpr int launch_registers = detail::registers_at_launch(warps);

 private:
  static_assert(!has_register_budgets || roles > 1,
                "dma::WarpLayout: budgets divide registers among roles and this layout has only one; leave "
                "dma::Registers out, or give it DMA warps");
  static_assert(!has_register_budgets || places.all_have_budgets(),
                "dma::WarpLayout: some roles have a register budget and others none; give every role a "
                "dma::Registers{...}, or none");
  static_assert(
      !places.all_have_budgets() || places.compute_warps_are_together(),
      "dma::WarpLayout: whole warpgroups release and acquire registers, and a compute group is followed by "
      "one of another budget within its last warpgroup; make its warps a multiple of 4, or the budgets equal");
  static_assert(
      !places.all_have_budgets() || places.budgeted_registers() <= launch_registers * threads,
      "dma::WarpLayout: the budgets together need more registers than the CTA is launched with, which are "
      "65536 / threads a thread, rounded down to a multiple of 8, idle warps of a warpgroup included; lower a "
      "budget, or use fewer warps");

  // Of each role as constants, from which functions choose: a GPU has no array to look them up in.
  template <int Role>
  static constexpr int first_warp_of_role = Role < roles ? places.first_warp[Role < roles ? Role : 0] : warps;
  template <int Role>
  static constexpr int end_warp_of_role = places.first_warp[Role] + places.shape[Role].warps;
  template <int Role>
  static constexpr int registers_of_role = places.shape[Role].registers;

 public:
  /// A role is a compute group or, from `compute_groups` on, a DMA group. Its first warp, the one after its last, and
  /// the registers of its threads, 0 where it has no budget. `roles` itself begins after the last warp.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int role_first_warp(int role) noexcept {
    int warp = warps;
    unrolled<roles>([&](auto each) { warp = role == each ? first_warp_of_role<each.value> : warp; });
    return warp;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int role_end_warp(int role) noexcept {
    int warp = warps;
    unrolled<roles>([&](auto each) { warp = role == each ? end_warp_of_role<each.value> : warp; });
    return warp;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int role_registers(int role) noexcept {
    int registers = 0;
    unrolled<roles>([&](auto each) { registers = role == each ? registers_of_role<each.value> : registers; });
    return registers;
  }

  /// Warps and first warp of compute group `group`.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int compute_group_warps(int group) noexcept {
    return group >= 0 && group < compute_groups ? role_end_warp(group) - role_first_warp(group) : 0;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int compute_group_first_warp(int group) noexcept {
    return role_first_warp(group);
  }
  /// The compute group that a compute warp belongs to.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int compute_group_of_warp([[maybe_unused]] int warp) noexcept {
    return [&]<int... Later>(stdlib::integer_sequence<int, Later...>) {
      return (0 + ... + (warp >= first_warp_of_role<Later + 1> ? 1 : 0));
    }
    (stdlib::make_integer_sequence<int, compute_groups - 1>{});
  }

  /// The DMA group that `warp` belongs to, -1 for a compute warp, `groups` for an idle one.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_of_warp([[maybe_unused]] int warp) noexcept {
    const int group = [&]<int... Group>(stdlib::integer_sequence<int, Group...>) {
      return (-1 + ... + (warp >= first_warp_of_role<compute_groups + Group> ? 1 : 0));
    }
    (stdlib::make_integer_sequence<int, groups>{});
    return is_idle(warp) ? groups : group;
  }
  /// Whether a warp has no role and only completes a warpgroup.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool is_idle([[maybe_unused]] int warp) noexcept {
    return idle_warps > 0 && [&]<int... Role>(stdlib::integer_sequence<int, Role...>) {
      return (false || ... || (warp >= end_warp_of_role<Role> && warp < first_warp_of_role<Role + 1>));
    }
    (stdlib::make_integer_sequence<int, roles>{});
  }

  /// Warps in DMA group `group`, 0 where the layout has no such group; registers of its threads; its first warp.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_warps(int group) noexcept {
    const int role = compute_groups + group;
    return group >= 0 && group < groups ? role_end_warp(role) - role_first_warp(role) : 0;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_registers(int group) noexcept {
    return group >= 0 ? role_registers(compute_groups + group) : 0;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_first_warp(int group) noexcept {
    return role_first_warp(compute_groups + group);
  }
};

namespace detail {

/// Whether a type is a `WarpLayout`.
template <class T>
inline constexpr bool is_warp_layout = false;
template <class... Roles>
inline constexpr bool is_warp_layout<WarpLayout<Roles...>> = true;

/// A `WarpLayout`.
template <class T>
concept IsWarpLayout = is_warp_layout<T>;

}  // namespace detail

}  // namespace dma::inline v0_1
