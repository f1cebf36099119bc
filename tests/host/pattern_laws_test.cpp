#include <dma/engines/host_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/host/laws.hpp>
#include <dma/host/lone_warps.hpp>
#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/transpose.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr unsigned char poison = 0xee;
constexpr int guard = 64;  // bytes around what may be touched that nobody may touch

/// Where each byte of a tile lies on both sides, and what fills the bytes that lie nowhere, as nested loops over matrix
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
};

/// Memory with an origin in its middle, `reach` bytes to either side.
class Memory {
 public:
  explicit Memory(int reach) : reach_(reach), bytes_(static_cast<std::size_t>(2 * reach + 128), poison) {}

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
  [[nodiscard]] void* full_barrier() const { return nullptr; }
  void wait_until_empty() const { ++*waits; }
  void wait_until_full() const { ++*waits; }
};

/// The memories that the cases of one pattern share.
class Bench {
 public:
  explicit Bench(int reach) : source_(reach), destination_(reach) { source_.number(); }

  long long shapes = 0;  ///< that were checked
  long long cases = 0;   ///< shapes x engines x group sizes x directions

  /// One shape, moved both ways by several groups and tunings.
  template <class Pattern>
  void check(const Pattern& pattern, int odd, const Expectation& expected) {
    using Copy = dma::RegisterCopy<>;
    using FewInFlight = dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = 3, .short_tile_loads = 2}>;
    ++shapes;
    check_engine<Copy, 32>(pattern, odd, expected);
    check_engine<FewInFlight, 32>(pattern, odd, expected);
    check_engine<Copy, 96>(pattern, odd, expected);
    check_engine<Copy, 512>(pattern, odd, expected);
    check_engine<dma::HostCopy, 32>(pattern, odd, expected);
  }

 private:
  template <class Engine, int Threads, class Pattern>
  void check_engine(const Pattern& pattern, int odd, const Expectation& expected) {
    REQUIRE(loads<Engine, Threads>(pattern, odd, expected));
    REQUIRE(stores<Engine, Threads>(pattern, odd, expected));
    cases += 2;
  }

  template <class Engine, int Threads, class Pattern>
  bool loads(const Pattern& pattern, int odd, const Expectation& expected) {
    alignas(16) static unsigned char actual[max_tile_bytes + 2 * guard];
    static unsigned char wanted[max_tile_bytes + 2 * guard];
    static_assert(Pattern::tile_bytes <= max_tile_bytes);
    constexpr std::size_t size = Pattern::tile_bytes + 2 * guard;
    std::memset(actual, poison, size);
    std::memset(wanted, poison, size);
    const unsigned char* const source = source_.origin(Pattern::run_alignment, odd);
    for (const auto& byte : expected.bytes) {
      wanted[guard + byte.shared] = source[byte.global];
    }
    for (const auto& fill : expected.fills) {
      wanted[guard + fill.shared] = fill.value;
    }
    int waits = 0;
    for (int thread = 0; thread < Threads; ++thread) {
      Engine::template load<Pattern, Threads>(pattern, source, thread, OpenSlot{actual + guard, &waits});
    }
    return waits == Threads && std::memcmp(actual, wanted, size) == 0;
  }

  /// The whole destination around the tile's range is compared and made poison again.
  template <class Engine, int Threads, class Pattern>
  bool stores(const Pattern& pattern, int odd, const Expectation& expected) {
    alignas(16) static unsigned char tile[max_tile_bytes];
    for (int i = 0; i < Pattern::tile_bytes; ++i) {
      tile[i] = static_cast<unsigned char>(1 + i % 97);
    }
    unsigned char* const destination = destination_.origin(Pattern::run_alignment, odd);
    int waits = 0;
    for (int thread = 0; thread < Threads; ++thread) {
      Engine::template store<Pattern, Threads>(pattern, destination, thread, OpenSlot{tile, &waits});
    }
    long long first = 0;
    long long last = 0;
    bool is_right = waits == Threads;
    for (const auto& byte : expected.bytes) {
      is_right = is_right && destination[byte.global] == tile[byte.shared];
      destination[byte.global] = poison;
      first = std::min(first, byte.global);
      last = std::max(last, byte.global);
    }
    return is_right && std::all_of(destination + first - guard, destination + last + guard,
                                   [](unsigned char byte) { return byte == poison; });
  }

  static constexpr int max_tile_bytes = 128 * 1024;
  Memory source_;
  Memory destination_;
};

