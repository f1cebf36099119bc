// Rows that a list names, by tensor maps: four at a time.

#include "kernels/row_lists.hpp"

#include <dma/dma.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

using row_lists::number;
using row_lists::table_rows;

/// Lists of rows of the table, among them rows that are not there.
template <class Index>
std::vector<Index> list_of(int rows, bool has_absent) {
  std::vector<Index> list;
  for (int i = 0; i < rows; ++i) {
    const bool is_absent = has_absent && i % 5 == 3;
    list.push_back(!is_absent ? static_cast<Index>(i * 29 % table_rows)
                              : static_cast<Index>(i % 2 == 0 ? -1 - i % 8 : table_rows + i % 8));
  }
  return list;
}

/// Loads the first `rows` of a list in tiles, and compares them with the numbers of their rows in the table.
template <class Kernel>
int count_wrong_loads(int rows, bool has_absent, bool is_proved) {
  using Tile = typename Kernel::Tile;
  using Element = typename Tile::Element;
  constexpr int cols = Tile::Tile::cols;
  const auto list = list_of<typename Tile::Index>(rows, has_absent);
  constexpr int chunk = 16 / static_cast<int>(sizeof(Element));
  for (const int width : {cols, Tile::Tile::is_swizzled ? cols - chunk : cols - 5}) {
    row_lists::Table<Element> table(cols + 16);
    const Tile tile{
        .indices = list.data(), .table_rows = table_rows, .pitch_bytes = table.pitch_bytes(), .cols = width};
    const auto map = dma::host::tensor_map(table.rows(), tile);
    std::vector<Element> out(static_cast<std::size_t>(rows * cols), Element{99});
    if (is_proved) {
      CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(table.rows(), table.size()),
                                               dma::proof::input(list.data(), list.size())},
                                    .outputs = {dma::proof::output(out.data(), out.size())}},
                                   Kernel{}, {1}, map, tile, rows, out.data()),
                 dma::proof::IsProved());
    }
    dma::host::launch(Kernel{}, {1}, map, tile, rows, out.data());
    for (int i = 0; i < rows * cols; ++i) {
      const long long row = static_cast<long long>(list[static_cast<std::size_t>(i / cols)]);
      const bool is_there = row >= 0 && row < table_rows && i % cols < width;
      const Element expected = is_there ? number<Element>(static_cast<int>(row), i % cols) : Element{0};
      if (out[static_cast<std::size_t>(i)] != expected) {
        return i + 1;
      }
    }
  }
  return 0;
}

/// A warp stores rows, and then writes the last elements of the fourth and the eighth.
struct Overwrites {
  using Tile = row_lists::Listed<float, 32, 8>;
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    alignas(128) float tile[256];
  };

  void operator()(dma::KernelCta<Overwrites>& cta, const dma::TensorMap<Tile>& map, Tile tile, bool waits) const {
    auto& shared = cta.shared<Shared>();
    auto* const bytes = reinterpret_cast<unsigned char*>(shared.tile);
    dma::machine::touched(shared.tile + cta.lane() * 8, 32, dma::machine::Access::write);
    for (int i = 0; i < 8; ++i) {
      shared.tile[cta.lane() * 8 + i] = static_cast<float>(i);
    }
    dma::machine::fence_async_proxy();
    cta.sync_warp();
    const int own = dma::detail::own_row(tile, cta.thread());
    dma::detail::store_row_list<dma::CacheHints{}>(bytes, map.descriptors[0], tile, 0, own, cta.thread(),
                                                   cta.thread() == 0);
    if (cta.thread() == 0) {
      dma::machine::commit_bulk_group();
      if (waits) {
        dma::machine::wait_for_bulk_reads<0>();
      }
      for (const int last : {127, 255}) {
        dma::machine::touched(shared.tile + last, 4, dma::machine::Access::write);
        shared.tile[last] = 0;
      }
      dma::machine::wait_for_bulk_groups();
    }
  }
};

