// Shapes that are only loaded: blocks of a matrix, and rows of a table by a list. One CTA an SM, 8 compute warps that
// add up; the ceiling is the same bytes one after another.

#include "by_hand/rows.cuh"
#include "engines.hpp"
#include "stream.cuh"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <string>

namespace bench {
namespace {

constexpr int compute_warps = 8;
constexpr int compute_threads = compute_warps * 32;
constexpr int tile_bytes = 16 * 1024;
constexpr int stages = 8;          ///< a multiple of the DMA warps, so that each gathers tiles of its own
constexpr int named_stages = 6;    ///< the hardware has named barriers for 7
constexpr int pitch_bytes = 4096;  ///< of the matrix whose blocks are strided tiles
constexpr int dma_warps = 4;

template <by_hand::Way way, class Rows, int DmaWarps>
void launch_by_hand(cudaStream_t stream, const Rows& rows, const Stream& job) {
  launch(by_hand::stream_rows<way, Rows, compute_threads, DmaWarps, stages>, sms(), compute_threads + DmaWarps * 32,
         stages * tile_bytes, stream, rows, job);
}

/// One body for both shapes: `Shape` says which tile is the t-th, and where it begins.
template <class Shape, class Choice>
struct DmaRows {
  using Layout = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<dma_warps>>;
  using Buffering = dma::MultiBuffer<Layout, Choice::Barrier::ids == 0 ? stages : named_stages>;
  using Engine = typename Choice::template Engine<tile_bytes / 16 / (dma_warps * 32)>;
  using Pipe = dma::DmaPipeline<typename Shape::Tile, Buffering, typename Choice::Barrier, Engine>;

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaRows>& cta, const Shape& shape, const Stream& job) const {
#if defined(__CUDA_ARCH__)
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    float sums[4] = {};
    pipe.for_each_tile(
        cta.tiles(job.tiles), [&](const auto& dma, int t) { dma.load(shape.source(t), shape.tile(t)); },
        [&](const auto& compute, int) {
          auto tile = compute.wait();
          float v[tile_bytes / 4 / compute_threads];
          read_elements<16, compute_threads>(tile.data(), compute.rank(), v);
          tile.release();
          multiply_add<1>(v, job, sums);
        });
    if (cta.warp() < compute_warps) {
      write_sum(job, cta.thread(), compute_threads, sums);
    }
#endif
  }
};

// --- strided ---------------------------------------------------------------------------------------------------------

template <int RowBytes>
struct Blocks {
  using Tile = dma::Strided<float, RowBytes / 4, tile_bytes / RowBytes>;
  const float* x;

  DMA_HOST_DEVICE const float* source(int t) const {
    constexpr int blocks = pitch_bytes / RowBytes;
    return x + static_cast<long long>(t / blocks) * (Tile::max_run_count * pitch_bytes / 4) +
           t % blocks * (RowBytes / 4);
  }
  DMA_HOST_DEVICE Tile tile(int) const { return Tile{pitch_bytes}; }
};

/// The same blocks as boxes out of the matrix, by one DMA warp: one copy each.
template <int RowBytes>
struct DmaBoxes {
  using Layout = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<1>>;
  using Tile = dma::Tile2D<float, RowBytes / 4, tile_bytes / RowBytes>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, stages>, dma::CudaBarrier, dma::TensorCopy<>>;

  struct Shared {
    typename Pipe::Storage storage;
  };

  /// The t-th block of the matrix.
  DMA_HOST_DEVICE static Tile box(int t, const Stream& job) {
    constexpr int blocks = pitch_bytes / RowBytes;
    return {.pitch_bytes = pitch_bytes,
            .array_rows = job.tiles / blocks * Tile::max_run_count,
            .array_cols = pitch_bytes / 4,
            .row = t / blocks * Tile::max_run_count,
            .col = t % blocks * (RowBytes / 4)};
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaBoxes>& cta, const dma::TensorMap<Tile>& map,
                                  const Stream& job) const {
#if defined(__CUDA_ARCH__)
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    float sums[4] = {};
    pipe.for_each_tile(
        cta.tiles(job.tiles), [&](const auto& dma, int t) { dma.load(map, box(t, job)); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait(box(t, job));
          float v[tile_bytes / 4 / compute_threads];
          read_elements<16, compute_threads>(tile.data(), compute.rank(), v);
          tile.release();
          multiply_add<1>(v, job, sums);
        });
    if (cta.warp() < compute_warps) {
      write_sum(job, cta.thread(), compute_threads, sums);
    }
#endif
  }
};

template <class Run>
void add_strided(int row_bytes, const std::string& rest, const Run& run) {
  add("strided/row:" + std::to_string(row_bytes) + "/" + rest,
      [run] { return stream_subject(1, tile_bytes, sms(), compute_threads, run); });
}

template <int RowBytes>
void add_strided_row() {
  using Rows = by_hand::StridedRows<RowBytes, tile_bytes, pitch_bytes>;
  using by_hand::Way;
  if constexpr (tile_bytes / RowBytes <= 32) {
    add_strided(RowBytes, "warps:1/engine:bulk/by:hand",
                [](auto stream, const Stream& job) { launch_by_hand<Way::bulk, Rows, 1>(stream, Rows{job.x}, job); });
  }
  add_strided(RowBytes, "warps:4/engine:bulk/by:hand",
              [](auto stream, const Stream& job) { launch_by_hand<Way::bulk, Rows, 4>(stream, Rows{job.x}, job); });
  add_strided(RowBytes, "warps:4/engine:cp.async/by:hand",
              [](auto stream, const Stream& job) { launch_by_hand<Way::cp_async, Rows, 4>(stream, Rows{job.x}, job); });
  for_each_type(Engines{}, [&]<class Choice>() {
    add_strided(RowBytes, std::string("warps:4/engine:") + Choice::engine + "/barrier:" + Choice::barrier + "/by:dma",
                [](auto stream, const Stream& job) {
                  dma::launch(DmaRows<Blocks<RowBytes>, Choice>{}, {sms()}, stream, Blocks<RowBytes>{job.x}, job);
                });
  });
  if constexpr (RowBytes <= 1024) {  // 256 elements are the most that a box has along an axis
    add_strided(RowBytes, "warps:1/engine:tensor/barrier:mbarrier/by:hand", [](auto stream, const Stream& job) {
      constexpr int rows = tile_bytes / RowBytes;
      constexpr int blocks = pitch_bytes / RowBytes;
      launch(by_hand::stream_boxes<RowBytes, tile_bytes, pitch_bytes, compute_threads, stages>, sms(),
             compute_threads + 32, stages * tile_bytes, stream,
             by_hand::describe_matrix(job.x, 1LL * job.tiles / blocks * rows, pitch_bytes, rows, RowBytes / 4), job);
    });
    add_strided(RowBytes, "warps:1/engine:tensor/barrier:mbarrier/by:dma", [](auto stream, const Stream& job) {
      using Tile = typename DmaBoxes<RowBytes>::Tile;
      dma::launch(DmaBoxes<RowBytes>{}, {sms()}, stream, dma::tensor_map<Tile>(job.x, DmaBoxes<RowBytes>::box(0, job)),
                  job);
    });
  }
  add_strided(RowBytes, "warps:1/engine:bulk/by:ceiling", [](auto stream, const Stream& job) {
    launch(by_hand::stream<Way::bulk, 1, compute_threads, 1, 1, tile_bytes, stages, 16>, sms(), compute_threads + 32,
           stages * tile_bytes, stream, job);
  });
}

// --- gather ----------------------------------------------------------------------------------------------------------

template <int RowBytes>
struct Listed {
  using Tile = dma::Indirect<float, RowBytes / 4, tile_bytes / RowBytes>;
  const float* x;
  const int* numbers;
  long long table_rows;

