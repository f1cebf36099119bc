// Shapes that are read and written: a copy, a transpose, a sum over a star. The ceiling is the driver's copy of the
// same bytes in the same run.

#include "../applications/transpose/tiles.hpp"
#include "by_hand/copies.cuh"
#include "by_hand/halo.cuh"
#include "by_hand/transpose.cuh"
#include "copied.hpp"
#include "engines.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <stdexcept>
#include <string>

#include <cublas_v2.h>

namespace bench {
namespace {

constexpr int compute_warps = 8;
constexpr int dma_warps = 4;

template <class Choice>
std::string name_of(const std::string& sweep, const std::string& by = "dma") {
  return sweep + "/engine:" + Choice::engine + "/barrier:" + Choice::barrier + "/by:" + by;
}

// --- store -----------------------------------------------------------------------------------------------------------

/// A tile goes in through one pipeline and out through another; compute warps carry it across.
template <class Choice, int ComputeWarps, int DmaWarps, int TileBytes, int Stages, int Ctas>
struct DmaCopy {
  static constexpr int stages = Stages;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas};
  using Layout = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<DmaWarps>, dma::Dma<DmaWarps>>;
  using Tile = dma::Sequential<float, TileBytes / 4>;
  using Engine = typename Choice::template Engine<TileBytes / 16 / (DmaWarps * 32)>;
  using In = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, stages>, typename Choice::Barrier, Engine>;
  using Out = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, stages, dma::DmaGroups{.first = 1}>,
                               typename Choice::Barrier, Engine>;

  struct Shared {
    typename In::Storage in;
    typename Out::Storage out;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaCopy>& cta, const float* from, float* to, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    In in(cta, shared.in);
    Out out(cta, shared.out);
    const int first = cta.block().x;
    const int step = cta.blocks().x;
    if (in.is_dma()) {
      const auto dma = in.as_dma();
      for (int t = first; t < tiles; t += step) {
        dma.load(from + t * Tile::count);
      }
    } else if (out.is_dma()) {
      const auto dma = out.as_dma();
      for (int t = first; t < tiles; t += step) {
        dma.store(to + t * Tile::count);
      }
    } else {
#if defined(__CUDA_ARCH__)
      const auto filled = in.as_compute();
      const auto to_fill = out.as_compute();
      for (int t = first; t < tiles; t += step) {
        auto source = filled.wait();
        auto destination = to_fill.wait();
#pragma unroll
        for (int i = 0; i < Tile::count / 4 / Layout::compute_threads; ++i) {
          const int word = filled.rank() + i * Layout::compute_threads;
          reinterpret_cast<float4*>(destination.data())[word] = reinterpret_cast<const float4*>(source.data())[word];
        }
      }
#endif
    }
  }
};

template <class Run>
void add_copy(const std::string& name, const Run& run) {
  add(name, [=] {
    return copy_subject(window_elements(), run, [](auto from, auto to, auto stream) {
      return wrong_in_copy(from, to, window_elements(), stream);
    });
  });
}

/// So many compute and DMA warps; with 0 DMA warps every warp does both.
template <int ComputeWarps, int DmaWarps>
struct WarpLayoutOf {
  using Type = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<DmaWarps>>;
};
template <int ComputeWarps>
struct WarpLayoutOf<ComputeWarps, 0> {
  using Type = dma::WarpLayout<dma::Compute<ComputeWarps>>;
};
template <int ComputeWarps, int DmaWarps>
using WarpsOf = typename WarpLayoutOf<ComputeWarps, DmaWarps>::Type;

// --- transpose -------------------------------------------------------------------------------------------------------

__global__ void compare_transposed(const float* from, const float* to, int n, unsigned long long* wrong) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  if (col < n && from[static_cast<long long>(row) * n + col] != to[static_cast<long long>(col) * n + row]) {
    atomicAdd(wrong, 1ULL);
  }
}

/// Rows r to r + 3 of a tile, four elements of each from column c on. Neighbouring lanes read blocks four rows apart,
/// and every pair of them begins with another row: with a pitch of 4 words more than a multiple of 32 no bank serves
/// two.
template <class Tile>
DMA_DEVICE void read_block(const Tile& tile, int r, int c, float4 (&m)[4]) {
  const int turn = r / 8 % 4;
  float4 turned[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    turned[i] = *reinterpret_cast<const float4*>(&tile(r + (i + turn) % 4, c));
  }
  float4 half[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    half[i] = turn % 2 == 0 ? turned[i] : turned[(i + 3) % 4];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    m[i] = turn < 2 ? half[i] : half[(i + 2) % 4];
  }
}

