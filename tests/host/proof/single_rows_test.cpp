// Rows in pages that each move by themselves, by tensor maps: pages of few rows, four rows at a time.

#include "kernels/single_rows.hpp"

#include <dma/dma.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/explain/explain.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int heads = 3;
constexpr int pages = 53;

/// Pages of so many rows of `width` elements for each head, heads beside one another or rows.
template <class Element>
struct Cache {
  Cache(int page_rows, int width, bool has_rows_together)
      : array{pages, page_rows, bytes(page_rows * heads * width), bytes(has_rows_together ? page_rows * width : width),
              bytes(has_rows_together ? width : heads * width)},
        memory(static_cast<std::size_t>(pages * page_rows * heads * width)) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      memory[i] = static_cast<Element>(1 + i * 97 % 249);
    }
    for (int i = 0; i < pages; ++i) {
      list.push_back(i * 23 % pages);
    }
  }

  /// Where column c of row r of the sequence is.
  [[nodiscard]] std::size_t place(int head, int r, int c) const {
    const long long page = list[static_cast<std::size_t>(r / array.rows)];
    return static_cast<std::size_t>(
        (page * array.page_pitch_bytes + head * array.head_pitch_bytes + r % array.rows * array.row_pitch_bytes) /
            bytes(1) +
        c);
  }
  [[nodiscard]] static long long bytes(int elements) { return elements * static_cast<long long>(sizeof(Element)); }

  dma::PageArray array;
  std::vector<Element> memory;
  std::vector<int> list;
};

/// Loads a sequence of so many rows. Returns the first wrong element of its tiles, from 1 on.
template <class Kernel, class Element = typename Kernel::Tile::Element>
int first_wrong(const Cache<Element>& cache, int head, int rows, int col, bool is_proved) {
  using Tile = typename Kernel::Tile;
  constexpr int height = Tile::Tile::rows;
  const int moved = (rows + height - 1) / height * height;
  std::vector<Element> out(static_cast<std::size_t>(moved * Kernel::width), Element{99});
  const Tile tile{cache.array, cache.list.data(), rows, 0, head, col};
  const auto map = dma::host::tensor_map(cache.memory.data(), tile);
  if (is_proved) {
    const auto named = static_cast<std::size_t>((rows + cache.array.rows - 1) / cache.array.rows);
    CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(cache.memory.data(), cache.memory.size()),
                                             dma::proof::input(cache.list.data(), named)},
                                  .outputs = {dma::proof::output(out.data(), out.size())}},
                                 Kernel{}, {1}, map, tile, out.data()),
               dma::proof::IsProved());
  }
  dma::host::launch(Kernel{}, {1}, map, tile, out.data());
  for (int i = 0; i < moved * Kernel::width; ++i) {
    const int r = i / Kernel::width;
    const Element expected =
        r < rows ? cache.memory[cache.place(head, r, col + i % Kernel::width)] : static_cast<Element>(0);
    if (out[static_cast<std::size_t>(i)] != expected) {
      return i + 1;
    }
  }
  return 0;
}

using OfFloats = single_rows::Rows<float, dma::PagedShape{.cols = 32, .rows = 8, .box_rows = 1}>;
using OfPlanes = single_rows::Rows<std::uint16_t, dma::PagedShape{.cols = 64, .rows = 40, .box_rows = 1, .planes = 2},
                                   dma::Swizzle::bytes_128>;
static_assert(dma::detail::RowListPattern<OfFloats> && dma::detail::has_hardware_boxes<OfFloats>);
static_assert(dma::detail::RowListPattern<OfPlanes> && dma::detail::has_hardware_boxes<OfPlanes>);
static_assert(!dma::detail::BoxListPattern<OfFloats> && !dma::detail::BoxListPattern<OfPlanes>);

}  // namespace

TEST_CASE("rows of pages of any number of rows arrive by fours, and zeros behind the last", "[single_rows]") {
  for (const bool has_rows_together : {false, true}) {
    for (const int page_rows : {1, 2, 3, 4, 16}) {
      const Cache<float> cache(page_rows, 32, has_rows_together);
      const Cache<std::uint16_t> wide(page_rows, 128, has_rows_together);
      for (const int rows : {0, 1, 3, 4, 8, 11, 37, 40, 41, 53}) {
        INFO("pages of " << page_rows << ", " << rows << " rows");
        CHECK(first_wrong<single_rows::Loads<OfFloats>>(cache, rows % heads, rows, 0, false) == 0);
        CHECK(first_wrong<single_rows::Loads<OfPlanes>>(wide, rows % heads, rows, 0, false) == 0);
      }
    }
  }
}

