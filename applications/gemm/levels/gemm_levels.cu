// The levels of a product beside each other: TFLOP/s, and each result compared with sums on the host. Exits with 4
// where there is no GPU for it.

#include "four_slots.hpp"
#include "late_release.hpp"
#include "two_warpgroups.hpp"

#include "../../../examples/gpu.hpp"
#include "../../../examples/usage.hpp"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using gemm::BFloat16;
using gemm::Problem;

constexpr int size = 4096;

/// Small integers, mostly zeros, so that sums are exact.
std::vector<BFloat16> integers(unsigned seed) {
  std::vector<BFloat16> numbers;
  for (unsigned i = 0; i < static_cast<unsigned>(size) * size; ++i) {
    const unsigned hash = (i + seed) * 2654435761U;
    numbers.emplace_back(hash >> 29 == 0 ? static_cast<float>(static_cast<int>(hash >> 20 & 7U) - 3) : 0.0F);
  }
  return numbers;
}

/// Of 4,096 elements, one in each row, those that are wrong.
int wrong_elements(const std::vector<BFloat16>& a, const std::vector<BFloat16>& b, const std::vector<BFloat16>& c) {
  int wrong = 0;
  for (std::size_t row = 0; row < size; ++row) {
    const std::size_t column = row * 37 % size;
    float sum = 0;
    for (std::size_t at = 0; at < size; ++at) {
      sum += static_cast<float>(a[row * size + at]) * static_cast<float>(b[column * size + at]);
    }
    wrong += static_cast<float>(c[row * size + column]) == static_cast<float>(BFloat16(sum)) ? 0 : 1;
  }
  return wrong;
}

template <class Kernel>
int measure(const char* level, const gpu::Device& device, const std::vector<BFloat16>& a,
            const std::vector<BFloat16>& b) {
  using Tile = typename Kernel::Tile;
  const gpu::Array<BFloat16> in_a(a);
  const gpu::Array<BFloat16> in_b(b);
  const gpu::Array<BFloat16> out(a.size());
  out.set_bytes(0xff);
  const Problem<BFloat16> p{size, size, size, in_a.data(), size, in_b.data(), size, out.data(), size};
  const auto map =
      dma::tensor_map<typename Tile::Stage>(dma::TensorArray{p.a, Tile::of_a(p)}, dma::TensorArray{p.b, Tile::of_b(p)});
  const double seconds =
      gpu::median_seconds(device.stream, [&] { dma::launch(Kernel{}, {Tile::ctas(p)}, device.stream, map, p); });
  const int wrong = wrong_elements(a, b, out.values());
  std::printf("%s: %.0f TFLOP/s, %d elements are wrong\n", level, 2e-12 * size * size * size / seconds, wrong);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Measures the levels of a product of 4096 x 4096 matrices on a GPU.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  const gpu::Device device;
  const auto a = integers(5);
  const auto b = integers(3);
  const int wrong = measure<gemm::levels::OneSlot<>>("1. one slot", device, a, b) +
                    measure<gemm::levels::FourSlots<>>("2. four slots", device, a, b) +
                    measure<gemm::levels::LateRelease<>>("3. released one stage late", device, a, b) +
                    measure<gemm::levels::TwoWarpgroups<>>("4. two warpgroups", device, a, b);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "gemm_levels: %s\n", error.what());
  return 1;
}
