#pragma once

/// How everything here is measured: launches in a CUDA graph over inputs that are not in the L2, timed by events, each
/// kernel's answer checked before its first timing. Google Benchmark counts, repeats and reports; it stays in .cpp
/// files, away from nvcc.

#include <dma/config.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace bench {

inline void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string("bench: ") + cudaGetErrorString(error));
  }
}

/// One thing to measure.
struct Subject {
  double bytes = 0;  ///< that a launch must move, each once; 0 where the time itself is the answer
  /// Enqueues launch `i`. Consecutive launches take consecutive windows of the input.
  std::function<void(cudaStream_t stream, int i)> launch;
  /// What is wrong with the answer, empty where nothing is. Launches for itself.
  std::function<std::string(cudaStream_t stream)> wrong;
  /// How far the answer is from a better one, where that is of interest; called after `wrong`, for what that left.
  std::function<double(cudaStream_t stream)> error;

  int launches = 8;      ///< a graph
  bool in_graph = true;  ///< false for copies of the driver, which are slower as a node of a graph than as a call
  int rounds = 1;        ///< what a launch repeats inside: the time reported is that of one round
  /// Each launch between two events of its own, in a stream whose queue is full: no launch starts before the one before
  /// has ended. Not in a graph.
  bool by_events = false;

  double rest = 0;  ///< seconds without work before each replay
  double busy = 0;  ///< seconds of replays before the first that is measured

  double seconds = 0;  ///< of a launch, where another has measured it: nothing is launched

  double measured_error = 0;  ///< what `error` gave
  std::string label;          ///< which variant it is, where the name does not say
  /// Other results by name, as bytes/s of the variants that `fastest_of` chose from by label.
  std::map<std::string, double> counters;
};

/// Whose times a benchmark reports: those of its own repetitions, or the one that the subject has.
enum class Times { measured, known };

/// Registers a benchmark. `make` is called on a machine with a GPU, when the benchmark's turn comes.
void add(const std::string& name, std::function<Subject()> make, Times times = Times::measured);

/// The subject whose launches take the least time, in a few replays of each. All rates are in the results.
[[nodiscard]] Subject fastest_of(std::vector<Subject> subjects);

/// Of all benchmarks that were added.
[[nodiscard]] const std::vector<std::string>& names();

/// Benchmarks that were wrong or failed so far.
[[nodiscard]] int failures();

/// Streaming multiprocessors of the GPU.
[[nodiscard]] int sms();

// --- buffers ---------------------------------------------------------------------------------------------------------

// Both buffers are `windows` windows of the same size, many times the L2 together. Element i of the input is
// `value_at(i)`, small integers, so that sums of them are exact whatever their order.

inline constexpr int windows = 8;
inline constexpr int ctas_an_sm = 2;  ///< that share a window evenly; so does one

/// Every tile size of the sweeps divides a CTA's share, so that none has a tail that the others have not.
inline constexpr long long share_bytes = 42LL * 48 * 1024;

[[nodiscard]] inline long long window_bytes() { return share_bytes * ctas_an_sm * sms(); }
[[nodiscard]] inline long long window_elements() { return window_bytes() / 4; }

[[nodiscard]] const float* input();  ///< all windows, one after another
[[nodiscard]] float* output();
[[nodiscard]] inline const float* input(int window) { return input() + window % windows * window_elements(); }
[[nodiscard]] inline float* output(int window) { return output() + window % windows * window_elements(); }

/// Element i of the input, 0 to 2047: what one thread of the sparsest grid adds up stays below 2^24.
DMA_HOST_DEVICE int value_at(long long i) {
  unsigned hash = static_cast<unsigned>(i) * 0x9e3779b9U ^ static_cast<unsigned>(i >> 32);
  hash = (hash ^ (hash >> 16)) * 0x7feb352dU;
  hash = (hash ^ (hash >> 15)) * 0x846ca68bU;
  return static_cast<int>(hash >> 21);
}

/// Keeps the stream busy for so long, so that the host can fill its queue.
void delay(double milliseconds, cudaStream_t stream);

/// Makes every float of the output a NaN.
void poison(float* to, long long elements, cudaStream_t stream);

/// The sum of a window of the input, computed once by the plainest kernel.
[[nodiscard]] double sum_of_window(int window, cudaStream_t stream);

/// The sum of `count` rows of the input, of `row_elements` elements each, by the plainest kernel.
[[nodiscard]] double sum_of_rows(const int* rows, int count, int row_elements, cudaStream_t stream);

/// Numbers of rows of the input, `count` different ones in an order without a pattern, for `list` 0 to `row_lists` - 1:
/// no row is in two lists. In device memory, made once.
inline constexpr int row_lists = 4;
[[nodiscard]] const int* row_list(int list, int count, int row_elements);

/// Elements of the output that are not those of the input.
[[nodiscard]] long long wrong_in_copy(const float* from, const float* to, long long elements, cudaStream_t stream);

// --- launches --------------------------------------------------------------------------------------------------------

#if defined(__CUDACC__)
/// Launches a kernel written by hand, with the opt-in that its dynamic shared memory needs.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), int ctas, int threads, int shared_bytes, cudaStream_t stream, Args... args) {
  if (shared_bytes > 0) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  }
  kernel<<<static_cast<unsigned>(ctas), static_cast<unsigned>(threads), static_cast<std::size_t>(shared_bytes),
           stream>>>(args...);
  check(cudaGetLastError());
}

/// What a kernel that counts into one number has counted: `launch(counter)` enqueues it.
template <class Launch>
[[nodiscard]] unsigned long long count_on_device(cudaStream_t stream, const Launch& launch) {
  unsigned long long* counter = nullptr;
  unsigned long long result = 0;
  check(cudaMalloc(&counter, sizeof *counter));
  check(cudaMemsetAsync(counter, 0, sizeof *counter, stream));
  launch(counter);
  check(cudaGetLastError());
  check(cudaMemcpyAsync(&result, counter, sizeof result, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaFree(counter));
  return result;
}
#endif

}  // namespace bench
