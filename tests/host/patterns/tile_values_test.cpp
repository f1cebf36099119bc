#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/concat.hpp>
#include <dma/patterns/csr.hpp>
#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/halo3d.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/repeat.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/tile3d.hpp>
#include <dma/patterns/transpose.hpp>
#include <dma/patterns/update.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <type_traits>

/// What values of patterns say of themselves beside their runs: their size, whether they are valid, where an element
/// is. Everything is asked at run time, with numbers that are written out.

namespace {

struct Vector3 {
  float x, y, z;
};

constexpr dma::RowLayout on_16{.alignment = 16};
constexpr dma::RowLayout swizzled{.swizzle = dma::Swizzle::bytes_128};

}  // namespace

TEST_CASE("a tile has the size of its elements, those of its padding among them", "[patterns]") {
  REQUIRE(dma::Sequential<float, 9>{4}.size() == 4);
  REQUIRE(dma::Strided<float, 5, 3>{20, 2, 4}.size() == 8);
  REQUIRE(dma::Strided<float, 5, 3, dma::RowLayout{.max_pitch_bytes = 20}>{20, 2, 4}.size() == 8);
  REQUIRE(dma::Transpose<float, 5, 3>{20, 2, 4}.size() == 8);
  REQUIRE(dma::Indirect<float, 5, 3>{nullptr, 3, 20, 2, 4}.size() == 8);
  REQUIRE(dma::Csr<float, 5, 3>{.rows = 2}.size() == 10);
  REQUIRE(dma::Tile2D<float, 5, 3>{20, 9, 9, -1, -1}.size() == 15);
  REQUIRE(dma::Tile3D<float, dma::TileShape{.cols = 5, .rows = 3, .planes = 2}>{}.size() == 30);
  REQUIRE(dma::Halo2D<float, dma::HaloShape{.cols = 5, .rows = 3, .radius = 2}>{}.size() == 9 * 7);
  REQUIRE(dma::Halo3D<float, dma::HaloShape{.cols = 5, .rows = 3, .planes = 2, .radius = 1}>{}.size() == 7 * 5 * 4);
  REQUIRE(dma::Repeat<dma::Sequential<float, 9>, 5>{{4}, 36, 3}.size() == 12);
  REQUIRE(dma::Concat{dma::Sequential<float, 9>{4}, dma::Strided<float, 5, 3>{20, 2, 4}}.size() == 12);
}

TEST_CASE("the next tile has what is left, and no more than a full one", "[patterns]") {
  using Tile = dma::Sequential<double, 7>;
  for (int left = 0; left <= 20; ++left) {
    const int expected = left > 7 ? 7 : left;
    REQUIRE(Tile::up_to(left).elements == expected);
    REQUIRE(Tile::up_to(static_cast<std::size_t>(left)).elements == expected);
    REQUIRE(dma::Strided<float, 5, 7>::rows_up_to(left) == expected);
    REQUIRE(dma::Strided<float, 5, 7, dma::RowLayout{.max_pitch_bytes = 20}>::rows_up_to(left) == expected);
    REQUIRE(dma::Indirect<float, 5, 7>::rows_up_to(left) == expected);
    REQUIRE(dma::Csr<float, 5, 7>::rows_up_to(left) == expected);
  }
  constexpr long long many = 1LL << 32;  // 0 as an int
  static_assert(Tile::up_to(many).is_full() && Tile::up_to(many + 3).elements == 7 && !Tile::up_to(0LL).is_full());
}

