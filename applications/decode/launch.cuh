#pragma once

#include "../../examples/gpu.hpp"
#include "kernel.hpp"
#include "plan_kernel.hpp"

#include <dma/launch/launch.hpp>
#include <dma/launch/make_tensor_map.hpp>

#include <cstddef>
#include <utility>

#include <cuda_runtime.h>

namespace decode {

/// Writes the plan of lengths that are on the GPU, of `Division::count()` segments, in a stream; a CUDA graph can have
/// it. `before` has room for an int more than there are sequences.
inline void make_plan(cudaStream_t stream, Division division, int* before, Segment* list) {
  expect_divisible(division.batches, division.kv_heads, division.unit, division.most_ctas);
  division.before = before;
  dma::launch(MakePlan{}, {1}, stream, division, before, list);
}

/// What a plan needs on the GPU: its list and a workspace. It is made once for the lengths, and serves the launches of
/// all layers after one another.
template <class Kernel>
class DevicePlan {
 public:
  explicit DevicePlan(Plan plan)
      : plan_(std::move(plan)),
        segments_(plan_.segments),
        parts_(static_cast<std::size_t>(plan_.slots)),
        counters_(static_cast<std::size_t>(plan_.slots)) {
    counters_.set_bytes(0);
    gpu::check(cudaStreamSynchronize(nullptr));
  }

  /// @pre The plan is of the problem's lengths. Programmatic launch: the kernel before in the stream writes the last
  ///      `p.queries` keys and values of a sequence at most, and the list was complete before that kernel began.
  /// @throw std::invalid_argument  for a problem that the kernel does not take, or not with this plan
  void operator()(cudaStream_t stream, const Problem<typename Kernel::Element>& p) const {
    expect_taken<Kernel>(p, plan_);
    constexpr dma::TensorMapOptions options{.l2_bytes = 128};
    const typename Kernel::Maps maps{dma::tensor_map(p.k.first, Kernel::block_of(p, p.k), options),
                                     dma::tensor_map(p.v.first, Kernel::block_of(p, p.v), options)};
    dma::launch(Kernel{}, {plan_.ctas}, stream, maps, p, segments_.data(),
                Workspace<typename Kernel::Part>{parts_.data(), counters_.data()});
  }

 private:
  Plan plan_;
  gpu::Array<Segment> segments_;
  gpu::Array<typename Kernel::Part> parts_;
  gpu::Array<dma::ArrivalCounter> counters_;
};

}  // namespace decode
