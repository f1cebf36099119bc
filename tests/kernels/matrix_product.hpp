#pragma once

#include <dma/dma.hpp>
#include <dma/machine/product_element.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/store_matrix.hpp>

#include <cstdint>

/// One matrix product of a warpgroup whose operands are laid out by any pattern, in both machines' tests.
namespace kernels {

/// Closes the group of the products since the last call, and waits for them.
DMA_HOST_DEVICE void wait_for_products() {
  const dma::AsyncReads reads;
  reads.commit();
  reads.wait<0>();
}

/// Element (mn, k) of a tile whose rows are along the major index, by the pattern's own index.
template <class Pattern, dma::Major major>
[[nodiscard]] DMA_HOST_DEVICE constexpr int index_in_tile(int mn, int k) {
  constexpr int along = Pattern::Tile::row_bytes / int{sizeof(typename Pattern::Element)};
  const int contiguous = major == dma::Major::k ? k : mn;
  const int row = major == dma::Major::k ? mn : k;
  if constexpr (Pattern::Tile::planes > 1) {
    return Pattern::index(contiguous / along, row, contiguous % along);
  } else {
    return Pattern::index(row, contiguous);
  }
}

/// An operand with `Extent` rows or columns and 128 bytes of k, in rows as wide as the swizzle.
template <class Element, dma::Major major, dma::Swizzle swizzle, int Extent>
struct Operand {
  using Bits = dma::machine::ProductBits<Element>;
  static constexpr int size = int{sizeof(Bits)};
  static constexpr int inner = 128 / size;  ///< values of k
  static constexpr int along = swizzle == dma::Swizzle::none ? 16 / size : dma::detail::swizzle_bytes(swizzle) / size;
  static constexpr int rows = major == dma::Major::k ? Extent : inner;
  static constexpr int planes = (major == dma::Major::k ? inner : Extent) / along;
  static constexpr dma::RowLayout layout{.swizzle = swizzle};
  using Box = dma::Tile2D<Element, along, rows, layout>;
  using Boxes = dma::Tile3D<Element, dma::TileShape{.cols = along, .rows = rows, .planes = planes}, layout>;
  using Pattern = dma::stdlib::conditional_t<planes == 1, Box, Boxes>;
  static constexpr dma::Major contiguous = major;
  static constexpr int extent = Extent;
};

/// c = a b of 64 x `Columns`, from row `first_row` of A's tile and k `first_k` of both on; `a` and `b` have the
/// elements' bits row by row. Products of the first instruction overwrite the sums, which begin as 1000.
template <class A, class B, int Columns>
struct MatrixProduct {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  using Bits = typename A::Bits;
  static constexpr int inner = A::inner;
  struct Shared {
    alignas(1024) Bits a[A::Pattern::tile_bytes / A::size];
    alignas(1024) Bits b[B::Pattern::tile_bytes / B::size];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<MatrixProduct>& cta, const Bits* a, const Bits* b, float* c,
                                  int first_row, int first_k) const {
    auto& shared = cta.template shared<Shared>();
    for (int i = cta.thread(); i < A::extent * inner; i += 128) {
      shared.a[index_in_tile<typename A::Pattern, A::contiguous>(i / inner, i % inner)] = a[i];
    }
    for (int i = cta.thread(); i < B::extent * inner; i += 128) {
      shared.b[index_in_tile<typename B::Pattern, B::contiguous>(i / inner, i % inner)] = b[i];
    }
    dma::machine::fence_async_proxy();
    cta.sync();
    dma::MatrixSums<64, Columns> sums;
    sums.for_each([](int, int, float& value) { value = 1000; });
    const auto matrix_a = dma::matrix_descriptor<A::contiguous, typename A::Pattern>(shared.a, first_row, first_k);
    const auto matrix_b = dma::matrix_descriptor<B::contiguous, typename B::Pattern>(shared.b, 0, first_k);
    dma::multiply_add<inner / 2>(sums, matrix_a, matrix_b, false);
    kernels::wait_for_products();
    sums.complete();
    sums.for_each([&](int row, int column, float value) { c[row * Columns + column] = value; });
  }
};

/// out = (a b) b, rounded to elements after each product: the first product's sums are the second one's operand A in
/// registers, and its result goes through `store_matrix` to a swizzled tile. A and B are 64 x 64.
template <class A, class B>
struct ProductOfProduct {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  using Element = typename A::Pattern::Element;
  struct Shared {
    alignas(1024) std::uint16_t a[A::Pattern::tile_bytes / 2];
    alignas(1024) std::uint16_t b[B::Pattern::tile_bytes / 2];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ProductOfProduct>& cta, const std::uint16_t* a, const std::uint16_t* b,
                                  std::uint16_t* out) const {
    auto& shared = cta.template shared<Shared>();
    for (int i = cta.thread(); i < 64 * 64; i += 128) {
      shared.a[index_in_tile<typename A::Pattern, A::contiguous>(i / 64, i % 64)] = a[i];
      shared.b[index_in_tile<typename B::Pattern, B::contiguous>(i / 64, i % 64)] = b[i];
    }
    dma::machine::fence_async_proxy();
    cta.sync();
    dma::MatrixSums<64, 64> first;
    const auto matrix_b = dma::matrix_descriptor<B::contiguous, typename B::Pattern>(shared.b);
    dma::multiply_add(first, dma::matrix_descriptor<A::contiguous, typename A::Pattern>(shared.a), matrix_b, false);
    wait_for_products();
    first.complete();
    dma::MatrixFragment<Element> fragments[4];
    dma::unrolled<4>([&](auto i) { fragments[i] = dma::matrix_fragment<Element>(first, i); });
    dma::MatrixSums<64, 64> second;
    dma::multiply_add(second, fragments, matrix_b, false);
    wait_for_products();
    second.complete();
    cta.sync();
    dma::store_matrix<Element>(
        second, [&](int row, int column) -> auto& {
          return reinterpret_cast<dma::Vector<Element, 8>&>(shared.a[A::Pattern::index(row, column)]);
        });
    cta.sync();
    for (int i = cta.thread(); i < 64 * 64; i += 128) {
      out[i] = shared.a[A::Pattern::index(i / 64, i % 64)];
    }
  }
};

}  // namespace kernels