TEST_CASE("bytes are rounded up, and have the widest access that divides them", "[patterns]") {
  for (int bytes = 0; bytes <= 40; ++bytes) {
    for (const int unit : {1, 4, 12, 16}) {
      const int rounded = dma::detail::round_up(bytes, unit);
      REQUIRE((rounded % unit == 0 && rounded >= bytes && rounded - unit < bytes));
    }
    int widest = 1;
    for (const int access : {2, 4, 8, 16}) {
      widest = bytes % access == 0 ? access : widest;
    }
    REQUIRE(dma::detail::natural_alignment(bytes) == widest);
  }
  REQUIRE(dma::detail::tile_alignment_of<dma::Strided<float, 32, 4>>() == 128);
  REQUIRE(dma::detail::tile_alignment_of<dma::Strided<float, 32, 4, swizzled>>() == 1024);
}

TEST_CASE("a box without a column in its array has no run, and need not be aligned", "[patterns]") {
  REQUIRE(dma::Tile2D<float, 8, 4, on_16>{64, 10, 16, 0, 16}.run_count() == 0);
  REQUIRE(dma::Tile2D<float, 8, 4, on_16>{64, 10, 16, 0, 101}.is_valid());
  REQUIRE(dma::Tile2D<float, 8, 4, on_16>{64, 10, 16, 10, 1}.is_valid());
  REQUIRE(dma::Tile3D<float, dma::TileShape{.cols = 8, .rows = 4, .planes = 2}, on_16>{64, 640, 3, 10, 16, 0, 0, 16}
              .run_count() == 0);
  REQUIRE(dma::Tile3D<float, dma::TileShape{.cols = 8, .rows = 4, .planes = 2}, on_16>{64, 640, 3, 10, 16, 3, 0, 1}
              .is_valid());
}

TEST_CASE("rows of a box may be more than 2 GiB from its array's begin", "[patterns]") {
  const long long pitch = 1LL << 30;
  REQUIRE(dma::Tile2D<float, 4, 2>{pitch, 100, 4, 50, 0}.run_at(1) == dma::Run{51 * pitch, 16, 16});
  REQUIRE(dma::Strided<float, 4, 8>{pitch}.run_at(7) == dma::Run{7 * pitch, 112, 16});
}

TEST_CASE("a box is valid where its runs are aligned", "[patterns]") {
  using Box = dma::Tile2D<float, 8, 4, on_16>;
  REQUIRE(Box{64, 10, 16, -2, -4}.is_valid());
  REQUIRE_FALSE(Box{72, 10, 16, 0, 0}.is_valid());  // the pitch
  REQUIRE_FALSE(Box{64, -1, 16, 0, 0}.is_valid());
  REQUIRE_FALSE(Box{64, 10, -1, 0, 0}.is_valid());
  REQUIRE_FALSE(Box{64, 10, 16, 0, 2}.is_valid());   // where runs begin
  REQUIRE_FALSE(Box{64, 10, 16, 0, -2}.is_valid());  // the same, cut
  REQUIRE_FALSE(Box{64, 10, 14, 0, 8}.is_valid());   // where they end
  REQUIRE(dma::Tile2D<float, 7, 4, on_16>{64, 10, 14, 0, 8}.is_valid());

  using Volume = dma::Tile3D<float, dma::TileShape{.cols = 8, .rows = 4, .planes = 2}, on_16>;
  REQUIRE(Volume{64, 640, 3, 10, 16, -1, -2, -4}.is_valid());
  REQUIRE_FALSE(Volume{72, 640, 3, 10, 16}.is_valid());
  REQUIRE_FALSE(Volume{64, 648, 3, 10, 16}.is_valid());
  REQUIRE_FALSE(Volume{64, 640, -1, 10, 16}.is_valid());
  REQUIRE_FALSE(Volume{64, 640, 3, -1, 16}.is_valid());
  REQUIRE_FALSE(Volume{64, 640, 3, 10, -1}.is_valid());
  REQUIRE_FALSE(Volume{64, 640, 3, 10, 16, 0, 0, 2}.is_valid());
  REQUIRE_FALSE(Volume{64, 640, 3, 10, 14, 0, 0, 8}.is_valid());
}

