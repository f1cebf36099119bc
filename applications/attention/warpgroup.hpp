#pragma once

/// What a warpgroup does with the keys and values of its 64 queries.

#include "plan.hpp"
#include "problem.hpp"
#include "results.hpp"
#include "softmax.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/compute_first.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/fragment.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

namespace attention {

/// A warpgroup of a kernel. While the tensor cores multiply a step's values by its powers, the scores of the next step
/// become powers.
template <class Kernel>
class Warpgroup {
  using Element = typename Kernel::Element;
  using Problem = typename Kernel::Problem;
  using Plan = typename Kernel::Plan;
  using Step = typename Kernel::Step;
  static constexpr int block = Kernel::block;
  static constexpr int head_size = Kernel::columns;

 public:
  DMA_HOST_DEVICE Warpgroup(const dma::KernelCta<Kernel>& cta, typename Kernel::Queries& queries,
                            typename Kernel::Blocks& blocks, typename Kernel::Outputs& outputs,
                            typename Kernel::Turns& turns, const Problem& p, const Plan& plan, const Step& first)
      : q_(queries.as_compute()),
        kv_(blocks.as_compute()),
        o_(outputs.as_compute()),
        turns_(turns),
        p_(p),
        plan_(plan),
        softmax_(cta, scale_of(p.scale, head_size)),
        row_(64 * q_.group()),
        step_(first),
        behind_(piece_behind(plan, first)) {}

  /// Attends to all keys of all tiles of the CTA.
  DMA_HOST_DEVICE void attend() {
    auto query = q_.wait();
    begin(query);
    while (true) {
      for (const int end = blocks_without_mask<block>(p_, step_.piece, row_); step_.at + 1 < end;) {
        Step next = step_;
        ++next.at;
        attend_to<true>(query, next);
      }
      const Step next = step_after(plan_, step_, [&] { return behind_; });
      if (next.begins_tile()) {
        reads_.release(query);
        if (!next.is_planned()) {
          break;
        }
        query = q_.wait();
      }
      attend_to<false>(query, next);
    }
    auto value = kv_.wait();
    multiply_values(value);
    reads_.template wait<0>(sums_);
    reads_.release(value);
    store(sums_, softmax_, rows_, o_, p_, step_.piece, row_);
  }

 private:
  /// The powers of the first step.
  template <class Query>
  DMA_HOST_DEVICE void begin(const Query& query) {
    auto key = kv_.wait();
    multiply_keys(query, key);
    reads_.template wait<0>(scores_);
    reads_.release(key);
    to_powers<false>(step_);
    round_powers();
  }
  /// Adds the values of the step whose powers are in registers, and makes powers of the next one's scores. A plain next
  /// step is of the same tile, and its keys are seen: code for others is kept out of the loop over these.
  template <bool is_plain, class Query>
  DMA_HOST_DEVICE void attend_to(Query& query, const Step& next) {
    const bool begins_tile = !is_plain && next.begins_tile();
    auto turn = turns_.take();
    auto key = kv_.wait();
    multiply_keys(query, key);
    auto value = kv_.wait();
    multiply_values(value);
    // The synchronization of the warp here, and in each release below, orders nothing: the products have kept its lanes
    // together. `Turns` and `CudaBarrier` do not know that.
    turn.pass();
    if (begins_tile) {
      behind_ = piece_behind(plan_, next);
    }
    reads_.template wait<1>(scores_);
    reads_.release(key);
    const Rows before = rows_;
    if (begins_tile) {
      rows_ = {};
    }
    shrink_ = to_powers<is_plain>(next);
    dma::compute_first(rows_.sum[0] + rows_.sum[1]);
    reads_.template wait<0>(sums_);
    reads_.release(value);
    if (begins_tile) {
      store(sums_, softmax_, before, o_, p_, step_.piece, row_);
      shrink_ = false;
    }
    round_powers();
    step_ = next;
  }

  template <class Query, class Key>
  DMA_HOST_DEVICE void multiply_keys(const Query& query, const Key& key) {
    dma::multiply_add(scores_, dma::matrix_descriptor<dma::Major::k>(query, row_),
                      dma::matrix_descriptor<dma::Major::k>(key), false);
    reads_.commit(query, key);
  }
  template <class Value>
  DMA_HOST_DEVICE void multiply_values(const Value& value) {
    if (shrink_) {  // while the tensor cores multiply the keys of the next step
      softmax_.multiply(sums_, shrinks_);
    }
    // Its wgmma.fence is for sums that have shrunk; else that of the keys' products covers what is before.
    dma::multiply_add(sums_, powers_, dma::matrix_descriptor<dma::Major::mn>(value), !step_.begins_tile());
    reads_.commit(value);
  }
  /// Whether the sums are to shrink, by `shrinks_`.
  template <bool is_plain>
  DMA_HOST_DEVICE bool to_powers(const Step& of) {
    if constexpr (!is_plain) {
      if (mask(scores_, p_, of, row_)) {
        return softmax_.template add<block / 2>(rows_, scores_, shrinks_);
      }
    }
    return softmax_.add(rows_, scores_, shrinks_);
  }
  DMA_HOST_DEVICE void round_powers() {
    dma::unrolled<block / 16>([&](auto i) { powers_[i] = dma::matrix_fragment<Element>(scores_, i); });
  }

  const dma::ComputeHandle<typename Kernel::Queries> q_;
  const dma::ComputeHandle<typename Kernel::Blocks> kv_;
  const dma::ComputeHandle<typename Kernel::Outputs> o_;
  typename Kernel::Turns& turns_;
  const Problem& p_;
  const Plan& plan_;
  dma::AsyncReads reads_;
  const Softmax<dma::KernelCta<Kernel>> softmax_;
  const int row_;  ///< of its first query in the tile
  dma::MatrixSums<64, block> scores_;
  dma::MatrixSums<64, head_size> sums_;
  dma::MatrixFragment<Element> powers_[block / 16];
  Rows rows_;
  Step step_;            ///< whose powers are in registers
  bool shrink_ = false;  ///< the sums, by `shrinks_`, before this step's values are added
  float shrinks_[2];
  decltype(Step::piece) behind_;  ///< the piece of the next tile
};

}  // namespace attention
