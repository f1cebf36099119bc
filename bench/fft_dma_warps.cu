// Section 6.3 of the paper: a pass of radix 128 over 2^24 points with 16 compute and 8 DMA warps an SM, by 48 variants
// of what the DMA warps do, beside the same pass without DMA warps. The error is that of all results, as a root mean
// square, against cuFFT in double precision.

#include "../applications/fft/dma_warp_pass.hpp"
#include "../applications/fft/pass.hpp"
#include "copied.hpp"
#include "cufft.cuh"
#include "fft_error.cuh"
#include "fft_pass.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace bench {
namespace {

using fft::Complex;
using fft::PaperLoads;
using fft::PassShape;

constexpr int radix = 128;
constexpr long long columns = fft_pass::points / radix;
constexpr int dma_warps = 8;

/// Multiplies result k of column c, at k * columns + c, by exp(-2 pi i c k / points).
__global__ void turn_results(double2* results) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < fft_pass::points; i += step) {
    const long long turn = i / columns * (i % columns) % fft_pass::points;
    double sine = 0;
    double cosine = 0;
    sincospi(-2.0 * static_cast<double>(turn) / static_cast<double>(fft_pass::points), &sine, &cosine);
    const double2 x = results[i];
    results[i] = make_double2(x.x * cosine - x.y * sine, x.x * sine + x.y * cosine);
  }
}

/// What the pass makes of the first points of the input, in double precision.
[[nodiscard]] std::shared_ptr<double2> exact_results(bool is_last) {
  const std::shared_ptr<double2> points = device_array<double2>(fft_pass::points);
  const std::shared_ptr<double2> results = device_array<double2>(fft_pass::points);
  widen<<<1024, 256>>>(reinterpret_cast<const Complex*>(input()), points.get(), fft_pass::points);
  cufftHandle plan{};
  int extent = radix;
  const int distance = static_cast<int>(columns);
  check_fft(cufftPlanMany(&plan, 1, &extent, &extent, is_last ? 1 : distance, is_last ? radix : 1, &extent, distance, 1,
                          CUFFT_Z2Z, distance));
  check_fft(cufftExecZ2Z(plan, points.get(), results.get(), CUFFT_FORWARD));
  check_fft(cufftDestroy(plan));
  if (!is_last) {
    turn_results<<<1024, 256>>>(results.get());
  }
  check(cudaDeviceSynchronize());
  return results;
}

/// The error of what the pass has left in the output, relative to the results.
[[nodiscard]] double error_of_pass(const double2* exact, cudaStream_t stream) {
  return relative_error(reinterpret_cast<const Complex*>(output()), exact, fft_pass::points, stream);
}

/// `run(stream, pass, problem)` launches the pass of a shape, whose exact results are given.
template <class Run>
[[nodiscard]] Subject subject_of_pass(const PassShape& shape, const std::shared_ptr<double2>& exact, const Run& run) {
  Subject subject;
  subject.bytes = fft_pass::bytes;
  subject.launch = [=, pass = fft_pass::planned(shape)](cudaStream_t stream, int i) {
    run(stream, pass, fft_pass::problem_of(pass, i));
  };
  subject.wrong = [=, launch = subject.launch](cudaStream_t stream) -> std::string {
    poison(output(), 2 * fft_pass::points, stream);
    launch(stream, 0);
    const double error = error_of_pass(exact.get(), stream);
    return error < 1e-6 ? "" : "an error of " + std::to_string(error);
  };
  subject.error = [=](cudaStream_t stream) { return error_of_pass(exact.get(), stream); };
  return subject;
}

template <PassShape shape, class Pipe>
[[nodiscard]] Subject with_dma_warps(const std::shared_ptr<double2>& exact) {
  return subject_of_pass(shape, exact, [](cudaStream_t stream, const fft::PlannedPass& pass, const auto& problem) {
    dma::launch(fft::DmaWarpPass<shape, Pipe>{}, {sms()}, stream, problem, pass.tiles);
  });
}

