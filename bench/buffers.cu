// The input, the output, and the plainest kernel that sums.

#include "measure.hpp"

#include <map>

namespace bench {
namespace {

__global__ void fill(float* to, long long elements) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < elements; i += step) {
    to[i] = static_cast<float>(value_at(i));
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

void poison(float* to, long long elements, cudaStream_t stream) {
  check(cudaMemsetAsync(to, 0xff, static_cast<std::size_t>(elements) * sizeof(float), stream));
}

double sum_of_window(int window, cudaStream_t stream) {
  static std::map<int, double> known;
  if (const auto found = known.find(window); found != known.end()) {
    return found->second;
  }
  unsigned long long* sum = nullptr;
  unsigned long long result = 0;
  check(cudaMalloc(&sum, sizeof *sum));
  check(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
  add_up<<<1024, 256, 0, stream>>>(input(window), window_elements(), sum);
  check(cudaGetLastError());
  check(cudaMemcpyAsync(&result, sum, sizeof result, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaFree(sum));
  return known[window] = static_cast<double>(result);
}

}  // namespace bench
