#include <dma/dma.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>

#include "kernels/views.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

/// What patterns read from a view, with numbers that are written out, and whole kernels over views.

namespace {

constexpr dma::RowLayout up_to_144{.max_pitch_bytes = 144};

}  // namespace

TEST_CASE("a box at a place of a view has the view's extents and pitches", "[views]") {
  std::vector<float> array(6 * 100);
  const views::View<float, 2> rows{array.data(), {6, 90}, {100, 1}};
  const auto box = dma::Tile2D<float, 32, 8>::at(rows, -1, 64);
  REQUIRE((box.pitch_bytes == 400 && box.array_rows == 6 && box.array_cols == 90));
  REQUIRE((box.row == -1 && box.col == 64 && box.fill == 0));

  const views::View<float, 3> planes{array.data(), {2, 3, 90}, {300, 100, 1}};
  const auto volume = dma::Tile3D<float, dma::TileShape{.cols = 16, .rows = 4, .planes = 2}>::at(planes, 1, -2, 48);
  REQUIRE((volume.plane_pitch_bytes == 1200 && volume.pitch_bytes == 400));
  REQUIRE((volume.array_planes == 2 && volume.array_rows == 3 && volume.array_cols == 90));
  REQUIRE((volume.plane == 1 && volume.row == -2 && volume.col == 48));
}

TEST_CASE("rows from a row of a view on are as many as are left", "[views]") {
  std::vector<double> array(20 * 40);
  const views::View<const double, 2> view{array.data(), {20, 36}, {40, 1}};
  const auto expect = [&]<class Tile>(Tile tile, int rows, int cols) {
    REQUIRE((tile.pitch_bytes == 320 && tile.rows == rows && tile.cols == cols));
  };
  using Narrow = dma::Strided<double, 32, 8>;
  using Wide = dma::Strided<double, 64, 8>;
  expect(Narrow::at(view, 0), 8, 32);
  expect(Narrow::at(view, 12), 8, 32);
  expect(Narrow::at(view, 16), 4, 32);
  expect(Narrow::at(view, 20), 0, 32);
  expect(Wide::at(view, 13), 7, 36);
  const auto bounded = dma::Strided<double, 16, 8, up_to_144>::at(view, 16);
  expect(bounded, 4, 16);
  REQUIRE(bounded.shared_pitch_bytes == 144);
  static_assert(Narrow::at(views::View<double, 2>{nullptr, {3, 40}, {-40, 1}}, 1).pitch_bytes == -320);
}

TEST_CASE("a view whose last stride is not 1 is refused", "[views][contracts]") {
  std::vector<float> array(64);
  const views::View<float, 2> columns{array.data(), {8, 8}, {1, 8}};
  const views::View<float, 3> planes{array.data(), {2, 4, 4}, {32, 8, 2}};
  const char* const says = "exchange the axes of view and tile [stride ";
  REQUIRE_THROWS_MATCHES((dma::Tile2D<float, 4, 4>::at(columns, 0, 0)), std::logic_error,
                         MessageMatches(ContainsSubstring(says)));
  REQUIRE_THROWS_MATCHES((dma::Strided<float, 4, 4>::at(columns, 0)), std::logic_error,
                         MessageMatches(ContainsSubstring(says)));
  REQUIRE_THROWS_MATCHES((dma::Tile3D<float, dma::TileShape{.cols = 4, .rows = 2, .planes = 2}>::at(planes, 0, 0, 0)),
                         std::logic_error, MessageMatches(ContainsSubstring(says)));
}

