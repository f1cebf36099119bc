// The shapes of CudaDMA's own staging benchmark: small tiles in one slot or two, one compute warp, 64 CTAs an SM asked
// for, 32 tiles each.

#include "../examples/cudadma/small.cuh"
#include "by_hand/small.cuh"
#include "by_hand/stream.cuh"
#include "defaults.cuh"
#include "sweeps.hpp"

#include <stdexcept>
#include <string>

namespace bench {
namespace {

constexpr int ctas_an_sm = 64;
constexpr int tiles_a_cta = 32;

__global__ void add_up_values(long long first, long long count, unsigned long long* sum) {
  unsigned long long own = 0;
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += 256LL * gridDim.x) {
    own += static_cast<unsigned long long>(value_at(first + i));
  }
  atomicAdd(sum, own);
}

/// @param sums_a_cta  floats that a CTA leaves behind
/// @param run         run(stream, job): all of the job's tiles
template <class Run>
Subject small_subject(int tile_bytes, int sums_a_cta, const Run& run) {
  const int ctas = ctas_an_sm * sms();
  const long long elements = 1LL * ctas * tiles_a_cta * (tile_bytes / 4);
  const auto parts = static_cast<int>(windows * window_elements() / elements);
  if (parts < 2) {
    throw std::runtime_error("the buffers are too small on this GPU");
  }
  const auto job_of = [=](int part) {
    return Stream{input() + part * elements, output(), ctas * tiles_a_cta, 1.0F, 1.0F, 1.0F};
  };
  Subject subject;
  subject.bytes = 4.0 * static_cast<double>(elements);
  subject.launch = [=](cudaStream_t stream, int i) { run(stream, job_of(i % parts)); };
  subject.wrong = [=](cudaStream_t stream) {
    const auto expected = static_cast<double>(count_on_device(stream, [&](unsigned long long* sum) {
      add_up_values<<<1024, 256, 0, stream>>>((parts - 1) * elements, elements, sum);
    }));
    return wrong_sums(1LL * ctas * sums_a_cta, expected, stream, [&] { run(stream, job_of(parts - 1)); });
  };
  return subject;
}

std::string name_of(int tile_bytes, const std::string& rest) {
  return "small/bytes:" + std::to_string(tile_bytes) + "/" + rest;
}

/// Tiles of 512 bytes are read four ahead, which takes 34 to 39 registers: for as many CTAs an SM as its threads allow
/// the compiler keeps to 32.
template <class Warps, class Pipe>
void add_ours(const std::string& rest) {
  constexpr int tile_bytes = Pipe::Pattern::tile_bytes;
  constexpr int most_ctas = 2048 / Warps::threads;
  using Kernel = DefaultStream<Warps, Pipe, (tile_bytes <= 512 ? most_ctas : 1)>;
  add(name_of(tile_bytes, rest + "/by:dma"), [] {
    return small_subject(tile_bytes, 4 * Warps::compute_threads, [](auto stream, const Stream& job) {
      dma::launch(Kernel{}, {ctas_an_sm * sms()}, stream, job);
    });
  });
}

template <int TileBytes, int DmaWarps, int Slots>
void add_slots() {
  const std::string slots = "slots:" + std::to_string(Slots);
  add(name_of(TileBytes, slots + "/by:scheme_of_2011"), [] {
    return small_subject(TileBytes, 32, [](auto stream, const Stream& job) {
      launch(by_hand::small_of_2011<Slots, TileBytes, DmaWarps, tiles_a_cta>, ctas_an_sm * sms(), 32 + DmaWarps * 32, 0,
             stream, job.x, job.sums);
    });
  });
  add(name_of(TileBytes, slots + "/by:adapter"), [] {
    return small_subject(TileBytes, 32, [](auto stream, const Stream& job) {
      launch(cudadma_kernels::add_up_tiles<Slots, TileBytes, DmaWarps, tiles_a_cta>, ctas_an_sm * sms(),
             32 + DmaWarps * 32, 0, stream, job.x, job.sums);
    });
  });
  using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<DmaWarps>>;
  using Tile = dma::Sequential<float, TileBytes / 4>;
  using Buffering = dma::MultiBuffer<Warps, Slots>;
  using Registers = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = TileBytes < 2048 ? 4 : 1}>;
  add_ours<Warps, dma::DmaPipeline<Tile, Buffering, dma::NamedBarrier, Registers>>(slots +
                                                                                   "/engine:registers/barrier:named");
  add_ours<Warps, dma::DmaPipeline<Tile, Buffering, dma::CudaBarrier, Registers>>(slots +
                                                                                  "/engine:registers/barrier:mbarrier");
  add_ours<Warps, dma::DmaPipeline<Tile, Buffering>>(slots + "/engine:default");
}

template <int TileBytes, int DmaWarps>
void add_tile() {
  add(name_of(TileBytes, "by:plain"), [] {
    return small_subject(TileBytes, 32, [](auto stream, const Stream& job) {
      launch(by_hand::stream_plain<32, 32, TileBytes / 512>, ctas_an_sm * sms(), 32, 0, stream, job);
    });
  });
  add_slots<TileBytes, DmaWarps, 1>();
  add_slots<TileBytes, DmaWarps, 2>();
  using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, TileBytes / 4>;
  add_ours<Warps, dma::DmaPipeline<Tile, dma::MultiBuffer<Warps>>>("slots:automatic/engine:default");
  add_ours<Warps, dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, dma::AutomaticStages{.ctas_an_sm = 32}>>>(
      "slots:automatic_for_32_ctas/engine:default");
}

}  // namespace

void add_small() {
  add_tile<512, 1>();
  add_tile<4096, 2>();
}

}  // namespace bench
