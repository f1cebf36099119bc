#include <dma/dma.hpp>
#include <dma/engines/tensor/box_list.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#endif

using Catch::Matchers::ContainsSubstring;

namespace {

/// A number of one byte that is no integer.
struct Small {
  unsigned char bits;
};

using Tile = dma::Tile2D<float, 8, 4>;
using Volume = dma::Tile3D<float, dma::TileShape{.cols = 8, .rows = 4, .planes = 3}>;
constexpr auto no_number = dma::OutsideArray::nan;
constexpr auto zero = dma::OutsideArray::zero;

/// No array is read here.
template <class T>
const T* somewhere() {
  alignas(128) static const unsigned char bytes[1024] = {};
  return reinterpret_cast<const T*>(bytes);
}

template <class Pattern>
dma::detail::DescribedArray described(const dma::TensorMap<Pattern>& map, int part) {
  dma::detail::DescribedArray array{};
  std::memcpy(&array, map.descriptors[part].bytes, sizeof array);
  return array;
}

/// One thread stores a tile by a tensor map, and overwrites its last element, after it was read or before.
struct Overwrites {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    alignas(128) float tile[32];
  };

  void operator()(dma::KernelCta<Overwrites>& cta, const dma::TensorMap<Tile>& map, bool adds, bool waits) const {
    float* const tile = cta.shared<Shared>().tile;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(tile);
    if (cta.thread() != 0) {
      return;
    }
    dma::machine::touched(tile, 128, dma::machine::Access::write);
    for (int i = 0; i < 32; ++i) {
      tile[i] = static_cast<float>(i);
    }
    dma::machine::fence_async_proxy();
    if (adds) {
      dma::detail::add_box_to_global<dma::CacheHints{}>(map.descriptors[0], bytes, Tile{}, 0);
    } else {
      dma::detail::copy_box_to_global<dma::CacheHints{}>(map.descriptors[0], bytes, Tile{}, 0);
    }
    dma::machine::commit_bulk_group();
    if (waits) {
      dma::machine::wait_for_bulk_reads<0>();
    }
    dma::machine::touched(tile + 31, 4, dma::machine::Access::write);
    tile[31] = 0;
    dma::machine::wait_for_bulk_groups();
  }
};

}  // namespace

TEST_CASE("what a tensor map cannot describe is refused", "[contracts]") {
  const auto map = [](const auto& tile, dma::OutsideArray outside) {
    using Pattern = std::remove_cvref_t<decltype(tile)>;
    return dma::host::tensor_map(somewhere<typename Pattern::Element>(), tile, outside);
  };
  REQUIRE_NOTHROW(map(Tile{32, 9, 8}, zero));
  REQUIRE_NOTHROW(map(Tile{32, 9, 8}, no_number));
  REQUIRE_NOTHROW(map(dma::Tile2D<int, 8, 4>{}, zero));
  REQUIRE_NOTHROW(map(dma::Tile2D<Small, 16, 4>{}, zero));
  REQUIRE_THROWS_WITH(dma::host::tensor_map<Tile>(nullptr, Tile{}), ContainsSubstring("the array's address is null"));
  REQUIRE_THROWS_WITH(map(dma::Tile2D<int, 8, 4>{}, no_number), ContainsSubstring("have no NaN"));
  REQUIRE_THROWS_WITH(map(dma::Tile2D<Small, 16, 4>{}, no_number), ContainsSubstring("have no NaN"));

  REQUIRE_NOTHROW(map(Tile{32, 1, 1}, zero));
  REQUIRE_THROWS_WITH(map(Tile{32, 9, 0}, zero), ContainsSubstring("[axis 0, elements 0"));
  REQUIRE_THROWS_WITH(map(Tile{32, 0, 9}, zero), ContainsSubstring("[axis 1, elements 0"));
  REQUIRE_THROWS_WITH(map(Tile{32, -1, 9}, zero), ContainsSubstring("[axis 1, elements -1"));
  const auto axis = [](long long innermost, long long outermost) {
    return dma::detail::axis_without_map(dma::Box<2>{{8, 4}, {innermost, outermost}, {4, 32}, {0, 0}});
  };
  constexpr long long most = 1LL << 31;
  REQUIRE(axis(most, most) == -1);
  REQUIRE(axis(most + 1, 1) == 0);
  REQUIRE(axis(1, most + 1) == 1);
}

