// The gradients of attention of bf16 numbers, normally distributed: batches of 16 heads of 128 elements, and of 32 of
// 64. PyTorch's kernels beside it are measured by torch_peers.py, likewise.

#include "../applications/attention/attend.hpp"
#include "../applications/attention/attend_backward.hpp"
#include "../applications/attention/execute.hpp"
#include "cufft.cuh"
#include "measure.hpp"
#include "normal.cuh"
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace bench {
namespace {

using attention::BFloat16;
using attention::Heads;
using Problem = attention::BackwardProblem<BFloat16>;

struct Shape {
  int batches;
  int length;  ///< of a sequence: queries and keys
  int head_size;
  bool causal;

  [[nodiscard]] int heads() const { return 2048 / head_size; }
};

constexpr long long most_elements = 1LL << 25;  ///< of Q, as many as each shape has

/// Q, K, V, dO, and O, dQ, dK, dV, one after another.
BFloat16* arrays() {
  static const auto made = [] {
    auto numbers = device_array<BFloat16>(8 * most_elements);
    fill_normal<<<1024, 256>>>(numbers.get(), 4 * most_elements);
    check(cudaDeviceSynchronize());
    return numbers;
  }();
  return made.get();
}
/// The logarithms of each shape, and the kernels' sums.
float* floats() {
  static const auto made = device_array<float>(3 * most_elements);
  return made.get();
}

[[nodiscard]] Problem problem_of(const Shape& s) {
  const long long row = static_cast<long long>(s.heads()) * s.head_size;
  const auto heads = [&](int array) {
    return Heads<BFloat16>{arrays() + array * most_elements, s.length * row, s.head_size, row};
  };
  const auto inputs = [&](int array) {
    const auto of = heads(array);
    return Heads<const BFloat16>{of.first, of.batch, of.head, of.row};
  };
  attention::Problem<BFloat16> forward{s.batches,   s.heads(), s.heads(), s.length,  s.length,
                                       s.head_size, inputs(0), inputs(1), inputs(2), heads(4)};
  forward.log_sums = floats();
  forward.causal = s.causal;
  return {forward, inputs(3), heads(5), heads(6), heads(7), floats() + most_elements};
}

/// Where row `row` of a head begins.
template <class Element>
__device__ Element* row_of(const Heads<Element>& heads, int batch, int head, int row) {
  return heads.first + batch * heads.batch + head * heads.head + row * heads.row;
}
template <class Number>
__device__ float product(const float* a, const Number* b, int size) {
  float sum = 0;
  for (int i = 0; i < size; ++i) {
    sum += a[i] * __bfloat162float(b[i]);
  }
  return sum;
}

/// A row's gradients of each head, that of a query (dQ) or those of a key (dK and dV), beside those of a kernel without
/// tiles: the squares of the differences and of the answer, added up. A CTA a row, a thread a column.
template <bool of_keys>
__global__ void compare_gradients(Problem p, int first_row, double* squares) {
  __shared__ float own[2][128];      // the row's q and dO, or k and v
  __shared__ float factors[2][128];  // dS and P
  const auto& f = p.forward;
  const int batch = static_cast<int>(blockIdx.x) / f.heads;
  const int head = static_cast<int>(blockIdx.x) % f.heads;
  const int row = (first_row + static_cast<int>(blockIdx.x) * 997) % f.queries;
  const int column = static_cast<int>(threadIdx.x);
  const int size = f.head_size;
  const float scale = rsqrtf(static_cast<float>(size));
  const Heads<const BFloat16>* const mine[] = {of_keys ? &f.k : &f.q, of_keys ? &f.v : &p.d_o};
  const Heads<const BFloat16>* const others[] = {of_keys ? &f.q : &f.k, of_keys ? &p.d_o : &f.v};
  for (int i = 0; i < 2; ++i) {
    own[i][column] = column < size ? __bfloat162float(row_of(*mine[i], batch, head, row)[column]) : 0;
  }
  __syncthreads();
  float sums[2] = {};
  for (int first = 0; first < f.queries; first += 128) {
    const int other = first + column;
    const int query = of_keys ? other : row;
    const int key = of_keys ? row : other;
    const bool sees = other < f.queries && (!f.causal || key <= query);
    float power = 0;
    float change = 0;
    if (sees) {
      const float score = scale * product(own[0], row_of(*others[0], batch, head, other), size);
      power = expf(score - f.log_sums[(static_cast<long long>(batch) * f.heads + head) * f.queries + query]);
      float mean = 0;
      const BFloat16* const o = row_of(f.o, batch, head, query);
      const BFloat16* const d_o = row_of(p.d_o, batch, head, query);
      for (int i = 0; i < size; ++i) {
        mean += __bfloat162float(o[i]) * __bfloat162float(d_o[i]);
      }
      change = scale * power * (product(own[1], row_of(*others[1], batch, head, other), size) - mean);
    }
    factors[0][column] = change;
    factors[1][column] = power;
    __syncthreads();
    for (int i = 0; i < 128 && first + i < f.queries && column < size; ++i) {
      for (int j = 0; j < 2; ++j) {
        sums[j] += factors[j][i] * __bfloat162float(row_of(*others[j], batch, head, first + i)[column]);
      }
    }
    __syncthreads();
  }
  if (column < size) {
    const auto compare = [&](const Heads<BFloat16>& gradient, float exact) {
      const float difference = __bfloat162float(row_of(gradient, batch, head, row)[column]) - exact;
      atomicAdd(&squares[0], static_cast<double>(difference) * difference);
      atomicAdd(&squares[1], static_cast<double>(exact) * exact);
    };
    compare(of_keys ? p.d_k : p.d_q, sums[0]);
    if (of_keys) {
      compare(p.d_v, sums[1]);
    }
  }
}

/// Errors of bf16 are some 0.4% of the answer.
[[nodiscard]] std::string wrong_in(const Problem& p, cudaStream_t stream) {
  const auto squares = device_array<double>(4);
  check(cudaMemsetAsync(squares.get(), 0, 4 * sizeof(double), stream));
  const auto rows = static_cast<unsigned>(p.forward.batches * p.forward.heads);
  for (const int first_row : {0, p.forward.queries / 2, p.forward.queries - 1}) {
    compare_gradients<false><<<rows, 128, 0, stream>>>(p, first_row, squares.get());
    compare_gradients<true><<<rows, 128, 0, stream>>>(p, first_row, squares.get() + 2);
  }
  double found[4];
  check(cudaMemcpyAsync(found, squares.get(), sizeof found, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  const double error = std::sqrt(std::max(found[0] / found[1], found[2] / found[3]));
  return error < 0.01 ? std::string() : "an error of " + std::to_string(100 * error) + "% of the answer";
}

[[nodiscard]] Subject by_dma(const Shape& s) {
  constexpr double operations_a_second = 6e14;
  const double operations = 10.0 * most_elements * s.length * (s.causal ? 0.5 : 1);
  const Problem p = problem_of(s);
  const attention::BackwardPlan plan = plan_of(p);
  const attention::Plan plan_of_forward = attention::plan_of(p.forward, sms());
  Subject subject;
  subject.launches = std::max(1, static_cast<int>(2e-3 * operations_a_second / operations));
  subject.rest = 5e-3;
  subject.launch = [=](cudaStream_t stream, int) { attention::attend_backward(p, plan, stream); };
  subject.wrong = [=](cudaStream_t stream) {
    attention::attend(p.forward, plan_of_forward, stream);
    check(cudaMemsetAsync(p.d_q.first, 0xff, 3 * most_elements * sizeof(BFloat16), stream));
    attention::attend_backward(p, plan, stream);
    return wrong_in(p, stream);
  };
  subject.label = describe(plan);
  return subject;
}

}  // namespace

void add_attention_backward() {
  for (const int head_size : {128, 64}) {
    for (const bool causal : {false, true}) {
      for (const Shape& shape : {Shape{4, 4096, head_size, causal}, Shape{1, 16384, head_size, causal},
                                 Shape{16, 1024, head_size, causal}}) {
        add((head_size == 128 ? "attention_backward/b:" : "attention_backward_64/b:") + std::to_string(shape.batches) +
                "/s:" + std::to_string(shape.length) + "/causal:" + std::to_string(int{causal}) + "/by:dma",
            [=] { return by_dma(shape); });
      }
    }
  }
}

}  // namespace bench
