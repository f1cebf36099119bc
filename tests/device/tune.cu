#include <dma/dma.hpp>
#include <dma/tune/tune.hpp>

#include "device/device.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

namespace {

/// Doubles a row of tiles. One shape of it is wrong on purpose, and one reads its input again and again, so that their
/// times differ.
template <dma::tuning::Variant V>
struct TunedScale {
  using Layout = dma::tuning::Layout<V>;
  using Tile = dma::Sequential<float, V.tile_bytes / 4>;
  using Pipe = dma::tuning::Pipeline<V, Tile>;
  static constexpr dma::KernelTraits traits{.min_ctas = V.ctas_per_sm};
  static constexpr bool is_wrong = V.stages == 3;
  static constexpr int passes = V.stages == 1 ? 4 : 1;

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TunedScale>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    for (int pass = 0; pass < passes; ++pass) {
      pipe.for_each_tile(
          cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
          [&](const auto& compute, int t) {
            const auto slot = compute.wait();
            for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
              y[t * Tile::count + i] = (is_wrong && t == 0 && i == 0 ? 3 : 2) * slot[i];
            }
          });
    }
  }
};

constexpr dma::tuning::Space space{.tile_bytes = {4096, 64 * 1024}, .stages = {2, 1, 3, 4}, .compute_warps = {2, 4}};
constexpr auto fitting = dma::tuning::select<space>([](dma::tuning::Variant v) { return v.fits_an_sm(); });

}  // namespace

TuneOutcome tune_scale() {
  constexpr int count = 1 << 20;
  constexpr int sms = 64;
  float* x = nullptr;
  float* y = nullptr;
  cudaMalloc(&x, count * sizeof *x);
  cudaMalloc(&y, count * sizeof *y);
  std::vector<float> ones(count, 1.0F);
  cudaMemcpy(x, ones.data(), count * sizeof *x, cudaMemcpyHostToDevice);

  const dma::tuning::Report report = dma::tuning::tune<fitting>(
      [&]<dma::tuning::Variant V>(cudaStream_t stream, int) {
        dma::launch(TunedScale<V>{}, {sms * V.ctas_per_sm}, stream, x, y, count * 4 / V.tile_bytes);
      },
      {.seconds = 5, .bytes = 8.0 * count, .answer = dma::tuning::answer(y, count)});
  cudaFree(x);
  cudaFree(y);

  TuneOutcome outcome;
  outcome.text = report.to_text();
  outcome.excluded = report.excluded;
  outcome.best = dma::tuning::to_text(report.best().variant);
  outcome.best_has_the_least_median = report.best().variant.stages != 3;
  for (const dma::tuning::Report<>::Entry& each : report.variants) {
    // A variant with fewer rounds was dropped when its median was too far from the least of its time.
    const bool may_be_best = each.refused.empty() && each.rounds >= report.best().rounds;
    outcome.best_has_the_least_median &=
        !may_be_best || (each.rounds == report.best().rounds && each.seconds >= report.best().seconds);
    if (each.variant.stages == 3) {
      outcome.wrong_refused += each.refused.find("differs from the first variant's by 0.5") != std::string::npos;
    } else {
      outcome.right_measured += each.refused.empty() && each.seconds > 0;
    }
  }
  return outcome;
}
