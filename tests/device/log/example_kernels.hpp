#pragma once

/// The examples' kernels on small problems, one list for both machines, and one that differs between them on purpose.

#include "atomics/total.hpp"
#include "break_it/mirror.hpp"
#include "custom_barrier/each_arrives.hpp"
#include "custom_buffering/stages_for_ctas.hpp"
#include "custom_engine/run_per_warp.hpp"
#include "custom_pattern/folded_triangle.hpp"
#include "custom_pattern/triangle.hpp"
#include "custom_window/smooth.hpp"
#include "engines/pipelines.hpp"
#include "hand_off/softmax.hpp"
#include "logged.hpp"
#include "make_it_fast/polynomial.hpp"
#include "proof/epilogue.hpp"
#include "proof/neighbours.hpp"
#include "scale/body.hpp"
#include "scale_tiles.hpp"
#include "several_pipelines/add.hpp"
#include "several_pipelines/axpy.hpp"
#include "sgemv/direct.hpp"
#include "sgemv/variants.hpp"
#include "stencil/halo_only.hpp"
#include "stencil/tuning.hpp"
#include "tile_queue/split_sums.hpp"
#include "trace/kernel.hpp"
#include "wide_reads/sums.hpp"

#include <dma/dma.hpp>

#include <string>
#include <vector>

namespace logged {

/// Synchronizes a warp once more on a GPU.
struct Differs {
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Differs>& cta) const {
    cta.sync();
#if defined(__CUDA_ARCH__)
    if (cta.warp() == 1) {
      cta.sync_warp();
    }
#endif
    cta.sync();
  }
};

/// `machine.array<T>(count)` is zero memory of the machine, `machine.map<Pattern>(address, pattern)` a tensor map, and
/// `machine.run(name, kernel, grid, args...)` runs and logs the kernel.
template <class Machine>
class Examples {
 public:
  explicit Examples(Machine& machine) : machine_(machine) {}

  void run() {
    machine_.run(differing_kernel, Differs{}, {1});
    run_scaling();
    run_engines();
    run_wide_reads();
    run_several_pipelines();
    run_sgemv();
    run_stencils();
    run_traced();
  }

 private:
  [[nodiscard]] float* floats(int count) { return machine_.template array<float>(count); }
  [[nodiscard]] const float* input(int count) { return floats(count); }

  void run_scaling() {
    constexpr int tiles = 9;
    constexpr int count = tiles * 1024;
    machine_.run("scale", Scale{}, {2}, input(count), floats(count), 2.0F, tiles);
    machine_.run("neighbours", Neighbours<0>{}, {1}, input(count), floats(count), tiles);
    machine_.run("mirror", Mirror<Mistake::none>{}, {2}, input(count), floats(count), 2.0F, tiles);
    machine_.run("sum_of_cta", SumOfCta<true>{}, {2}, input(count), floats(2), tiles);
    machine_.run("total", Total{}, {2}, machine_.template array<int>(2 * 64), machine_.template array<int>(2),
                 machine_.template array<unsigned>(1), machine_.template array<int>(1));
    machine_.run("polynomial", Polynomial<true>{}, {2}, input(2 * count), floats(2 * count), input(8), 7, tiles);
    run_tiles<dma::DmaPipeline<Row, Buffers, EachArrives>>("EachArrives, AsyncCopy", 1024, {});
    run_tiles<dma::DmaPipeline<Row, Buffers, EachArrives, dma::RegisterCopy<>>>("EachArrives, RegisterCopy", 1024, {});
    run_tiles<dma::DmaPipeline<Row, StagesForCtas<Warps, 3>>, 3>("StagesForCtas", 1024, {});
    run_tiles<dma::DmaPipeline<Triangle, Buffers, dma::CudaBarrier, RunPerWarp>>("RunPerWarp", 24,
                                                                                 {.pitch_bytes = 960});
    machine_.run("smooth", Smooth{}, {1}, input(1000), floats(1000), 1000);
    run_folded_triangles();
  }
  template <class Pipe, int ctas = 1>
  void run_tiles(const char* name, long long stride, const typename Pipe::Pattern& tile) {
    constexpr int tiles = 9;
    const int count = tiles * 1024 * 4;  // more than any of these tiles reaches
    machine_.run(name, ScaleTiles<Pipe, ctas>{}, {2}, input(count), floats(count), tiles, stride, tile);
  }

  /// By a transfer of the pattern's own.
  void run_folded_triangles() {
    using Tile = FoldedTriangle<24>;
    using Kernel = ScaleTiles<dma::DmaPipeline<Tile, Buffers>>;
    constexpr int tiles = 9;
    const auto numbers = [&] { return machine_.template array<typename Tile::Element>(24 * 24 * tiles); };
    const typename Tile::Element* const matrix = numbers();
    machine_.run("FoldedTriangle", Kernel{}, {2}, matrix, numbers(), tiles, 24LL,
                 Tile{.pitch_bytes = tiles * 24 * int{sizeof(typename Tile::Element)}});
  }

