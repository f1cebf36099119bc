#pragma once

#include <dma/dma.hpp>

/// A buffering with as many stages as leave room for `Ctas` CTAs on an SM. Several CTAs hide each other's waits; each
/// of them may use one part in `Ctas` of the SM's shared memory.
///
/// @tparam OtherBytes  shared memory that the kernel has beside this pipeline
template <class Warps, int Ctas, int OtherBytes = 0>
struct StagesForCtas {
  using Layout = Warps;
  static constexpr int groups = 1;
  static constexpr int first_group = 0;

  static constexpr int sm_bytes = 228 * 1024;       ///< of shared memory that an SM of sm_90 has
  static constexpr int bytes_of_system = 1024;      ///< of these, what the system takes for each CTA
  static constexpr int barrier_bytes_a_stage = 16;  ///< of `dma::CudaBarrier`
  static constexpr int bytes_a_cta = sm_bytes / Ctas - bytes_of_system - OtherBytes;

  static consteval int stages_for(int slot_bytes, int most_stages) {
    // The storage's size is a multiple of its alignment, a power of two up to 1024 that divides a slot's.
    const int unit = slot_bytes % 1024 == 0 ? 1024 : slot_bytes & -slot_bytes;
    const int stages = bytes_a_cta / unit * unit / (slot_bytes + barrier_bytes_a_stage);
    return stages > most_stages ? most_stages : stages;
  }
};
