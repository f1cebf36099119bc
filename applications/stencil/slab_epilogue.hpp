#pragma once

/// What the march over a slab does beside its epilogue: as soon as an end is finished its planes can be sent.

#include "field.hpp"
#include "slab.hpp"

#include <dma/dma.hpp>

#include <stdexcept>
#include <string>

namespace stencil {

/// An epilogue for a slab. Its march writes the slab's own planes alone, begins at the ends that neighbours wait for,
/// and calls `take(end, compute)` in the compute threads of the CTA that finishes an end last: it sees the planes that
/// all CTAs have written there.
template <class Epilogue, Sends which, class Take>
struct SlabEpilogue {
  static constexpr Sends sends = which;

  Epilogue epilogue;
  int first_plane;                ///< of the slab's own, in memory
  dma::ArrivalCounter* finished;  ///< of each end, zero before a launch and after it
  Take take;

  template <class T>
  DMA_HOST_DEVICE void operator()(long long at, int z, const Vec<T>& sum, int count) const {
    epilogue(at, z, sum, count);
  }
  /// Once for each column at an end, by all compute threads of its CTA, which have written the end's planes.
  template <class Compute>
  DMA_HOST_DEVICE void finish(End end, const Compute& compute, int columns, dma::ArrivalCounter& shared) const {
    if (dma::is_last_cta(compute, finished[static_cast<int>(end)], columns, shared)) {
      take(end, compute);
    }
  }
};

template <class Epilogue>
inline constexpr Sends sends_of = [] {
  if constexpr (requires { Epilogue::sends; }) {
    return Epilogue::sends;
  } else {
    return Sends::to_none;
  }
}();

/// Calls `run` with the epilogue for the neighbours that a slab has; a slab without any is a domain, and has its own.
template <class Epilogue, class Take, class Run>
void with_slab_epilogue(const Slab& slab, const Epilogue& epilogue, dma::ArrivalCounter* finished, const Take& take,
                        const Run& run) {
  const auto run_for = [&]<Sends sends>() {
    run(SlabEpilogue<Epilogue, sends, Take>{epilogue, slab.below(), finished, take});
  };
  switch (slab.sends()) {
    case Sends::to_none:
      return run(epilogue);
    case Sends::to_below:
      return run_for.template operator()<Sends::to_below>();
    case Sends::to_above:
      return run_for.template operator()<Sends::to_above>();
    case Sends::to_both:
      return run_for.template operator()<Sends::to_both>();
  }
}

inline void expect_counters(const std::string& kernel, const dma::ArrivalCounter* finished) {
  if (finished == nullptr) {
    throw std::invalid_argument(kernel +
                                ": CTAs count the columns of an end that they finish, and there is no counter; give "
                                "two dma::ArrivalCounters that are zero");
  }
}

/// Sets an end's flag to the number of the step, for a copy engine that waits for it.
struct RaiseFlag {
  unsigned* flags;
  unsigned step;

  template <class Compute>
  DMA_HOST_DEVICE void operator()(End end, const Compute& compute) const {
    if (compute.rank() == 0) {
      unsigned* const flag = flags + static_cast<int>(end);
#if defined(__CUDA_ARCH__)
      __threadfence_system();  // the copy engine is no thread of this GPU
      *static_cast<volatile unsigned*>(flag) = step;
#else
      *flag = step;
#endif
    }
  }
};

/// A step of the wave, after which `source` is added to one of the slab's points: before its end is sent.
template <class T>
struct StepWaveFrom {
  StepWave<T> step;
  long long source_at;  ///< -1 where the point is another slab's
  T source;

  DMA_HOST_DEVICE void operator()(long long at, int z, const Vec<T>& laplacian, int count) const {
    step(at, z, laplacian, count);
    if (source_at >= at && source_at < at + Vec<T>::width) {
      step.before[source_at] += source;
    }
  }
};

}  // namespace stencil
