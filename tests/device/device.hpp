#pragma once

/// What the device tests share: plain functions, so that Catch2 stays out of nvcc's sight.

#include <string>
#include <vector>

/// Why there is no GPU to test on; empty where there is one.
std::string missing_device();

/// What a run of the protocol matrix saw.
struct MatrixResult {
  int kernels = 0;
  long long tiles = 0;
  long long wrong = 0;        ///< elements that are not what they should be
  std::string first_failure;  ///< the first kernel that had any

  MatrixResult& operator+=(const MatrixResult& other) {
    kernels += other.kernels;
    tiles += other.tiles;
    wrong += other.wrong;
    first_failure = first_failure.empty() ? other.first_failure : first_failure;
    return *this;
  }
};

MatrixResult run_named_matrix(int short_every, unsigned seed);
MatrixResult run_phase_matrix(int short_every, unsigned seed);
MatrixResult run_async_matrix(int short_every, unsigned seed);
MatrixResult run_bulk_matrix(int short_every, unsigned seed);
MatrixResult run_libcuxx_matrix(int short_every, unsigned seed);
MatrixResult run_libcuxx_async_matrix(int short_every, unsigned seed);
MatrixResult run_libcuxx_bulk_matrix(int short_every, unsigned seed);
MatrixResult run_libcuxx_pairs(int short_every, unsigned seed);
MatrixResult run_pairs(int short_every, unsigned seed);
// Halves of the above, which call them: compiling one of these units whole takes minutes.
MatrixResult run_named_groups_matrix(int short_every, unsigned seed);
MatrixResult run_phase_groups_matrix(int short_every, unsigned seed);
MatrixResult run_async_named_matrix(int short_every, unsigned seed);
MatrixResult run_bulk_named_matrix(int short_every, unsigned seed);
MatrixResult run_libcuxx_groups_matrix(int short_every, unsigned seed);

/// What a sweep over patterns saw.
struct PatternResult {
  long long cases = 0;        ///< shapes x directions x barriers x with and without DMA warps
  long long wrong = 0;        ///< bytes
  std::string first_failure;  ///< the first kernel that had any
};

PatternResult run_row_patterns();
PatternResult run_boxes();
PatternResult run_rings();
PatternResult run_shells();
PatternResult run_layouts_and_compositions();
PatternResult run_tensor_boxes();
PatternResult run_libcuxx_boxes();
PatternResult run_axis_boxes();
PatternResult run_sums();
/// Why the tensor cores here cannot be tested; empty where they can. Products of them; `wrong` counts elements.
std::string missing_tensor_cores();
PatternResult run_matrix_products();
/// Elements that come back wrong from a table of 6 GiB.
long long gather_from_six_gibibytes();

/// One thing that failed in CudaDMA, and the bytes or elements that are wrong here.
struct CaseResult {
  std::string name;
  long long wrong;
};

/// One operation, and its error in units of what is allowed.
struct ErrorResult {
  std::string name;
  double error;
};
/// Norms, softmax and log-sum-exp of rows, and the norms' backward, beside loops in double.
std::vector<ErrorResult> run_rows();

std::vector<CaseResult> run_cudadma_failures();
/// The kernels of the paper's figures, with the names of CudaDMA's first version.
std::vector<CaseResult> run_paper_figures();
/// The kernels of tests/kernels/right_*.hpp, each launched so often.
std::vector<CaseResult> run_right_kernels(int launches);
std::vector<CaseResult> run_kernels_that_synccheck_misreads(int launches);
/// Elements that come back wrong.
long long gather_by_indices_in_shared_memory();

/// The message with which `launch` refuses, empty where it does not.
std::string launch_with_too_much_shared_memory();
/// The body's Shared, aligned to 128 bytes, after so many bytes of variables.
std::string launch_with_shared_after(int bytes);
std::string launch_with_empty_grid();
/// What `occupancy` says of a body with `shared_bytes` of shared memory, and of one in clusters of 4 CTAs.
struct Occupancies {
  int shared_bytes;
  int sms;
  int ctas_an_sm;
  int ctas;
  int clusters;
  int ctas_in_clusters;
  int clusters_of_4;
};
Occupancies query_occupancies();
std::string launch_with_misaligned_source();
/// Elements that come back wrong.
int stream_through_large_shared_memory();
/// Sums that are wrong.
int sum_with_register_budgets();

/// What CTAs that pace themselves saw of each other.
struct PaceResult {
  int farthest_beyond_slack = -1000;       ///< tiles
  unsigned long long left_in_counter = 0;  ///< after the launches
};

/// What `dma::tuning::tune` finds of a kernel with wrong, slow and too large variants.
struct TuneOutcome {
  std::string text;
  int excluded = 0;        ///< too large
  int wrong_refused = 0;   ///< refused for the answer that they have
  int right_measured = 0;  ///< of the others, measured
  std::string best;
  /// The best is right, and no other of those that were measured as often has a smaller median. Which one that is
  /// depends on what else the machine does.
  bool best_has_the_least_median = false;
};
TuneOutcome tune_scale();

PaceResult run_paced();
/// Products that are wrong where a tile is read late, and bulk copies refill its slot soon.
long long read_before_refills();
/// Numbers that are wrong where each grid begins before the one that it reads from is done.
int count_wrong_after_early_grids();
/// Numbers that are wrong where products load a constant matrix while the grid before writes their vector.
int count_wrong_after_constant_matrices();
/// Sums that are wrong, and counters that were left.
int sums_by_the_last_cta();
/// Wrong results of atomic accesses.
int atomic_accesses();
/// Numbers that CTAs of a cluster have not read or written in each other's shared memory; -1 where a grid that is not
/// whole clusters was launched.
int exchanges_of_a_cluster();
/// Wrong numbers of CTAs of a cluster that send each other words, copy arrays to each other, or take the same tiles; -1
/// where the kernel failed.
int sums_over_a_cluster();
int arrays_round_a_cluster();
int multicast_tiles();
std::string launch_of_a_grid_that_is_not_resident();

/// What a kernel over barriers that record left.
struct TraceResult {
  int wrong = 0;                   ///< elements
  int backwards = 0;               ///< events that are earlier than the one before, of the same warp
  int rows_without_all_tiles = 0;  ///< warps that did not record an arrival a tile
};

TraceResult run_traced();

/// Elements that two launches on streams of libcu++ copied wrongly.
int copies_on_streams_of_libcuxx();

/// Whether the tensor map of a view is that of its address and numbers.
bool map_of_a_view_is_that_by_hand();

/// Whether an arrival through the native `cuda::barrier` completes a phase that our wait sees.
bool native_handle_arrives();
