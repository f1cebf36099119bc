// Section 5 of the paper: CudaDMA's strided transfer, over sizes, counts and strides of its elements, by each of its
// three implementations. 16 compute and 4 DMA warps, two CTAs an SM. The tiles of a launch hold each byte of a window
// once, whatever the stride.

#include "by_hand/elements.cuh"
#include "dma_stream.cuh"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <string>

namespace bench {
namespace {

constexpr int compute_warps = 16;
constexpr int dma_warps = 4;
constexpr int dma_threads = dma_warps * 32;
constexpr int ctas = 2;  // an SM
using Warps = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<dma_warps>>;

/// Elements of `Size` bytes, `Count` of them a tile and `Stride` bytes apart.
template <int Size, int Count, int Stride>
struct Elements {
  using Tile = dma::Strided<float, Size / 4, Count>;
  static constexpr int width = Size < 16 ? Size : 16;
  static constexpr int loads = Tile::tile_bytes / width / dma_threads;  ///< of a DMA thread: all are in flight
  static constexpr int tiles_side_by_side = Stride / Size;

  [[nodiscard]] DMA_DEVICE static const float* first(const float* x, int tile) {
    const long long block = tile / tiles_side_by_side;
    return x + block * (Count * (Stride / 4)) + tile % tiles_side_by_side * (Size / 4);
  }
};

template <class Shape, int Stride, class Pipe>
struct DmaElements {
  static constexpr dma::KernelTraits traits{.min_ctas = ctas};
  using Layout = Warps;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaElements>& cta, const Stream& job) const {
#if defined(__CUDA_ARCH__)
    constexpr int elements = Shape::Tile::tile_bytes / 4 / Warps::compute_threads;  // of a thread
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    float sums[4] = {};
    pipe.for_each_tile(
        cta.tiles(job.tiles), [&](const auto& dma, int t) { dma.load(Shape::first(job.x, t), {Stride}); },
        [&](const auto& compute, int) {
          auto tile = compute.wait();
          float v[elements];
          read_elements<elements % 4 == 0 ? 16 : 4, Warps::compute_threads>(tile.data(), compute.rank(), v);
          tile.release();
          multiply_add<1>(v, job, sums);
        });
    if (cta.warp() < compute_warps) {
      write_sum(job, cta.thread(), Warps::compute_threads, sums);
    }
#endif
  }
};

template <int Size, int Count, int Stride>
void add_elements() {
  using Shape = Elements<Size, Count, Stride>;
  using Tile = typename Shape::Tile;
  const auto add_by = [&]<class Pipe>(const std::string& by) {
    add("strided_forms/size:" + std::to_string(Size) + "/count:" + std::to_string(Count) +
            "/stride:" + std::to_string(Stride) + "/by:" + by,
        [] { return dma_stream_subject<DmaElements<Shape, Stride, Pipe>, 1, Tile::tile_bytes>(ctas * sms()); });
  };
  const auto add_in_one_buffer = [&]<class Engine>(const std::string& by) {
    add_by.template operator()<dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::NamedBarrier, Engine>>(by);
  };
  constexpr int warp_bytes = 32 * Shape::width;
  if constexpr (Size < warp_bytes) {
    add_in_one_buffer.template operator()<by_hand::ElementsByLanes<Size / Shape::width>>("several_elements_a_warp");
  }
  add_in_one_buffer.template operator()<by_hand::ElementsByLanes<32>>("warp_an_element");
  if constexpr (Size > warp_bytes) {
    constexpr int warps = Size / warp_bytes < dma_warps ? Size / warp_bytes : dma_warps;
    add_in_one_buffer.template operator()<by_hand::ElementsByLanes<32 * warps>>("several_warps_an_element");
  }
  add_in_one_buffer.template operator()<dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = Shape::loads}>>(
      "dma");
  add_by.template operator()<dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, dma::AutomaticStages{.ctas_an_sm = ctas}>>>(
      "dma_default");
}

/// As many bytes one after another.
template <int TileBytes>
void add_sequential() {
  constexpr int compute_bytes = TileBytes / Warps::compute_threads;
  using Engine = dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = TileBytes / 16 / dma_threads}>;
  using Body = DmaStream<1, Warps, ctas, TileBytes, 1, compute_bytes % 16 == 0 ? 16 : 4, dma::NamedBarrier, Engine>;
  add("strided_forms/size:" + std::to_string(TileBytes) + "/count:1/by:sequential",
      [] { return dma_stream_subject<Body, 1, TileBytes>(ctas * sms()); });
}

}  // namespace

void add_strided_forms() {
  add_elements<4, 2048, 16>();
  add_elements<16, 512, 64>();
  add_elements<64, 128, 256>();
  add_elements<256, 32, 1024>();
  add_elements<1024, 8, 4096>();
  add_elements<4096, 2, 16384>();
  add_elements<256, 8, 1024>();
  add_elements<256, 32, 512>();
  add_elements<256, 32, 2048>();
  add_sequential<8192>();
  add_sequential<2048>();
}

}  // namespace bench
