// Layer norm, RMS norm, softmax and log-sum-exp of rows, and the backward of the norms, on the emulator beside loops in
// double, and their proofs: rows of a warp, of several warps, and of a cluster.

#include "rows_cases.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <limits>
#include <vector>

using dma::proof::IsProved;
using namespace rows_cases;

namespace {

struct Emulator {
  template <class T>
  using Vector = std::vector<T>;

  template <class Kernel, class... Arguments>
  void launch(const Kernel& kernel, int ctas, const Arguments&... arguments) const {
    dma::host::launch({.seed = seed}, kernel, {ctas}, arguments...);
  }

  unsigned seed = 0;
};
constexpr Emulator emulator;

template <RowsPlan plan>
auto proof_of(int rows) {
  using Kernel = RowsKernel<float, LayerNormRows<float>, plan>;
  Matrix<Emulator, float> matrix(plan, rows);
  const auto scale = parameters<Emulator>(plan.columns, 5);
  const auto shift = parameters<Emulator>(plan.columns, 3);
  return dma::proof::prove({.inputs = {dma::proof::input(scale), dma::proof::input(shift), dma::proof::input(matrix.x)},
                            .outputs = {dma::proof::output(matrix.y)}},
                           Kernel{}, {Kernel::ctas(2)}, LayerNormRows<float>{scale.data(), shift.data(), epsilon},
                           static_cast<const float*>(matrix.x.data()), matrix.y.data(), rows);
}

}  // namespace

TEST_CASE("rows of a warp each, of several warps and of a CTA") {
  CHECK(worst_of_all<warp_plan>(emulator, 18) < 1);
  CHECK(worst_of_all<warps_plan>(emulator, 5) < 1);
  CHECK(worst_of_all<cta_plan>(emulator, 5) < 1);
}

TEST_CASE("rows of some lanes of a warp") {
  for (const int rows : {1, 7, 8, 19}) {
    CAPTURE(rows);
    CHECK(worst_of_all<eight_lanes_plan>(emulator, rows) < 1);
    CHECK(worst_of_all<sixteen_lanes_plan>(emulator, rows) < 1);
    CHECK(layer_norm_error<BFloat16, eight_lanes_plan>(emulator, rows) < most_bf16_error);
  }
}

TEST_CASE("rows of a cluster") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    CHECK(layer_norm_error<float, cluster_plan>(Emulator{seed}, 5) < most_error);
  }
  CHECK(worst_of_all<cluster_plan>(emulator, 3) < 1);
  CHECK(layer_norm_error<float, many_sums_plan>(emulator, 3) < most_error);
}

TEST_CASE("rows of a cluster, one row ahead") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    CHECK(layer_norm_error<float, long_plan>(Emulator{seed}, 13) < most_error);
    CHECK(layer_norm_error<float, two_slots_plan>(Emulator{seed}, 5) < most_error);
  }
  CHECK(worst_of_all<long_plan>(emulator, 3) < 1);
  CHECK(worst_of_all<long_plan>(emulator, 1) < 1);
  CHECK(worst_of_all<two_slots_plan>(emulator, 4) < 1);
}

TEST_CASE("rows of bfloat16 are rounded once") {
  CHECK(layer_norm_error<BFloat16, warp_plan>(emulator, 5) < most_bf16_error);
  CHECK(rms_norm_error<BFloat16, bf16_plan>(emulator, 3) < most_bf16_error);
}

TEST_CASE("rows of bfloat16 by the plans of their lengths") {
  CHECK(layer_norm_error<BFloat16, fastest_plan({256, 2, 2, true})>(emulator, 11) < most_bf16_error);
  CHECK(layer_norm_error<BFloat16, fastest_plan({512, 2, 2, true})>(emulator, 7) < most_bf16_error);
  CHECK(layer_norm_error<BFloat16, fastest_plan({1024, 2, 2, true})>(emulator, 5) < most_bf16_error);
  CHECK(layer_norm_error<BFloat16, fastest_plan({2048, 2, 2, true})>(emulator, 3) < most_bf16_error);
  CHECK(rms_norm_error<BFloat16, fastest_plan({256, 2, 1, true})>(emulator, 9) < most_bf16_error);
  CHECK(rms_norm_error<BFloat16, fastest_plan({1024, 2, 1, true})>(emulator, 5) < most_bf16_error);
  CHECK(rms_norm_error<BFloat16, fastest_plan({2048, 2, 1, true})>(emulator, 3) < most_bf16_error);
}

