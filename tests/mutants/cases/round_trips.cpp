#include "mutants/round_trip_kernel.hpp"

namespace mutants {

namespace {

using Registers = dma::RegisterCopy<>;
using Async = dma::AsyncCopy<>;
using Bulk = dma::BulkCopy<>;

}  // namespace

void add_round_trips(Cases& cases) {
  add_round_trip<dma::Sequential<float, 700>, Registers, dma::NamedBarrier, 2>(cases);
  add_round_trip<dma::Sequential<float, 700>, dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = 4}>>(cases);
  add_round_trip<dma::Sequential<float, 700, 4>, Async>(cases);
  add_round_trip<dma::Sequential<unsigned char, 333, 1>, Registers>(cases);
  add_round_trip<dma::Sequential<unsigned char, 333, 16>, Registers, dma::NamedBarrier>(cases);
  add_round_trip<dma::Sequential<unsigned char, 333, 16>, Async>(cases);
  add_round_trip<dma::Sequential<unsigned char, 333, 16>, Bulk, dma::CudaBarrier, 2>(cases);
  add_round_trip<shapes::BlockRows, Async, dma::NamedBarrier>(cases);
  add_round_trip<shapes::Rows, Bulk, dma::CudaBarrier, 2>(cases);
  add_round_trip<shapes::RaggedRows, Registers>(cases);
  add_round_trip<shapes::RaggedRows, Async, dma::CudaBarrier, 2>(cases);
  add_round_trip<shapes::RaggedRows, Bulk>(cases);
  add_round_trip<shapes::WideBox, Registers>(cases);
  add_round_trip<shapes::WideBox, Async, dma::NamedBarrier, 2>(cases);
  add_round_trip<shapes::WideBox, Bulk>(cases);
  add_round_trip<shapes::Ring<2>, Registers, dma::NamedBarrier>(cases);
  add_round_trip<shapes::Ring<2>, Async>(cases);
  add_round_trip<shapes::WideRing, Bulk, dma::CudaBarrier, 2>(cases);
  add_round_trip<shapes::Gather, Async>(cases);
  add_round_trip<shapes::BlockGather, Bulk>(cases);
  add_round_trip<shapes::LongGather, Bulk, dma::CudaBarrier, 2>(cases);
  add_round_trip<shapes::Turned, Registers>(cases);
  add_round_trip<shapes::SwizzledRows, Async>(cases);
  add_round_trip<shapes::BlockAndBox, Async, dma::NamedBarrier>(cases);
  add_round_trip<shapes::Sequences, Registers>(cases);
}

void add_tensor_round_trips(Cases& cases) {
  add_round_trip<shapes::Box, dma::TensorCopy<>>(cases);
  add_round_trip<shapes::SwizzledBox, dma::TensorCopy<>>(cases);
  add_round_trip<shapes::Volume, dma::TensorCopy<>, dma::CudaBarrier, 2>(cases);
  add_round_trip<shapes::TwoBoxes, dma::TensorCopy<>, dma::CudaBarrier, 2>(cases);
}

}  // namespace mutants
