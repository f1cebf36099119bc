#pragma once

/// What the warpgroup does with the keys and values of a segment, and with its sums.

#include "columns.hpp"
#include "plan.hpp"
#include "problem.hpp"

#include <dma/dma.hpp>
#include <dma/kernel/last_cta.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

namespace decode {

/// A part of a head's sums, in global memory: of each thread what it has in registers.
template <int head_size, int columns>
struct PartOf {
  static constexpr int vectors = head_size / 64 * columns / 8;  ///< of a thread's sums

  dma::Vector<float> sums[vectors][128];
  dma::Vector<float> stats[columns / 2];  ///< of two columns: `zero` of both, `sum` of both
};

/// For a plan's `slots`: counters are zero before the first launch, and again after each.
template <class Part>
struct Workspace {
  Part* parts;
  dma::ArrivalCounter* counters;
};

/// Operands, as the tensor cores read them, and what warps exchange.
template <class Element, int head_size, int columns, int block>
struct SharedOfWarpgroup {
  /// Queries: k is contiguous, eight elements.
  using TileOfQ = dma::Tile3D<Element, dma::TileShape{.cols = 8, .rows = columns, .planes = head_size / 8}>;
  /// Powers: eight queries are contiguous.
  using TileOfP = dma::Tile3D<Element, dma::TileShape{.cols = 8, .rows = block, .planes = columns / 8}>;

  alignas(128) dma::Vector<Element, 8> queries[head_size / 8][columns];
  alignas(128) dma::Vector<Element, 2> powers[columns / 8][block][4];
  float largest[4][columns];  ///< of each warp
  float sums[4][columns];
  dma::ArrivalCounter arrivals;
};

/// A warpgroup of a kernel, and the segments that it attends to.
template <class Kernel>
class Warpgroup {
  using Element = typename Kernel::Element;
  using Part = typename Kernel::Part;
  static constexpr int head_size = Kernel::form.head_size;
  static constexpr int columns = Kernel::form.columns;
  static constexpr int block = Kernel::form.block;
  static constexpr int score_tiles = block / 64;
  static constexpr int sum_tiles = head_size / 64;
  static constexpr int own = Columns<columns>::own;
  using Shared = SharedOfWarpgroup<Element, head_size, columns, block>;
  using Sums = dma::MatrixSums<64, columns>;

 public:
  DMA_HOST_DEVICE Warpgroup(const dma::KernelCta<Kernel>& cta, typename Kernel::Blocks& blocks, Shared& shared,
                            const Problem<Element>& p, const Workspace<Part>& workspace)
      : cta_(cta),
        blocks_(blocks.as_compute()),
        shared_(shared),
        p_(p),
        workspace_(workspace),
        scale_(attention::scale_of(p.scale, head_size) * attention::log_2_of_e),
        queries_(queries_of_group(p)),
        heads_(p.heads / p.kv_heads) {
    dma::unrolled<own>([&](auto i) { behind_[i] = p.queries - 1 - column(i) / heads_; });
  }

