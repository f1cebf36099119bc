#pragma once

/// The kernels of the applications on small problems, one list for both machines.

#include "bags/backward.hpp"
#include "bags/kernel.hpp"
#include "cudadma/figures.hpp"
#include "cudadma/version1/version1_calls.hpp"
#include "cudadma/version2/version2_calls.hpp"
#include "fft/dma_warp_pass.hpp"
#include "fft/pass.hpp"
#include "fft/plan.hpp"
#include "financial/kernel.hpp"
#include "rows/layer_norm/kernel.hpp"
#include "sparse/blocked_ell.hpp"
#include "sparse/csr.hpp"
#include "sparse/ell.hpp"
#include "sparse/ell_spmm.hpp"
#include "sparse/plan.hpp"
#include "sparse/spmm.hpp"
#include "sparse/spmv.hpp"
#include "transpose/tiles.hpp"

#include <dma/dma.hpp>

#include <cstddef>
#include <vector>

namespace logged {

/// `machine.map<Pattern>(arrays...)` is a tensor map of several arrays; for the other members see `Examples`.
template <class Machine>
class Applications {
 public:
  explicit Applications(Machine& machine) : machine_(machine) {}

  void run() {
    run_layer_norm();
    run_bags();
    run_bandwidth();
    run_sparse();
    run_transforms();
    run_cudadma();
  }

 private:
  [[nodiscard]] float* floats(int count) { return machine_.template array<float>(count); }
  [[nodiscard]] const float* input(int count) { return floats(count); }
  template <class T>
  [[nodiscard]] const T* copy_of(const std::vector<T>& values) {
    return machine_.copy_of(values);
  }

  void run_layer_norm() {
    constexpr int columns = 512;
    constexpr int rows = 5;
    const auto run_form = [&]<class Kernel>(const char* name, Kernel kernel) {
      machine_.run(name, kernel, {2}, input(rows * columns), input(columns), input(columns), floats(rows * columns),
                   rows, 1e-5F);
    };
    run_form("layer norm", LayerNorm<Specialized, columns, 2, 4, 1>{});
    run_form("layer norm, all warps", LayerNorm<dma::WarpLayout<dma::Compute<2>>, columns, 1, 2, 1, 1>{});
  }

  void run_bags() {
    constexpr int cols = 128;
    constexpr int rows = 4;
    constexpr int bags = 5;
    constexpr long long table_rows = 9;
    const std::vector<int> offsets{0, 3, 3, 10, 11, 17};
    std::vector<int> ids(17);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<int>(i * 5 % table_rows);
    }
    constexpr int table_size = table_rows * cols;
    const auto run_form = [&]<class Kernel>(const char* name, Kernel kernel) {
      machine_.run(name, kernel, {2}, input(table_size), table_rows, copy_of(ids), copy_of(offsets), bags,
                   floats(bags * cols));
    };
    run_form("bags", SumBags<Specialized, cols, rows, 3>{});
    run_form("bags, two groups",
             SumBags<dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>, cols, rows, 2, 2>{});
    machine_.run("bags, backward", AddToRowsOfBags<Specialized, cols, rows, 3>{}, {2}, input(bags * cols), copy_of(ids),
                 copy_of(offsets), bags, floats(table_size), table_rows);
  }

  void run_bandwidth() {
    constexpr int values = 5;
    constexpr int points = 3 * 128;
    using Best = financial::BestOfSums<float, dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>, 128, 2, 2, 1>;
    machine_.run("financial", Best{}, {2},
                 financial::Points<float>{input(points * values), input(values), floats(points), points, values});
    const auto run_transpose = [&]<class Kernel>(const char* name, Kernel kernel) {
      constexpr int rows = Kernel::side + 4;
      constexpr int cols = Kernel::side + 8;
      machine_.run(name, kernel, Kernel::grid(rows, cols), input(rows * cols), floats(rows * cols), rows, cols);
    };
    run_transpose("transpose by hand", transpose::TransposeByHand<float>{});
    run_transpose("transpose by the pattern", transpose::TransposeByPattern<float>{});
    run_transpose("transpose in registers", transpose::TransposeInRegisters<float>{});
  }

