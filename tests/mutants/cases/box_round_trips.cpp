#include "kernels/axis_box.hpp"
#include "mutants/round_trip_kernel.hpp"

#include <cstddef>

namespace mutants {

namespace {

constexpr std::size_t pairs = 12;  // of positions inside, outside and over each edge

template <class Pattern, class Engine, int Warps = 1>
void add(Cases& cases) {
  add_round_trip<Pattern, Engine, dma::CudaBarrier, Warps, pairs>(cases);
}

using Registers = dma::RegisterCopy<>;
using Async = dma::AsyncCopy<>;
using Bulk = dma::BulkCopy<>;

}  // namespace

void add_box_round_trips(Cases& cases) {
  add<shapes::Box, Async>(cases);
  add<shapes::SwizzledBox, Registers>(cases);
  add<shapes::Volume, Registers>(cases);
  add<shapes::WideVolume, Async, 2>(cases);
  add<shapes::SwizzledVolume, Bulk>(cases);
  add<shapes::Ring<1, dma::Corners::included>, Async>(cases);
  add<shapes::Shell<1, dma::Corners::included>, Registers>(cases);
  add<shapes::Shell<2, dma::Corners::excluded>, Async, 2>(cases);
  add<shapes::Boxes, Registers>(cases);
  add<shapes::TwoBoxes, Async>(cases);
  add<shapes::OddRows, Registers>(cases);
  add<shapes::SwizzledGather, Async>(cases);
  add<shapes::AxisBox<4>, dma::TensorCopy<>, 2>(cases);
}

}  // namespace mutants
