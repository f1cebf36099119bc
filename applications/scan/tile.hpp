#pragma once

#include "look_back.hpp"

#include <dma/dma.hpp>

namespace scan {

enum class Kind { inclusive, exclusive };

/// An array to scan, in memory of the GPU.
///
/// y[i] is `first` combined with x[0] to x[i], exclusive: to x[i - 1].
template <class T>
struct Job {
  const T* x;
  T* y;  ///< may be x
  long long elements;
  T first;
  TileSums sums;
};

/// How tiles are divided among threads: each of `warps` warps has `vectors` vectors a lane of a tile.
struct TilePlan {
  int warps;
  int vectors;
  int looks = 1;           ///< tiles that a thread looks back at, at most
  bool is_aligned = true;  ///< whether x and y begin on 16 bytes; otherwise elements move one by one
};

/// A tile in the registers of a CTA, and the steps of its scan.
template <class Operation, TilePlan plan>
class TileScan {
 public:
  using T = typename Operation::Value;
  static constexpr int width = dma::Vector<T>::size();
  static constexpr int threads = 32 * plan.warps;
  static constexpr int elements = threads * plan.vectors * width;

  /// Of a CTA, in shared memory.
  struct Shared {
    T warps[2][plan.warps];   ///< the sums of the warps of a tile, by turns
    T looked[2][plan.warps];  ///< the sums of the tiles that each warp has looked at, by turns
    unsigned launch;
    dma::Vector<T> exchange[plan.is_aligned ? 1 : threads];  ///< a vector of each lane, to write as single elements
  };

  /// Where vector `i` of this thread begins in the tile: a warp's lanes beside one another, and its vectors.
  [[nodiscard]] DMA_HOST_DEVICE static int vector_at(const dma::Cta& cta, int i) {
    return ((cta.warp() * plan.vectors + i) * 32 + cta.lane()) * width;
  }

  /// Takes the tile into registers: `vector(at)` and `element(at)` read it. There are `count` elements of it.
  template <class VectorAt, class ElementAt>
  DMA_HOST_DEVICE void read(const dma::Cta& cta, int count, const VectorAt& vector, const ElementAt& element) {
    dma::unrolled<plan.vectors>([&](auto i) {
      const int at = vector_at(cta, i);
      if (at + width <= count) {
        values_[i] = vector(at);
      } else {
        dma::unrolled<width>([&](auto e) { values_[i][e] = at + e < count ? element(at + e) : Operation::nothing(); });
      }
    });
  }

  /// Scans what each warp has.
  DMA_HOST_DEVICE void scan_warp(const dma::Cta& cta) {
    dma::unrolled<plan.vectors>([&](auto i) {
      dma::unrolled<width - 1>(
          [&](auto e) { values_[i][e + 1] = Operation::combined(values_[i][e], values_[i][e + 1]); });
      const T of_lanes = scanned(cta, values_[i][width - 1]);
      T before = of_lane(cta, of_lanes, cta.lane() - 1);
      if (cta.lane() == 0) {
        before = Operation::nothing();
      }
      if (i > 0) {
        before = Operation::combined(sum_, before);
      }
      const T of_vectors = of_lane(cta, of_lanes, 31);
      sum_ = i == 0 ? of_vectors : Operation::combined(sum_, of_vectors);
      dma::unrolled<width>([&](auto e) { values_[i][e] = Operation::combined(before, values_[i][e]); });
    });
  }

  /// The sum of the tile, once all warps are done; what is before each warp. Collective over the CTA, with one
  /// synchronization.
  ///
  /// @param warps  not those of the tile before, which other warps may still read
  DMA_HOST_DEVICE void meet(const dma::Cta& cta, T (&warps)[plan.warps]) {
    if (cta.lane() == 0) {
      warps[cta.warp()] = sum_;
    }
    cta.sync();
    before_warp_ = Operation::nothing();
    sum_ = warps[0];
    dma::unrolled<plan.warps - 1>([&](auto w) {
      if (cta.warp() == w + 1) {
        before_warp_ = sum_;
      }
      sum_ = Operation::combined(sum_, warps[w + 1]);
    });
  }
  [[nodiscard]] DMA_HOST_DEVICE const T& sum() const { return sum_; }

