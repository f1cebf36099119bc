#pragma once

/// What a warpgroup does with the slots.

#include "numbers.hpp"
#include "packing.hpp"
#include "parts.hpp"
#include "plan.hpp"
#include "problem.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

namespace linear {

/// A warpgroup of a kernel, and the pieces that it sums.
template <class Kernel>
class Warpgroup {
  using Element = typename Kernel::Element;
  using Of = typename Kernel::Of;
  static constexpr auto form = Kernel::form;
  static constexpr int columns = form.columns;
  using Base = OnBase<Element, form.bits>;
  static constexpr int steps = form.group / 16;                 ///< of a group, of 16 k each
  static constexpr int vectors = form.group * form.bits / 256;  ///< of a thread's numbers of a group
  /// Whether a slot is given back as soon as it is read, for which the warps wait. Later the tensor cores work then.
  static constexpr bool has_few_slots = form.slots < 4;
  using Sums = dma::MatrixSums<64, columns>;
  using Vector = dma::Vector<float>;
  using Word = dma::stdlib::uint32_t;
  using Inputs = typename Kernel::PartOfX;

  /// What a thread has of a group of numbers: 64 or 128 k of its two rows.
  struct Numbers {
    dma::Vector<Element, 8> packed[vectors];
    Element scales[2];
    Word zeros[2];  ///< two of each
  };

 public:
  DMA_HOST_DEVICE Warpgroup(typename Kernel::Weights& weights, typename Kernel::Inputs& inputs,
                            const Problem<Element>& p)
      : weights_(weights.as_compute()),
        inputs_(inputs.as_compute()),
        p_(p),
        row_group_(weights_.group() % form.row_groups),
        k_group_(weights_.group() / form.row_groups),
        block_((row_group_ * Kernel::k_groups + k_group_) * Of::elements) {}

  /// Sums the units of a piece, and writes the tile or leaves a part of it.
  DMA_HOST_DEVICE void take(const Plan::Piece& piece, typename Kernel::PartsOfTiles& parts) {
    dma::unrolled<columns / 2>([&](auto i) { sums_.values[i] = 0; });
    for (int at = piece.first; at < piece.last; ++at) {
      add_unit();
    }
    parts.add(weights_, piece, sums_.values, [&](int row_group, int thread, int j, const Vector& four) {
      const int first = piece.tile * Kernel::tile_rows + Of::rows * row_group;
      dma::unrolled<4>([&](auto e) {
        const int row = first + Sums::row_of(thread, e);
        const int column = 8 * j + Sums::column_of(thread, e);
        if (column < p_.m && row < p_.n) {
          p_.y[column * p_.ldy + row] = static_cast<Element>(four[e]);
        }
      });
    });
  }

 private:
  /// Adds the products of the next slots. What a warpgroup does is one after another: others unpack numbers while the
  /// tensor cores multiply its own.
  DMA_HOST_DEVICE void add_unit() {
    auto weights = weights_.wait();
    Numbers numbers[Of::groups];
    read(numbers, weights);
    if constexpr (has_few_slots) {
      weights.release();
    }
    auto slot = inputs_.wait();
    // A tile of its own, so that what follows is constant.
    const void* const inputs = static_cast<const unsigned char*>(slot.address()) + k_group_ * Inputs::tile_bytes;
    dma::unrolled<Of::groups>([&](auto g) {
      Word words[steps][form.bits / 4];
      memcpy(words, numbers[g].packed, sizeof words);
      dma::unrolled<steps>([&](auto i) { unpack<form.bits>(operands_[i], words[i], numbers[g].zeros); });
      dma::multiply_add(products_, operands_, dma::matrix_descriptor<dma::Major::k, Inputs>(inputs, 0, form.group * g),
                        false);
      reads_.commit(slot);
      if constexpr (!has_few_slots && g + 1 == Of::groups) {
        weights.release();
      }
      reads_.template wait<0>(products_);
      const auto scale_of = [&](int row) { return static_cast<float>(numbers[g].scales[row]) / Base::unit; };
      dma::unrolled<columns / 2>([&](auto i) { sums_.values[i] += products_.values[i] * scale_of(i / 2 % 2); });
    });
    reads_.release(slot);
  }

  /// Reads this thread's part of a slot of weights.
  template <class Slot>
  DMA_HOST_DEVICE void read(Numbers (&numbers)[Of::groups], const Slot& slot) const {
    const auto of_slot = slot.vectors();
    const int thread = Sums::thread();
    dma::unrolled<Of::groups>([&](auto g) {
      dma::unrolled<vectors>(
          [&](auto i) { numbers[g].packed[i] = of_slot[block_ / 8 + 128 * (vectors * g + i) + thread]; });
      dma::unrolled<2>([&](auto r) {
        const int row = Sums::row_of(thread, 2 * r);
        numbers[g].scales[r] = slot[block_ + Of::scale_at(row, g)];
        if constexpr (form.has_zeros) {
          numbers[g].zeros[r] = twice(slot[block_ + Of::zero_at(row, g)]);
        } else {
          numbers[g].zeros[r] = Base::middle;
        }
      });
    });
  }

  const dma::ComputeHandle<typename Kernel::Weights> weights_;
  const dma::ComputeHandle<typename Kernel::Inputs> inputs_;
  const Problem<Element>& p_;
  const int row_group_;
  const int k_group_;
  const int block_;  ///< element of a slot with which this warpgroup's block begins
  dma::AsyncReads reads_;
  dma::MatrixFragment<Element> operands_[steps];
  Sums products_;
  Sums sums_;
};

}  // namespace linear