struct Rgb {
  unsigned char r, g, b;
};
struct Wide {
  unsigned char bytes[48];
};
struct Page {
  unsigned char bytes[4096];
};

template <class T, int Count, int Alignment>
void check_sequential(Bench& bench) {
  for (const int odd : {1, 3, 5, 7}) {
    for (int n = 0; n <= Count; ++n) {
      Expectation expected;
      expected.element(0, 0, n * static_cast<int>(sizeof(T)));
      bench.check(dma::Sequential<T, Count, Alignment>{n}, odd, expected);
    }
  }
}

template <class T, int Count>
void check_sequential_alignments(Bench& bench) {
  check_sequential<T, Count, 1>(bench);
  check_sequential<T, Count, 2>(bench);
  check_sequential<T, Count, 4>(bench);
  check_sequential<T, Count, 8>(bench);
  check_sequential<T, Count, 16>(bench);
}

template <class T, int Cols, int Rows, int PitchBytes, int Alignment>
void check_strided(Bench& bench) {
  constexpr int size = sizeof(T);
  const long long unit = Alignment;
  for (const long long pitch : {Cols * size + 0LL, Cols * size + unit, Cols * size + 3 * unit, -(Cols * size + unit)}) {
    for (int rows = 0; rows <= Rows; ++rows) {
      for (int cols = 0; cols <= Cols; ++cols) {
        if (cols * size % Alignment != 0 && rows > 1) {
          continue;  // the law of several runs: lengths are multiples of the alignment
        }
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          expected.element(row * pitch, row * PitchBytes, cols * size);
        }
        bench.check(dma::Strided<T, Cols, Rows, dma::RowLayout{PitchBytes, Alignment}>{pitch, rows, cols}, 1, expected);
      }
    }
  }
}

template <class T, int Cols, int Rows, class Index>
void check_indirect(Bench& bench) {
  constexpr int size = sizeof(T);
  using Pattern = dma::Indirect<T, Cols, Rows, Index, dma::RowLayout{.pitch_bytes = (Cols + 4) * size}>;
  constexpr long long table_rows = 3 * Rows + 5;
  for (const long long pitch : {1LL * Cols * size, (Cols + 4LL) * size}) {
    for (int rows = 0; rows <= Rows; ++rows) {
      for (const int stride : {1, 2, 7}) {
        std::vector<Index> indices;
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          // All different where the stride does not divide the table's rows, so that a scatter has one answer.
          indices.push_back(static_cast<Index>((row * stride + 3) % table_rows));
          expected.element(static_cast<long long>(indices.back()) * pitch, row * (Cols + 4) * size, Cols * size);
        }
        bench.check(Pattern{indices.data(), table_rows, pitch, rows}, 1, expected);
      }
    }
  }
}

template <class T, int Cols, int Rows, int PitchBytes, int Alignment>
void check_tile2d(Bench& bench, T fill) {
  constexpr int size = sizeof(T);
  constexpr int step = Alignment > size ? Alignment / size : 1;  // columns on which a box may begin
  using Pattern = dma::Tile2D<T, Cols, Rows, dma::RowLayout{PitchBytes, Alignment}>;
  const int array_rows = Rows + 3;
  const int array_cols = Cols + 4 * step;
  const long long pitch = (array_cols + step) * static_cast<long long>(size);
  unsigned char fill_bytes[size];
  std::memcpy(fill_bytes, &fill, size);
  for (int row = -Rows - 1; row <= array_rows + 1; ++row) {
    for (int col = -(Cols / step + 1) * step; col <= array_cols + step; col += step) {
      Expectation expected;
      for (int r = 0; r < Rows; ++r) {
        for (int c = 0; c < Cols; ++c) {
          const int shared = r * PitchBytes + c * size;
          if (row + r >= 0 && row + r < array_rows && col + c >= 0 && col + c < array_cols) {
            expected.element((row + r) * pitch + (col + c) * static_cast<long long>(size), shared, size);
          } else {
            for (int byte = 0; byte < size; ++byte) {
              expected.fills.push_back({shared + byte, fill_bytes[byte]});
            }
          }
        }
      }
      const Pattern pattern{pitch, array_rows, array_cols, row, col, fill};
      REQUIRE(pattern.is_valid());
      REQUIRE(pattern.is_full() == expected.fills.empty());
      bench.check(pattern, 1, expected);
    }
  }
}

