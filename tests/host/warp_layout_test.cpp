#include <dma/roles/warp_layout.hpp>

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
    int computing = 0;
    int moving[4] = {};
    for (int warp = 0; warp < Layout::warps; ++warp) {
      const int group = Layout::group_of_warp(warp);
      if (group < 0) {
        ++computing;
      } else {
        REQUIRE(warp == Layout::group_first_warp(group) + moving[group]);
        ++moving[group];
      }
    }
    REQUIRE(computing == Layout::compute_warps);
    for (int group = 0; group < Layout::groups; ++group) {
      REQUIRE(moving[group] == Layout::group_warps(group));
    }
  };
  check.operator()<WarpLayout<Compute<1>>>();
  check.operator()<WarpLayout<Compute<1>, Dma<1>>>();
  check.operator()<WarpLayout<Compute<8>, Dma<4>, Dma<4>>>();
  check.operator()<WarpLayout<Compute<2>, Dma<3>, Dma<1>, Dma<7>, Dma<2>>>();
  check.operator()<WarpLayout<Compute<31>, Dma<1>>>();
}

TEST_CASE("roles have the registers that they are given, none where they are given none", "[layout][registers]") {
  using Layout = WarpLayout<Compute<8, Registers<216>>, Dma<4, Registers<32>>, Dma<4, Registers<24>>>;
  STATIC_REQUIRE(Layout::has_register_budgets);
  STATIC_REQUIRE(Layout::compute_registers == 216);
  STATIC_REQUIRE(Layout::group_registers(0) == 32);
  STATIC_REQUIRE(Layout::group_registers(1) == 24);
  STATIC_REQUIRE(Layout::group_registers(2) == 0);
  STATIC_REQUIRE(Layout::launch_registers == 128);

  using Without = WarpLayout<Compute<8>, Dma<4>>;
  STATIC_REQUIRE_FALSE(Without::has_register_budgets);
  STATIC_REQUIRE(Without::compute_registers == 0);
  STATIC_REQUIRE(Without::group_registers(0) == 0);
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
