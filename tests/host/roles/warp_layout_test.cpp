#include <dma/roles/warp_layout.hpp>
#include <dma/unrolled.hpp>

#include <catch2/catch_test_macros.hpp>

#include <utility>

using dma::Compute;
using dma::Dma;
using dma::Registers;
using dma::WarpLayout;

TEST_CASE("a warp layout numbers compute warps first, then one DMA group after another", "[layout]") {
  using Layout = WarpLayout<Compute<4>, Dma<1>, Dma<2>>;
  STATIC_REQUIRE(Layout::threads == 224);
  STATIC_REQUIRE(Layout::compute_threads == 128);
  STATIC_REQUIRE(Layout::dma_warps == 3);
  STATIC_REQUIRE(Layout::groups == 2);

  const int group_of_warp[] = {-1, -1, -1, -1, 0, 1, 1};
  for (int warp = 0; warp < Layout::warps; ++warp) {
    REQUIRE(Layout::group_of_warp(warp) == group_of_warp[warp]);
  }
  STATIC_REQUIRE(Layout::group_first_warp(0) == 4);
  STATIC_REQUIRE(Layout::group_first_warp(1) == 5);
  STATIC_REQUIRE(Layout::group_warps(0) == 1);
  STATIC_REQUIRE(Layout::group_warps(1) == 2);
  STATIC_REQUIRE(Layout::group_warps(2) == 0);
}

TEST_CASE("a warp layout without DMA warps is not specialized", "[layout]") {
  using Layout = WarpLayout<Compute<3>>;
  STATIC_REQUIRE_FALSE(Layout::is_specialized);
  STATIC_REQUIRE(Layout::threads == 96);
  for (int warp = 0; warp < 3; ++warp) {
    REQUIRE(Layout::group_of_warp(warp) == -1);
  }
}

TEST_CASE("every warp of a layout has one role, and each role its warps", "[layout]") {
  const auto check = []<class Layout>() {
    int computing[4] = {};
    int moving[4] = {};
    int idle = 0;
    for (int warp = 0; warp < Layout::warps; ++warp) {
      const int group = Layout::group_of_warp(warp);
      if (group < 0) {
        ++computing[Layout::compute_group_of_warp(warp)];
      } else if (group < Layout::groups) {
        ++moving[group];
      } else {
        REQUIRE(Layout::is_idle(warp));
        ++idle;
      }
      dma::unrolled<Layout::groups>([&](auto g) {
        const int first = Layout::group_first_warp(g);
        REQUIRE((group == g) == (warp >= first && warp < first + Layout::group_warps(g)));
      });
    }
    REQUIRE(idle == Layout::idle_warps);
    int compute_warps = 0;
    dma::unrolled<Layout::compute_groups>([&](auto g) {
      REQUIRE(computing[g] == Layout::compute_group_warps(g));
      REQUIRE(Layout::compute_group_first_warp(g) == compute_warps);
      compute_warps += computing[g];
    });
    REQUIRE(compute_warps == Layout::compute_warps);
    dma::unrolled<Layout::groups>([&](auto g) { REQUIRE(moving[g] == Layout::group_warps(g)); });
  };
  check.operator()<WarpLayout<Compute<1>>>();
  check.operator()<WarpLayout<Compute<1>, Dma<1>>>();
  check.operator()<WarpLayout<Compute<8>, Dma<4>, Dma<4>>>();
  check.operator()<WarpLayout<Compute<2>, Dma<3>, Dma<1>, Dma<7>, Dma<2>>>();
  check.operator()<WarpLayout<Compute<31>, Dma<1>>>();
  check.operator()<WarpLayout<Compute<4>, Compute<4>, Dma<1>, Dma<1>>>();
  check.operator()<WarpLayout<Compute<1>, Compute<3>, Compute<2>, Dma<2>>>();
  check.operator()<WarpLayout<Compute<2>, Compute<2>>>();
  check.operator()<WarpLayout<Compute<8, Registers{232}>, Dma<1, Registers{40}>, Dma<1, Registers{40}>>>();
  check.operator()<WarpLayout<Compute<2, Registers{200}>, Dma<1, Registers{40}>, Dma<5, Registers{24}>>>();
}

