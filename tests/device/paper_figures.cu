#include <dma/dma.hpp>

#include "cudadma/figures.hpp"
#include "device/device.hpp"
#include "device/matrix.cuh"

#include <cstddef>
#include <vector>

namespace {

/// An array that both sides see.
template <class T>
class Array {
 public:
  explicit Array(int count) { check(cudaMallocManaged(&data_, static_cast<std::size_t>(count) * sizeof(T))); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(data_); }
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
};

long long figure4() {
  using Kernel = figures::PaperSgemv;
  constexpr int ctas = 300;
  constexpr int m = ctas * Kernel::COMPUTE_THREADS;
  constexpr int n = 20 * Kernel::VEC_ELMTS;
  const Array<float> a(m * n), x(n), y(m);
  for (int i = 0; i < m * n; ++i) {
    a[i] = static_cast<float>(i % 11 - 5);
  }
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 7 - 2);
  }
  dma::launch(Kernel{}, {ctas}, nullptr, n, m, 2.0F, static_cast<const float*>(a), static_cast<const float*>(x),
              static_cast<float*>(y));
  check(cudaDeviceSynchronize());
  long long wrong = 0;
  for (int row = 0; row < m; ++row) {
    int sum = 0;
    for (int col = 0; col < n; ++col) {
      sum += ((col * m + row) % 11 - 5) * (col % 7 - 2);
    }
    wrong += y[row] == static_cast<float>(2 * sum) ? 0 : 1;
  }
  return wrong;
}

long long figure6() {
  constexpr int transfers = 100;
  const Array<int> in(32 * transfers), out(32);
  for (int i = 0; i < 32 * transfers; ++i) {
    in[i] = i;
  }
  dma::launch(figures::PaperHandOver{}, {1}, nullptr, static_cast<const int*>(in), static_cast<int*>(out), transfers);
  check(cudaDeviceSynchronize());
  long long wrong = 0;
  for (int lane = 0; lane < 32; ++lane) {
    wrong += out[lane] == transfers * (31 - lane) + 32 * (transfers * (transfers - 1) / 2) ? 0 : 1;
  }
  return wrong;
}

template <figures::Buffers buffering>
long long figure7() {
  using Kernel = figures::PaperBuffering<buffering>;
  constexpr int tiles = 101;
  constexpr int count = tiles * Kernel::tile;
  const Array<int> in(count), out(count);
  for (int i = 0; i < count; ++i) {
    in[i] = i;
  }
  dma::launch(Kernel{}, {1}, nullptr, static_cast<const int*>(in), static_cast<int*>(out), tiles);
  check(cudaDeviceSynchronize());
  long long wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += out[i] == 2 * i ? 0 : 1;
  }
  return wrong;
}

}  // namespace

std::vector<CaseResult> run_paper_figures() {
  return {
      {"figure 4", figure4()},
      {"figure 6", figure6()},
      {"figure 7 (a)", figure7<figures::Buffers::single_buffer>()},
      {"figure 7 (b)", figure7<figures::Buffers::of_two_groups>()},
      {"figure 7 (c)", figure7<figures::Buffers::of_one_group>()},
  };
}
