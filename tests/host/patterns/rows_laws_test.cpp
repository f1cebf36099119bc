#include <dma/patterns/csr.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/paged.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/transpose.hpp>

#include "host/patterns/moved_bytes.hpp"
#include "host/patterns/strided_cases.hpp"

#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace moved_bytes;

namespace {

/// A pitch in shared memory that is known at run time: the widest that the rows leave room for, and others.
template <class T, int Cols, int Rows, int MaxPitchBytes, int Alignment>
void check_strided_at_pitch(auto& bench) {
  constexpr int size = sizeof(T);
  constexpr int tile_bytes = (Rows - 1) * MaxPitchBytes + Cols * size;
  constexpr int unit = std::max(Alignment, size);
  using Pattern = dma::Strided<T, Cols, Rows, dma::RowLayout{.alignment = Alignment, .max_pitch_bytes = MaxPitchBytes}>;
  static_assert(Pattern::tile_bytes == tile_bytes);
  const long long pitch = (Cols * size + Alignment - 1) / Alignment * Alignment + 3 * Alignment;
  for (const int rows : {0, 1, 2, Rows / 2, Rows}) {
    for (const int cols : {0, 1, Cols / 2, Cols}) {
      const int widest = rows > 1 ? (tile_bytes - cols * size) / (rows - 1) / unit * unit : 7 * MaxPitchBytes;
      const int closest = (cols * size + unit - 1) / unit * unit;
      for (const int shared_pitch : {closest, closest + unit, MaxPitchBytes, widest}) {
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          expected.element(row * pitch, row * shared_pitch, cols * size);
        }
        const Pattern pattern{pitch, rows, cols, shared_pitch};
        REQUIRE(pattern.is_valid() == (shared_pitch <= widest));
        if (pattern.is_valid()) {
          REQUIRE(pattern.index(2, 1) == 2 * (shared_pitch / size) + 1);
          bench.check(pattern, 1, expected);
        }
      }
      REQUIRE(!Pattern{pitch, rows, cols, closest - unit}.is_valid());
      REQUIRE((rows < 2 || !Pattern{pitch, rows, cols, widest + unit}.is_valid()));
    }
  }
}

template <class T, int Cols, int Rows, class Index>
void check_indirect(auto& bench) {
  constexpr int size = sizeof(T);
  using Pattern = dma::Indirect<T, Cols, Rows, dma::IndexedRows<Index>{.layout = {.pitch_bytes = (Cols + 4) * size}}>;
  constexpr long long table_rows = 3 * Rows + 5;
  for (const long long pitch : {1LL * Cols * size, (Cols + 4LL) * size}) {
    for (int rows = 0; rows <= Rows; ++rows) {
      for (const int stride : {1, 2, 7}) {
        std::vector<Index> indices;
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          // All different where the stride does not divide the table's rows, so that a scatter has one answer.
          indices.push_back(static_cast<Index>((row * stride + 3) % table_rows));
          expected.element(static_cast<long long>(indices.back()) * pitch, row * (Cols + 4) * size, Cols * size);
        }
        bench.check(Pattern{indices.data(), table_rows, pitch, rows}, 1, expected);
      }
    }
  }
}

/// A gather whose pitch in shared memory is known at run time.
template <class T, int Cols, int Rows, int MaxPitchBytes, int Alignment>
void check_indirect_at_pitch(auto& bench) {
  constexpr int size = sizeof(T);
  constexpr int pitch = (Cols * size + Alignment - 1) / Alignment * Alignment;
  using Pattern =
      dma::Indirect<T, Cols, Rows, dma::RowLayout{.alignment = Alignment, .max_pitch_bytes = MaxPitchBytes}>;
  std::vector<int> indices;
  for (int row = 0; row < Rows; ++row) {
    indices.push_back((row * 7 + 3) % (3 * Rows + 1));
  }
  for (int shared_pitch = pitch; shared_pitch <= MaxPitchBytes; shared_pitch += std::max(Alignment, size)) {
    for (const int rows : {Rows / 3, Rows}) {
      for (const int cols : {Cols / 2, Cols}) {
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          expected.element(static_cast<long long>(indices[static_cast<std::size_t>(row)]) * pitch, row * shared_pitch,
                           cols * size);
        }
        const Pattern pattern{indices.data(), 3 * Rows + 1, pitch, rows, cols, shared_pitch};
        REQUIRE(pattern.is_valid());
        REQUIRE(pattern.index(3, 1) == 3 * (shared_pitch / size) + 1);
        bench.check(pattern, 1, expected);
      }
    }
  }
  REQUIRE(!Pattern{.shared_pitch_bytes = MaxPitchBytes + Alignment}.is_valid());
}