/// Stores the numbers of rows from row 100 on where a list names them, and compares the whole table.
template <class Kernel>
int count_wrong_stores(int rows) {
  using Tile = typename Kernel::Tile;
  using Element = typename Tile::Element;
  constexpr int cols = Tile::Tile::cols;
  auto list = list_of<typename Tile::Index>(rows, false);
  list.resize(list.size() + 8, table_rows - 1);  // whose numbers behind the last row are not read
  row_lists::Table<Element> table(cols + 16);
  auto expected = table;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    for (int c = 0; c < cols; ++c) {
      expected.rows()[static_cast<int>(list[i]) * table.pitch + c] = number<Element>(100 + static_cast<int>(i), c);
    }
  }
  const Tile tile{.indices = list.data(), .table_rows = table_rows, .pitch_bytes = table.pitch_bytes()};
  const auto map = dma::host::tensor_map(table.rows(), tile);
  CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(list.data(), list.size())},
                                .outputs = {dma::proof::output(table.rows(), table.size())}},
                               Kernel{}, {1}, map, tile, rows),
             dma::proof::IsProved());
  dma::host::launch(Kernel{}, {1}, map, tile, rows);
  int wrong = 0;
  for (std::size_t i = 0; i < table.memory.size(); ++i) {
    wrong += table.memory[i] == expected.memory[i] ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("rows that a list names arrive in its order, and zeros for those outside the table", "[row_lists]") {
  for (const int rows : {0, 1, 3, 4, 5, 8, 13, 40, 71, 72, 150}) {
    INFO(rows);
    CHECK(count_wrong_loads<row_lists::Gathers<float, 32, 8>>(rows, true, false) == 0);
    CHECK(count_wrong_loads<row_lists::Gathers<double, 20, 36>>(rows, true, false) == 0);
    CHECK(count_wrong_loads<row_lists::Gathers<std::uint16_t, 64, 72, std::int64_t, dma::Swizzle::bytes_128>>(
              rows, true, false) == 0);
    CHECK(count_wrong_loads<row_lists::Gathers<std::uint8_t, 64, 4, unsigned, dma::Swizzle::bytes_64>>(rows, true,
                                                                                                       false) == 0);
  }
}

TEST_CASE("loads of rows that a list names are proved, and read what is there alone", "[row_lists]") {
  CHECK(count_wrong_loads<row_lists::Gathers<float, 32, 8>>(21, true, true) == 0);
  CHECK(count_wrong_loads<row_lists::Gathers<std::uint16_t, 64, 72, std::int64_t, dma::Swizzle::bytes_128>>(150, true,
                                                                                                            true) == 0);
}

TEST_CASE("a load of rows reads those of the array alone", "[row_lists]") {
  using Kernel = row_lists::Gathers<float, 32, 8>;
  row_lists::Table<float> table(32);
  const std::vector<int> list{3, 7, -1, 6, 61, 5};
  const Kernel::Tile tile{.indices = list.data(), .table_rows = table_rows};
  const auto map = dma::host::tensor_map(table.rows(), tile);
  std::vector<float> out(list.size() * 32);
  const auto judge = [&](std::size_t elements) {
    return dma::proof::prove(
        {.inputs = {dma::proof::input(table.rows(), elements), dma::proof::input(list.data(), list.size())},
         .outputs = {dma::proof::output(out.data(), out.size())}},
        Kernel{}, {1}, map, tile, 6, out.data());
  };
  CHECK_THAT(judge(8 * 32), dma::proof::IsProved());
  CHECK_THAT(judge(8 * 32 - 1), dma::proof::FailsBy(dma::proof::FindingKind::out_of_bounds));
  CHECK_THAT(judge(7 * 32), dma::proof::FailsBy(dma::proof::FindingKind::out_of_bounds));
}

TEST_CASE("rows are stored where a list names them, and no others are written", "[row_lists]") {
  for (const int rows : {0, 1, 4, 7, 8, 19, 61}) {
    INFO(rows);
    CHECK(count_wrong_stores<row_lists::Scatters<float, 32, 8>>(rows) == 0);
    CHECK(count_wrong_stores<row_lists::Scatters<std::uint16_t, 64, 40, std::int64_t, dma::Swizzle::bytes_128>>(rows) ==
          0);
  }
}

TEST_CASE("rows that are too long for a box move in stretches of columns", "[row_lists]") {
  using Kernel = row_lists::MovesHalves;
  constexpr int rows = 21;
  row_lists::Table<float> from(64);
  row_lists::Table<float> to(64);
  auto expected = to;
  std::vector<int> from_list;
  std::vector<int> to_list;
  for (int i = 0; i < rows; ++i) {
    from_list.push_back(i * 29 % table_rows);
    to_list.push_back(i * 13 % table_rows);
  }
  const auto half = [](const std::vector<int>& list) {
    return Kernel::Half{.indices = list.data(), .table_rows = table_rows, .pitch_bytes = 256};
  };
  const auto map = [&](const float* table, const Kernel::Half& part) {
    return dma::host::tensor_map<Kernel::Tile>(dma::TensorArray{table, part}, dma::TensorArray{table + 32, part});
  };
  const Kernel::Half in = half(from_list);
  const Kernel::Half out = half(to_list);
  CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(from.rows(), from.size()),
                                           dma::proof::input(from_list.data(), from_list.size()),
                                           dma::proof::input(to_list.data(), to_list.size())},
                                .outputs = {dma::proof::output(to.rows(), to.size())}},
                               Kernel{}, {1}, map(from.rows(), in), map(to.rows(), out), in, out, rows),
             dma::proof::IsProved());
  dma::host::launch(Kernel{}, {1}, map(from.rows(), in), map(to.rows(), out), in, out, rows);
  for (int i = 0; i < rows * 64; ++i) {
    expected.rows()[i / 64 * 13 % table_rows * 64 + i % 64] = number<float>(i / 64 * 29 % table_rows, i % 64);
  }
  CHECK(to.memory == expected.memory);
}

