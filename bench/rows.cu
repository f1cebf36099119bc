// Norms, softmax and log-sum-exp of rows, of the applications, and the backward of the layer norm, each beside a plain
// kernel.

#include "../applications/rows/launch.cuh"
#include "../applications/rows/launch_backward.cuh"
#include "../applications/rows/layer_norm/launch.cuh"
#include "../applications/rows/plain_operations.cuh"
#include "bags.cuh"
#include "copied.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace bench {
namespace {

// --- layer norm ------------------------------------------------------------------------------------------------------

constexpr float epsilon = 1e-5F;

/// Counts the elements that are off by more than 2e-5 of the row's formula in double, or by half of bfloat16's last
/// place; a CTA a row. Without `shift` the RMS norm, otherwise the layer norm.
template <class T>
__global__ void count_unnormalized(const T* x, const T* scale, const T* shift, const T* y, int columns,
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
    const double value = float_of(x[first + c]);
    sum += shift == nullptr ? 0 : value;
    squares += value * value;
  }
  atomicAdd(&sums[0], sum);
  atomicAdd(&sums[1], squares);
  __syncthreads();
  const double mean = sums[0] / columns;  // the squares of these integers are exact
  const double deviation = sqrt(sums[1] / columns - mean * mean + double{epsilon});
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    const double expected =
        (float_of(x[first + c]) - mean) / deviation * float_of(scale[c]) + (shift == nullptr ? 0 : float_of(shift[c]));
    const double rounding = sizeof(T) == 2 ? fabs(expected) / 256 : 0;
    if (!(fabs(float_of(y[first + c]) - expected) < 2e-5 + rounding)) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

template <class T>
const T* scale_of(int columns) {
  std::vector<T> scale(static_cast<std::size_t>(columns));
  for (std::size_t c = 0; c < scale.size(); ++c) {
    round_to(scale[c], 0.5F + static_cast<float>(c % 101) / 101.0F);
  }
  return device_copy(scale);
}
template <class T>
const T* shift_of(int columns) {
  std::vector<T> shift(static_cast<std::size_t>(columns));
  for (std::size_t c = 0; c < shift.size(); ++c) {
    round_to(shift[c], static_cast<float>(c % 37) / 37.0F);
  }
  return device_copy(shift);
}

/// `launch_rows(stream, x, scale, shift, y, rows, epsilon)` normalizes rows.
template <int Columns, class LaunchRows>
void add_norm(const std::string& sweep, const std::string& by, const LaunchRows& launch_rows) {
  add(sweep + "/cols:" + std::to_string(Columns) + "/by:" + by, [=] {
    const float* const scales = scale_of<float>(Columns);
    const float* const shifts = shift_of<float>(Columns);
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

/// `launch_rms_norm(stream, x, scale, y, rows)` normalizes rows by their squares.
template <int Columns, class LaunchRmsNorm>
void add_rms_norm(const std::string& by, const LaunchRmsNorm& launch_rms_norm) {
  add("rows/op:rms_norm/cols:" + std::to_string(Columns) + "/by:" + by, [=] {
    const float* const scale = scale_of<float>(Columns);
    const int rows = static_cast<int>(window_elements() / Columns);
    return copy_subject(
        1LL * rows * Columns,
        [=](auto stream, const float* from, float* to) { launch_rms_norm(stream, from, scale, to, rows); },
        [=](auto from, auto to, auto stream) {
          return static_cast<long long>(count_on_device(stream, [&](unsigned long long* wrong) {
            count_unnormalized<float>
                <<<static_cast<unsigned>(rows), 512, 0, stream>>>(from, scale, nullptr, to, Columns, wrong);
          }));
        });
  });
}

__global__ void fill_with_bf16(BFloat16* to, long long elements) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    round_to(to[i], static_cast<float>(value_at(i) % 256));
  }
}
/// As many elements as a window of floats has, in each of `bf16_windows`: whole numbers below 256. Made once.
constexpr int bf16_windows = 4;
const BFloat16* bf16_input() {
  static const BFloat16* const made = [] {
    BFloat16* to = nullptr;
    const long long elements = bf16_windows * window_elements();
    check(cudaMalloc(&to, static_cast<std::size_t>(elements) * sizeof(BFloat16)));
    fill_with_bf16<<<1024, 256>>>(to, elements);
    check(cudaDeviceSynchronize());
    return to;
  }();
  return made;
}

/// `launch_norm(stream, x, scale, shift, y, rows)` normalizes rows of bfloat16. There is no shift in an RMS norm.
template <int Columns, class LaunchNorm>
void add_bf16_norm(const std::string& op, const std::string& by, const LaunchNorm& launch_norm) {
  add("rows/op:" + op + "_bf16/cols:" + std::to_string(Columns) + "/by:" + by, [=] {
    const BFloat16* const scale = scale_of<BFloat16>(Columns);
    const BFloat16* const shift = op == "layer_norm" ? shift_of<BFloat16>(Columns) : nullptr;
    const int rows = static_cast<int>(window_elements() / Columns);
    const long long elements = 1LL * rows * Columns;
    Subject subject;
    subject.bytes = 4.0 * static_cast<double>(elements);
    const auto run = [=](cudaStream_t stream, int i) {
      launch_norm(stream, bf16_input() + i % bf16_windows * elements, scale, shift,
                  reinterpret_cast<BFloat16*>(output(i)), rows);
    };
    subject.launch = run;
    subject.wrong = [=](cudaStream_t stream) -> std::string {
      poison(output(), elements / 2, stream);
      run(stream, 0);
      const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
        count_unnormalized<BFloat16><<<static_cast<unsigned>(rows), 512, 0, stream>>>(
            bf16_input(), scale, shift, reinterpret_cast<const BFloat16*>(output()), Columns, count);
      });
      return wrong == 0 ? "" : std::to_string(wrong) + " elements are wrong";
    };
    return subject;
  });
}

