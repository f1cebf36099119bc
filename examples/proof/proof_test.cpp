#include "epilogue.hpp"
#include "neighbours.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sstream>
#include <string>
#include <vector>

using dma::proof::FailsBy;
using dma::proof::IsProved;

TEST_CASE("neighbours are proved for every number of tiles") {
  using Kernel = Neighbours<0>;
  std::vector<float> x(8 * 64), y(8 * 64);
  REQUIRE_THAT(dma::proof::for_all_trips<Kernel::Pipe>([&](int tiles) {
                 return dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}},
                                          Kernel{}, {1}, x.data(), y.data(), tiles);
               }),
               IsProved());
}

TEST_CASE("an iteration too many is a deadlock, and the shortest schedule to it is shown") {
  std::vector<float> x(8 * 64), y(8 * 64);
  const auto verdict = dma::proof::prove(Neighbours<1>{}, {1}, x.data(), y.data(), 4);
  REQUIRE_THAT(verdict, FailsBy(dma::proof::FindingKind::deadlock));

  std::ostringstream text;
  text << verdict;
  const std::string told = text.str();
  INFO(told);
  for (const char* part : {"cannot continue: it waits for full, slot 0", "neighbours.hpp:", "launch with seed 0"}) {
    INFO(part);
    REQUIRE(told.find(part) != std::string::npos);
  }
}

TEST_CASE("the kernel can be run along the schedule that fails") {
  std::vector<float> x(8 * 64), y(8 * 64);
  const auto verdict = dma::proof::prove(Neighbours<1>{}, {1}, x.data(), y.data(), 4);
  bool is_deadlocked = false;
  try {
    dma::proof::replay(verdict, Neighbours<1>{}, {1}, x.data(), y.data(), 4);
  } catch (const dma::host::Deadlock&) {
    is_deadlocked = true;
  }
  REQUIRE(is_deadlocked);
}

TEST_CASE("an epilogue of all warps is proved") {
  using Kernel = SumOfCta<true>;
  constexpr int most = 2 * (3 * Kernel::Pipe::stages + 1);  // of two CTAs
  std::vector<float> x(most * Kernel::Tile::count, 1.0F), sums(2);
  REQUIRE_THAT(dma::proof::for_all_trips<Kernel::Pipe>([&](int tiles) {
                 return dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(sums)}},
                                          Kernel{}, {2}, x.data(), sums.data(), 2 * tiles);
               }),
               IsProved());
  dma::host::launch(Kernel{}, {2}, x.data(), sums.data(), 5);
  REQUIRE(sums == std::vector<float>{3 * 256, 2 * 256});
  const auto verdict =
      dma::proof::prove({.outputs = {dma::proof::output(sums)}}, SumOfCta<false>{}, {2}, x.data(), sums.data(), 5);
  if (dma::proof::sees_every_access) {
    REQUIRE_THAT(verdict, FailsBy(dma::proof::FindingKind::race));
  }
}
