#pragma once

/// What a warpgroup does with the slots.

#include "../parts.hpp"
#include "../plan.hpp"
#include "problem.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

namespace linear::fp8 {

/// A warpgroup of a kernel, and the pieces that it sums.
template <class Kernel>
class Warpgroup {
  static constexpr auto form = Kernel::form;
  static constexpr int columns = form.columns;
  static constexpr int of_lane = (columns + 31) / 32;  ///< rows of X whose scales a lane loads
  /// Units that scales are loaded ahead, as many as there are registers for: where those of X are side by side, each
  /// unit's come from memory.
  static constexpr int ahead = columns <= 16 ? 8 : columns <= 48 ? 4 : 1;
  using Sums = dma::MatrixSums<64, columns>;
  using Vector = dma::Vector<float>;

  /// The scales of this warpgroup's block of a unit.
  struct Scales {
    float w;
    float x[of_lane];  ///< of rows `lane`, `lane` + 32
  };

 public:
  DMA_HOST_DEVICE Warpgroup(const dma::Cta& cta, typename Kernel::Weights& weights, typename Kernel::Inputs& inputs,
                            const Problem& p)
      : cta_(cta),
        weights_(weights.as_compute()),
        inputs_(inputs.as_compute()),
        p_(p),
        row_group_(weights_.group() % form.row_groups),
        k_group_(weights_.group() / form.row_groups) {}

  /// Sums the units of a piece, and writes the tile or leaves a part of it.
  DMA_HOST_DEVICE void take(const Plan::Piece& piece, typename Kernel::PartsOfTiles& parts) {
    dma::unrolled<columns / 2>([&](auto i) { sums_.values[i] = 0; });
    Scales scales[ahead];
    dma::unrolled<ahead>([&](auto i) { scales[i] = scales_of(piece.tile, piece.first + i); });
    for (int first = piece.first; first < piece.last; first += ahead) {
      dma::unrolled<ahead>([&](auto i) {
        if (first + i < piece.last) {
          add_unit(scales[i], [&] { scales[i] = scales_of(piece.tile, first + i + ahead); });
        }
      });
    }
    parts.add(weights_, piece, sums_.values, [&](int row_group, int thread, int j, const Vector& four) {
      const int first = piece.tile * Kernel::tile_rows + 64 * row_group;
      dma::unrolled<4>([&](auto e) {
        const int row = first + Sums::row_of(thread, e);
        const int column = 8 * j + Sums::column_of(thread, e);
        if (column < p_.m && row < p_.n) {
          p_.y[column * p_.ldy + row] = static_cast<BFloat16>(four[e]);
        }
      });
    });
  }

 private:
  /// Loads scales; those behind the last row or the last block are zero.
  [[nodiscard]] DMA_HOST_DEVICE Scales scales_of(int tile, int at) const {
    const int of_k = at * Kernel::k_groups + k_group_;
    const int of_n = (tile * Kernel::tile_rows + 64 * row_group_) / block;
    Scales scales{};
    if (of_k < blocks_of(p_.k)) {
      scales.w = p_.w_scales[static_cast<long long>(of_n) * blocks_of(p_.k) + of_k];
      dma::unrolled<of_lane>([&](auto i) {
        const int row = cta_.lane() + 32 * i;
        if (row < p_.m) {
          scales.x[i] = p_.x_scales[row * p_.x_scales_row + of_k * p_.x_scales_block];
        }
      });
    }
    return scales;
  }

  /// Adds the scaled products of the next slots. What a warpgroup does is one after another: others scale products
  /// while the tensor cores multiply its own.
  ///
  /// @param load_next  scales, of a later unit, which take the place of these: a copy of loaded scales would wait for
  ///                   them where it is made
  template <class LoadNext>
  DMA_HOST_DEVICE void add_unit(const Scales& scales, const LoadNext& load_next) {
    auto weights = weights_.wait();
    auto inputs = inputs_.wait();
    dma::multiply_add(
        products_,
        dma::matrix_descriptor<dma::Major::k, typename Kernel::BlocksOfW::Box>(own_block(weights), 64 * row_group_),
        dma::matrix_descriptor<dma::Major::k, typename Kernel::BlocksOfX::Box>(own_block(inputs)), false);
    reads_.commit(weights, inputs);
    float factors[columns / 4];  // of two columns of each eight
    dma::unrolled<columns / 4>([&](auto i) {
      const int column = 8 * (i / 2) + Sums::column_of(cta_.lane(), i % 2);
      factors[i] = cta_.shuffle(scales.x[i / 8] * scales.w, column);
    });
    load_next();
    reads_.template wait<0>(products_);
    reads_.release(weights);
    reads_.release(inputs);
    dma::unrolled<columns / 2>([&](auto i) { sums_.values[i] += products_.values[i] * factors[i / 4 * 2 + i % 2]; });
  }
  /// Where this warpgroup's block of a slot is.
  template <class Slot>
  [[nodiscard]] DMA_HOST_DEVICE const unsigned char* own_block(const Slot& slot) const {
    return static_cast<const unsigned char*>(slot.address()) +
           k_group_ * Slot::Pattern::template part_shared_bytes<1>();
  }

  const dma::Cta& cta_;
  const dma::ComputeHandle<typename Kernel::Weights> weights_;
  const dma::ComputeHandle<typename Kernel::Inputs> inputs_;
  const Problem& p_;
  const int row_group_;
  const int k_group_;
  dma::AsyncReads reads_;
  Sums products_;
  Sums sums_;
};

}  // namespace linear::fp8
