// C = A B^T of bf16 numbers beside cuBLASLt: its first heuristic, and the best of the first eight. Numbers are normally
// distributed, since the power that a product takes, and with it the clock, depends on them. `burst` is short launches
// after a rest, `sustained` is after as many as warm the GPU.

#include "../applications/gemm/execute.hpp"
#include "cufft.cuh"
#include "measure.hpp"
#include "normal.cuh"
#include "sweeps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cublasLt.h>

namespace bench {
namespace {

using gemm::BFloat16;
using Problem = gemm::Problem<BFloat16>;

struct Shape {
  int m, n, k;
};

constexpr Shape large_shapes[] = {{4096, 4096, 4096},  {8192, 8192, 8192}, {4096, 14336, 4096},
                                  {16384, 1280, 8192}, {128, 8192, 8192},  {1024, 1024, 1024}};
/// With those 30: squares, few rows or columns, long sums, and sizes that no tile divides.
constexpr Shape other_shapes[] = {{512, 512, 512},    {768, 768, 768},    {1536, 1536, 1536},  {2048, 2048, 2048},
                                  {3072, 3072, 3072}, {6144, 6144, 6144}, {1, 4096, 4096},     {16, 4096, 4096},
                                  {64, 8192, 8192},   {256, 8192, 8192},  {512, 4096, 4096},   {512, 14336, 4096},
                                  {1024, 4096, 4096}, {2048, 4096, 4096}, {4096, 4096, 14336}, {256, 256, 16384},
                                  {512, 512, 8192},   {1000, 1096, 520},  {777, 1000, 1000},   {3000, 3000, 3000},
                                  {4090, 4088, 4096}, {5000, 2504, 1304}, {33, 8192, 1024},    {12000, 128, 4096}};

void check_blas(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("bench: cuBLASLt: ") + cublasGetStatusString(status));
  }
}

/// Normally distributed numbers, or the integers -2 to 2, whose sums are exact.
__global__ void fill(BFloat16* numbers, long long count, bool are_integers) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += 256LL * gridDim.x) {
    numbers[i] = __float2bfloat16(are_integers ? static_cast<float>(value_at(2 * i) % 5 - 2) : normal_at(i));
  }
}

__global__ void count_different(const BFloat16* one, const BFloat16* other, long long count, unsigned long long* sum) {
  unsigned long long own = 0;
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += 256LL * gridDim.x) {
    own += __bfloat162float(one[i]) != __bfloat162float(other[i]);
  }
  atomicAdd(sum, own);
}

constexpr long long room = 9LL << 24;  ///< numbers of all operands, and of all results; the largest need 144.7 million

/// Arrays that all subjects share; operands are normally distributed between two of them.
BFloat16* operands() {
  static const auto numbers = [] {
    auto made = device_array<BFloat16>(room);
    fill<<<1024, 256>>>(made.get(), room, false);
    check(cudaDeviceSynchronize());
    return made;
  }();
  return numbers.get();
}
BFloat16* results() {
  static const auto numbers = device_array<BFloat16>(room);
  return numbers.get();
}

[[nodiscard]] long long operand_count(const Shape& s) { return (static_cast<long long>(s.m) + s.n) * s.k; }
[[nodiscard]] long long result_count(const Shape& s) { return static_cast<long long>(s.m) * s.n; }

/// The arrays of launch `i`: as many sets take turns as put each past the L2.
[[nodiscard]] Problem problem_of(const Shape& s, int i) {
  const long long fit = std::min(room / operand_count(s), room / 2 / result_count(s));
  const long long enough = (1LL << 27) / (operand_count(s) + result_count(s)) + 1;
  const long long turn = i % std::min(fit, enough);
  BFloat16* const a = operands() + turn * operand_count(s);
  return {s.m, s.n, s.k, a, s.k, a + static_cast<long long>(s.m) * s.k, s.k, results() + turn * result_count(s), s.n};
}

