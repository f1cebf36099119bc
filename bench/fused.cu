// Kernels that move and compute, of the examples, each beside a plain one: the README's kernel, layer norms, sums of
// bags.

#include "../examples/bags/launch.cuh"
#include "../examples/layer_norm/launch.cuh"
#include "../examples/rows/launch.cuh"
#include "../examples/scale/body.hpp"
#include "bags.cuh"
#include "copied.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {
namespace {

// --- y = a x ---------------------------------------------------------------------------------------------------------

constexpr float factor = 3.0F;

__global__ void scale_plainly(const float4* __restrict__ x, float4* __restrict__ y, float a) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float4 v = x[i];
  y[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
}

__global__ void count_unscaled(const float* x, const float* y, long long elements, unsigned long long* wrong) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    if (y[i] != factor * x[i]) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// `run(stream, from, to)` scales a window.
template <class Run>
void add_scaling(const std::string& by, const Run& run) {
  add("scale/by:" + by, [=] {
    return copy_subject(window_elements(), run, [](auto from, auto to, auto stream) {
      return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
        count_unscaled<<<1024, 256, 0, stream>>>(from, to, window_elements(), wrong);
      }));
    });
  });
}

// --- layer norm ------------------------------------------------------------------------------------------------------

constexpr float epsilon = 1e-5F;

/// Counts the elements that are off by more than 2e-5 of the row's formula in double; a CTA a row.
__global__ void count_unnormalized(const float* x, const float* scale, const float* shift, const float* y, int columns,
                                   unsigned long long* wrong) {
  __shared__ double sums[2];
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  if (threadIdx.x < 2) {
    sums[threadIdx.x] = 0;
  }
  __syncthreads();
  double sum = 0;
  double squares = 0;
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    sum += x[first + c];
    squares += double{x[first + c]} * x[first + c];
  }
  atomicAdd(&sums[0], sum);
  atomicAdd(&sums[1], squares);
  __syncthreads();
  const double mean = sums[0] / columns;  // the squares of these integers are exact
  const double deviation = sqrt(sums[1] / columns - mean * mean + double{epsilon});
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    const double expected = (x[first + c] - mean) / deviation * scale[c] + shift[c];
    if (!(fabs(y[first + c] - expected) < 2e-5)) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// `launch_rows(stream, x, scale, shift, y, rows, epsilon)` normalizes rows.
template <int Columns, class LaunchRows>
void add_norm(const std::string& sweep, const std::string& by, const LaunchRows& launch_rows) {
  add(sweep + "/cols:" + std::to_string(Columns) + "/by:" + by, [=] {
    std::vector<float> scale(Columns);
    std::vector<float> shift(Columns);
    for (int c = 0; c < Columns; ++c) {
      scale[static_cast<std::size_t>(c)] = 0.5F + static_cast<float>(c % 101) / 101.0F;
      shift[static_cast<std::size_t>(c)] = static_cast<float>(c % 37) / 37.0F;
    }
    const float* const scales = device_copy(scale);
    const float* const shifts = device_copy(shift);
    const int rows = static_cast<int>(window_elements() / Columns);
    return copy_subject(
        1LL * rows * Columns,
        [=](auto stream, const float* from, float* to) {
          launch_rows(stream, from, scales, shifts, to, rows, epsilon);
        },
        [=](auto from, auto to, auto stream) {
          return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
            count_unnormalized<<<static_cast<unsigned>(rows), 512, 0, stream>>>(from, scales, shifts, to, Columns,
                                                                                wrong);
          }));
        });
  });
}

/// Counts the elements that are off by more than 1e-5 of the row's softmax in double; a CTA a row.
__global__ void count_wrong_softmax(const float* x, const float* y, int columns, unsigned long long* wrong) {
  __shared__ int maximum;  // of these integers
  __shared__ double sum;
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  if (threadIdx.x == 0) {
    maximum = static_cast<int>(x[first]);
    sum = 0;
  }
  __syncthreads();
  int most = maximum;
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    most = max(most, static_cast<int>(x[first + c]));
  }
  atomicMax(&maximum, most);
  __syncthreads();
  double exponentials = 0;
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    exponentials += exp(static_cast<double>(x[first + c]) - maximum);
  }
  atomicAdd(&sum, exponentials);
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    const double expected = exp(static_cast<double>(x[first + c]) - maximum) / sum;
    if (!(fabs(y[first + c] - expected) < 1e-5 * expected + 1e-30)) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// `launch_softmax(stream, x, y, rows)` takes the softmax of rows.
