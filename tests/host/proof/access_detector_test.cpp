#include <dma/proof/record/access_detector.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstddef>

using dma::host::AccessDetector;
using dma::host::Accesses;
using dma::host::ByteRanges;
using dma::machine::Access;

namespace {

constexpr std::size_t element = sizeof(int);

Accesses take(AccessDetector& detector) {
  Accesses accesses;
  detector.take(accesses);
  return accesses;
}

/// The shared memory of a CTA: 16 elements, numbered.
std::array<int, 16> numbered() {
  std::array<int, 16> shared{};
  for (int i = 0; i < 16; ++i) {
    shared[static_cast<std::size_t>(i)] = i;
  }
  return shared;
}

}  // namespace

TEST_CASE("reported accesses count from the first byte of shared memory", "[proof]") {
  const auto shared = numbered();
  AccessDetector accesses(&shared[0]);
  REQUIRE(accesses.is_idle());
  accesses.touch(&shared[2], 2 * element, Access::read);
  accesses.touch(&shared[5], element, Access::write);
  REQUIRE(!accesses.is_idle());
  const auto [reads, writes] = take(accesses);
  REQUIRE(reads == ByteRanges{{8, 16}});
  REQUIRE(writes == ByteRanges{{20, 24}});
  REQUIRE(accesses.is_idle());
}

TEST_CASE("a reference is written where its bytes change, and read elsewhere", "[proof]") {
  auto shared = numbered();
  AccessDetector accesses(&shared[0]);
  accesses.touch(&shared[1], element, Access::either);
  accesses.touch(&shared[3], element, Access::either);
  shared[3] = -1;
  const auto [reads, writes] = take(accesses);
  REQUIRE(reads == ByteRanges{{4, 8}});
  REQUIRE(writes == ByteRanges{{12, 16}});
}

TEST_CASE("elements that change in an exposed tile are written, each once", "[proof]") {
  auto shared = numbered();
  AccessDetector accesses(&shared[0]);
  accesses.begin_exposure(&shared[4], 8 * element, element, Access::either);
  shared[4] = -1;
  shared[7] = -1;
  const auto first = take(accesses);
  REQUIRE(first.reads == ByteRanges{{16, 48}});
  REQUIRE(first.writes == ByteRanges{{16, 20}, {28, 32}});
  REQUIRE(take(accesses).writes.empty());

  accesses.end_exposure(&shared[4]);
  shared[5] = -1;
  const auto [reads, writes] = take(accesses);
  REQUIRE(reads.empty());
  REQUIRE(writes.empty());
}

TEST_CASE("what other threads change in an exposed tile is not written by this one", "[proof]") {
  auto shared = numbered();
  AccessDetector accesses(&shared[0]);
  accesses.begin_exposure(&shared[0], 16 * element, element, Access::write);
  shared[9] = -1;
  accesses.take_snapshots();
  shared[10] = -1;
  const auto [reads, writes] = take(accesses);
  REQUIRE(reads.empty());
  REQUIRE(writes == ByteRanges{{40, 44}});
}