/// Counts the rows whose result is off by more than 10^-6 of it; a CTA a row.
__global__ void count_wrong_log_sums(const float* x, const float* results, int columns, unsigned long long* wrong) {
  __shared__ int maximum;  // of these integers
  __shared__ double sum;
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  if (threadIdx.x == 0) {
    maximum = 0;
    sum = 0;
  }
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    atomicMax(&maximum, static_cast<int>(x[first + c]));
  }
  __syncthreads();
  double exponentials = 0;
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    exponentials += exp(static_cast<double>(x[first + c]) - maximum);
  }
  atomicAdd(&sum, exponentials);
  __syncthreads();
  if (threadIdx.x == 0) {
    const double expected = maximum + log(sum);
    if (!(fabs(results[blockIdx.x] - expected) < 1e-6 * expected)) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// `launch_sums(stream, x, results, rows)` takes the log-sum-exp of rows.
template <int Columns, class LaunchSums>
void add_log_sum_exp(const std::string& by, const LaunchSums& launch_sums) {
  add("rows/op:log_sum_exp/cols:" + std::to_string(Columns) + "/by:" + by, [=] {
    const int rows = static_cast<int>(window_elements() / Columns);
    Subject subject;
    subject.bytes = 4.0 * rows * (Columns + 1);
    subject.launch = [=](cudaStream_t stream, int i) { launch_sums(stream, input(i), output(), rows); };
    subject.wrong = [=](cudaStream_t stream) -> std::string {
      poison(output(), rows, stream);
      launch_sums(stream, input(), output(), rows);
      const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
        count_wrong_log_sums<<<static_cast<unsigned>(rows), 512, 0, stream>>>(input(), output(), Columns, count);
      });
      return wrong == 0 ? "" : std::to_string(wrong) + " of " + std::to_string(rows) + " sums are wrong";
    };
    return subject;
  });
}

// --- backward of the layer norm --------------------------------------------------------------------------------------

/// Of all rows: any numbers will do, since the backward takes them as they are.
constexpr RowStatistics statistics_of_rows{1000.0F, 1.0F / 512};

struct Gradients {
  const RowStatistics* statistics;
  float* parts[2];  ///< of scale and shift, for each group of CTAs
  float* of_scale;
  float* of_shift;
};

