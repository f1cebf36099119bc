#pragma once

#include "lanes.hpp"
#include "operations.hpp"
#include "tile_sum.hpp"

#include <dma/dma.hpp>

namespace scan {

/// A tile in the registers of a CTA by rows: the lanes of a warp have an element each of a row, and a mark. Marked
/// elements of a row go to places beside one another.
template <class Element, class Operation, TilePlan plan>
class TileRows : public TileSum<Operation, plan> {
  using Base = TileSum<Operation, plan>;

 public:
  using T = Element;
  static constexpr int rows = plan.vectors * dma::Vector<T>::size();  ///< of a warp
  static constexpr int elements = Base::threads * rows;
  static_assert(rows <= 32, "scan: a thread has 32 marks at most; take fewer vectors");

  /// What is before the first tile.
  template <class Job>
  [[nodiscard]] DMA_HOST_DEVICE static auto before_all(const Job& /*job*/) {
    return Operation::nothing();
  }

 protected:
  /// Where this lane's element of row `i` is in the tile.
  [[nodiscard]] DMA_HOST_DEVICE static int place_of(const dma::Cta& cta, int i) {
    return (cta.warp() * rows + i) * 32 + cta.lane();
  }
  /// Takes the tile's `count` elements into registers.
  template <class Source>
  DMA_HOST_DEVICE void read_rows(const dma::Cta& cta, int count, const Source& source) {
    if (count == elements) {
      dma::unrolled<rows>([&](auto i) { values_[i] = source.element(place_of(cta, i)); });
    } else {
      dma::unrolled<rows>([&](auto i) {
        const int place = place_of(cta, i);
        values_[i] = place < count ? source.element(place) : T{};
      });
    }
  }
  /// Marks those of the `count` elements of which `is_marked(element, row)` is true: a row is an index known at compile
  /// time, and all lanes ask together.
  template <class IsMarked>
  DMA_HOST_DEVICE void mark_rows(const dma::Cta& cta, int count, const IsMarked& is_marked) {
    marks_ = 0;
    dma::unrolled<rows>([&](auto i) { marks_ |= is_marked(values_[i], i) ? 1U << i : 0U; });
    if (count < elements) {
      dma::unrolled<rows>([&](auto i) { marks_ &= place_of(cta, i) < count ? ~0U : ~(1U << i); });
    }
  }
  /// `visit(element, place, is_marked, marked)` of each row from `from` to before `to`, with all lanes that are marked.
  template <int from, int to, class Visit>
  DMA_HOST_DEVICE void for_each_row(const dma::Cta& cta, const Visit& visit) const {
    dma::unrolled<to - from>([&](auto i) {
      constexpr int row = from + i;
      const bool is_marked = (marks_ >> row & 1U) != 0;
      visit(values_[row], place_of(cta, row), is_marked, Lanes{cta.ballot(is_marked)});
    });
  }
  [[nodiscard]] DMA_HOST_DEVICE Lanes marked_rows() const { return {marks_}; }

 private:
  T values_[rows];
  unsigned marks_;  ///< of this lane's elements, a bit a row
};

}  // namespace scan
