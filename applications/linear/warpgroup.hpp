#pragma once

/// What a warpgroup does with the slots, and with its sums.

#include "numbers.hpp"
#include "packing.hpp"
#include "plan.hpp"
#include "problem.hpp"

#include <dma/dma.hpp>
#include <dma/kernel/last_cta.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

namespace linear {

/// In global memory: the sums of two parts for each CTA, and a counter for each tile, zero before and after a launch.
struct Workspace {
  dma::Vector<float>* sums;
  dma::ArrivalCounter* arrivals;
};

/// What warpgroups of the same rows exchange: for each four sums of a thread those of all groups but one.
template <int vectors, int row_groups>
struct SharedOfGroups {
  dma::Vector<float> sums[4 / row_groups - 1][row_groups][vectors][128];
  dma::ArrivalCounter arrivals;
};

/// A warpgroup of a kernel, and the pieces that it sums.
template <class Kernel>
class Warpgroup {
  using Element = typename Kernel::Element;
  using Of = typename Kernel::Of;
  static constexpr auto form = Kernel::form;
  static constexpr int columns = form.columns;
  static constexpr int k_groups = Kernel::k_groups;
  static constexpr int words = form.group / 16;                    ///< of a thread's numbers of a group
  static constexpr int vectors = Kernel::vectors;                  ///< four sums each, of a thread's sums
  static constexpr int own = (vectors + k_groups - 1) / k_groups;  ///< of these, which a warpgroup adds up and writes
  using Sums = dma::MatrixSums<64, columns>;
  using Vector = dma::Vector<float>;
  using Shared = SharedOfGroups<vectors, form.row_groups>;
  using Word = dma::stdlib::uint32_t;
  using Inputs = typename Kernel::PartOfX;

  /// What a thread has of a group of numbers: 64 or 128 k of its two rows.
  struct Numbers {
    dma::Vector<Element, 8> vectors[form.group / 64];
    Element scales[2];
    Word zeros[2];  ///< two of each
  };

 public:
  DMA_HOST_DEVICE Warpgroup(typename Kernel::Weights& weights, typename Kernel::Inputs& inputs, Shared& shared,
                            const Problem<Element>& p, const Plan& plan, const Workspace& workspace)
      : weights_(weights.as_compute()),
        inputs_(inputs.as_compute()),
        shared_(shared),
        p_(p),
        plan_(plan),
        workspace_(workspace),
        row_group_(weights_.group() % form.row_groups),
        k_group_(weights_.group() / form.row_groups) {}

  /// Sums the units of a piece, and writes the tile or leaves a part of it.
  DMA_HOST_DEVICE void take(const Plan::Piece& piece, int cta) {
    dma::unrolled<columns / 2>([&](auto i) { sums_.values[i] = 0; });
    for (int at = piece.first; at < piece.last; ++at) {
      add_unit();
    }
    add_groups();
    if (plan_.is_whole(piece) || add_parts(piece, cta)) {
      write(piece.tile);
    }
  }

 private:
  /// Adds the products of the next slots. What a warpgroup does is one after another: others unpack numbers while the
  /// tensor cores multiply its own.
  DMA_HOST_DEVICE void add_unit() {
    Numbers numbers[Of::groups];
    read(numbers);
    auto slot = inputs_.wait();
    // A tile of its own, so that what follows is constant.
    const void* const inputs = static_cast<const unsigned char*>(slot.address()) + k_group_ * Inputs::tile_bytes;
    dma::unrolled<Of::groups>([&](auto g) {
      Word packed[words];
      memcpy(packed, numbers[g].vectors, sizeof packed);
      dma::unrolled<words>([&](auto i) { unpack(operands_[i], packed[i], numbers[g].zeros); });
      dma::multiply_add(products_, operands_, dma::matrix_descriptor<dma::Major::k, Inputs>(inputs, 0, form.group * g),
                        false);
      reads_.commit(slot);
      reads_.template wait<0>(products_);
      dma::unrolled<columns / 2>(
          [&](auto i) { sums_.values[i] += products_.values[i] * static_cast<float>(numbers[g].scales[i / 2 % 2]); });
    });
    reads_.release(slot);
  }

  /// Reads this thread's part of the next slot of weights.
  DMA_HOST_DEVICE void read(Numbers (&numbers)[Of::groups]) const {
    const auto slot = weights_.wait();
    const auto of_slot = slot.vectors();
    const int thread = Sums::thread();
    dma::unrolled<Of::groups>([&](auto g) {
      constexpr int parts = form.group / 64;
      dma::unrolled<parts>([&](auto i) {
        const int element = 8 * (128 * (parts * g + i) + thread);
        numbers[g].vectors[i] = of_slot(row_group_, line_of(element), element % Of::line);
      });
      dma::unrolled<2>([&](auto r) {
        const int row = Sums::row_of(thread, 2 * r);
        numbers[g].scales[r] = slot(row_group_, line_of(Of::scale_at(0, g)), row);
        if constexpr (form.has_zeros) {
          numbers[g].zeros[r] = twice(slot(row_group_, line_of(Of::zero_at(0, g)), row));
        } else {
          numbers[g].zeros[r] = OnBase<Element>::bits | 0x00080008U;
        }
      });
    });
  }
  /// The line of the slot's tile that has an element of this warpgroup's block.
  [[nodiscard]] DMA_HOST_DEVICE int line_of(int element) const { return k_group_ * Of::lines + element / Of::line; }