/// Counts the elements of dx that are off by more than 2e-5 in units of 1 + |expected|; a CTA a row.
__global__ void count_wrong_gradients(const float* x, const float* dy, const float* scale, const float* dx, int columns,
                                      unsigned long long* wrong) {
  __shared__ double sums[2];
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  const auto normalized = [&](int c) {
    return (double{x[first + c]} - statistics_of_rows.mean) * statistics_of_rows.factor;
  };
  const auto gradient = [&](int c) { return double{dy[first + c]} * scale[c]; };
  if (threadIdx.x < 2) {
    sums[threadIdx.x] = 0;
  }
  __syncthreads();
  double sum = 0;
  double projection = 0;
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    sum += gradient(c);
    projection += gradient(c) * normalized(c);
  }
  atomicAdd(&sums[0], sum);
  atomicAdd(&sums[1], projection);
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < columns; c += static_cast<int>(blockDim.x)) {
    const double expected =
        statistics_of_rows.factor * (gradient(c) - sums[0] / columns - normalized(c) * sums[1] / columns);
    if (!(fabs(dx[first + c] - expected) < 2e-5 * (1 + fabs(expected)))) {
      atomicAdd(wrong, 1ULL);
    }
  }
}
/// Counts the gradients of scale and shift that are off by more than 2e-5 of the sum of all terms' magnitudes; a CTA a
/// column.
__global__ void count_wrong_sums_of_gradients(const float* x, const float* dy, const float* of_scale,
                                              const float* of_shift, int rows, int columns, unsigned long long* wrong) {
  __shared__ double sums[3];
  const int column = static_cast<int>(blockIdx.x);
  if (threadIdx.x < 3) {
    sums[threadIdx.x] = 0;
  }
  __syncthreads();
  double scale = 0;
  double shift = 0;
  double magnitude = 0;
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += static_cast<int>(blockDim.x)) {
    const long long i = static_cast<long long>(row) * columns + column;
    const double term = dy[i] * (double{x[i]} - statistics_of_rows.mean) * statistics_of_rows.factor;
    scale += term;
    magnitude += fabs(term);
    shift += dy[i];
  }
  atomicAdd(&sums[0], scale);
  atomicAdd(&sums[1], shift);
  atomicAdd(&sums[2], magnitude);
  __syncthreads();
  if (threadIdx.x == 0 &&
      !(fabs(of_scale[column] - sums[0]) < 2e-5 * sums[2] && fabs(of_shift[column] - sums[1]) < 2e-5 * sums[1])) {
    atomicAdd(wrong, 1ULL);
  }
}

/// `launch(stream, x, dy, scale, dx, gradients, rows)` takes the gradients.
template <int Columns, class LaunchBackward>
void add_norm_backward(const std::string& by, const LaunchBackward& launch_backward) {
  add("rows/op:layer_norm_backward/cols:" + std::to_string(Columns) + "/by:" + by, [=] {
    const int rows = static_cast<int>(window_elements() / Columns);
    const long long elements = 1LL * rows * Columns;
    const float* const scale = scale_of<float>(Columns);
    Gradients gradients{};
    gradients.statistics = device_copy(std::vector<RowStatistics>(static_cast<std::size_t>(rows), statistics_of_rows));
    const std::vector<float> zeros(Columns);
    gradients.of_scale = device_copy(zeros);
    gradients.of_shift = device_copy(zeros);
    for (float*& part : gradients.parts) {
      part = device_copy(std::vector<float>(static_cast<std::size_t>(most_backward_part_rows(sms())) * Columns));
    }
    const auto run = [=](cudaStream_t stream, int i) {
      launch_backward(stream, input(i), input(i + 1), scale, output(i), gradients, rows);
    };
    Subject subject;
    subject.bytes = 12.0 * static_cast<double>(elements);
    subject.launch = run;
    subject.wrong = [=](cudaStream_t stream) -> std::string {
      poison(output(), elements, stream);
      run(stream, 0);
      const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
        count_wrong_gradients<<<static_cast<unsigned>(rows), 512, 0, stream>>>(input(0), input(1), scale, output(),
                                                                               Columns, count);
        count_wrong_sums_of_gradients<<<Columns, 256, 0, stream>>>(input(0), input(1), gradients.of_scale,
                                                                   gradients.of_shift, rows, Columns, count);
      });
      return wrong == 0 ? "" : std::to_string(wrong) + " gradients are wrong";
    };
    return subject;
  });
}

/// The fastest of 32 to 512 threads a row of bfloat16, on an H200.
template <int Columns, int Parameters>
void launch_plain_bf16_norm(cudaStream_t stream, const BFloat16* x, const BFloat16* scale, const BFloat16* shift,
                            BFloat16* y, int rows) {
  constexpr int threads = Columns <= 512 ? 32 : Columns == 4096 && Parameters == 1 ? 128 : Columns / 16;
  constexpr int rows_a_cta = Columns <= 512 ? 4 : 1;
  plain_norm<BFloat16, Columns, threads, rows_a_cta, Parameters>
      <<<static_cast<unsigned>((rows + rows_a_cta - 1) / rows_a_cta), threads * rows_a_cta, 0, stream>>>(
          x, scale, shift, y, rows, epsilon);
}

template <int Columns>
void add_bf16_layer_norm() {
  add_bf16_norm<Columns>("layer_norm", "dma", [](auto stream, auto x, auto scale, auto shift, BFloat16* y, int rows) {
    launch_rows<Columns>(stream, LayerNormRows<BFloat16>{scale, shift, epsilon}, x, y, rows);
  });
  add_bf16_norm<Columns>("layer_norm", "plain", launch_plain_bf16_norm<Columns, 2>);
}