TEST_CASE("a block is valid where it is inside its tile and its rows are aligned", "[patterns]") {
  using Block = dma::Strided<float, 8, 4>;
  REQUIRE(Block{48, 4, 8}.is_valid());
  REQUIRE(Block{-48, 0, 0}.is_valid());
  REQUIRE_FALSE(Block{40, 2, 8}.is_valid());
  REQUIRE(Block{40, 1, 8}.is_valid());  // one row has no pitch
  REQUIRE_FALSE(Block{48, 5, 8}.is_valid());
  REQUIRE_FALSE(Block{48, -1, 8}.is_valid());
  REQUIRE_FALSE(Block{48, 4, 9}.is_valid());
  REQUIRE_FALSE(Block{48, 4, -1}.is_valid());
  REQUIRE(dma::Strided<float, 32, 4, swizzled>{128, 4, 28}.is_valid());
  REQUIRE_FALSE(dma::Strided<float, 32, 4, swizzled>{128, 4, 30}.is_valid());

  // Its tile has 3 * 48 + 32 bytes.
  using Bounded = dma::Strided<float, 8, 4, dma::RowLayout{.alignment = 16, .max_pitch_bytes = 48}>;
  REQUIRE(Bounded{48, 4, 8, 32}.is_valid());
  REQUIRE_FALSE(Bounded{48, 5, 8, 32}.is_valid());
  REQUIRE_FALSE(Bounded{48, -1, 8, 32}.is_valid());
  REQUIRE_FALSE(Bounded{48, 2, 12, 48}.is_valid());
  REQUIRE_FALSE(Bounded{48, 4, -4, 32}.is_valid());
  REQUIRE_FALSE(Bounded{48, 2, 4, 40}.is_valid());
  REQUIRE_FALSE(Bounded{48, 2, 8, 16}.is_valid());
  REQUIRE_FALSE(Bounded{40, 2, 8, 32}.is_valid());
  REQUIRE(Bounded{48, 1, 8, 160}.is_valid());
  REQUIRE(Bounded{48, 2, 8, 144}.is_valid());
  REQUIRE_FALSE(Bounded{48, 2, 8, 160}.is_valid());
  using Vectors = dma::Strided<Vector3, 4, 3, dma::RowLayout{.alignment = 4, .max_pitch_bytes = 60}>;
  REQUIRE(Vectors{48, 3, 4, 48}.is_valid());
  REQUIRE_FALSE(Vectors{48, 3, 4, 52}.is_valid());  // inside an element

  using Turned = dma::Transpose<float, 5, 3>;
  REQUIRE(Turned{24, 3, 5}.is_valid());
  REQUIRE_FALSE(Turned{22, 3, 5}.is_valid());
  REQUIRE_FALSE(Turned{24, 4, 5}.is_valid());
  REQUIRE_FALSE(Turned{24, 3, 6}.is_valid());
  REQUIRE_FALSE(Turned{24, -1, 5}.is_valid());
  REQUIRE_FALSE(Turned{24, 3, -1}.is_valid());

  using Line = dma::Sequential<float, 9>;
  REQUIRE(Line{0}.is_valid());
  REQUIRE(Line{9}.is_valid());
  REQUIRE_FALSE(Line{10}.is_valid());
  REQUIRE_FALSE(Line{-1}.is_valid());
}

TEST_CASE("a list names rows by ints, or by the integers that its rows say", "[patterns]") {
  using ByInts = dma::Indirect<float, 8, 4, dma::RowLayout{.alignment = 8}>;
  using ByLongs = dma::Indirect<float, 8, 4, dma::IndexedRows<long long>{.layout = {.alignment = 8}}>;
  STATIC_REQUIRE(std::is_same_v<decltype(ByInts::indices), const int*>);
  STATIC_REQUIRE(std::is_same_v<decltype(ByLongs::indices), const long long*>);
  STATIC_REQUIRE(ByInts::run_alignment == 8);
  STATIC_REQUIRE(ByLongs::run_alignment == 8);
  using Turned = dma::Indirect<float, 8, 4, dma::IndexedRows<unsigned>{.layout = {.max_pitch_bytes = 64}}>;
  STATIC_REQUIRE(std::is_same_v<decltype(Turned::indices), const unsigned*>);
  STATIC_REQUIRE(Turned{}.shared_pitch_bytes == 64);
}

