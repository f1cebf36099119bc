#include "host/proof/brute_force.hpp"
#include "host/proof/judges.hpp"
#include "host/proof/random_programs.hpp"

#include <dma/proof/finding.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>

using small::FindingKind;

namespace {

/// Programs of the seeds 0 to `programs` - 1, each judged by the clocks and by the search.
void check_that_clocks_and_search_agree(std::uint64_t programs) {
  std::array<long, 16> of_kind{};
  long disagreements = 0;
  std::size_t states = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    const small::Program program = small::random_program(seed);
    const FindingKind clocks = small::by_clocks(program);
    dma::proof::detail::Search search(program);
    const FindingKind searched = search.judge().kind;
    states += search.states();
    ++of_kind[static_cast<std::size_t>(clocks)];
    if ((clocks == FindingKind::none) != (searched == FindingKind::none)) {
      ++disagreements;
      UNSCOPED_INFO("seed " << seed << ": " << dma::proof::name_of(clocks) << " by the clocks, "
                            << dma::proof::name_of(searched) << " by the search\n"
                            << small::text_of(program));
    }
  }
  std::cout << programs << " programs, " << states << " states, "
            << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << " s\n";
  for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
    if (of_kind[kind] > 0) {
      std::cout << "  " << of_kind[kind] << " " << dma::proof::name_of(static_cast<FindingKind>(kind)) << '\n';
    }
  }
  REQUIRE(disagreements == 0);
  // A fuzz whose programs are all correct, or all wrong, would compare nothing.
  for (const FindingKind kind :
       {FindingKind::none, FindingKind::deadlock, FindingKind::race, FindingKind::unfinished_copy,
        FindingKind::recycled_barrier, FindingKind::arrival_count, FindingKind::no_waiter,
        FindingKind::barrier_not_open, FindingKind::missing_fence, FindingKind::armed_at_exit}) {
    INFO(dma::proof::name_of(kind));
    REQUIRE(of_kind[static_cast<std::size_t>(kind)] * 1000 > static_cast<long>(programs));
  }
}

}  // namespace

TEST_CASE("the clocks and the search agree on programs at random", "[proof][fuzz]") {
  check_that_clocks_and_search_agree(150'000);
}

// For a release: run it by its tag.
TEST_CASE("the clocks and the search agree on a million programs at random", "[.][million]") {
  check_that_clocks_and_search_agree(1'000'000);
}

TEST_CASE("the judges agree with every schedule of a small program, one after another", "[proof][fuzz]") {
  int compared = 0;
  int correct = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const small::Program program = small::random_program(seed * 7919 + 5);
    const std::optional<bool> is_correct = small::BruteForce(program, 30'000).is_correct();
    if (is_correct) {
      ++compared;
      correct += *is_correct ? 1 : 0;
      INFO("seed " << seed << '\n' << small::text_of(program));
      REQUIRE((small::by_clocks(program) == FindingKind::none) == *is_correct);
      REQUIRE((small::by_search(program) == FindingKind::none) == *is_correct);
    }
  }
  std::cout << compared << " programs in every schedule, " << correct << " of them correct\n";
  REQUIRE(compared > 5000);
  REQUIRE(correct > 1000);
}
