// What dma::tuning::tune finds for the layer norm of examples/tune.

#include "../applications/rows/layer_norm/launch.cuh"
#include "../examples/tune/layer_norm.hpp"
#include "sweeps.hpp"
#include "tuned.cuh"

namespace bench {
namespace {

using tuned_layer_norm::columns;
constexpr float epsilon = 1e-5F;

/// Scale and shift are the last rows of the input.
struct LaunchNorm {
  int rows;
  const float* scale;
  const float* shift;

  template <dma::tuning::Variant V>
  void operator()(cudaStream_t stream, int i) const {
    dma::launch(tuned_layer_norm::Kernel<V>{}, {rows}, stream, input(i), scale, shift, output(i % windows), rows,
                epsilon);
  }
};

TunedProblem<LaunchNorm> layer_norm() {
  const int rows = static_cast<int>(window_elements() / columns);
  const float* const scale = input() + windows * window_elements() - 2 * columns;
  const float* const shift = scale + columns;
  return {.launch = {rows, scale, shift},
          .plain =
              [=](cudaStream_t stream, float* answer) {
                launch_plain_layer_norm<columns>(stream, input(), scale, shift, answer, rows, epsilon);
              },
          .elements = 1LL * rows * columns,
          .tolerance = 0.05F,  // of elements that are several thousand
          .bytes = 8.0 * rows * columns};
}

}  // namespace

void add_tuned_layer_norm() {
  add_searches<tuned_layer_norm::variants>("tune/layer_norm/cols:" + std::to_string(columns), layer_norm);
}

}  // namespace bench
