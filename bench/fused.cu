// Kernels that move and compute, of examples and applications, each beside a plain one: the README's kernel, sums of
// bags.

#include "../applications/bags/launch.cuh"
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

void add_bags() {
  add_bags_of<128>();
  add_bags_of<256>();
  add_backward_of<128>();
  add_backward_of<256>();
}

}  // namespace bench
