#pragma once

/// GPU helpers for the programs that measure: errors as exceptions, whether there is a GPU, arrays in its memory, and
/// the median time of work in a stream.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace gpu {

inline void check(cudaError_t error, const char* what = "CUDA") {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
  }
}

/// The first GPU, and a stream of it.
struct Device {
  Device() {
    check(cudaGetDeviceProperties(&properties, 0));
    check(cudaStreamCreate(&stream));
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { cudaStreamDestroy(stream); }

  cudaDeviceProp properties{};
  cudaStream_t stream{};
};

#if defined(__CUDACC__)
namespace {

__global__ void nothing() {}

/// The compute capabilities for which nvcc compiles this unit: "9.0", or "8.0 and 9.0".
[[maybe_unused]] std::string capabilities_of_program() {
  std::string text;
  for (const int architecture : {__CUDA_ARCH_LIST__}) {
    text += (text.empty() ? "" : " and ") + std::to_string(architecture / 100) + '.' +
            std::to_string(architecture % 100 / 10);
  }
  return text;
}

/// Why no kernel of this unit can run here, because there is no GPU or because it was compiled for another one; empty
/// where one can. A function of each unit: units of a program may be compiled for different GPUs.
[[nodiscard, maybe_unused]] std::string missing() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return "no NVIDIA driver";
  }
  int devices = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    return error != cudaSuccess ? cudaGetErrorString(error) : "no CUDA device";
  }
  cudaFuncAttributes attributes{};
  error = cudaFuncGetAttributes(&attributes, nothing);
  if (error == cudaSuccess) {
    return {};
  }
  static_cast<void>(cudaGetLastError());
  if (error != cudaErrorNoKernelImageForDevice && error != cudaErrorInvalidDeviceFunction) {
    return cudaGetErrorString(error);
  }
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  const std::string its = std::to_string(device.major) + '.' + std::to_string(device.minor);
  return "this program was built for compute capability " + capabilities_of_program() + ", and the " + device.name +
         " has " + its + "; unless its kernels need another GPU, build it with -D CMAKE_CUDA_ARCHITECTURES=" +
         std::to_string(device.major) + std::to_string(device.minor) + (device.major >= 9 ? "a" : "");
}

/// The program's only `Runner`, or null and the reason where it cannot run here.
template <class Runner>
[[nodiscard]] Runner* only_runner(std::string& reason) {
  reason = missing();
  if (!reason.empty()) {
    return nullptr;
  }
  static Runner runner;
  return &runner;
}

}  // namespace
#endif

/// An array in the GPU's memory, released with this object.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t count) : count_(count) {
    if (count != 0) {
      check(cudaMalloc(&data_, bytes()));
    }
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Array() { cudaFree(data_); }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }
  /// Sets every byte: 0xff makes floats NaN.
  void set_bytes(int value) const { check(cudaMemset(data_, value, bytes())); }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

// Arrays of programs that keep them to their end.
template <class T>
[[nodiscard]] T* device_array(std::size_t count) {
  void* array = nullptr;
  check(cudaMalloc(&array, count * sizeof(T)));
  return static_cast<T*>(array);
}
template <class T>
[[nodiscard]] T* device_copy(const std::vector<T>& values) {
  T* const array = device_array<T>(values.size());
  check(cudaMemcpy(array, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return array;
}

/// Median seconds between two events around `work`, which enqueues into `stream`; the first runs warm up.
template <class Work>
[[nodiscard]] double median_seconds(cudaStream_t stream, const Work& work) {
  cudaEvent_t start{};
  cudaEvent_t stop{};
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  constexpr int warm_up = 2;
  constexpr int samples = 9;
  std::vector<double> seconds;
  for (int i = 0; i < warm_up + samples; ++i) {
    check(cudaEventRecord(start, stream));
    work();
    check(cudaEventRecord(stop, stream));
    check(cudaEventSynchronize(stop));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    if (i >= warm_up) {
      seconds.push_back(milliseconds * 1e-3);
    }
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::nth_element(seconds.begin(), seconds.begin() + samples / 2, seconds.end());
  return seconds[samples / 2];
}

}  // namespace gpu