/// Rows whose length is known at run time, of a table whose rows begin on 16 bytes.
template <class T, int Cols, int Rows>
void check_indirect_of_any_length(auto& bench) {
  constexpr int size = sizeof(T);
  using Pattern = dma::Indirect<T, Cols, Rows, dma::RowLayout{.alignment = 16}>;
  constexpr int pitch = (Cols * size + 15) / 16 * 16;
  std::vector<int> indices;
  for (int row = 0; row < Rows; ++row) {
    indices.push_back((row * 7 + 3) % (3 * Rows + 1));
  }
  for (int cols = 0; cols <= Cols; ++cols) {
    Expectation expected;
    for (int row = 0; row < Rows; ++row) {
      expected.element(static_cast<long long>(indices[static_cast<std::size_t>(row)]) * pitch, row * pitch,
                       cols * size);
    }
    bench.check(Pattern{.indices = indices.data(), .table_rows = 3 * Rows + 1, .pitch_bytes = pitch, .cols = cols}, 1,
                expected);
  }
}

/// Rows of 0 to 2 * Cols elements, in any order, from column `col` on.
template <class T, int Cols, int Rows, class Index, int Unit>
void check_csr(auto& bench) {
  constexpr int size = sizeof(T);
  using Pattern = dma::Csr<T, Cols, Rows, dma::IndexedRows<Index>{.layout = {.alignment = Unit * size}}>;
  constexpr int pitch = (Cols + Unit - 1) / Unit * Unit * size;
  constexpr int table_rows = 3 * Rows + 1;
  // Each row begins on a multiple of `Unit` elements.
  std::vector<Index> offsets{0};
  for (int row = 0; row < table_rows; ++row) {
    offsets.push_back(offsets.back() + static_cast<Index>(row * 7 % (2 * Cols / Unit) * Unit));
  }
  std::vector<Index> indices;
  for (int row = 0; row < Rows; ++row) {
    indices.push_back(static_cast<Index>((row * 7 + 3) % table_rows));
  }
  for (int rows = 0; rows <= Rows; ++rows) {
    for (const int col : {0, Cols / Unit * Unit, Unit}) {
      for (const bool is_gather : {false, true}) {
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          const auto named = is_gather ? static_cast<std::size_t>(indices[static_cast<std::size_t>(row)])
                                       : static_cast<std::size_t>(row + 1);
          for (long long i = offsets[named] + col; i < offsets[named + 1] && i < offsets[named] + col + Cols; ++i) {
            expected.element(i * size, row * pitch + static_cast<int>(i - offsets[named] - col) * size, size);
          }
        }
        bench.check(Pattern{.offsets = offsets.data() + (is_gather ? 0 : 1),
                            .table_rows = table_rows - (is_gather ? 0 : 1),
                            .indices = is_gather ? indices.data() : nullptr,
                            .rows = rows,
                            .col = col},
                    1, expected);
      }
    }
  }
}

template <class T, int Cols, int Rows>
void check_transpose(auto& bench) {
  constexpr int size = sizeof(T);
  constexpr int column_bytes = (Rows % 2 == 0 ? Rows + 1 : Rows) * size;
  for (const long long pitch : {1LL * Cols * size, (Cols + 5LL) * size}) {
    for (int rows = 0; rows <= Rows; ++rows) {
      for (int cols = 0; cols <= Cols; ++cols) {
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          for (int col = 0; col < cols; ++col) {
            expected.element(row * pitch + col * size, col * column_bytes + row * size, size);
          }
        }
        bench.check(dma::Transpose<T, Cols, Rows>{pitch, rows, cols}, 1, expected);
      }
    }
  }
}

