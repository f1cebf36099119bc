#pragma once

#include <dma/dma.hpp>

#include <vector>

/// CTAs of a group leave a number a thread, and the last of them adds up what all have left, each thread what others
/// wrote.
namespace last_cta {

inline constexpr int groups = 150;
inline constexpr int parts = 9;

struct Body {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    dma::ArrivalCounter arrivals;
  };

  /// What thread `thread` of part `part` of group `group` leaves; other numbers in each round.
  DMA_HOST_DEVICE static constexpr unsigned number(unsigned round, int group, int part, int thread) {
    return round * 1000003U + static_cast<unsigned>(group) * 7919U + static_cast<unsigned>(part * part) * 31U +
           static_cast<unsigned>(thread);
  }

  /// Whose numbers a thread adds up: never its own.
  DMA_HOST_DEVICE static constexpr int neighbour(int thread) { return (thread + 37) % Layout::threads; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Body>& cta, unsigned round, unsigned* partial, unsigned* sums,
                                  dma::ArrivalCounter* counters) const {
    const int group = cta.block().x;
    const int part = cta.block().y;
    unsigned* const numbers = partial + group * parts * Layout::threads;
#if defined(__CUDA_ARCH__)
    // So far apart that a CTA that asks too early, or does not wait for its own other warps, reads the old numbers.
    __nanosleep(static_cast<unsigned>((part * 5 + group) % parts * 4000 + cta.warp() * 2000));
#endif
    numbers[part * Layout::threads + cta.thread()] = number(round, group, part, cta.thread());
    if (dma::is_last_cta(cta, counters[group], parts, cta.shared<Shared>().arrivals)) {
      unsigned sum = 0;
      for (int other = 0; other < parts; ++other) {
        sum += numbers[other * Layout::threads + neighbour(cta.thread())];
      }
      sums[group * Layout::threads + cta.thread()] = sum;
    }
  }
};

/// Sums that are wrong, and counters that are not zero again.
[[nodiscard]] inline int count_wrong(unsigned round, const std::vector<unsigned>& sums,
                                     const std::vector<unsigned>& counters) {
  int wrong = 0;
  for (int group = 0; group < groups; ++group) {
    for (int thread = 0; thread < Body::Layout::threads; ++thread) {
      unsigned expected = 0;
      for (int part = 0; part < parts; ++part) {
        expected += Body::number(round, group, part, Body::neighbour(thread));
      }
      wrong += sums[static_cast<std::size_t>(group * Body::Layout::threads + thread)] != expected;
    }
    wrong += counters[static_cast<std::size_t>(group)] != 0;
  }
  return wrong;
}

}  // namespace last_cta