[[nodiscard]] std::string name_of(const PaperLoads& loads) {
  return std::string(loads.bytes == 8 ? "float2" : "float4") +
         (loads.cache == dma::LoadCache::read_only ? ", read-only path, " : ", memory, ") +
         std::to_string(loads.points) + " points";
}

template <PassShape shape, PaperLoads loads>
[[nodiscard]] Subject variant_of_paper(const std::shared_ptr<double2>& exact) {
  Subject subject = with_dma_warps<shape, fft::PaperPipe<shape, loads, dma_warps>>(exact);
  if (const std::string wrong = subject.wrong(nullptr); !wrong.empty()) {
    throw std::runtime_error("wrong answer: " + name_of(loads) + ": " + wrong);
  }
  subject.label = name_of(loads);
  return subject;
}

/// The fastest of the paper's variants of one transpose. All rates are in the results.
template <PassShape shape>
[[nodiscard]] Subject best_of_paper() {
  const std::shared_ptr<double2> exact = exact_results(fft_pass::is_last(shape));
  std::vector<Subject> variants;
  const auto add_points = [&]<int bytes, dma::LoadCache cache>() {
    variants.push_back(variant_of_paper<shape, PaperLoads{bytes, 4, cache}>(exact));
    variants.push_back(variant_of_paper<shape, PaperLoads{bytes, 8, cache}>(exact));
    variants.push_back(variant_of_paper<shape, PaperLoads{bytes, 16, cache}>(exact));
  };
  add_points.template operator()<8, dma::LoadCache::standard>();
  add_points.template operator()<8, dma::LoadCache::read_only>();
  add_points.template operator()<16, dma::LoadCache::standard>();
  add_points.template operator()<16, dma::LoadCache::read_only>();
  return fastest_of(std::move(variants));
}

template <PassShape shape>
[[nodiscard]] Subject without_dma_warps() {
  return subject_of_pass(shape, exact_results(fft_pass::is_last(shape)),
                         [](cudaStream_t stream, const fft::PlannedPass& pass, const auto& problem) {
                           dma::launch(fft::Pass<shape>{}, {pass.ctas}, stream, problem);
                         });
}

/// One DMA warp, bulk copies and two buffers.
template <PassShape shape>
using BulkPipe =
    dma::DmaPipeline<fft::PassTile<shape>,
                     dma::MultiBuffer<dma::WarpLayout<dma::Compute<shape.threads() / dma::warp_size>, dma::Dma<1>>, 2>,
                     dma::CudaBarrier, dma::BulkCopy<>>;

[[nodiscard]] consteval PassShape two_an_sm(PassShape shape) {
  shape.ctas_an_sm = 2;
  return shape;
}

template <PassShape shape>
void add_pass() {
  const std::string name = std::string("fft_dma_warps/pass:") + (fft_pass::is_last(shape) ? "last" : "first") +
                           "/exchange:" + (shape.rounds == fft::Rounds::points ? "points" : "parts");
  add(name + "/by:paper", [] { return best_of_paper<shape>(); });
  add(name + "/by:bulk",
      [] { return with_dma_warps<shape, BulkPipe<shape>>(exact_results(fft_pass::is_last(shape))); });
  add(name + "/ctas:1/by:dma_all_warps", [] { return without_dma_warps<shape>(); });
  add(name + "/ctas:2/by:dma_all_warps", [] { return without_dma_warps<two_an_sm(shape)>(); });
}

}  // namespace

void add_fft_dma_warps() {
  constexpr PassShape first{.points = radix, .columns = 64};
  static_assert(first.threads() == 512);
  add_pass<first>();
  add_pass<fft::by_points(first)>();
  add_pass<fft::last(first)>();
  add_pass<fft::last(fft::by_points(first))>();
  add("fft_dma_warps/by:memcpy", [] { return driver_copy(2 * fft_pass::points); });
}

}  // namespace bench