TEST_CASE("roles have the registers that they are given, none where they are given none", "[layout][registers]") {
  using Layout = WarpLayout<Compute<8, Registers{216}>, Dma<4, Registers{32}>, Dma<4, Registers{24}>>;
  STATIC_REQUIRE(Layout::has_register_budgets);
  STATIC_REQUIRE(Layout::role_registers(0) == 216);
  STATIC_REQUIRE(Layout::group_registers(0) == 32);
  STATIC_REQUIRE(Layout::group_registers(1) == 24);
  STATIC_REQUIRE(Layout::group_registers(2) == 0);
  STATIC_REQUIRE(Layout::launch_registers == 128);

  using Without = WarpLayout<Compute<8>, Dma<4>>;
  STATIC_REQUIRE_FALSE(Without::has_register_budgets);
  STATIC_REQUIRE(Without::role_registers(0) == 0);
  STATIC_REQUIRE(Without::group_registers(0) == 0);
}

TEST_CASE("compute groups come first, and a layout without DMA warps may have several", "[layout]") {
  using Layout = WarpLayout<Compute<4>, Compute<8>, Dma<1>, Dma<1>>;
  STATIC_REQUIRE(Layout::compute_groups == 2);
  STATIC_REQUIRE(Layout::groups == 2);
  STATIC_REQUIRE(Layout::compute_threads == 384);
  STATIC_REQUIRE(Layout::group_first_warp(1) == 13);
  STATIC_REQUIRE(Layout::idle_warps == 0);
  STATIC_REQUIRE(WarpLayout<Compute<4>>::compute_groups == 1);
  STATIC_REQUIRE_FALSE(WarpLayout<Compute<4>, Compute<4>>::is_specialized);
}

TEST_CASE("idle warps complete warpgroups where roles have budgets, and only there", "[layout][registers]") {
  // Two DMA groups of one warp share the third warpgroup.
  using Shared = WarpLayout<Compute<8, Registers{232}>, Dma<1, Registers{40}>, Dma<1, Registers{40}>>;
  STATIC_REQUIRE(Shared::warps == 12);
  STATIC_REQUIRE(Shared::idle_warps == 2);
  STATIC_REQUIRE(Shared::group_first_warp(1) == 9);
  STATIC_REQUIRE(Shared::launch_registers == 168);
  // A role with another budget begins a warpgroup.
  using Apart = WarpLayout<Compute<2, Registers{200}>, Dma<1, Registers{40}>, Dma<5, Registers{24}>>;
  STATIC_REQUIRE(Apart::group_first_warp(0) == 4);
  STATIC_REQUIRE(Apart::group_first_warp(1) == 8);
  STATIC_REQUIRE(Apart::warps == 16);
  STATIC_REQUIRE(Apart::idle_warps == 2 + 3 + 3);
  STATIC_REQUIRE(WarpLayout<Compute<8>, Dma<1>, Dma<1>>::idle_warps == 0);
  STATIC_REQUIRE(WarpLayout<Compute<4, Registers{200}>, Dma<4, Registers{40}>>::idle_warps == 0);
}

TEST_CASE("a CTA alone on its SM is launched with what ptxas lets its threads have", "[layout][registers]") {
  // ptxas 13.0, sm_90a, __launch_bounds__(32 * warps, 1): the registers of a kernel that wants all. A thread of 8 warps
  // names 255 of its 256.
  const int used[33] = {0,  255, 255, 255, 255, 255, 255, 255, 255, 168, 168, 168, 168, 128, 128, 128, 128,
                        96, 96,  96,  96,  80,  80,  80,  80,  72,  72,  72,  72,  64,  64,  64,  64};
  const auto check = [&]<int Warps>() {
    REQUIRE(WarpLayout<Compute<Warps>>::launch_registers == (used[Warps] == 255 ? 256 : used[Warps]));
  };
  [&]<int... Before>(std::integer_sequence<int, Before...>) { (check.template operator()<Before + 1>(), ...); }
  (std::make_integer_sequence<int, 32>{});
  STATIC_REQUIRE(WarpLayout<Compute<16>, Dma<1>>::launch_registers == 96);
}
