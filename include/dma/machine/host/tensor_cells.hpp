#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

/// The tensor memory of an emulated CTA.
namespace dma::inline v0_1::machine {

/// Which columns are allocated, by which warp, and what is in them. It breaks where a kernel does what is undefined on
/// a GPU, or what a GPU would wait for without end.
class TensorCells {
 public:
  static constexpr int columns = 512;
  static constexpr int lanes = 128;
  static constexpr int warp_lanes = 32;  ///< that one warp accesses

  TensorCells() = default;
  TensorCells(const TensorCells&) = delete;
  TensorCells& operator=(const TensorCells&) = delete;
  DMA_DETAIL_UNSEEN ~TensorCells() { delete[] cells_; }

  /// That all instructions are of as many CTAs.
  DMA_DETAIL_UNSEEN void expect_group(int ctas) {
    if (ctas_ != 0 && ctas_ != ctas) {
      detail::refuse(
          "dma::TensorMemory: a kernel uses tensor memory of one CTA (.cta_group::1) and of a pair (.cta_group::2), "
          "whose arrivals say nothing of the other's products; give TensorMemory and arrive_when_multiplied() the same "
          "number of CTAs",
          "CTAs", ctas, "before", ctas_);
    }
    ctas_ = ctas;
  }
  /// @param ctas  that allocate together
  /// @return the first column
  [[nodiscard]] DMA_DETAIL_UNSEEN int allocate(int count, int warp, int ctas = 1) {
    expect_group(ctas);
    if (is_relinquished_) {
      detail::refuse(
          "dma::TensorMemory: a CTA allocates tensor memory after it has given back the permit to "
          "(tcgen05.relinquish_alloc_permit); construct one TensorMemory a kernel, of all columns that it needs");
    }
    if (first_free_ + count > columns) {
      detail::refuse(
          "dma::TensorMemory: a CTA allocates more columns than an SM's tensor memory has, so that a GPU would wait "
          "without end; its allocations have 512 together at most",
          "columns", count, "allocated before", first_free_);
    }
    if (cells_ == nullptr) {
      cells_ = new float[columns * lanes];
    }
    const int first = first_free_;
    first_free_ += count;
    for (int column = first; column < first_free_; ++column) {
      states_[column] = {warp, first, count, 0};
    }
    return first;
  }
  DMA_DETAIL_UNSEEN void relinquish(int ctas = 1) {
    expect_group(ctas);
    is_relinquished_ = true;
  }
  DMA_DETAIL_UNSEEN void free(int first, int count, int warp, int ctas = 1) {
    expect_group(ctas);
    expect_allocated(first, count);
    if (states_[first].first != first || states_[first].count != count || states_[first].warp != warp) {
      detail::refuse(
          "dma::TensorMemory: tensor memory is freed by another warp than the one that has allocated it, or by other "
          "columns (tcgen05.dealloc); have the same warp free the whole allocation");
    }
    for (int column = first; column < first + count; ++column) {
      states_[column] = {};
    }
  }
  [[nodiscard]] DMA_DETAIL_UNSEEN bool any() const noexcept {
    for (const State& state : states_) {
      if (state.count != 0) {
        return true;
      }
    }
    return false;
  }

  /// A product writes sums, and where it adds to them it reads them.
  DMA_DETAIL_UNSEEN void begin_product(int first, int count, bool adds, int ctas = 1) {
    expect_group(ctas);
    expect_allocated(first, count);
    if (adds && !is_written(first, count, all_lanes)) {
      detail::refuse(
          "dma::multiply_add: a product adds to columns of tensor memory that none has set, which begin as anything; "
          "pass false for adds to the first product");
    }
    set_written(first, count, all_lanes);
  }
  /// Products read A, or scales, in columns of all lanes.
  DMA_DETAIL_UNSEEN void begin_operand(int first, int count) const {
    expect_allocated(first, count);
    if (!is_written(first, count, all_lanes)) {
      detail::refuse(
          "dma::TensorMemory: a product reads A, or scales, in columns of tensor memory of which not all lanes are "
          "set, where anything is; store to all 128 before, or copy to them",
          "first column", first, "columns", count);
    }
  }
  /// @param of_warp  lanes that it accesses: 32, or 16
  DMA_DETAIL_UNSEEN void begin_load(int first, int count, int lane, int of_warp = warp_lanes) const {
    expect_allocated(first, count);
    if (!is_written(first, count, halves_of(lane, of_warp))) {
      detail::refuse(
          "dma::TensorMemory: a warp loads columns of tensor memory that no product has set, where anything is; wait "
          "for the products before");
    }
  }
  DMA_DETAIL_UNSEEN void begin_store(int first, int count, int lane, int of_warp = warp_lanes) {
    expect_allocated(first, count);
    set_written(first, count, halves_of(lane, of_warp));
  }
  /// A copy of shared memory to all lanes, or to one of each warp, which sets none of them as a whole.
  DMA_DETAIL_UNSEEN void start_copy(int first, int count, bool is_of_all, int ctas) {
    expect_group(ctas);
    expect_allocated(first, count);
    if (is_of_all) {
      set_written(first, count, all_lanes);
    }
  }
  /// Rows of a warp's lanes move by one.
  DMA_DETAIL_UNSEEN void begin_shift(int first, int count, int lane, int ctas) {
    expect_group(ctas);
    begin_load(first, count, lane);
  }
  [[nodiscard]] DMA_DETAIL_UNSEEN float& at(int lane, int column) noexcept {
    return cells_[static_cast<std::size_t>(lane) * columns + static_cast<std::size_t>(column)];
  }

 private:
  struct State {
    int warp = 0;
    int first = 0;              ///< of its allocation
    int count = 0;              ///< of its allocation; 0 where the column is free
    unsigned char written = 0;  ///< a bit for each half of a warp's lanes
  };
  static constexpr unsigned char all_lanes = 0xff;

  DMA_DETAIL_UNSEEN void expect_allocated(int first, int count) const {
    for (int column = first; column < first + count; ++column) {
      if (column < 0 || column >= columns || states_[column].count == 0) {
        detail::refuse(
            "dma::TensorMemory: a thread uses columns of tensor memory that are not allocated; stay inside the columns "
            "of the TensorMemory, while it is there",
            "first column", first, "columns", count, "not allocated", column);
      }
    }
  }
  /// Of a warp's lanes, those of the half with `lane` or both.
  [[nodiscard]] DMA_DETAIL_UNSEEN static unsigned char halves_of(int lane, int of_warp) noexcept {
    return static_cast<unsigned char>(of_warp == warp_lanes ? 3U << (lane / warp_lanes * 2) : 1U << (lane / of_warp));
  }
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_written(int first, int count, unsigned char halves) const noexcept {
    for (int column = first; column < first + count; ++column) {
      if ((states_[column].written & halves) != halves) {
        return false;
      }
    }
    return true;
  }
  DMA_DETAIL_UNSEEN void set_written(int first, int count, unsigned char halves) noexcept {
    for (int column = first; column < first + count; ++column) {
      states_[column].written = static_cast<unsigned char>(states_[column].written | halves);
    }
  }

  float* cells_ = nullptr;  ///< a row a lane; null before the first allocation
  State states_[columns];
  int first_free_ = 0;
  int ctas_ = 0;  ///< of its instructions; 0 before the first
  bool is_relinquished_ = false;
};

}  // namespace dma::inline v0_1::machine
