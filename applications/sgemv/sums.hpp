#pragma once

/// The arithmetic of compute warps on a tile of A and its x, whether the tile is in shared memory or in registers.

#include "problem.hpp"

namespace sgemv {

/// Four rows of a column: one access.
struct alignas(16) Quad {
  float v[4];
};

/// A thread's partial sums, and the quads of a tile that they belong to.
///
/// In y = A x the threads go through the tile's quads in order, so that a thread has the same four rows in each of its
/// columns. In y = A^T x a warp has columns of its own, and no other warp adds to their sums.
template <Op op, Tile tile, int warps>
class Sums {
  static constexpr int threads = warps * 32;
  static constexpr int quads_a_col = tile.rows / 4;
  static constexpr bool is_n = op == Op::n;

  static_assert(op == Op::t || (quads_a_col <= 32 && 32 % quads_a_col == 0 && tile.cols * quads_a_col % threads == 0),
                "sgemv: a warp reads whole columns of a block of 4 to 128 rows at a time");
  static_assert(tile.rows % 4 == 0, "sgemv: a tile's columns are read in quads");
  static_assert(op == Op::n || (tile.rows % 128 == 0 && tile.cols % warps == 0),
                "sgemv: each warp owns equally many columns, whose rows are a multiple of 128");

 public:
  static constexpr int outputs = is_n ? tile.rows : tile.cols;
  static constexpr int quads = quads_a_col * tile.cols / threads;  ///< of a tile to a thread
  /// Warps that have sums of the same output, which they combine through shared memory.
  static constexpr int slices = is_n ? warps : 1;
  using Shared = double[slices][outputs];

  DMA_HOST_DEVICE explicit Sums(const dma::Cta& cta) : cta_(cta) {}

  /// Row and column, in the tile, of this thread's k-th quad.
  [[nodiscard]] DMA_HOST_DEVICE int row(int k) const {
    return 4 * (is_n ? cta_.thread() % quads_a_col : cta_.lane() + k % quads_a_lane * 32);
  }
  [[nodiscard]] DMA_HOST_DEVICE int col(int k) const {
    return is_n ? cta_.thread() / quads_a_col + k * (threads / quads_a_col) : cta_.warp() + k / quads_a_lane * warps;
  }

  /// `a(k)` returns the thread's k-th quad of the tile, `x` its elements of x: `x[i]`, or four of them by `x.quad(i)`.
  ///
  /// Adds up the tile before it is added to the earlier sum, in several chains: short chains round less and have less
  /// latency.
  template <class A, class X>
  DMA_HOST_DEVICE void add(const A& a, const X& x) {
    float tile_sums[count][4] = {};
    dma::unrolled<quads>([&](auto k) {
      const Quad quad = a(k);
      if constexpr (is_n) {
        const float factor = x[col(k)];
        for (int i = 0; i < 4; ++i) {
          tile_sums[i][k % chains] += quad.v[i] * factor;
        }
      } else {
        const Quad factors = x.quad(row(k));
        for (int i = 0; i < 4; ++i) {
          tile_sums[k / quads_a_lane][i] += quad.v[i] * factors.v[i];
        }
      }
    });
    for (int i = 0; i < count; ++i) {
      sums_[i] += (tile_sums[i][0] + tile_sums[i][1]) + (tile_sums[i][2] + tile_sums[i][3]);
    }
  }

  /// Passes the sums of this warp to `write(output, sum)`, each in one lane. Lanes add up in float64.
  template <class Write>
  DMA_HOST_DEVICE void take(const Write& write) {
    double sums[count];
    for (int i = 0; i < count; ++i) {
      sums[i] = sums_[i];
    }
    fold<count, 16>(sums, 0, write);
  }

 private:
  static constexpr int quads_a_lane = is_n ? 1 : quads_a_col / 32;  ///< of a column of A^T x
  static constexpr int count = is_n ? 4 : quads / quads_a_lane;
  static_assert((count & (count - 1)) == 0, "sgemv: a warp's sums are halved as lanes add them up: own 1, 2, 4 or 8");
  static constexpr int chains = quads >= 8 ? 2 : 1;  ///< of a sum of A x in a tile

  /// Lanes whose sums belong to different outputs from the start: those of a column of quads.
  static constexpr int lanes = is_n ? quads_a_col : 1;

  /// Adds up `sums_left` sums, from the `first` on, with the lane at `distance`. While there are several, each of the
  /// two lanes goes on with half of them.
  template <int sums_left, int distance, class Write>
  DMA_HOST_DEVICE void fold(double (&sums)[count], int first, const Write& write) const {
    if constexpr (distance < lanes || distance == 0) {
      for (int i = 0; i < sums_left; ++i) {
        write(is_n ? cta_.lane() % lanes * 4 + first + i : cta_.warp() + (first + i) * warps, sums[i]);
      }
    } else if constexpr (sums_left > 1) {
      const bool is_upper = (cta_.lane() & distance) != 0;
      for (int i = 0; i < sums_left / 2; ++i) {
        const double kept = is_upper ? sums[i + sums_left / 2] : sums[i];
        const double given = is_upper ? sums[i] : sums[i + sums_left / 2];
        sums[i] = kept + cta_.shuffle(given, cta_.lane() ^ distance);
      }
      fold<sums_left / 2, distance / 2>(sums, first + (is_upper ? sums_left / 2 : 0), write);
    } else {
      sums[0] += cta_.shuffle(sums[0], cta_.lane() ^ distance);
      const auto write_once = [&](int output, double sum) {
        if ((cta_.lane() & distance) == 0) {
          write(output, sum);
        }
      };
      fold<1, distance / 2>(sums, first, write_once);
    }
  }

