#pragma once

#include "../../examples/gpu.hpp"
#include "kernel.hpp"
#include "linear.hpp"

#include <dma/launch/launch.hpp>
#include <dma/launch/make_tensor_map.hpp>

#include <cuda_runtime.h>

namespace linear {

/// What launches of a kernel for weights of one shape need on the GPU. It serves those after one another in a stream.
template <class Kernel>
class DeviceLinear {
 public:
  using Problem = typename Kernel::Taken;

  /// @throw std::invalid_argument  for a problem that the kernel does not take
  DeviceLinear(const Problem& p, int most_ctas)
      : plan_((expect_taken<Kernel>(p), Kernel::plan_of(p, most_ctas))),
        sums_(vectors_of<Kernel>(plan_)),
        arrivals_(static_cast<std::size_t>(plan_.tiles)) {
    arrivals_.set_bytes(0);
    gpu::check(cudaStreamSynchronize(nullptr));
  }

  /// @pre `p` has the shape of that at construction. Programmatic launch: no grid before writes the weights.
  void operator()(cudaStream_t stream, const Problem& p) const {
    const dma::TensorMapOptions options{.l2_bytes = Kernel::l2_bytes_of(p)};
    const typename Kernel::Maps maps{dma::tensor_map(p.w, Kernel::weights_of(p), options),
                                     dma::tensor_map(p.x, Kernel::inputs_of(p))};
    dma::launch(Kernel{}, {plan_.ctas}, stream, maps, p, plan_, Workspace{sums_.data(), arrivals_.data()});
  }

 private:
  Plan plan_;
  gpu::Array<dma::Vector<float>> sums_;
  gpu::Array<dma::ArrivalCounter> arrivals_;
};

/// Packs weights that are on the GPU.
///
/// @throw std::invalid_argument  for weights that are not packed so
template <class Element, int group, bool has_zeros, int bits = 4>
void pack(cudaStream_t stream, const Rows<Element>& from, Element* packed) {
  expect_packable(from, group, has_zeros);
  dma::launch(Pack<Element, group, has_zeros, bits>{}, {blocks_along_n(from.n) * blocks_along_k(from.k)}, stream, from,
              packed);
}

}  // namespace linear
