#pragma once

#include <dma/config.hpp>
#include <dma/machine/matrix.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/fragment.hpp>
#include <dma/matrix/sums.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

/// sums = A B, plus the sums before if `adds`, over `K` values of k (0: all that the tiles have): A is 64 x K and B
/// K x `Columns`, each from its descriptor's place on. Collective over a warpgroup.
///
/// Asynchronous: the operands are read, and the sums written, until a wait for the group of these products returns.
/// Until then no operand is overwritten and no sum touched. `AsyncReads` closes the group, waits, and tells `prove`.
///
/// Of `__nv_fp8_e4m3` and `__nv_fp8_e5m2` both operands are contiguous in k (`Major::k`), and products of an H800 are
/// reported to keep about 14 bits of their sums ("DeepSeek-V3 Technical Report", 2024, section 3.3.2): sums over many k
/// are more exact where threads add up those of 128.
///
/// Cost    one wgmma.fence, and K / 16 wgmma.mma_async of m64nNk16, or K / 32 of m64nNk32 for elements of one byte;
///         sm_90a only. A host adds in float, k by k
/// Source  PTX ISA, wgmma.mma_async
template <int K = 0, int Columns, detail::SharedOperand A, detail::SharedOperand B>
DMA_HOST_DEVICE void multiply_add(MatrixSums<64, Columns>& sums, const A& a, const B& b, bool adds = true) {
  using TileOfA = typename A::Tile;
  using TileOfB = typename B::Tile;
  using Element = typename A::Element;
  static_assert(stdlib::is_same_v<Element, typename B::Element>,
                "dma::multiply_add: A and B have different Elements; use tiles of one element");
  static_assert(K != 0 || TileOfA::k_extent == TileOfB::k_extent,
                "dma::multiply_add: the tiles of A and B have different numbers of k; name how many are summed, as in "
                "multiply_add<64>(sums, a, b)");
  constexpr int count = K == 0 ? TileOfA::k_extent : K;
  constexpr int step = TileOfA::k_step;
  static_assert(count % step == 0 && count > 0 && count <= TileOfA::k_extent && count <= TileOfB::k_extent,
                "dma::multiply_add: K must be a multiple of 16, of 32 for elements of one byte, and within both tiles; "
                "name fewer");
  static_assert(TileOfA::mn_extent >= 64,
                "dma::multiply_add: the tile of A has fewer than 64 rows, which one product reads; make it taller");
  static_assert(
      TileOfB::mn_extent >= Columns,
      "dma::multiply_add: the tile of B has fewer columns than the sums; make it wider, or the sums narrower");
  DMA_EXPECTS(a.mn + 64 <= TileOfA::mn_extent && a.k + count <= TileOfA::k_extent,
              "dma::multiply_add: a product reads past the end of the tile of A; begin earlier, or name fewer k",
              "first row", a.mn, "first k", a.k, "K", int{count});
  DMA_EXPECTS(b.mn + Columns <= TileOfB::mn_extent && b.k + count <= TileOfB::k_extent,
              "dma::multiply_add: a product reads past the end of the tile of B; begin earlier, or name fewer k",
              "first column", b.mn, "first k", b.k, "K", int{count});
  // Superfluous behind products with the same sums, which no thread has touched since: the call does not know.
  machine::begin_products();
  machine::use_registers(&sums);
  a.begin_reads(64, count);
  b.begin_reads(Columns, count);
  unrolled<count / step>([&](auto i) {
    machine::multiply_matrices<Element, Columns, A::major, B::major>(sums.values, a.at(step * i), b.at(step * i),
                                                                     adds || i > 0);
  });
}

/// The same with A in registers: 64 x 16 `Count` elements, which are not changed until the wait.
template <class Element, int Count, int Columns, detail::SharedOperand B>
DMA_HOST_DEVICE void multiply_add(MatrixSums<64, Columns>& sums, const MatrixFragment<Element> (&a)[Count], const B& b,
                                  bool adds = true) {
  using TileOfB = typename B::Tile;
  static_assert(stdlib::is_same_v<Element, typename B::Element>,
                "dma::multiply_add: A and B have different Elements; use a fragment and a tile of one element");
  static_assert(16 * Count <= TileOfB::k_extent,
                "dma::multiply_add: A has more values of k than the tile of B; use fewer fragments");
  static_assert(
      TileOfB::mn_extent >= Columns,
      "dma::multiply_add: the tile of B has fewer columns than the sums; make it wider, or the sums narrower");
  DMA_EXPECTS(b.mn + Columns <= TileOfB::mn_extent && b.k + 16 * Count <= TileOfB::k_extent,
              "dma::multiply_add: a product reads past the end of the tile of B; begin earlier, or name fewer k",
              "first column", b.mn, "first k", b.k, "K", 16 * Count);
  machine::begin_products();
  machine::use_registers(&sums);
  b.begin_reads(Columns, 16 * Count);
  unrolled<Count>([&](auto i) {
    machine::use_registers(&a[i]);
    machine::multiply_rows<Element, Columns, B::major>(sums.values, a[i].packed(), b.at(16 * i), adds || i > 0);
  });
}

}  // namespace dma::inline v0_1