/// Tiles of 64 x 64 arrive as they are; a warp writes 256 bytes of two rows at a time. Tiles follow one another down
/// the matrix, so that what CTAs write at a time is contiguous.
template <class Choice, int DmaWarps, int Stages, int Ctas>
struct DmaTranspose {
  static constexpr int side = 64;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas};
  using Layout = WarpsOf<compute_warps, DmaWarps>;
  using Tile = dma::Strided<float, side, side, dma::RowLayout{.pitch_bytes = side * 4 + 16}>;
  static constexpr int moving_threads = 32 * (DmaWarps == 0 ? compute_warps : DmaWarps);
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>, typename Choice::Barrier,
                                typename Choice::template Engine<side * side * 4 / 16 / moving_threads>>;

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaTranspose>& cta, const float* from, float* to, int n) const {
#if defined(__CUDA_ARCH__)
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int down = n / side;
    const long long pitch = n;
    pipe.for_each_tile(
        cta.tiles(down * down),
        [&](const auto& dma, int t) { dma.load(from + t % down * side * pitch + t / down * side, Tile{pitch * 4}); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          const int thread = compute.rank();
          const int c = thread / 16 * 4;
          const int r = thread % 16 * 4;
          float4 m[4];
          read_block(tile, r, c, m);
          tile.release();
          transpose_in_registers(m);
          float* const out = to + (t / down * side + c) * pitch + t % down * side + r;
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            *reinterpret_cast<float4*>(out + i * pitch) = m[i];
          }
        });
#endif
  }
};

/// The peer: cuBLAS's geam, which adds a transposed matrix to none.
void launch_geam(cudaStream_t stream, const float* from, float* to, int n) {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made{};
    if (cublasCreate(&made) != CUBLAS_STATUS_SUCCESS) {
      throw std::runtime_error("cuBLAS has no handle");
    }
    return made;
  }();
  constexpr float one = 1;
  constexpr float zero = 0;
  if (cublasSetStream(handle, stream) != CUBLAS_STATUS_SUCCESS ||
      cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, from, n, &zero, to, n, to, n) !=
          CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error("cuBLAS refused a geam");
  }
}

template <class Run>
void add_transpose_by(int n, const std::string& rest, const Run& run) {
  add("transpose/n:" + std::to_string(n) + "/" + rest, [=] {
    const auto count_wrong = [=](const float* from, const float* to, cudaStream_t stream) {
      return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
        compare_transposed<<<dim3(static_cast<unsigned>(n) / 256, static_cast<unsigned>(n)), 256, 0, stream>>>(
            from, to, n, wrong);
      }));
    };
    Subject subject = copy_subject(
        1LL * n * n, [=](auto stream, const float* from, float* to) { run(stream, from, to, n); }, count_wrong);
    subject.launches = n > 16384 ? 2 : subject.launches;  // of gigabytes each
    return subject;
  });
}

void add_transpose_of(int n) {
  const auto tiles = [](int side, int size) {
    return dim3(static_cast<unsigned>(size / side), static_cast<unsigned>(size / side));
  };
  add_transpose_by(n, "by:geam", launch_geam);
  add_transpose_by(n, "by:naive", [=](auto stream, const float* from, float* to, int size) {
    by_hand::transpose_naive<16><<<tiles(16, size), 256, 0, stream>>>(from, to, size);
    check(cudaGetLastError());
  });
  add_transpose_by(n, "by:padded", [=](auto stream, const float* from, float* to, int size) {
    by_hand::transpose_padded<<<tiles(32, size), 256, 0, stream>>>(from, to, size);
    check(cudaGetLastError());
  });
  add_transpose_by(n, "by:hand", [=](auto stream, const float* from, float* to, int size) {
    by_hand::transpose_wide<<<tiles(64, size), 256, 0, stream>>>(from, to, size);
    check(cudaGetLastError());
  });
  for_each_type(Engines{}, [&]<class Choice>() {
    add_transpose_by(n, name_of<Choice>("kb:16/stages:4/ctas:2"),
                     [](auto stream, const float* from, float* to, int size) {
                       dma::launch(DmaTranspose<Choice, dma_warps, 4, 2>{}, {2 * sms()}, stream, from, to, size);
                     });
    // Resident CTAs drift apart; where each has one tile, what is read and written at a time lies closer together.
    const auto add_a_tile_a_cta = [&]<class Body>(const std::string& ctas) {
      add_transpose_by(n, name_of<Choice>("kb:16/stages:1/ctas:" + ctas),
                       [](auto stream, const float* from, float* to, int size) {
                         dma::launch(Body{}, {size / Body::side * (size / Body::side)}, stream, from, to, size);
                       });
    };
    if constexpr (!Choice::moves_through_registers) {
      add_a_tile_a_cta.template operator()<DmaTranspose<Choice, dma_warps, 1, 5>>("tiles");
    }
    if constexpr (!Choice::moves_whole_runs) {
      add_a_tile_a_cta.template operator()<DmaTranspose<Choice, 0, 1, 6>>("tiles_without_dma_warps");
    }
  });
  const auto add_example = [&]<class Kernel>(const std::string& rest) {
    add_transpose_by(n, rest, [](auto stream, const float* from, float* to, int size) {
      dma::launch(Kernel{}, Kernel::grid(size, size), stream, from, to, size, size);
    });
  };
  add_example.template operator()<transpose::TransposeByHand<float>>("kernel:padded_any_shape/by:hand");
  add_example.template operator()<transpose::TransposeByPattern<float>>(
      name_of<RegistersPhase>("kb:16/stages:1/ctas:tiles_by_pattern"));
  add_example.template operator()<transpose::TransposeInRegisters<float>>(
      name_of<RegistersPhase>("kb:16/stages:1/ctas:tiles_early"));
  add("transpose/n:" + std::to_string(n) + "/by:memcpy", [=] { return driver_copy(1LL * n * n); });
}

