#include <dma/dma.hpp>
#include <dma/host/host_copy.hpp>
#include <dma/host/launch.hpp>

#include "kernels/sums.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace {

template <class Shape, class Barrier, class Engine>
int wrong_sums() {
  using Body = sums::Body<Shape, Barrier, Engine>;
  using Element = typename Shape::Element;
  std::vector<Element> before(sums::rows * sums::pitch);
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = sums::before<Element>(static_cast<int>(i));
  }
  std::vector<Element> array = before;
  const dma::host::LaunchOptions seed{7};
  if constexpr (dma::TakesArrays<Engine, typename Body::Store>) {
    const auto map = dma::host::tensor_map<typename Shape::Tile>(array.data(), Shape::tile(0));
    dma::host::launch(seed, Body{}, {sums::ctas}, &map);
  } else {
    dma::host::launch(seed, Body{}, {sums::ctas}, array.data());
  }
  return sums::count_wrong<Shape>(array.data(), before.data());
}

}  // namespace

TEMPLATE_TEST_CASE("a store that adds yields the sum of what all CTAs stored", "[protocol][engines]", int, unsigned,
                   long long, float, double) {
  using Lines = sums::Lines<TestType>;
  using Blocks = sums::Blocks<TestType>;
  using Boxes = sums::Boxes<TestType>;
  REQUIRE(wrong_sums<Lines, dma::NamedBarrier, dma::RegisterCopy<>>() == 0);
  REQUIRE(wrong_sums<Blocks, dma::NamedBarrier, dma::HostCopy>() == 0);
  REQUIRE(wrong_sums<Boxes, dma::CudaBarrier, dma::HostCopy>() == 0);
  REQUIRE(wrong_sums<Lines, dma::CudaBarrier, dma::BulkCopy<>>() == 0);
  REQUIRE(wrong_sums<Blocks, dma::CudaBarrier, dma::AsyncCopy<>>() == 0);
  REQUIRE(wrong_sums<Blocks, dma::CudaBarrier, dma::BulkCopy<>>() == 0);
  REQUIRE(wrong_sums<Boxes, dma::CudaBarrier, dma::RegisterCopy<>>() == 0);
  REQUIRE(wrong_sums<Boxes, dma::NamedBarrier, dma::TensorCopy<>>() == 0);
}

TEST_CASE("a store that adds uses bulk copies where the pattern's runs are long", "[engines]") {
  using Long = dma::StoreAdd<dma::Sequential<float, 1024>>;
  using Short = dma::StoreAdd<dma::Strided<float, 8, 32>>;
  STATIC_REQUIRE(dma::stdlib::is_same_v<dma::DefaultEngine<Long, dma::CudaBarrier>, dma::BulkCopy<>>);
  STATIC_REQUIRE(dma::stdlib::is_same_v<dma::DefaultEngine<Short, dma::CudaBarrier>, dma::RegisterCopy<>>);
}
