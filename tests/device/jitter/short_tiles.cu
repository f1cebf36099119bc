#include "holes.hpp"

#include <dma/dma.hpp>

#include "kernels/matrix.hpp"

#include <cstddef>

#include <cuda_runtime.h>

namespace {

using Pipe = dma::DmaPipeline<streams::Strided, streams::Single, dma::CudaBarrier, dma::RegisterCopy<>>;
using Kernel = streams::OnePipeline<Pipe, streams::Style::one_body>;

}  // namespace

long long wrong_of_short_tiles(int seeds) {
  constexpr int trips = 300;
  constexpr int short_every = 3;
  constexpr unsigned seed_of_job = 11;
  const streams::Buffers<streams::Strided> host(trips, short_every);
  const std::size_t bytes = host.in.size() * sizeof(float);
  float* in = nullptr;
  float* out = nullptr;
  if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) {
    return -1;
  }
  cudaMemcpy(in, host.in.data(), bytes, cudaMemcpyHostToDevice);
  long long wrong = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    cudaMemcpy(out, host.out.data(), bytes, cudaMemcpyHostToDevice);
    if (dma::set_jitter_seed(static_cast<unsigned>(seed)) != cudaSuccess) {
      return -1;
    }
    dma::launch(Kernel{}, {1}, nullptr, streams::Job{in, out, trips, short_every, seed_of_job, 0});
    streams::Buffers<streams::Strided> result = host;
    if (cudaMemcpy(result.out.data(), out, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) {
      return -1;
    }
    wrong += result.wrong();
  }
  cudaFree(in);
  cudaFree(out);
  return wrong;
}
