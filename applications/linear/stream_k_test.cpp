#include "stream_k.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <vector>

namespace {

/// The CTA of each unit: CTA after CTA gets `units` of credit, and each unit costs it `ctas`.
[[nodiscard]] std::vector<int> owners(int units, int ctas) {
  std::vector<int> owners;
  int credit = 0;
  for (int cta = 0; cta < ctas; ++cta) {
    for (credit += units; credit >= ctas; credit -= ctas) {
      owners.push_back(cta);
    }
  }
  return owners;
}

/// Checks all that a plan says.
void check(const StreamK& plan) {
  const std::vector<int> owner = owners(plan.units(), plan.ctas);
  REQUIRE(static_cast<int>(owner.size()) == plan.units());
  int at = 0;
  for (int cta = 0; cta < plan.ctas + 3; ++cta) {
    REQUIRE(plan.first_of(cta) == at);
    plan.for_each_piece(cta, [&](const StreamK::Piece& piece) {
      REQUIRE(piece.first < piece.last);
      REQUIRE(piece.last <= plan.units_of_tile);
      REQUIRE(plan.is_whole(piece) == (piece.first == 0 && piece.last == plan.units_of_tile));
      for (int unit = piece.first; unit < piece.last; ++unit, ++at) {
        REQUIRE(at == piece.tile * plan.units_of_tile + unit);
        REQUIRE(owner[static_cast<std::size_t>(at)] == cta);
        REQUIRE(plan.cta_of(at) == cta);
      }
    });
  }
  REQUIRE(at == plan.units());
  auto of_tile = owner.begin();
  for (int tile = 0; tile < plan.tiles; ++tile, of_tile += plan.units_of_tile) {
    const std::set<int> ctas(of_tile, of_tile + plan.units_of_tile);
    REQUIRE(plan.first_cta_of(tile) == *ctas.begin());
    REQUIRE(plan.parts_of(tile) == static_cast<int>(ctas.size()));
  }
}

}  // namespace

TEST_CASE("units are divided evenly, and all that a plan says of them is right", "[stream-k]") {
  for (int tiles = 1; tiles <= 7; ++tiles) {
    for (int units_of_tile = 1; units_of_tile <= 9; ++units_of_tile) {
      for (int ctas = 1; ctas <= tiles * units_of_tile; ++ctas) {
        CAPTURE(tiles, units_of_tile, ctas);
        check({tiles, units_of_tile, ctas});
      }
    }
  }
  check({100, 9, 132});
  check({136, 56, 132});
}

TEST_CASE("of as many CTAs for each tile none has units of two", "[stream-k]") {
  for (int of_tile = 1; of_tile <= 47; ++of_tile) {
    const StreamK plan{3, 47, 3 * of_tile};
    for (int tile = 0; tile < 3; ++tile) {
      CHECK(plan.first_cta_of(tile) == tile * of_tile);
      CHECK(plan.parts_of(tile) == of_tile);
    }
  }
}

TEST_CASE("32 bits suffice where a plan says so, and 64 for longer ones", "[stream-k]") {
  constexpr StreamK plan{66, 492'994, 132};
  static_assert(plan.fits() && !StreamK{66, 492'995, 132}.fits());
  for (int cta = 0; cta <= 132; ++cta) {
    CHECK(plan.first_of(cta) == cta * (492'994 / 2));
    CHECK((cta == 132 || plan.cta_of(plan.first_of(cta + 1) - 1) == cta));
  }
  constexpr Shares<long long> many{3'000'000'000'001, 3};
  CHECK(many.first_of(1) == 1'000'000'000'000);
  CHECK(many.first_of(2) == 2'000'000'000'000);
  CHECK(many.first_of(3) == 3'000'000'000'001);
  CHECK(many.cta_of(2'000'000'000'000) == 2);
  CHECK(many.cta_of(1'999'999'999'999) == 1);
}
