#pragma once

#include <dma/dma.hpp>

#include <vector>

/// CTAs of a cluster that read what the next one has written, and write what the one after it reads.
namespace clusters {

inline constexpr int cluster = 4;
inline constexpr int grid = 3 * cluster;
inline constexpr int rounds = 3;

struct Exchange {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  static constexpr dma::KernelTraits traits{.cluster = cluster};
  struct Shared {
    int read[Layout::threads];
    int written[Layout::threads];
  };

  DMA_HOST_DEVICE static constexpr int number(int round, int block, int thread) {
    return round * 100003 + block * 1009 + thread;
  }

  /// got[round][block][thread][2]: what the thread has read from its neighbour, and what another one has left.
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Exchange>& cta, int* got) const {
    auto& shared = cta.shared<Shared>();
    const int thread = cta.thread();
    const int next = (cta.cluster_rank() + 1) % cta.cluster_size();
    const int after_next = (cta.cluster_rank() + 2) % cta.cluster_size();
    for (int round = 0; round < rounds; ++round) {
      shared.read[thread] = number(round, cta.block().x, thread);
      cta.cluster_sync();
      int* const place = got + ((round * grid + cta.block().x) * Layout::threads + thread) * 2;
      place[0] = cta.peer(next, &shared)->read[Layout::threads - 1 - thread];
      cta.peer(after_next, shared.written)[thread] = number(round, cta.block().x, thread);
      cta.cluster_sync();
      place[1] = shared.written[thread];
    }
  }
};

inline constexpr int count = rounds * grid * Exchange::Layout::threads * 2;

/// Numbers that are not the expected ones.
[[nodiscard]] inline int count_wrong(const std::vector<int>& got) {
  int wrong = 0;
  std::size_t i = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int block = 0; block < grid; ++block) {
      const int first = block / cluster * cluster;
      for (int thread = 0; thread < Exchange::Layout::threads; ++thread) {
        wrong +=
            got[i++] != Exchange::number(round, first + (block + 1) % cluster, Exchange::Layout::threads - 1 - thread);
        wrong += got[i++] != Exchange::number(round, first + (block + cluster - 2) % cluster, thread);
      }
    }
  }
  return wrong;
}

}  // namespace clusters
