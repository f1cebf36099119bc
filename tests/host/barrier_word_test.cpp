#include <dma/machine/barrier_word.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using dma::BarrierHeader;
using dma::BarrierWord;

TEST_CASE("a barrier's header is of one CTA and one number of warps", "[sync]") {
  const auto warps = GENERATE(1, 2, 31, 32);
  const auto cta = GENERATE(0U, 77U, 0x3ff'ffffU, 0xdead'beefU);
  const BarrierHeader header = BarrierHeader::of(cta, warps);
  REQUIRE(header.warps() == warps);
  REQUIRE(header.is_of(cta));
  REQUIRE_FALSE(header.is_of(cta + 1));
  REQUIRE(header.word != BarrierHeader::of(cta, warps - 1).word);
  REQUIRE(BarrierHeader::of(cta, 0).warps() == 0);
}

TEST_CASE("a generation is complete when as many warps have arrived as it needs", "[sync]") {
  const int warps = GENERATE(1, 2, 5, 32);
  const unsigned before = GENERATE(0U, 0xffff'ff00U);  // the last generation before the count wraps
  unsigned word = before;
  for (unsigned arrival = 0; arrival < 100U * static_cast<unsigned>(warps); ++arrival) {
    const BarrierWord found{word};
    const unsigned generation = ((before >> 8) + arrival / static_cast<unsigned>(warps)) % (1U << 24);
    REQUIRE(found.generation(warps) == generation);
    REQUIRE_FALSE(found.has_completed(generation));
    REQUIRE(found.has_completed((generation - 1) % (1U << 24)));
    REQUIRE(found.is_idle() == (arrival % static_cast<unsigned>(warps) == 0));
    ++word;
    if (found.completes(warps)) {
      word += BarrierWord::completion(warps);
      REQUIRE(BarrierWord{word}.has_completed(generation));
    }
  }
}

TEST_CASE("a warp may arrive for the next generation before this one's arrivals are taken away", "[sync]") {
  const int warps = GENERATE(1, 2, 5);
  unsigned word = 7U << 8 | static_cast<unsigned>(warps - 1);
  const BarrierWord last{word++};
  const BarrierWord early{word++};
  REQUIRE(last.completes(warps));
  REQUIRE(last.generation(warps) == 7);
  REQUIRE(early.generation(warps) == 8);
  REQUIRE(early.completes(warps) == (warps == 1));
  REQUIRE_FALSE(BarrierWord{word}.has_completed(7));
  word += BarrierWord::completion(warps);
  REQUIRE(BarrierWord{word}.has_completed(7));
  REQUIRE_FALSE(BarrierWord{word}.has_completed(8));
  REQUIRE((word & 0xffU) == 1);
}
