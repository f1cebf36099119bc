#pragma once

/// What a warpgroup of the backward pass does with the queries that pass its 64 keys.

#include "backward_parts.hpp"
#include "backward_plan.hpp"
#include "backward_problem.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/fragment.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/store_matrix.hpp>
#include <dma/matrix/sums.hpp>

namespace attention {

/// A warpgroup of a kernel. Its keys and their values stay in shared memory, and dV and dK in registers.
template <class Kernel>
class BackwardWarpgroup {
  using Element = typename Kernel::Element;
  using Problem = typename Kernel::Problem;
  static constexpr int head_size = Kernel::head_elements;
  static constexpr bool multiplies_at_meeting = Kernel::multiplies_at_meeting;

 public:
  DMA_HOST_DEVICE BackwardWarpgroup(typename Kernel::Keys& keys, typename Kernel::Queries& queries,
                                    typename Kernel::RowPairs& row_pairs, typename Kernel::Sums& sums, const Problem& p,
                                    const KeyPiece& piece)
      : kv_(keys.as_compute()),
        in_(queries.as_compute()),
        rows_(row_pairs.as_compute()),
        add_(sums.as_compute()),
        p_(p),
        piece_(piece),
        row_(64 * kv_.group()),
        scale_(scale_of(p.forward.scale, head_size)) {}

  /// The gradients of the keys and the values, from all steps. The changes of a step meet those of the other warpgroup
  /// in `met`, of even and odd steps.
  template <class ForEachStep, class Outputs>
  DMA_HOST_DEVICE void run(const ForEachStep& for_each_step, Element (&met)[2][Kernel::tile_keys * step_queries],
                           Outputs& outputs) {
    const auto out = outputs.as_compute();
    auto key = kv_.wait();
    auto value = kv_.wait();
    int turn = 0;
    for_each_step([&](int, int step) {
      take(key, value, step, met[turn]);
      turn = 1 - turn;
    });
    d_v_.complete();
    reads_.release(value);
    reads_.release(key);
    store_keys<Element>(d_v_, out, row_, 1);
    store_keys<Element>(d_k_, out, row_, scale_);
  }

 private:
  template <class Key>
  DMA_HOST_DEVICE void take(const Key& key, const Key& value, int step, Element* met) {
    auto query = in_.wait();
    // Of a step's products those need a wgmma.fence whose operands or sums in registers a thread has touched since the
    // one before. The call does not know.
    dma::multiply_add(powers_, dma::matrix_descriptor<dma::Major::k>(key, row_),
                      dma::matrix_descriptor<dma::Major::k>(query), false);
    reads_.commit(key, query);
    auto gradient = in_.wait();
    dma::multiply_add(changes_, dma::matrix_descriptor<dma::Major::k>(value, row_),
                      dma::matrix_descriptor<dma::Major::k>(gradient), false);
    reads_.commit(value, gradient);
    to_changes_of_scores(step, met);
    if constexpr (multiplies_at_meeting) {
      multiply_powers(gradient);
    }
    reads_.begin();
    kv_.sync();
    dma::multiply_add(d_q_, dma::matrix_descriptor<dma::Major::mn, typename Kernel::Changes>(met),
                      dma::matrix_descriptor<dma::Major::mn>(key, Kernel::columns * kv_.group()), false);
    reads_.commit(key);
    if constexpr (!multiplies_at_meeting) {
      multiply_powers(gradient);
    }
    dma::multiply_add(d_k_, change_, dma::matrix_descriptor<dma::Major::mn>(query));
    reads_.commit(query);
    // While the tensor cores multiply what is left, dQ is added.
    if constexpr (multiplies_at_meeting) {
      reads_.template wait<1>(d_q_);
      reads_.release(gradient);
      add_sums(d_q_, add_, kv_.group());
    } else {
      reads_.template wait<2>(d_q_);
      add_sums(d_q_, add_, kv_.group());
      reads_.template wait<1>();
      reads_.release(gradient);
    }
    reads_.template wait<0>(d_k_);
    reads_.release(query);
  }
  /// P and dS of a step, as operands; dS in shared memory too.
  DMA_HOST_DEVICE void to_changes_of_scores(int step, Element* met) {
    auto pairs = rows_.wait();
    reads_.template wait<1>(powers_);
    mask_queries(powers_, p_.forward, piece_.row + row_, step * step_queries);
    to_powers(powers_, scale_ * log_2_of_e, pairs);
    round_to(power_, powers_);
    reads_.template wait<0>(changes_);
    to_changes(changes_, powers_, pairs);
    // Its proxy fence is superfluous here: that of `reads_.begin()` follows, before the slot of the queries is
    // released, which the DMA warp awaits first. A slot does not know of the other pipeline.
    pairs.release();
    round_to(change_, changes_);
    store_rows(changes_, met, row_);
  }
  template <class Gradient>
  DMA_HOST_DEVICE void multiply_powers(const Gradient& gradient) {
    dma::multiply_add(d_v_, power_, dma::matrix_descriptor<dma::Major::mn>(gradient));
    reads_.commit(gradient);
  }

  const dma::ComputeHandle<typename Kernel::Keys> kv_;
  const dma::ComputeHandle<typename Kernel::Queries> in_;
  const dma::ComputeHandle<typename Kernel::RowPairs> rows_;
  const dma::ComputeHandle<typename Kernel::Sums> add_;
  const Problem& p_;
  const KeyPiece& piece_;
  const int row_;  ///< of its first key in the tile
  const float scale_;
  dma::AsyncReads reads_;
  dma::MatrixSums<64, step_queries> powers_;   ///< keys by queries: scores, then P
  dma::MatrixSums<64, step_queries> changes_;  ///< dP, then dS
  dma::MatrixSums<64, head_size> d_v_;
  dma::MatrixSums<64, head_size> d_k_;
  dma::MatrixSums<64, Kernel::columns> d_q_;
  dma::MatrixFragment<Element> power_[step_queries / 16];
  dma::MatrixFragment<Element> change_[step_queries / 16];
};

}  // namespace attention
