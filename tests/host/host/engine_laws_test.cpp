#include <dma/buffering/multi_buffer.hpp>
#include <dma/host/emulation/single_group_emulator.hpp>
#include <dma/host/host_copy.hpp>
#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/patterns/concat.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/pipeline.hpp>
#include <dma/proof/prove.hpp>
#include <dma/sync/cuda_barrier.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <vector>

using Catch::Matchers::ContainsSubstring, Catch::Matchers::StartsWith;

namespace {

/// What one run of a pattern does that it must not.
enum class Lie {
  none,
  negative,
  long_run,
  before_tile,
  misaligned_in_global,
  last_byte_twice,
  fewer_when_full,
  three_runs,
  backwards,
  pitch,
  place
};

/// Two runs of 8 bytes.
struct Runs {
  using Element = unsigned char;
  static constexpr int tile_bytes = 32;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 8;
  static constexpr int run_alignment = 1;

  Lie lie = Lie::none;
  [[nodiscard]] constexpr bool is_full() const { return true; }
  [[nodiscard]] constexpr int size() const { return 16; }
  [[nodiscard]] constexpr int run_count() const {
    return lie == Lie::fewer_when_full ? 1 : lie == Lie::three_runs ? 3 : 2;
  }
  [[nodiscard]] constexpr dma::Run run_at(int run) const {
    if ((lie == Lie::negative || lie == Lie::long_run) && run == 1) {
      return {64, 8, lie == Lie::negative ? -1 : 9};
    }
    const int shared = lie == Lie::last_byte_twice ? 7 * run : lie == Lie::before_tile ? -8 * run : 16 * run;
    return {run * (lie == Lie::pitch       ? 72
                   : lie == Lie::backwards ? -64
                                           : 64),
            lie == Lie::place ? 24 * run : shared, 8};
  }
};
/// The same, which begin on 4 bytes.
struct Words : Runs {
  using Element = float;
  static constexpr int run_alignment = 4;
  [[nodiscard]] constexpr int size() const { return 4; }
  [[nodiscard]] constexpr dma::Run run_at(int run) const {
    return {run * 64 + (lie == Lie::misaligned_in_global ? 2 * run : 0), 8 * run, 8};
  }
};
/// The same, with one pitch on each side.
struct Pitched : Runs {
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true};
  static constexpr int shared_pitch_bytes = 16;
  [[nodiscard]] constexpr long long global_pitch_bytes() const { return 64; }
};
static_assert(dma::AffinePattern<Pitched>);

/// Loads its 16 bytes itself, all or all but one. Stores are those of its runs.
struct LoadsItself : Runs {
  bool forgets = false;
  template <int Threads>
  void load_tile(const unsigned char* source, unsigned char* tile, int thread) const {
    for (int i = thread; i < 16 - (forgets ? 1 : 0); i += Threads) {
      tile[i % 8 + i / 8 * 16] = source[i % 8 + i / 8 * 64];
    }
  }
};

/// Moves what it should in groups of one warp, and nothing in larger ones.
struct MovesInOneWarp {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::Completion store_completion = dma::Completion::sync;
  static constexpr dma::EngineTraits traits{.name = "MovesInOneWarp"};

  template <class Pattern, int Threads, class Slot>
  static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    for (int i = thread; i < (Threads == 32 ? pattern.run_count() : 0); i += Threads) {
      const dma::Run run = pattern.run_at(i);
      std::memcpy(slot.data() + run.shared, source + run.global, static_cast<std::size_t>(run.bytes));
    }
  }
  template <class Pattern, int Threads, class Slot>
  static void store(const Pattern& pattern, unsigned char* destination, int thread, const Slot& slot) {
    for (int i = thread; i < (Threads == 32 ? pattern.run_count() : 0); i += Threads) {
      const dma::Run run = pattern.run_at(i);
      std::memcpy(destination + run.global, slot.data() + run.shared, static_cast<std::size_t>(run.bytes));
    }
  }
};

/// A copy of one byte, as a box.
struct OneByte {
  static constexpr bool adds = false;
  const unsigned char* from;
  unsigned char* to;
  void operator()() const { *to = *from; }
  template <class Visit>
  void for_each_global_run(const Visit&) const {}
};

/// A pipeline of rows that the engine for tests moves.
struct LoadsByHostCopy {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Strided<float, 4, 40>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::host::HostCopy>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<LoadsByHostCopy>& cta, const float* in, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 3}, [&](const auto& dma, int) { dma.load(in, Tile{64}); },
        [&](const auto& compute, int) {
          const auto slot = compute.wait(Tile{64});
          for (int i = compute.rank(); i < Tile::count; i += compute.size()) {
            out[i] = slot[i];
          }
        });
  }
};

}  // namespace

