// The proof of the best sums of points.

#include "kernel.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

using dma::proof::IsProved;

namespace {

using Floats = std::vector<float>;

/// Tiles of 128 points and 2 values.
auto prove_best_sums() {
  using Kernel = financial::BestOfSums<float, dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>, 128, 2, 2, 1>;
  return dma::proof::for_all_trips<Kernel::Pipe>([](int tiles) {
    constexpr int values = 2;
    const Floats big(static_cast<std::size_t>(tiles) * 128 * values + 4, 1.0F);
    const Floats small(values, 2.0F);
    Floats best(static_cast<std::size_t>(tiles) * 128 + 4);
    return dma::proof::prove(
        {.inputs = {dma::proof::input(big), dma::proof::input(small)}, .outputs = {dma::proof::output(best)}}, Kernel{},
        {1}, financial::Points<float>{big.data(), small.data(), best.data(), tiles * 128, values});
  });
}

/// The best sums of one grid are the small values of the next one, which may begin while it runs.
template <class Kernel>
auto prove_one_behind_another(const Kernel& kernel) {
  constexpr int points = 128;
  constexpr int values = 2;
  const Floats big(points * values, 1.0F);
  Floats small(points, 2.0F);
  Floats best(points);
  const auto sum = [&](const Floats& from, Floats& to) {
    return dma::proof::Grid(kernel, {1}, financial::Points<float>{big.data(), from.data(), to.data(), points, values});
  };
  return dma::proof::prove(
      {.inputs = {dma::proof::input(big)}, .outputs = {dma::proof::output(small), dma::proof::output(best)}},
      sum(small, best), sum(best, small));
}

}  // namespace

TEST_CASE("the best sums of points are proved", "[financial]") { REQUIRE_THAT(prove_best_sums(), IsProved()); }

TEST_CASE("the best sums of points behind others are proved", "[financial]") {
  using Staged = financial::BestOfSums<float, dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>, 128, 2, 2, 1>;
  using InRegisters = financial::BestOfSumsInRegisters<float, 32, 1, 4, 2, dma::CacheHints{}>;
  REQUIRE_THAT(prove_one_behind_another(Staged{}), IsProved());
  REQUIRE_THAT(prove_one_behind_another(InRegisters{}), IsProved());
}
