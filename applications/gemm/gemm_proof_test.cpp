// The kernel proved for every schedule, with whole tiles and with tiles that several CTAs add up.

#include "host.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

namespace {

using gemm::BFloat16;
using Kernel = gemm::Gemm<BFloat16, gemm::TileShape{128, 64}, 3>;

/// The verdict on the product of ones by a plan.
auto verdict_on(int m, int n, int k, const gemm::Plan& plan) {
  const auto ones = [](int count) { return std::vector<BFloat16>(static_cast<std::size_t>(count), BFloat16(1.0F)); };
  const auto a = ones(m * k);
  const auto b = ones(n * k);
  auto c = ones(m * n);
  const gemm::Problem<BFloat16> p{m, n, k, a.data(), k, b.data(), k, c.data(), n};
  std::vector<dma::Vector<float>> sums(gemm::sums_of(plan));
  std::vector<dma::ArrivalCounter> arrivals(gemm::counters_of(plan));
  return dma::proof::prove({.inputs = {dma::proof::input(a), dma::proof::input(b)},
                            .outputs = {dma::proof::output(c), dma::proof::output(sums)}},
                           Kernel{}, {plan.ctas}, gemm::host_maps<Kernel>(p), p, plan,
                           gemm::Workspace{sums.data(), arrivals.data()});
}

}  // namespace

TEST_CASE("products are proved for every schedule") {
  CHECK_THAT(verdict_on(128, 64, 320, gemm::make_plan(128, 64, 320, 1, {128, 64}, 0)), dma::proof::IsProved());
  CHECK_THAT(verdict_on(256, 72, 64, gemm::make_plan(256, 72, 64, 3, {128, 64}, 0)), dma::proof::IsProved());
}

TEMPLATE_TEST_CASE_SIG("products whose operands a cluster loads once are proved for every schedule", "",
                       ((int down, int across), down, across), (2, 1), (1, 4)) {
  constexpr gemm::TileShape shape{.rows = 128, .columns = 64, .down = down, .across = across};
  using OfCluster = gemm::ClusterGemm<BFloat16, shape, 2>;
  constexpr int m = 128 * down + 44;
  constexpr int n = 64 * across;
  const std::vector<BFloat16> a(m * 128, BFloat16(1.0F));
  const std::vector<BFloat16> b(n * 128, BFloat16(1.0F));
  std::vector<BFloat16> c(m * n);
  const gemm::Problem<BFloat16> p{m, n, 128, a.data(), 128, b.data(), 128, c.data(), n};
  CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(a), dma::proof::input(b)},
                                .outputs = {dma::proof::output(c)},
                                .limits = {.seconds = 600}},  // an emulated processor takes two minutes
                               OfCluster{}, {shape.ctas()}, gemm::host_maps<OfCluster>(p), p,
                               gemm::make_plan(m, n, 128, 1, shape, 0), gemm::Workspace{}),
             dma::proof::IsProved());
}

TEST_CASE("products whose k the CTAs of a cluster divide are proved for every schedule") {
  constexpr gemm::TileShape shape{.rows = 128, .columns = 128, .deep = 2};
  using Split = gemm::SplitGemm<BFloat16, shape, 2>;
  constexpr int m = 140;
  constexpr int n = 128;
  constexpr int k = 5 * 64;
  const std::vector<BFloat16> a(m * k, BFloat16(1.0F));
  const std::vector<BFloat16> b(n * k, BFloat16(1.0F));
  std::vector<BFloat16> c(m * n);
  const gemm::Problem<BFloat16> p{m, n, k, a.data(), k, b.data(), k, c.data(), n};
  const gemm::Plan plan = gemm::make_plan(m, n, k, 2, shape, 0);
  CHECK_THAT(
      dma::proof::prove({.inputs = {dma::proof::input(a), dma::proof::input(b)}, .outputs = {dma::proof::output(c)}},
                        Split{}, {2 * plan.ctas}, gemm::host_maps<Split>(p), p, plan, gemm::Workspace{}),
      dma::proof::IsProved());
}

TEST_CASE("products of which several CTAs sum a part are proved for every schedule") {
  CHECK_THAT(verdict_on(128, 128, 256, gemm::make_plan(128, 128, 256, 3, {128, 64}, 2)), dma::proof::IsProved());
}

TEST_CASE("parts that a second launch adds up are proved for every schedule, while the first one may still run") {
  constexpr gemm::TileShape shape{.rows = 128, .columns = 64, .down = 2};
  using OfCluster = gemm::ClusterGemm<BFloat16, shape, 2>;
  using Added = gemm::AddParts<BFloat16, shape>;
  constexpr int n = 64;
  constexpr int k = 8 * 64;
  const std::vector<BFloat16> a(256 * k, BFloat16(1.0F));
  const std::vector<BFloat16> b(n * k, BFloat16(1.0F));
  std::vector<BFloat16> c(256 * n);
  const gemm::Problem<BFloat16> p{256, n, k, a.data(), k, b.data(), k, c.data(), n};
  const gemm::Plan plan = gemm::make_plan(256, n, k, 2, shape, 1);
  std::vector<dma::Vector<float>> sums(gemm::sums_of(plan));
  const gemm::Workspace workspace{sums.data(), nullptr};
  CHECK_THAT(dma::proof::prove(
                 {.inputs = {dma::proof::input(a), dma::proof::input(b)},
                  .outputs = {dma::proof::output(sums), dma::proof::output(c)}},
                 dma::proof::Grid(OfCluster{}, {2 * plan.ctas}, gemm::host_maps<OfCluster>(p), p, plan, workspace),
                 dma::proof::Grid(Added{}, {Added::ctas(plan)}, p, plan, workspace)),
             dma::proof::IsProved());
}
