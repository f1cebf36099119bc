#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

namespace dma {

inline constexpr int warp_size = 32;
inline constexpr int max_cta_threads = 1024;
inline constexpr int hardware_barriers = 15;  ///< that a CTA has beside the one of `__syncthreads`
inline constexpr int compute_barrier = 1;     ///< of these, for `sync` of the compute warps; pipelines use the others
inline constexpr int sm_registers = 65536;    ///< of 32 bits, a quarter for each of its four partitions
inline constexpr int warps_a_warpgroup = 4;   ///< which releases and acquires registers together

/// A role's register budget: how many registers each of its threads has. Compute warps that keep much in registers use
/// those that DMA warps, which need few, release.
///
/// `take_roles` sets the budgets. From sm_90 on a kernel with budgets must be compiled for an architecture's own
/// features (sm_90a), or it does not compile. Older architectures and a host have no such instruction and ignore
/// budgets.
///
/// Source  PTX ISA, setmaxnreg
template <int Count>
struct Registers {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0,
                "dma::Registers: a thread's budget is a multiple of 8 from 24 to 256 registers");
  static constexpr int count = Count;
};
/// No budget: every thread has the register count of the launch.
struct LaunchRegisters {
  static constexpr int count = 0;
};

/// The compute warps of a CTA: they wait for tiles and compute on them.
template <int Warps, class Budget = LaunchRegisters>
struct Compute {
  static_assert(Warps > 0, "dma::Compute: a CTA needs at least one compute warp");
};

/// One group of DMA warps: they move tiles, together, and do nothing else.
template <int Warps, class Budget = LaunchRegisters>
struct Dma {
  static_assert(Warps > 0,
                "dma::Dma: a DMA group needs at least one warp; leave the group out for a CTA without DMA warps");
};

template <class ComputeWarps, class... DmaGroups>
struct WarpLayout {
  static_assert(sizeof(ComputeWarps) == 0,
                "dma::WarpLayout: compute warps come first, then one DMA group after another; "
                "write WarpLayout<Compute<4>, Dma<1>, ...>");
};

/// The role of each warp in a CTA: compute warps first, then one DMA group after another.
///
/// `WarpLayout<Compute<4>, Dma<1>, Dma<2>>` is 7 warps: 0 to 3 compute, 4 is DMA group 0, 5 and 6 are DMA group 1. A
/// layout without `Dma` is a CTA that is not specialized: every warp both moves and computes.
///
/// `WarpLayout<Compute<8, Registers<240>>, Dma<4, Registers<24>>>` gives each role a register budget. The sum over all
/// threads is at most what the CTA is launched with, one CTA an SM.
///
/// Every count that a kernel, a barrier or a launch needs is derived from this type.
///
/// Source  SC'11, section 3.1: dmaID, num_dma_threads, num_compute_threads and dma_threadIdx_start, derived
template <int ComputeWarps, class ComputeBudget, int... DmaWarps, class... DmaBudgets>
struct WarpLayout<Compute<ComputeWarps, ComputeBudget>, Dma<DmaWarps, DmaBudgets>...> {
  static constexpr int compute_warps = ComputeWarps;
  static constexpr int dma_warps = (0 + ... + DmaWarps);
  static constexpr int warps = compute_warps + dma_warps;
  static constexpr int groups = sizeof...(DmaWarps);
  static constexpr bool is_specialized = groups > 0;

  static constexpr int compute_threads = compute_warps * warp_size;
  static constexpr int threads = warps * warp_size;  ///< for `__launch_bounds__`

  static_assert(threads <= max_cta_threads,
                "dma::WarpLayout: a CTA has at most 32 warps; use fewer compute or DMA warps");

  /// Registers of each thread, by role, where the roles have budgets.
  static constexpr int compute_registers = ComputeBudget::count;
  static constexpr bool has_register_budgets = ((compute_registers != 0) || ... || (DmaBudgets::count != 0));
  /// Registers of each thread at launch when its CTA has the SM to itself, as the assembler counts them: a partition of
  /// the SM has every fourth warp and divides its registers among them, in steps of 8. So a warp more than a multiple
  /// of four costs as much as four: 16 warps have 128 registers a thread, 17 to 20 have 96.
  static constexpr int launch_registers = [] {
    constexpr int partitions = 4;
    constexpr int most = 256;
    const int partition_threads = (warps + partitions - 1) / partitions * warp_size;
    const int share = sm_registers / partitions / partition_threads / 8 * 8;
    return share < most ? share : most;
  }();

 private:
  static constexpr bool all_have_budgets = ((compute_registers != 0) && ... && (DmaBudgets::count != 0));
  static constexpr bool roles_are_warpgroups =
      ((compute_warps % warps_a_warpgroup == 0) && ... && (DmaWarps % warps_a_warpgroup == 0));
  static constexpr int budgeted_registers =
      ((compute_warps * compute_registers) + ... + (DmaWarps * DmaBudgets::count)) * warp_size;

  static_assert(!has_register_budgets || is_specialized,
                "dma::WarpLayout: budgets divide registers among roles and this layout has only one; leave "
                "dma::Registers out, or give it DMA warps");
  static_assert(!has_register_budgets || all_have_budgets,
                "dma::WarpLayout: some roles have a register budget and others none; give every role a "
                "dma::Registers<...>, or none");
  static_assert(!has_register_budgets || !all_have_budgets || roles_are_warpgroups,
                "dma::WarpLayout: whole warpgroups release and acquire registers; make the warps of every role with a "
                "budget a multiple of 4");
  static_assert(!all_have_budgets || !roles_are_warpgroups || budgeted_registers <= launch_registers * threads,
                "dma::WarpLayout: the budgets together need more registers than the CTA is launched with, which are "
                "65536 / threads a thread, rounded down to a multiple of 8; lower a budget, or use fewer warps");

 public:
  /// The DMA group that `warp` belongs to, -1 for a compute warp.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_of_warp([[maybe_unused]] int warp) noexcept {
    int group = -1;
    [[maybe_unused]] int first = compute_warps;
    ((group += warp >= first ? 1 : 0, first += DmaWarps), ...);
    return group;
  }

  /// Warps in DMA group `group`, 0 where the layout has no such group.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_warps([[maybe_unused]] int group) noexcept {
    int warps_found = 0;
    [[maybe_unused]] int index = 0;
    ((warps_found += index++ == group ? DmaWarps : 0), ...);
    return warps_found;
  }

  /// Registers a thread of DMA group `group`, 0 where it has no budget.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_registers([[maybe_unused]] int group) noexcept {
    int registers = 0;
    [[maybe_unused]] int index = 0;
    ((registers += index++ == group ? DmaBudgets::count : 0), ...);
    return registers;
  }

  /// First warp of DMA group `group`.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_first_warp([[maybe_unused]] int group) noexcept {
    int first = compute_warps;
    [[maybe_unused]] int index = 0;
    ((first += index++ < group ? DmaWarps : 0), ...);
    return first;
  }
};

template <class T>
inline constexpr bool is_warp_layout = false;
template <class ComputeWarps, class... DmaGroups>
inline constexpr bool is_warp_layout<WarpLayout<ComputeWarps, DmaGroups...>> = true;

/// A `WarpLayout`.
template <class T>
concept IsWarpLayout = is_warp_layout<T>;

}  // namespace dma