/// Row r of a sequence at column c of plane p, by the list; rows behind the last are zeros. By `TensorCopy` as well
/// where a tensor map describes the boxes.
template <class T, int Cols, int Rows, int BoxRows, int Planes, class Index, dma::Swizzle swizzle>
void check_paged(auto& bench) {
  constexpr int size = sizeof(T);
  using Pattern = dma::Paged<T, dma::PagedShape{.cols = Cols, .rows = Rows, .box_rows = BoxRows, .planes = Planes},
                             dma::IndexedRows<Index>{.layout = {.swizzle = swizzle}}>;
  for (const int page_rows : {BoxRows, 2 * BoxRows, 3 * BoxRows}) {
    for (const bool rows_first : {true, false}) {
      const long long row_pitch = (Planes + 1) * Cols * size * (rows_first ? 2 : 1);
      const long long head_pitch = rows_first ? row_pitch / 2 : page_rows * row_pitch;
      const long long page_pitch = 2 * (Planes + 1) * Cols * size * page_rows + 4LL * Cols * size;
      const dma::PageArray array{23, page_rows, page_pitch, head_pitch, row_pitch};
      for (const int rows : {1, BoxRows - 1, Rows, Rows + BoxRows + 1, 2 * Rows + 3}) {
        std::vector<Index> list;
        for (int page = 0; page * page_rows < rows; ++page) {
          list.push_back(static_cast<Index>((page * 7 + 3) % 23));
        }
        const std::vector<Index> exact(list);  // so that a sanitizer sees what is read behind its end
        for (int row = 0; row < rows + Rows; row += BoxRows) {
          const int head = row / BoxRows % 2;
          const int col = row / BoxRows % 3 == 0 ? Cols : 0;
          Expectation expected;
          for (int p = 0; p < Planes; ++p) {
            for (int r = 0; r < Rows; ++r) {
              for (int c = 0; c < Cols; ++c) {
                const int shared = Pattern::index(p, r, c) * size;
                const int at = row + r;
                if (at < rows) {
                  const int page = static_cast<int>(exact[static_cast<std::size_t>(at / page_rows)]);
                  expected.element(
                      page * page_pitch + head * head_pitch + at % page_rows * row_pitch + (col + p * Cols + c) * size,
                      shared, size);
                } else {
                  expected.fill(shared, T{});
                }
              }
            }
          }
          const Pattern pattern{array, exact.data(), rows, row, head, col};
          REQUIRE(pattern.is_valid());
          REQUIRE(pattern.is_full() == expected.fills.empty());
          bench.check(pattern, 1, expected);
          if constexpr (dma::detail::has_hardware_boxes<Pattern>) {
            // Boxes behind the last row are filled by threads.
            const int boxes = std::min(Rows / BoxRows, std::max(0, (rows - row + BoxRows - 1) / BoxRows));
            REQUIRE(bench.loads_by_map(pattern, expected, boxes * BoxRows * Cols * size * Planes));
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("rows that end between two multiples of their alignment arrive and leave whole", "[laws]") {
  Benches benches(300 * 1024);
  check_strided<float, 183, 5, 736, 16>(benches.one);
  check_strided<float, 5, 40, 32, 16>(benches.three);
  check_strided<float, 3, 100, 16, 16>(benches.one);  // all of a row is tail
  check_strided<float, 7, 70, 32, 8>(benches.eight);
  check_strided<double, 3, 40, 32, 16>(benches.eight);
  check_strided<std::uint8_t, 13, 30, 16, 16>(benches.three);
  check_strided<std::uint8_t, 31, 20, 32, 16>(benches.one);
  check_strided<std::uint16_t, 29, 12, 64, 16>(benches.eight);
  check_strided<std::uint8_t, 7, 40, 8, 4>(benches.one);
  check_strided<Vector3, 5, 20, 96, 16>(benches.three);
  REQUIRE(benches.cases() >= 50'000);
}

TEST_CASE("rows arrive and leave at a pitch that is known at run time, within the bound of the type", "[laws]") {
  Benches benches(300 * 1024);
  check_strided_at_pitch<float, 32, 16, 144, 16>(benches.one);
  check_strided_at_pitch<float, 33, 40, 144, 4>(benches.three);
  check_strided_at_pitch<float, 183, 9, 800, 16>(benches.eight);
  check_strided_at_pitch<std::uint8_t, 7, 64, 19, 1>(benches.three);
  check_strided_at_pitch<Vector3, 5, 20, 96, 4>(benches.one);
  check_strided_at_pitch<double, 64, 12, 640, 16>(benches.eight);
  REQUIRE(benches.cases() >= 3'000);
  check_indirect_at_pitch<float, 21, 40, 112, 16>(benches.three);
  check_indirect_at_pitch<float, 33, 24, 160, 4>(benches.eight);
  check_indirect_at_pitch<std::uint8_t, 7, 38, 19, 1>(benches.one);
  REQUIRE(benches.cases() >= 3'500);
}

TEST_CASE("gathers load the rows that the indices name, scatters store them", "[laws]") {
  Benches benches(512 * 1024);
  check_indirect<std::uint8_t, 5, 64, int>(benches.one);
  check_indirect<std::uint16_t, 9, 64, unsigned>(benches.three);
  check_indirect<float, 4, 64, std::int64_t>(benches.three);
  check_indirect<float, 32, 64, std::uint32_t>(benches.eight);
  check_indirect<Rgb, 7, 64, int>(benches.one);
  check_indirect<double, 16, 64, std::uint64_t>(benches.three);
  check_indirect<Vector3, 5, 64, int>(benches.eight);
  check_indirect<Quad, 2, 64, int>(benches.one);
  check_indirect<Block<48>, 3, 64, std::int64_t>(benches.three);
  check_indirect<Block<100>, 2, 64, int>(benches.eight);
  check_indirect<Block<256>, 1, 64, int>(benches.one);
  check_indirect<Block<1000>, 1, 20, int>(benches.three);
  check_indirect<Block<4096>, 1, 6, int>(benches.eight);
  REQUIRE(benches.cases() >= at_least::indirect);
}

TEST_CASE("rows of a gather have any length", "[laws]") {
  Benches benches(128 * 1024);
  check_indirect_of_any_length<float, 37, 40>(benches.one);
  check_indirect_of_any_length<std::uint8_t, 75, 33>(benches.three);
  check_indirect_of_any_length<double, 5, 70>(benches.eight);
  REQUIRE(benches.cases() >= 1'000);
}

TEST_CASE("compressed sparse rows arrive and leave whole, whatever their lengths", "[laws]") {
  Benches benches(256 * 1024);
  check_csr<float, 21, 40, int, 1>(benches.one);
  check_csr<std::uint16_t, 30, 40, unsigned, 1>(benches.three);
  check_csr<float, 22, 36, std::int64_t, 4>(benches.eight);
  check_csr<double, 9, 33, int, 2>(benches.one);
  // Rows that 32 and 16 lanes of a warp move together, where they are 4 and 8 above.
  check_csr<float, 133, 38, int, 1>(benches.three);
  check_csr<std::uint8_t, 50, 35, int, 1>(benches.eight);
  REQUIRE(benches.cases() >= 10'800);
}

TEST_CASE("a transposed block arrives with its columns as rows", "[laws]") {
  Benches benches(64 * 1024);
  check_transpose<float, 16, 16>(benches.one);
  check_transpose<float, 32, 32>(benches.three);
  check_transpose<std::uint8_t, 13, 10>(benches.eight);
  check_transpose<std::uint16_t, 20, 7>(benches.one);
  check_transpose<double, 9, 16>(benches.three);
  check_transpose<Rgb, 5, 8>(benches.eight);
  check_transpose<Vector3, 6, 9>(benches.one);
  check_transpose<Block<48>, 5, 5>(benches.three);
  check_transpose<Block<1000>, 2, 3>(benches.eight);
  REQUIRE(benches.cases() >= at_least::transpose);
}

TEST_CASE("rows of a sequence in pages arrive in order, and zeros behind the last", "[laws]") {
  Benches benches(512 * 1024);
  check_paged<float, 5, 6, 2, 1, int, dma::Swizzle::none>(benches.one);
  check_paged<std::uint16_t, 64, 16, 8, 2, int, dma::Swizzle::bytes_128>(benches.three);
  check_paged<std::uint16_t, 64, 24, 8, 1, std::int64_t, dma::Swizzle::bytes_128>(benches.eight);
  check_paged<std::uint8_t, 64, 32, 32, 2, unsigned, dma::Swizzle::none>(benches.one);
  REQUIRE(benches.cases() >= 5'000);
  STATIC_REQUIRE_FALSE(
      dma::detail::has_hardware_boxes<dma::Paged<float, dma::PagedShape{.cols = 5, .rows = 6, .box_rows = 2}>>);
  STATIC_REQUIRE_FALSE(
      dma::detail::has_hardware_boxes<dma::Paged<std::uint16_t, dma::PagedShape{.cols = 64, .rows = 16, .box_rows = 4},
                                                 dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>>);

  constexpr int list[] = {0, 4};
  const dma::Paged<float, dma::PagedShape{.cols = 4, .rows = 8, .box_rows = 4}> tile{.array = {4, 4, 64, 0, 16},
                                                                                     .pages = list};
  REQUIRE_THROWS_WITH(tile.run_at(7), Catch::Matchers::ContainsSubstring("names a page that is not there"));
  auto with_heads_around_pages = tile;
  with_heads_around_pages.array = {4, 4, 64, 256, 16};
  REQUIRE_THROWS_WITH(with_heads_around_pages.box(),
                      Catch::Matchers::ContainsSubstring("heads and rows have to be within pages"));
  with_heads_around_pages.array.page_pitch_bytes = 256;
  REQUIRE_NOTHROW(with_heads_around_pages.box());
  REQUIRE_FALSE(
      dma::Paged<float, dma::PagedShape{.cols = 4, .rows = 8, .box_rows = 4}>{.array = {4, 6, 96, 0, 16}}.is_valid());
  REQUIRE_FALSE(dma::Paged<float, dma::PagedShape{.cols = 4, .rows = 8, .box_rows = 4}>{.row = 2}.is_valid());
  REQUIRE_FALSE(dma::Paged<float, dma::PagedShape{.cols = 4, .rows = 8, .box_rows = 4}>{.col = 1}.is_valid());
  REQUIRE_FALSE(
      dma::Paged<float, dma::PagedShape{.cols = 4, .rows = 8, .box_rows = 4}>{.array = {4, 4, 72, 0, 16}}.is_valid());
}
