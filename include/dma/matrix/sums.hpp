#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/matrix.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

/// The result of matrix products of a warpgroup, 64 x `Columns` floats: this thread's half of two rows of its
/// warp's 16.
///
/// They begin as zero, which takes an instruction each. Sums outside the loop over tiles whose first product does not
/// add (`multiply_add(sums, a, b, false)`) are set once.
///
/// Thread t of the group has rows g and g + 8 of those that begin at 16 (t / 32), where g = t % 32 / 4, and of each 8
/// columns the two from 2 (t % 4) on. So that no epilogue repeats this, `for_each` and `for_each_pair` give each
/// element with its row and column.
///
/// @pre Between a `multiply_add` and `complete()`, which follows the wait for its products, no element is touched.
///
/// Source  PTX ISA, "Matrix Fragments for wgmma.mma_async.m64nNk16", accumulator D
template <int Rows, int Columns>
struct MatrixSums {
  static_assert(Rows == 64,
                "dma::MatrixSums: a warpgroup's product has 64 rows; use an array of MatrixSums<64, Columns> for more");
  static_assert(Columns % 8 == 0 && Columns >= 8 && Columns <= 256,
                "dma::MatrixSums: a product has 8 to 256 columns, a multiple of 8; use an array for more");

  static constexpr int rows = Rows;
  static constexpr int columns = Columns;
  static constexpr int count = Columns / 2;  ///< of a thread

  float values[count];

  /// All zero. The compiler must not know it: it would set the registers where products are in flight, which the
  /// assembler then runs one by one (ptxas C7515).
  DMA_HOST_DEVICE MatrixSums() {
    unrolled<count>([&](auto i) { values[i] = 0; });
    renew();
  }

  /// The row and the column of element `i` of a warpgroup's thread `thread`.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int row_of(int thread, int i) noexcept {
    return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int column_of(int thread, int i) noexcept {
    return i / 4 * 8 + thread % 4 * 2 + i % 2;
  }

  /// The thread's rank in its warpgroup.
  [[nodiscard]] DMA_HOST_DEVICE static int thread() { return machine::thread_rank() % 128; }

  /// To be called when a wait for the products has returned, before the sums are read: it ties them to the wait, ahead
  /// of which the compiler would read them otherwise. No instruction.
  DMA_HOST_DEVICE void complete() {
    expect_no_product();
    renew();
  }

  /// Columns `First` to `First + Count` - 1 as sums of their own: a copy, which costs no instruction.
  template <int First, int Count>
  [[nodiscard]] DMA_HOST_DEVICE MatrixSums<Rows, Count> columns_from() const {
    static_assert(
        First % 8 == 0 && First >= 0 && First + Count <= Columns,
        "dma::MatrixSums: columns_from begins at a multiple of 8 and ends within the sums; choose First and Count so");
    expect_no_product();
    MatrixSums<Rows, Count> some{typename MatrixSums<Rows, Count>::Unset{}};
    unrolled<Count / 2>([&](auto i) { some.values[i] = values[First / 2 + i]; });
    return some;
  }

  /// Calls `body(row, column, value)` for each of the thread's elements.
  template <class Body>
  DMA_HOST_DEVICE void for_each(const Body& body) {
    expect_no_product();
    const int at = thread();
    unrolled<count>([&](auto i) { body(row_of(at, i), column_of(at, i), values[i]); });
  }
  /// Calls `body(row, column, first, second)` for each two elements of neighbouring columns, of which `column` is even.
  template <class Body>
  DMA_HOST_DEVICE void for_each_pair(const Body& body) {
    expect_no_product();
    const int at = thread();
    unrolled<count / 2>(
        [&](auto i) { body(row_of(at, 2 * i), column_of(at, 2 * i), values[2 * i], values[2 * i + 1]); });
  }

 private:
  template <int, int>
  friend struct MatrixSums;
  struct Unset {};

  DMA_HOST_DEVICE explicit MatrixSums(Unset) {}
  DMA_HOST_DEVICE void renew() {
    unrolled<count>([&](auto i) { machine::renew(values[i]); });
  }
  DMA_HOST_DEVICE void expect_no_product() const {
    DMA_EXPECTS(machine::registers_are_free(this),
                "dma::MatrixSums: sums are used while a product may still add to them; wait for the product's group "
                "before: reads.wait<0>(sums)");
  }
};

}  // namespace dma::inline v0_1
