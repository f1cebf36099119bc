#pragma once

/// The two small kernels of the backward pass: before the large one, and behind it.

#include "backward_problem.hpp"
#include "softmax.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/sums.hpp>
#include <dma/unrolled.hpp>

namespace attention {

/// D of each row, and its logarithm to base 2: infinity, so that its powers are 0, for one that sees no key and for
/// those behind a head's last. The sums of dQ become 0. A lane has four elements.
template <class Element, int head_size>
struct PrepareRows {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 8};
  static constexpr int lanes = head_size / 4;  ///< of a row
  static constexpr int rows = Layout::threads / lanes;
  using Values = dma::Vector<Element, 4>;

  [[nodiscard]] static int ctas(const BackwardProblem<Element>& p) {
    return static_cast<int>(p.all_steps() * step_queries / rows);
  }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<PrepareRows>& cta, const BackwardProblem<Element>& p) const {
    const Problem<Element>& f = p.forward;
    const long long row = static_cast<long long>(cta.block().x) * rows + cta.thread() / lanes;
    const int lane = cta.thread() % lanes;
    const long long step = row / step_queries;
    const int head = static_cast<int>(step / p.steps_of_head());
    const int query = static_cast<int>(row - static_cast<long long>(head) * p.steps_of_head() * step_queries);
    float sum = 0;
    float logarithm = infinity();
    if (query < f.queries) {
      const auto values_of = [&](const auto& heads) {
        return *dma::vectors<4>(heads.first + head / f.heads * heads.batch + head % f.heads * heads.head +
                                query * heads.row + 4 * lane);
      };
      const Values o = values_of(f.o);
      const Values d_o = values_of(p.d_o);
      dma::unrolled<4>([&](auto i) { sum += static_cast<float>(o[i]) * static_cast<float>(d_o[i]); });
      const float natural = f.log_sums[static_cast<long long>(head) * f.queries + query];
      logarithm = natural == -infinity() ? infinity() : natural * log_2_of_e;
    }
    dma::unrolled<(lanes == 32 ? 5 : 4)>([&](auto i) { sum += cta.shuffle(sum, cta.lane() ^ 1 << i.value); });
    const int at = static_cast<int>(row % step_queries);
    if (lane == 0) {
      p.rows_of(step)[at] = logarithm;
      p.rows_of(step)[step_queries + at] = sum;
    }
    dma::vectors<4>(p.sums_of(step) + at * head_size)[lane] = {};
  }
};

/// dQ from its sums, which are in the order of the threads that had them (`add_sums`). Four of these had eight columns
/// of two rows, which a thread has here.
template <class Element, int head_size>
struct RoundQueries {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 4};
  static constexpr int of_step = step_queries * head_size / 16;
  using Sums = dma::MatrixSums<64, head_size / 2>;

  [[nodiscard]] static int ctas(const BackwardProblem<Element>& p) {
    return static_cast<int>(p.all_steps() * of_step / Layout::threads);
  }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<RoundQueries>& cta, const BackwardProblem<Element>& p) const {
    const long long all = static_cast<long long>(cta.block().x) * Layout::threads + cta.thread();
    const long long step = all / of_step;
    const int within = static_cast<int>(all % of_step);
    const int eight = within % (head_size / 8);  // columns; neighbouring threads have neighbouring ones
    const int thread = within / (head_size / 8) * 4;
    dma::Vector<float, 4> sums[4];
    dma::unrolled<4>([&](auto i) { sums[i] = dma::vectors<4>(p.sums_of(step))[eight * 128 + thread + i]; });
    const int head = static_cast<int>(step / p.steps_of_head());
    const int first = static_cast<int>(step % p.steps_of_head()) * step_queries;
    const float scale = scale_of(p.forward.scale, head_size);
    dma::unrolled<2>([&](auto r) {
      const int query = first + Sums::row_of(thread, 2 * r);
      dma::Vector<Element, 8> values;
      dma::unrolled<8>([&](auto i) { values[i] = static_cast<Element>(sums[i / 2][2 * r + i % 2] * scale); });
      if (query < p.forward.queries) {
        *dma::vectors<8>(p.d_q.first + head / p.forward.heads * p.d_q.batch + head % p.forward.heads * p.d_q.head +
                         query * p.d_q.row + 8 * eight) = values;
      }
    });
  }
};

}  // namespace attention