TEST_CASE("rows of a Csr are aligned as elements where its layout names no alignment", "[patterns]") {
  STATIC_REQUIRE(dma::Csr<float, 8, 4>::run_alignment == 4);
  STATIC_REQUIRE(dma::Csr<float, 8, 4, dma::IndexedRows<long long>{}>::run_alignment == 4);
  STATIC_REQUIRE(dma::Csr<float, 8, 4, dma::RowLayout{.pitch_bytes = 48}>::run_alignment == 4);
  STATIC_REQUIRE(dma::Csr<float, 8, 4, dma::RowLayout{.alignment = 16}>::run_alignment == 16);
}

TEST_CASE("rows of a list are valid where they are inside their tile and aligned", "[patterns]") {
  using Gather = dma::Indirect<float, 8, 4>;
  const int rows[] = {2, 0, 9, 1};
  REQUIRE(Gather{rows, 10, 48}.is_valid());
  REQUIRE_FALSE(Gather{rows, 10, 40}.is_valid());
  REQUIRE_FALSE(Gather{rows, 10, 48, 5}.is_valid());
  REQUIRE_FALSE(Gather{rows, 10, 48, 4, 9}.is_valid());
  REQUIRE(Gather{rows, 10, 48}.run_at(2) == dma::Run{9 * 48, 64, 32});
  REQUIRE(Gather{nullptr, 10, 48}.run_at(2) == dma::Run{2 * 48, 64, 32});
  REQUIRE_THROWS_WITH((Gather{rows, 9, 48}.run_at(2)), Catch::Matchers::ContainsSubstring("position 2"));

  using Rows = dma::Csr<float, 8, 4, dma::RowLayout{.pitch_bytes = 48, .alignment = 16}>;
  const int offsets[] = {0, 3, 20, 20, 24};
  REQUIRE(Rows{offsets, 4}.is_valid());
  REQUIRE(Rows{.offsets = offsets, .table_rows = 4, .col = 8}.is_valid());
  REQUIRE_FALSE(Rows{.offsets = offsets, .table_rows = 4, .col = -8}.is_valid());
  REQUIRE_FALSE(Rows{.offsets = offsets, .table_rows = 4, .col = 2}.is_valid());
  REQUIRE_FALSE(Rows{.col = 8}.is_valid());
  REQUIRE_FALSE(Rows{.rows = 5}.is_valid());
  REQUIRE(Rows{}.run_at(2) == dma::Run{2 * 32, 96, 32});  // no list: rows of 8 elements, one after another
  REQUIRE(Rows{offsets, 4}.run_at(1) == dma::Run{3 * 4, 48, 32});
  REQUIRE(Rows{offsets, 4}.length(0) == 3);
  REQUIRE(Rows{offsets, 4}.length(1) == 8);  // of 17
  REQUIRE(Rows{offsets, 4}.length(2) == 0);
}

