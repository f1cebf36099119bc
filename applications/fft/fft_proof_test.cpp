#include "dma_warp_pass.hpp"
#include "exact.hpp"
#include "pass.hpp"
#include "plan.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

using fft::Columns;
using fft::Complex;
using fft::PassShape;

TEST_CASE("passes are proved for every schedule") {
  constexpr PassShape whole = fft::untangled(fft::whole(512, 2, 1));
  const fft::Plan one_pass = fft::make_plan({.points = 1024, .batch = 2, .numbers = fft::Numbers::real}, 1, {whole});
  auto x = fft::random_points(one_pass.in_points());
  std::vector<Complex> results(static_cast<std::size_t>(one_pass.out_points()));
  CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(results)}},
                               fft::Pass<whole>{}, {1},
                               fft::problem_of(one_pass.passes[0], x.data(), results.data(), nullptr)),
             dma::proof::IsProved());

  constexpr PassShape back = fft::untangling_loaded(fft::whole(512, 2, 1));
  std::vector<Complex> reals(512 * 2);
  const fft::Plan way_back =
      fft::make_plan({.points = 1024, .batch = 2, .inverse = true, .numbers = fft::Numbers::real}, 1, {back});
  CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(results)}, .outputs = {dma::proof::output(reals)}},
                               fft::Pass<back>{}, {1},
                               fft::problem_of(way_back.passes[0], results.data(), reals.data(), nullptr)),
             dma::proof::IsProved());

  constexpr PassShape ahead = fft::loaded_ahead({256, 8, 2, Columns::side_by_side, Columns::side_by_side});
  x = fft::random_points(256 * 16);
  results.resize(x.size());
  using Kernel = fft::AheadPass<ahead>;
  fft::PlannedPass pass = fft::make_plan({.points = 256 * 16}, 1, {ahead, fft::last(fft::small_64)}).passes[0];
  fft::PassProblem problem = fft::problem_of(pass, x.data(), nullptr, results.data());
  const auto map = dma::host::tensor_map<Kernel::Part>(
      x.data(), Kernel::part_at(problem, fft::TilePlace(problem, ahead.columns, 0), 0));
  CHECK_THAT(dma::proof::prove({.outputs = {dma::proof::output(results)}}, Kernel{}, {1}, map, problem, pass.tiles),
             dma::proof::IsProved());
}

TEST_CASE("passes with DMA warps are proved for every schedule, and behind each other") {
  constexpr PassShape first{32, 32};
  constexpr PassShape last = fft::last({64, 16});
  std::vector<Complex> x = fft::random_points(32 * 64);
  std::vector<Complex> work(x.size());
  std::vector<Complex> results(x.size());
  const fft::Plan plan = fft::make_plan({.points = 32 * 64}, 1, {first, last});
  const auto grid_of = [&]<PassShape shape>(const fft::PlannedPass& pass) {
    return dma::proof::Grid(fft::DmaWarpPass<shape, fft::PaperPipe<shape, fft::PaperLoads{}, 1>>{}, {1},
                            fft::problem_of(pass, x.data(), results.data(), work.data()), pass.tiles);
  };
  CHECK(plan.passes[0].tiles == 2);
  CHECK_THAT(dma::proof::prove(
                 {.outputs = {dma::proof::output(x), dma::proof::output(work), dma::proof::output(results)}},
                 grid_of.template operator()<first>(plan.passes[0]), grid_of.template operator()<last>(plan.passes[1]),
                 grid_of.template operator()<first>(plan.passes[0])),
             dma::proof::IsProved());
}