template <int Columns>
void add_other_operations() {
  constexpr int threads = Columns / 8;
  add_rms_norm<Columns>("dma", [](auto stream, const float* x, const float* scale, float* y, int rows) {
    launch_rows<Columns>(stream, RmsNormRows<float>{scale, epsilon}, x, y, rows);
  });
  add_rms_norm<Columns>("plain", [](auto stream, const float* x, const float* scale, float* y, int rows) {
    plain_norm<float, Columns, threads, 1, 1>
        <<<static_cast<unsigned>(rows), threads, 0, stream>>>(x, scale, nullptr, y, rows, epsilon);
  });
  add_log_sum_exp<Columns>("dma", [](auto stream, const float* x, float* results, int rows) {
    launch_rows<Columns>(stream, LogSumExpRows{results}, x, static_cast<float*>(nullptr), rows);
  });
  add_log_sum_exp<Columns>("plain", [](auto stream, const float* x, float* results, int rows) {
    plain_log_sum_exp<Columns, threads, 1><<<static_cast<unsigned>(rows), threads, 0, stream>>>(x, results, rows);
  });
  add_bf16_layer_norm<Columns>();
  add_bf16_norm<Columns>("rms_norm", "dma", [](auto stream, auto x, auto scale, auto, BFloat16* y, int rows) {
    launch_rows<Columns>(stream, RmsNormRows<BFloat16>{scale, epsilon}, x, y, rows);
  });
  add_bf16_norm<Columns>("rms_norm", "plain", launch_plain_bf16_norm<Columns, 1>);
  add_norm_backward<Columns>("dma", [](auto stream, const float* x, const float* dy, const float* scale, float* dx,
                                       const Gradients& gradients, int rows) {
    launch_layer_norm_backward<Columns>(
        stream, LayerNormBackward<float>{scale, gradients.statistics, gradients.parts[0], gradients.parts[1]}, x, dy,
        dx, gradients.of_scale, gradients.of_shift, rows, sms());
  });
  add_norm_backward<Columns>("plain", [](auto stream, const float* x, const float* dy, const float* scale, float* dx,
                                         const Gradients& gradients, int rows) {
    check(cudaMemsetAsync(gradients.of_scale, 0, Columns * sizeof(float), stream));
    check(cudaMemsetAsync(gradients.of_shift, 0, Columns * sizeof(float), stream));
    constexpr int ctas_an_sm = 1024 / threads;
    plain_layer_norm_backward<Columns, threads><<<static_cast<unsigned>(ctas_an_sm * sms()), threads, 0, stream>>>(
        x, dy, scale, reinterpret_cast<const float2*>(gradients.statistics), dx, gradients.of_scale, gradients.of_shift,
        rows);
  });
}

template <int Columns>
void add_short_softmaxes() {
  add_softmax<Columns>("dma", launch_softmax<Columns>);
  add_softmax<Columns>("plain", launch_plain_short_softmax<Columns>);
}

/// The driver's copy of a window, beside each length of rows.
template <int Columns>
void add_copy(const std::string& sweep) {
  add(sweep + "/cols:" + std::to_string(Columns) + "/by:memcpy", [] { return driver_copy(window_elements()); });
}

template <int Columns>
void add_norms() {
  add_copy<Columns>("layer_norm");
  add_norm<Columns>("layer_norm", "dma", launch_layer_norm<Columns>);
  add_norm<Columns>("layer_norm", "plain", launch_plain_layer_norm<Columns>);
}

/// Of rows that are a part of a CTA's tile, or all of it.
template <int Columns>
void add_short_norms() {
  add_copy<Columns>("rows/op:layer_norm");
  add_norm<Columns>("rows/op:layer_norm", "dma", launch_layer_norm_of_rows<Columns>);
  add_norm<Columns>("rows/op:layer_norm", "plain", launch_plain_short_layer_norm<Columns>);
}

/// Of rows that a cluster of CTAs shares.
template <int Columns>
void add_long_norms() {
  add_copy<Columns>("rows/op:layer_norm");
  add_norm<Columns>("rows/op:layer_norm", "dma", launch_layer_norm_of_rows<Columns>);
  add_norm<Columns>("rows/op:layer_norm", "plain", launch_plain_long_layer_norm<Columns>);
}

}  // namespace

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
  add_bf16_layer_norm<256>();
  add_bf16_layer_norm<512>();
  add_bf16_layer_norm<2048>();
  add_other_operations<1024>();
  add_other_operations<4096>();
}

}  // namespace bench
