#include <dma/patterns/sequential.hpp>

#include "host/patterns/moved_bytes.hpp"

#include <cstdint>

using namespace moved_bytes;

namespace {

template <class T, int Count, int Alignment>
void check_sequential(auto& bench) {
  for (const int odd : {1, 3, 5, 7}) {
    for (int n = 0; n <= Count; ++n) {
      Expectation expected;
      expected.element(0, 0, n * static_cast<int>(sizeof(T)));
      bench.check(dma::Sequential<T, Count, Alignment>{n}, odd, expected);
    }
  }
}

template <class T, int Count>
void check_alignments(Benches& benches) {
  check_sequential<T, Count, 1>(benches.one);
  check_sequential<T, Count, 2>(benches.three);
  check_sequential<T, Count, 4>(benches.eight);
  check_sequential<T, Count, 8>(benches.three);
  check_sequential<T, Count, 16>(benches.one);
}

}  // namespace

TEST_CASE("sequential tiles of every length arrive and leave whole, and nothing beside them", "[laws]") {
  Benches benches(300 * 1024);
  check_alignments<std::uint8_t, 1300>(benches);
  check_alignments<std::uint16_t, 300>(benches);
  check_alignments<Rgb, 333>(benches);
  check_alignments<float, 500>(benches);
  check_alignments<double, 256>(benches);
  check_alignments<Vector3, 65>(benches);
  check_sequential<Quad, 64, 16>(benches.one);
  check_sequential<Quad, 64, 16>(benches.three);
  check_sequential<Block<48>, 64, 16>(benches.eight);
  check_sequential<Block<48>, 64, 1>(benches.three);
  check_sequential<Block<100>, 64, 4>(benches.one);
  check_sequential<Block<100>, 64, 16>(benches.eight);
  check_sequential<Block<256>, 64, 16>(benches.three);
  check_sequential<Block<1000>, 64, 8>(benches.one);
  check_sequential<Block<1000>, 64, 16>(benches.three);
  check_sequential<Block<4096>, 64, 16>(benches.one);
  check_sequential<Block<4096>, 64, 16>(benches.eight);
  REQUIRE(benches.cases() >= at_least::sequential);
}
