#include <dma/machine/checked/barrier_word.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using dma::machine::BarrierHeader;
using dma::machine::BarrierWord;

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
  const unsigned first = GENERATE(0U, (1U << 20) - 3);  // three generations before the count begins again
  const auto needed = static_cast<unsigned>(warps);
  unsigned word = first * needed;
  for (unsigned arrival = 0; arrival < 10 * needed; ++arrival) {
    const BarrierWord found{word};
    const unsigned generation = (first + arrival / needed) % (1U << 20);
    REQUIRE(found.generation(warps) == generation);
    REQUIRE_FALSE(found.has_completed(generation, warps));
    REQUIRE(found.has_completed((generation + (1U << 20) - 1) % (1U << 20), warps));
    REQUIRE(found.is_idle(warps) == (arrival % needed == 0));
    REQUIRE(found.is_complete_with_one_more(warps) == ((arrival + 1) % needed == 0));
    word = word == BarrierWord::last(warps) ? 0 : word + 1;
  }
}

TEST_CASE("a barrier of another number of warps goes on with the generation", "[sync]") {
  const int before = GENERATE(1, 2, 5);
  const int after = GENERATE(1, 3, 32);
  const unsigned generation = GENERATE(0U, 7U, (1U << 20) - 1);
  const BarrierWord word{generation * static_cast<unsigned>(before)};
  const BarrierWord now{word.with_warps(before, after)};
  REQUIRE(now.generation(after) == generation);
  REQUIRE(now.is_idle(after));
}
