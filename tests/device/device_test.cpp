#include "device/device.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

void needs_device() {
  if (const std::string reason = missing_device(); !reason.empty()) {
    SKIP(reason);
  }
}

/// A matrix run: all its kernels, with every tile right.
void expect_all_right(const MatrixResult& result, int kernels, long long tiles_a_kernel) {
  CAPTURE(result.first_failure, result.tiles);
  REQUIRE(result.kernels == kernels);
  REQUIRE(result.tiles == kernels * tiles_a_kernel);
  REQUIRE(result.wrong == 0);
}

/// A sweep over patterns: its cases, with every byte right.
void expect_all_right(const PatternResult& result, long long cases) {
  CAPTURE(result.first_failure, result.cases);
  REQUIRE(result.wrong == 0);
  REQUIRE(result.cases >= cases);
}

constexpr int kernels_a_barrier = 4 * (9 * 6 + 3);
constexpr int kernels_an_engine = 5 * 6 + 2;  // bufferings x styles, and one body, a pattern and direction
constexpr long long tiles_a_kernel = 5LL * 4 * (13 * 14 / 2);  // CTAs, loops, and 0 to 13 tiles

}  // namespace

TEST_CASE("every buffering on named barriers delivers every tile on the GPU", "[device][protocol]") {
  needs_device();
  expect_all_right(run_named_matrix(0, 0), kernels_a_barrier, tiles_a_kernel);
  expect_all_right(run_named_matrix(3, 11), kernels_a_barrier, tiles_a_kernel);
}

TEST_CASE("every buffering on phase barriers delivers every tile on the GPU", "[device][protocol]") {
  needs_device();
  expect_all_right(run_phase_matrix(0, 0), kernels_a_barrier, tiles_a_kernel);
  expect_all_right(run_phase_matrix(3, 11), kernels_a_barrier, tiles_a_kernel);
}

TEST_CASE("cp.async delivers every tile on the GPU, on phase barriers and on named ones", "[device][protocol]") {
  needs_device();
  expect_all_right(run_async_matrix(0, 0), 2 * 4 * kernels_an_engine, tiles_a_kernel);
  expect_all_right(run_async_matrix(3, 11), 2 * 4 * kernels_an_engine, tiles_a_kernel);
}

TEST_CASE("bulk copies deliver every tile on the GPU, and on named barriers store them", "[device][protocol]") {
  needs_device();
  expect_all_right(run_bulk_matrix(0, 0), (4 + 2) * kernels_an_engine, tiles_a_kernel);
  expect_all_right(run_bulk_matrix(3, 11), (4 + 2) * kernels_an_engine, tiles_a_kernel);
}

TEST_CASE("every buffering on cuda::barrier delivers every tile on the GPU", "[device][protocol]") {
  needs_device();
  expect_all_right(run_libcuxx_matrix(0, 0), kernels_a_barrier, tiles_a_kernel);
  expect_all_right(run_libcuxx_matrix(3, 11), kernels_a_barrier, tiles_a_kernel);
}

TEST_CASE("cp.async and bulk copies deliver every tile on the GPU on cuda::barrier", "[device][protocol]") {
  needs_device();
  expect_all_right(run_libcuxx_async_matrix(0, 0), 4 * kernels_an_engine, tiles_a_kernel);
  expect_all_right(run_libcuxx_async_matrix(3, 11), 4 * kernels_an_engine, tiles_a_kernel);
  expect_all_right(run_libcuxx_bulk_matrix(0, 0), 4 * kernels_an_engine, tiles_a_kernel);
  expect_all_right(run_libcuxx_bulk_matrix(3, 11), 4 * kernels_an_engine, tiles_a_kernel);
}

TEST_CASE("two pipelines do not interfere on the GPU on cuda::barrier", "[device][protocol]") {
  needs_device();
  expect_all_right(run_libcuxx_pairs(0, 0), 8, 2 * tiles_a_kernel);
  expect_all_right(run_libcuxx_pairs(3, 7), 8, 2 * tiles_a_kernel);
}

TEST_CASE("two pipelines do not interfere on the GPU", "[device][protocol]") {
  needs_device();
  expect_all_right(run_pairs(0, 0), 2 * 8, 2 * tiles_a_kernel);
  expect_all_right(run_pairs(3, 7), 2 * 8, 2 * tiles_a_kernel);
}

TEST_CASE("patterns of rows move every shape both ways on the GPU", "[device][patterns]") {
  needs_device();
  expect_all_right(run_row_patterns(), 20000);
}

TEST_CASE("boxes move both ways on the GPU at any position", "[device][patterns]") {
  needs_device();
  expect_all_right(run_boxes(), 10000);
}

