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

/// The elected lane does what the warp does.
template <int Columns>
DMA_DETAIL_UNSEEN void allocate_tensor_memory(unsigned* to) {
  if (this_thread().elect()) {
    const auto first = static_cast<unsigned>(tensor_cells().allocate(Columns, this_thread().rank() / 32));
    store_shared<4>(reinterpret_cast<unsigned char*>(to), 0, Word<4>{{first}});
  }
}
DMA_DETAIL_UNSEEN inline void relinquish_tensor_memory() {
  if (this_thread().elect()) {
    tensor_cells().relinquish();
  }
}
template <int Columns>
DMA_DETAIL_UNSEEN void free_tensor_memory(unsigned address) {
  if (!is_unwinding() && this_thread().elect()) {
    const auto first = static_cast<int>(address);
    execute({.kind = OperationKind::free_tensor, .count = Columns, .column = first});
    tensor_cells().free(first, Columns, this_thread().rank() / 32);
  }
}
DMA_DETAIL_UNSEEN inline void fence_tensor_memory_before_sync() {
  execute({.kind = OperationKind::fence_tensor, .count = 0});
}
DMA_DETAIL_UNSEEN inline void fence_tensor_memory_after_sync() {
  execute({.kind = OperationKind::fence_tensor, .count = 1});
}

DMA_DETAIL_UNSEEN inline void begin_tensor_product(unsigned to, int columns, stdlib::uint64_t a, int from_a,
                                                   int bytes_of_a, stdlib::uint64_t b, int from_b, int bytes_of_b) {
  const auto* const shared = static_cast<const unsigned char*>(this_thread().shared());
  execute({.kind = OperationKind::multiply, .count = columns, .column = static_cast<int>(to)});
  execute({.kind = OperationKind::multiply,
           .count = bytes_of_a,
           .from = shared + MatrixOperand::decoded(a).address + from_a});
  execute({.kind = OperationKind::multiply,
           .count = bytes_of_b,
           .from = shared + MatrixOperand::decoded(b).address + from_b});
}
template <class Element, int Columns, Major MajorOfA, Major MajorOfB>
DMA_DETAIL_UNSEEN void multiply_into_tensor_memory(unsigned to, stdlib::uint64_t a, stdlib::uint64_t b, bool adds) {
  const auto first = static_cast<int>(to);
  TensorCells& cells = tensor_cells();
  cells.begin_product(first, Columns, adds);
  float columns[Columns][16];
  for (int column = 0; column < Columns; ++column) {
    HostOperand(b).read<Element, MajorOfB>(columns[column], column);
  }
  for (int lane = 0; lane < TensorCells::lanes; ++lane) {
    float row[16];
    HostOperand(a).read<Element, MajorOfA>(row, lane);
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
DMA_DETAIL_UNSEEN inline void load_tensor_memory(float (&values)[16], unsigned address, int column) {
  const int first = static_cast<int>(address) + column;
  const int lane = this_thread().rank() % TensorCells::lanes;
  TensorCells& cells = tensor_cells();
  cells.begin_load(first, 16);
  execute({.kind = OperationKind::load_tensor, .count = 16, .column = first});
  for (int i = 0; i < 16; ++i) {
    values[i] = cells.at(lane, first + i);
  }
}
DMA_DETAIL_UNSEEN inline void wait_for_tensor_memory_loads() { execute({.kind = OperationKind::await_loads}); }

}  // namespace dma::inline v0_1::machine::host_model
