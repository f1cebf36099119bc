#pragma once

#include "../../../examples/gpu.hpp"
#include "kernel.hpp"
#include "linear.hpp"

#include <dma/launch/launch.hpp>
#include <dma/launch/make_tensor_map.hpp>

#include <cuda_runtime.h>

namespace linear::fp8 {

/// What launches of a kernel for weights of one shape need on the GPU. It serves those after one another in a stream.
template <class Kernel>
class DeviceLinear {
 public:
  /// @throw std::invalid_argument  for a problem that the kernel does not take
  DeviceLinear(const Problem& p, int most_ctas)
      : plan_((expect_taken<Kernel>(p), Kernel::plan_of(p, most_ctas))),
        sums_(vectors_of<Kernel>(plan_)),
        arrivals_(static_cast<std::size_t>(plan_.tiles)) {
    arrivals_.set_bytes(0);
    gpu::check(cudaStreamSynchronize(nullptr));
  }

  /// @pre `p` has the shape of that at construction. Programmatic launch: no grid before writes W.
  void operator()(cudaStream_t stream, const Problem& p) const {
    // Rows that begin on lines of the L2 come two lines at a time: two blocks.
    const dma::TensorMapOptions options{.l2_bytes = p.ldw % 256 == 0 ? 256 : 128};
    const typename Kernel::Maps maps{dma::tensor_map(p.w, Kernel::weights_of(p), options),
                                     dma::tensor_map(p.x, Kernel::inputs_of(p))};
    dma::launch(Kernel{}, {plan_.ctas}, stream, maps, p, plan_, Workspace{sums_.data(), arrivals_.data()});
  }

 private:
  Plan plan_;
  gpu::Array<dma::Vector<float>> sums_;
  gpu::Array<dma::ArrivalCounter> arrivals_;
};

}  // namespace linear::fp8