  /// The sum of the tiles from `first` to before `last`, at most `looks` for each thread. Collective over the CTA,
  /// with one synchronization.
  ///
  /// @param looked  not those of the tile before, which other warps may still read
  [[nodiscard]] DMA_HOST_DEVICE static T look_back(const dma::Cta& cta, const LookBack<T>& sums, int first, int last,
                                                   T (&looked)[plan.warps]) {
    const int own = first + cta.thread() * plan.looks;
    T of_tiles[plan.looks];
    dma::unrolled<plan.looks>([&](auto i) { of_tiles[i] = Operation::nothing(); });
    sums.template wait_for<plan.looks>(own, last, of_tiles);
    T sum = of_tiles[0];
    dma::unrolled<plan.looks - 1>([&](auto i) { sum = Operation::combined(sum, of_tiles[i + 1]); });
    // Orders nothing that the shuffles need, which wait for each other's lanes: it brings those together, once, whose
    // polls have ended apart.
    cta.sync_warp();
    for (int distance = 1; distance < 32; distance *= 2) {
      sum = Operation::combined(sum, of_lane(cta, sum, cta.lane() + distance));
    }
    if (cta.lane() == 0) {
      looked[cta.warp()] = sum;
    }
    cta.sync();
    sum = looked[0];
    dma::unrolled<plan.warps - 1>([&](auto w) { sum = Operation::combined(sum, looked[w + 1]); });
    return sum;
  }

  /// Writes `count` elements of the scan, with `before` the sum of all before the tile.
  template <Kind kind>
  DMA_HOST_DEVICE void write(const dma::Cta& cta, const T& before, T* y, int count, Shared& shared) const {
    const T of_warp = Operation::combined(before, before_warp_);
    dma::unrolled<plan.vectors>([&](auto i) {
      dma::Vector<T> scanned;
      dma::unrolled<width>([&](auto e) {
        if constexpr (kind == Kind::inclusive) {
          scanned[e] = Operation::combined(of_warp, values_[i][e]);
        } else if constexpr (e > 0) {
          scanned[e] = Operation::combined(of_warp, values_[i][e - 1]);
        } else {
          scanned[e] = Operation::combined(of_warp, before_vector<i>(cta));
        }
      });
      if constexpr (plan.is_aligned) {
        write_vector(y, vector_at(cta, i), count, scanned);
      } else {
        write_elements(cta, y, vector_at(cta, i), count, scanned, shared);
      }
    });
  }

 private:
  /// The sum of this lane's and all lower lanes' values.
  [[nodiscard]] DMA_HOST_DEVICE static T scanned(const dma::Cta& cta, T value) {
    for (int distance = 1; distance < 32; distance *= 2) {
      const T left = of_lane(cta, value, cta.lane() - distance);
      if (cta.lane() >= distance) {
        value = Operation::combined(left, value);
      }
    }
    return value;
  }
  /// What the warp has before this lane's vector `i`.
  template <int i>
  [[nodiscard]] DMA_HOST_DEVICE T before_vector(const dma::Cta& cta) const {
    T before = of_lane(cta, values_[i][width - 1], cta.lane() - 1);
    if constexpr (i > 0) {
      const T of_vectors = of_lane(cta, values_[i - 1][width - 1], 31);
      before = cta.lane() == 0 ? of_vectors : before;
    } else {
      before = cta.lane() == 0 ? Operation::nothing() : before;
    }
    return before;
  }
  DMA_HOST_DEVICE static void write_vector(T* y, int at, int count, const dma::Vector<T>& vector) {
    if (at + width <= count) {
      *dma::vectors(y + at) = vector;
    } else {
      dma::unrolled<width>([&](auto e) {
        if (at + e < count) {
          y[at + e] = vector[e];
        }
      });
    }
  }
  /// The vectors of the warp's lanes, as elements: each store is of elements beside one another.
  DMA_HOST_DEVICE static void write_elements(const dma::Cta& cta, T* y, int at, int count, const dma::Vector<T>& vector,
                                             Shared& shared) {
    dma::Vector<T>* const of_warp = shared.exchange + cta.warp() * 32;
    cta.sync_warp();
    of_warp[cta.lane()] = vector;
    cta.sync_warp();
    const int first = at - cta.lane() * width + cta.lane();
    dma::unrolled<width>([&](auto e) {
      if (first + e * 32 < count) {
        const int i = e * 32 + cta.lane();
        y[first + e * 32] = of_warp[i / width][i % width];
      }
    });
  }

  dma::Vector<T> values_[plan.vectors];  ///< scanned within the warp
  T before_warp_;
  T sum_;  ///< of the warp, then of the tile
};

}  // namespace scan