  /// Attends to all segments of the CTA.
  DMA_HOST_DEVICE void attend(const Segment* list, Segment segment) {
    while (true) {
      const Segment next = segment.is_last() ? segment : segment_at(list + segment.next);
      columns_ = {};
      dma::unrolled<sum_tiles>([&](auto m) { dma::unrolled<columns / 2>([&](auto i) { sums_[m].values[i] = 0; }); });
      if (segment.end > segment.first) {
        take_queries(segment);
        for (int key = segment.first; key < segment.end; key += block) {
          attend_to(segment.end - key, segment.keys - key);
        }
        add_up_powers();
      }
      if (segment.parts > 0) {
        finish(segment);
      }
      if (segment.is_last()) {
        break;
      }
      segment = next;
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE int column(int i) const { return Columns<columns>::column_of(blocks_.rank(), i); }

  /// The queries of the group into shared memory, and zeros behind them. Each thread has 16 bytes, or several.
  DMA_HOST_DEVICE void take_queries(const Segment& segment) {
    using Vector = dma::Vector<Element, 8>;
    constexpr int vectors = head_size / 8;
    for (int i = blocks_.rank(); i < vectors * columns; i += 128) {
      const int query = i / vectors;
      Vector vector{};
      if (query < queries_) {
        vector = dma::vectors(p_.q.first + place_of(p_.q, segment, query))[i % vectors];
      }
      shared_.queries[i % vectors][query] = vector;
    }
    reads_.begin();
    blocks_.sync();
  }
  /// Where the row of query `query` of a group begins.
  template <class Of>
  [[nodiscard]] DMA_HOST_DEVICE long long place_of(const Heads<Of>& heads, const Segment& segment, int query) const {
    const int row = query / heads_;
    return segment.batch * heads.batch + (segment.head * heads_ + query - row * heads_) * heads.head + row * heads.row;
  }

  /// Adds the values of a block, from whose first key on the segment has `own_keys`, and the sequence `keys`.
  DMA_HOST_DEVICE void attend_to(int own_keys, int keys) {
    multiply_keys();
    if (own_keys < block || keys < block + p_.queries - 1) {
      mask(own_keys, keys);
    }
    float shrinks[own];
    to_powers(shrinks);
    dma::unrolled<sum_tiles>([&](auto m) { multiply_columns(sums_[m], shrinks); });
    multiply_values();
  }
  DMA_HOST_DEVICE void multiply_keys() {
    auto keys = blocks_.wait();
    const auto queries = dma::matrix_descriptor<dma::Major::k, typename Shared::TileOfQ>(shared_.queries);
    dma::unrolled<score_tiles>([&](auto m) {
      dma::multiply_add(scores_[m], dma::matrix_descriptor<dma::Major::k>(keys, 64 * m), queries, false);
    });
    reads_.commit(keys);
    reads_.template wait<0>();
    dma::unrolled<score_tiles>([&](auto m) { scores_[m].complete(); });
    reads_.release(keys);
  }
  DMA_HOST_DEVICE void multiply_values() {
    auto values = blocks_.wait();
    const auto powers = dma::matrix_descriptor<dma::Major::mn, typename Shared::TileOfP>(shared_.powers);
    dma::unrolled<sum_tiles>(
        [&](auto m) { dma::multiply_add(sums_[m], dma::matrix_descriptor<dma::Major::mn>(values, 64 * m), powers); });
    reads_.commit(values);
    reads_.template wait<0>();
    dma::unrolled<sum_tiles>([&](auto m) { sums_[m].complete(); });
    reads_.release(values);
  }

  /// Scores of keys that a query does not see become minus infinity.
  DMA_HOST_DEVICE void mask(int own_keys, int keys) {
    dma::unrolled<score_tiles>([&](auto m) {
      dma::unrolled<columns / 2>([&](auto i) {
        const int row = 64 * m + Sums::row_of(blocks_.rank(), i);
        float& score = scores_[m].values[i];
        score = row < own_keys && row < keys - behind_[i / 4 * 2 + i % 2] ? score : -attention::infinity();
      });
    });
  }
  /// Scores become powers, relative to the largest score that their column had so far: its power is 1. Writes them to
  /// shared memory. Sums of earlier blocks are to be multiplied by `shrinks`.
  DMA_HOST_DEVICE void to_powers(float (&shrinks)[own]) {
    float largest[own];
    find_largest(largest);
    dma::unrolled<own>([&](auto i) {
      const float zero = fmaxf(columns_.zero[i], largest[i] * scale_);
      shrinks[i] = attention::power_of_2(columns_.zero[i] - zero);
      columns_.zero[i] = zero;
      columns_.sum[i] *= shrinks[i];
    });
    dma::unrolled<score_tiles>([&](auto m) {
      dma::unrolled<columns / 4>([&](auto pair) {  // in a row
        constexpr int first = pair.value / 2 * 2;  // of own columns
        float powers[2];
        dma::unrolled<2>([&](auto c) {
          powers[c] = attention::power_of_2(scores_[m].values[2 * pair + c] * scale_ - columns_.zero[first + c]);
          columns_.sum[first + c] += powers[c];
        });
        const int row = 64 * m + Sums::row_of(blocks_.rank(), 2 * pair);
        shared_.powers[pair / 2][row][blocks_.rank() % 4] = {static_cast<Element>(powers[0]),
                                                             static_cast<Element>(powers[1])};
      });
    });
    reads_.begin();
    blocks_.sync();
  }
  /// The largest score of each own column, of all warps.
  DMA_HOST_DEVICE void find_largest(float (&largest)[own]) {
    dma::unrolled<own>([&](auto i) {
      largest[i] = -attention::infinity();
      dma::unrolled<score_tiles>([&](auto m) {
        dma::unrolled<2>([&](auto r) { largest[i] = fmaxf(largest[i], scores_[m].values[i / 2 * 4 + 2 * r + i % 2]); });
      });
    });
    exchange(largest, shared_.largest, [](float a, float b) { return fmaxf(a, b); });
  }
  /// The sum of each own column's powers, of all warps.
  DMA_HOST_DEVICE void add_up_powers() {
    exchange(columns_.sum, shared_.sums, [](float a, float b) { return a + b; });
  }
  /// Combines values of own columns over the lanes and the warps that have them.
  template <class Combine>
  DMA_HOST_DEVICE void exchange(float (&values)[own], float (&of_warps)[4][columns], const Combine& combine) {
    across_warp(cta_, values, combine);
    if (cta_.lane() < 4) {
      dma::unrolled<own>([&](auto i) { of_warps[blocks_.rank() / 32][column(i)] = values[i]; });
    }
    blocks_.sync();
    dma::unrolled<own>([&](auto i) {
      values[i] = of_warps[0][column(i)];
      dma::unrolled<3>([&](auto warp) { values[i] = combine(values[i], of_warps[warp + 1][column(i)]); });
    });
  }

  /// Writes the results of a head, or a part of them; of the last part to be written all together.
  DMA_HOST_DEVICE void finish(const Segment& segment) {
    if (segment.parts > 1) {
      write_part(workspace_.parts[segment.slot_of(segment.part)]);
      if (!dma::is_last_cta(blocks_, workspace_.counters[segment.slot], segment.parts, shared_.arrivals)) {
        return;
      }
      combine(segment);
    }
    write(segment);
  }
  DMA_HOST_DEVICE void write_part(Part& part) const {
    dma::unrolled<sum_tiles>([&](auto m) {
      dma::unrolled<columns / 8>([&](auto j) {
        const float* const four = sums_[m].values + 4 * j;
        part.sums[m * (columns / 8) + j][blocks_.rank()] = {four[0], four[1], four[2], four[3]};
      });
    });
    if (blocks_.rank() < 4) {
      dma::unrolled<columns / 8>([&](auto j) {
        part.stats[4 * j + blocks_.rank()] = {columns_.zero[2 * j], columns_.zero[2 * j + 1], columns_.sum[2 * j],
                                              columns_.sum[2 * j + 1]};
      });
    }
  }
  /// The sums of all parts of a head, in their order. The loads of several parts are in flight together.
  DMA_HOST_DEVICE void combine(const Segment& segment) {
    constexpr int together = 64 / columns;
    const int count = segment.parts;
    columns_ = {};
    dma::unrolled<sum_tiles>([&](auto m) { dma::unrolled<columns / 2>([&](auto i) { sums_[m].values[i] = 0; }); });
    for (int first = 0; first < count; first += together) {
      dma::Vector<float> stats[together][columns / 8];
      dma::Vector<float> sums[together][Part::vectors];
      dma::unrolled<together>([&](auto i) {
        const Part& part = workspace_.parts[segment.slot_of(first + i < count ? first + i : first)];
        dma::unrolled<columns / 8>([&](auto j) { stats[i][j] = part.stats[4 * j + blocks_.rank() % 4]; });
        dma::unrolled<Part::vectors>([&](auto v) { sums[i][v] = part.sums[v][blocks_.rank()]; });
      });
      dma::unrolled<together>([&](auto i) {
        if (first + i < count) {
          add_part(stats[i], sums[i]);
        }
      });
    }
  }
  DMA_HOST_DEVICE void add_part(const dma::Vector<float> (&stats)[columns / 8],
                                const dma::Vector<float> (&sums)[Part::vectors]) {
    float shrinks[own];
    float grows[own];
    dma::unrolled<own>([&](auto i) {
      const float of_part = stats[i / 2][i % 2];
      const float zero = fmaxf(columns_.zero[i], of_part);
      shrinks[i] = attention::power_of_2(columns_.zero[i] - zero);
      grows[i] = attention::power_of_2(of_part - zero);
      columns_.zero[i] = zero;
      columns_.sum[i] = columns_.sum[i] * shrinks[i] + stats[i / 2][2 + i % 2] * grows[i];
    });
    dma::unrolled<sum_tiles>([&](auto m) {
      dma::unrolled<columns / 2>([&](auto i) {
        constexpr int of = i.value / 4 * 2 + i.value % 2;
        float& sum = sums_[m].values[i];
        sum = sum * shrinks[of] + sums[m * (columns / 8) + i / 4][i % 4] * grows[of];
      });
    });
  }
  DMA_HOST_DEVICE void write(const Segment& segment) const {
    dma::unrolled<own>([&](auto i) {
      if (column(i) < queries_) {
        Element* const row = p_.o.first + place_of(p_.o, segment, column(i));
        const float factor = columns_.factor_of(i);
        constexpr int first = i.value / 2 * 4 + i.value % 2;  // of a thread's sums
        dma::unrolled<sum_tiles>([&](auto m) {
          dma::unrolled<2>([&](auto r) {
            row[64 * m + Sums::row_of(blocks_.rank(), first + 2 * r)] =
                static_cast<Element>(sums_[m].values[first + 2 * r] * factor);
          });
        });
        if (p_.log_sums != nullptr && blocks_.rank() < 4) {
          const int query = column(i) / heads_;
          const int head = segment.head * heads_ + column(i) - query * heads_;
          p_.log_sums[(static_cast<long long>(segment.batch) * p_.heads + head) * p_.queries + query] =
              columns_.log_sum(i);
        }
      }
    });
  }

  const dma::KernelCta<Kernel>& cta_;
  const dma::ComputeHandle<typename Kernel::Blocks> blocks_;
  Shared& shared_;
  const Problem<Element>& p_;
  const Workspace<Part>& workspace_;
  dma::AsyncReads reads_;
  const float scale_;
  const int queries_;  ///< of a group
  const int heads_;    ///< of a group
  int behind_[own];    ///< the last keys, which the query of an own column does not see
  Sums scores_[score_tiles];
  Sums sums_[sum_tiles];
  Columns<columns> columns_;
};

}  // namespace decode
