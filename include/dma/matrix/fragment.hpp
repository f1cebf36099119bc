#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/matrix.hpp>
#include <dma/matrix/sums.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

/// 64 x 16 elements of an operand A in registers of a warpgroup: this thread's eight, two in each register. A thread
/// has the elements whose place it has in a `MatrixSums<64, 16>`, so that the result of a product is an operand of the
/// next one without an exchange.
///
/// @pre An operand is neither changed nor ends its scope before a wait for its products has returned. A loop that
///      leaves a product in flight has two operands, in turns: with one, the compiler puts the next values, and what
///      they are computed from, into registers that the tensor cores still read. A host reports it; a GPU does not.
///
/// Source  PTX ISA, "Matrix Fragments for wgmma.mma_async.m64nNk16", multiplicand A in registers
template <class Type>
struct MatrixFragment {
  static_assert(machine::HalfFloat<Type>::is_known,
                "dma::MatrixFragment: operands in registers are of __nv_bfloat16 and __half; use one of them, or keep "
                "elements of one byte in shared memory");

  using Element = Type;
  using Places = MatrixSums<64, 16>;

  MatrixFragment() = default;
  MatrixFragment(const MatrixFragment&) = default;
  DMA_HOST_DEVICE MatrixFragment& operator=(const MatrixFragment& other) {
    expect_no_product();
    unrolled<4>([&](auto r) { registers_[r] = other.registers_[r]; });
    return *this;
  }
  DMA_HOST_DEVICE ~MatrixFragment() noexcept(false) { expect_no_product(); }

  /// Sets elements `i` and `i + 1` of the eight, rounded; `i` is even. They are at
  /// `MatrixSums<64, 16>::row_of(thread, i)` and `column_of(thread, i)`.
  DMA_HOST_DEVICE void set(int i, float first, float second) {
    expect_no_product();
    registers_[i / 2] = machine::packed<Element>(first, second);
  }
  /// Sets elements 2 `i` and 2 `i` + 1 as the 32 bits that have both, the even one in the lower half.
  DMA_HOST_DEVICE void set_packed(int i, stdlib::uint32_t elements) {
    expect_no_product();
    registers_[i] = elements;
  }
  /// The eight elements, two in each of four.
  [[nodiscard]] DMA_HOST_DEVICE auto packed() const -> const stdlib::uint32_t (&)[4] { return registers_; }

 private:
  DMA_HOST_DEVICE void expect_no_product() const {
    DMA_EXPECTS(machine::registers_are_free(this),
                "dma::MatrixFragment: an operand in registers is changed, or its scope ends, while a product may still "
                "read it; wait for the product's group before, or use two operands in turns");
  }

  stdlib::uint32_t registers_[4];
};

/// Columns 16 `step` to 16 `step` + 15 of these sums, rounded, as an operand A. The constant `step` is
/// `Constant<Step>{}`, as `unrolled` passes it.
template <class Element, int Columns, int Step>
[[nodiscard]] DMA_HOST_DEVICE MatrixFragment<Element> matrix_fragment(const MatrixSums<64, Columns>& sums,
                                                                      Constant<Step>) {
  static_assert(Step >= 0 && 16 * Step + 16 <= Columns,
                "dma::matrix_fragment: the sums do not have these 16 columns; use a step below columns / 16");
  MatrixFragment<Element> fragment;
  unrolled<4>([&](auto r) {
    constexpr int first = 8 * Step + 2 * r.value;
    fragment.set(2 * r, sums.values[first], sums.values[first + 1]);
  });
  return fragment;
}

}  // namespace dma::inline v0_1