template <int Columns, class LaunchSoftmax>
void add_softmax(const std::string& by, const LaunchSoftmax& launch_softmax) {
  add("rows/op:softmax/cols:" + std::to_string(Columns) + "/by:" + by, [=] {
    const int rows = static_cast<int>(window_elements() / Columns);
    return copy_subject(
        1LL * rows * Columns,
        [=](auto stream, const float* from, float* to) { launch_softmax(stream, from, to, rows); },
        [=](auto from, auto to, auto stream) {
          return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
            count_wrong_softmax<<<static_cast<unsigned>(rows), 512, 0, stream>>>(from, to, Columns, wrong);
          }));
        });
  });
}

template <int Columns>
void add_short_softmaxes() {
  add_softmax<Columns>("dma", launch_short_softmax<Columns>);
  add_softmax<Columns>("plain", launch_plain_short_softmax<Columns>);
}

template <int Columns>
void add_norms() {
  add_norm<Columns>("layer_norm", "dma", launch_layer_norm<Columns>);
  add_norm<Columns>("layer_norm", "plain", launch_plain_layer_norm<Columns>);
}

/// Of rows that are a part of a CTA's tile, or all of it.
template <int Columns>
void add_short_norms() {
  add_norm<Columns>("rows/op:layer_norm", "dma", launch_short_layer_norm<Columns>);
  add_norm<Columns>("rows/op:layer_norm", "plain", launch_plain_short_layer_norm<Columns>);
}

/// Of rows that a cluster of CTAs shares.
template <int Columns>
void add_long_norms() {
  add_norm<Columns>("rows/op:layer_norm", "dma", launch_long_layer_norm<Columns>);
  add_norm<Columns>("rows/op:layer_norm", "plain", launch_plain_long_layer_norm<Columns>);
}

// --- sums of bags ----------------------------------------------------------------------------------------------------

__global__ void count_wrong_sums(const float* table, const int* ids, const int* offsets, int cols, const float* sums,
                                 unsigned long long* wrong) {
  const int bag = static_cast<int>(blockIdx.x);
  for (int c = static_cast<int>(threadIdx.x); c < cols; c += static_cast<int>(blockDim.x)) {
    float sum = 0;  // of integers below 2048: exact in any order
    for (int k = offsets[bag]; k < offsets[bag + 1]; ++k) {
      sum += table[static_cast<long long>(ids[k]) * cols + c];
    }
    if (sums[static_cast<long long>(bag) * cols + c] != sum) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// `launch(stream, table, table_rows, ids, offsets, ids in all, sums)` adds up all bags.
template <int Cols, class LaunchBags>
void add_bags(int fewest, int most, const std::string& by, const LaunchBags& launch_bags) {
  add("bags/row:" + std::to_string(Cols * 4) + "/rows:" + name_of_sizes(fewest, most) + "/by:" + by, [=] {
    const int table_rows = static_cast<int>(2 * window_elements() / Cols);
    const Bags made = make_bags(table_rows, fewest, most);
    const auto launch_list = [=](cudaStream_t stream, int i) {
      const int list = i % lists;
      launch_bags(stream, input(), table_rows, made.ids[list], made.offsets[list], made.counts[list], output());
    };
    Subject subject;
    subject.bytes = (made.mean_count + bags) * (Cols * 4 + 4);
    subject.launch = launch_list;
    subject.wrong = [=](cudaStream_t stream) {
      poison(output(), 1LL * bags * Cols, stream);
      launch_list(stream, 0);
      const unsigned long long wrong_sums = count_on_device(stream, [&](unsigned long long* wrong) {
        count_wrong_sums<<<bags, 128, 0, stream>>>(input(), made.ids[0], made.offsets[0], Cols, output(), wrong);
      });
      return wrong_sums == 0 ? std::string() : std::to_string(wrong_sums) + " sums are wrong";
    };
    return subject;
  });
}

/// Takes back what the backward has added, an element at a time.
__global__ void take_from_rows(const float* sums_gradient, const int* ids, const int* offsets, int cols,
                               float* table_gradient) {
  const long long bag = blockIdx.x;
  for (int c = static_cast<int>(threadIdx.x); c < cols; c += static_cast<int>(blockDim.x)) {
    for (int k = offsets[bag]; k < offsets[bag + 1]; ++k) {
      atomicAdd(table_gradient + static_cast<long long>(ids[k]) * cols + c, -sums_gradient[bag * cols + c]);
    }
  }
}

__global__ void count_nonzero(const float* values, long long elements, unsigned long long* wrong) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    if (values[i] != 0) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// The gradient of a table of two windows, from zero. Its time is the answer.
template <int Cols, class LaunchBackward>
void add_backward(int fewest, int most, const std::string& by, const LaunchBackward& launch_backward_of) {
  add("bags_backward/row:" + std::to_string(Cols * 4) + "/rows:" + name_of_sizes(fewest, most) + "/by:" + by, [=] {
    const long long elements = 2 * window_elements() / Cols * Cols;
    const int table_rows = static_cast<int>(elements / Cols);
    const Bags made = make_bags(table_rows, fewest, most);
    const auto launch_list = [=](cudaStream_t stream, int i) {
      const int list = i % lists;
      check(cudaMemsetAsync(output(), 0, static_cast<std::size_t>(elements) * sizeof(float), stream));
      launch_backward_of(stream, input(), made.ids[list], made.counts[list], made.offsets[list], output(), table_rows);
    };
    Subject subject;
    subject.launch = launch_list;
    subject.wrong = [=](cudaStream_t stream) {
      launch_list(stream, 0);
      take_from_rows<<<bags, 128, 0, stream>>>(input(), made.ids[0], made.offsets[0], Cols, output());
      const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
        count_nonzero<<<1024, 256, 0, stream>>>(output(), elements, count);
      });
      return wrong == 0 ? std::string() : std::to_string(wrong) + " elements are wrong";
    };
    return subject;
  });
}

