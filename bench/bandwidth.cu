// The kernels of two articles on bandwidth beside the library's: transposes of one matrix, and the best sums of points.

#include "../applications/financial/choice.cuh"
#include "../applications/transpose/steps.hpp"
#include "../applications/transpose/tiles.hpp"
#include "copied.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace bench {
namespace {

// --- transposes ------------------------------------------------------------------------------------------------------

constexpr int side = 4096;  // the article's matrix

/// Counts elements of `to` that are not those of `from`, of a matrix of `side` x `side`, transposed or not.
template <class T>
__global__ void count_misplaced(const T* from, const T* to, bool transposes, unsigned long long* wrong) {
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  if (to[transposes ? col * side + row : row * side + col] != from[row * side + col]) {
    atomicAdd(wrong, 1ULL);
  }
}

/// `Kernel` on matrices of T, which have the bits of so many floats.
template <class T, class Kernel>
void add_transpose_step(const std::string& name, dma::Index3 grid, bool transposes) {
  add("transpose_steps/n:" + std::to_string(side) + "/bytes:" + std::to_string(sizeof(T)) + "/" + name, [=] {
    constexpr long long floats = 1LL * side * side * static_cast<long long>(sizeof(T) / sizeof(float));
    const auto as_matrices = [](const float* from, float* to) {
      return std::pair(reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to));
    };
    return copy_subject(
        floats,
        [=](auto stream, const float* from, float* to) {
          const auto [a, b] = as_matrices(from, to);
          dma::launch(Kernel{}, grid, stream, a, b, side, side);
        },
        [=](const float* from, float* to, cudaStream_t stream) {
          const auto [a, b] = as_matrices(from, to);
          return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
            count_misplaced<<<dim3(side / 256, side), 256, 0, stream>>>(a, b, transposes, wrong);
          }));
        });
  });
}

template <class T, int Number, int Width, int Height>
void add_article() {
  using Kernel = transpose::MoveDirectly<Number, Width, Height>;
  add_transpose_step<T, Kernel>("kernel:" + std::string(Kernel::step.name) + "/block:" + std::to_string(Width) + "x" +
                                    std::to_string(Height) + "/by:article",
                                Kernel::grid(side, side), Kernel::step.transposes());
}
template <class T, class Kernel>
void add_tiles(const std::string& name) {
  add_transpose_step<T, Kernel>(name, Kernel::grid(side, side), true);
}

template <class T>
void add_transposes_of() {
  []<int... Number>(std::integer_sequence<int, Number...>) { (add_article<T, Number, 32, 32>(), ...); }
  (std::make_integer_sequence<int, transpose::step_count>{});
  add_tiles<T, transpose::TransposeByHand<T>>("kernel:padded/by:hand");
  add_tiles<T, transpose::TransposeByPattern<T>>("kernel:pattern/by:dma");
  add_tiles<T, transpose::TransposeInRegisters<T>>("kernel:in_registers/by:dma");
}

/// The article's kernels with loads that the first-level cache keeps, and with loads that leave it out.
template <int Number, int Width, int Height, dma::LoadCache Cache>
void add_reads_through(const std::string& cache) {
  using Kernel = transpose::MoveDirectly<Number, Width, Height>;
  add("transpose_loads/n:" + std::to_string(side) + "/kernel:" + Kernel::step.name + "/block:" + std::to_string(Width) +
          "x" + std::to_string(Height) + "/cache:" + cache + "/by:article",
      [] {
        return copy_subject(
            1LL * side * side,
            [](auto stream, const float* from, float* to) {
              dma::launch(Kernel{}, Kernel::grid(side, side), stream, transpose::ReadThrough<Cache, float>{from}, to,
                          side, side);
            },
            [](const float* from, const float* to, cudaStream_t stream) {
              return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
                count_misplaced<<<dim3(side / 256, side), 256, 0, stream>>>(from, to, Kernel::step.transposes(), wrong);
              }));
            });
      });
}
template <int Number, int Width, int Height>
void add_loads() {
  add_reads_through<Number, Width, Height, dma::LoadCache::all>("all");
  add_reads_through<Number, Width, Height, dma::LoadCache::global>("global");
}
/// In the article's main block, the naive transposes in all of its blocks.
template <int Number>
void add_loads_of_step() {
  if constexpr (Number == transpose::naive_row || Number == transpose::naive_col) {
    []<int... Shape>(std::integer_sequence<int, Shape...>) {
      (add_loads<Number, transpose::block_shapes[Shape].width, transpose::block_shapes[Shape].height>(), ...);
    }
    (std::make_integer_sequence<int, transpose::block_shape_count>{});
  } else {
    add_loads<Number, 32, 32>();
  }
}

