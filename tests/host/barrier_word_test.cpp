#include <dma/machine/barrier_word.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

constexpr unsigned this_cta = 77;

}  // namespace

TEST_CASE("a barrier's word of any other CTA has no arrivals", "[sync]") {
  const auto leftover = GENERATE(0ULL, ~0ULL, 0x0000'004e'0001'0302ULL, 0xdead'beef'cafe'f00dULL);
  const dma::BarrierWord word = dma::BarrierWord::unpack(leftover).seen_by(this_cta);
  REQUIRE(word.pack() == 77ULL << 32);
  REQUIRE(word.agrees(1));
  REQUIRE(word.agrees(32));
}

TEST_CASE("a generation is complete when as many warps have arrived as its first arrival said", "[sync]") {
  const int warps = GENERATE(1, 2, 5, 32);
  dma::BarrierWord word = dma::BarrierWord{0, 0, 0, 0}.seen_by(this_cta);
  for (int arrival = 0; arrival < (warps == 1 ? 70000 : 100 * warps); ++arrival) {
    REQUIRE(word.agrees(warps));
    word = dma::BarrierWord::unpack(word.with_arrival(warps).pack()).seen_by(this_cta);
    REQUIRE(word.generation == (arrival + 1) / warps % 65536);
    REQUIRE(word.arrived == (arrival + 1) % warps);
  }
}

TEST_CASE("arrivals for other numbers of warps disagree until the generation is complete", "[sync]") {
  const dma::BarrierWord one = dma::BarrierWord{this_cta, 3, 0, 0}.with_arrival(2);
  REQUIRE(one.agrees(2));
  REQUIRE_FALSE(one.agrees(3));
  REQUIRE(one.with_arrival(2).agrees(3));
}
