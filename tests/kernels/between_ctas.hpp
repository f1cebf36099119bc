#pragma once

#include <dma/dma.hpp>

#include <cstddef>
#include <vector>

/// CTAs of a cluster that send each other what they have, over barriers at which all of them arrive.
namespace between_ctas {

inline constexpr int cluster = 4;
inline constexpr int grid = 2 * cluster;
inline constexpr int rounds = 4;

[[nodiscard]] DMA_HOST_DEVICE constexpr int number(int round, int block, int i) {
  return round * 100003 + block * 1009 + i;
}
/// The number of another CTA of the same cluster.
[[nodiscard]] constexpr int neighbour(int block, int distance) {
  return block / cluster * cluster + (block + distance) % cluster;
}

/// Each CTA sends a word of T to all CTAs of its cluster, and adds what it has received.
template <class T>
struct Sums {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  using Barrier = dma::PhaseBarrier<dma::Scope::cluster>;
  static constexpr dma::KernelTraits traits{.cluster = cluster};
  struct Shared {
    Barrier::State full, read;
    T words[cluster];
  };
  static constexpr int parts = static_cast<int>(sizeof(T) / sizeof(int));

  /// got[round][block][thread]
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Sums>& cta, int* got) const {
    auto& shared = cta.template shared<Shared>();
    Barrier full(cta, shared.full, 1);
    Barrier read(cta, shared.read, cluster);
    const int thread = cta.thread();
    for (int round = 0; round < rounds; ++round) {
      if (thread == 0) {
        full.expect(static_cast<int>(sizeof shared.words));
      }
      if (thread < cluster) {
        T word;
        for (int i = 0; i < parts; ++i) {
          word.part[i] = number(round, cta.block().x, i);
        }
        full.send(thread, &shared.words[cta.cluster_rank()], word);
      }
      full.wait();
      int sum = 0;
      for (const T& word : shared.words) {
        for (const int part : word.part) {
          sum += part;
        }
      }
      got[(round * grid + cta.block().x) * Layout::threads + thread] = sum;
      cta.sync();
      if (thread < cluster) {
        read.arrive_at(thread);
      }
      read.wait();  // All CTAs have read what this one has sent, and have sent what this one reads next.
    }
  }

  static constexpr int count = rounds * grid * Layout::threads;
  [[nodiscard]] static int count_wrong(const std::vector<int>& got) {
    int wrong = 0;
    std::size_t i = 0;
    for (int round = 0; round < rounds; ++round) {
      for (int block = 0; block < grid; ++block) {
        int sum = 0;
        for (int part = 0; part < parts; ++part) {
          for (int other = 0; other < cluster; ++other) {
            sum += number(round, neighbour(block, other), part);
          }
        }
        for (int thread = 0; thread < Layout::threads; ++thread) {
          wrong += got[i++] != sum;
        }
      }
    }
    return wrong;
  }
};
template <int Parts>
struct alignas(Parts * sizeof(int)) Ints {
  int part[Parts];
};

/// Each CTA copies an array to the next one of its cluster.
struct Relay {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  using Barrier = dma::PhaseBarrier<dma::Scope::cluster>;
  static constexpr dma::KernelTraits traits{.cluster = cluster};
  struct Shared {
    alignas(16) int mine[Layout::threads];
    alignas(16) int received[Layout::threads];
    Barrier::State full, read;
  };

  /// got[round][block][thread]
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Relay>& cta, int* got) const {
    auto& shared = cta.shared<Shared>();
    Barrier full(cta, shared.full, 1);
    Barrier read(cta, shared.read, 1);
    const int thread = cta.thread();
    const int rank = cta.cluster_rank();
    for (int round = 0; round < rounds; ++round) {
      shared.mine[thread] = number(round, cta.block().x, thread);
      full.fence();
      cta.sync();
      if (thread == 0) {
        full.expect(static_cast<int>(sizeof shared.mine));
        full.copy((rank + 1) % cluster, shared.received, shared.mine, static_cast<int>(sizeof shared.mine));
      }
      full.wait();
      got[(round * grid + cta.block().x) * Layout::threads + thread] = shared.received[Layout::threads - 1 - thread];
      full.fence();
      cta.sync();
      if (thread == 0) {
        read.arrive_at((rank + cluster - 1) % cluster);
      }
      read.wait();  // The next CTA has received this one's array, and has read it.
    }
  }

  static constexpr int count = rounds * grid * Layout::threads;
  [[nodiscard]] static int count_wrong(const std::vector<int>& got) {
    int wrong = 0;
    std::size_t i = 0;
    for (int round = 0; round < rounds; ++round) {
      for (int block = 0; block < grid; ++block) {
        for (int thread = 0; thread < Layout::threads; ++thread) {
          wrong += got[i++] != number(round, neighbour(block, cluster - 1), Layout::threads - 1 - thread);
        }
      }
    }
    return wrong;
  }
};

}  // namespace between_ctas