// --- best sums of points ---------------------------------------------------------------------------------------------

using financial::Points;

/// `run(stream, job)` computes the best sums of rows that are `pitch` elements apart. The input's floats, two of which
/// are read as a double, are no numbers of interest, but finite.
template <class Run>
void add_best_sums(const std::string& name, int points, int values, int pitch, const Run& run) {
  add(name, [=] {
    const long long floats = 2LL * pitch * values;
    const auto parts = static_cast<int>(windows * window_elements() / floats);
    const auto job_at = [=](int i) {
      return Points<double>{reinterpret_cast<const double*>(input() + i % parts * floats),
                            reinterpret_cast<const double*>(input()), reinterpret_cast<double*>(output()), points,
                            values};
    };
    Subject subject;
    subject.bytes = 8.0 * (static_cast<double>(points) * values + points + values);
    subject.launch = [=](cudaStream_t stream, int i) { run(stream, job_at(i)); };
    subject.wrong = [=](cudaStream_t stream) -> std::string {
      poison(output(), 2LL * points, stream);
      const Points<double> job = job_at(1);
      run(stream, job);
      const unsigned long long wrong_points = count_on_device(stream, [&](unsigned long long* wrong) {
        financial::count_not_best<<<static_cast<unsigned>((points + 255) / 256), 256, 0, stream>>>(job, pitch, wrong);
      });
      return wrong_points == 0 ? "" : std::to_string(wrong_points) + " points are wrong";
    };
    return subject;
  });
}

template <class Run>
void add_financial(int points, int values, const std::string& by, const Run& run) {
  add_best_sums("financial/points:" + std::to_string(points) + "/values:" + std::to_string(values) + "/" + by, points,
                values, points, run);
}

/// One point and one value less than the article's even numbers, in rows without a gap and in rows of an even pitch.
void add_odd_counts(int points, int values) {
  for (const int pitch : {points, points + 1}) {
    financial::for_each_step_of_any_count([&](const char* step, auto launch_step) {
      add_best_sums("financial_odd/points:" + std::to_string(points) + "/values:" + std::to_string(values) +
                        "/pitch:" + (pitch % 2 == 0 ? "even" : "odd") + "/step:" + step + "/by:article",
                    points, values, pitch,
                    [=](cudaStream_t stream, const Points<double>& job) { launch_step(stream, job, pitch); });
    });
  }
}

void add_financial_of(int points, int values) {
  financial::for_each_step([&](const char* step, auto launch_step) {
    add_financial(points, values, std::string("step:") + step + "/by:article", launch_step);
  });
  add_financial(points, values, "step:tiles/by:dma", financial::launch_tiles);
  add_financial(points, values, "step:registers/by:dma", financial::launch_best);
}

}  // namespace

void add_transpose_steps() {
  add_transposes_of<float>();
  add_article<float, transpose::naive_col, 32, 16>();
  add_article<float, transpose::naive_col, 32, 8>();
  add_article<float, transpose::naive_col, 64, 16>();
  add_article<float, transpose::naive_col, 64, 8>();
  add_article<float, transpose::naive_col, 128, 8>();
  add_transposes_of<double>();
  add("transpose_steps/n:" + std::to_string(side) + "/bytes:4/by:memcpy",
      [] { return driver_copy(1LL * side * side); });
  add("transpose_steps/n:" + std::to_string(side) + "/bytes:8/by:memcpy",
      [] { return driver_copy(2LL * side * side); });
}

void add_transpose_loads() {
  []<int... Number>(std::integer_sequence<int, Number...>) { (add_loads_of_step<Number>(), ...); }
  (std::make_integer_sequence<int, transpose::step_count>{});
}

void add_financial() {
  add_financial_of(1 << 22, 16);
  add_financial_of(1 << 20, 64);
  add_financial_of(1 << 18, 256);
  // So few points that latency decides: one for each thread of one CTA of 1024 an SM, and half as many.
  add_financial_of(132 * 1024, 64);
  add_financial_of(1 << 16, 64);
  add_odd_counts((1 << 16) - 1, 63);
  add_odd_counts((1 << 20) - 1, 63);
}

}  // namespace bench
