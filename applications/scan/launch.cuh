#pragma once

#include "../../examples/gpu.hpp"
#include "kernels.hpp"

#include <dma/dma.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <cuda_runtime.h>

namespace scan {

// The fastest on an H200. A tile has 16 KB, of which there are 256 at most, or 32 KB in a stream.
inline constexpr TilePlan plan_of_tiles{.warps = 8, .vectors = 4};
inline constexpr int stages = 2;
inline constexpr int ctas_an_sm = 2;
template <class T>
[[nodiscard]] constexpr TilePlan plan_of_stream(bool is_aligned) {
  return {.warps = 8, .vectors = sizeof(T) == 16 ? 6 : 8, .looks = 2, .is_aligned = is_aligned};
}

/// Scans arrays of up to so many elements: one launch, a CUDA graph can have it. An object owns the tiles' sums, so
/// that its launches follow one another; beside each other run those of two objects.
template <class Operation, Kind kind>
class Scanner {
 public:
  using T = typename Operation::Value;
  using Tiles = ScanTiles<Operation, kind, plan_of_tiles>;
  using Stream = ScanStream<Operation, kind, plan_of_stream<T>(true), stages, ctas_an_sm>;
  using Unaligned = ScanStream<Operation, kind, plan_of_stream<T>(false), stages, ctas_an_sm>;

  /// @throw std::runtime_error  there is no GPU, or too little memory
  explicit Scanner(long long most_elements)
      : most_(most_elements),
        room_(std::max(most_tiles, static_cast<int>(most_elements / Stream::Tile::elements + 1))),
        words_(1 + static_cast<std::size_t>(room_) * (sizeof(T) / 4)),
        ctas_(std::min(dma::occupancy<Stream, Job<T>>().ctas, Stream::most_ctas)),
        unaligned_ctas_(std::min(dma::occupancy<Unaligned, Job<T>>().ctas, Unaligned::most_ctas)) {
    words_.set_bytes(0);
    gpu::check(cudaStreamSynchronize(nullptr));
  }

  /// y[i] is `first` combined with x[0] to x[i], exclusive to x[i - 1]. y may be x.
  ///
  /// @throw std::invalid_argument  more elements than the object has room for
  void operator()(cudaStream_t stream, const T* x, T* y, long long elements, T first = Operation::nothing()) const {
    if (elements < 0 || elements > most_) {
      throw std::invalid_argument("scan: more elements than the scanner was made for; make one for as many");
    }
    if (elements == 0) {
      return;
    }
    const Job<T> job{x, y, elements, first, {words_.data(), words_.data() + 1, room_}};
    if ((reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % 16 != 0) {
      launch<Unaligned>(stream, job, unaligned_ctas_);
    } else if (elements <= static_cast<long long>(most_tiles) * Tiles::Tile::elements) {
      launch<Tiles>(stream, job, most_tiles);
    } else {
      launch<Stream>(stream, job, ctas_);
    }
  }

 private:
  static constexpr int most_tiles = Tiles::most_tiles;

  template <class Kernel>
  static void launch(cudaStream_t stream, const Job<T>& job, int most_ctas) {
    const long long tiles = (job.elements + Kernel::Tile::elements - 1) / Kernel::Tile::elements;
    dma::launch(Kernel{}, {static_cast<int>(std::min<long long>(tiles, most_ctas))}, stream, job);
  }

  long long most_;
  int room_;
  gpu::Array<unsigned long long> words_;
  int ctas_;
  int unaligned_ctas_;
};

}  // namespace scan
