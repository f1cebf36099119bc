#pragma once

#include "../../examples/gpu.hpp"
#include "plan.hpp"

#include <dma/dma.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

#include <cuda_runtime.h>

namespace scan {

/// Launches of the kernels of one kind of tile, over arrays of up to so many elements: one launch, a CUDA graph can
/// have it. An object owns the tiles' sums, so that its launches follow one another; beside each other run those of two
/// objects.
///
/// @tparam Kernels  those of one kind of tile, as `ScanKernels`
template <class Kernels>
class Launcher {
  using Tiles = typename Kernels::template Tiles<true>;
  using Stream = typename Kernels::template Stream<true>;
  using Unaligned = typename Kernels::template Stream<false>;
  static constexpr int least_tile = std::min(Stream::Tile::elements, Unaligned::Tile::elements);

 public:
  using Job = typename Tiles::Tile::Job;

  /// @throw std::runtime_error  there is no GPU, or too little memory
  explicit Launcher(long long most_elements)
      : most_(most_elements),
        room_(std::max(Tiles::most_tiles, static_cast<int>(most_elements / least_tile + 1))),
        words_(1 + static_cast<std::size_t>(room_) * (sizeof(typename Tiles::Sum) / 4)),
        ctas_(std::min(dma::occupancy<Stream, Job>().ctas, Stream::most_ctas)),
        unaligned_ctas_(std::min(dma::occupancy<Unaligned, Job>().ctas, Unaligned::most_ctas)) {
    words_.set_bytes(0);
    gpu::check(cudaStreamSynchronize(nullptr));
  }

  /// The sums of a launch over so many elements.
  ///
  /// @throw std::invalid_argument  more elements than the object has room for
  [[nodiscard]] TileSums sums(long long elements) const {
    if (elements < 0 || elements > most_) {
      throw std::invalid_argument("scan: more elements than the scanner was made for; make one for as many");
    }
    return {words_.data(), words_.data() + 1, room_};
  }
  /// @param is_aligned  whether the arrays begin on 16 bytes
  void operator()(cudaStream_t stream, const Job& job, bool is_aligned) const {
    with_kernel<Kernels>(job.elements, is_aligned, [&]<class Kernel>(const Kernel& kernel) {
      dma::launch(kernel, {ctas_of<Kernel>(job.elements, most_ctas<Kernel>())}, stream, job);
    });
  }

 private:
  template <class Kernel>
  [[nodiscard]] int most_ctas() const {
    if constexpr (!Kernel::traits.cooperative) {
      return Kernel::most_tiles;
    } else {
      return std::is_same_v<Kernel, Stream> ? ctas_ : unaligned_ctas_;
    }
  }

  long long most_;
  int room_;
  gpu::Array<unsigned long long> words_;
  int ctas_;
  int unaligned_ctas_;
};

}  // namespace scan