  void run_engines() {
    run_tiles<engines::Bulk>("BulkCopy", 1024, {});
    run_tiles<engines::Async>("AsyncCopy", 1024, {});
    run_tiles<engines::Named>("NamedBarrier", 1024, {});
    run_tiles<engines::Registers>("RegisterCopy, few registers", 1024, {});
    run_tiles<engines::Ahead>("RegisterCopy, two tiles ahead", 1024, {});
  }
  void run_wide_reads() {
    constexpr int tiles = 9;
    const wide_reads::Quad* const quads = machine_.template array<wide_reads::Quad>(tiles * 256);
    machine_.run("a tile of quads", wide_reads::SumQuads{}, {2}, quads, floats(tiles * 256), tiles);
    machine_.run("vectors of a tile", wide_reads::SumFloats{}, {2}, input(tiles * 1024), floats(tiles * 256), tiles);
  }

  void run_several_pipelines() {
    constexpr int tiles = 9;
    constexpr int count = tiles * 1024;
    machine_.run("axpy", Axpy{}, {2}, input(count), input(count), floats(count), 3.0F, count - 5);
    machine_.run("add", Add{}, {2}, input(count), input(count), floats(count), tiles);
    machine_.run("softmax of two groups", Softmax{}, {2}, input(tiles * Softmax::Tile::count),
                 floats(tiles * Softmax::Tile::count), tiles);
    // One CTA: which tiles several take from a counter is open.
    constexpr int rows = 500;
    machine_.run("sums by a queue", SplitSums{}, {1}, input(rows * 64), rows, 64, floats(64),
                 machine_.template array<dma::TileCounter>(1));
  }

  void run_sgemv() {
    const auto run_op = [&]<sgemv::Op op>(std::integral_constant<sgemv::Op, op>, const char* letter) {
      constexpr int m = op == sgemv::Op::n ? 64 : 1100;
      constexpr int n = op == sgemv::Op::n ? 1100 : 64;
      const sgemv::Problem p{op, m, n, 2.0F, input(m * n), m, input(m + n), 1, 0.5F, floats(m + n), 1};
      for (const char* const name : sgemv::variant_names) {
        sgemv::with_paper_variant<op, sgemv::Access{}>(name, [&](const auto& kernel) {
          machine_.run(std::string("sgemv ") + letter + ", " + name, kernel, sgemv::plan_of(p, 32, 256, 1).grid(), p,
                       sgemv::Workspace{});
        });
      }
      using Direct =
          sgemv::Direct<op, op == sgemv::Op::n ? sgemv::Tile{32, 256} : sgemv::Tile{512, 4}, 4, sgemv::Access{}>;
      machine_.run(std::string("sgemv ") + letter + ", direct", Direct{},
                   sgemv::plan_of(p, Direct::outputs, 256, 1).grid(), p, sgemv::Workspace{});
    };
    run_op(std::integral_constant<sgemv::Op, sgemv::Op::n>{}, "n");
    run_op(std::integral_constant<sgemv::Op, sgemv::Op::t>{}, "t");
  }

  void run_stencils() {
    constexpr int radius = 2;
    constexpr int nx = 45, ny = 37, nz = 5;
    constexpr long long pitch = stencil::Field<float>::padded(nx);
    const stencil::Field<const float> u{floats(pitch * ny * nz), nx, ny, nz, pitch};
    const stencil::Star<float, radius> star{};
    using Store = stencil::StoreSum<float>;
    const Store store{floats(pitch * ny * nz)};
    for (const char* const name : {"halo-only-single", "halo-only-double", "halo-only-manual", "block-halo-single"}) {
      stencil::with_paper_kernel<float, radius, Store>(name, [&](const auto& kernel) {
        machine_.run(std::string("stencil, ") + name, kernel, stencil::paper_grid(u), u, star, store);
      });
    }
    using March = stencil::March<float, radius, stencil::march_shapes<float, radius>[0], Store>;
    const stencil::Plan plan = stencil::plan(nx, ny, nz, radius, March::cols, March::rows, 2);
    machine_.run("stencil, march", March{}, {plan.ctas}, machine_.map(u.data, March::plane_at(u, 0, 0, 0)), u, star,
                 plan.work, machine_.template array<dma::PaceCounter>(1), store);
  }

  void run_traced() {
    constexpr int tiles = 5;
    const trace::Problem p{input(tiles * trace::Tile::count), floats(tiles * trace::Tile::count), tiles, 2};
    trace::for_each_buffering(tiles, [&](const auto& kernel, trace::Recording& recording) {
      auto* const events = machine_.template array<dma::TraceEvent>(static_cast<int>(recording.events.size()));
      machine_.run("trace, " + std::string(recording.name), kernel, {1}, p,
                   dma::TraceBuffer{events, 1, recording.events_a_warp});
    });
  }

  using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<2>>;
  using Row = dma::Sequential<float, 1024>;
  using Triangle = LowerTriangle<24>;
  using Buffers = dma::MultiBuffer<Warps, 4>;

  Machine& machine_;
};

}  // namespace logged
