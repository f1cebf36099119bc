// VkFFT's CUDA backend. It calls the driver, whose functions are found through the runtime: nothing is linked against
// libcuda, so that the program starts on a machine without a driver.

#include "vkfft.hpp"

#include "measure.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <cuda.h>

namespace bench {
namespace {

template <class Function>
[[nodiscard]] Function* driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    throw std::runtime_error(std::string("bench: the driver has no ") + name);
  }
  return reinterpret_cast<Function*>(entry);
}

}  // namespace
}  // namespace bench

// The names that VkFFT calls. cuda.h defines two of them as macros that add a version.
#define DMA_BENCH_DRIVER(name) (*::bench::driver_function<decltype(::name)>(#name))
[[nodiscard]] static auto& device_attribute() { return DMA_BENCH_DRIVER(cuDeviceGetAttribute); }
[[nodiscard]] static auto& function_attribute() { return DMA_BENCH_DRIVER(cuFuncSetAttribute); }
[[nodiscard]] static auto& copy_to_device() { return DMA_BENCH_DRIVER(cuMemcpyHtoD); }
[[nodiscard]] static auto& function_of_module() { return DMA_BENCH_DRIVER(cuModuleGetFunction); }
[[nodiscard]] static auto& variable_of_module() { return DMA_BENCH_DRIVER(cuModuleGetGlobal); }
[[nodiscard]] static auto& load_module() { return DMA_BENCH_DRIVER(cuModuleLoadDataEx); }
[[nodiscard]] static auto& unload_module() { return DMA_BENCH_DRIVER(cuModuleUnload); }
[[nodiscard]] static auto& launch_kernel() {
  static auto& found = DMA_BENCH_DRIVER(cuLaunchKernel);  // called at each launch
  return found;
}
#undef cuMemcpyHtoD
#undef cuModuleGetGlobal
#define cuDeviceGetAttribute device_attribute()
#define cuFuncSetAttribute function_attribute()
#define cuMemcpyHtoD copy_to_device()
#define cuModuleGetFunction function_of_module()
#define cuModuleGetGlobal variable_of_module()
#define cuModuleLoadDataEx load_module()
#define cuModuleUnload unload_module()
#define cuLaunchKernel launch_kernel()
#define VKFFT_BACKEND 1
#include <vkFFT.h>

namespace bench {
namespace {

void check_vkfft(VkFFTResult result) {
  if (result != VKFFT_SUCCESS) {
    throw std::runtime_error("bench: VkFFT returned " + std::to_string(result));
  }
}

/// A plan and what it refers to, also between two transforms.
class VkFft {
 public:
  VkFft(long long points, int coalesced_bytes) : bytes_(static_cast<std::uint64_t>(points) * sizeof(fft::Complex)) {
    VkFFTConfiguration configuration{};
    configuration.FFTdim = 1;
    configuration.size[0] = static_cast<std::uint64_t>(points);
    configuration.device = &device_;
    configuration.stream = &stream_;
    configuration.num_streams = 1;
    configuration.buffer = &to_;
    configuration.bufferSize = &bytes_;
    configuration.isInputFormatted = 1;  // out of place
    configuration.inputBuffer = &from_;
    configuration.inputBufferSize = &bytes_;
    configuration.inputBufferStride[0] = configuration.size[0];
    configuration.makeForwardPlanOnly = 1;
    configuration.coalescedMemory = static_cast<std::uint64_t>(coalesced_bytes);
    check_vkfft(initializeVkFFT(&application_, configuration));
  }
  VkFft(const VkFft&) = delete;
  VkFft& operator=(const VkFft&) = delete;
  ~VkFft() {
    // At the end of the program the runtime may be gone, and what VkFFT would free with it.
    int device = 0;
    if (cudaGetDevice(&device) == cudaSuccess) {
      deleteVkFFT(&application_);
    }
  }

  void transform(cudaStream_t stream, const fft::Complex* from, fft::Complex* to) {
    stream_ = stream;
    from_ = const_cast<fft::Complex*>(from);  // not written to: the transform is out of place
    to_ = to;
    VkFFTLaunchParams parameters{};
    parameters.inputBuffer = &from_;
    parameters.buffer = &to_;
    constexpr int forward = -1;
    check_vkfft(VkFFTAppend(&application_, forward, &parameters));
  }

 private:
  std::uint64_t bytes_;
  CUdevice device_ = 0;
  cudaStream_t stream_{};
  void* from_ = nullptr;
  void* to_ = nullptr;
  VkFFTApplication application_{};
};

}  // namespace

VkFftTransform vkfft_transform(long long points, int coalesced_bytes) {
  const auto plan = std::make_shared<VkFft>(points, coalesced_bytes);
  return [plan](cudaStream_t stream, const fft::Complex* from, fft::Complex* to) { plan->transform(stream, from, to); };
}

}  // namespace bench
