#pragma once

#include <dma/config.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/tensor_memory.hpp>
#include <dma/machine/word.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// The result of matrix products in tensor memory, 128 x `Columns` floats: row r in lane r. It is a place, which does
/// not own its columns: what `TensorMemory::sums` returns. In each CTA of a pair (`Ctas` 2) it is half of the rows.
template <int Columns, int Ctas>
struct TensorSums {
  static_assert(Columns % 16 == 0 && Columns >= 16 && Columns <= 256,
                "dma::TensorMemory: a product has 16 to 256 columns, a multiple of 16; use several sums for more");
  static_assert(Ctas == 1 || Columns % (16 * Ctas) == 0,
                "dma::TensorMemory: a product of a pair of CTAs has a multiple of 32 columns; use 16 more");

  static constexpr int rows = 128;
  static constexpr int columns = Columns;
  static constexpr int ctas = Ctas;

  unsigned address;

  /// Calls `body(row, column, value)` for each element of this thread: all columns of the row that is its rank modulo
  /// 128. Collective over a warp, behind a wait for the products; four consecutive warps have all rows. What follows,
  /// and what another thread does behind a synchronization, may overwrite the sums.
  template <class Body>
  DMA_HOST_DEVICE void for_each(const Body& body,
                                machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    const int row = machine::thread_rank() % rows;
    machine::fence_tensor_memory_after_sync();
    for (int first = 0; first < Columns; first += 16) {
      float values[16];
      machine::load_tensor_memory(values, address, first);
      machine::wait_for_tensor_memory_loads();
      unrolled<16>([&](auto i) {
        machine::renew(values[i]);  // A use of the value stays behind the wait.
        body(row, first + i, values[i]);
      });
    }
    machine::fence_tensor_memory_before_sync();
  }
};

/// What `TensorMemory::sums` returns.
template <class T>
concept SumsInTensorMemory = stdlib::is_same_v<T, TensorSums<T::columns, T::ctas>>;

}  // namespace detail

/// `Columns` of the tensor memory of an SM, 128 words each, from here to the end of the scope: for sums of products
/// that a thread starts and tensor cores do (tcgen05), where sm_90 has MatrixSums in registers.
///
///     #include <dma/matrix/tensor_memory.hpp>          // dma/dma.hpp has it not
///
///     dma::TensorMemory<128> memory(cta, shared.memory);
///     const auto sums = memory.sums<128>();            // 128 rows
///     dma::multiply_add(sums, a, b, false);            // of one warp: one lane starts the products
///     reads.release_when_read(slot);                   // the products' arrival releases the slot
///     done.arrive_when_multiplied();                   // a PhaseBarrier of one arrival
///
///     done.wait();                                     // in the four warps that use the sums
///     sums.for_each([&](int row, int column, float sum) { ... });
///
/// A CTA has one such object. Columns that other CTAs of the SM have are waited for: with more CTAs an SM than 512
/// columns are for, some begin when others have ended.
///
/// **No GPU has run it here**: its instructions are compiled for sm_100a and emulated on a host, which reports columns
/// that are not allocated or not set, slots that are released while products read them and memory that is not freed;
/// `prove` also reports sums that are loaded or overwritten without the waits and the fences.
///
/// With `Ctas` 2 it is of both CTAs of a pair, those of ranks 0 and 1 of a cluster, 2 and 3, and so on: a product has
/// 256 rows, and each CTA has half of A's rows, half of B's columns and the sums of its rows. Pipelines have the
/// barrier `PairBarrier`, sums are told by `PhaseBarrier<Scope::cluster>::arrive_when_multiplied<2>()`.
///
/// Cost    one allocation a CTA, with a synchronization at its begin and one at its end: of the cluster with `Ctas` 2,
///         and one more at its begin
/// Source  PTX ISA, tcgen05
///
/// @pre sm_100a, sm_103a or sm_110a.
template <int Columns, int Ctas = 1>
class TensorMemory {
  static_assert(Ctas == 1 || Ctas == 2, "dma::TensorMemory: products are of one CTA or of a pair; name 1 or 2 CTAs");
  static_assert(Columns >= 32 && Columns <= 512 && (Columns & (Columns - 1)) == 0,
                "dma::TensorMemory: tensor memory is allocated in 32, 64, 128, 256 or 512 columns; name the next one "
                "above what the sums need");

 public:
  struct Storage {
    unsigned address;
  };

  /// Collective over the CTA, or the pair, which it synchronizes; warp 0 allocates. The fences are where products and
  /// loads are.
  template <class Cta>
  DMA_HOST_DEVICE TensorMemory(const Cta&, Storage& storage,
                               machine::SourceLocation caller = machine::SourceLocation::here())
      : caller_(caller.of_scope()) {
    machine::called_from(caller);
    if constexpr (Ctas == 2) {
      DMA_EXPECTS(
          machine::cluster_size() % 2 == 0,
          "dma::TensorMemory: a CTA without a pair in its cluster has the tensor memory of one; give the kernel "
          "body an even KernelTraits::cluster",
          "cluster", machine::cluster_size());
      machine::sync_cluster();  // The other CTA has begun.
    }
    if (machine::uniform_warp_rank() == 0) {
      machine::allocate_tensor_memory<Columns, Ctas>(&storage.address);
      machine::relinquish_tensor_memory<Ctas>();
    }
    sync();
    const machine::Word<4> address =
        machine::load_shared<4>(reinterpret_cast<const unsigned char*>(&storage.address), 0);
    memcpy(&address_, &address, sizeof address_);
  }
  TensorMemory(const TensorMemory&) = delete;
  TensorMemory& operator=(const TensorMemory&) = delete;
  /// Collective over the CTA, or the pair, which it synchronizes: nothing is in flight then.
  DMA_HOST_DEVICE ~TensorMemory() noexcept(false) {
    machine::called_from(caller_);
    sync();
    if (machine::uniform_warp_rank() == 0) {
      machine::free_tensor_memory<Columns, Ctas>(address_);
    }
  }