template <int Cols>
void add_backward_of() {
  for (const auto& [fewest, most] : {std::pair{8, 8}, {32, 32}}) {
    add_backward<Cols>(fewest, most, "dma",
                       [](auto stream, const float* sums_gradient, const int* ids, int count, const int* offsets,
                          float* gradient, int table_rows) {
                         launch_backward<Cols>(stream, sums_gradient, ids, count, offsets, bags, gradient, table_rows);
                       });
    add_backward<Cols>(
        fewest, most, "plain",
        [](auto stream, const float* sums_gradient, const int* ids, int, const int* offsets, float* gradient, int) {
          launch_plain_backward<Cols>(stream, sums_gradient, ids, offsets, bags, gradient);
        });
  }
}

template <int Cols>
void add_bags_of() {
  for (const auto& [fewest, most] : {std::pair{8, 8}, {32, 32}, {0, 64}}) {
    add_bags<Cols>(
        fewest, most, "dma",
        [](auto stream, const float* table, int table_rows, const int* ids, const int* offsets, int count,
           float* sums) { launch_sum_bags<Cols>(stream, table, table_rows, ids, count, offsets, bags, sums); });
    add_bags<Cols>(fewest, most, "plain",
                   [](auto stream, const float* table, int, const int* ids, const int* offsets, int, float* sums) {
                     launch_plain_sum_bags<Cols>(stream, table, ids, offsets, bags, sums);
                   });
  }
}

}  // namespace

void add_scale() {
  add_scaling("dma", [](auto stream, const float* from, float* to) {
    const int tiles = static_cast<int>(window_elements() / Scale::Tile::count);
    dma::launch(Scale{}, {tiles}, stream, from, to, factor, tiles);
  });
  add_scaling("plain", [](auto stream, const float* from, float* to) {
    constexpr int threads = 256;
    launch(scale_plainly, static_cast<int>(window_elements() / 4 / threads), threads, 0, stream,
           reinterpret_cast<const float4*>(from), reinterpret_cast<float4*>(to), factor);
  });
  add("scale/by:memcpy", [] { return driver_copy(window_elements()); });
}

void add_layer_norm() {
  add_norms<8192>();
  add_norms<16384>();
  add_norms<32768>();
}

void add_rows() {
  add_short_norms<256>();
  add_short_norms<512>();
  add_short_norms<1024>();
  add_short_norms<2048>();
  add_short_norms<4096>();
  add_long_norms<65536>();
  add_long_norms<131072>();
  add_long_norms<262144>();
  add_short_softmaxes<256>();
  add_short_softmaxes<1024>();
  add_short_softmaxes<4096>();
}

void add_bags() {
  add_bags_of<128>();
  add_bags_of<256>();
  add_backward_of<128>();
  add_backward_of<256>();
}

}  // namespace bench
