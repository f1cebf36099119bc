// Attention forward of bf16 numbers, normally distributed: batches of 16 heads of 128 elements, and of 32 of 64.
// PyTorch's kernels beside it are measured by torch_peers.py, likewise: launches of 2 ms after a rest.

#include "../applications/attention/attend.hpp"
#include "../applications/attention/execute.hpp"
#include "cufft.cuh"
#include "measure.hpp"
#include "normal.cuh"
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace bench {
namespace {

using attention::BFloat16;
using Problem = attention::Problem<BFloat16>;

struct Shape {
  int batches;
  int length;  ///< of a sequence: queries and keys
  int head_size;
  bool causal;

  [[nodiscard]] int heads() const { return 2048 / head_size; }
};

constexpr long long most_elements = 1LL << 25;  ///< of Q, as many as each shape has

/// A row of each head, the first of them row `first_row`, beside that of a kernel without tiles: the squares of the
/// differences and of the answer, added up. A CTA a row, a thread a column.
__global__ void compare_rows(Problem p, int first_row, double* squares) {
  __shared__ float powers[128];
  __shared__ float query[128];
  const int batch = static_cast<int>(blockIdx.x) / p.heads;
  const int head = static_cast<int>(blockIdx.x) % p.heads;
  const int row = (first_row + static_cast<int>(blockIdx.x) * 997) % p.queries;
  const int column = static_cast<int>(threadIdx.x);
  const auto row_of = [&](const auto& heads, int i) {
    return heads.first + batch * heads.batch + head * heads.head + i * heads.row;
  };
  const int seen = p.causal ? row + 1 : p.keys;
  const auto score_of = [&](int key) {
    float score = 0;
    for (int i = 0; i < p.head_size; ++i) {
      score += query[i] * __bfloat162float(row_of(p.k, key)[i]);
    }
    return score * rsqrtf(static_cast<float>(p.head_size));
  };
  query[column] = column < p.head_size ? __bfloat162float(row_of(p.q, row)[column]) : 0;
  __syncthreads();
  // Scores of these numbers are below 30, so that no power needs the largest one.
  float sum = 0;
  float answer = 0;
  for (int first = 0; first < seen; first += 128) {
    powers[column] = first + column < seen ? expf(score_of(first + column)) : 0;
    __syncthreads();
    for (int i = 0; i < 128 && first + i < seen; ++i) {
      sum += powers[i];
      answer += column < p.head_size ? powers[i] * __bfloat162float(row_of(p.v, first + i)[column]) : 0;
    }
    __syncthreads();
  }
  if (column < p.head_size) {
    const float difference = __bfloat162float(row_of(p.o, row)[column]) - answer / sum;
    atomicAdd(&squares[0], static_cast<double>(difference) * difference);
    atomicAdd(&squares[1], static_cast<double>(answer / sum) * (answer / sum));
  }
}

/// Q, K and V, one after another, and O: 268 MB, more than the L2 holds.
BFloat16* arrays() {
  static const auto made = [] {
    auto numbers = device_array<BFloat16>(4 * most_elements);
    fill_normal<<<1024, 256>>>(numbers.get(), 3 * most_elements);
    check(cudaDeviceSynchronize());
    return numbers;
  }();
  return made.get();
}

[[nodiscard]] Problem problem_of(const Shape& s) {
  const long long row = static_cast<long long>(s.heads()) * s.head_size;
  const auto heads = [&](int array) {
    return attention::Heads<BFloat16>{arrays() + array * most_elements, s.length * row, s.head_size, row};
  };
  const auto inputs = [&](int array) {
    const auto of = heads(array);
    return attention::Heads<const BFloat16>{of.first, of.batch, of.head, of.row};
  };
  Problem p{s.batches,   s.heads(), s.heads(), s.length,  s.length,
            s.head_size, inputs(0), inputs(1), inputs(2), heads(3)};
  p.causal = s.causal;
  return p;
}

/// Copies the rows of K and V, [sequence][row], into pages.
__global__ void copy_to_pages(const BFloat16* from, BFloat16* to, const int* table, int page_rows, int length) {
  const int sequence = static_cast<int>(blockIdx.x) / length;
  const int row = static_cast<int>(blockIdx.x) % length;
  const long long page = table[sequence * (length / page_rows) + row / page_rows];
  for (int i = static_cast<int>(threadIdx.x); i < 2048; i += 256) {
    to[(page * page_rows + row % page_rows) * 2048 + i] = from[blockIdx.x * 2048LL + i];
  }
}

/// K and V in pages that follow one another in no order.
struct Pages {
  std::shared_ptr<BFloat16> numbers;
  std::shared_ptr<int> table;
  std::shared_ptr<int> lengths;
};

[[nodiscard]] Pages pages_of(const Shape& s, int page_rows) {
  const int pages = s.batches * s.length / page_rows;
  std::vector<int> order(static_cast<std::size_t>(pages));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
  const std::vector<int> lengths(static_cast<std::size_t>(s.batches), s.length);
  Pages made{device_array<BFloat16>(2 * most_elements), device_array<int>(pages), device_array<int>(s.batches)};
  check(cudaMemcpy(made.table.get(), order.data(), order.size() * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemcpy(made.lengths.get(), lengths.data(), lengths.size() * sizeof(int), cudaMemcpyHostToDevice));
  for (const int array : {0, 1}) {
    copy_to_pages<<<static_cast<unsigned>(s.batches * s.length), 256>>>(arrays() + (1 + array) * most_elements,
                                                                        made.numbers.get() + array * most_elements,
                                                                        made.table.get(), page_rows, s.length);
  }
  check(cudaDeviceSynchronize());
  return made;
}

/// The same problem with K and V in pages.
[[nodiscard]] attention::PagedProblem<BFloat16> problem_in(const Pages& pages, const Shape& s, int page_rows) {
  attention::PagedProblem<BFloat16> p{problem_of(s)};
  p.k = {pages.numbers.get(), page_rows * p.k.row, p.k.head, p.k.row};
  p.v = {pages.numbers.get() + most_elements, page_rows * p.v.row, p.v.head, p.v.row};
  p.lengths = pages.lengths.get();
  p.page_table = pages.table.get();
  p.table_pitch = s.length / page_rows;
  p.pages = s.batches * p.table_pitch;
  p.page_rows = page_rows;
  return p;
}

/// Errors of bf16 are some 0.2% of the answer; a block of keys that is left out changes it by 9% and more.
[[nodiscard]] std::string wrong_in(const Problem& p, cudaStream_t stream) {
  const auto squares = device_array<double>(2);
  check(cudaMemsetAsync(squares.get(), 0, 2 * sizeof(double), stream));
  for (const int first_row : {0, p.queries / 2, p.queries - 1}) {
    compare_rows<<<static_cast<unsigned>(p.batches * p.heads), 128, 0, stream>>>(p, first_row, squares.get());
  }
  double found[2];
  check(cudaMemcpyAsync(found, squares.get(), sizeof found, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  const double error = std::sqrt(found[0] / found[1]);
  return error < 0.005 ? std::string() : "an error of " + std::to_string(100 * error) + "% of the answer";
}

/// @param held  memory that the problem is in
template <class Problem, class Plan>
[[nodiscard]] Subject subject_of(const Shape& s, const Problem& p, const Plan& plan, const Pages& held = {}) {
  constexpr double operations_a_second = 6e14;
  const double operations = 4.0 * most_elements * s.length * (s.causal ? 0.5 : 1);
  Subject subject;
  subject.launches = std::max(1, static_cast<int>(2e-3 * operations_a_second / operations));
  subject.rest = 5e-3;
  subject.launch = [=](cudaStream_t stream, int) {
    static_cast<void>(held);
    attention::attend(p, plan, stream);
  };
  subject.wrong = [=](cudaStream_t stream) {
    check(cudaMemsetAsync(p.o.first, 0xff, most_elements * sizeof(BFloat16), stream));
    attention::attend(p, plan, stream);
    return wrong_in(problem_of(s), stream);
  };
  subject.label = describe(plan);
  return subject;
}

[[nodiscard]] Subject by_dma(const Shape& s) {
  const Problem p = problem_of(s);
  return subject_of(s, p, attention::plan_of(p, sms()));
}
[[nodiscard]] Subject by_dma_in_pages(const Shape& s, int page_rows) {
  const Pages pages = pages_of(s, page_rows);
  const auto p = problem_in(pages, s, page_rows);
  return subject_of(s, p, attention::plan_of(p, sms()), pages);
}

}  // namespace

void add_attention() {
  for (const int head_size : {128, 64}) {
    for (const bool causal : {false, true}) {
      for (const Shape& shape : {Shape{4, 4096, head_size, causal}, Shape{2, 8192, head_size, causal},
                                 Shape{1, 16384, head_size, causal}, Shape{16, 1024, head_size, causal}}) {
        const std::string name = (head_size == 128 ? "attention/b:" : "attention_64/b:") +
                                 std::to_string(shape.batches) + "/s:" + std::to_string(shape.length) +
                                 "/causal:" + std::to_string(int{causal});
        add(name + "/by:dma", [=] { return by_dma(shape); });
        if (shape.batches >= 4) {
          for (const int page_rows : {16, 32, 64, 128}) {
            add(name + "/pages:" + std::to_string(page_rows) + "/by:dma",
                [=] { return by_dma_in_pages(shape, page_rows); });
          }
        }
      }
    }
  }
}

}  // namespace bench
