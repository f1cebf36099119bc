#include <dma/host/launch.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

#include "kernels/round_trip.hpp"
#include "kernels/shapes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

/// Every tenth shape of a pattern, there and back on the host's CTA.
template <class Pattern, class Warps, class Barrier, class Engine = round_trip::TheDefault>
void check_round_trip() {
  const std::vector<int> indices = shapes::indices_for<int, Pattern>();
  std::vector<Pattern> shapes;
  const std::vector<Pattern> all = shapes::all<Pattern>(indices);
  for (std::size_t i = 0; i < all.size(); i += std::is_same_v<Engine, dma::TensorCopy<>> ? 3 : 10) {
    if (round_trip::is_moved<Engine>(all[i])) {
      shapes.push_back(std::is_same_v<Engine, dma::TensorCopy<>> ? round_trip::filled_by_map(all[i]) : all[i]);
    }
  }
  const std::size_t reach = shapes::reach(shapes);
  const std::size_t stretch = 2 * reach;
  std::vector<unsigned char> in(stretch);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
  }
  std::vector<unsigned char> out(stretch * shapes.size(), 0xee);
  std::vector<unsigned char> arrived(Pattern::tile_bytes * shapes.size(), 0xee);
  round_trip::Job<Pattern> job{shapes.data(),      static_cast<int>(shapes.size()), in.data() + reach,
                               out.data() + reach, static_cast<long long>(stretch), arrived.data()};
  std::vector<dma::TensorMap<Pattern>> maps;
  if constexpr (std::is_same_v<Engine, dma::TensorCopy<>>) {
    using Element = typename Pattern::Element;
    constexpr dma::OutsideArray outside = round_trip::outside_of<Pattern>;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      maps.push_back(
          dma::host::tensor_map<Pattern>(reinterpret_cast<Element*>(job.out + i * stretch), shapes[i], outside));
    }
    maps.push_back(dma::host::tensor_map<Pattern>(reinterpret_cast<const Element*>(job.in), shapes[0], outside));
    job.out_maps = maps.data();
    job.in_map = &maps.back();
  }
  dma::host::launch(dma::host::LaunchOptions{5}, round_trip::Body<Pattern, Warps, Barrier, Engine>{}, {2}, job);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::vector<unsigned char> expected(stretch, 0xee);
    const unsigned char* const tile = arrived.data() + i * Pattern::tile_bytes;
    int wrong = 0;
    shapes::visit(
        shapes[i],
        [&](long long global, int shared, int bytes) {
          const auto place = static_cast<std::size_t>(static_cast<long long>(reach) + global);
          for (std::size_t byte = 0; byte < static_cast<std::size_t>(bytes); ++byte) {
            wrong += tile[static_cast<std::size_t>(shared) + byte] == in[place + byte] ? 0 : 1;
            expected[place + byte] =
                round_trip::is_stored<Engine>(shapes[i]) ? in[place + byte] : static_cast<unsigned char>(0xee);
          }
        },
        [&](int shared, const auto& value) { wrong += round_trip::holds(tile + shared, value) ? 0 : 1; });
    REQUIRE(wrong == 0);
    REQUIRE(std::equal(expected.begin(), expected.end(), out.begin() + static_cast<std::ptrdiff_t>(i * stretch)));
  }
}

/// Each barrier once, with DMA warps and without.
template <class Pattern>
void check_both_ways() {
  check_round_trip<Pattern, round_trip::WithDmaWarps, dma::NamedBarrier>();
  check_round_trip<Pattern, round_trip::WithoutDmaWarps, dma::CudaBarrier>();
}
template <class Pattern>
void check_everywhere() {
  check_both_ways<Pattern>();
  check_round_trip<Pattern, round_trip::WithDmaWarps, dma::CudaBarrier>();
  check_round_trip<Pattern, round_trip::WithoutDmaWarps, dma::NamedBarrier>();
}

}  // namespace

TEST_CASE("tiles go there and back through two pipelines, with and without DMA warps", "[protocol]") {
  check_everywhere<shapes::Words>();
  check_everywhere<shapes::Rows>();
  check_everywhere<shapes::WideBox>();
  check_both_ways<shapes::RaggedRows>();
  check_both_ways<shapes::Gather>();
  check_both_ways<shapes::RowGather>();
  check_both_ways<shapes::Pages>();
  check_both_ways<shapes::BlockRows>();
  check_both_ways<shapes::Turned>();
}

TEST_CASE("boxes and halos go there and back, in two and in three dimensions", "[protocol]") {
  check_both_ways<shapes::Ring<4>>();
  check_both_ways<shapes::WideRing>();
  check_both_ways<shapes::Volume>();
  check_both_ways<shapes::BlockVolume>();
  check_both_ways<shapes::Shell<2, dma::Corners::included>>();
}

TEST_CASE("boxes go there and back by tensor maps", "[protocol][engines]") {
  const auto check = []<class Pattern>(const Pattern*) {
    check_round_trip<Pattern, round_trip::WithDmaWarps, dma::CudaBarrier, dma::TensorCopy<>>();
    check_round_trip<Pattern, round_trip::WithoutDmaWarps, dma::CudaBarrier, dma::TensorCopy<>>();
  };
  check(static_cast<const shapes::Box*>(nullptr));
  check(static_cast<const shapes::SwizzledBox*>(nullptr));
  check(static_cast<const shapes::Volume*>(nullptr));
  check(static_cast<const shapes::TwoBoxes*>(nullptr));
}

TEST_CASE("boxes of one to five axes go there and back by tensor maps, with zero and with NaN around them",
          "[protocol][engines]") {
  const auto check = []<class Pattern>(const Pattern*) {
    check_round_trip<Pattern, round_trip::WithDmaWarps, dma::CudaBarrier, dma::TensorCopy<>>();
  };
  check(static_cast<const shapes::AxisBox<1>*>(nullptr));
  check(static_cast<const shapes::AxisBox<2>*>(nullptr));
  check(static_cast<const shapes::AxisBox<3>*>(nullptr));
  check(static_cast<const shapes::AxisBox<4>*>(nullptr));
  check(static_cast<const shapes::AxisBox<5>*>(nullptr));
  check(static_cast<const shapes::AxisBox<2, dma::OutsideArray::nan>*>(nullptr));
  check(static_cast<const shapes::AxisBox<5, dma::OutsideArray::nan>*>(nullptr));
}

TEST_CASE("swizzled tiles and compositions go there and back", "[protocol]") {
  check_both_ways<shapes::SwizzledRows>();
  check_both_ways<shapes::SwizzledVolume>();
  check_both_ways<shapes::BlockAndBox>();
  check_both_ways<shapes::Sequences>();
  check_both_ways<shapes::Boxes>();
}
