// Copies and transposes a matrix by the kernels of an article on achievable bandwidth, by the well-known padded tile
// and by the library, in float and double: effective bandwidth beside the theoretical one and cudaMemcpy's, load and
// store efficiency. Checks every answer.
//
//     transpose [ROWS COLS]
//
// Exits with 1 where an answer is wrong, with 4 where there is no GPU.

#include "../../examples/gpu.hpp"
#include "../../examples/usage.hpp"
#include "efficiency.hpp"
#include "steps.hpp"
#include "tiles.hpp"

#include <dma/tune/measure_bandwidth.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include <cuda_runtime.h>

namespace {

using gpu::check;
using transpose::Efficiency;

/// Inputs that the launches of a graph take one after another: together more than the L2.
constexpr int inputs = 8;

template <class T>
__host__ __device__ T element(long long i) {
  return static_cast<T>(i % 8'388'593);  // exact in float, and a prime
}

template <class T>
__global__ void fill(T* matrix, long long elements) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    matrix[i] = element<T>(i);
  }
}

template <class T>
__global__ void count_wrong(const T* from, const T* to, int rows, int cols, bool transposes,
                            unsigned long long* wrong) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long elements = static_cast<long long>(rows) * cols;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    const long long place = transposes ? i % cols * rows + i / cols : i;
    if (to[place] != from[i]) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// The matrices of one program, and how right its kernels were.
template <class T>
class Report {
 public:
  Report(int rows, int cols)
      : rows_(rows),
        cols_(cols),
        elements_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)),
        from_(gpu::device_array<T>(elements_ * inputs)),
        to_(gpu::device_array<T>(elements_ * inputs)),
        wrong_(gpu::device_array<unsigned long long>(1)) {
    fill<<<1024, 256>>>(from_, static_cast<long long>(elements_ * inputs));
    check(cudaGetLastError());
    const std::size_t bytes = elements_ * inputs * sizeof(T);
    ceilings_ = dma::tuning::bandwidth_ceilings(to_, from_, bytes);
    std::printf("%d x %d elements of %zu bytes; theoretical bandwidth %.0f GB/s, cudaMemcpy %.0f\n", rows, cols,
                sizeof(T), ceilings_.theoretical * 1e-9, ceilings_.copy * 1e-9);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() {
    cudaFree(wrong_);
    cudaFree(to_);
    cudaFree(from_);
  }

  /// Checks a kernel body and measures it.
  template <class Kernel>
  void add(const std::string& name, bool transposes, const Efficiency* efficiency = nullptr) {
    const auto launch = [&](cudaStream_t stream, int round) {
      const std::size_t first = static_cast<std::size_t>(round % inputs) * elements_;
      dma::launch(Kernel{}, Kernel::grid(rows_, cols_), stream, static_cast<const T*>(from_ + first), to_ + first,
                  rows_, cols_);
    };
    check(cudaMemset(to_, 0xff, elements_ * sizeof(T)));
    launch(nullptr, 0);
    const unsigned long long wrong = wrong_elements(transposes);
    is_right_ = is_right_ && wrong == 0;
    const double bytes = static_cast<double>(elements_ * sizeof(T));
    const dma::tuning::BandwidthReport report =
        dma::tuning::measure_bandwidth(name, {.read = bytes, .written = bytes}, ceilings_, launch);
    std::printf("  %s", report.to_text().c_str());
    if (efficiency != nullptr) {
      std::printf("  load efficiency %5.1f%%, store %5.1f%%", efficiency->load * 100, efficiency->store * 100);
    }
    std::printf("%s\n", wrong == 0 ? "" : "  WRONG");
  }

  [[nodiscard]] bool is_right() const { return is_right_; }

 private:
  [[nodiscard]] unsigned long long wrong_elements(bool transposes) const {
    unsigned long long wrong = 0;
    check(cudaMemset(wrong_, 0, sizeof wrong));
    count_wrong<<<1024, 256>>>(from_, to_, rows_, cols_, transposes, wrong_);
    check(cudaGetLastError());
    check(cudaMemcpy(&wrong, wrong_, sizeof wrong, cudaMemcpyDeviceToHost));
    return wrong;
  }

  int rows_;
  int cols_;
  std::size_t elements_;
  T* from_;
  T* to_;
  unsigned long long* wrong_;
  dma::tuning::BandwidthCeilings ceilings_;
  bool is_right_ = true;
};

template <class T, int Number>
void add_step(Report<T>& report) {
  using Kernel = transpose::MoveDirectly<Number, 32, 32>;
  const Efficiency efficiency = transpose::efficiency_of_step(Number, sizeof(T));
  report.template add<Kernel>(Kernel::step.name, Kernel::step.transposes(), &efficiency);
}

template <class T, int Number>
void add_block_shape(Report<T>& report) {
  constexpr transpose::BlockShape shape = transpose::block_shapes[Number];
  using Kernel = transpose::MoveDirectly<transpose::naive_col, shape.width, shape.height>;
  report.template add<Kernel>("naiveCol (" + std::to_string(shape.width) + "," + std::to_string(shape.height) + ")",
                              true);
}

/// Returns whether all answers are right.
template <class T>
bool run(int rows, int cols) {
  Report<T> report(rows, cols);
  [&]<int... Number>(std::integer_sequence<int, Number...>) { (add_step<T, Number>(report), ...); }
  (std::make_integer_sequence<int, transpose::step_count>{});
  [&]<int... Number>(std::integer_sequence<int, Number...>) { (add_block_shape<T, Number>(report), ...); }
  (std::make_integer_sequence<int, transpose::block_shape_count>{});
  const Efficiency by_hand = transpose::efficiency_by_hand(sizeof(T));
  report.template add<transpose::TransposeByHand<T>>("padded tile, any shape", true, &by_hand);
  report.template add<transpose::TransposeByPattern<T>>("dma::Transpose", true);
  if (rows % dma::Vector<T>::size() == 0 && cols % dma::Vector<T>::size() == 0) {
    report.template add<transpose::TransposeInRegisters<T>>("dma, blocks in registers", true);
  }
  return report.is_right();
}

}  // namespace

int main(int argc, char** argv) try {
  if (asks_for_help(argc, argv)) {
    std::printf("Transposes a matrix by each kernel on a GPU and prints their speeds.\nUsage: %s [rows columns]\n",
                argv[0]);
    return 0;
  }
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  const int rows = argc == 3 ? std::atoi(argv[1]) : 4096;
  const int cols = argc == 3 ? std::atoi(argv[2]) : 4096;
  if (rows < 1 || cols < 1) {
    throw std::invalid_argument("a matrix has at least one row and one column; give both, as in transpose 4096 4096");
  }
  const bool floats = run<float>(rows, cols);
  const bool doubles = run<double>(rows, cols);
  return floats && doubles ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "transpose: %s\n", error.what());
  return 1;
}