TEST_CASE("a row that is stored has to be in the table", "[row_lists]") {
  using Kernel = row_lists::Scatters<float, 32, 8>;
  row_lists::Table<float> table(32);
  for (const int absent : {-1, table_rows}) {
    const int list[] = {0, 1, 2, absent, 3};
    const Kernel::Tile tile{.indices = list, .table_rows = table_rows};
    CHECK_THROWS_WITH(dma::host::launch(Kernel{}, {1}, dma::host::tensor_map(table.rows(), tile), tile, 5),
                      ContainsSubstring("position 3"));
    CHECK_NOTHROW(dma::host::launch(Kernel{}, {1}, dma::host::tensor_map(table.rows(), tile), tile, 3));
  }
}

TEST_CASE("rows that are stored are read until the store is waited for", "[row_lists]") {
  row_lists::Table<float> table(32);
  constexpr int list[] = {5, 3, 1, 0, 8, 9, 2, 7};
  for (const int rows : {4, 8}) {
    const Overwrites::Tile tile{.indices = list, .table_rows = table_rows, .rows = rows};
    const auto map = dma::host::tensor_map(table.rows(), tile);
    const auto judge = [&](bool waits) {
      return dma::proof::prove({.outputs = {dma::proof::output(table.rows(), table.size())}}, Overwrites{}, {1}, map,
                               tile, waits);
    };
    CHECK_THAT(judge(true), dma::proof::IsProved());
    CHECK_THAT(judge(false), dma::proof::FailsBy(dma::proof::FindingKind::unfinished_copy));
  }
}

TEST_CASE("a number of 64 bits that is no int names no row", "[row_lists]") {
  using Tile = row_lists::Listed<float, 32, 8, long long>;
  constexpr long long list[] = {3, (1LL << 32) + 3, -(1LL << 32), -1, 1LL << 31};
  const Tile tile{.indices = list, .table_rows = 61, .rows = 5};
  CHECK(tile.table_row(0) == 3);
  CHECK((tile.table_row(1) == -1 && tile.table_row(2) == -1 && tile.table_row(3) == -1));
  CHECK((tile.table_row(4) == -1 && tile.table_row(5) == 61));
}

TEST_CASE("which lists of rows a tensor map describes", "[row_lists]") {
  STATIC_REQUIRE(dma::detail::has_hardware_boxes<row_lists::Listed<float, 8, 4>>);
  STATIC_REQUIRE_FALSE(dma::detail::has_hardware_boxes<row_lists::Listed<float, 12, 4>>);  // fours of 192 bytes
  STATIC_REQUIRE_FALSE(dma::detail::has_hardware_boxes<row_lists::Listed<float, 8, 6>>);
  STATIC_REQUIRE_FALSE(dma::detail::has_hardware_boxes<row_lists::Listed<float, 264, 4>>);
  STATIC_REQUIRE_FALSE(dma::detail::has_hardware_boxes<dma::Indirect<float, 8, 4, dma::RowLayout{.pitch_bytes = 64}>>);
  STATIC_REQUIRE_FALSE(dma::detail::has_hardware_boxes<row_lists::Listed<float, 64, 4, int, dma::Swizzle::bytes_128>>);
  const row_lists::Listed<float, 8, 4> tile{};
  const float table[32] = {};
  const auto map = dma::host::tensor_map(table, tile, dma::OutsideArray::nan);
  CHECK_THROWS_WITH(dma::detail::described_array(map.descriptors[0], tile), ContainsSubstring("fill is not the map's"));
}