TEST_CASE("rows of pages may be of stretches of columns, and two warps may take turns", "[single_rows]") {
  const Cache<std::uint16_t> cache(1, 256, false);
  CHECK(first_wrong<single_rows::Loads<OfPlanes>>(cache, 2, 45, 128, false) == 0);
  CHECK(first_wrong<single_rows::Loads<OfPlanes, 2>>(cache, 1, 53, 64, false) == 0);
}

TEST_CASE("loads of rows of pages are proved, and read what is there alone", "[single_rows]") {
  const Cache<float> cache(2, 32, false);
  CHECK(first_wrong<single_rows::Loads<OfFloats>>(cache, 1, 13, 0, true) == 0);
  const Cache<std::uint16_t> wide(1, 128, false);
  CHECK(first_wrong<single_rows::Loads<OfPlanes>>(wide, 2, 53, 0, true) == 0);
  // The list names a page that is not there.
  Cache<float> wrong(1, 32, false);
  wrong.list[5] = pages;
  CHECK_THROWS_WITH(first_wrong<single_rows::Loads<OfFloats>>(wrong, 0, 9, 0, false), ContainsSubstring("position"));
  CHECK(first_wrong<single_rows::Loads<OfFloats>>(wrong, 0, 5, 0, false) == 0);
}

TEST_CASE("rows are stored in pages of any number of rows, and none behind the last", "[single_rows]") {
  for (const int page_rows : {1, 2, 3}) {
    for (const int first : {0, 5}) {
      INFO("pages of " << page_rows << ", from row " << first);
      Cache<std::uint16_t> cache(page_rows, 128, false);
      constexpr int rows = 53;
      std::vector<std::uint16_t> expected = cache.memory;
      for (int r = first; r < rows; ++r) {
        for (int c = 0; c < 128; ++c) {
          expected[cache.place(1, r, c)] = single_rows::stored<std::uint16_t>(r, c);
        }
      }
      const OfPlanes tile{cache.array, cache.list.data(), rows, 0, 1};
      const auto map = dma::host::tensor_map(cache.memory.data(), tile);
      if (page_rows == 2) {
        CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(cache.list.data(), 27)},
                                      .outputs = {dma::proof::output(cache.memory.data(), cache.memory.size())}},
                                     single_rows::Stores<OfPlanes>{}, {1}, map, tile, first),
                   dma::proof::IsProved());
      }
      dma::host::launch(single_rows::Stores<OfPlanes>{}, {1}, map, tile, first);
      CHECK(cache.memory == expected);
    }
  }
}

TEST_CASE("which pages a tensor map of single rows describes", "[single_rows]") {
  const std::vector<float> memory(4096);
  const auto refuses = [&](const OfFloats& tile) {
    CHECK_THROWS_WITH(dma::host::tensor_map(memory.data(), tile),
                      ContainsSubstring("dma::Paged: a tensor map of single rows counts them"));
  };
  const dma::PageArray right{4, 2, 1024, 128, 512};
  CHECK_NOTHROW(dma::host::tensor_map(memory.data(), OfFloats{right}));
  dma::PageArray wrong = right;
  wrong.page_pitch_bytes = 1088;
  refuses({wrong});
  wrong = right;
  wrong.row_pitch_bytes = 576;
  refuses({wrong});
  wrong = right;
  wrong.row_pitch_bytes = 64;  // which has no room for the columns
  refuses({wrong});
  wrong = right;
  refuses({{4, 2, 1024, 384, 256}});
  wrong.head_pitch_bytes = 2048;  // heads around pages
  refuses({wrong});
  wrong = right;
  wrong.page_pitch_bytes = 0;
  refuses({wrong});
  refuses({.array = right, .col = 4});
  CHECK_NOTHROW(dma::host::tensor_map(memory.data(), OfFloats{{8, 1, 128, 0, 0}}));  // pages that are rows
  // Of other rows than fours, or rows of odd lengths, a map has boxes.
  STATIC_REQUIRE(
      dma::detail::BoxListPattern<single_rows::Rows<float, dma::PagedShape{.cols = 32, .rows = 6, .box_rows = 1}>>);
  STATIC_REQUIRE(
      dma::detail::BoxListPattern<single_rows::Rows<float, dma::PagedShape{.cols = 36, .rows = 8, .box_rows = 1}>>);
  STATIC_REQUIRE(
      dma::detail::BoxListPattern<single_rows::Rows<float, dma::PagedShape{.cols = 32, .rows = 8, .box_rows = 2}>>);
}

TEST_CASE("single rows of pages are explained as rows of a list", "[single_rows]") {
  STATIC_REQUIRE(dma::explain<single_rows::Loads<OfFloats>::Pipe>().steps == 8);
  STATIC_REQUIRE(dma::explain<single_rows::Loads<OfPlanes>::Pipe>().steps == 80);
}
