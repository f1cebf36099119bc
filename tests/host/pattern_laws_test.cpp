#include <dma/engines/host_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/strided.hpp>

#include "host/lone_warps.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr int guard = 64;  // bytes around the tile that nobody may touch
constexpr unsigned char poison = 0xee;

/// A source of bytes that tell their places apart, around an origin that rows may leave upwards.
class Source {
 public:
  explicit Source(int reach) : reach_(reach), bytes_(static_cast<std::size_t>(2 * reach + 16)) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
    }
  }
  /// The `odd`-th address that is a multiple of `alignment`, for odd numbers one of no greater power of two.
  [[nodiscard]] const unsigned char* origin(int alignment, int odd) const {
    const auto middle = reinterpret_cast<std::uintptr_t>(bytes_.data() + reach_);
    const std::uintptr_t aligned = (middle + 15) / 16 * 16 - 16;
    return bytes_.data() + (aligned - reinterpret_cast<std::uintptr_t>(bytes_.data())) + alignment * odd;
  }

 private:
  int reach_;
  std::vector<unsigned char> bytes_;
};

struct TileMemory {
  explicit TileMemory(int tile_bytes) : bytes(static_cast<std::size_t>(tile_bytes + 2 * guard + 16), poison) {}
  [[nodiscard]] unsigned char* tile() {
    return reinterpret_cast<unsigned char*>((reinterpret_cast<std::uintptr_t>(bytes.data()) + guard + 15) / 16 * 16);
  }
  std::vector<unsigned char> bytes;
};

struct OpenSlot {
  unsigned char* tile;
  int* waits;
  [[nodiscard]] unsigned char* data() const { return tile; }
  void wait_until_empty() const { ++*waits; }
};

/// Moves a tile with every thread of a group in turn. Whether memory is then what `expect(tile)` makes of poison.
template <class Engine, int Threads, class Pattern, class Expect>
bool moves(const Pattern& pattern, const unsigned char* source, const Expect& expect) {
  TileMemory expected(Pattern::tile_bytes);
  TileMemory actual(Pattern::tile_bytes);
  expect(expected.tile());
  int waits = 0;
  for (int thread = 0; thread < Threads; ++thread) {
    Engine::template load<Pattern, Threads>(pattern, source, thread, OpenSlot{actual.tile(), &waits});
  }
  const auto first = static_cast<std::size_t>(actual.tile() - actual.bytes.data());
  const auto shift = static_cast<std::size_t>(expected.tile() - expected.bytes.data());
  const auto size = static_cast<std::size_t>(Pattern::tile_bytes);
  return waits == Threads && std::equal(actual.tile(), actual.tile() + size, expected.tile()) &&
         std::all_of(actual.bytes.begin(), actual.bytes.begin() + static_cast<long>(first),
                     [](auto b) { return b == poison; }) &&
         std::all_of(actual.bytes.begin() + static_cast<long>(first + size), actual.bytes.end(),
                     [](auto b) { return b == poison; }) &&
         shift >= guard;
}

/// One shape, moved by several groups and tunings.
template <class Pattern, class Expect>
void check(const Pattern& pattern, const unsigned char* source, const Expect& expect) {
  using Copy = dma::RegisterCopy<>;
  using FewInFlight = dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = 3, .short_tile_loads = 2}>;
  REQUIRE(moves<Copy, 32>(pattern, source, expect));
  REQUIRE(moves<FewInFlight, 32>(pattern, source, expect));
  REQUIRE(moves<Copy, 96>(pattern, source, expect));
  REQUIRE(moves<Copy, 128>(pattern, source, expect));
  REQUIRE(moves<dma::HostCopy, 32>(pattern, source, expect));
}

struct Rgb {
  unsigned char r, g, b;
};
struct Wide {
  unsigned char bytes[48];
};

template <class T, int Count, int Alignment>
long long check_sequential(const Source& source) {
  using Pattern = dma::Sequential<T, Count, Alignment>;
  long long shapes = 0;
  for (const int odd : {1, 3, 5, 7}) {
    const unsigned char* const from = source.origin(Alignment, odd);
    for (int n = 0; n <= Count; ++n, ++shapes) {
      check(Pattern{n}, from, [&](unsigned char* tile) {
        for (int byte = 0; byte < n * static_cast<int>(sizeof(T)); ++byte) {
          tile[byte] = from[byte];
        }
      });
    }
  }
  return shapes;
}

template <class T, int Count>
long long check_sequential_alignments(const Source& source) {
  return check_sequential<T, Count, 1>(source) + check_sequential<T, Count, 2>(source) +
         check_sequential<T, Count, 4>(source) + check_sequential<T, Count, 8>(source) +
         check_sequential<T, Count, 16>(source);
}