template <class T, int Cols, int Rows, int Radius, dma::Corners corners>
void check_halo(Bench& bench, T fill) {
  constexpr int size = sizeof(T);
  constexpr int area_cols = Cols + 2 * Radius;
  const int array_rows = 2 * Rows + 3;
  const int array_cols = 2 * Cols + 2;
  const long long pitch = (array_cols + 3) * static_cast<long long>(size);
  unsigned char fill_bytes[size];
  std::memcpy(fill_bytes, &fill, size);
  for (int row = -Radius; row <= array_rows; row += 2) {
    for (int col = -Radius; col <= array_cols; col += 3) {
      Expectation expected;
      for (int r = -Radius; r < Rows + Radius; ++r) {
        for (int c = -Radius; c < Cols + Radius; ++c) {
          const bool beside_rows = r < 0 || r >= Rows;
          const bool beside_cols = c < 0 || c >= Cols;
          if ((!beside_rows && !beside_cols) || (beside_rows && beside_cols && corners == dma::Corners::left_out)) {
            continue;
          }
          const int shared = ((r + Radius) * area_cols + c + Radius) * size;
          if (row + r >= 0 && row + r < array_rows && col + c >= 0 && col + c < array_cols) {
            expected.element((row + r) * pitch + (col + c) * static_cast<long long>(size), shared, size);
          } else {
            for (int byte = 0; byte < size; ++byte) {
              expected.fills.push_back({shared + byte, fill_bytes[byte]});
            }
          }
        }
      }
      const dma::Halo2D<T, Cols, Rows, Radius, corners> pattern{pitch, array_rows, array_cols, row, col, fill};
      REQUIRE(pattern.is_valid());
      REQUIRE(pattern.is_full() == expected.fills.empty());
      bench.check(pattern, 1, expected);
    }
  }
}

template <class T, int Cols, int Rows>
void check_transpose(Bench& bench) {
  constexpr int size = sizeof(T);
  constexpr int column_bytes = (Rows % 2 == 0 ? Rows + 1 : Rows) * size;
  for (const long long pitch : {1LL * Cols * size, (Cols + 5LL) * size}) {
    for (int rows = 0; rows <= Rows; ++rows) {
      for (int cols = 0; cols <= Cols; ++cols) {
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          for (int col = 0; col < cols; ++col) {
            expected.element(row * pitch + col * size, col * column_bytes + row * size, size);
          }
        }
        bench.check(dma::Transpose<T, Cols, Rows>{pitch, rows, cols}, 1, expected);
      }
    }
  }
}

/// A user's pattern whose runs have lengths of their own: the lower triangle of a matrix, packed.
template <int Rows>
struct Triangle {
  using Element = float;
  static constexpr int tile_bytes = Rows * (Rows + 1) / 2 * 4;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = Rows * 4;
  static constexpr int run_alignment = 4;

  int rows = Rows;
  [[nodiscard]] constexpr bool is_full() const { return rows == Rows; }
  [[nodiscard]] constexpr int size() const { return rows * (rows + 1) / 2; }
  [[nodiscard]] constexpr int run_count() const { return rows; }
  [[nodiscard]] constexpr dma::Run run_at(int row) const {
    return {row * 4LL * Rows, row * (row + 1) / 2 * 4, (row + 1) * 4};
  }
};

/// A user's pattern that is uniform but has no pitch: every other row first, then those between. Aligned more widely
/// than an access can be.
struct PermutedRows {
  using Element = float;
  static constexpr int tile_bytes = 10 * 64;
  static constexpr int max_run_count = 10;
  static constexpr int max_run_bytes = 64;
  static constexpr int run_alignment = 32;
  static constexpr bool runs_are_uniform = true;

  int rows = 10;
  [[nodiscard]] constexpr bool is_full() const { return rows == 10; }
  [[nodiscard]] constexpr int size() const { return rows * 16; }
  [[nodiscard]] constexpr int run_count() const { return rows; }
  [[nodiscard]] constexpr dma::Run run_at(int row) const {
    return {row * 64, (row < 5 ? 2 * row : 2 * row - 9) * 64, 64};
  }
};

template <class Pattern>
void check_runs(const Pattern& pattern) {
  std::vector<int> covered(static_cast<std::size_t>(Pattern::tile_bytes), 0);
  REQUIRE(pattern.run_count() <= Pattern::max_run_count);
  int bytes = 0;
  for (int i = 0; i < pattern.run_count(); ++i) {
    const dma::Run run = pattern.run_at(i);
    REQUIRE(run.bytes <= Pattern::max_run_bytes);
    REQUIRE(run.shared % Pattern::run_alignment == 0);
    for (int byte = 0; byte < run.bytes; ++byte) {
      REQUIRE(++covered.at(static_cast<std::size_t>(run.shared + byte)) == 1);
    }
    bytes += run.bytes;
  }
  REQUIRE(bytes == pattern.size() * static_cast<int>(sizeof(typename Pattern::Element)));
}

}  // namespace

