#pragma once

#include <dma/config.hpp>
#include <dma/explain/warp_access.hpp>

namespace dma::inline v0_1 {

/// How a pipeline moves its full tile, as a value: for a `static_assert`, or to print (`dma/explain/print.hpp`).
///
/// Source  CudaDMA 2.0's diagnose()
struct Explanation {
  const char* engine;  ///< its name
  /// The GPU whose thresholds chose the engine and the stages, where a kernel leaves these to the library.
  const char* measured_on;
  int access_bytes;     ///< of a thread's accesses, or of the longest bulk copy; tails have narrower ones
  int run_count;        ///< of the full tile
  int run_bytes;        ///< of its longest run
  int tail_bytes;       ///< of the longest tail of a run, its bytes after the last of these accesses
  int steps;            ///< the most accesses of a DMA thread for a tile, or bulk copies of a DMA warp
  int bytes_in_flight;  ///< the most that a CTA's DMA warps have in flight when they do not wait
  int stages;
  /// Whether tiles move while the compute warps use another. Without, only the SM's other CTAs keep memory busy, as in
  /// a kernel without a pipeline, which may then be as fast.
  bool overlaps_compute;
  /// Whether the lengths of runs are read from memory (`Csr`): by DMA threads and again by compute threads. A kernel
  /// without a pipeline, in which a few lanes take a row, may then be as fast where each row is used once.
  bool reads_run_lengths;
  int storage_bytes;         ///< shared memory of the pipeline
  int hardware_barriers;     ///< named barriers that it uses; 0 for phase barriers
  int reserved_barriers;     ///< named barriers that the assembler reserves for these; an SM has 64
  int launch_registers;      ///< that a thread has at launch, at most, where its CTA has an SM to itself
  int compute_registers;     ///< that a compute thread then has: its budget, or those of the launch
  int registers_alone;       ///< that it would have without DMA warps
  int idle_warps;            ///< that complete warpgroups, since budgets are those of whole ones
  int sectors_per_request;   ///< 32-byte sectors of global memory that the worst request of a warp touches
  int fewest_sectors;        ///< the fewest sectors that hold as many bytes
  int bank_conflict_degree;  ///< passes of a warp's worst access to shared memory; 1 is no conflict
  const char* remedy;        ///< one sentence where it is off the fast path, empty where it is on it

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_coalesced() const noexcept {
    return sectors_per_request == fewest_sectors;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_fast() const noexcept { return remedy[0] == '\0'; }

  /// Adds the cost of one request of a warp.
  DMA_HOST_DEVICE constexpr void add(const WarpAccess& access) noexcept {
    add_sectors(access.sectors(), access.fewest_sectors());
    const int degree = access.bank_conflict_degree();
    bank_conflict_degree = degree > bank_conflict_degree ? degree : bank_conflict_degree;
  }
  DMA_HOST_DEVICE constexpr void add_tail(int bytes) noexcept { tail_bytes = bytes > tail_bytes ? bytes : tail_bytes; }
  DMA_HOST_DEVICE constexpr void add_sectors(int touched, int fewest) noexcept {
    if (fewest_sectors == 0 || touched - fewest > sectors_per_request - fewest_sectors) {
      sectors_per_request = touched;
      fewest_sectors = fewest;
    }
  }
};

}  // namespace dma::v0_1
