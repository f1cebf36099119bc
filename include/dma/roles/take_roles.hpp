#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>

namespace dma {

/// Sets the register budget of a role (setmaxnreg) where the layout has budgets. Called first in the role's branch.
template <class Layout>
DMA_HOST_DEVICE void take_compute_registers() {
  if constexpr (Layout::has_register_budgets) {
    machine::take_budget<Layout::launch_registers, Layout::compute_registers>();
  }
}
template <class Layout, int Group>
DMA_HOST_DEVICE void take_group_registers() {
  if constexpr (Layout::has_register_budgets) {
    machine::take_budget<Layout::launch_registers, Layout::group_registers(Group)>();
  }
}

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

template <class Layout>
consteval bool groups_have_equal_registers() {
  for (int group = 1; group < Layout::groups; ++group) {
    if (Layout::group_registers(group) != Layout::group_registers(0)) {
      return false;
    }
  }
  return true;
}

/// Runs `first` in group `Group`, the other functions in the groups after it, and the last one in all remaining groups.
template <class Layout, int Group, class First, class... Rest>
DMA_HOST_DEVICE void take_dma_role(int group, const First& first, const Rest&... rest) {
  if (sizeof...(rest) == 0 || group == Group) {
    take_group_registers<Layout, Group>();
    first();
  } else if constexpr (sizeof...(rest) > 0) {
    take_dma_role<Layout, Group + 1>(group, rest...);
  }
}

/// Runs a layout's roles, each in its warps: `compute` in the compute warps, and one function for each DMA group, or
/// one for all of them.
///
///     dma::take_roles<Warps>([&] { auto compute = pipe.as_compute(); ... },
///                            [&] { auto dma = pipe.as_dma(); ... });
///
/// Where the layout has register budgets, each role sets its own here. A kernel with budgets has this one branch
/// between roles: the compiler gives each side its registers only where setmaxnreg is at the start of the branch. A
/// kernel body calls `cta.take_roles(...)`.
///
/// Collective over the CTA, once in a kernel that has budgets.
///
/// @pre With budgets, a kernel of your own has `__launch_bounds__(Layout::threads, 1)`. Without the 1, ptxas may assign
///      fewer registers than the budgets divide, or warn with C7508 and ignore the budgets.
///
/// Cost    one instruction a role, which waits until the other roles have released their registers
template <class Layout, class ComputeBody, class... DmaBodies>
DMA_HOST_DEVICE void take_roles(const ComputeBody& compute, const DmaBodies&... dma) {
  static_assert(Layout::is_specialized,
                "dma::take_roles: on a layout without DMA warps every warp has both roles; leave take_roles() out");
  static_assert(sizeof...(dma) == 1 || sizeof...(dma) == Layout::groups,
                "dma::take_roles: give it the compute warps' function, then one for each DMA group of the layout in "
                "its order, or one for all of them");
  static_assert(sizeof...(dma) == Layout::groups || groups_have_equal_registers<Layout>(),
                "dma::take_roles: the layout's DMA groups have different register budgets, so that one function would "
                "be compiled for all of them; give each group a function of its own");
  machine::enters(machine::Call::take_roles, {.pipeline = machine::type_name<Layout>()});
  const int group = Layout::group_of_warp(machine::uniform_warp_rank());
  if (group < 0) {
    take_compute_registers<Layout>();
    compute();
  } else {
    take_dma_role<Layout, 0>(group, dma...);
  }
}

}  // namespace dma