TEST_CASE("the laws name the run that is wrong, by its length, its place or its pitch", "[laws]") {
  REQUIRE(dma::host::broken_law(Runs{}) == "");
  REQUIRE(dma::host::broken_law(Words{}) == "");
  REQUIRE(dma::host::broken_law(Pitched{}) == "");
  REQUIRE_THAT(dma::host::broken_law(Runs{Lie::negative}), StartsWith("run 1 has a negative number of bytes; "));
  REQUIRE_THAT(dma::host::broken_law(Runs{Lie::long_run}), StartsWith("run 1 is longer than max_run_bytes; "));
  REQUIRE_THAT(dma::host::broken_law(Runs{Lie::three_runs}), StartsWith("run_count() is 3, and max_run_count 2; "));
  REQUIRE(dma::host::broken_law(Runs{Lie::backwards}) == "");
  REQUIRE_THAT(dma::host::broken_law(Pitched{{Lie::backwards}}),
               StartsWith("run 1 is not where the pitches put it: at -64 and 16, and they say 64 and 16; "));
  REQUIRE_THAT(dma::host::broken_law(Runs{Lie::before_tile}), ContainsSubstring("run 1 leaves the tile"));
  REQUIRE_THAT(dma::host::broken_law(Runs{Lie::last_byte_twice}), ContainsSubstring("run 1 overlaps another"));
  REQUIRE_THAT(dma::host::broken_law(Runs{Lie::fewer_when_full}),
               StartsWith("is_full() is true of a tile of 1 runs, and max_run_count is 2; "));
  REQUIRE_THAT(dma::host::broken_law(Words{{Lie::misaligned_in_global}}),
               ContainsSubstring("run 1 does not begin on a multiple of run_alignment"));
  for (const Lie lie : {Lie::pitch, Lie::place}) {
    REQUIRE_THAT(dma::host::broken_law(Pitched{{lie}}), ContainsSubstring("run 1 is not where the pitches put it"));
  }
}

TEST_CASE("a transfer of the pattern's own is named where it has one for loads alone", "[laws]") {
  REQUIRE(dma::host::broken_law(LoadsItself{}) == "");
  REQUIRE_THAT(dma::host::broken_law(LoadsItself{{}, true}),
               StartsWith("the pattern's own transfer does not move exactly the runs; "));
}

TEST_CASE("engines are compared in groups of several warps, and with each part of a pattern", "[laws]") {
  const dma::Strided<float, 5, 7> rows{.pitch_bytes = 64};
  REQUIRE_THAT(dma::host::broken_law<MovesInOneWarp>(rows),
               StartsWith("MovesInOneWarp does not move exactly the runs; "));
  const auto two = dma::Concat{dma::Strided<float, 4, 3>{64}, dma::Strided<float, 8, 2>{128}};
  REQUIRE(dma::host::broken_law(two) == "");
}

TEST_CASE("an engine's threads run warp by warp, and the lanes of a warp meet", "[laws]") {
  dma::machine::EmulatedThread* const outer = dma::machine::running_thread;
  {
    dma::host::detail::SingleGroupEmulator group;
    REQUIRE(dma::machine::running_thread == &group);
    std::vector<int> ranks;
    int wrong = 0;
    group.run(96, [&](int thread) {
      ranks.push_back(thread);
      wrong += group.rank() == thread ? 0 : 1;
      for (int turn = 0; turn < 3; ++turn) {
        int value = 100 * turn + thread;
        group.shuffle(&value, sizeof value, thread + 1);
        wrong += value == 100 * turn + thread / 32 * 32 + (thread + 1) % 32 ? 0 : 1;
      }
    });
    REQUIRE(wrong == 0);
    REQUIRE(ranks.size() == 96);
    REQUIRE(std::is_sorted(ranks.begin(), ranks.end()));
    REQUIRE_THROWS_AS(group.run(32,
                                [&](int thread) {
                                  if (thread < 16) {
                                    group.sync_warp();
                                  }
                                }),
                      std::logic_error);
    REQUIRE_THROWS_AS(group.run(64,
                                [](int thread) {
                                  if (thread == 40) {
                                    throw std::runtime_error("thread 40");
                                  }
                                }),
                      std::runtime_error);
    using Kind = dma::machine::OperationKind;
    const unsigned char from[4] = {7, 9, 11, 13};
    unsigned char to[4] = {};
    const dma::machine::BoxCopy load(OneByte{&from[0], &to[0]});
    const dma::machine::BoxCopy store(OneByte{&from[1], &to[1]});
    group.execute({.kind = Kind::copy_to_shared, .count = 1, .box = &load});
    group.execute({.kind = Kind::copy_to_global, .count = 1, .box = &store});
    group.execute({.kind = Kind::copy_async, .count = 2, .to = &to[2], .from = &from[2]});
    REQUIRE((to[0] == 7 && to[1] == 9 && to[2] == 11 && to[3] == 13));
    for (const Kind kind :
         {Kind::open, Kind::close, Kind::phase_arrive, Kind::expect, Kind::wait, Kind::arrive_when_copied}) {
      REQUIRE_THROWS_AS(group.execute({.kind = kind, .barrier = to}), std::logic_error);
    }
    REQUIRE_THROWS_AS(group.execute({.kind = Kind::copy_to_shared, .count = 1, .cta = 1, .to = to, .from = from}),
                      std::logic_error);
    REQUIRE_THROWS_AS(group.barrier_sync(1, 32, {}), std::logic_error);
  }
  REQUIRE(dma::machine::running_thread == outer);
}

TEST_CASE("each thread copies rows of its own", "[laws]") {
  alignas(16) std::array<float, 40 * 16> in{};
  std::array<float, LoadsByHostCopy::Tile::count> out{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
  }
  const dma::proof::Verdict verdict =
      dma::proof::prove({.outputs = {dma::proof::output(out)}}, LoadsByHostCopy{}, {1}, in.data(), out.data());
  CAPTURE(verdict);
  REQUIRE(verdict.is_proved());
  dma::host::launch(LoadsByHostCopy{}, {1}, static_cast<const float*>(in.data()), out.data());
  for (std::size_t i = 0; i < out.size(); ++i) {
    REQUIRE(out[i] == static_cast<float>(i / 4 * 16 + i % 4));
  }
}