TEST_CASE("softmax by the plans of its lengths") {
  CHECK(softmax_error<float, fastest_plan({256, 4, 0, true})>(emulator, 5) < 1e-5);
  CHECK(softmax_error<float, fastest_plan({4096, 4, 0, true})>(emulator, 2) < 1e-5);
}

TEST_CASE("an SM holds no more CTAs than a plan says") {
  constexpr RowsPlan plan = fastest_plan({256, 4, 0, true});
  using Kernel = RowsKernel<float, SoftmaxRows, plan>;
  constexpr int sm_bytes = 228 * 1024;
  constexpr int cta_bytes = int{sizeof(Kernel::Shared)} + 1024;
  STATIC_REQUIRE(plan.max_ctas > 0);
  STATIC_REQUIRE(plan.max_ctas * cta_bytes <= sm_bytes);
  STATIC_REQUIRE((plan.max_ctas + 1) * cta_bytes > sm_bytes);
}

TEST_CASE("plans fit an SM: its threads, its registers and its shared memory") {
  constexpr int sm_threads = 2048;
  constexpr int sm_registers = 65536;
  constexpr int sm_bytes = 227 * 1024;
  for (const int columns : {256, 512, 1024, 2048, 4096, 65536, 131072, 262144}) {
    for (const int element_bytes : {2, 4}) {
      for (const int parameter_rows : {0, 1, 2}) {
        for (const bool writes_elements : {true, false}) {
          if (!writes_elements && parameter_rows > 0) {
            continue;
          }
          const RowsPlan plan = fastest_plan({columns, element_bytes, parameter_rows, writes_elements});
          CAPTURE(to_string(plan), element_bytes, parameter_rows);
          CHECK(plan.columns == columns);
          CHECK(plan.values() * plan.row_threads() * plan.ctas_a_row == columns);
          CHECK(plan.warps % plan.warps_a_row == 0);
          const int vectors = plan.values() * element_bytes / 16;
          REQUIRE(vectors > 0);
          CHECK((plan.at_once == 0 || vectors % plan.at_once == 0));
          const int threads = 32 * plan.warps * plan.min_ctas;
          CHECK(threads <= sm_threads);
          CHECK((plan.max_ctas == 0 || plan.max_ctas >= plan.min_ctas));
          const int vectors_at_once = plan.at_once == 0 ? vectors : plan.at_once;
          const int registers =
              (plan.kept == Kept::in_registers ? plan.values() : 0) + 4 * parameter_rows * vectors_at_once;
          CHECK(registers < sm_registers / threads);
          const int tile_bytes = plan.rows_a_tile() * plan.piece_columns() * element_bytes;
          constexpr int barrier_and_system_bytes = 2048;
          CHECK(plan.min_ctas * (plan.stages * tile_bytes + barrier_and_system_bytes) <= sm_bytes);
        }
      }
    }
  }
}

TEST_CASE("plans of the backward fit an SM") {
  for (const int columns : {512, 1024, 2048, 4096}) {
    const RowsPlan plan = fastest_backward_plan(columns);
    CAPTURE(to_string(plan));
    CHECK(plan.values() * plan.row_threads() == columns);
    CHECK(plan.stages >= 2 * plan.pieces);
    constexpr int sm_registers = 65536;
    constexpr int arrays_of_values = 5;  // normalized x, gradient, scale and both sums
    CHECK(arrays_of_values * plan.values() < sm_registers / (32 * plan.warps * plan.min_ctas));
  }
}

TEST_CASE("gradients of a norm's rows and parameters") {
  CHECK(backward_error<LayerNormBackward<float>, fastest_backward_plan(512)>(emulator, 35) < most_gradient_error);
  CHECK(backward_error<LayerNormBackward<float>, fastest_backward_plan(4096)>(emulator, 3) < most_gradient_error);
  CHECK(backward_error<LayerNormBackward<float>, warp_plan>(emulator, 18) < most_gradient_error);
  CHECK(backward_error<LayerNormBackward<float>, eight_lanes_plan>(emulator, 11) < most_gradient_error);
  CHECK(backward_error<RmsNormBackward<float>, pieces_plan>(emulator, 5) < most_gradient_error);
  CHECK(backward_error<LayerNormBackward<float>, cluster_plan>(Emulator{1}, 5) < most_gradient_error);
}

