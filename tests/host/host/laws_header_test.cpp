#include <dma/host/laws.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/transpose.hpp>

#include <catch2/catch_test_macros.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstring>
#include <string>

using Catch::Matchers::ContainsSubstring, Catch::Matchers::StartsWith;

namespace {

enum class Lie { none, leaves_tile, misaligned, overlaps, too_many, too_long, not_uniform };

/// Two runs of 8 bytes, with one law broken.
struct Liar {
  using Element = float;
  static constexpr int tile_bytes = 24;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 8;
  static constexpr int run_alignment = 4;
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true};

  Lie lie = Lie::none;
  [[nodiscard]] constexpr bool is_full() const { return false; }
  [[nodiscard]] constexpr int size() const { return 4; }
  [[nodiscard]] constexpr int run_count() const { return lie == Lie::too_many ? 3 : 2; }
  [[nodiscard]] constexpr dma::Run run_at(int run) const {
    const int last = run == 1 ? 1 : 0;
    return {run * 64,
            run * 8 + (lie == Lie::leaves_tile) * last * 12 + (lie == Lie::misaligned) * last * 2 -
                (lie == Lie::overlaps) * last * 4,
            8 + (lie == Lie::too_long) * 4 - (lie == Lie::not_uniform) * last * 4};
  }
};

/// One run of 8 bytes of a tile of 16, with a size that the tile may not have.
struct Sized {
  using Element = float;
  static constexpr int tile_bytes = 16;
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = 8;
  static constexpr int run_alignment = 4;

  int elements = 2;
  [[nodiscard]] constexpr bool is_full() const { return elements == 2; }
  [[nodiscard]] constexpr int size() const { return elements; }
  [[nodiscard]] constexpr int run_count() const { return 1; }
  [[nodiscard]] constexpr dma::Run run_at(int /*run*/) const { return {0, 0, 8}; }
};

/// 24 bytes as two runs, with transfers of its own, of which one may be wrong.
struct Mover {
  enum class Fault { none, forgets_a_byte, writes_beside, stores_nothing };

  using Element = unsigned char;
  static constexpr int tile_bytes = 32;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 16;
  static constexpr int run_alignment = 8;

  Fault fault = Fault::none;
  [[nodiscard]] constexpr bool is_full() const { return true; }
  [[nodiscard]] constexpr int size() const { return 24; }
  [[nodiscard]] constexpr int run_count() const { return 2; }
  [[nodiscard]] constexpr dma::Run run_at(int run) const { return {run * 64, run * 8, 8 + run * 8}; }

  template <int Threads>
  void load_tile(const unsigned char* source, unsigned char* tile, int thread) const {
    const int bytes = fault == Fault::forgets_a_byte ? 23 : fault == Fault::writes_beside ? 25 : 24;
    for (int i = thread; i < bytes; i += Threads) {
      tile[i] = source[i < 8 ? i : i + 56];
    }
  }
  template <int Threads>
  void store_tile(unsigned char* destination, const unsigned char* tile, int thread) const {
    for (int i = thread; i < (fault == Fault::stores_nothing ? 0 : 24); i += Threads) {
      destination[i < 8 ? i : i + 56] = tile[i];
    }
  }
};

/// Two rows of two, of which the second may be outside, numbered row by row or column by column.
struct Numbered {
  using Element = float;
  static constexpr long long count = 4;
  static constexpr int tile_bytes = 16;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 8;
  static constexpr int run_alignment = 8;

  int rows = 2;
  [[nodiscard]] constexpr bool is_full() const { return rows == 2; }
  [[nodiscard]] constexpr int size() const { return 4; }
  [[nodiscard]] constexpr int run_count() const { return rows; }
  [[nodiscard]] constexpr dma::Run run_at(int run) const { return {run * 64, run * 8, 8}; }
  [[nodiscard]] constexpr float fill_value() const { return 3.0F; }
};
struct ByRows : Numbered {
  [[nodiscard]] static constexpr int place_of(int i) { return i; }
  [[nodiscard]] constexpr bool is_padding(int i) const { return i / 2 >= rows; }
};
struct ByColumns : Numbered {
  [[nodiscard]] static constexpr int place_of(int i) { return i % 2 * 2 + i / 2; }
  [[nodiscard]] constexpr bool is_padding(int i) const { return i % 2 >= rows; }
};

/// An element later than it should, so that no pair begins on 8 bytes.
struct Late : ByRows {
  static constexpr int tile_bytes = 24;
  [[nodiscard]] static constexpr int place_of(int i) { return i + 1; }
};
/// A column of the second row outside, of which the first is not.
struct Ragged : ByRows {
  [[nodiscard]] constexpr bool is_padding(int i) const { return i == 3; }
};
/// Both rows are there, though the second is padding.
struct Covered : ByRows {
  [[nodiscard]] static constexpr int run_count() { return 2; }
};
/// The second row is not there, and of the first only one element: a single run that ends between multiples of 8.
struct EndsEarly : ByRows {
  [[nodiscard]] constexpr dma::Run run_at(int) const { return {0, 0, 4}; }
};

}  // namespace