template <class T, int Cols, int Rows, int PitchBytes, int Alignment>
long long check_strided(const Source& source) {
  using Pattern = dma::Strided<T, Cols, Rows, dma::StridedLayout{PitchBytes, Alignment}>;
  constexpr int size = sizeof(T);
  const long long unit = std::max<long long>(Alignment, 1);
  long long shapes = 0;
  for (const long long pitch : {Cols * size + 0LL, Cols * size + unit, Cols * size + 3 * unit, -(Cols * size + unit),
                                -16 * unit, 0LL, unit, 16 * unit, 21 * unit}) {
    for (int rows = 0; rows <= Rows; ++rows) {
      for (int cols = 0; cols <= Cols; ++cols) {
        if (cols * size % Alignment != 0 && rows > 1) {
          continue;  // the law of several runs: lengths are multiples of the alignment
        }
        const unsigned char* const from = source.origin(Alignment, 1);
        ++shapes;
        check(Pattern{pitch, rows, cols}, from, [&](unsigned char* tile) {
          for (int row = 0; row < rows; ++row) {
            for (int byte = 0; byte < cols * size; ++byte) {
              tile[row * PitchBytes + byte] = from[row * pitch + byte];
            }
          }
        });
      }
    }
  }
  return shapes;
}

template <class Pattern>
void check_runs(const Pattern& pattern) {
  std::vector<int> covered(static_cast<std::size_t>(Pattern::tile_bytes), 0);
  REQUIRE(pattern.run_count() <= Pattern::max_run_count);
  int bytes = 0;
  for (int i = 0; i < pattern.run_count(); ++i) {
    const dma::Run run = pattern.run_at(i);
    REQUIRE(run.bytes <= Pattern::max_run_bytes);
    REQUIRE(run.destination % Pattern::run_alignment == 0);
    for (int byte = 0; byte < run.bytes; ++byte) {
      REQUIRE(++covered.at(static_cast<std::size_t>(run.destination + byte)) == 1);
    }
    bytes += run.bytes;
  }
  REQUIRE(bytes == pattern.size() * static_cast<int>(sizeof(typename Pattern::Element)));
}

}  // namespace

TEST_CASE("sequential and strided tiles arrive whole, and nothing beside them", "[laws]") {
  const LoneWarps warps;
  const Source source(16 * 1024);
  long long shapes = 0;

  shapes += check_sequential_alignments<std::uint8_t, 1700>(source);
  shapes += check_sequential_alignments<std::uint16_t, 300>(source);
  shapes += check_sequential_alignments<Rgb, 333>(source);
  shapes += check_sequential_alignments<float, 700>(source);
  shapes += check_sequential_alignments<double, 256>(source);
  shapes += check_sequential_alignments<Wide, 40>(source);

  shapes += check_strided<std::uint8_t, 16, 8, 16, 16>(source);
  shapes += check_strided<std::uint8_t, 7, 9, 11, 1>(source);
  shapes += check_strided<std::uint8_t, 33, 5, 40, 1>(source);
  shapes += check_strided<std::uint16_t, 20, 9, 44, 2>(source);
  shapes += check_strided<Rgb, 12, 7, 36, 1>(source);
  shapes += check_strided<float, 5, 12, 20, 4>(source);
  shapes += check_strided<float, 32, 16, 128, 16>(source);
  shapes += check_strided<float, 32, 16, 144, 16>(source);
  shapes += check_strided<float, 24, 16, 96, 8>(source);
  shapes += check_strided<float, 96, 6, 400, 16>(source);
  shapes += check_strided<float, 260, 3, 1040, 16>(source);
  shapes += check_strided<float, 256, 8, 1024, 16>(source);
  shapes += check_strided<double, 6, 30, 48, 8>(source);
  shapes += check_strided<double, 6, 30, 56, 8>(source);
  shapes += check_strided<Wide, 3, 10, 144, 16>(source);
  shapes += check_strided<Wide, 1, 70, 48, 16>(source);

  REQUIRE(shapes >= 100000);
}

TEST_CASE("runs are disjoint, inside the tile, aligned, and add up to the tile's elements", "[laws]") {
  for (int n = 0; n <= 77; ++n) {
    check_runs(dma::Sequential<Rgb, 77>{n});
  }
  for (int rows = 0; rows <= 6; ++rows) {
    for (int cols = 0; cols <= 12; ++cols) {
      check_runs(dma::Strided<float, 12, 6>{-64, rows, cols});
      check_runs(dma::Strided<float, 12, 6, dma::StridedLayout{.destination_pitch_bytes = 52}>{48, rows, cols});
    }
  }
}

TEST_CASE("a strided element has the index at which its bytes arrive", "[laws]") {
  using Pattern = dma::Strided<float, 12, 6, dma::StridedLayout{.destination_pitch_bytes = 64}>;
  for (int row = 0; row < 6; ++row) {
    for (int col = 0; col < 12; ++col) {
      REQUIRE(Pattern::index(row, col) == row * 16 + col);
    }
  }
}

TEST_CASE("patterns take the widest access that their shape allows", "[laws]") {
  STATIC_REQUIRE(dma::Sequential<float, 1024>::run_alignment == 16);
  STATIC_REQUIRE(dma::Sequential<float, 1023>::run_alignment == 4);
  STATIC_REQUIRE(dma::Sequential<Rgb, 10>::run_alignment == 2);
  STATIC_REQUIRE(dma::Strided<float, 32, 8>::run_alignment == 16);
  STATIC_REQUIRE(dma::Strided<float, 32, 8, dma::StridedLayout{.destination_pitch_bytes = 132}>::run_alignment == 4);
  STATIC_REQUIRE(dma::Strided<double, 3, 8>::run_alignment == 8);
}
