#pragma once

/// One kernel under the paper's three bufferings, each of which records when its warps do what.

#include <dma/dma.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace trace {

using Tile = dma::Sequential<float, 2048>;

/// y = x + additions, one by one, so that a tile takes about as long to compute on as to load.
struct Problem {
  const float* x;
  float* y;
  int tiles;
  int additions;
};

template <class Buffering>
struct Adds {
  using Layout = typename Buffering::Layout;
  using Pipe = dma::DmaPipeline<Tile, Buffering, dma::Traced<dma::NamedBarrier>>;
  struct Shared {
    typename Pipe::Storage storage;
    dma::TraceState trace;
  };
  static constexpr int words = 8;  ///< elements that a thread has at a time

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Adds>& cta, const Problem& p, const dma::TraceBuffer& buffer) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    dma::start_trace(cta, buffer, shared.trace, shared.storage);
    pipe.for_each_tile(
        {.last = p.tiles},  //
        [&](const auto& dma, int t) { dma.load(p.x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = words * compute.rank(); i < tile.size(); i += words * compute.size()) {
            float sums[words];
            for (int j = 0; j < words; ++j) {
              sums[j] = tile[i + j];
            }
            for (int k = 0; k < p.additions; ++k) {
              for (float& sum : sums) {
                sum += 1.0F;
              }
            }
            for (int j = 0; j < words; ++j) {
              p.y[t * Tile::count + i + j] = sums[j];
            }
          }
        });
  }
};

using OneGroup = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using TwoGroups = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;

/// What a kernel recorded: room for every event of `tiles` tiles.
struct Recording {
  std::string_view name;
  int warps = 0;
  int events_a_warp = 0;
  std::vector<dma::TraceEvent> events{};

  [[nodiscard]] dma::TraceBuffer buffer() { return {events.data(), 1, events_a_warp}; }
};

/// Calls `run(kernel, recording)` for each buffering.
template <class Run>
void for_each_buffering(int tiles, const Run& run) {
  const auto record = [&](std::string_view name, const auto& kernel) {
    Recording recording{name, std::remove_reference_t<decltype(kernel)>::Layout::warps, 3 * tiles + 8};
    recording.events.resize(static_cast<std::size_t>(recording.warps * recording.events_a_warp));
    run(kernel, recording);
  };
  record("SingleBuffer", Adds<dma::SingleBuffer<OneGroup>>{});
  record("DoubleBuffer", Adds<dma::DoubleBuffer<TwoGroups>>{});
  record("ManualDoubleBuffer", Adds<dma::ManualDoubleBuffer<OneGroup>>{});
}

/// Calls `done` after each buffering has run over `p`, whose arrays are the host's. Returns the reason where there is
/// no GPU, empty otherwise.
using Done = std::function<void(Recording&)>;
std::string run_on_device(const Problem& p, const Done& done);

}  // namespace trace