TEST_CASE("a box has the extents, pitches and position of its tile, columns first", "[patterns]") {
  const auto box = Tile{96, 20, 24, -3, 5}.box();
  REQUIRE((box.extents[0] == 8 && box.extents[1] == 4));
  REQUIRE((box.array_extents[0] == 24 && box.array_extents[1] == 20));
  REQUIRE((box.pitch_bytes[0] == 4 && box.pitch_bytes[1] == 96));
  REQUIRE((box.position[0] == 5 && box.position[1] == -3));
  const auto volume = Volume{96, 2000, 7, 20, 24, 2, -3, 5}.box();
  REQUIRE((volume.extents[0] == 8 && volume.extents[1] == 4 && volume.extents[2] == 3));
  REQUIRE((volume.array_extents[0] == 24 && volume.array_extents[1] == 20 && volume.array_extents[2] == 7));
  REQUIRE((volume.pitch_bytes[0] == 4 && volume.pitch_bytes[1] == 96 && volume.pitch_bytes[2] == 2000));
  REQUIRE((volume.position[0] == 5 && volume.position[1] == -3 && volume.position[2] == 2));
  REQUIRE(dma::detail::box_bytes(Tile{}) == 128);
  REQUIRE(dma::detail::box_bytes(Volume{}) == 384);
}

TEST_CASE("a host's map describes an array by its extents and pitches, and a tile of another is refused",
          "[contracts]") {
  const Volume of_array{96, 2000, 7, 20, 24};
  const auto map = dma::host::tensor_map<Volume>(somewhere<float>(), of_array, no_number);
  const dma::detail::DescribedArray array = described(map, 0);
  REQUIRE(array.address == reinterpret_cast<const unsigned char*>(somewhere<float>()));
  REQUIRE(array.outside == no_number);
  REQUIRE((array.extents[0] == 24 && array.extents[1] == 20 && array.extents[2] == 7));
  REQUIRE((array.pitch_bytes[0] == 4 && array.pitch_bytes[1] == 96 && array.pitch_bytes[2] == 2000));

  constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
  const auto address = [&](const Volume& tile) { return dma::detail::described_array(map.descriptors[0], tile, 2); };
  REQUIRE(address({96, 2000, 7, 20, 24, 1, 2, 4, not_a_number}) == array.address);
  REQUIRE_THROWS_WITH(address({96, 2000, 7, 20, 25, 1, 2, 4, not_a_number}), ContainsSubstring("[part 2, axis 0"));
  REQUIRE_THROWS_WITH(address({96, 2000, 7, 21, 24, 1, 2, 4, not_a_number}), ContainsSubstring("[part 2, axis 1"));
  REQUIRE_THROWS_WITH(address({96, 2000, 8, 20, 24, 1, 2, 4, not_a_number}), ContainsSubstring("[part 2, axis 2"));
  REQUIRE_THROWS_WITH(address({100, 2000, 7, 20, 24, 1, 2, 4, not_a_number}), ContainsSubstring("[part 2, axis 1"));
  REQUIRE_THROWS_WITH(address({96, 2004, 7, 20, 24, 1, 2, 4, not_a_number}), ContainsSubstring("[part 2, axis 2"));
  REQUIRE_THROWS_WITH(address({96, 2000, 7, 20, 24}), ContainsSubstring("the tile's fill is not the map's"));
  REQUIRE_THROWS_WITH(dma::detail::described_array(dma::detail::TensorDescriptor{}, of_array),
                      ContainsSubstring("make it by dma::host::tensor_map"));
}