namespace {

using Warps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using Box = dma::Tile2D<float, 8, 4>;
using Volume = dma::Tile3D<float, dma::TileShape{.cols = 8, .rows = 4, .planes = 2}>;
using Matrix = views::View<const float, 2>;
using Output = views::View<float, 2>;

/// Copies a matrix, box by box: by views, and by their tensor maps where the engine takes maps.
template <class Engine>
struct CopyMatrix {
  using Layout = Warps;
  using In = dma::DmaPipeline<Box, dma::SingleBuffer<Warps>, dma::CudaBarrier, Engine>;
  static constexpr bool takes_maps = std::is_same_v<Engine, dma::TensorCopy<>>;
  struct Shared {
    typename In::Storage in;
  };
  void operator()(dma::KernelCta<CopyMatrix>& cta, Matrix in, const dma::TensorMap<Box>& map, Output out) const {
    In pipe(cta, cta.template shared<Shared>().in);
    const int across = (in.extent(1) + 7) / 8;
    const auto box = [&](int t) { return Box::at(in, t / across * 4, t % across * 8); };
    pipe.for_each_tile(
        {.last = (in.extent(0) + 3) / 4 * across},
        [&](const auto& dma, int t) {
          if constexpr (takes_maps) {
            dma.load(map, box(t));
          } else {
            dma.load(in, box(t));
          }
        },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait(box(t));
          for (int i = compute.rank(); i < 32; i += compute.size()) {
            const int row = t / across * 4 + i / 8, col = t % across * 8 + i % 8;
            if (row < out.extent(0) && col < out.extent(1)) {
              out.first[row * out.stride(0) + col] = tile(i / 8, i % 8);
            }
          }
        });
  }
};

/// Negates a span, part by part.
struct Negate {
  using Layout = Warps;
  using Part = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<dma::Update<Part>, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<Negate>& cta, std::span<float> values) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto size = static_cast<int>(values.size());
    const auto part = [&](int first) { return Part{size - first < 32 ? size - first : 32}; };
    pipe.for_each_tile(
        {.last = size, .step = 32},
        [&](const auto& dma, int first) { dma.load(values.subspan(static_cast<std::size_t>(first)), part(first)); },
        [&](const auto& compute, int first) {
          const auto tile = compute.wait(part(first));
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            tile[i] = -tile[i];
          }
        },
        [&](const auto& dma, int first) { dma.store(values.subspan(static_cast<std::size_t>(first)), part(first)); });
  }
};

template <class Engine>
void expect_a_copy() {
  std::vector<float> in(12 * 24), out(10 * 20, -1);
  std::iota(in.begin(), in.end(), 0);
  const Matrix view{in.data(), {10, 20}, {24, 1}};
  dma::TensorMap<Box> map{};
  if constexpr (CopyMatrix<Engine>::takes_maps) {
    map = dma::host::tensor_map<Box>(view);
  }
  dma::host::launch(CopyMatrix<Engine>{}, {1}, view, map, Output{out.data(), {10, 20}, {20, 1}});
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    wrong += out[static_cast<std::size_t>(i)] == static_cast<float>(i / 20 * 24 + i % 20) ? 0 : 1;
  }
  REQUIRE(wrong == 0);
}

}  // namespace

TEST_CASE("tiles of a view are loaded from it, and by its map", "[views]") {
  expect_a_copy<dma::RegisterCopy<>>();
  expect_a_copy<dma::AsyncCopy<>>();
  expect_a_copy<dma::TensorCopy<>>();
}

TEST_CASE("a map of a view of three axes has its extents and pitches", "[views]") {
  std::vector<float> array(4 * 6 * 16);
  const views::View<float, 3> view{array.data(), {4, 5, 12}, {96, 16, 1}};
  const auto map = dma::host::tensor_map<Volume>(view);
  const auto same = dma::host::tensor_map<Volume>(
      array.data(),
      Volume{.pitch_bytes = 64, .plane_pitch_bytes = 384, .array_planes = 4, .array_rows = 5, .array_cols = 12});
  REQUIRE(std::memcmp(&map, &same, sizeof map) == 0);
}

TEST_CASE("a span is loaded and stored part by part", "[views]") {
  std::vector<float> values(75), expected(75);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i + 1);
    expected[i] = -static_cast<float>(i + 1);
  }
  dma::host::launch(Negate{}, {1}, std::span<float>(values));
  REQUIRE(values == expected);
}