  void run_sparse() {
    constexpr int cols = 700;
    std::vector<int> offsets{0};
    for (const int length : {100, 0, 700, 3, 300, 2}) {
      offsets.push_back(offsets.back() + length);
    }
    const int rows = static_cast<int>(offsets.size()) - 1;
    const int nonzeros = offsets.back();
    const std::vector<int> columns(static_cast<std::size_t>(nonzeros), 1);
    const sparse::Plan plan =
        sparse::make_plan(sparse::Csr{rows, cols, nonzeros, offsets.data(), columns.data(), nullptr});
    const sparse::Csr csr{rows, cols, nonzeros, copy_of(offsets), copy_of(columns), input(nonzeros)};
    const auto chunks = [&](int sums) {
      return sparse::Chunks{copy_of(plan.starts), plan.chunks(), floats((plan.chunks() + 1) * sums)};
    };
    machine_.run("sparse, rows", sparse::Spmv<sparse::StreamedChunks<2, 2>, 1>{}, {2}, csr, chunks(1),
                 sparse::Vectors{1, input(cols), 0, floats(rows)});
    const auto panels = [&](int rows_of_b, int rows_of_c, int across) {
      return sparse::Panels{1, input(rows_of_b * across), across, 0, floats(rows_of_c * across), across};
    };
    machine_.run("sparse, rows times panels", sparse::Spmm<sparse::StreamedChunks<2, 2>, 8, 1>{}, {2, 2}, csr,
                 chunks(16), panels(cols, rows, 16));
    constexpr int ell_rows = 130;
    constexpr int ell_width = 9;
    constexpr int ell_pitch = 132;
    const sparse::Ell ell{ell_rows, ell_width, ell_pitch, machine_.template array<int>(ell_pitch * ell_width),
                          input(ell_pitch * ell_width)};
    machine_.run("sparse, ELLPACK", sparse::EllSpmv<2, 2, 4, 2, 1>{}, {2}, ell,
                 sparse::Vectors{1, input(ell_rows), 0, floats(ell_rows)});
    machine_.run("sparse, ELLPACK times panels", sparse::EllSpmm<2, 32, 4, 2, 1>{}, {2}, ell,
                 panels(ell_rows, ell_rows, 32));
    using Blocked = sparse::BlockedEllSpmm<32, 32, 2, 1>;
    constexpr int blocks = 3;
    machine_.run(
        "sparse, blocks", Blocked{}, {2},
        sparse::BlockedEll<32>{blocks, 2, machine_.template array<int>(2 * blocks), input(2 * blocks * 32 * 32)},
        panels(32, blocks * 32, 32));
  }

  void run_transforms() {
    constexpr fft::PassShape ahead =
        fft::loaded_ahead({256, 8, 2, fft::Columns::side_by_side, fft::Columns::side_by_side});
    using Kernel = fft::AheadPass<ahead>;
    constexpr int points = 256 * 64;
    const fft::Plan plan = fft::make_plan({.points = points}, 1, {ahead, fft::last(fft::small_64)});
    const fft::PlannedPass& pass = plan.passes[0];
    const fft::Complex* const from = machine_.template array<fft::Complex>(points);
    const fft::PassProblem problem =
        fft::problem_of(pass, from, nullptr, machine_.template array<fft::Complex>(points));
    const auto part = Kernel::part_at(problem, fft::TilePlace(problem, ahead.columns, 0), 0);
    machine_.run("fft, a pass that loads ahead", Kernel{}, {1}, machine_.map(from, part), problem, pass.tiles);
    const fft::PlannedPass& last = plan.passes[1];
    machine_.run("fft, a pass", fft::Pass<fft::last(fft::small_64)>{}, {last.ctas},
                 fft::problem_of(last, from, machine_.template array<fft::Complex>(points),
                                 machine_.template array<fft::Complex>(points)));
    constexpr fft::PassShape two_compute_warps{.points = 256, .columns = 8, .width = 2};
    machine_.run("fft, a pass with DMA warps",
                 fft::DmaWarpPass<two_compute_warps, fft::PaperPipe<two_compute_warps, fft::PaperLoads{}, 1>>{}, {3},
                 fft::problem_of(pass, from, nullptr, machine_.template array<fft::Complex>(points)), pass.tiles);
  }

  void run_cudadma() {
    const auto ints = [&](int count) { return machine_.template array<int>(count); };
    const auto constants = [&](int count) { return static_cast<const int*>(ints(count)); };
    const auto floats = [&](int count) { return machine_.template array<float>(count); };
    constexpr int cases = 16 * EveryCall::ints;  // at least those of each kind
    const auto places = [&] { return copy_of(std::vector<int>{2, 0, 3, 1}); };
    machine_.run("each call of CudaDMA", EveryCall{}, {1}, constants(512), places(), ints(cases), ints(cases),
                 ints(cases), ints(cases), ints(4));
    machine_.run("each constructor of CudaDMA's first version", FirstVersionCalls{}, {1}, constants(512), places(),
                 ints(cases), ints(cases), ints(cases), ints(3));
    constexpr int n = 3 * figures::PaperSgemv::VEC_ELMTS;
    constexpr int m = 2 * figures::PaperSgemv::COMPUTE_THREADS;
    machine_.run("the paper's SGEMV", figures::PaperSgemv{}, {2}, n, m, 2.0F, static_cast<const float*>(floats(n * m)),
                 static_cast<const float*>(floats(n)), floats(m));
    machine_.run("the paper's named barriers", figures::PaperHandOver{}, {1}, constants(96), ints(32), 3);
    run_paper_buffering<figures::Buffers::single_buffer>();
    run_paper_buffering<figures::Buffers::of_two_groups>();
    run_paper_buffering<figures::Buffers::of_one_group>();
  }
  template <figures::Buffers buffering>
  void run_paper_buffering() {
    using Kernel = figures::PaperBuffering<buffering>;
    constexpr int tiles = 5;
    machine_.run("a buffering of the paper's", Kernel{}, {1},
                 static_cast<const int*>(machine_.template array<int>(tiles * Kernel::tile)),
                 machine_.template array<int>(tiles * Kernel::tile), tiles);
  }

  using Specialized = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;

  Machine& machine_;
};

}  // namespace logged
