#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace dma::inline v0_1::host::detail {

/// The heap that emulated threads allocate themselves, in a kernel or in this library. It is no memory of a GPU's: a
/// block may serve one thread after another without an order between them.
///
/// It maps memory by the chunk. Blocks of 2^n bytes have chunks of their own, and a table with a byte for each chunk of
/// the address space says which, so that one load tells the heap's memory from other memory.
///
/// Cost    64 MiB of addresses for the table, of which the pages of mapped chunks take memory
class OwnHeap {
 public:
  /// Null where the process gets no more memory.
  ///
  /// @param alignment  a power of two
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
    if (std::max(bytes, alignment) > most) {
      return nullptr;
    }
    const std::size_t size = std::bit_ceil(std::max({bytes, alignment, least}));
    const auto exponent = static_cast<std::size_t>(std::countr_zero(size));
    const Lock lock(is_locked_);
    if (size >= chunk_bytes) {
      return reinterpret_cast<void*>(map(size, exponent));
    }
    Blocks& blocks = blocks_[exponent];
    if (blocks.free != nullptr) {
      return std::exchange(blocks.free, blocks.free->next);
    }
    if (blocks.unused == blocks.end) {
      const std::uintptr_t chunk = map(chunk_bytes, exponent);
      if (chunk == 0) {
        return nullptr;
      }
      blocks.unused = chunk;
      blocks.end = chunk + chunk_bytes;
    }
    return reinterpret_cast<void*>(std::exchange(blocks.unused, blocks.unused + size));
  }
  [[nodiscard]] bool contains(const void* place) const {
    const std::uintptr_t chunk = reinterpret_cast<std::uintptr_t>(place) / chunk_bytes;
    return chunk < exponents_.size() && exponents_[chunk] != 0;
  }
  /// @pre `allocate` gave the block.
  void release(void* block) {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const Lock lock(is_locked_);
    const std::size_t exponent = exponents_[address / chunk_bytes];
    const std::size_t size = std::size_t{1} << exponent;
    if (size >= chunk_bytes) {
      mark(address, size, 0);
      munmap(block, size);
    } else {
      blocks_[exponent].free = new (block) Block{blocks_[exponent].free};
    }
  }

 private:
  static constexpr std::size_t least = 16;
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
  static constexpr std::size_t address_bits = 48;
  static constexpr std::size_t most = std::size_t{1} << (address_bits - 2);
  struct Block {
    Block* next;
  };
  /// Blocks of one size.
  struct Blocks {
    Block* free = nullptr;
    std::uintptr_t unused = 0;  ///< up to `end`, of the chunk that was mapped last
    std::uintptr_t end = 0;
  };
  class Lock {
   public:
    explicit Lock(std::atomic_flag& flag) : flag_(flag) {
      while (flag_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Lock() { flag_.clear(std::memory_order_release); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    std::atomic_flag& flag_;
  };

  /// Chunks for blocks of 2^exponent bytes, aligned to `bytes`; 0 where there is no room.
  [[nodiscard]] std::uintptr_t map(std::size_t bytes, std::size_t exponent) {
    void* const mapped =
        mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      return 0;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t aligned = (first + bytes - 1) / bytes * bytes;
    if (aligned != first) {
      munmap(mapped, aligned - first);
    }
    munmap(reinterpret_cast<void*>(aligned + bytes), first + bytes - aligned);
    if ((aligned + bytes - 1) / chunk_bytes >= exponents_.size()) {
      munmap(reinterpret_cast<void*>(aligned), bytes);
      return 0;
    }
    mark(aligned, bytes, static_cast<unsigned char>(exponent));
    return aligned;
  }
  void mark(std::uintptr_t first, std::size_t bytes, unsigned char exponent) {
    std::fill_n(exponents_.begin() + static_cast<std::ptrdiff_t>(first / chunk_bytes), bytes / chunk_bytes, exponent);
  }

  std::array<Blocks, std::countr_zero(chunk_bytes)> blocks_{};
  std::atomic_flag is_locked_;
  std::array<unsigned char, (std::size_t{1} << address_bits) / chunk_bytes> exponents_{};  ///< of blocks; 0: not ours
};

}  // namespace dma::inline v0_1::host::detail