  /// Sums of 128 rows, in `Count` columns from `first` on.
  template <int Count = Columns>
  [[nodiscard]] DMA_HOST_DEVICE detail::TensorSums<Count, Ctas> sums(int first = 0) const {
    DMA_EXPECTS(first >= 0 && first + Count <= Columns,
                "dma::TensorMemory: sums are outside the columns; begin earlier, or allocate more", "first column",
                first, "columns", int{Count}, "allocated", int{Columns});
    return {address_ + static_cast<unsigned>(first)};
  }

 private:
  DMA_HOST_DEVICE static void sync() {
    if constexpr (Ctas == 2) {
      machine::sync_cluster();
    } else {
      machine::sync_cta();
    }
  }

  unsigned address_;
  machine::SourceLocation caller_;  ///< empty on a GPU
};

/// sums = A B, plus the sums before if `adds`, over `K` values of k (0: all that the tiles have): A is 128 x K and B
/// has as many columns as the sums, each from its descriptor's place on. Collective over one warp: an elected lane
/// starts the products, which come one after the other. `AsyncReads::release_when_read` releases a slot that they read,
/// and `PhaseBarrier::arrive_when_multiplied` tells that the sums are there.
///
/// With sums of a pair of CTAs it is collective over a warp of each, whose operands are at the same places: the even
/// CTA starts the products, of 256 rows. A of each CTA is 128 x K, of its rows, and B has half of the columns, the
/// first of them in the even CTA.
///
/// Cost    K / 16 tcgen05.mma. A host adds in float, k by k
/// Source  PTX ISA, tcgen05.mma
template <int K = 0, detail::SumsInTensorMemory Sums, detail::SharedOperand A, detail::SharedOperand B>
DMA_HOST_DEVICE void multiply_add(const Sums& sums, const A& a, const B& b, bool adds = true,
                                  machine::SourceLocation caller = machine::SourceLocation::here()) {
  using TileOfA = typename A::Tile;
  using TileOfB = typename B::Tile;
  using Element = typename A::Element;
  constexpr int columns = Sums::columns;
  constexpr int of_one = columns / Sums::ctas;  // of B
  static_assert(stdlib::is_same_v<Element, typename B::Element>,
                "dma::multiply_add: A and B have different Elements; use tiles of one element");
  static_assert(machine::HalfFloat<Element>::is_known,
                "dma::multiply_add: products into tensor memory are of __nv_bfloat16 and __half; use one of them as "
                "Element");
  static_assert(K != 0 || TileOfA::k_extent == TileOfB::k_extent,
                "dma::multiply_add: the tiles of A and B have different numbers of k; name how many are summed, as in "
                "multiply_add<64>(sums, a, b)");
  constexpr int count = K == 0 ? TileOfA::k_extent : K;
  static_assert(count % 16 == 0 && count > 0 && count <= TileOfA::k_extent && count <= TileOfB::k_extent,
                "dma::multiply_add: K must be a multiple of 16 and within both tiles; name fewer");
  static_assert(TileOfA::mn_extent >= 128,
                "dma::multiply_add: the tile of A has fewer than 128 rows, which one product into tensor memory reads; "
                "make it taller");
  static_assert(
      TileOfB::mn_extent >= of_one,
      "dma::multiply_add: the tile of B has fewer columns than the sums; make it wider, or the sums narrower");
  DMA_EXPECTS(a.mn + 128 <= TileOfA::mn_extent && a.k + count <= TileOfA::k_extent,
              "dma::multiply_add: a product reads past the end of the tile of A; begin earlier, or name fewer k",
              "first row", a.mn, "first k", a.k, "K", int{count});
  DMA_EXPECTS(b.mn + of_one <= TileOfB::mn_extent && b.k + count <= TileOfB::k_extent,
              "dma::multiply_add: a product reads past the end of the tile of B; begin earlier, or name fewer k",
              "first column", b.mn, "first k", b.k, "K", int{count});
  machine::called_from(caller);
  if ((Sums::ctas == 1 || machine::cluster_rank() % 2 == 0) && machine::elect()) {
    machine::fence_tensor_memory_after_sync();
    machine::begin_tensor_product<Sums::ctas>(sums.address, columns, a.first, a.begin_of_reads(),
                                              a.bytes_of_reads(128, count), b.first, b.begin_of_reads(),
                                              b.bytes_of_reads(of_one, count));
    unrolled<count / 16>([&](auto i) {
      machine::multiply_into_tensor_memory<Element, columns, A::major, B::major, Sums::ctas>(
          sums.address, machine::tensor_descriptor(a.at(16 * i)), machine::tensor_descriptor(b.at(16 * i)),
          adds || i > 0);
    });
  }
}

}  // namespace dma::inline v0_1
