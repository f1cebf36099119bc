#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/host/access.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/machine.hpp>
#include <dma/machine/host/matrix.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/machine/word.hpp>
#include <dma/standard.hpp>

/// A host's tensor memory: an allocation's address is its first column. `dma/machine/tensor_memory.hpp` documents the
/// names.
namespace dma::inline v0_1::machine::host_model {

[[nodiscard]] DMA_DETAIL_UNSEEN inline TensorCells& tensor_cells() { return this_thread().tensor_cells(); }

/// The shared memory of one of the CTAs that make a product: of this one, or of both of its pair.
template <int Ctas>
[[nodiscard]] DMA_DETAIL_UNSEEN const unsigned char* shared_of_product(int number) {
  void* const own = this_thread().shared();
  return static_cast<const unsigned char*>(
      Ctas == 1 ? own : this_thread().peer_address(own, (this_thread().cluster_rank() & ~1) + number));
}
template <int Ctas>
[[nodiscard]] DMA_DETAIL_UNSEEN TensorCells& cells_of_product(int number) {
  return Ctas == 1 ? tensor_cells() : this_thread().tensor_cells_of((this_thread().cluster_rank() & ~1) + number);
}

/// The elected lane does what the warp does. The other CTA of a pair has to be there.
template <int Columns, int Ctas = 1>
DMA_DETAIL_UNSEEN void allocate_tensor_memory(unsigned* to) {
  if (this_thread().elect()) {
    static_cast<void>(shared_of_product<Ctas>(Ctas - 1));
    const auto first = static_cast<unsigned>(tensor_cells().allocate(Columns, this_thread().rank() / 32, Ctas));
    store_shared<4>(reinterpret_cast<unsigned char*>(to), 0, Word<4>{{first}});
  }
}
template <int Ctas = 1>
DMA_DETAIL_UNSEEN void relinquish_tensor_memory() {
  if (this_thread().elect()) {
    tensor_cells().relinquish(Ctas);
  }
}
template <int Columns, int Ctas = 1>
DMA_DETAIL_UNSEEN void free_tensor_memory(unsigned address) {
  if (!is_unwinding() && this_thread().elect()) {
    const auto first = static_cast<int>(address);
    execute({.kind = OperationKind::free_tensor, .count = Columns, .column = first});
    tensor_cells().free(first, Columns, this_thread().rank() / 32, Ctas);
  }
}
DMA_DETAIL_UNSEEN inline void fence_tensor_memory_before_sync() {
  execute({.kind = OperationKind::fence_tensor, .count = 0});
}
DMA_DETAIL_UNSEEN inline void fence_tensor_memory_after_sync() {
  execute({.kind = OperationKind::fence_tensor, .count = 1});
}

template <int Ctas = 1>
DMA_DETAIL_UNSEEN void begin_tensor_product(unsigned to, int columns, stdlib::uint64_t a, int from_a, int bytes_of_a,
                                            stdlib::uint64_t b, int from_b, int bytes_of_b) {
  execute({.kind = OperationKind::multiply, .count = columns, .ctas = Ctas, .column = static_cast<int>(to)});
  for (int cta = 0; cta < Ctas; ++cta) {
    const unsigned char* const shared = shared_of_product<Ctas>(cta);
    execute({.kind = OperationKind::multiply,
             .count = bytes_of_a,
             .from = shared + MatrixOperand::decoded(a).address + from_a});
    execute({.kind = OperationKind::multiply,
             .count = bytes_of_b,
             .from = shared + MatrixOperand::decoded(b).address + from_b});
  }
}
/// Each CTA has 128 rows of A and of the sums, and a part of the columns of B.
template <class Element, int Columns, Major MajorOfA, Major MajorOfB, int Ctas = 1>
DMA_DETAIL_UNSEEN void multiply_into_tensor_memory(unsigned to, stdlib::uint64_t a, stdlib::uint64_t b, bool adds) {
  constexpr int part = Columns / Ctas;
  const auto first = static_cast<int>(to);
  for (int cta = 0; cta < Ctas; ++cta) {
    cells_of_product<Ctas>(cta).begin_product(first, Columns, adds, Ctas);
  }
  float columns[Columns][16];
  for (int column = 0; column < Columns; ++column) {
    const HostOperand operand(b, shared_of_product<Ctas>(column / part));
    operand.template read<Element, MajorOfB>(columns[column], column % part);
  }
  for (int cta = 0; cta < Ctas; ++cta) {
    TensorCells& cells = cells_of_product<Ctas>(cta);
    const HostOperand operand(a, shared_of_product<Ctas>(cta));
    for (int lane = 0; lane < TensorCells::lanes; ++lane) {
      float row[16];
      operand.template read<Element, MajorOfA>(row, lane);
      for (int column = 0; column < Columns; ++column) {
        float& cell = cells.at(lane, first + column);
        float sum = adds ? cell : 0.0F;
        for (int k = 0; k < 16; ++k) {
          sum += row[k] * columns[column][k];
        }
        cell = sum;
      }
    }
  }
}
DMA_DETAIL_UNSEEN inline void load_tensor_memory(float (&values)[16], unsigned address, int column) {
  const int first = static_cast<int>(address) + column;
  const int lane = this_thread().rank() % TensorCells::lanes;
  TensorCells& cells = tensor_cells();
  cells.begin_load(first, 16, lane);
  execute({.kind = OperationKind::load_tensor, .count = 16, .column = first, .lane = lane, .lanes = 1});
  for (int i = 0; i < 16; ++i) {
    values[i] = cells.at(lane, first + i);
  }
}
DMA_DETAIL_UNSEEN inline void wait_for_tensor_memory_loads() { execute({.kind = OperationKind::await_loads}); }

}  // namespace dma::inline v0_1::machine::host_model
