#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

/// The memory bandwidth in GB/s of the GPU that the defaults are for: a compiler is told the architecture alone. The
/// CMake option of the same name sets it.
#ifndef DMA_GPU_BANDWIDTH
#define DMA_GPU_BANDWIDTH 4800
#endif

namespace dma::inline v0_1 {

namespace detail {

/// The oldest architecture that this file is compiled for, as `__CUDA_ARCH__` writes it. It is the same in every pass
/// of the compiler, so that a pipeline is one type. A host compiler has no list of architectures and uses the newest
/// one that engines know.
inline constexpr int oldest_architecture = [] {
#if defined(__CUDA_ARCH_LIST__)
  int oldest = 1 << 30;
  for (const int architecture : {__CUDA_ARCH_LIST__}) {
    oldest = architecture < oldest ? architecture : oldest;
  }
  return oldest;
#else
  return 900;
#endif
}();

/// What an SM holds beside one another.
struct SmLimits {
  int threads = 2048;
  int ctas = 32;
  int shared_kilobytes = 228;  ///< 1 of each CTA is the system's
};

/// The limits of an SM of an architecture, which is written as `__CUDA_ARCH__` is; those of sm_90 where it is not
/// known.
///
/// Source  CUDA C++ Programming Guide, technical specifications per compute capability
[[nodiscard]] DMA_HOST_DEVICE constexpr SmLimits sm_limits(int architecture) noexcept {
  switch (architecture) {
    case 750:
      return {.threads = 1024, .ctas = 16, .shared_kilobytes = 64};
    case 800:
      return {.shared_kilobytes = 164};
    case 870:
      return {.threads = 1536, .ctas = 16, .shared_kilobytes = 164};
    case 860:
    case 880:
      return {.threads = 1536, .ctas = 16, .shared_kilobytes = 100};
    case 1070:
      return {.threads = 1024, .ctas = 16};
    case 1100:
      return {.threads = 1536, .ctas = 24};
    case 890:
    case 1200:
    case 1210:
      return {.threads = 1536, .ctas = 24, .shared_kilobytes = 100};
    default:
      return {};
  }
}

}  // namespace detail

/// What is known of the GPU when a kernel is compiled. The architecture does not tell the memory: an H100 and an H200
/// have the same.
struct GpuClass {
  int architecture = detail::oldest_architecture;  ///< the oldest compiled for, as `__CUDA_ARCH__` writes it
  int bandwidth = DMA_GPU_BANDWIDTH;               ///< of its memory, in GB/s
};

/// The numbers by which the library chooses an engine, a number of stages, and how many bulk copies are in flight, in
/// bytes unless said. `Tuned` gives a pipeline others. docs/guide/reference/trials.md has the trials behind each.
struct Thresholds {
  const char* measured_on = "NVIDIA H200";  ///< the GPU of the trials, for `explain`

  // Which engine is the default.

  /// Where a tile has several runs, those shorter than this move by other engines. Bulk copies are issued one by one,
  /// more slowly the fewer the DMA warps, while one instruction of a warp moves 32 pieces.
  int shortest_bulk_load_run = 2048;
  int shortest_bulk_store_run = 256;  ///< the same of stores, whose only alternative is registers
  /// The longest tiles that are loaded by cp.async where the number of stages is automatic: with many compute warps
  /// they are faster than a bulk copy, and never more than 3% slower.
  int longest_async_tile = 8 * 1024;
  /// The same where the kernel names the number of its stages: so much for each compute warp, between two bounds.
  int async_tile_a_compute_warp = 512;
  int least_longest_async_tile = 1024;
  int most_longest_async_tile = 4 * 1024;
  /// The longest tiles that are changed in place by cp.async and registers, where bulk copies could.
  int longest_async_update = 8 * 1024;
  /// The longest tiles that are stored through registers, in any number of stages: for each bulk store the DMA warp
  /// polls, waits for the read and releases the slot. Longer ones take 73 registers a thread, of all warps.
  int longest_register_store = 8 * 1024;
  int longest_register_store_of_many_warps = 4 * 1024;  ///< beside more than `few_compute_warps`
  int few_compute_warps = 4;                            ///< a number of warps
  /// The longest tiles that are loaded through registers into the only slot: so much for each DMA thread, up to a
  /// bound. There the next tile is read before the slot is empty, which copies into the slot cannot do.
  int register_load_a_thread = 64;
  int longest_register_load = 4 * 1024;  ///< also of warps that compute and load
  /// The shortest tiles without padding in several slots whose rows of half a sector are loaded through registers.
  int shortest_register_load_of_half_sectors = 8 * 1024;