TEST_CASE("a fill is a map's where all its bytes are zero, or where it is no number", "[contracts]") {
  const auto fills_as = [](dma::OutsideArray outside, auto fill) {
    using Filled = dma::Tile2D<decltype(fill), 16, 4>;
    return dma::detail::fills_as(outside, Filled{Filled{}.pitch_bytes, 4, 16, 0, 0, fill});
  };
  REQUIRE(fills_as(zero, 0));
  REQUIRE_FALSE(fills_as(zero, 1));
  REQUIRE_FALSE(fills_as(zero, 1 << 24));
  REQUIRE_FALSE(fills_as(no_number, 0));
  REQUIRE(fills_as(zero, 0.0F));
  REQUIRE_FALSE(fills_as(no_number, 0.0F));
  REQUIRE_FALSE(fills_as(no_number, 1.0));
  REQUIRE(fills_as(no_number, std::numeric_limits<float>::quiet_NaN()));
  REQUIRE(fills_as(no_number, std::numeric_limits<double>::quiet_NaN()));
#if __has_include(<cuda_fp16.h>)
  const auto half_of = [](unsigned short bits) {
    __half value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
  };
  REQUIRE(fills_as(no_number, half_of(0x7e00)));
  REQUIRE_FALSE(fills_as(no_number, half_of(0x7c00)));  // infinity
  REQUIRE(fills_as(zero, half_of(0)));
  REQUIRE_FALSE(fills_as(zero, half_of(0x7e00)));
#endif
}

TEST_CASE("each part of a composition may have an array of its own, with options of its own", "[patterns]") {
  using Both = dma::Concat<Tile, dma::Tile2D<float, 4, 2>>;
  const float* const first = somewhere<float>();
  const float* const second = first + 64;
  const auto map =
      dma::host::tensor_map<Both>(dma::TensorArray{first, Tile{96, 20, 24}},
                                  dma::TensorArray{second, dma::Tile2D<float, 4, 2>{16, 9, 4}, {.outside = no_number}});
  REQUIRE(described(map, 0).address == reinterpret_cast<const unsigned char*>(first));
  REQUIRE(described(map, 0).extents[1] == 20);
  REQUIRE(described(map, 0).outside == zero);
  REQUIRE(described(map, 1).address == reinterpret_cast<const unsigned char*>(second));
  REQUIRE(described(map, 1).extents[1] == 9);
  REQUIRE(described(map, 1).outside == no_number);

  const auto of_one = dma::host::tensor_map(first, Both{Tile{96, 20, 24}, {96, 20, 24, 0, 8}}, no_number);
  REQUIRE(described(of_one, 1).address == reinterpret_cast<const unsigned char*>(first));
  REQUIRE(described(of_one, 1).outside == no_number);
}

TEST_CASE("a box is copied row by row, with its fill, and back, and added", "[engines]") {
  // Rows 4 and 5 and columns 8 to 11 of 6 x 12: rows 6 and 7 and columns 12 to 15 are outside.
  std::vector<float> array(72), tile(32, -1.0F);
  for (std::size_t i = 0; i < 72; ++i) {
    array[i] = static_cast<float>(i);
  }
  const Tile box{48, 6, 12, 4, 8, 0.0F};
  auto* const base = reinterpret_cast<unsigned char*>(array.data());
  auto* const bytes = reinterpret_cast<unsigned char*>(tile.data());
  dma::detail::BoxLoad<Tile>{{base, box}, bytes}();
  for (std::size_t i = 0; i < 32; ++i) {
    const std::size_t r = i / 8, c = i % 8;
    REQUIRE(tile[i] == (r < 2 && c < 4 ? static_cast<float>((4 + r) * 12 + 8 + c) : 0.0F));
    tile[i] = static_cast<float>(100 + i);
  }
  const auto is_inside = [](std::size_t i) { return i / 12 >= 4 && i % 12 >= 8; };
  const auto of_tile = [](std::size_t i) { return static_cast<float>(100 + (i / 12 - 4) * 8 + i % 12 - 8); };
  dma::detail::BoxStore<Tile>{{base, box}, bytes}();
  for (std::size_t i = 0; i < 72; ++i) {
    REQUIRE(array[i] == (is_inside(i) ? of_tile(i) : static_cast<float>(i)));
  }
  dma::detail::BoxSum<Tile>{{base, box}, bytes}();
  for (std::size_t i = 0; i < 72; ++i) {
    REQUIRE(array[i] == (is_inside(i) ? 2 * of_tile(i) : static_cast<float>(i)));
  }
  int rows = 0;
  dma::detail::BoxOfArray<Tile>{base, box}.for_each_global_run([&](const unsigned char* place, int count) {
    REQUIRE(place == base + ((4 + rows) * 12 + 8) * 4);
    REQUIRE(count == 16);
    ++rows;
  });
  REQUIRE(rows == 2);
}