  DMA_HOST_DEVICE const float* source(int) const { return x; }
  DMA_HOST_DEVICE Tile tile(int t) const { return Tile{numbers + t * Tile::max_run_count, table_rows}; }
};

/// `run(stream, numbers, job)` adds up the rows whose numbers it is given.
template <class Run>
void add_gather(int row_bytes, const std::string& rest, int ctas_an_sm_, int threads, const Run& run) {
  add("gather/row:" + std::to_string(row_bytes) + "/" + rest, [=] {
    const int rows = static_cast<int>(window_bytes() / row_bytes);
    const int tiles = static_cast<int>(window_bytes() / tile_bytes);
    const auto job = [=] { return Stream{input(), output(), tiles, 1.0F, 1.0F, 1.0F}; };
    const auto numbers = [=](int list) { return row_list(list % row_lists, rows, row_bytes / 4); };
    for (int list = 0; list < row_lists; ++list) {
      static_cast<void>(numbers(list));
    }
    Subject subject;
    subject.bytes = static_cast<double>(window_bytes()) + 4.0 * rows;
    subject.launch = [=](cudaStream_t stream, int i) { run(stream, numbers(i), job()); };
    subject.wrong = [=](cudaStream_t stream) {
      const double expected = sum_of_rows(numbers(1), rows, row_bytes / 4, stream);
      return wrong_sums(1LL * ctas_an_sm_ * sms() * threads, expected, stream, [&] { run(stream, numbers(1), job()); });
    };
    return subject;
  });
}

template <int RowBytes>
void add_gather_row() {
  using Rows = by_hand::GatheredRows<RowBytes, tile_bytes>;
  using by_hand::Way;
  if constexpr (RowBytes >= 256) {
    add_gather(RowBytes, "warps:4/engine:bulk/by:hand", 1, compute_threads,
               [](auto stream, const int* numbers, const Stream& job) {
                 launch_by_hand<Way::bulk, Rows, 4>(stream, Rows{job.x, numbers}, job);
               });
  }
  add_gather(RowBytes, "warps:4/engine:cp.async/by:hand", 1, compute_threads,
             [](auto stream, const int* numbers, const Stream& job) {
               launch_by_hand<Way::cp_async, Rows, 4>(stream, Rows{job.x, numbers}, job);
             });
  constexpr int plain_threads = 512;
  add_gather(RowBytes, "warps:64/engine:none/by:plain", 4, plain_threads,
             [](auto stream, const int* numbers, const Stream& job) {
               launch(by_hand::plain_rows<Rows, plain_threads, 4>, 4 * sms(), plain_threads, 0, stream,
                      Rows{job.x, numbers}, job);
             });
  for_each_type(Engines{}, [&]<class Choice>() {
    add_gather(RowBytes, std::string("warps:4/engine:") + Choice::engine + "/barrier:" + Choice::barrier + "/by:dma", 1,
               compute_threads, [](auto stream, const int* numbers, const Stream& job) {
                 const Listed<RowBytes> shape{job.x, numbers, windows * window_bytes() / RowBytes};
                 dma::launch(DmaRows<Listed<RowBytes>, Choice>{}, {sms()}, stream, shape, job);
               });
  });
}

}  // namespace

void add_strided() {
  add_strided_row<256>();
  add_strided_row<512>();
  add_strided_row<1024>();
  add_strided_row<2048>();
}

void add_gather() {
  add_gather_row<16>();
  add_gather_row<32>();
  add_gather_row<64>();
  add_gather_row<128>();
  add_gather_row<256>();
  add_gather_row<512>();
  add_gather_row<1024>();
  add_gather_row<2048>();
  add_gather_row<8192>();
}

}  // namespace bench