// --- halo ------------------------------------------------------------------------------------------------------------

__global__ void compare_star(const Star job, unsigned long long* wrong) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const auto value = [&](int r, int c) {
    return r >= 0 && r < job.n && c >= 0 && c < job.n ? job.x[static_cast<long long>(r) * job.n + c] : 0.0F;
  };
  float sum = value(row, col);
  for (int i = 1; i <= Star::radius; ++i) {
    sum += value(row - i, col) + value(row + i, col) + value(row, col - i) + value(row, col + i);
  }
  if (job.y[static_cast<long long>(row) * job.n + col] != sum) {
    atomicAdd(wrong, 1ULL);
  }
}

/// Boxes that begin on 16 bytes, the tile and its halo in one; outside the array they hold zeros.
template <class Choice>
struct DmaStar {
  static constexpr dma::KernelTraits traits{.min_ctas = 2};
  using Layout = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<2>>;  // with four, 80 registers a thread spill
  using Tile = dma::Tile2D<float, Star::box_cols, Star::box_rows, dma::RowLayout{.alignment = 16}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, typename Choice::Barrier,
                                typename Choice::template Engine<4>>;
  static_assert(Layout::compute_threads == Star::compute_threads);

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaStar>& cta, const Star& job) const {
#if defined(__CUDA_ARCH__)
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(job.tiles()),
        [&](const auto& dma, int t) {
          dma.load(job.x, Tile{job.n * 4LL, job.n, job.n, job.first_row(t) - Star::radius,
                               job.first_col(t) - Star::radius, 0.0F});
        },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          star_sums(job, job.first_row(t), job.first_col(t), compute.rank(), [&](int r, int c) {
            return *reinterpret_cast<const float4*>(&tile(r + Star::radius, c + Star::radius));
          });
        });
#endif
  }
};

/// The same by tensor maps: what lies outside the array arrives as zeros.
template <int Stages>
struct DmaStarBoxes {
  static constexpr dma::KernelTraits traits{.min_ctas = 2};
  using Layout = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<1>>;
  using Tile = dma::Tile2D<float, Star::box_cols, Star::box_rows, dma::RowLayout{.alignment = 16}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>, dma::CudaBarrier, dma::TensorCopy<>>;

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE static Tile box(const Star& job, int t) {
    return {job.n * 4LL, job.n, job.n, job.first_row(t) - Star::radius, job.first_col(t) - Star::radius, 0.0F};
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaStarBoxes>& cta, const dma::TensorMap<Tile>& map,
                                  const Star& job) const {
#if defined(__CUDA_ARCH__)
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(job.tiles()), [&](const auto& dma, int t) { dma.load(map, box(job, t)); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait(box(job, t));
          star_sums(job, job.first_row(t), job.first_col(t), compute.rank(), [&](int r, int c) {
            return *reinterpret_cast<const float4*>(&tile(r + Star::radius, c + Star::radius));
          });
        });
#endif
  }
};

constexpr int star_n = 8192;