TEST_CASE("a box that is stored is read to its last byte", "[engines]") {
  for (const bool adds : {false, true}) {
    std::vector<float> array(32, 1.0F);
    const auto map = dma::host::tensor_map<Tile>(array.data(), Tile{});
    REQUIRE_THAT(dma::proof::prove(Overwrites{}, {1}, map, adds, true), dma::proof::IsProved());
    REQUIRE_FALSE(dma::proof::prove(Overwrites{}, {1}, map, adds, false).is_proved());
    array.assign(32, 1.0F);
    dma::host::launch(Overwrites{}, {1}, map, adds, true);
    for (std::size_t i = 0; i < 32; ++i) {
      REQUIRE(array[i] == static_cast<float>(i) + (adds ? 1.0F : 0.0F));
    }
  }
}

#if DMA_CHECKED
TEST_CASE("a checked kernel compares its tiles with what their map was made of", "[contracts]") {
  using Both = dma::Concat<Tile, Tile>;
  dma::TensorMap<Both> map{};
  const Tile first{96, 20, 24}, second{96, 9, 24};
  REQUIRE(map.describes(0, first));  // of a map that nothing is known of
  REQUIRE(map.describes(0, second));
  map.arrays[0] = dma::detail::describe(nullptr, zero, first);
  map.arrays[1] = dma::detail::describe(nullptr, no_number, second);
  const Tile not_a_number{96, 9, 24, 0, 0, std::numeric_limits<float>::quiet_NaN()};
  REQUIRE(map.describes(0, first));
  REQUIRE_FALSE(map.describes(0, second));
  REQUIRE(map.describes(1, not_a_number));
  REQUIRE_FALSE(map.describes(1, second));
}
#endif

TEST_CASE("a tensor map of another array than the tile's is reported", "[contracts]") {
  const std::vector<float> array(64 * 64);
  const Tile tile{.pitch_bytes = 256, .array_rows = 64, .array_cols = 64};
  const dma::TensorMap<Tile> map = dma::host::tensor_map<Tile>(array.data(), tile);
  REQUIRE(dma::detail::described_array(map.descriptors[0], tile) ==
          reinterpret_cast<const unsigned char*>(array.data()));
  const Tile filled{.pitch_bytes = 256, .array_rows = 64, .array_cols = 64, .fill = 1};
  REQUIRE_THROWS_WITH(dma::detail::described_array(map.descriptors[0], filled),
                      ContainsSubstring("the tile's fill is not the map's"));
  const auto of_nan = dma::host::tensor_map<Tile>(array.data(), tile, dma::OutsideArray::nan);
  Tile not_a_number = tile;
  not_a_number.fill = std::numeric_limits<float>::quiet_NaN();
  REQUIRE_NOTHROW(dma::detail::described_array(of_nan.descriptors[0], not_a_number));
  REQUIRE_THROWS_WITH(dma::detail::described_array(of_nan.descriptors[0], tile),
                      ContainsSubstring("the tile's fill is not the map's"));
  const Tile other{.pitch_bytes = 128, .array_rows = 64, .array_cols = 32};
  REQUIRE_THROWS_WITH(dma::detail::described_array(map.descriptors[0], other),
                      ContainsSubstring("other extents or pitches than the map"));
  REQUIRE_THROWS_WITH(dma::detail::described_array(dma::detail::TensorDescriptor{}, tile),
                      ContainsSubstring("make it by dma::host::tensor_map"));
}
