#include "mutants/stream_cases.hpp"

#include <cstddef>
#include <vector>

namespace mutants {

namespace {

using dma::CudaBarrier;
using dma::NamedBarrier;
using streams::Sequential;
using streams::Strided;

template <class Pattern, class Buffering, class Barrier>
using Pipe = dma::DmaPipeline<Pattern, Buffering, Barrier, dma::RegisterCopy<>>;

/// Its DMA warps meet at a named barrier of their own first, for which the engine's caller converges their lanes.
struct CopyTogether : dma::RegisterCopy<> {
  template <class Pattern, int Threads, class Slot>
  static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    dma::machine::barrier_sync(15, Threads, {.who = dma::machine::Who::dma_warps});
    dma::RegisterCopy<>::load<Pattern, Threads>(pattern, source, thread, slot);
  }
};

/// Copies rows that the lanes of a warp do not divide, with the words between them. What is between rows of `in` and
/// behind them differs.
template <class Tile>
struct CopiesRows {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Rows = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, CudaBarrier, dma::RegisterCopy<>>;
  struct Shared {
    typename Rows::Storage storage;
  };
  static constexpr int cols = Tile::max_run_bytes / 4;
  static constexpr int pitch = cols + 4;
  static constexpr int count = Tile::max_run_count * pitch;  ///< of a tile

  DMA_HOST_DEVICE void operator()(dma::KernelCta<CopiesRows>& cta, const float* in, float* out, int tiles) const {
    Rows rows(cta, cta.template shared<Shared>().storage);
    const Tile shape{pitch * 4};
    rows.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(in + t * count, shape); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait(shape);
          for (int i = compute.rank(); i < Tile::max_run_count * cols; i += compute.size()) {
            out[t * count + i / cols * pitch + i % cols] = tile(i / cols, i % cols);
          }
        });
  }
};
template <class Tile>
void add_rows(Cases& cases, const char* name) {
  using Kernel = CopiesRows<Tile>;
  static constexpr int tiles = 5;
  struct Data {
    std::vector<float> in = std::vector<float>(tiles * Kernel::count);
    std::vector<float> out = std::vector<float>(tiles * Kernel::count, -1.0F);

    Data() {
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<float>(i);
      }
    }
  };
  cases.push_back({name,
                   [] {
                     Data data;
                     return dma::proof::prove(writes(data.out), Kernel{}, {1}, data.in.data(), data.out.data(), tiles);
                   },
                   [] {
                     Data data;
                     dma::host::launch({3}, Kernel{}, {1}, data.in.data(), data.out.data(), tiles);
                     bool is_right = true;
                     for (std::size_t i = 0; i < data.in.size(); ++i) {
                       const bool is_moved = i % Kernel::pitch < Kernel::cols;
                       is_right = is_right && data.out[i] == (is_moved ? data.in[i] : -1.0F);
                     }
                     return is_right;
                   }});
}

}  // namespace

void add_loads_by_registers(Cases& cases) {
  add_stream<Pipe<Sequential, streams::Single, CudaBarrier>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::Manual, CudaBarrier>, Style::explicit_calls>(cases);
  add_stream<dma::DmaPipeline<Strided, streams::Manual, CudaBarrier, CopyTogether>, Style::explicit_calls>(cases);
  add_stream<Pipe<Sequential, streams::Double, CudaBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::ThreeStages, CudaBarrier>, Style::two_slots>(cases);
  add_stream<Pipe<Strided, streams::SixStagesThreeGroups, CudaBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::NoDmaWarpsThree, CudaBarrier>, Style::one_body>(cases);
  add_stream<Pipe<Sequential, streams::NoDmaWarpsSingle, CudaBarrier>, Style::one_body>(cases);

  add_rows<dma::Strided<float, 63, 3, dma::RowLayout{.alignment = 4}>>(cases, "three rows of 63 words by registers");
  add_rows<dma::Strided<float, 20, 7>>(cases, "seven rows of 80 bytes by registers");

  using Ahead = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 3}>;
  add_stream<dma::DmaPipeline<Sequential, streams::ThreeStages, CudaBarrier, Ahead>, Style::one_body>(cases);
  add_stream<dma::DmaPipeline<Sequential, streams::Double, NamedBarrier, Ahead>, Style::one_body>(cases);

  add_stream<Pipe<Sequential, streams::SingleOfTwoWarps, NamedBarrier>, Style::early_release>(cases);
  add_stream<Pipe<Strided, streams::Manual, NamedBarrier>, Style::two_slots>(cases);
  add_stream<Pipe<Sequential, streams::Double, NamedBarrier>, Style::explicit_calls>(cases);
  add_stream<Pipe<Strided, streams::FourStagesTwoGroups, NamedBarrier>, Style::own_turns>(cases);
  add_stream<Pipe<Sequential, streams::ManualOfSecondGroup, NamedBarrier>, Style::scope>(cases);
  add_stream<Pipe<Strided, streams::NoDmaWarpsDouble, NamedBarrier>, Style::one_body>(cases);
}

}  // namespace mutants
