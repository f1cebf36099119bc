// Figure 10 of the paper: y = alpha op(A) x, square and not, cold, beside cuBLAS: its six variants, and the kernel that
// the shape gets. Also how far each answer is from float64's.

#include "../applications/sgemv/variants.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <cublas_v2.h>

namespace bench {
namespace {

using sgemv::Op;
using sgemv::Problem;

struct Shape {
  int m, n;
};
constexpr Shape squares[] = {{128, 128},   {256, 256},     {512, 512},    {768, 768},   {1024, 1024},
                             {1536, 1536}, {2048, 2048},   {3072, 3072},  {4096, 4096}, {6144, 6144},
                             {8192, 8192}, {12288, 12288}, {16384, 16384}};
constexpr Shape others[] = {{128, 65536}, {65536, 128}, {1000, 100003}};

constexpr float alpha = 1.5F;
constexpr long long most_elements = 1 << 17;  ///< of x and of y

template <class T>
[[nodiscard]] T* device_array(long long count) {
  T* array = nullptr;
  check(cudaMalloc(&array, static_cast<std::size_t>(count) * sizeof(T)));
  check(cudaMemset(array, 0, static_cast<std::size_t>(count) * sizeof(T)));
  return array;
}

__global__ void fill_x(float* x) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  x[i] = static_cast<float>(value_at(i + (1LL << 40)) - 1024) / 1024;
}
[[nodiscard]] const float* x_values() {
  static const float* const x = [] {
    float* const values = device_array<float>(most_elements);
    fill_x<<<most_elements / 256, 256>>>(values);
    check(cudaDeviceSynchronize());
    return values;
  }();
  return x;
}
[[nodiscard]] float* y_values() {
  static float* const y = device_array<float>(most_elements);
  return y;
}
/// One that is large enough for every shape here.
[[nodiscard]] const sgemv::Workspace& workspace_for(const sgemv::WorkspaceSize& size) {
  constexpr std::size_t most_sums = 1 << 23;
  static const sgemv::Workspace space{device_array<double>(most_sums),
                                      device_array<dma::ArrivalCounter>(most_elements)};
  if (size.partial_sums > most_sums || size.counters > most_elements) {
    throw std::runtime_error("bench: the workspace is too small for this shape; make it larger");
  }
  return space;
}

/// Launch `i` has a matrix of its own, as long as the input has one: more than four times what the L2 holds together.
[[nodiscard]] Problem problem(Op op, Shape shape, int i) {
  const long long elements = static_cast<long long>(shape.m) * shape.n;
  const long long matrices = window_elements() * windows / elements;
  return {op, shape.m, shape.n, alpha, input() + i % matrices * elements, shape.m, x_values(), 1, 0, y_values(), 1};
}
[[nodiscard]] int launches_of(Shape shape) {
  const long long bytes = 4LL * shape.m * shape.n;
  return static_cast<int>(std::clamp(240'000'000 / bytes, 4LL, 4096LL));
}

/// In float64: each output, and the sum of its terms' absolute values.
__global__ void reference(const Problem p, double* y, double* scale) {
  __shared__ double sums[256];
  __shared__ double sizes[256];
  const int output = static_cast<int>(blockIdx.x);
  double sum = 0;
  double size = 0;
  for (int i = static_cast<int>(threadIdx.x); i < p.summed(); i += 256) {
    const long long at = p.op == Op::n ? i * p.lda + output : output * p.lda + i;
    const double term = static_cast<double>(p.a[at]) * p.x[i];
    sum += term;
    size += term < 0 ? -term : term;
  }
  sums[threadIdx.x] = sum;
  sizes[threadIdx.x] = size;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    double total_size = 0;
    for (int i = 0; i < 256; ++i) {
      total += sums[i];
      total_size += sizes[i];
    }
    y[output] = total * p.alpha;
    scale[output] = total_size * p.alpha;
  }
}