TEST_CASE("the laws find no fault with the library's patterns", "[laws]") {
  REQUIRE(dma::host::broken_law(dma::Sequential<float, 100>{37}) == "");
  REQUIRE(dma::host::broken_law(dma::Strided<float, 12, 6>{-64}) == "");
  REQUIRE(dma::host::broken_law(dma::Transpose<float, 8, 8>{64, 3, 5}) == "");
}

TEST_CASE("the laws name the one that a pattern breaks", "[laws]") {
  REQUIRE(dma::host::broken_law(Liar{}) == "");
  REQUIRE_THAT(dma::host::broken_law(Liar{Lie::leaves_tile}), ContainsSubstring("run 1 leaves the tile"));
  REQUIRE_THAT(dma::host::broken_law(Liar{Lie::misaligned}),
               ContainsSubstring("run 1 does not begin on a multiple of run_alignment"));
  REQUIRE_THAT(dma::host::broken_law(Liar{Lie::overlaps}), ContainsSubstring("run 1 overlaps another"));
  REQUIRE_THAT(dma::host::broken_law(Liar{Lie::too_many}), ContainsSubstring("run_count() is 3"));
  REQUIRE_THAT(dma::host::broken_law(Liar{Lie::too_long}), ContainsSubstring("run 0 is longer than max_run_bytes"));
  REQUIRE_THAT(dma::host::broken_law(Liar{Lie::not_uniform}), ContainsSubstring("another length than run 0"));
}

TEST_CASE("a size is of elements that a tile has room for", "[laws]") {
  for (const int elements : {0, 2, 4}) {
    REQUIRE(dma::host::broken_law(Sized{elements}) == "");
  }
  for (const int elements : {-1, 5}) {
    REQUIRE(dma::host::broken_law(Sized{elements}) == "size() is " + std::to_string(elements) +
                                                          ", and a tile has room for 4 elements; return one more than "
                                                          "the last index of this tile, 0 of an empty one");
  }
}

TEST_CASE("elements that one store fills have neighbouring numbers", "[laws]") {
  REQUIRE(dma::host::broken_law(ByRows{}) == "");
  REQUIRE(dma::host::broken_law(ByRows{{1}}) == "");
  REQUIRE_THAT(dma::host::broken_law(ByColumns{{1}}), ContainsSubstring("element 1 does not follow the one before it"));
  REQUIRE_THAT(dma::host::broken_law(Late{{{1}}}), ContainsSubstring("element 0 does not begin on a multiple"));
  REQUIRE_THAT(dma::host::broken_law(Ragged{{{1}}}),
               ContainsSubstring("element 3 is filled and the one before it not"));
  REQUIRE_THAT(dma::host::broken_law(EndsEarly{{{1}}}),
               ContainsSubstring("run 0 ends between two multiples of run_alignment"));
}

TEST_CASE("a run does not cover padding", "[laws]") {
  REQUIRE(dma::host::broken_law(Covered{}) == "");
  REQUIRE(dma::host::broken_law(Covered{{{1}}}) ==
          "run 1 covers element 2, which is padding; end the run before it, or let is_padding() be false there");
}

TEST_CASE("the laws compare a pattern's own transfer with its runs", "[laws]") {
  using Fault = Mover::Fault;
  REQUIRE(dma::host::broken_law(Mover{}) == "");
  for (const Fault fault : {Fault::forgets_a_byte, Fault::writes_beside, Fault::stores_nothing}) {
    REQUIRE_THAT(dma::host::broken_law(Mover{fault}),
                 StartsWith("the pattern's own transfer does not move exactly the runs; "));
  }
}

namespace {

/// Leaves the last byte of each run behind in one direction, if any.
enum class Forgets { nothing, loads, stores };
template <Forgets forgets>
struct Forgetful {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::Completion store_completion = dma::Completion::sync;
  static constexpr dma::EngineTraits traits{.name = "Forgetful"};

  template <class Pattern, int Threads, class Slot>
  static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    for (int i = thread; i < pattern.run_count(); i += Threads) {
      const dma::Run run = pattern.run_at(i);
      std::memcpy(slot.data() + run.shared, source + run.global,
                  static_cast<std::size_t>(run.bytes - (forgets == Forgets::loads ? 1 : 0)));
    }
  }
  template <class Pattern, int Threads, class Slot>
  static void store(const Pattern& pattern, unsigned char* destination, int thread, const Slot& slot) {
    for (int i = thread; i < pattern.run_count(); i += Threads) {
      const dma::Run run = pattern.run_at(i);
      std::memcpy(destination + run.global, slot.data() + run.shared,
                  static_cast<std::size_t>(run.bytes - (forgets == Forgets::stores ? 1 : 0)));
    }
  }
};

}  // namespace

TEST_CASE("an engine that forgets a byte is told, in either direction", "[laws]") {
  const dma::Strided<float, 5, 7> rows{.pitch_bytes = 64};
  REQUIRE(dma::host::broken_law<Forgetful<Forgets::nothing>>(rows) == "");
  REQUIRE_THAT(dma::host::broken_law<Forgetful<Forgets::loads>>(rows),
               StartsWith("Forgetful does not move exactly the runs; "));
  REQUIRE_THAT(dma::host::broken_law<Forgetful<Forgets::stores>>(rows),
               StartsWith("Forgetful does not move exactly the runs; "));
}
