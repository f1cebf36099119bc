#pragma once

/// Products with matrices whose rows are nearly equally long: the same number of lanes for each row, without a plan and
/// without shared memory, which leaves the whole first-level cache to x and B.

#include "csr.hpp"
#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// y = alpha A x + beta y, where the columns of a row are near one another: its lanes read nonzeros side by side, and
/// elements of x that share lines.
template <int Lanes>
struct SpmvOfRows {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 8};
  static constexpr int rows_a_cta = Layout::threads / Lanes;
  static constexpr int each = 8;  ///< elements of x that a lane has in flight

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SpmvOfRows>& cta, const Csr& a, const Vectors& vectors) const {
    const int row = cta.block().x * rows_a_cta + cta.thread() / Lanes;
    float sum = 0;
    if (row < a.rows) {
      const int end = a.offsets[row + 1];
      for (int i = a.offsets[row] + cta.lane() % Lanes; i < end; i += each * Lanes) {
        float factors[each];
        float values[each];
        dma::unrolled<each>([&](auto k) {
          factors[k] = i + k * Lanes < end ? read(vectors.x + read_once(a.columns + i + k * Lanes)) : 0;
        });
        dma::unrolled<each>([&](auto k) { values[k] = i + k * Lanes < end ? read_once(a.values + i + k * Lanes) : 0; });
        dma::unrolled<each>([&](auto k) { sum += values[k] * factors[k]; });
      }
    }
    sum = sum_of_lanes<Lanes, 1>(cta, sum);
    if (row < a.rows && cta.lane() % Lanes == 0) {
      vectors.write(row, sum);
    }
  }
};

/// The same where columns are anywhere. What limits it is how many lines the L2 looks up, one for each element of x:
/// a lane reads four nonzeros at once, which takes fewer lines of A at a time, and all columns are asked for before the
/// first element of x is.
template <int Lanes>
struct SpmvOfScatteredRows {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 6};
  static constexpr int rows_a_cta = Layout::threads / Lanes;
  static constexpr int each = 2;  ///< fours of nonzeros that a lane has in flight

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SpmvOfScatteredRows>& cta, const Csr& a,
                                  const Vectors& vectors) const {
    const int row = cta.block().x * rows_a_cta + cta.thread() / Lanes;
    float sum = 0;
    if (row < a.rows) {
      const int begin = a.offsets[row];
      const int end = a.offsets[row + 1];
      for (int i = begin / 4 * 4 + cta.lane() % Lanes * 4; i < end; i += each * 4 * Lanes) {
        dma::Vector<int> columns[each];
        dma::Vector<float> values[each];
        float factors[each * 4];
        const auto for_each_own = [&](const auto& body) {
          dma::unrolled<each * 4>([&](auto k) {
            const int at = i + k / 4 * 4 * Lanes + k % 4;
            if (at >= begin && at < end) {
              body(k);
            }
          });
        };
        dma::unrolled<each>([&](auto k) { columns[k] = four_from(a.columns, i + k * 4 * Lanes, end, a.nonzeros); });
        dma::unrolled<each>([&](auto k) { values[k] = four_from(a.values, i + k * 4 * Lanes, end, a.nonzeros); });
        for_each_own([&](auto k) { factors[k] = read(vectors.x + columns[k / 4][k % 4]); });
        for_each_own([&](auto k) { sum += values[k / 4][k % 4] * factors[k]; });
      }
    }
    sum = sum_of_lanes<Lanes, 1>(cta, sum);
    if (row < a.rows && cta.lane() % Lanes == 0) {
      vectors.write(row, sum);
    }
  }

 private:
  /// Elements `at` to `at` + 3, those of them that are before `end`; others are any. The last of the array may be
  /// fewer.
  template <class T>
  [[nodiscard]] DMA_HOST_DEVICE static dma::Vector<T> four_from(const T* array, int at, int end, int all) {
    dma::Vector<T> four{};
    if (at < end && at + 4 <= all) {
      four = read_once(dma::vectors(array + at));
    } else {
      dma::unrolled<4>([&](auto e) {
        if (at + e < end) {
          four[e] = read_once(array + at + e);
        }
      });
    }
    return four;
  }
};

/// C = alpha A B + beta C, `Cols` columns to a CTA, four of them to a lane.
template <int Cols>
struct SpmmOfRows {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 8};
  static constexpr int quads = Cols / 4;
  static constexpr int rows_a_cta = Layout::threads / quads;
  static constexpr int each = 4;  ///< rows of B that a lane has in flight

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SpmmOfRows>& cta, const Csr& a, const Panels& panels) const {
    const int row = cta.block().x * rows_a_cta + cta.thread() / quads;
    if (row >= a.rows) {
      return;
    }
    const int quad = cta.block().y * quads + cta.thread() % quads;
    const Quad* const b = dma::vectors(panels.b) + quad;
    const int ldb = panels.ldb / 4;
    const auto row_of_b = [&](int i) { return read(b + static_cast<long long>(read(a.columns + i)) * ldb); };
    Quad sum{};
    const int end = a.offsets[row + 1];
    int i = a.offsets[row];
    for (; i + each <= end; i += each) {
      Quad rows_of_b[each];
      float factors[each];
      dma::unrolled<each>([&](auto k) { rows_of_b[k] = row_of_b(i + k); });
      dma::unrolled<each>([&](auto k) { factors[k] = read(a.values + i + k); });
      dma::unrolled<each>([&](auto k) { sum += rows_of_b[k] * factors[k]; });
    }
    for (; i < end; ++i) {
      sum += row_of_b(i) * read(a.values + i);
    }
    panels.write(row, quad, sum);
  }
};

}  // namespace sparse