TEST_CASE("sequential tiles of every length arrive and leave whole, and nothing beside them", "[laws]") {
  const dma::host::LoneWarps warps;
  Bench bench(64 * 1024);
  check_sequential_alignments<std::uint8_t, 1300>(bench);
  check_sequential_alignments<std::uint16_t, 300>(bench);
  check_sequential_alignments<Rgb, 333>(bench);
  check_sequential_alignments<float, 500>(bench);
  check_sequential_alignments<double, 256>(bench);
  check_sequential_alignments<Wide, 64>(bench);
  check_sequential<Page, 6, 16>(bench);
  REQUIRE(bench.shapes >= 50000);
  REQUIRE(bench.cases == 10 * bench.shapes);
}

TEST_CASE("strided tiles of every shape arrive and leave whole, and nothing beside them", "[laws]") {
  const dma::host::LoneWarps warps;
  Bench bench(64 * 1024);
  check_strided<std::uint8_t, 16, 16, 16, 16>(bench);
  check_strided<std::uint8_t, 7, 64, 11, 1>(bench);
  check_strided<std::uint8_t, 33, 64, 40, 1>(bench);
  check_strided<std::uint16_t, 60, 60, 124, 2>(bench);
  check_strided<Rgb, 12, 60, 36, 1>(bench);
  check_strided<float, 5, 64, 20, 4>(bench);
  check_strided<float, 32, 64, 128, 16>(bench);
  check_strided<float, 32, 64, 144, 16>(bench);
  check_strided<float, 24, 64, 96, 8>(bench);
  check_strided<float, 96, 20, 400, 16>(bench);
  check_strided<float, 260, 5, 1040, 16>(bench);
  check_strided<float, 256, 9, 1024, 16>(bench);
  check_strided<double, 6, 64, 48, 8>(bench);
  check_strided<double, 6, 64, 56, 8>(bench);
  check_strided<Wide, 3, 64, 144, 16>(bench);
  check_strided<Wide, 1, 64, 48, 16>(bench);
  check_strided<Page, 1, 4, 4096, 16>(bench);
  REQUIRE(bench.shapes >= 50000);
  REQUIRE(bench.cases == 10 * bench.shapes);
}

TEST_CASE("gathers bring the rows that the indices name, scatters take them back", "[laws]") {
  const dma::host::LoneWarps warps;
  Bench bench(512 * 1024);
  check_indirect<std::uint8_t, 5, 64, int>(bench);
  check_indirect<float, 4, 64, std::int64_t>(bench);
  check_indirect<float, 32, 64, std::uint32_t>(bench);
  check_indirect<Rgb, 7, 40, int>(bench);
  check_indirect<double, 16, 50, std::uint64_t>(bench);
  check_indirect<Page, 1, 6, int>(bench);
  REQUIRE(bench.cases == 10 * bench.shapes);
}

TEST_CASE("boxes are clipped at every edge of their array and filled outside it", "[laws]") {
  const dma::host::LoneWarps warps;
  Bench bench(64 * 1024);
  check_tile2d<std::uint8_t, 9, 5, 11, 1>(bench, 7);
  check_tile2d<float, 8, 6, 32, 4>(bench, -2.5F);
  check_tile2d<float, 16, 12, 80, 16>(bench, 1.0F);
  check_tile2d<double, 5, 7, 40, 8>(bench, 3.25);
  check_tile2d<Rgb, 6, 6, 18, 1>(bench, Rgb{1, 2, 3});
  REQUIRE(bench.cases == 10 * bench.shapes);
}

TEST_CASE("a halo is the ring around its tile, of any radius, with its corners and without", "[laws]") {
  const dma::host::LoneWarps warps;
  Bench bench(64 * 1024);
  check_halo<float, 8, 6, 1, dma::Corners::included>(bench, -1.0F);
  check_halo<float, 8, 6, 2, dma::Corners::left_out>(bench, -1.0F);
  check_halo<float, 16, 5, 4, dma::Corners::included>(bench, 2.5F);
  check_halo<double, 7, 9, 8, dma::Corners::left_out>(bench, 0.5);
  check_halo<std::uint8_t, 5, 4, 3, dma::Corners::included>(bench, 9);
  REQUIRE(bench.cases == 10 * bench.shapes);
  REQUIRE(dma::host::broken_law(dma::Halo2D<float, 8, 6, 2>{80, 20, 20, 5, 5}) == "");
}

