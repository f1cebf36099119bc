// Each level on the emulator: integers, whose sums are exact, in tiles that end inside; and proved for every schedule.

#include "four_slots.hpp"
#include "late_release.hpp"
#include "tensor_memory.hpp"
#include "tensor_memory_of_pairs.hpp"
#include "two_warpgroups.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace {

using gemm::BFloat16;
using gemm::Problem;

/// Mostly zeros, so that sums are integers that the elements have.
std::vector<BFloat16> integers(int count, int seed) {
  std::vector<BFloat16> numbers;
  for (int i = 0; i < count; ++i) {
    const unsigned hash = static_cast<unsigned>(i + seed) * 2654435761U;
    numbers.emplace_back(hash >> 29 == 0 ? static_cast<float>(static_cast<int>(hash >> 20 & 7U) - 3) : 0.0F);
  }
  return numbers;
}

struct Matrices {
  int m, n, k;
  std::vector<BFloat16> a = integers(m * k, 5);
  std::vector<BFloat16> b = integers(n * k, 3);
  std::vector<BFloat16> c = std::vector<BFloat16>(static_cast<std::size_t>(m * n), BFloat16(99.0F));

  [[nodiscard]] Problem<BFloat16> problem() { return {m, n, k, a.data(), k, b.data(), k, c.data(), n}; }
  [[nodiscard]] bool is_right() const {
    for (int i = 0; i < m * n; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l) {
        sum += static_cast<float>(a[static_cast<std::size_t>(i / n * k + l)]) *
               static_cast<float>(b[static_cast<std::size_t>(i % n * k + l)]);
      }
      if (static_cast<float>(c[static_cast<std::size_t>(i)]) != sum) {
        return false;
      }
    }
    return true;
  }
};

/// A map of what a CTA loads of an `OfOne`.
template <class OfOne>
typename OfOne::Map map_of(const Problem<BFloat16>& p) {
  using Tile = OfOne;
  return dma::host::tensor_map<typename Tile::Stage>(dma::TensorArray{p.a, Tile::of_a(p)},
                                                     dma::TensorArray{p.b, Tile::of_b(p)});
}

}  // namespace

TEMPLATE_TEST_CASE("each level of a product of matrices is right and proved", "", gemm::levels::OneSlot<16>,
                   gemm::levels::FourSlots<16>, gemm::levels::LateRelease<16>, gemm::levels::TwoWarpgroups<16>,
                   gemm::levels::InTensorMemory<16>, (gemm::levels::InTensorMemory<48, 2>)) {
  for (const auto& [m, n, k] : {std::array{64, 16, 64}, {130, 40, 200}}) {
    Matrices data{m, n, k};
    const Problem<BFloat16> p = data.problem();
    dma::host::launch(TestType{}, {TestType::Tile::ctas(p)}, map_of<typename TestType::Tile>(p), p);
    CHECK(data.is_right());
  }
  CHECK_THAT(dma::proof::for_all_trips<typename TestType::Loads>([](int blocks) {
               Matrices data{64, 16, 64 * (blocks == 0 ? 1 : blocks)};
               const Problem<BFloat16> p = data.problem();
               return dma::proof::prove({.inputs = {dma::proof::input(data.a), dma::proof::input(data.b)},
                                         .outputs = {dma::proof::output(data.c)}},
                                        TestType{}, {1}, map_of<typename TestType::Tile>(p), p);
             }),
             dma::proof::IsProved());
}

TEST_CASE("a product of pairs of CTAs is right and proved") {
  using Kernel = gemm::levels::InTensorMemoryOfPairs<32, 2>;
  for (const auto& [m, n, k] : {std::array{64, 16, 64}, {300, 40, 200}}) {
    Matrices data{m, n, k};
    const Problem<BFloat16> p = data.problem();
    dma::host::launch(Kernel{}, {2 * Kernel::Tile::ctas(p)}, map_of<Kernel::Half>(p), p);
    CHECK(data.is_right());
  }
  CHECK_THAT(dma::proof::for_all_trips<Kernel::Loads>([](int blocks) {
               Matrices data{300, 16, 64 * (blocks == 0 ? 1 : blocks)};
               const Problem<BFloat16> p = data.problem();
               return dma::proof::prove({.inputs = {dma::proof::input(data.a), dma::proof::input(data.b)},
                                         .outputs = {dma::proof::output(data.c)}},
                                        Kernel{}, {2}, map_of<Kernel::Half>(p), p);
             }),
             dma::proof::IsProved());
}