  /// Adds up the sums of the warpgroups of the same rows, each of which then has its own vectors.
  DMA_HOST_DEVICE void add_groups() {
    dma::unrolled<vectors>([&](auto j) {
      constexpr int owner = j / own;
      const float* const at = sums_.values + 4 * j;
      const Vector four{at[0], at[1], at[2], at[3]};
      if (k_group_ == owner) {
        own_[j % own] = four;
      } else {
        shared_.sums[(k_group_ - owner + k_groups) % k_groups - 1][row_group_][j][Sums::thread()] = four;
      }
    });
    weights_.sync();
    for_each_own([&](auto i, int j) {
      dma::unrolled<k_groups - 1>(
          [&](auto other) { add(own_[i], shared_.sums[other][row_group_][j][Sums::thread()]); });
    });
    weights_.sync();
  }
  /// Calls `body(i, j)` for each vector that this warpgroup has, which is the thread's j-th.
  template <class Body>
  DMA_HOST_DEVICE void for_each_own(const Body& body) const {
    dma::unrolled<own>([&](auto i) {
      const int j = k_group_ * own + i;
      if (vectors == own * k_groups || j < vectors) {
        body(i, j);
      }
    });
  }
  DMA_HOST_DEVICE static void add(Vector& sums, const Vector& others) {
    dma::unrolled<4>([&](auto i) { sums[i] += others[i]; });
  }

  /// Leaves the sums of a piece. In the last CTA of its tile it returns true, and the sums are then those of the tile.
  DMA_HOST_DEVICE bool add_parts(const Plan::Piece& piece, int cta) {
    const int parts = plan_.parts_of(piece.tile);
    Vector* const part = part_at(cta, piece.first == 0);
    for_each_own([&](auto i, int j) { part[vector_of(j)] = own_[i]; });
    if (!dma::is_last_cta(weights_, workspace_.arrivals[piece.tile], parts, shared_.arrivals)) {
      return false;
    }
    // In order of k, whichever CTA is the last. The loads of several parts are in flight together.
    constexpr int together = own > 4 ? 1 : 8 / own;
    const int first_cta = plan_.first_cta_of(piece.tile);
    dma::unrolled<own>([&](auto i) { own_[i] = {}; });
    for (int first = 0; first < parts; first += together) {
      Vector others[together][own];
      dma::unrolled<together>([&](auto t) {
        const int other = first + t < parts ? first + t : first;
        const Vector* const of_other = part_at(first_cta + other, other == 0);
        for_each_own([&](auto i, int j) { others[t][i] = of_other[vector_of(j)]; });
      });
      dma::unrolled<together>([&](auto t) {
        if (first + t < parts) {
          for_each_own([&](auto i, int) { add(own_[i], others[t][i]); });
        }
      });
    }
    return true;
  }
  /// Where a CTA's part is. It has at most one that begins with a tile, and one that does not.
  [[nodiscard]] DMA_HOST_DEVICE Vector* part_at(int cta, bool begins_tile) const {
    return workspace_.sums + (2LL * cta + (begins_tile ? 0 : 1)) * Kernel::vectors_of_part;
  }
  /// Which of a part's vectors is this thread's j-th.
  [[nodiscard]] DMA_HOST_DEVICE int vector_of(int j) const { return (row_group_ * vectors + j) * 128 + Sums::thread(); }

  DMA_HOST_DEVICE void write(int tile) const {
    const int first = tile * Kernel::tile_rows + Of::rows * row_group_;
    for_each_own([&](auto i, int j) {
      dma::unrolled<4>([&](auto e) {
        const int row = first + Sums::row_of(Sums::thread(), e);
        const int column = 8 * j + Sums::column_of(Sums::thread(), e);
        if (column < p_.m && row < p_.n) {
          p_.y[column * p_.ldy + row] = static_cast<Element>(own_[i][e]);
        }
      });
    });
  }

  const dma::ComputeHandle<typename Kernel::Weights> weights_;
  const dma::ComputeHandle<typename Kernel::Inputs> inputs_;
  Shared& shared_;
  const Problem<Element>& p_;
  const Plan& plan_;
  const Workspace& workspace_;
  const int row_group_;
  const int k_group_;
  dma::AsyncReads reads_;
  dma::MatrixFragment<Element> operands_[words];
  Sums products_;
  Sums sums_;
  Vector own_[own];
};

}  // namespace linear
