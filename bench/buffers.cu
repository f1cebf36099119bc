// The input, the output, and the plainest kernel that sums.

#include "measure.hpp"

#include <map>
#include <utility>

namespace bench {
namespace {

__global__ void fill(float* to, long long elements) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < elements; i += step) {
    to[i] = static_cast<float>(value_at(i));
  }
}

__global__ void wait_for(long long nanoseconds) {
  const auto now = [] {
    long long time = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  const long long start = now();
  while (now() - start < nanoseconds) {
  }
}

__global__ void add_up(const float* from, long long elements, unsigned long long* sum) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < elements; i += step) {
    own += static_cast<unsigned long long>(from[i]);
  }
  atomicAdd(sum, own);
}

__global__ void add_up_rows(const float* from, const int* rows, int count, int row_elements, unsigned long long* sum) {
  unsigned long long own = 0;
  for (int i = static_cast<int>(blockIdx.x); i < count; i += static_cast<int>(gridDim.x)) {
    const float* const row = from + static_cast<long long>(rows[i]) * row_elements;
    for (int k = static_cast<int>(threadIdx.x); k < row_elements; k += static_cast<int>(blockDim.x)) {
      own += static_cast<unsigned long long>(row[k]);
    }
  }
  if (own != 0) {
    atomicAdd(sum, own);
  }
}

/// Element i is a bijection of first + i over the numbers of `bits` bits.
__global__ void list_rows(int* to, int count, unsigned first, int bits) {
  const unsigned mask = (1U << bits) - 1;
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += step) {
    unsigned row = first + static_cast<unsigned>(i);
    for (int round = 0; round < 3; ++round) {
      row = (row * 0x9e3779b1U + 0x7f4a7c15U) & mask;
      row ^= row >> ((bits + 1) / 2);
    }
    to[i] = static_cast<int>(row);
  }
}

__global__ void compare(const float* from, const float* to, long long elements, unsigned long long* wrong) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < elements; i += step) {
    own += from[i] == to[i] ? 0 : 1;
  }
  if (own != 0) {
    atomicAdd(wrong, own);
  }
}

/// Device memory that lives as long as the program.
float* allocate(bool is_input) {
  const long long elements = windows * window_elements();
  float* data = nullptr;
  check(cudaMalloc(&data, static_cast<std::size_t>(elements) * sizeof(float)));
  if (is_input) {
    fill<<<1024, 256>>>(data, elements);
    check(cudaGetLastError());
  }
  check(cudaDeviceSynchronize());
  return data;
}

}  // namespace

int sms() {
  static const int count = [] {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    return value;
  }();
  return count;
}

const float* input() {
  static const float* const data = allocate(true);
  return data;
}

float* output() {
  static float* const data = allocate(false);
  return data;
}

void delay(double milliseconds, cudaStream_t stream) {
  wait_for<<<1, 1, 0, stream>>>(static_cast<long long>(milliseconds * 1e6));
  check(cudaGetLastError());
}

void poison(float* to, long long elements, cudaStream_t stream) {
  check(cudaMemsetAsync(to, 0xff, static_cast<std::size_t>(elements) * sizeof(float), stream));
}

double sum_of_window(int window, cudaStream_t stream) {
  static std::map<int, double> known;
  if (const auto found = known.find(window); found != known.end()) {
    return found->second;
  }
  return known[window] = static_cast<double>(count_on_device(
             stream, [&](auto* sum) { add_up<<<1024, 256, 0, stream>>>(input(window), window_elements(), sum); }));
}

double sum_of_rows(const int* rows, int count, int row_elements, cudaStream_t stream) {
  return static_cast<double>(count_on_device(
      stream, [&](auto* sum) { add_up_rows<<<4096, 128, 0, stream>>>(input(), rows, count, row_elements, sum); }));
}

const int* row_list(int list, int count, int row_elements) {
  static std::map<std::pair<int, int>, const int*> known;
  if (const auto found = known.find({list, row_elements}); found != known.end()) {
    return found->second;
  }
  int bits = 0;
  while ((2LL << bits) * row_elements <= windows * window_elements()) {
    ++bits;
  }
  if (static_cast<long long>(row_lists) * count > (1LL << bits)) {
    throw std::runtime_error("the input has too few rows for the lists");
  }
  int* rows = nullptr;
  check(cudaMalloc(&rows, static_cast<std::size_t>(count) * sizeof(int)));
  list_rows<<<1024, 256>>>(rows, count, static_cast<unsigned>(list) * static_cast<unsigned>(count), bits);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return known[{list, row_elements}] = rows;
}

long long wrong_in_copy(const float* from, const float* to, long long elements, cudaStream_t stream) {
  return static_cast<long long>(
      count_on_device(stream, [&](auto* wrong) { compare<<<1024, 256, 0, stream>>>(from, to, elements, wrong); }));
}

}  // namespace bench
