#pragma once

/// The sweep over one pattern: every shape there and back, and every byte compared.

#include <dma/dma.hpp>
#include <dma/machine/readable.hpp>

#include "device/device.hpp"
#include "device/matrix.cuh"
#include "kernels/round_trip.hpp"
#include "kernels/shapes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

constexpr unsigned char poison = 0xee;

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : bytes_(values.size() * sizeof(T)) {
    check(cudaMalloc(&data_, bytes_));
    check(cudaMemcpy(data_, values.data(), bytes_, cudaMemcpyHostToDevice));
  }
  OnDevice(std::size_t count, int byte) : bytes_(count * sizeof(T)) {
    check(cudaMalloc(&data_, bytes_));
    check(cudaMemset(data_, byte, bytes_));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> copy(bytes_ / sizeof(T));
    check(cudaMemcpy(copy.data(), data_, bytes_, cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  T* data_ = nullptr;
  std::size_t bytes_;
};

/// Runs every shape of a pattern there and back and counts the bytes that are wrong on either side.
template <class Pattern, class Warps, class Barrier, class Index = int, class Engine = round_trip::TheDefault>
void run(PatternResult& result) {
  const std::vector<Index> indices = shapes::indices_for<Index, Pattern>();
  std::vector<Pattern> shapes = shapes::all<Pattern>(indices);
  if constexpr (std::is_same_v<Engine, dma::TensorCopy<>>) {
    std::transform(shapes.begin(), shapes.end(), shapes.begin(), round_trip::filled_by_map<Pattern>);
  }
  std::erase_if(shapes, [](const Pattern& shape) { return !round_trip::is_moved<Engine>(shape); });
  const OnDevice<Index> device_indices(indices);
  std::vector<Pattern> moved = shapes;
  if constexpr (requires(Pattern p) { p.indices; }) {
    for (Pattern& shape : moved) {
      shape.indices = device_indices.data() + (shape.indices - indices.data());
    }
  }

  // Every load begins in the middle of `in`, every store in the middle of its own stretch of `out`.
  const std::size_t reach = shapes::reach(shapes);
  const std::size_t stretch = 2 * reach;
  std::vector<unsigned char> in(stretch);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
  }
  const OnDevice<Pattern> device_shapes(moved);
  const OnDevice<unsigned char> device_in(in);
  const OnDevice<unsigned char> device_out(stretch * shapes.size(), poison);
  const OnDevice<unsigned char> device_arrived(Pattern::tile_bytes * shapes.size(), poison);

  round_trip::Job<Pattern> job{device_shapes.data(),      static_cast<int>(shapes.size()), device_in.data() + reach,
                               device_out.data() + reach, static_cast<long long>(stretch), device_arrived.data()};
  std::vector<dma::TensorMap<Pattern>> maps(1);
  if constexpr (std::is_same_v<Engine, dma::TensorCopy<>>) {
    using Element = typename Pattern::Element;
    const dma::TensorMapOptions options{.outside = round_trip::outside_of<Pattern>};
    maps[0] = dma::tensor_map<Pattern>(reinterpret_cast<const Element*>(job.in), shapes[0], options);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      maps.push_back(dma::tensor_map<Pattern>(reinterpret_cast<Element*>(job.out + i * stretch), shapes[i], options));
    }
  }
  const OnDevice<dma::TensorMap<Pattern>> device_maps(maps);
  job.in_map = device_maps.data();
  job.out_maps = device_maps.data() + 1;
  dma::launch(round_trip::Body<Pattern, Warps, Barrier, Engine>{}, {100}, nullptr, job);
  check(cudaDeviceSynchronize());

  const std::vector<unsigned char> arrived = device_arrived.values();
  const std::vector<unsigned char> out = device_out.values();
  long long wrong = 0;
  std::vector<unsigned char> expected(stretch);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const unsigned char* const tile = arrived.data() + i * Pattern::tile_bytes;
    std::fill(expected.begin(), expected.end(), poison);
    shapes::visit(
        shapes[i],
        [&](long long global, int shared, int bytes) {
          const auto place = static_cast<std::size_t>(static_cast<long long>(reach) + global);
          for (int byte = 0; byte < bytes; ++byte) {
            wrong += tile[shared + byte] == in[place + static_cast<std::size_t>(byte)] ? 0 : 1;
            expected[place + static_cast<std::size_t>(byte)] =
                round_trip::is_stored<Engine>(shapes[i]) ? in[place + static_cast<std::size_t>(byte)] : poison;
          }
        },
        [&](int shared, const auto& value) { wrong += round_trip::holds(tile + shared, value) ? 0 : 1; });
    wrong +=
        std::equal(expected.begin(), expected.end(), out.begin() + static_cast<std::ptrdiff_t>(i * stretch)) ? 0 : 1;
  }
  result.cases += 2 * static_cast<long long>(shapes.size());
  result.wrong += wrong;
  if (wrong != 0 && result.first_failure.empty()) {
    result.first_failure =
        dma::machine::readable(dma::machine::type_name<round_trip::Body<Pattern, Warps, Barrier, Engine>>());
  }
}

/// By tensor maps, with DMA warps and without.
template <class Pattern, class Barrier = dma::CudaBarrier>
void run_by_tensor_maps(PatternResult& result) {
  run<Pattern, round_trip::WithDmaWarps, Barrier, int, dma::TensorCopy<>>(result);
  run<Pattern, round_trip::WithoutDmaWarps, Barrier, int, dma::TensorCopy<>>(result);
}

/// Each barrier once, with DMA warps and without.
template <class Pattern, class Index = int>
void run_both_ways(PatternResult& result) {
  run<Pattern, round_trip::WithDmaWarps, dma::NamedBarrier, Index>(result);
  run<Pattern, round_trip::WithoutDmaWarps, dma::CudaBarrier, Index>(result);
}
template <class Pattern, class Index = int>
void run_everywhere(PatternResult& result) {
  run_both_ways<Pattern, Index>(result);
  run<Pattern, round_trip::WithDmaWarps, dma::CudaBarrier, Index>(result);
  run<Pattern, round_trip::WithoutDmaWarps, dma::NamedBarrier, Index>(result);
}

}  // namespace