/// One product by cuBLASLt's heuristic of this number.
class ByCublas {
 public:
  ByCublas(const Shape& s, int heuristic) {
    check_blas(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check_blas(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
    const auto layout = [](cublasLtMatrixLayout_t& made, int rows, int columns) {
      check_blas(cublasLtMatrixLayoutCreate(&made, CUDA_R_16BF, static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(columns), rows));
    };
    // Column-major as cuBLAS is: the transpose of C.
    layout(of_b_, s.k, s.n);
    layout(of_a_, s.k, s.m);
    layout(of_c_, s.n, s.m);
    cublasLtMatmulPreference_t preference{};
    check_blas(cublasLtMatmulPreferenceCreate(&preference));
    check_blas(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &workspace_bytes, sizeof workspace_bytes));
    std::array<cublasLtMatmulHeuristicResult_t, heuristics> found{};
    int count = 0;
    check_blas(cublasLtMatmulAlgoGetHeuristic(handle(), operation_, of_b_, of_a_, of_c_, of_c_, preference, heuristics,
                                              found.data(), &count));
    cublasLtMatmulPreferenceDestroy(preference);
    if (heuristic >= count) {
      throw std::runtime_error("bench: cuBLASLt has only " + std::to_string(count) + " heuristics");
    }
    algorithm_ = found[static_cast<std::size_t>(heuristic)].algo;
    workspace();
  }

  static constexpr int heuristics = 8;

  void operator()(const Problem& p, cudaStream_t stream) const {
    const float one = 1;
    const float zero = 0;
    check_blas(cublasLtMatmul(handle(), operation_, &one, p.b, of_b_, p.a, of_a_, &zero, p.c, of_c_, p.c, of_c_,
                              &algorithm_, workspace(), workspace_bytes, stream));
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

  static cublasLtHandle_t handle() {
    static const cublasLtHandle_t made = [] {
      cublasLtHandle_t created{};
      check_blas(cublasLtCreate(&created));
      return created;
    }();
    return made;
  }
  static char* workspace() {
    static const auto made = device_array<char>(static_cast<long long>(workspace_bytes));
    return made.get();
  }

  cublasLtMatmulDesc_t operation_{};
  cublasLtMatrixLayout_t of_a_{}, of_b_{}, of_c_{};
  cublasLtMatmulAlgo_t algorithm_{};
};

/// How often and after what a product is measured.
struct How {
  const char* name;
  double launch_seconds;  ///< of the launches of a replay, about
  double rest;            ///< seconds before each replay
  double busy;            ///< seconds of launches before the first
};
constexpr How large_burst{"burst", 2e-3, 5e-3, 0};
constexpr How burst{"burst", 5e-4, 1e-3, 0};
constexpr How sustained{"sustained", 1e-2, 0, 0.1};

template <class Multiply>
[[nodiscard]] Subject products(const Shape& s, const How& how, const Multiply& multiply) {
  constexpr double flops_a_second = 6e14;
  operands();  // arrays are there before launches are captured
  results();
  Subject subject;
  const double seconds = 2.0 * static_cast<double>(result_count(s)) * s.k / flops_a_second + 4e-6;
  subject.launches = std::max(1, static_cast<int>(how.launch_seconds / seconds));
  subject.rest = how.rest;
  subject.busy = how.busy;
  subject.launch = [=](cudaStream_t stream, int i) { multiply(problem_of(s, i), stream); };
  return subject;
}

/// Whether C differs from cuBLAS's on integers.
[[nodiscard]] std::string wrong_in(const Shape& s, const Subject& subject, cudaStream_t stream) {
  const Problem p = problem_of(s, 0);
  Problem expected = p;
  expected.c = results() + room / 2;
  fill<<<1024, 256, 0, stream>>>(operands(), operand_count(s), true);
  check(cudaMemsetAsync(p.c, 0xff, static_cast<std::size_t>(result_count(s)) * sizeof *p.c, stream));
  subject.launch(stream, 0);
  ByCublas(s, 0)(expected, stream);
  const unsigned long long different = count_on_device(stream, [&](unsigned long long* sum) {
    count_different<<<1024, 256, 0, stream>>>(p.c, expected.c, result_count(s), sum);
  });
  fill<<<1024, 256, 0, stream>>>(operands(), operand_count(s), false);
  return different == 0 ? std::string() : std::to_string(different) + " elements";
}

[[nodiscard]] Subject by_dma(const Shape& s, const How& how) {
  const gemm::Plan plan = gemm::make_plan(s.m, s.n, s.k, sms());
  const auto sums = device_array<dma::Vector<float>>(static_cast<long long>(gemm::sums_of(plan)));
  const auto arrivals = device_array<dma::ArrivalCounter>(static_cast<long long>(gemm::counters_of(plan)));
  check(cudaMemset(arrivals.get(), 0, gemm::counters_of(plan) * sizeof(dma::ArrivalCounter)));
  Subject subject = products(s, how, [=](const Problem& p, cudaStream_t stream) {
    gemm::multiply(p, plan, {sums.get(), arrivals.get()}, stream);
  });
  subject.label = describe(plan);
  subject.wrong = [=, launches = subject](cudaStream_t stream) { return wrong_in(s, launches, stream); };
  return subject;
}

[[nodiscard]] Subject by_cublas(const Shape& s, const How& how, int heuristic) {
  Subject subject = products(s, how, ByCublas(s, heuristic));
  subject.label = "heuristic " + std::to_string(heuristic);
  return subject;
}

[[nodiscard]] Subject by_best_cublas(const Shape& s, const How& how) {
  std::vector<Subject> subjects;
  for (int heuristic = 0; heuristic < ByCublas::heuristics; ++heuristic) {
    try {
      subjects.push_back(by_cublas(s, how, heuristic));
    } catch (const std::runtime_error&) {
      break;  // there are fewer
    }
  }
  return fastest_of(std::move(subjects));
}

void add_products(const Shape& s, const How& how, bool has_best) {
  const std::string name = "gemm/m:" + std::to_string(s.m) + "/n:" + std::to_string(s.n) + "/k:" + std::to_string(s.k) +
                           "/how:" + how.name + "/by:";
  add(name + "dma", [=] { return by_dma(s, how); });
  add(name + "cublas", [=] { return by_cublas(s, how, 0); });
  if (has_best) {
    add(name + "cublas_best", [=] { return by_best_cublas(s, how); });
  }
}

}  // namespace

void add_gemm() {
  for (const Shape& shape : large_shapes) {
    add_products(shape, large_burst, true);
  }
  for (const Shape& shape : large_shapes) {
    if (shape.m >= 4096) {
      add_products(shape, sustained, true);
    }
  }
  for (const Shape& shape : other_shapes) {
    add_products(shape, burst, false);
  }
}

}  // namespace bench