  dma::Cta cta_;
  float sums_[count] = {};
};

/// This thread's quads of a tile of A, from global memory: all loads are in flight together. Zeros outside of A.
template <Access access, class Tile, class Sums>
DMA_HOST_DEVICE void load_quads(const Problem& p, const Tile& tile, const Sums& sums, Quad (&quads)[Sums::quads]) {
  for (int k = 0; k < Sums::quads; ++k) {
    const int row = tile.col + sums.row(k);
    const int col = tile.row + sums.col(k);
    const float* const from = p.a + col * p.lda + row;
    quads[k] = Quad{};
    if (access.alignment == 16) {
      if (row < p.m && col < p.n) {
        quads[k] = dma::load_global<dma::CacheHints{.load = dma::LoadCache::read_once}>(
            source_in_a<access>(reinterpret_cast<const Quad*>(from)));
      }
    } else {
      for (int i = 0; i < 4; ++i) {
        if (row + i < p.m && col < p.n) {
          quads[k].v[i] = from[i];
        }
      }
    }
  }
}

/// A tile's elements of x in shared memory, and in global memory, where there may be fewer of them.
struct SharedX {
  const float* x;
  [[nodiscard]] DMA_HOST_DEVICE float operator[](int i) const { return x[i]; }
  [[nodiscard]] DMA_HOST_DEVICE Quad quad(int i) const { return *reinterpret_cast<const Quad*>(x + i); }
};
template <Access access>
struct GlobalX {
  const Problem& p;
  int first;

  [[nodiscard]] DMA_HOST_DEVICE float operator[](int i) const {
    const long long at = first + i;
    return at < p.summed() ? p.first_of_x()[access.x_is_dense ? at : at * p.incx] : 0.0F;
  }
  [[nodiscard]] DMA_HOST_DEVICE Quad quad(int i) const {
    if (access.x_is_dense && access.alignment == 16) {
      return first + i < p.summed() ? *reinterpret_cast<const Quad*>(p.x + first + i) : Quad{};
    }
    return {(*this)[i], (*this)[i + 1], (*this)[i + 2], (*this)[i + 3]};
  }
};

DMA_HOST_DEVICE void write_y(const Problem& p, int output, double sum) {
  float& y = p.first_of_y()[static_cast<long long>(output) * p.incy];
  const double product = p.alpha * sum;
  y = static_cast<float>(p.beta == 0 ? product : product + static_cast<double>(p.beta) * y);
}

/// A CTA's block of y from the sums of its compute warps. Collective over the CTA.
///
/// Where several CTAs have parts of a block, the last of them adds up the partial sums. Their order is fixed, so that
/// the result is the same from run to run.
template <class Layout, class Sums>
DMA_HOST_DEVICE void finish(const dma::Cta& cta, const Problem& p, const Workspace& workspace, Sums& sums,
                            typename Sums::Shared& shared, dma::ArrivalCounter& arrival) {
  constexpr int outputs = Sums::outputs;
  const int block = cta.block().x;
  const int parts = cta.blocks().y;
  const bool is_alone = parts == 1 && Sums::slices == 1;
  const auto write = [&](int output, double sum) {
    if (block * outputs + output < p.outputs()) {
      write_y(p, block * outputs + output, sum);
    }
  };
  if (cta.warp() < Layout::compute_warps) {
    sums.take([&](int output, double sum) {
      if (is_alone) {
        write(output, sum);
      } else {
        shared[Sums::slices == 1 ? 0 : cta.warp()][output] = sum;
      }
    });
  }
  if (is_alone) {
    return;
  }
  cta.sync();
  const auto sum_of_slices = [&](int output) {
    double sum = 0;
    for (int slice = 0; slice < Sums::slices; ++slice) {
      sum += shared[slice][output];
    }
    return sum;
  };
  double* const partial = workspace.partial + static_cast<long long>(block) * parts * outputs;
  if (parts > 1) {
    for (int i = cta.thread(); i < outputs; i += Layout::threads) {
      partial[cta.block().y * outputs + i] = sum_of_slices(i);
    }
    if (!dma::is_last_cta(cta, workspace.arrivals[block], parts, arrival)) {
      return;
    }
  }
  for (int i = cta.thread(); i < outputs; i += Layout::threads) {
    double sum = 0;
    if (parts == 1) {
      sum = sum_of_slices(i);
    } else {
      for (int part = 0; part < parts; ++part) {
        sum += partial[part * outputs + i];
      }
    }
    write(i, sum);
  }
}

}  // namespace sgemv
