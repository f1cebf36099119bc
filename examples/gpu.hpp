#pragma once

/// GPU helpers for the examples that measure: errors as exceptions, whether there is a GPU, arrays in its memory, and
/// the median time of work in a stream.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace gpu {

inline void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
  }
}

/// Why there is no GPU; empty where there is one.
[[nodiscard]] inline std::string missing() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return "no NVIDIA driver";
  }
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  return error != cudaSuccess ? cudaGetErrorString(error) : devices == 0 ? "no CUDA device" : "";
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

/// The program's only `Runner`, or null and the reason where there is no GPU.
template <class Runner>
[[nodiscard]] Runner* only_runner(std::string& reason) {
  reason = missing();
  if (!reason.empty()) {
    return nullptr;
  }
  static Runner runner;
  return &runner;
}

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