TEST_CASE("a transposed block arrives with its columns as rows", "[laws]") {
  const dma::host::LoneWarps warps;
  Bench bench(64 * 1024);
  check_transpose<float, 16, 16>(bench);
  check_transpose<float, 32, 32>(bench);
  check_transpose<std::uint8_t, 13, 10>(bench);
  check_transpose<double, 9, 16>(bench);
  check_transpose<Rgb, 5, 8>(bench);
  REQUIRE(bench.cases == 10 * bench.shapes);
}

TEST_CASE("a user's pattern moves run by run, whatever its runs are", "[laws]") {
  const dma::host::LoneWarps warps;
  Bench bench(64 * 1024);
  for (int rows = 0; rows <= 40; ++rows) {
    Expectation expected;
    for (int row = 0, shared = 0; row < rows; ++row) {
      for (int col = 0; col <= row; ++col, shared += 4) {
        expected.element((row * 40 + col) * 4, shared, 4);
      }
    }
    bench.check(Triangle<40>{rows}, 1, expected);
  }
  constexpr int order[] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
  for (int rows = 0; rows <= 10; ++rows) {
    Expectation expected;
    for (int row = 0; row < rows; ++row) {
      expected.element(row * 64, order[row] * 64, 64);
    }
    bench.check(PermutedRows{rows}, 0, expected);
  }
  REQUIRE(bench.shapes == 41 + 11);
}

TEST_CASE("runs are disjoint, inside the tile, aligned, and add up to the tile's elements", "[laws]") {
  for (int n = 0; n <= 77; ++n) {
    check_runs(dma::Sequential<Rgb, 77>{n});
  }
  for (int rows = 0; rows <= 6; ++rows) {
    for (int cols = 0; cols <= 12; ++cols) {
      check_runs(dma::Strided<float, 12, 6>{-64, rows, cols});
      check_runs(dma::Strided<float, 12, 6, dma::RowLayout{.pitch_bytes = 52}>{48, rows, cols});
      check_runs(dma::Transpose<float, 12, 6>{48, rows, cols});
    }
  }
  for (int rows = 0; rows <= 40; ++rows) {
    check_runs(Triangle<40>{rows});
  }
}

TEST_CASE("an element has the index at which its bytes arrive", "[laws]") {
  const dma::host::LoneWarps warps;
  constexpr int rows = 6, cols = 12;
  alignas(16) float matrix[rows * cols];
  for (int i = 0; i < rows * cols; ++i) {
    matrix[i] = static_cast<float>(i);
  }
  int waits = 0;
  const auto arrive = [&](const auto& pattern, float* tile) {
    for (int thread = 0; thread < 32; ++thread) {
      dma::RegisterCopy<>::load<std::decay_t<decltype(pattern)>, 32>(
          pattern, reinterpret_cast<const unsigned char*>(matrix), thread,
          OpenSlot{reinterpret_cast<unsigned char*>(tile), &waits});
    }
  };
  using Padded = dma::Strided<float, cols, rows, dma::RowLayout{.pitch_bytes = 64}>;
  using Turned = dma::Transpose<float, cols, rows>;
  alignas(16) float padded[Padded::tile_bytes / 4];
  alignas(16) float turned[Turned::tile_bytes / 4];
  arrive(Padded{cols * 4}, padded);
  arrive(Turned{cols * 4}, turned);
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      REQUIRE(padded[Padded::index(row, col)] == matrix[row * cols + col]);
      REQUIRE(turned[Turned::index(col, row)] == matrix[row * cols + col]);
    }
  }
}

TEST_CASE("patterns take the widest access that their shape allows", "[laws]") {
  STATIC_REQUIRE(dma::Sequential<float, 1024>::run_alignment == 16);
  STATIC_REQUIRE(dma::Sequential<float, 1023>::run_alignment == 4);
  STATIC_REQUIRE(dma::Sequential<Rgb, 10>::run_alignment == 2);
  STATIC_REQUIRE(dma::Strided<float, 32, 8>::run_alignment == 16);
  STATIC_REQUIRE(dma::Strided<float, 32, 8, dma::RowLayout{.pitch_bytes = 132}>::run_alignment == 4);
  STATIC_REQUIRE(dma::Strided<double, 3, 8>::run_alignment == 8);
}
