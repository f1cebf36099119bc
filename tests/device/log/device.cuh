#pragma once

#include "logged.hpp"

#include <dma/dma.hpp>
#include <dma/machine/device_log.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace logged {

inline void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

/// Memory of the GPU, zero at first.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
    check(cudaMemset(data_, 0, count * sizeof(T)));
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(data_); }

  [[nodiscard]] T* get() const { return static_cast<T*>(data_); }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  void* data_ = nullptr;
};

/// Runs kernels on the GPU and keeps what they log.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() {
    for (void* const data : arrays_) {
      cudaFree(data);
    }
  }

  template <class T>
  [[nodiscard]] T* array(long long count) {
    void* data = nullptr;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    check(cudaMalloc(&data, bytes));
    check(cudaMemset(data, 0, bytes));
    arrays_.push_back(data);
    return static_cast<T*>(data);
  }
  template <class T>
  [[nodiscard]] T* copy_of(const std::vector<T>& values) {
    T* const data = array<T>(static_cast<long long>(values.size()));
    check(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return data;
  }
  template <class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const float* data, const Pattern& pattern) const {
    return dma::tensor_map<Pattern>(data, pattern);
  }
  template <class Kernel, class... Args>
  void run(std::string name, const Kernel& kernel, dma::Index3 grid, Args... args) {
    constexpr int capacity = 1000;
    const int threads = grid.x * grid.y * grid.z * Kernel::Layout::threads;
    const Array<dma::machine::LoggedStep> steps(static_cast<std::size_t>(threads) * capacity);
    const Array<int> counts(static_cast<std::size_t>(threads));
    const dma::machine::DeviceLog log{steps.get(), counts.get(), capacity};
    check(cudaMemcpyToSymbol(dma::machine::device_log, &log, sizeof log));
    dma::launch(kernel, grid, nullptr, args...);
    check(cudaDeviceSynchronize());

    LoggedRun run{std::move(name), grid, Kernel::Layout::threads};
    const std::vector<dma::machine::LoggedStep> all = steps.values();
    for (const int count : counts.values()) {
      if (count > capacity) {
        throw std::runtime_error(run.name + ": a thread logs " + std::to_string(count) + " steps; give it more room");
      }
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(run.steps.size()) * capacity;
      run.steps.emplace_back(first, first + count);
    }
    runs_.push_back(std::move(run));
  }

  [[nodiscard]] std::vector<LoggedRun> runs() && { return std::move(runs_); }

 private:
  std::vector<void*> arrays_;
  std::vector<LoggedRun> runs_;
};

}  // namespace logged
