#pragma once

#include <dma/config.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/thresholds.hpp>
#include <dma/unrolled.hpp>

/// How the numbers of a pipeline's named barriers reach the instruction: as immediates or in a register.
///
/// The assembler reserves barriers 0 to the highest immediate for a CTA, and all 16 where a number is in a register. An
/// SM has 64 of them, so that it holds 4 CTAs of a kernel that reserves 16. An immediate takes a branch over the
/// stages.
///
/// Source  ptxas -v ("used N barriers")
namespace dma::inline v0_1::detail {

inline constexpr int reserved_shared_bytes = 1024;          ///< that a CTA takes beside its own
inline constexpr int all_barriers = hardware_barriers + 1;  ///< of a CTA, that of `__syncthreads` among them
/// Named barriers that an SM has for all its CTAs.
inline constexpr int sm_barriers = 4 * all_barriers;

/// CTAs that an SM holds beside one another if only their threads and `shared_bytes` limit their number.
[[nodiscard]] DMA_HOST_DEVICE constexpr int ctas_that_fit(int threads, int shared_bytes) noexcept {
  constexpr SmLimits sm = sm_limits(oldest_architecture);
  const int by_threads = sm.threads / threads;
  const int by_shared = sm.shared_kilobytes * 1024 / (shared_bytes + reserved_shared_bytes);
  return by_threads < by_shared ? by_threads : by_shared;
}

/// Whether immediates make a kernel faster: more than 4 CTAs would fit an SM, and the slots of 4 are not enough to keep
/// memory busy. `reserved` is how many barriers immediates reserve. Trials are in docs/guide/reference/trials.md.
[[nodiscard]] consteval bool immediate_ids_pay(int reserved, int threads, int shared_bytes) noexcept {
  constexpr int few_ctas = sm_barriers / all_barriers;
  constexpr int enough_bytes = 96 * 1024;
  return sm_barriers / reserved > few_ctas && ctas_that_fit(threads, shared_bytes) > few_ctas &&
         few_ctas * shared_bytes <= enough_bytes;
}

/// Calls `body` with a stage: as a constant, behind a branch, if `AsConstant`.
template <int Stages, bool AsConstant, class Body>
DMA_HOST_DEVICE void with_stage(int stage, const Body& body) {
  if constexpr (AsConstant) {
    unrolled<Stages>([&](auto candidate) {
      if (stage == candidate) {
        body(candidate);
      }
    });
  } else {
    body(stage);
  }
}

}  // namespace dma::inline v0_1::detail