  // How many stages are automatic.

  /// What one CTA's stages hold together, at least: one CTA an SM needs that much, and many lose little by it. Slots up
  /// to 11 KB leave room for barriers in the 48 KB that a kernel can declare as `__shared__`.
  int bytes_in_flight_of_one_cta = 40 * 1024;
  /// What the stages of all CTAs of an SM hold together where their number is given. Memory is slower by some percent
  /// with twice as many.
  int bytes_in_flight_an_sm = 96 * 1024;
  int most_stages = 12;  ///< a number of stages
  /// Slots up to this have three stages at least, of which an SM holds two CTAs; longer ones have two.
  int longest_slot_of_three_stages = 37 * 1024;

  // How many bulk copies of an SM are in flight: more slow its copy engine down, by hand as by this library.

  int most_copies = 64;               ///< a number of copies
  int most_copies_of_many_ctas = 32;  ///< the same of `long_copy` and more, beside more than `many_ctas` CTAs
  int many_ctas = 8;                  ///< a number of CTAs of an SM
  int long_copy = 2048;
  int shortest_limited_copy = 1024;  ///< shorter ones hardly do so
};

namespace detail {

/// The library's own selector: the trials of an H200, which serve an H100, too (docs/guide/tuning.md), and others until
/// they are measured. Where an SM has less shared memory, the bytes of its slots are as many as leave room.
struct MeasuredThresholds {
  [[nodiscard]] constexpr Thresholds operator()(GpuClass gpu) const noexcept {
    Thresholds found;
    if (gpu.architecture != 900) {
      found.measured_on = "NVIDIA H200, and not measured on this architecture";
    }
    constexpr int kilobyte = 1024;
    const int sm_bytes = sm_limits(gpu.architecture).shared_kilobytes * kilobyte;
    // Two CTAs, each with the system's kilobyte, one for barriers, and three stages of whole kilobytes.
    const int longest_of_three = (sm_bytes / 2 - 2 * kilobyte) / 3 / kilobyte * kilobyte;
    // So many CTAs as any SM of that memory holds, each with a kilobyte of the system's and half of one of its own.
    const int in_flight = sm_bytes - 24 * (kilobyte + kilobyte / 2);
    found.longest_slot_of_three_stages =
        longest_of_three < found.longest_slot_of_three_stages ? longest_of_three : found.longest_slot_of_three_stages;
    found.bytes_in_flight_an_sm = in_flight < found.bytes_in_flight_an_sm ? in_flight : found.bytes_in_flight_an_sm;
    return found;
  }
};

/// Those of a buffering, or the library's where it names none.
template <class Buffering>
inline constexpr Thresholds thresholds_of = MeasuredThresholds{}(GpuClass{});
template <class Buffering>
  requires stdlib::is_same_v<decltype(Buffering::thresholds), const Thresholds>
inline constexpr Thresholds thresholds_of<Buffering> = Buffering::thresholds;

}  // namespace detail

/// A buffering whose pipeline's defaults go by another selector, a class with
/// `constexpr dma::Thresholds operator()(dma::GpuClass) const`.
///
///     struct Own {
///       constexpr dma::Thresholds operator()(dma::GpuClass) const { return {.longest_async_tile = 0}; }
///     };
///     using Pipe = dma::DmaPipeline<Tile, dma::Tuned<Own, dma::MultiBuffer<Warps>>>;
template <class Selector, class Buffering>
struct Tuned : Buffering {
  static constexpr Thresholds thresholds = Selector{}(GpuClass{});

  /// The number of stages for slots of `slot_bytes` when at most `most_stages` have barriers.
  [[nodiscard]] static consteval int stages_for(int slot_bytes, int most_stages) noexcept {
    if constexpr (requires { Buffering::stages_for(slot_bytes, most_stages, thresholds); }) {
      return Buffering::stages_for(slot_bytes, most_stages, thresholds);
    } else {
      return Buffering::stages_for(slot_bytes, most_stages);
    }
  }
};

}  // namespace dma::inline v0_1