TEST_CASE("softmax of masked values") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Matrix<Emulator, float> matrix(warp_plan, 1);
  std::fill(matrix.x.begin(), matrix.x.end(), -infinity);
  matrix.x[3] = 1e30F;
  run<float, warp_plan>(emulator, SoftmaxRows{}, matrix);
  CHECK(matrix.y[3] == 1);
  CHECK(std::count(matrix.y.begin(), matrix.y.end(), 0.0F) == warp_plan.columns - 1);
}

TEST_CASE("rows are proved") {
  for (int rows = 0; rows < 4; ++rows) {
    CHECK_THAT(proof_of<cta_plan>(rows), IsProved());
    CHECK_THAT(proof_of<cluster_plan>(rows), IsProved());
    CHECK_THAT(proof_of<long_plan>(rows), IsProved());
  }
  CHECK_THAT(proof_of<long_plan>(13), IsProved());  // sums take the place of those of four rows before
  CHECK_THAT(proof_of<two_slots_plan>(12), IsProved());
  CHECK_THAT(proof_of<warp_plan>(6), IsProved());
  CHECK_THAT(proof_of<warps_plan>(5), IsProved());
  CHECK_THAT(proof_of<eight_lanes_plan>(11), IsProved());
}

TEST_CASE("the sums of a parameter's gradient are proved, while the grid before may still run") {
  using Operation = LayerNormBackward<float>;
  using Kernel = RowsBackward<float, Operation, warp_plan>;
  constexpr int groups = 2;
  constexpr int rows = 18;
  constexpr std::size_t columns = warp_plan.columns;
  Matrix<Emulator, float> matrix(warp_plan, rows);
  const std::vector<float> dy = gradients_of_y<Emulator>(matrix.x.size());
  const std::vector<float> scale = parameters<Emulator>(warp_plan.columns, 5);
  const auto statistics = statistics_of<Emulator, warp_plan>(matrix, rows, true);
  std::vector<float> parts[2];
  std::vector<float> gradients[2];
  for (int p = 0; p < 2; ++p) {
    parts[p].resize(columns * static_cast<std::size_t>(Kernel::part_rows(groups)));
    gradients[p].resize(columns);
  }
  CHECK_THAT(dma::proof::prove(
                 {.outputs = {dma::proof::output(matrix.y), dma::proof::output(parts[0]), dma::proof::output(parts[1]),
                              dma::proof::output(gradients[0]), dma::proof::output(gradients[1])}},
                 dma::proof::Grid(Kernel{}, {Kernel::ctas(groups)},
                                  Operation{scale.data(), statistics.data(), parts[0].data(), parts[1].data()},
                                  static_cast<const float*>(matrix.x.data()), dy.data(), matrix.y.data(), rows),
                 dma::proof::Grid(GradientSums{}, {GradientSums::ctas(2, warp_plan.columns)},
                                  GradientParts{parts[0].data(), gradients[0].data()},
                                  GradientParts{parts[1].data(), gradients[1].data()}, Kernel::part_rows(groups),
                                  warp_plan.columns)),
             IsProved());
}

TEST_CASE("a plan says how it shares rows") {
  CHECK(to_string(warp_plan) ==
        "256 columns: 4 rows a CTA at a time, 1 warp and 8 values a thread; 2 stages of 1024 elements");
  CHECK(to_string(eight_lanes_plan) ==
        "256 columns: 8 rows a CTA at a time, 8 lanes and 32 values a thread; 2 stages of 2048 elements");
  CHECK(to_string(cluster_plan) ==
        "2048 columns: a cluster of 4 CTAs at a time, 2 warps and 8 values a thread; 4 stages of 256 elements");
  CHECK(to_string(long_plan) ==
        "2048 columns: a cluster of 4 CTAs at a time, 2 warps and 8 values a thread, one row ahead; 3 stages of 512 "
        "elements");
}