template <class Run>
void add_star(const std::string& name, const Run& run) {
  add(name, [=] {
    const auto count_wrong = [=](const float* from, float* to, cudaStream_t stream) {
      return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
        compare_star<<<dim3(star_n / 256, star_n), 256, 0, stream>>>(Star{from, to, star_n}, wrong);
      }));
    };
    return copy_subject(
        1LL * star_n * star_n,
        [=](auto stream, const float* from, float* to) {
          run(stream, Star{from, to, star_n});
        },
        count_wrong);
  });
}

}  // namespace

void add_store() {
  add("store/by:memcpy", [] { return driver_copy(window_elements()); });
  const auto add_plain = [&]<int Threads, int Words>() {
    add_copy("store/threads:" + std::to_string(Threads) + "/words:" + std::to_string(Words) + "/by:plain",
             [](auto stream, const float* from, float* to) {
               launch(by_hand::copy_plain<Threads, Words>, static_cast<int>(window_bytes() / (16 * Threads * Words)),
                      Threads, 0, stream, reinterpret_cast<const float4*>(from), reinterpret_cast<float4*>(to));
             });
  };
  add_plain.template operator()<256, 1>();
  add_plain.template operator()<512, 4>();
  const auto add_bulk = [&]<int TileBytes, int Stages>() {
    add_copy(
        "store/kb:" + std::to_string(TileBytes / 1024) + "/stages:" + std::to_string(Stages) + "/engine:bulk/by:hand",
        [](auto stream, const float* from, float* to) {
          launch(by_hand::copy_bulk_both<TileBytes, Stages>, sms(), 32, Stages * TileBytes, stream, from, to,
                 static_cast<int>(window_bytes() / TileBytes));
        });
  };
  add_bulk.template operator()<16 * 1024, 8>();
  add_bulk.template operator()<32 * 1024, 6>();
  const auto add_ours = [&]<class Choice, class Body, int TileBytes>(const std::string& grid, int ctas) {
    add_copy(name_of<Choice>("store/kb:" + std::to_string(TileBytes / 1024) +
                             "/stages:" + std::to_string(Body::stages) + "/ctas:" + grid),
             [=](auto stream, const float* from, float* to) {
               dma::launch(Body{}, {ctas}, stream, from, to, static_cast<int>(window_bytes() / TileBytes));
             });
  };
  for_each_type(Engines{}, [&]<class Choice>() {
    constexpr int kb = 1024;
    const auto add_resident = [&]<int ComputeWarps, int DmaWarps, int TileBytes, int Stages, int Ctas>() {
      add_ours.template operator()<Choice, DmaCopy<Choice, ComputeWarps, DmaWarps, TileBytes, Stages, Ctas>, TileBytes>(
          std::to_string(Ctas), Ctas * sms());
    };
    add_resident.template operator()<compute_warps, dma_warps, 16 * kb, 3, 1>();
    add_resident.template operator()<2, 1, 2 * kb, 2, 8>();
    // One tile a CTA, up to 16 at once on an SM: what is read and written at a time lies closest together. So many
    // leave a thread no registers to copy through.
    if constexpr (!Choice::moves_through_registers) {
      add_ours.template operator()<Choice, DmaCopy<Choice, 2, 1, 4 * kb, 1, 16>, 4 * kb>(
          "tiles", static_cast<int>(window_bytes() / (4 * kb)));
    }
  });
}

void add_transpose() {
  for (const int n : {2048, 4096, 8192, 16384, 32000}) {
    add_transpose_of(n);
  }
}

void add_halo() {
  add("halo/radius:4/by:memcpy", [] { return driver_copy(1LL * star_n * star_n); });
  add_star("halo/radius:4/by:plain", [](auto stream, const Star& job) {
    launch(by_hand::star_plain, job.tiles(), Star::compute_threads, 0, stream, job);
  });
  add_star("halo/radius:4/engine:cp.async/by:hand", [](auto stream, const Star& job) {
    constexpr int stages = 4;
    launch(by_hand::star_cp_async<dma_warps, stages, 2>, 2 * sms(), Star::compute_threads + dma_warps * 32,
           stages * Star::box_rows * Star::box_cols * 4, stream, job);
  });
  for_each_type(Engines{}, [&]<class Choice>() {
    add_star(name_of<Choice>("halo/radius:4"),
             [](auto stream, const Star& job) { dma::launch(DmaStar<Choice>{}, {2 * sms()}, stream, job); });
  });
  add_star("halo/radius:4/engine:tensor/barrier:mbarrier/by:dma", [](auto stream, const Star& job) {
    using Body = DmaStarBoxes<4>;
    dma::launch(Body{}, {2 * sms()}, stream, dma::tensor_map<typename Body::Tile>(job.x, Body::box(job, 0)), job);
  });
}

}  // namespace bench
