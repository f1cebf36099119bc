#include <dma/host/emulation/memory/own_heap.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

using dma::host::detail::OwnHeap;

struct Block {
  unsigned char* place;
  std::size_t bytes;
  unsigned char value;
};

TEST_CASE("blocks of the threads' own heap are aligned, apart and known by each byte", "[repeat][heap]") {
  const auto heap = std::make_unique<OwnHeap>();
  std::vector<Block> blocks;
  const auto allocate = [&](std::size_t bytes, std::size_t alignment) {
    auto* const place = static_cast<unsigned char*>(heap->allocate(bytes, alignment));
    CAPTURE(bytes, alignment);
    REQUIRE(place != nullptr);
    REQUIRE(reinterpret_cast<std::uintptr_t>(place) % alignment == 0);
    REQUIRE(heap->contains(place));
    REQUIRE(heap->contains(place + bytes - 1));
    blocks.push_back({place, bytes, static_cast<unsigned char>(blocks.size())});
    std::memset(place, blocks.back().value, bytes);
  };
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t bytes : {1, 16, 17, 100, 4096, 70'000, 3'000'000, 5'000'000, 9'000'000}) {
      for (const std::size_t alignment : {16, 64, 4096}) {
        allocate(bytes, alignment);
      }
    }
    allocate(64, std::size_t{8} << 20);
    // Every second block is given back, and its memory used again.
    std::vector<Block> kept;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i % 2 == 0) {
        heap->release(blocks[i].place);
      } else {
        kept.push_back(blocks[i]);
      }
    }
    blocks = kept;
  }
  for (const Block& block : blocks) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < block.bytes; ++i) {
      wrong += block.place[i] != block.value ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the threads' own heap knows no other memory", "[repeat][heap]") {
  const auto heap = std::make_unique<OwnHeap>();
  static int global = 0;
  const int local = 0;
  const auto other = std::make_unique<int>(0);
  CHECK_FALSE(heap->contains(nullptr));
  void* const large = heap->allocate(std::size_t{32} << 20, 16);
  void* const small = heap->allocate(16, 16);
  REQUIRE(large != nullptr);
  REQUIRE(small != nullptr);
  for (const void* const place : {static_cast<const void*>(&global), static_cast<const void*>(&local),
                                  static_cast<const void*>(other.get()), reinterpret_cast<const void*>(UINTPTR_MAX)}) {
    CHECK_FALSE(heap->contains(place));
  }
  heap->release(large);
  CHECK_FALSE(heap->contains(large));
  CHECK(heap->contains(small));
}

TEST_CASE("a block that is given back is the next one of its size", "[repeat][heap]") {
  const auto heap = std::make_unique<OwnHeap>();
  void* const block = heap->allocate(100, 16);
  void* const next = heap->allocate(100, 16);
  heap->release(block);
  CHECK(heap->allocate(128, 16) == block);
  CHECK(heap->allocate(65, 16) != next);
}

TEST_CASE("the threads' own heap says that there is no memory", "[repeat][heap]") {
  const auto heap = std::make_unique<OwnHeap>();
  CHECK(heap->allocate(SIZE_MAX, 16) == nullptr);
  CHECK(heap->allocate(16, std::size_t{1} << 62) == nullptr);
  CHECK(heap->allocate(std::size_t{1} << 46, 16) == nullptr);
  CHECK(heap->allocate(16, 16) != nullptr);
}

}  // namespace
