#include <dma/proof/record/access_detector.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/global_memory.hpp>
#include <dma/proof/record/touched_bytes.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <vector>

using dma::machine::Access;
using dma::proof::detail::AccessDetector;
using dma::proof::detail::Accesses;
using dma::proof::detail::ByteRanges;
using dma::proof::detail::GlobalMemory;

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

TEST_CASE("touched bytes are given back as ranges, once", "[proof][access]") {
  constexpr long long bytes = 300;
  std::minstd_rand random(7);
  dma::proof::detail::TouchedBytes touched(bytes);
  for (int round = 0; round < 200; ++round) {
    std::vector<bool> expected(bytes + 1);
    for (int access = 0; access < round % 7; ++access) {
      const auto first = static_cast<long long>(random() % (bytes - 1));
      const long long last = std::min(bytes, first + 1 + static_cast<long long>(random() % (round % 2 == 0 ? 8 : 200)));
      touched.add({first, last});
      std::fill(expected.begin() + first, expected.begin() + last, true);
    }
    ByteRanges ranges;
    touched.take(ranges);
    REQUIRE(dma::proof::detail::is_tidy(ranges));
    std::vector<bool> found(bytes + 1);
    for (const auto& range : ranges) {
      std::fill(found.begin() + range.first, found.begin() + range.last, true);
    }
    REQUIRE(found == expected);
  }
}

TEST_CASE("global memory is shared where two users meet, one with a write", "[proof][access]") {
  struct Use {
    dma::proof::detail::ByteRange bytes;
    GlobalMemory::User user;
    bool writes;
  };
  const std::array users{GlobalMemory::thread(0), GlobalMemory::thread(1), GlobalMemory::copy, GlobalMemory::atomics};
  std::minstd_rand random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Use> uses;
    GlobalMemory memory;
    for (int i = 0; i < 4; ++i) {
      const long long first = dma::proof::detail::first_global + 4090 + static_cast<long long>(random() % 12);
      const GlobalMemory::User user = users.at(random() % users.size());
      const bool writes = user == GlobalMemory::atomics || random() % 2 == 0;
      uses.push_back({{first, first + 1 + static_cast<long long>(random() % 3)}, user, writes});
      memory.use(uses.back().bytes, user, writes);
    }
    for (std::size_t one = 0; one < uses.size(); ++one) {
      bool expected = false;
      for (std::size_t other = 0; other < uses.size(); ++other) {
        // Two copies are two users; so are two threads, but not two accesses by one, nor two atomic ones.
        const bool are_two = uses[one].user != uses[other].user || uses[one].user == GlobalMemory::copy;
        const bool meet =
            uses[one].bytes.first < uses[other].bytes.last && uses[other].bytes.first < uses[one].bytes.last;
        expected = expected || (one != other && are_two && meet && (uses[one].writes || uses[other].writes));
      }
      // More is shared than has to be, never less: where others meet at the bytes, or two read what is written.
      const bool is_shared = memory.is_shared(uses[one].bytes, uses[one].user);
      REQUIRE((is_shared || !expected));
    }
    const bool any_meet =
        memory.is_shared({dma::proof::detail::first_global, dma::proof::detail::first_global + 8192}, users[0]);
    const bool any_twice = std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
      return std::any_of(uses.begin(), uses.end(), [&](const Use& other) {
        return &use != &other && use.bytes.first < other.bytes.last && other.bytes.first < use.bytes.last;
      });
    });
    const bool any_atomic =
        std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.user == GlobalMemory::atomics; });
    REQUIRE((any_twice || any_atomic || !any_meet));
  }
}
