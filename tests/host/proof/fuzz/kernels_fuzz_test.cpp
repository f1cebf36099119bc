// Small kernels at random: what `prove` says of each is what an oracle says that enumerates its interleavings.
//
//     DMA_FUZZ_PROGRAMS=1000000 DMA_FUZZ_SEED=7 build/host/bin/dma_fuzz_tests
//
// judges more programs, or others, and prints what they were. A disagreement names its number, which
// DMA_FUZZ_FIRST=<number> DMA_FUZZ_PROGRAMS=1 repeats.
#include "host/proof/fuzz/fuzz_run.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#if defined(DMA_EVERY_ACCESS)

namespace {

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

TEST_CASE("a proof says what all interleavings of a small kernel say", "[proof][fuzz]") {
  fuzz::FuzzRun run(number_of("DMA_FUZZ_SEED", 1));
  const std::uint64_t first = number_of("DMA_FUZZ_FIRST", 0);
  const std::uint64_t programs = number_of("DMA_FUZZ_PROGRAMS", 5'000);
  for (std::uint64_t number = first; run.programs() < programs; ++number) {
    run.judge(number);
  }
  if (std::getenv("DMA_FUZZ_PROGRAMS") != nullptr) {
    std::cout << run;
  }
  INFO(run);
  CHECK(run.disagreements() == "");
}

}  // namespace

#endif
