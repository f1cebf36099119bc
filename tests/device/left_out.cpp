#include "device/device.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

// What the tests call where the matrices were compiled to PTX only.

namespace {

template <class Result>
Result left_out() {
  SKIP(
      "this program was built where there is no GPU, without the code of this kernel: configure with "
      "-D DMA_DEVICE_MATRICES=ON");
  return {};
}

}  // namespace

MatrixResult run_named_matrix(int, unsigned) { return left_out<MatrixResult>(); }
MatrixResult run_phase_matrix(int, unsigned) { return left_out<MatrixResult>(); }
MatrixResult run_async_matrix(int, unsigned) { return left_out<MatrixResult>(); }
MatrixResult run_bulk_matrix(int, unsigned) { return left_out<MatrixResult>(); }
MatrixResult run_libcuxx_matrix(int, unsigned) { return left_out<MatrixResult>(); }
MatrixResult run_libcuxx_async_matrix(int, unsigned) { return left_out<MatrixResult>(); }
MatrixResult run_libcuxx_bulk_matrix(int, unsigned) { return left_out<MatrixResult>(); }
MatrixResult run_libcuxx_pairs(int, unsigned) { return left_out<MatrixResult>(); }
std::vector<ErrorResult> run_rows() { return left_out<std::vector<ErrorResult>>(); }
PatternResult run_row_patterns() { return left_out<PatternResult>(); }
PatternResult run_boxes() { return left_out<PatternResult>(); }
PatternResult run_rings() { return left_out<PatternResult>(); }
PatternResult run_shells() { return left_out<PatternResult>(); }
PatternResult run_layouts_and_compositions() { return left_out<PatternResult>(); }
PatternResult run_tensor_boxes() { return left_out<PatternResult>(); }
PatternResult run_libcuxx_boxes() { return left_out<PatternResult>(); }
PatternResult run_axis_boxes() { return left_out<PatternResult>(); }
PatternResult run_sums() { return left_out<PatternResult>(); }
std::string missing_tensor_cores() { return {}; }
PatternResult run_matrix_products() { return left_out<PatternResult>(); }
long long gather_from_six_gibibytes() { return left_out<long long>(); }
int sums_over_a_cluster() { return left_out<int>(); }
int arrays_round_a_cluster() { return left_out<int>(); }
int multicast_tiles() { return left_out<int>(); }
std::vector<CaseResult> run_cudadma_failures() { return left_out<std::vector<CaseResult>>(); }
std::vector<CaseResult> run_paper_figures() { return left_out<std::vector<CaseResult>>(); }
std::vector<CaseResult> run_right_kernels(int) { return left_out<std::vector<CaseResult>>(); }
std::vector<CaseResult> run_kernels_that_synccheck_misreads(int) { return left_out<std::vector<CaseResult>>(); }
long long gather_by_indices_in_shared_memory() { return left_out<long long>(); }