TEST_CASE("rings of radius 1 to 8 move both ways on the GPU", "[device][patterns]") {
  needs_device();
  expect_all_right(run_rings(), 10000);
}

TEST_CASE("shells move both ways on the GPU", "[device][patterns]") {
  needs_device();
  expect_all_right(run_shells(), 5000);
}

TEST_CASE("swizzled tiles and compositions move both ways on the GPU", "[device][patterns]") {
  needs_device();
  expect_all_right(run_layouts_and_compositions(), 5000);
}

TEST_CASE("tensor maps move boxes over every edge of their array on the GPU", "[device][patterns]") {
  needs_device();
  expect_all_right(run_tensor_boxes(), 1500);
}

TEST_CASE("tensor maps move boxes on the GPU on cuda::barrier", "[device][patterns]") {
  needs_device();
  expect_all_right(run_libcuxx_boxes(), 1500);
}

TEST_CASE("tensor maps move boxes of one to five axes on the GPU, with zero and with NaN around them",
          "[device][patterns]") {
  needs_device();
  expect_all_right(run_axis_boxes(), 2 * 2 * 2 * 5 * (1 + 3 + 9 + 27 + 81 + 3 + 81));
}

TEST_CASE("stores that add leave the sum of what all CTAs stored, on the GPU", "[device][patterns]") {
  needs_device();
  expect_all_right(run_sums(), 5 * 6 + 2 * 5);
}

TEST_CASE("the tensor cores read operands where descriptors of tiles say, and sums are where for_each says",
          "[device][matrix]") {
  needs_device();
  if (const std::string reason = missing_tensor_cores(); !reason.empty()) {
    SKIP(reason);
  }
  expect_all_right(run_matrix_products(), 22);
}

TEST_CASE("norms, softmax and gradients of rows on the GPU are those of loops in double", "[device][rows]") {
  needs_device();
  for (const ErrorResult& result : run_rows()) {
    INFO(result.name);
    CHECK(result.error < 1);
  }
}

TEST_CASE("a gather reaches rows beyond 2 GiB", "[device][patterns]") {
  needs_device();
  REQUIRE(gather_from_six_gibibytes() == 0);
}

TEST_CASE("what failed in CudaDMA, or was left to the caller, is right on the GPU", "[device][cudadma]") {
  needs_device();
  const std::vector<CaseResult> results = run_cudadma_failures();
  REQUIRE(results.size() == 8);
  for (const CaseResult& result : results) {
    CAPTURE(result.name);
    REQUIRE(result.wrong == 0);
  }
}

TEST_CASE("the paper's figures 4, 6 and 7 are right on the GPU", "[device][cudadma]") {
  needs_device();
  const std::vector<CaseResult> results = run_paper_figures();
  REQUIRE(results.size() == 5);
  for (const CaseResult& result : results) {
    CAPTURE(result.name);
    REQUIRE(result.wrong == 0);
  }
}

TEST_CASE("unusual kernels are right on the GPU", "[device][right]") {
  needs_device();
  const std::vector<CaseResult> results = run_right_kernels(20);
  REQUIRE(results.size() >= 40);
  for (const CaseResult& result : results) {
    CAPTURE(result.name);
    REQUIRE(result.wrong == 0);
  }
}

TEST_CASE("warps synchronize at two places, which synccheck misreads, on the GPU", "[device][right]") {
  needs_device();
  const std::vector<CaseResult> results = run_kernels_that_synccheck_misreads(20);
  REQUIRE(results.size() == 1);
  for (const CaseResult& result : results) {
    CAPTURE(result.name);
    REQUIRE(result.wrong == 0);
  }
}

TEST_CASE("a gather reads its indices from shared memory on the GPU", "[device][patterns]") {
  needs_device();
  REQUIRE(gather_by_indices_in_shared_memory() == 0);
}

TEST_CASE("launch opts in to more than 48 KB of shared memory", "[device][launch]") {
  needs_device();
  REQUIRE(stream_through_large_shared_memory() == 0);
}

TEST_CASE("launch refuses before the kernel runs, and names a fix", "[device][launch]") {
  needs_device();
  REQUIRE_THAT(launch_with_too_much_shared_memory(), ContainsSubstring("use fewer stages or smaller tiles"));
  REQUIRE_THAT(launch_with_shared_after(2064), ContainsSubstring("follows 2064 bytes of __shared__ variables"));
  REQUIRE(launch_with_shared_after(2048).empty());
  REQUIRE_THAT(launch_with_empty_grid(), ContainsSubstring("a grid is 1 to 2^31 - 1"));
  REQUIRE_THAT(launch_with_misaligned_source(), ContainsSubstring("in is not at a multiple of 16 bytes"));
}

