#include <dma/host/laws.hpp>

#include "host/patterns/boxes_cases.hpp"

#include <cstdint>

using namespace moved_bytes;

TEST_CASE("boxes of planes are clipped at every edge of their array and filled outside it", "[laws]") {
  Benches benches(512 * 1024);
  check_tile3d<std::uint8_t, 5, 3, 4, 7, 23, 1>(benches.one, 7);
  check_tile3d<std::uint16_t, 6, 4, 3, 12, 48, 2>(benches.three, 60000);
  check_tile3d<Rgb, 3, 4, 3, 12, 51, 1>(benches.eight, Rgb{1, 2, 3});
  check_tile3d<float, 8, 4, 4, 32, 128, 4>(benches.one, -2.5F);
  check_tile3d<float, 16, 4, 5, 80, 336, 16>(benches.three, 1.0F);
  check_tile3d<double, 3, 5, 4, 24, 136, 8>(benches.eight, 3.25);
  check_tile3d<Vector3, 3, 3, 3, 36, 108, 4>(benches.one, Vector3{1, 2, 3});
  check_tile3d<Quad, 3, 4, 3, 64, 240, 16>(benches.three, Quad{1, 2, 3, 4});
  check_tile3d<Block<48>, 2, 3, 3, 96, 288, 16>(benches.eight, Block<48>{{9}});
  check_tile3d<Block<100>, 2, 2, 3, 200, 500, 4>(benches.one, Block<100>{{8, 7}});
  check_tile3d<Block<256>, 1, 2, 3, 256, 512, 16>(benches.three, Block<256>{{6}});
  check_tile3d<Block<1000>, 2, 1, 3, 2000, 3000, 8>(benches.eight, Block<1000>{{5, 4}});
  check_tile3d<Block<4096>, 1, 2, 2, 4096, 8192, 16>(benches.one, Block<4096>{{3, 2}});
  REQUIRE(benches.cases() >= at_least::tile3d);
}

TEST_CASE("a shell surrounds its tile in three dimensions, with corners or as six faces", "[laws]") {
  constexpr auto with = dma::Corners::included;
  constexpr auto without = dma::Corners::excluded;
  Benches benches(256 * 1024);
  check_halo3d<float, 8, 6, 4, 1, with>(benches.one, -1.0F);
  check_halo3d<float, 5, 4, 3, 2, without>(benches.three, -1.0F);
  check_halo3d<float, 4, 5, 2, 3, with>(benches.eight, 2.5F);
  check_halo3d<float, 2, 2, 2, 4, without>(benches.one, 2.5F);
  check_halo3d<std::uint8_t, 5, 4, 3, 1, without>(benches.three, 9);
  check_halo3d<std::uint16_t, 3, 3, 3, 2, with>(benches.eight, 60000);
  check_halo3d<double, 4, 4, 4, 2, with>(benches.one, 0.5);
  check_halo3d<Rgb, 3, 4, 2, 1, with>(benches.three, Rgb{1, 2, 3});
  check_halo3d<Vector3, 4, 2, 3, 2, without>(benches.eight, Vector3{1, 2, 3});
  check_halo3d<Quad, 3, 2, 3, 1, with>(benches.one, Quad{1, 2, 3, 4});
  check_halo3d<Block<48>, 2, 2, 2, 1, without>(benches.three, Block<48>{{9}});
  check_halo3d<Block<256>, 1, 2, 1, 1, with>(benches.eight, Block<256>{{9}});
  REQUIRE(benches.cases() >= at_least::halo3d);
  REQUIRE(dma::host::broken_law(dma::Halo3D<float, dma::HaloShape{.cols = 8, .rows = 6, .planes = 4, .radius = 2}>{
              80, 1600, 20, 20, 20, 5, 5, 5}) == "");
}
