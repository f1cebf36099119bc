#include "device/device.hpp"
#include "device/matrix.cuh"
#include "rows/rows_cases.hpp"

#include <dma/launch/launch.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace {

/// Memory that both the CPU and the GPU read and write.
template <class T>
struct Managed {
  using value_type = T;

  Managed() = default;
  template <class U>
  explicit Managed(const Managed<U>&) {}

  [[nodiscard]] T* allocate(std::size_t elements) const {
    void* memory = nullptr;
    check(cudaMallocManaged(&memory, elements * sizeof(T)));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) const { cudaFree(memory); }
  bool operator==(const Managed&) const = default;
};

struct Gpu {
  template <class T>
  using Vector = std::vector<T, Managed<T>>;

  template <class Kernel, class... Arguments>
  void launch(const Kernel& kernel, int ctas, const Arguments&... arguments) const {
    dma::launch(kernel, {ctas}, nullptr, arguments...);
    check(cudaDeviceSynchronize());
  }
};

}  // namespace

std::vector<ErrorResult> run_rows() {
  using namespace rows_cases;
  constexpr Gpu gpu;
  return {
      {"rows of a warp", worst_of_all<warp_plan>(gpu, 1018)},
      {"rows of eight lanes", worst_of_all<eight_lanes_plan>(gpu, 1018)},
      {"rows of sixteen lanes, of bfloat16",
       layer_norm_error<BFloat16, sixteen_lanes_plan>(gpu, 507) / most_bf16_error},
      {"rows of several warps", worst_of_all<warps_plan>(gpu, 505)},
      {"rows of a CTA", worst_of_all<cta_plan>(gpu, 505)},
      {"rows of a cluster", worst_of_all<cluster_plan>(gpu, 103)},
      {"rows of a cluster, more sums than lanes", layer_norm_error<float, many_sums_plan>(gpu, 33) / most_error},
      {"rows of a cluster, one row ahead", worst_of_all<long_plan>(gpu, 103)},
      {"rows of a cluster, one row ahead in two slots", worst_of_all<two_slots_plan>(gpu, 104)},
      {"layer norm of bfloat16", layer_norm_error<BFloat16, warp_plan>(gpu, 105) / most_bf16_error},
      {"RMS norm of bfloat16, a cluster a row", rms_norm_error<BFloat16, bf16_plan>(gpu, 33) / most_bf16_error},
      {"backward of layer norm, a warp a row",
       backward_error<LayerNormBackward<float>, warp_plan>(gpu, 118) / most_gradient_error},
      {"backward of layer norm, a cluster a row",
       backward_error<LayerNormBackward<float>, cluster_plan>(gpu, 35) / most_gradient_error},
      {"backward of RMS norm", backward_error<RmsNormBackward<float>, pieces_plan>(gpu, 105) / most_gradient_error},
  };
}