TEST_CASE("the occupancy of a body follows from its shared memory and its cluster", "[device][launch]") {
  needs_device();
  const Occupancies found = query_occupancies();
  // An SM of sm_90 has 228 KB, of which each CTA costs 1 KB more than it declares.
  REQUIRE(found.ctas_an_sm == 228 * 1024 / (found.shared_bytes + 1024));
  REQUIRE(found.ctas == found.sms * found.ctas_an_sm);
  REQUIRE(found.clusters == found.ctas);
  // GPCs whose SMs are no multiple of 4 leave some out of clusters.
  REQUIRE(found.clusters_of_4 > 0);
  REQUIRE(found.ctas_in_clusters == 4 * found.clusters_of_4);
}

TEST_CASE("warps that took their register budgets stream every tile", "[device][registers]") {
  needs_device();
  REQUIRE(sum_with_register_budgets() == 0);
}

TEST_CASE("paced CTAs stay within their slack on the GPU, and the counter clears itself", "[device][pace]") {
  needs_device();
  const PaceResult result = run_paced();
  REQUIRE(result.farthest_beyond_slack <= 0);
  REQUIRE(result.left_in_counter == 0);
}

TEST_CASE("a slot is refilled only when its late readers have read it on the GPU", "[device][protocol]") {
  needs_device();
  REQUIRE(read_before_refills() == 0);
}

TEST_CASE("grids that start early wait for what they read on the GPU", "[device][launch]") {
  needs_device();
  REQUIRE(count_wrong_after_early_grids() == 0);
}

TEST_CASE("products that load a constant matrix early wait for their vector on the GPU", "[device][launch]") {
  needs_device();
  REQUIRE(count_wrong_after_constant_matrices() == 0);
}

TEST_CASE("the last CTA sees what all have left on the GPU", "[device][launch]") {
  needs_device();
  REQUIRE(sums_by_the_last_cta() == 0);
}

TEST_CASE("each atomic access returns the value before, and leaves what it says, on the GPU", "[device][launch]") {
  needs_device();
  REQUIRE(atomic_accesses() == 0);
}

TEST_CASE("the CTAs of a cluster read and write each other's shared memory on the GPU", "[device][launch]") {
  needs_device();
  REQUIRE(exchanges_of_a_cluster() == 0);
}

TEST_CASE("CTAs send words and arrays to barriers of other CTAs on the GPU", "[device][cluster]") {
  needs_device();
  REQUIRE(sums_over_a_cluster() == 0);
  REQUIRE(arrays_round_a_cluster() == 0);
}

TEST_CASE("a tile that is loaded once arrives in each CTA of the cluster on the GPU", "[device][cluster]") {
  needs_device();
  REQUIRE(multicast_tiles() == 0);
}

TEST_CASE("launch refuses CTAs that wait for others which are not resident", "[device][pace]") {
  needs_device();
  REQUIRE_THAT(launch_of_a_grid_that_is_not_resident(), ContainsSubstring("launch no more than that"));
}

TEST_CASE("barriers that record change nothing on the GPU, and record every tile", "[device][trace]") {
  needs_device();
  const TraceResult result = run_traced();
  REQUIRE(result.wrong == 0);
  REQUIRE(result.backwards == 0);
  REQUIRE(result.rows_without_all_tiles == 0);
}

TEST_CASE("launch takes a stream of libcu++", "[device][launch]") {
  needs_device();
  REQUIRE(copies_on_streams_of_libcuxx() == 0);
}

TEST_CASE("the tensor map of an mdspan is that of its address and numbers", "[device][launch]") {
  needs_device();
  REQUIRE(map_of_a_view_is_that_by_hand());
}

TEST_CASE("a barrier's state is a cuda::barrier", "[device][sync]") {
  needs_device();
  REQUIRE(native_handle_arrives());
}

TEST_CASE("a tuner measures right variants, refuses wrong ones and compiles none that is too large", "[device]") {
  needs_device();
  // Stages of 4 KB, and of 64 KB, of which an SM holds 1, 2 and 3; each with 2 and 4 compute warps.
  const TuneOutcome outcome = tune_scale();
  CAPTURE(outcome.text);
  CHECK(outcome.excluded == 2);
  CHECK(outcome.wrong_refused == 4);
  CHECK(outcome.right_measured == 2 * 5);
  CHECK(outcome.best_has_the_least_median);
  CHECK_THAT(outcome.text, EndsWith("constexpr dma::tuning::Variant best = " + outcome.best + ";\n"));
}
