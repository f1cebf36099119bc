#include "host/patterns/strided_cases.hpp"

#include <cstdint>

using namespace moved_bytes;

TEST_CASE("strided tiles of every shape arrive and leave whole, and nothing beside them", "[laws]") {
  Benches benches(300 * 1024);
  check_strided<std::uint8_t, 16, 16, 16, 16>(benches.one);
  check_strided<std::uint8_t, 7, 64, 11, 1>(benches.three);
  check_strided<std::uint8_t, 33, 64, 40, 1>(benches.eight);
  check_strided<std::uint16_t, 60, 60, 124, 2>(benches.one);
  check_strided<Rgb, 12, 60, 36, 1>(benches.three);
  check_strided<float, 5, 64, 20, 4>(benches.eight);
  check_strided<float, 32, 64, 128, 16>(benches.one);
  check_strided<float, 32, 64, 144, 16>(benches.three);
  check_strided<float, 24, 64, 96, 8>(benches.eight);
  check_strided<float, 96, 20, 400, 16>(benches.one);
  check_strided<float, 260, 5, 1040, 16>(benches.three);
  check_strided<float, 256, 9, 1024, 16>(benches.eight);
  check_strided<double, 6, 64, 48, 8>(benches.one);
  check_strided<double, 6, 64, 56, 8>(benches.three);
  check_strided<Vector3, 8, 64, 108, 4>(benches.eight);
  check_strided<Quad, 9, 64, 160, 16>(benches.one);
  check_strided<Block<48>, 3, 64, 144, 16>(benches.three);
  check_strided<Block<48>, 1, 64, 48, 16>(benches.eight);
  check_strided<Block<100>, 5, 64, 600, 4>(benches.one);
  check_strided<Block<256>, 2, 64, 768, 16>(benches.three);
  check_strided<Block<1000>, 3, 9, 3000, 8>(benches.eight);
  check_strided<Block<4096>, 1, 4, 4096, 16>(benches.one);
  REQUIRE(benches.cases() >= at_least::strided);
}
