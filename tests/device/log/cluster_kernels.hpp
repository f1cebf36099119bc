#pragma once

/// Kernels whose CTAs work in clusters on small problems, one list for both machines.

#include "gemm/cluster_kernel.hpp"
#include "gemm/plan.hpp"
#include "gemm/split_kernel.hpp"
#include "kernels/between_ctas.hpp"
#include "kernels/cluster.hpp"
#include "kernels/multicast.hpp"
#include "rows/backward.hpp"
#include "rows/kernel.hpp"
#include "rows/long_rows.hpp"

#include <dma/dma.hpp>

namespace logged {

/// For the members of `machine` see `Examples` and `Applications`.
template <class Machine>
class Clusters {
 public:
  explicit Clusters(Machine& machine) : machine_(machine) {}

  void run() {
    run_exchanges();
    run_multicasts();
    run_rows();
    run_products();
  }

 private:
  [[nodiscard]] float* floats(int count) { return machine_.template array<float>(count); }
  [[nodiscard]] const float* input(int count) { return floats(count); }

  void run_exchanges() {
    machine_.run("clusters, accesses", clusters::Exchange{}, {clusters::grid},
                 machine_.template array<int>(clusters::count));
    const auto run_form = [&]<class Kernel>(const char* name, Kernel kernel) {
      machine_.run(name, kernel, {between_ctas::grid}, machine_.template array<int>(Kernel::count));
    };
    run_form("clusters, st.async", between_ctas::Sums<between_ctas::Ints<4>>{});
    run_form("clusters, bulk copies", between_ctas::Relay{});
  }

  void run_multicasts() {
    constexpr int tiles = 9;
    const float* const from = input(tiles * multicast::tile_rows * multicast::cols);
    const auto run_form = [&]<class Kernel, int cluster>(const char* name, Kernel kernel,
                                                         std::integral_constant<int, cluster>) {
      machine_.run(name, kernel, {2 * cluster},
                   machine_.template map<typename Kernel::Tile>(from, Kernel::tile_of(0, tiles)),
                   floats(cluster * tiles * multicast::tile_rows * multicast::cols), tiles);
    };
    run_form("multicast", multicast::Scale<dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>, 2, 2>{},
             std::integral_constant<int, 2>{});
    run_form("multicast, two groups",
             multicast::Scale<dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>, 4, 4>{},
             std::integral_constant<int, 4>{});
  }

  void run_rows() {
    constexpr int groups = 2;
    constexpr int rows = 5;
    const auto run_plan = [&]<RowsPlan plan, class Operation>(const char* name, std::integral_constant<RowsPlan, plan>,
                                                              const Operation& operation) {
      using Kernel = Rows<float, Operation, plan>;
      machine_.run(name, Kernel{}, {Kernel::ctas(groups)}, operation, input(plan.columns * rows),
                   floats(plan.columns * rows), rows);
    };
    using OfWarps =
        std::integral_constant<RowsPlan, RowsPlan{.columns = 256, .warps = 4, .warps_a_row = 1, .stages = 2}>;
    using OfClusters = std::integral_constant<
        RowsPlan,
        RowsPlan{
            .columns = 2048, .warps = 2, .warps_a_row = 2, .ctas_a_row = 4, .pieces = 2, .stages = 4, .at_once = 1}>;
    constexpr int columns = OfClusters::value.columns;
    const float* const scale = input(columns);
    run_plan("rows, RMS norm", OfWarps{}, RmsNormRows<float>{scale, 1e-5F});
    run_plan("rows, layer norm in clusters", OfClusters{}, LayerNormRows<float>{scale, scale, 1e-5F});
    run_plan("rows, softmax in clusters", OfClusters{}, SoftmaxRows{});
    run_plan("rows, log-sum-exp in clusters", OfClusters{}, LogSumExpRows{floats(rows)});
    using Long = LongRows<
        float, LayerNormRows<float>,
        RowsPlan{
            .columns = columns, .warps = 2, .warps_a_row = 2, .ctas_a_row = 4, .stages = 3, .kept = Kept::in_slots}>;
    machine_.run("rows, layer norm in clusters, one row ahead", Long{}, {Long::ctas(groups)},
                 LayerNormRows<float>{scale, scale, 1e-5F}, input(columns * rows), floats(columns * rows), rows);
    using Backward = RowsBackward<float, LayerNormBackward<float>, OfClusters::value>;
    constexpr int part_rows = Backward::part_rows(groups);
    float* const parts[] = {floats(part_rows * columns), floats(part_rows * columns)};
    machine_.run("rows, backward in clusters", Backward{}, {Backward::ctas(groups)},
                 LayerNormBackward<float>{scale, machine_.template array<RowStatistics>(rows), parts[0], parts[1]},
                 input(columns * rows), input(columns * rows), floats(columns * rows), rows);
    machine_.run("rows, sums of columns", GradientSums{}, {2}, GradientParts{parts[0], floats(columns)},
                 GradientParts{parts[1], floats(columns)}, part_rows, columns);
  }

  void run_products() {
    run_product<gemm::ClusterGemm<gemm::BFloat16, gemm::TileShape{.rows = 128, .columns = 64, .down = 2}, 2>>(
        "gemm in clusters", 64, 1);
    run_product<gemm::SplitGemm<gemm::BFloat16, gemm::TileShape{.rows = 128, .columns = 128, .deep = 2}, 2>>(
        "gemm in clusters that divide k", 128, 3);
  }
  /// @param clusters  that run at a time
  template <class Kernel>
  void run_product(const char* name, int n, int clusters) {
    constexpr int m = 300;
    constexpr int k = 320;
    const auto matrix = [&](int elements) { return machine_.template array<gemm::BFloat16>(elements); };
    const gemm::Problem<gemm::BFloat16> p{m, n, k, matrix(m * k), k, matrix(n * k), k, matrix(m * n), n};
    const gemm::Plan plan = gemm::make_plan(m, n, k, clusters, Kernel::shape, 0);
    // Clusters that share an operand have a map of each, those that divide k one of both.
    const auto maps = [&] {
      if constexpr (Kernel::shape.deep > 1) {
        return typename Kernel::Maps{
            machine_.template map<typename Kernel::Stage>(dma::TensorArray{p.a, Kernel::tile_of_a(p)},
                                                          dma::TensorArray{p.b, Kernel::tile_of_b(p)}),
            machine_.map(p.c, Kernel::tile_of_c(p))};
      } else {
        return typename Kernel::Maps{machine_.map(p.a, Kernel::tile_of_a(p)), machine_.map(p.b, Kernel::tile_of_b(p)),
                                     machine_.map(p.c, Kernel::tile_of_c(p))};
      }
    };
    machine_.run(name, Kernel{}, {plan.ctas * Kernel::shape.ctas()}, maps(), p, plan, gemm::Workspace{});
  }

  Machine& machine_;
};

}  // namespace logged
