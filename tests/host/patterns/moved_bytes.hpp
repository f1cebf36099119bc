#pragma once

/// What the law tests of patterns share: a description of what moves that knows nothing of runs, and a bench that moves
/// it by every engine and compares every byte.

#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/engines/tensor/tensor_copy.hpp>
#include <dma/host/emulation/single_group_emulator.hpp>
#include <dma/host/host_copy.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace moved_bytes {

constexpr unsigned char poison = 0xee;
constexpr int guard = 64;  // bytes around the allowed range that must not be touched

/// Cases that the tests of each pattern run at least. A case is one value of a pattern, moved one way by one engine.
namespace at_least {
constexpr long long sequential = 340'000;
constexpr long long strided = 550'000;
constexpr long long indirect = 26'000;
constexpr long long transpose = 24'000;
constexpr long long tile2d = 45'000;
constexpr long long tile3d = 108'000;
constexpr long long swizzled = 106'000;
constexpr long long halo2d = 46'000;
constexpr long long halo3d = 43'000;
constexpr long long concat = 20'000;
constexpr long long repeat = 38'000;
static_assert(sequential + strided + indirect + transpose + tile2d + tile3d + swizzled + halo2d + halo3d + concat +
                  repeat >=
              1'300'000);
}  // namespace at_least

/// An element of any size.
template <int Size>
struct Block {
  unsigned char bytes[Size];
};
struct Rgb {
  unsigned char r, g, b;
};
struct Vector3 {
  float x, y, z;
};
struct alignas(16) Quad {
  float x, y, z, w;
};

/// The position of each byte of a tile on both sides, and the value of padding bytes, as nested loops over matrix
/// coordinates have it: they know nothing of runs, pieces or engines.
struct Expectation {
  struct Byte {
    long long global;
    int shared;
  };
  struct Fill {
    int shared;
    unsigned char value;
  };
  std::vector<Byte> bytes;
  std::vector<Fill> fills;

  void element(long long global, int shared, int size) {
    for (int byte = 0; byte < size; ++byte) {
      bytes.push_back({global + byte, shared + byte});
    }
  }
  template <class T>
  void fill(int shared, const T& value) {
    unsigned char value_bytes[sizeof(T)];
    std::memcpy(value_bytes, &value, sizeof(T));
    for (const unsigned char byte : value_bytes) {
      fills.push_back({shared++, byte});
    }
  }
};

/// Memory with an origin in its middle, `reach` bytes to either side.
class Memory {
 public:
  explicit Memory(int reach) : reach_(reach), bytes_(static_cast<std::size_t>(2 * reach + 256), poison) {}

  /// Every byte tells its place from its neighbours'.
  void number() {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
    }
  }
  /// The `odd`-th multiple of `alignment` after the middle: for odd numbers, of no greater power of two.
  [[nodiscard]] unsigned char* origin(int alignment, int odd) {
    const auto middle = reinterpret_cast<std::uintptr_t>(bytes_.data()) + static_cast<std::uintptr_t>(reach_);
    const std::uintptr_t aligned = (middle + 15) / 16 * 16 - 16;
    return bytes_.data() + (aligned - reinterpret_cast<std::uintptr_t>(bytes_.data())) + alignment * odd;
  }

 private:
  int reach_;
  std::vector<unsigned char> bytes_;
};

struct OpenSlot {
  unsigned char* tile;
  int* waits;
  [[nodiscard]] unsigned char* data() const { return tile; }
  [[nodiscard]] unsigned char* data_per_lane() const { return tile; }
  [[nodiscard]] void* full_barrier() const { return nullptr; }
  void wait_until_empty() const { ++*waits; }
  void wait_until_full() const { ++*waits; }
};

/// The memories that the cases of some patterns share, and the sizes of the groups that move them.
template <int Warps, int OtherWarps>
class Bench {
 public:
  Bench(dma::host::detail::SingleGroupEmulator& warps, int reach) : warps_(warps), source_(reach), destination_(reach) {
    source_.number();
  }

  long long shapes = 0;  ///< that were checked
  long long cases = 0;   ///< shapes x engines x directions

