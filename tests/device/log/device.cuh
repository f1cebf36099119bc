#pragma once

#include "../../../examples/gpu.hpp"
#include "logged.hpp"

#include <dma/dma.hpp>
#include <dma/machine/gpu/device_log.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace logged {

using gpu::check;

/// Runs kernels on the GPU and keeps what they log.
class Device {
 public:
  template <class T>
  [[nodiscard]] T* array(long long count) {
    const gpu::Array<char>& array = arrays_.emplace_back(static_cast<std::size_t>(count) * sizeof(T));
    array.set_bytes(0);
    return reinterpret_cast<T*>(array.data());
  }
  template <class T>
  [[nodiscard]] T* copy_of(const std::vector<T>& values) {
    T* const data = array<T>(static_cast<long long>(values.size()));
    check(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return data;
  }
  template <class Element, class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Element* data, const Pattern& pattern) const {
    return dma::tensor_map<Pattern>(data, pattern);
  }
  template <class Pattern, class... Arrays>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Arrays&... arrays) const {
    return dma::tensor_map<Pattern>(arrays...);
  }
  template <class Kernel, class... Args>
  void run(std::string name, const Kernel& kernel, dma::Index3 grid, Args... args) {
    constexpr int capacity = 1000;
    const int threads = grid.x * grid.y * grid.z * Kernel::Layout::threads;
    const gpu::Array<dma::machine::LoggedStep> steps(static_cast<std::size_t>(threads) * capacity);
    const gpu::Array<int> counts(static_cast<std::size_t>(threads));
    steps.set_bytes(0);
    counts.set_bytes(0);
    const dma::machine::DeviceLog log{steps.data(), counts.data(), capacity};
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
  std::vector<gpu::Array<char>> arrays_;
  std::vector<LoggedRun> runs_;
};

}  // namespace logged