/// The errors of the y at hand: the largest in units of its bound, and the root of the mean square over that of y.
struct Errors {
  double over_bound = 0;
  double relative = 0;
};
[[nodiscard]] Errors errors_of(const Problem& p, cudaStream_t stream) {
  static double* const y = device_array<double>(most_elements);
  static double* const scale = device_array<double>(most_elements);
  const auto count = static_cast<std::size_t>(p.outputs());
  reference<<<static_cast<unsigned>(count), 256, 0, stream>>>(p, y, scale);
  std::vector<double> expected(count);
  std::vector<double> scales(count);
  std::vector<float> found(count);
  check(cudaMemcpyAsync(expected.data(), y, count * sizeof(double), cudaMemcpyDeviceToHost, stream));
  check(cudaMemcpyAsync(scales.data(), scale, count * sizeof(double), cudaMemcpyDeviceToHost, stream));
  check(cudaMemcpyAsync(found.data(), p.y, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  Errors errors;
  double squares_of_errors = 0;
  double squares_of_y = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double error = std::abs(found[i] - expected[i]);
    const double bound = scales[i] * (p.summed() + 8) * std::ldexp(1.001, -24);
    errors.over_bound = std::isnan(error) ? INFINITY : std::max(errors.over_bound, error / bound);
    squares_of_errors += error * error;
    squares_of_y += expected[i] * expected[i];
  }
  errors.relative = std::sqrt(squares_of_errors / squares_of_y);
  return errors;
}

/// A kernel that begins when the launch before it has ended.
template <class Kernel>
struct Alone : Kernel {
  static constexpr dma::KernelTraits traits{.programmatic_launch = false};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Alone>&, const Problem& p, const sgemv::Workspace& workspace) const {
    dma::KernelCta<Kernel> cta;
    Kernel::operator()(cta, p, workspace);
  }
};

template <class Launch>
void add_subject(Op op, Shape shape, const std::string& by, const Launch& launch) {
  const std::string name = std::string("sgemv/op:") + (op == Op::n ? "N" : "T") + "/m:" + std::to_string(shape.m) +
                           "/n:" + std::to_string(shape.n) + "/by:" + by;
  add(name, [=] {
    Subject subject;
    subject.bytes = 4.0 * (static_cast<double>(shape.m) * shape.n + shape.m + shape.n);
    subject.launches = launches_of(shape);
    subject.launch = [=](cudaStream_t stream, int i) { launch(stream, problem(op, shape, i)); };
    subject.wrong = [=](cudaStream_t stream) -> std::string {
      const Problem p = problem(op, shape, 0);
      poison(p.y, p.outputs(), stream);
      launch(stream, p);
      const Errors errors = errors_of(p, stream);
      return errors.over_bound <= 1 ? "" : std::to_string(errors.over_bound) + " times the bound of the error";
    };
    subject.error = [=](cudaStream_t stream) { return errors_of(problem(op, shape, 0), stream).relative; };
    return subject;
  });
}

void launch_cublas(cudaStream_t stream, const Problem& p) {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made{};
    constexpr std::size_t bytes = 32 << 20;
    if (cublasCreate(&made) != CUBLAS_STATUS_SUCCESS ||
        cublasSetWorkspace(made, device_array<char>(bytes), bytes) != CUBLAS_STATUS_SUCCESS) {
      throw std::runtime_error("bench: cuBLAS cannot be set up");
    }
    return made;
  }();
  if (cublasSetStream(handle, stream) != CUBLAS_STATUS_SUCCESS ||
      cublasSgemv(handle, p.op == Op::n ? CUBLAS_OP_N : CUBLAS_OP_T, p.m, p.n, &p.alpha, p.a, static_cast<int>(p.lda),
                  p.x, p.incx, &p.beta, p.y, p.incy) != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error("bench: cuBLAS refuses this product");
  }
}

/// Calls `run(kernel, plan, workspace)` with what a variant has for a problem.
template <class Run>
void with_variant(const std::string& variant, const Problem& p, const Run& run) {
  const sgemv::Workspace& workspace = workspace_for(sgemv::workspace_of(variant, p));
  sgemv::with_kernel(variant, p, [&](const auto& kernel, const sgemv::Plan& plan) { run(kernel, plan, workspace); });
}

void add_shape(Op op, Shape shape) {
  add_subject(op, shape, "cublas", launch_cublas);
  for (const std::string variant : sgemv::variant_names) {
    add_subject(op, shape, variant == "best" ? "dma" : variant, [variant](cudaStream_t stream, const Problem& p) {
      with_variant(variant, p, [&](const auto& kernel, const sgemv::Plan& plan, const sgemv::Workspace& workspace) {
        dma::launch(kernel, plan.grid(), stream, p, workspace);
      });
    });
  }
  add_subject(op, shape, "dma_alone", [](cudaStream_t stream, const Problem& p) {
    with_variant("best", p,
                 [&]<class Kernel>(const Kernel&, const sgemv::Plan& plan, const sgemv::Workspace& workspace) {
                   dma::launch(Alone<Kernel>{}, plan.grid(), stream, p, workspace);
                 });
  });
}

}  // namespace

void add_sgemv() {
  for (const Op op : {Op::n, Op::t}) {
    for (const Shape& shape : squares) {
      add_shape(op, shape);
    }
    for (const Shape& shape : others) {
      add_shape(op, shape);
    }
  }
}

}  // namespace bench