  /// One value of a pattern, moved both ways: by registers, at once and in rounds, by `memcpy`, and by
  /// each other engine that takes it.
  template <class Pattern>
  void check(const Pattern& pattern, int odd, const Expectation& expected) {
    using FewInFlight = dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = 3}>;
    ++shapes;
    add(moves<dma::RegisterCopy<>, 32 * Warps>(pattern, odd, expected));
    add(moves<FewInFlight, 32 * OtherWarps>(pattern, odd, expected));
    add(moves<dma::host::HostCopy, 32>(pattern, odd, expected));
    if constexpr (dma::AsyncCopy<>::can_move<Pattern>) {
      add(moves<dma::AsyncCopy<>, 32 * OtherWarps>(pattern, odd, expected));
    }
    if constexpr (dma::BulkCopy<>::can_move<Pattern>) {
      add(moves<dma::BulkCopy<>, 32 * Warps>(pattern, odd, expected));
    }
  }

  /// The same by tensor map, loaded by one warp, which reports so many bytes.
  template <class Pattern>
  [[nodiscard]] bool loads_by_map(const Pattern& pattern, const Expectation& expected, int copied_bytes) {
    unsigned char* const actual = tile_with_guards();
    constexpr std::size_t size = Pattern::tile_bytes + 2 * guard;
    std::memset(actual, poison, size);
    const unsigned char* const source = source_.origin(16, 1);
    const auto map = dma::host::tensor_map(reinterpret_cast<const typename Pattern::Element*>(source), pattern);
    int waits = 0;
    int bytes = 0;
    warps_.run(32, [&](int thread) {
      bytes = dma::TensorCopy<>::load<Pattern, 32>(pattern, map, thread, OpenSlot{actual + guard, &waits});
    });
    return waits == 32 && bytes == copied_bytes && is_expected(actual, size, source, expected);
  }

 private:
  void add(bool is_right) {
    CAPTURE(shapes);
    REQUIRE(is_right);
    cases += 2;
  }

  template <class Engine, int Threads, class Pattern>
  bool moves(const Pattern& pattern, int odd, const Expectation& expected) {
    return loads<Engine, Threads>(pattern, odd, expected) && stores<Engine, Threads>(pattern, odd, expected);
  }

  template <class Engine, int Threads, class Pattern>
  bool loads(const Pattern& pattern, int odd, const Expectation& expected) {
    static_assert(Pattern::tile_bytes <= max_tile_bytes);
    unsigned char* const actual = tile_with_guards();
    constexpr std::size_t size = Pattern::tile_bytes + 2 * guard;
    std::memset(actual, poison, size);
    const unsigned char* const source = source_.origin(alignment_of<Pattern>(), odd);
    int waits = 0;
    warps_.run(Threads, [&](int thread) {
      Engine::template load<Pattern, Threads>(pattern, source, thread, OpenSlot{actual + guard, &waits});
    });
    return waits == Threads && is_expected(actual, size, source, expected);
  }

  template <class Engine, int Threads, class Pattern>
  bool stores(const Pattern& pattern, int odd, const Expectation& expected) {
    unsigned char* const tile = tile_with_guards() + guard;
    for (int i = 0; i < Pattern::tile_bytes; ++i) {
      tile[i] = static_cast<unsigned char>(1 + i % 97);
    }
    unsigned char* const destination = destination_.origin(alignment_of<Pattern>(), odd);
    int waits = 0;
    warps_.run(Threads, [&](int thread) {
      Engine::template store<Pattern, Threads>(pattern, destination, thread, OpenSlot{tile, &waits});
    });
    return waits == Threads && is_written(tile, destination, expected);
  }

  /// The whole tile, with the gaps between its rows and around it.
  static bool is_expected(const unsigned char* actual, std::size_t size, const unsigned char* source,
                          const Expectation& expected) {
    static std::vector<unsigned char> wanted;
    wanted.assign(size, poison);
    for (const auto& byte : expected.bytes) {
      wanted[static_cast<std::size_t>(guard + byte.shared)] = source[byte.global];
    }
    for (const auto& fill : expected.fills) {
      wanted[static_cast<std::size_t>(guard + fill.shared)] = fill.value;
    }
    return std::memcmp(actual, wanted.data(), size) == 0;
  }

  /// The whole destination around the tile's range is compared and made poison again.
  static bool is_written(const unsigned char* tile, unsigned char* destination, const Expectation& expected) {
    long long first = 0;
    long long last = 0;
    bool is_right = true;
    for (const auto& byte : expected.bytes) {
      is_right = is_right && destination[byte.global] == tile[byte.shared];
      destination[byte.global] = poison;
      first = std::min(first, byte.global);
      last = std::max(last, byte.global);
    }
    return is_right && std::all_of(destination + first - guard, destination + last + guard,
                                   [](unsigned char byte) { return byte == poison; });
  }

  template <class Pattern>
  static constexpr int alignment_of() {
    constexpr int alignment = dma::detail::source_alignment_of<Pattern>();
    return alignment < 16 ? alignment : 16;
  }

  static constexpr int max_tile_bytes = 512 * 1024;
  /// On a multiple of 16 and of nothing more, as the guard zone is.
  static unsigned char* tile_with_guards() {
    alignas(128) static unsigned char bytes[max_tile_bytes + 2 * guard + 16];
    return bytes + 16;
  }

  dma::host::detail::SingleGroupEmulator& warps_;
  Memory source_;
  Memory destination_;
};

/// Benches for groups of 1, 2, 3, 5, 8 and 16 warps.
struct Benches {
  dma::host::detail::SingleGroupEmulator warps;
  Bench<1, 5> one;
  Bench<3, 16> three;
  Bench<8, 2> eight;

  explicit Benches(int reach) : one(warps, reach), three(warps, reach), eight(warps, reach) {}
  [[nodiscard]] long long cases() const { return one.cases + three.cases + eight.cases; }
};

}  // namespace moved_bytes