TEST_CASE("a composition is valid where all its parts are", "[patterns]") {
  using Both = dma::Concat<dma::Strided<float, 8, 4>, dma::Sequential<float, 5>>;
  REQUIRE(Both{{32, 4, 8}, {5}}.is_valid());
  REQUIRE_FALSE(Both{{32, 5, 8}, {5}}.is_valid());
  REQUIRE_FALSE(Both{{32, 4, 8}, {6}}.is_valid());
  REQUIRE_FALSE(Both{{32, 5, 8}, {6}}.is_valid());
  REQUIRE(dma::detail::source_alignment_of<Both>() == 16);
  REQUIRE(dma::detail::source_alignment_of<dma::Concat<dma::Sequential<float, 5>, dma::Strided<float, 8, 4>>>() == 16);

  using Copies = dma::Repeat<dma::Sequential<float, 4>, 3>;
  REQUIRE(Copies{{4}, 64, 3}.is_valid());
  REQUIRE(Copies{{3}, 64, 0}.is_valid());
  REQUIRE_FALSE(Copies{{3}, 64, 3}.is_valid());  // the second copy's run would begin between two multiples of 16
  REQUIRE_FALSE(Copies{{8}, 64, 3}.is_valid());
  REQUIRE_FALSE(Copies{{4}, 40, 2}.is_valid());
  REQUIRE(Copies{{4}, 40, 1}.is_valid());
  REQUIRE_FALSE(Copies{{4}, 64, 4}.is_valid());
  REQUIRE_FALSE(Copies{{4}, 64, -1}.is_valid());
}

TEST_CASE("a part of a composition is asked for its own runs only", "[patterns]") {
  using Both = dma::Concat<dma::Indirect<float, 8, 2>, dma::Sequential<float, 8>>;
  const int rows[] = {1, 0, 1'000'000};  // the third is none of the table
  REQUIRE(Both{{rows, 10, 32}, {8}}.run_at(1) == dma::Run{0, 32, 32});
  REQUIRE(Both{{rows, 10, 32}, {8}}.run_at(2) == dma::Run{0, 128, 32});
}

TEST_CASE("an element of a part, and of a copy, is counted from the tile's begin", "[patterns]") {
  using Both = dma::Concat<dma::Strided<float, 20, 9>, dma::Strided<float, 7, 4>>;  // 720 bytes, then from 768 on
  using Copies = dma::Repeat<dma::Sequential<float, 6>, 3>;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(Both::index_of<0>(i, 2) == 20 * i + 2);
    REQUIRE(Both::index_of<1>(i, 2) == 192 + 7 * i + 2);
    REQUIRE(Copies::index(i, 5) == 6 * i + 5);
  }
}

TEST_CASE("a partial tile is told from another of the same size by where its runs are", "[patterns]") {
  using Block = dma::Strided<float, 8, 4>;
  REQUIRE(dma::detail::hash_of_runs(Block{48}) == 0);
  REQUIRE(dma::detail::hash_of_runs(Block{64}) == 0);
  const auto three_rows = dma::detail::hash_of_runs(Block{48, 3, 8});
  REQUIRE(three_rows != 0);
  REQUIRE(three_rows == dma::detail::hash_of_runs(Block{64, 3, 8}));  // in memory runs may be anywhere
  REQUIRE(three_rows != dma::detail::hash_of_runs(Block{48, 4, 6}));
  REQUIRE(three_rows != dma::detail::hash_of_runs(Block{48, 2, 8}));
  REQUIRE(dma::detail::hash_of_runs(dma::Sequential<float, 9>{4}) !=
          dma::detail::hash_of_runs(dma::Sequential<float, 9>{5}));

  using Bounded = dma::Strided<float, 8, 4, dma::RowLayout{.alignment = 16, .max_pitch_bytes = 48}>;
  REQUIRE(dma::detail::hash_of_runs(Bounded{48, 4, 8, 32}) !=
          dma::detail::hash_of_runs(Bounded{48, 4, 8, 48}));  // both full
  REQUIRE(dma::detail::hash_of_runs(Bounded{48, 2, 8, 32}) !=
          dma::detail::hash_of_runs(Bounded{48, 2, 8, 48}));  // by their last run
}

TEST_CASE("a store and an update are the tile that they are made of", "[patterns]") {
  using Line = dma::Sequential<float, 9>;
  REQUIRE(dma::Store<Line>(Line{4}).elements == 4);
  REQUIRE(dma::StoreAdd<Line>(Line{4}).elements == 4);
  REQUIRE(dma::Update<Line>(Line{4}).elements == 4);
}
