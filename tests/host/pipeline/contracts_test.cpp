#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>
#include <string>
#include <utility>

using Catch::Matchers::ContainsSubstring;

namespace {

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;

template <class Pattern>
struct LoadsOnce {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Pattern, dma::SingleBuffer<Warps>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<LoadsOnce>& cta, const float* in, const Pattern& tile) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in, tile);
    } else {
      pipe.as_compute().wait(tile).release();
    }
  }
};

/// One run, and a size that is anything.
struct OfAnySize {
  using Element = float;
  static constexpr int tile_bytes = 16;
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = 16;
  static constexpr int run_alignment = 16;

  int elements_there = 4;
  [[nodiscard]] constexpr bool is_full() const { return elements_there == 4; }
  [[nodiscard]] constexpr int size() const { return elements_there; }
  [[nodiscard]] constexpr int run_count() const { return 1; }
  [[nodiscard]] constexpr dma::Run run_at(int /*run*/) const { return {0, 0, 16}; }
};

/// The DMA warp loads at each `l` and stores at each `s`.
struct UpdatesInOrder {
  using Layout = Warps;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<dma::Update<Tile>, dma::MultiBuffer<Warps, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<UpdatesInOrder>& cta, float* x, const std::string& calls) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    int loads = 0;
    int stores = 0;
    for (const char call : calls) {
      if (pipe.is_dma() && call == 'l') {
        pipe.as_dma().load(x + loads++ * Tile::count);
      } else if (pipe.is_dma()) {
        pipe.as_dma().store(x + stores++ * Tile::count);
      } else if (call == 'l') {
        pipe.as_compute().wait()[cta.lane()] += 1;
      }
    }
  }
};

/// A tile is skipped inside the loop of two groups that take turns.
struct SkipsInItsLoop {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::DoubleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<SkipsInItsLoop>& cta, const float* x, int skipped) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto unless_skipped = [&](int t, const auto& call) {
      if (t != skipped) {
        call();
      }
    };
    pipe.for_each_tile(
        {.last = 4}, [&](const auto& dma, int t) { unless_skipped(t, [&] { dma.load(x + t * Tile::count); }); },
        [&](const auto& compute, int t) { unless_skipped(t, [&] { compute.wait().release(); }); });
  }
};

struct AsksForTheWrongRole {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<AsksForTheWrongRole>& cta) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    static_cast<void>(pipe.as_dma());
  }
};

/// Two pipelines on one DMA group: on named barriers they would meet at the same ones.
template <class Barrier>
struct TwoOnOneGroup {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Warps>, Barrier>;
  struct Shared {
    typename Pipe::Storage first, second;
  };
  void operator()(dma::KernelCta<TwoOnOneGroup>& cta, const float* in) const {
    auto& shared = cta.template shared<Shared>();
    Pipe first(cta, shared.first);
    Pipe second(cta, shared.second);
    if (first.is_dma()) {
      first.as_dma().load(in);
      second.as_dma().load(in);
    } else {
      const auto tile = first.as_compute().wait();
      const auto other = second.as_compute().wait();
    }
  }
};

struct TouchesAfterRelease {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<TouchesAfterRelease>& cta, const float* in, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
    } else {
      auto tile = pipe.as_compute().wait();
      tile.release();
      *out = tile[0];
    }
  }
};

/// Keeps the vectors of a slot for longer than the slot, and lets another slot take its place if `assigns`.
struct KeepsVectors {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::MultiBuffer<Warps, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<KeepsVectors>& cta, const float* in, float* out, bool assigns) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
      pipe.as_dma().load(in + 32);
    } else {
      const auto compute = pipe.as_compute();
      auto tile = compute.wait();
      const auto of_tile = tile.vectors();
      const auto of_next = [&] {
        auto next = compute.wait();
        const auto vectors = next.vectors();
        out[0] = vectors[0][0];
        if (assigns) {
          tile = std::move(next);
        }
        auto copied = vectors;
        return copied;
      }();
      out[1] = assigns ? of_tile[0][0] : of_next[0][0];
    }
  }
};

/// Rows of 6 floats, 8 apart: some of their elements begin a vector. Multiplies by two, through vectors on both sides.
struct DoublesByVectors {
  using Layout = Warps;
  using Tile = dma::Strided<float, 6, 4, dma::RowLayout{.pitch_bytes = 32}>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
  using Out = dma::DmaPipeline<dma::Store<dma::Sequential<float, 24>>, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
    Out::Storage out;
  };
  void operator()(dma::KernelCta<DoublesByVectors>& cta, const float* in, float* out, int row, int col) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    Out stores(cta, cta.shared<Shared>().out);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in, {.pitch_bytes = 24});
      stores.as_dma().store(out);
      return;
    }
    const auto tile = pipe.as_compute().wait({.pitch_bytes = 24});
    const auto filled = stores.as_compute().wait();
    const auto from = tile.vectors<2>();
    const auto to = filled.vectors<2>();
    for (int i = cta.thread(); i < to.size(); i += 32) {
      to[i] = 2.0F * from(i / 3, i % 3 * 2);
    }
    static_cast<void>(from(row, col));
  }
};

/// A tile of 10 floats: two vectors of four, and two elements that are in none.
struct CountsVectors {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 12>, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<CountsVectors>& cta, const float* in, int* sizes, int index, bool releases) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in, {10});
      return;
    }
    auto tile = pipe.as_compute().wait({10});
    const auto vectors = tile.vectors();
    if (cta.thread() == 0) {
      sizes[0] = vectors.size();
      sizes[1] = tile.vectors<2>().size();
      sizes[2] = tile.vectors<1>().size();
    }
    if (releases) {
      tile.release();
    }
    static_cast<void>(vectors[index]);
  }
};

/// Sums each tile with the one before it: a window of two slots that rolls.
struct SumsNeighbours {
  using Layout = Warps;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 3>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<SumsNeighbours>& cta, const float* in, float* out, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * Tile::count);
      }
    } else {
      const auto compute = pipe.as_compute();
      auto previous = compute.wait();
      for (int t = 1; t < tiles; ++t) {
        auto next = compute.wait();
        out[(t - 1) * Tile::count + compute.rank()] = previous[compute.rank()] + next[compute.rank()];
        previous = std::move(next);
      }
    }
  }
};

/// The DMA side names one tile and the compute side another.
struct DisagreesOnTheTile {
  using Layout = Warps;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
  using Back = dma::DmaPipeline<dma::Store<Tile>, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage in;
    Back::Storage out;
  };
  void operator()(dma::KernelCta<DisagreesOnTheTile>& cta, float* data, int moved, int used, bool stores) const {
    auto& shared = cta.shared<Shared>();
    Pipe in(cta, shared.in);
    Back out(cta, shared.out);
    if (in.is_dma()) {
      stores ? out.as_dma().store(data, Tile{moved}) : in.as_dma().load(data, Tile{moved});
    } else {
      stores ? out.as_compute().wait(Tile{used}).release() : in.as_compute().wait(Tile{used}).release();
    }
  }
};

/// Without DMA warps, loads into the only slot while it is still held.
template <class Barrier>
struct LoadsIntoAHeldSlot {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, Barrier>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<LoadsIntoAHeldSlot>& cta, const float* in) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.as_dma().load(in);
    const auto tile = pipe.as_compute().wait();
    pipe.as_dma().load(in);
  }
};

/// The same in the last slot of more than the protocol's checks have bits for.
struct LoadsIntoAHeldSlotOfMany {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 66>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<LoadsIntoAHeldSlotOfMany>& cta, const float* in) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto pass_other_slots = [&] {
      for (int stage = 0; stage < 65; ++stage) {
        pipe.as_dma().load(in);
        auto tile = pipe.as_compute().wait();
        tile.release();
      }
    };
    pass_other_slots();
    pipe.as_dma().load(in);
    const auto held = pipe.as_compute().wait();
    pass_other_slots();
    pipe.as_dma().load(in);
  }
};

/// Where threads construct a pipeline.
enum class Constructed { by_all, in_each_role, in_one_role };

template <class Barrier>
struct ConstructsInRoles {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::MultiBuffer<Warps, 2>, Barrier, dma::RegisterCopy<>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<ConstructsInRoles>& cta, const float* in, Constructed where) const {
    auto& storage = cta.template shared<Shared>().storage;
    const bool is_compute = cta.warp() < Layout::compute_warps;
    const auto run = [&](Pipe& pipe) {
      if (is_compute) {
        static_cast<void>(pipe.as_compute().wait());
      } else {
        pipe.as_dma().load(in);
      }
    };
    if (where == Constructed::by_all) {
      Pipe pipe(cta, storage);
      run(pipe);
    } else if (where == Constructed::in_one_role) {
      if (is_compute) {
        Pipe pipe(cta, storage);
      }
    } else {
      // clang-format off
      if (is_compute) { Pipe pipe(cta, storage); run(pipe); } else { Pipe pipe(cta, storage); run(pipe); }
      // clang-format on
    }
  }
};

/// What one side, or both, do after close().
enum class AfterClose { nothing, load, wait, both, wait_until_empty, wait_until_full };

template <class Barrier, class Engine>
struct UsesAfterClose {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::MultiBuffer<Warps, 2>, Barrier, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<UsesAfterClose>& cta, const float* in, AfterClose what) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
    } else {
      static_cast<void>(pipe.as_compute().wait());
    }
    pipe.close();
    if (pipe.is_dma() && (what == AfterClose::load || what == AfterClose::both)) {
      pipe.as_dma().load(in);
    } else if (pipe.is_dma() && what == AfterClose::wait_until_empty) {
      pipe.as_dma().wait_until_empty();
    } else if (pipe.is_compute() && (what == AfterClose::wait || what == AfterClose::both)) {
      static_cast<void>(pipe.as_compute().wait());
    } else if (pipe.is_compute() && what == AfterClose::wait_until_full) {
      static_cast<void>(pipe.as_compute().wait_until_full());
    }
  }
};

template <class Barrier, class Engine>
void expect_nothing_after_close() {
  alignas(16) static const float in[32] = {};
  const auto run = [](AfterClose what) {
    dma::host::launch(UsesAfterClose<Barrier, Engine>{}, {1}, static_cast<const float*>(in), what);
  };
  REQUIRE_NOTHROW(run(AfterClose::nothing));
  for (const AfterClose what : {AfterClose::load, AfterClose::wait, AfterClose::both, AfterClose::wait_until_empty,
                                AfterClose::wait_until_full}) {
    CAPTURE(static_cast<int>(what));
    REQUIRE_THROWS_WITH(run(what), ContainsSubstring("a tile is moved, or waited for, after close()"));
  }
}

/// One call of the explicit protocol out of its turn.
enum class OutOfTurn {
  nothing,
  copies_before_the_wait,
  signals_full_before_the_wait,
  signals_full_twice,
  signals_empty_before_the_wait,
  signals_empty_twice,
  waits_twice,
  closes_with_a_slot,
  moves_in_a_compute_warp,
  waits_in_a_dma_warp,
  reads_past_the_tile,
  reads_before_the_tile
};

struct CallsOutOfTurn {
  using Layout = Warps;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<CallsOutOfTurn>& cta, const float* in, OutOfTurn call) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const bool is_first_thread = cta.lane() == 0;
    if (pipe.is_dma()) {
      const dma::DmaHandle dma(pipe);
      if (call == OutOfTurn::waits_in_a_dma_warp) {
        static_cast<void>(dma::ComputeHandle(pipe).wait());
      }
      if (call == OutOfTurn::copies_before_the_wait) {
        dma.copy(in);
      }
      if (call == OutOfTurn::signals_full_before_the_wait) {
        dma.signal_full();
      }
      dma.wait_until_empty();
      dma.copy(in);
      dma.signal_full();
      if (call == OutOfTurn::signals_full_twice) {
        dma.signal_full();
      }
    } else {
      const dma::ComputeHandle compute(pipe);
      if (call == OutOfTurn::moves_in_a_compute_warp && is_first_thread) {
        dma::DmaHandle(pipe).load(in);
      }
      if (call == OutOfTurn::signals_empty_before_the_wait && is_first_thread) {
        compute.signal_empty();
      }
      if (call == OutOfTurn::reads_past_the_tile || call == OutOfTurn::reads_before_the_tile) {
        const auto tile = compute.wait();
        static_cast<void>(tile[call == OutOfTurn::reads_past_the_tile ? 32 : -1]);
      }
      static_cast<void>(compute.wait_until_full());
      if (call == OutOfTurn::waits_twice) {
        static_cast<void>(compute.wait_until_full());
      }
      if (call == OutOfTurn::closes_with_a_slot) {
        pipe.close();
      }
      compute.signal_empty();
      if (call == OutOfTurn::signals_empty_twice) {
        compute.signal_empty();
      }
    }
  }
};

/// The ends of both scopes release what was released by hand; the second one while the first one's error unwinds.
struct ReleasesSlotsByHandToo {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::MultiBuffer<Warps, 2>>;
  using Shared = Pipe::Storage;
  void operator()(dma::KernelCta<ReleasesSlotsByHandToo>& cta, const float* in) const {
    Pipe pipe(cta, cta.shared<Shared>());
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
      pipe.as_dma().load(in);
    } else {
      const dma::ComputeHandle compute(pipe);
      const auto first = compute.wait();
      const auto second = compute.wait();
      compute.signal_empty();
      compute.signal_empty();
    }
  }
};

struct RefusesItsArguments {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static void expects(int n) {
    if (n < 0) {
      throw std::invalid_argument("n must not be negative");
    }
  }
  void operator()(const dma::Cta&, int) const {}
};

}  // namespace

TEST_CASE("a misaligned source is named with the rule and the way out", "[contracts]") {
  alignas(16) const float in[256] = {};
  using Tile = dma::Sequential<float, 32>;
  REQUIRE_NOTHROW(dma::host::launch(LoadsOnce<Tile>{}, {1}, in + 4, Tile{}));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<Tile>{}, {1}, in + 1, Tile{}),
                      ContainsSubstring("not a multiple of the pattern's run_alignment"));
}

TEST_CASE("a tile of fewer than no elements is refused of any pattern", "[contracts]") {
  alignas(16) const float in[32] = {};
  REQUIRE_NOTHROW(dma::host::launch(LoadsOnce<OfAnySize>{}, {1}, &in[0], OfAnySize{0}));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<OfAnySize>{}, {1}, &in[0], OfAnySize{-1}),
                      ContainsSubstring("size() of this tile's pattern is negative; return"));
}

TEST_CASE("a tile that its pattern cannot hold is refused", "[contracts]") {
  alignas(16) const float in[256] = {};
  using Tile = dma::Sequential<float, 32>;
  for (const int elements : {33, -1}) {  // which has no rows, and an alignment of its type
    const std::string counts = " [elements " + std::to_string(elements) + ", elements of a full tile 32, ";
    REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<Tile>{}, {1}, &in[0], Tile{elements}),
                        ContainsSubstring("or has fewer than 0 elements; give it") && ContainsSubstring(counts));
  }
  using Block = dma::Strided<float, 8, 4>;
  REQUIRE_NOTHROW(dma::host::launch(LoadsOnce<Block>{}, {1}, &in[0], Block{48, 3, 4}));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<Block>{}, {1}, &in[0], Block{44}),
                      ContainsSubstring("breaks the pattern's alignment"));
  // Rows may end between two multiples of the alignment; they may not begin there.
  REQUIRE_NOTHROW(dma::host::launch(LoadsOnce<Block>{}, {1}, &in[0], Block{48, 3, 3}));
}

TEST_CASE("a warp that takes the handle of another role gets an error", "[contracts]") {
  REQUIRE_THROWS_WITH(dma::host::launch(AsksForTheWrongRole{}, {1}),
                      ContainsSubstring("ask is_dma() first [pipeline A, block (0, 0, 0), thread 0, contracts_test"));
}

TEST_CASE("two pipelines on the same named barrier are refused", "[contracts]") {
  alignas(16) const float in[32] = {};
  REQUIRE_THROWS_WITH(dma::host::launch(TwoOnOneGroup<dma::NamedBarrier>{}, {1}, &in[0]),
                      ContainsSubstring("pipeline A and pipeline B, use named barrier 2 at the same time") &&
                          ContainsSubstring(", contracts_test.cpp:"));
  REQUIRE_NOTHROW(dma::host::launch(TwoOnOneGroup<dma::CudaBarrier>{}, {1}, &in[0]));
}

TEST_CASE("a slot that is touched after its release is reported", "[contracts]") {
  alignas(16) const float in[32] = {};
  float out = 0;
  REQUIRE_THROWS_WITH(dma::host::launch(TouchesAfterRelease{}, {1}, &in[0], &out),
                      ContainsSubstring("after its release"));
}

TEST_CASE("vectors that are touched after the end of their slot are reported", "[contracts]") {
  alignas(16) float in[64] = {};
  in[0] = 1;
  in[32] = 2;
  float out[2] = {};
  REQUIRE_THROWS_WITH(dma::host::launch(KeepsVectors{}, {1}, &in[0], &out[0], false),
                      ContainsSubstring("the vectors of a slot are touched after its end"));
  REQUIRE(out[0] == 2);
  // They are those of the object, and not of the slot that it had.
  REQUIRE_NOTHROW(dma::host::launch(KeepsVectors{}, {1}, &in[0], &out[0], true));
  REQUIRE(out[1] == 2);
}

TEST_CASE("the vectors of a slot are its elements, by their number and by row and column", "[contracts]") {
  alignas(16) float in[24];
  for (int i = 0; i < 24; ++i) {
    in[i] = static_cast<float>(i + 1);
  }
  alignas(16) float out[24] = {};
  dma::host::launch(DoublesByVectors{}, {1}, &in[0], &out[0], 3, 4);
  for (int i = 0; i < 24; ++i) {
    REQUIRE(out[i] == static_cast<float>(2 * i + 2));
  }
  REQUIRE_THROWS_WITH(dma::host::launch(DoublesByVectors{}, {1}, &in[0], &out[0], 1, 3),
                      ContainsSubstring("no multiple of the vector's size") &&
                          ContainsSubstring("[first element 11, elements 2, slot 0 of"));
}

TEST_CASE("a vector outside of its tile, and one of a released slot, is refused", "[contracts]") {
  alignas(16) const float in[12] = {};
  int sizes[3] = {};
  REQUIRE_NOTHROW(dma::host::launch(CountsVectors{}, {1}, &in[0], &sizes[0], 1, false));
  REQUIRE(sizes[0] == 2);
  REQUIRE(sizes[1] == 5);
  REQUIRE(sizes[2] == 10);
  REQUIRE_THROWS_WITH(dma::host::launch(CountsVectors{}, {1}, &in[0], &sizes[0], 3, false),
                      ContainsSubstring("a vector is outside the tile") &&
                          ContainsSubstring("[first element 12, elements 4, end 12, slot 0 of"));
  REQUIRE_THROWS_WITH(dma::host::launch(CountsVectors{}, {1}, &in[0], &sizes[0], -1, false),
                      ContainsSubstring("a vector is outside the tile"));
  REQUIRE_THROWS_WITH(dma::host::launch(CountsVectors{}, {1}, &in[0], &sizes[0], 0, true),
                      ContainsSubstring("after its release"));
}

TEST_CASE("a pipeline says what addresses in global memory are multiples of", "[contracts]") {
  using Buffering = dma::SingleBuffer<dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>>;
  using Words = dma::Sequential<float, 5>;   // 4 bytes
  using Blocks = dma::Strided<float, 8, 4>;  // 16 bytes
  STATIC_REQUIRE(dma::DmaPipeline<Words, Buffering>::source_alignment == 4);
  STATIC_REQUIRE(dma::DmaPipeline<dma::Concat<Words, Blocks>, Buffering>::source_alignment == 16);
}

TEST_CASE("an array is taken as vectors where its address allows it", "[contracts]") {
  alignas(16) double doubles[6] = {1, 2, 3, 4, 5, 6};
  auto* const pairs = dma::vectors(&doubles[0]);
  pairs[1] = 10.0 - pairs[1] * pairs[2] + pairs[0];
  REQUIRE(doubles[2] == 10 - 3 * 5 + 1);
  REQUIRE(doubles[3] == 10 - 4 * 6 + 2);
  pairs[0] += (pairs[2] - 1.0) + (1.0 + pairs[2]);
  REQUIRE(doubles[0] == 11);
  REQUIRE(doubles[1] == 14);
  const double* const constant = &doubles[1];
  REQUIRE(dma::vectors<1>(constant)[1][0] == doubles[2]);
  REQUIRE_THROWS_WITH(dma::vectors(constant), ContainsSubstring("dma::vectors: the array begins at an address") &&
                                                  ContainsSubstring("bytes of a vector 16]"));
}

TEST_CASE("an update whose loads and stores do not pair is reported where they part", "[contracts]") {
  alignas(16) float x[4 * 32] = {};
  const auto run = [&](const std::string& calls) { dma::host::launch(UpdatesInOrder{}, {1}, &x[0], calls); };
  REQUIRE_NOTHROW(run("lsls"));
  REQUIRE_NOTHROW(run("llsslsls"));
  REQUIRE_THROWS_WITH(run("llls"), ContainsSubstring("whose slots all hold tiles that are not stored") &&
                                       ContainsSubstring("[stages 2,"));
  REQUIRE_THROWS_WITH(run("sl"), ContainsSubstring("store() of a dma::Update before the load() of its tile"));
  REQUIRE_THROWS_WITH(run("lsl"), ContainsSubstring("ends with tiles that are loaded and not stored"));
}

TEST_CASE("a tile that is skipped in the loop of groups that take turns is told", "[contracts]") {
  alignas(16) const float x[4 * 32] = {};
  REQUIRE_NOTHROW(dma::host::launch(SkipsInItsLoop{}, {1}, &x[0], -1));
  REQUIRE_THROWS_WITH(
      dma::host::launch(SkipsInItsLoop{}, {1}, &x[0], 2),
      ContainsSubstring("skip tiles in a loop over all of them, in every group") && ContainsSubstring("tile 2"));
}

TEST_CASE("a call out of its turn is reported where it is made", "[contracts]") {
  alignas(16) const float in[32] = {};
  const auto run = [&](OutOfTurn call) { dma::host::launch(CallsOutOfTurn{}, {1}, &in[0], call); };
  REQUIRE_NOTHROW(run(OutOfTurn::nothing));
  REQUIRE_THROWS_WITH(run(OutOfTurn::copies_before_the_wait), ContainsSubstring("copy() into or out of a slot"));
  for (const OutOfTurn call : {OutOfTurn::signals_full_before_the_wait, OutOfTurn::signals_full_twice}) {
    REQUIRE_THROWS_WITH(run(call), ContainsSubstring("a slot is signalled that was not waited for, or twice"));
  }
  for (const OutOfTurn call : {OutOfTurn::signals_empty_before_the_wait, OutOfTurn::signals_empty_twice}) {
    REQUIRE_THROWS_WITH(run(call), ContainsSubstring("a slot is released that was not waited for, or twice"));
  }
  REQUIRE_THROWS_WITH(dma::host::launch(ReleasesSlotsByHandToo{}, {1}, &in[0]),
                      ContainsSubstring("a slot is released that was not waited for, or twice"));
  REQUIRE_THROWS_WITH(run(OutOfTurn::waits_twice), ContainsSubstring("waits for a slot that it holds"));
  REQUIRE_THROWS_WITH(run(OutOfTurn::closes_with_a_slot), ContainsSubstring("close() while this thread holds a slot"));
}

TEST_CASE("a pipeline that the roles construct each for itself is told", "[contracts]") {
  alignas(16) static const float in[32] = {};
  const auto run = [](auto barrier, Constructed where) {
    dma::host::launch(ConstructsInRoles<decltype(barrier)>{}, {1}, static_cast<const float*>(in), where);
  };
  REQUIRE_NOTHROW(run(dma::CudaBarrier{}, Constructed::by_all));
  REQUIRE_NOTHROW(run(dma::NamedBarrier{}, Constructed::by_all));
  REQUIRE_THROWS_WITH(run(dma::CudaBarrier{}, Constructed::in_each_role),
                      ContainsSubstring("constructs a pipeline (contracts_test.cpp:") &&
                          ContainsSubstring("constructs one elsewhere (contracts_test.cpp:"));
  REQUIRE_THROWS_WITH(run(dma::NamedBarrier{}, Constructed::in_each_role),
                      ContainsSubstring("in all threads of the CTA, before the branch of the roles"));
  REQUIRE_THROWS_WITH(run(dma::NamedBarrier{}, Constructed::in_one_role),
                      ContainsSubstring("ends without a pipeline that thread"));
}

TEST_CASE("a tile that is moved or waited for after close() is told", "[contracts]") {
  expect_nothing_after_close<dma::CudaBarrier, dma::BulkCopy<>>();
  expect_nothing_after_close<dma::CudaBarrier, dma::AsyncCopy<>>();
  expect_nothing_after_close<dma::NamedBarrier, dma::RegisterCopy<>>();
  expect_nothing_after_close<dma::NamedBarrier, dma::AsyncCopy<>>();
}

TEST_CASE("a handle in a warp of the other role is told", "[contracts]") {
  alignas(16) const float in[32] = {};
  REQUIRE_THROWS_WITH(dma::host::launch(CallsOutOfTurn{}, {1}, &in[0], OutOfTurn::moves_in_a_compute_warp),
                      ContainsSubstring("tiles are moved by the pipeline's DMA warps"));
  REQUIRE_THROWS_WITH(dma::host::launch(CallsOutOfTurn{}, {1}, &in[0], OutOfTurn::waits_in_a_dma_warp),
                      ContainsSubstring("wait() is for compute warps"));
}

TEST_CASE("an element outside of its tile is refused", "[contracts]") {
  alignas(16) const float in[32] = {};
  for (const OutOfTurn call : {OutOfTurn::reads_past_the_tile, OutOfTurn::reads_before_the_tile}) {
    REQUIRE_THROWS_WITH(dma::host::launch(CallsOutOfTurn{}, {1}, &in[0], call),
                        ContainsSubstring("an element is outside the tile") &&
                            ContainsSubstring(call == OutOfTurn::reads_past_the_tile ? "[index 32, end 32, slot 0 of"
                                                                                     : "[index -1, end 32, slot 0 of"));
  }
}

/// Its compute warp takes every tile for a full one, in accesses of so many elements.
template <class Tile, int Elements = 1>
struct LoopsBeyondAPartialTile {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<LoopsBeyondAPartialTile>& cta, const float* x, float* y, const Tile& tile) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 1}, [&](const auto& dma, int) { dma.load(x, tile); },
        [&](const auto& compute, int) {
          const auto slot = compute.wait(tile);
          const auto vectors = slot.template vectors<Elements>();
          for (int i = compute.rank(); i < Tile::tile_bytes / 4 / Elements; i += compute.size()) {
            if constexpr (Elements == 1) {
              y[i] = slot[i];
            } else {
              reinterpret_cast<dma::Vector<float, Elements>*>(y)[i] = vectors[i];
            }
          }
        });
  }
};

TEST_CASE("an element beyond the end of a partial tile is refused before it is used", "[contracts]") {
  alignas(16) const float x[64] = {};
  alignas(16) float y[64] = {};
  const auto said = [](const std::string& values) {
    return ContainsSubstring(
        "an element is beyond the end of a partial tile, where an older tile's bytes are; loop to below size(), of the "
        "tile or of its vectors [" +
        values);
  };
  using Line = dma::Sequential<float, 64>;
  REQUIRE_THROWS_WITH(dma::host::launch(LoopsBeyondAPartialTile<Line>{}, {1}, &x[0], &y[0], Line::up_to(40)),
                      said("index 40, end 40, slot 0 of"));
  using Rows = dma::Strided<float, 8, 8>;
  REQUIRE_THROWS_WITH(dma::host::launch(LoopsBeyondAPartialTile<Rows>{}, {1}, &x[0], &y[0], Rows{32, 3}),
                      said("index 32, end 24, slot 0 of"));
  REQUIRE_THROWS_WITH((dma::host::launch(LoopsBeyondAPartialTile<Line, 2>{}, {1}, &x[0], &y[0], Line::up_to(41))),
                      said("index 42, end 41, slot 0 of"));
  REQUIRE_NOTHROW(dma::host::launch(LoopsBeyondAPartialTile<Rows>{}, {1}, &x[0], &y[0], Rows{32}));
}

/// Its storage is four bytes into shared memory.
struct MisalignedStorage {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Warps>>;
  struct Shared {
    unsigned char bytes[sizeof(Pipe::Storage) + 16];
  };
  // A sanitizer would report the cast before the pipeline is asked.
  __attribute__((no_sanitize("alignment"))) void operator()(dma::KernelCta<MisalignedStorage>& cta) const {
    Pipe pipe(cta, reinterpret_cast<Pipe::Storage&>(cta.shared<Shared>().bytes[4]));
  }
};

TEST_CASE("storage that is not aligned is refused", "[contracts]") {
  REQUIRE_THROWS_WITH(dma::host::launch(MisalignedStorage{}, {1}), ContainsSubstring("its Storage is not aligned"));
}

TEST_CASE("two sides that name different tiles are told", "[contracts]") {
  alignas(16) float data[32] = {};
  for (const bool stores : {false, true}) {
    REQUIRE_NOTHROW(dma::host::launch(DisagreesOnTheTile{}, {1}, &data[0], 20, 20, stores));
    REQUIRE_THROWS_WITH(dma::host::launch(DisagreesOnTheTile{}, {1}, &data[0], 20, 32, stores),
                        ContainsSubstring("name the same tile on both sides"));
  }
}

TEST_CASE("a slot that is held is not loaded into", "[contracts]") {
  alignas(16) const float in[32] = {};
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsIntoAHeldSlot<dma::NamedBarrier>{}, {1}, &in[0]),
                      ContainsSubstring("that it still holds"));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsIntoAHeldSlot<dma::CudaBarrier>{}, {1}, &in[0]),
                      ContainsSubstring("that it still holds"));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsIntoAHeldSlotOfMany{}, {1}, &in[0]),
                      ContainsSubstring("that it still holds"));
}

/// Loads or stores one tile from or to an address that is none of global memory.
enum class Address { null, shared_tile, own_shared, local };

template <class Barrier>
struct MovesFrom {
  using Layout = Warps;
  using Tile = dma::Sequential<float, 32>;
  using In = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, Barrier>;
  using Out = dma::DmaPipeline<dma::Store<Tile>, dma::SingleBuffer<Warps>, dma::CudaBarrier>;
  struct Shared {
    typename In::Storage in;
    typename Out::Storage out;
    alignas(16) float own[32];
  };
  void operator()(dma::KernelCta<MovesFrom>& cta, Address address, bool stores) const {
    auto& shared = cta.template shared<Shared>();
    alignas(16) float local[32] = {};
    float* const place = address == Address::null          ? nullptr
                         : address == Address::local       ? &local[0]
                         : address == Address::shared_tile ? reinterpret_cast<float*>(&shared.in)
                                                           : &shared.own[0];
    In in(cta, shared.in);
    Out out(cta, shared.out);
    if (in.is_dma()) {
      stores ? out.as_dma().store(place) : in.as_dma().load(place);
    } else {
      stores ? out.as_compute().wait().release() : in.as_compute().wait().release();
    }
  }
};

TEST_CASE("an address outside of global memory is refused with its place", "[contracts]") {
  using Kernel = MovesFrom<dma::CudaBarrier>;
  for (const bool stores : {false, true}) {
    REQUIRE_THROWS_WITH(
        dma::host::launch(Kernel{}, {1}, Address::null, stores),
        ContainsSubstring("not in global memory") && ContainsSubstring("[address 0x0, run_alignment 16, slot 0 of"));
    for (const auto& [address, place] : {std::pair(Address::shared_tile, std::string("byte 0 of shared memory (0 ")),
                                         {Address::own_shared, "byte "},
                                         {Address::local, "in local memory, "}}) {
#if defined(__SANITIZE_ADDRESS__)
      // It may keep local variables in heap of its own.
      if (address == Address::local) {
        continue;
      }
#endif
      REQUIRE_THROWS_WITH(dma::host::launch(Kernel{}, {1}, address, stores),
                          ContainsSubstring("not in global memory") && ContainsSubstring("[address " + place));
    }
  }
}

struct StorageOnTheStack {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Warps>>;
  void operator()(dma::KernelCta<StorageOnTheStack>& cta) const {
    Pipe::Storage storage;
    const Pipe pipe(cta, storage);
  }
};

TEST_CASE("storage outside of shared memory is refused", "[contracts]") {
  REQUIRE_THROWS_WITH(dma::host::launch(StorageOnTheStack{}, {1}), ContainsSubstring("its Storage is not in shared"));
}

/// The sides name two tiles.
template <class Pattern>
struct NamesTwoTiles {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Pattern, dma::SingleBuffer<Warps>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<NamesTwoTiles>& cta, const float* in, const Pattern& moved,
                  const Pattern& used) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in, moved);
    } else {
      pipe.as_compute().wait(used).release();
    }
  }
};

TEST_CASE("two partial tiles of one size are told apart", "[contracts]") {
  alignas(16) const float in[256] = {};
  using Block = dma::Strided<float, 8, 8>;
  const auto run = [&](const Block& moved, const Block& used) {
    dma::host::launch(NamesTwoTiles<Block>{}, {1}, &in[0], moved, used);
  };
  REQUIRE_NOTHROW(run({32, 4, 8}, {64, 4, 8}));
  REQUIRE_NOTHROW(run({64}, {}));
  REQUIRE_THROWS_WITH(run({32, 4, 8}, {32, 8, 4}),
                      ContainsSubstring("a tile of 32 elements (contracts_test.cpp:") &&
                          ContainsSubstring("one of 32 in other rows and columns") &&
                          ContainsSubstring("[slot 0 of pipeline A, block (0, 0, 0), thread "));
  // A full tile too, where its rows are at a pitch that is known at run time.
  using AnyPitch = dma::Strided<float, 8, 8, dma::RowLayout{.max_pitch_bytes = 64}>;
  const auto run_at_pitch = [&](const AnyPitch& moved, const AnyPitch& used) {
    dma::host::launch(NamesTwoTiles<AnyPitch>{}, {1}, &in[0], moved, used);
  };
  REQUIRE_NOTHROW(run_at_pitch({.shared_pitch_bytes = 48}, {.pitch_bytes = 64, .shared_pitch_bytes = 48}));
  REQUIRE_THROWS_WITH(run_at_pitch({.shared_pitch_bytes = 48}, {}), ContainsSubstring("in other rows and columns"));
  REQUIRE_THROWS_WITH(run_at_pitch({.shared_pitch_bytes = 80}, {.shared_pitch_bytes = 80}),
                      ContainsSubstring("this tile is larger than its pattern"));
  // The position of a padded tile decides what is padding, which the using side need not know.
  using Box = dma::Tile2D<float, 8, 4>;
  REQUIRE_NOTHROW(dma::host::launch(NamesTwoTiles<Box>{}, {1}, &in[0], Box{32, 16, 8, -2, 0}, Box{}));
}

struct Eighth {
  unsigned char bits;
};

TEST_CASE("a tensor map that no copy could use is refused", "[contracts]") {
  alignas(16) static constexpr Eighth in[64] = {};
  alignas(16) static constexpr int numbers[64] = {};
  using Bytes = dma::Tile2D<Eighth, 16, 2>;
  using Numbers = dma::Tile2D<int, 16, 2>;
  REQUIRE_NOTHROW(dma::host::tensor_map(in, Bytes{}));
  REQUIRE_THROWS_WITH(dma::host::tensor_map(in, Bytes{}, dma::OutsideArray::nan), ContainsSubstring("have no NaN"));
  REQUIRE_THROWS_WITH(dma::host::tensor_map(numbers, Numbers{}, dma::OutsideArray::nan),
                      ContainsSubstring("have no NaN"));
  REQUIRE_THROWS_WITH(dma::host::tensor_map(nullptr, Numbers{}), ContainsSubstring("address is null"));
  // Pages in 32 GB, and more: a box's place counts steps of 16 bytes.
  using Pages = dma::Paged<int, dma::PagedShape{.cols = 4, .rows = 8, .box_rows = 8}>;
  Pages pages{.array = {(1 << 28) - 2, 8, 128, 0, 16}};
  REQUIRE_NOTHROW(dma::host::tensor_map(numbers, pages));
  pages.array.pages += 2;
  REQUIRE_THROWS_WITH(dma::host::tensor_map(numbers, pages),
                      ContainsSubstring("1 to 2^31 elements [axis 3, elements 2147483657]"));
}

/// Its call operator is a template, so that no rule at compile time sees its parameters.
template <bool by_value, class Tile_ = dma::Tile2D<int, 16, 2>>
struct TakesAnyMap {
  using Layout = Warps;
  using Tile = Tile_;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  template <class Map>
  void operator()(dma::KernelCta<TakesAnyMap>& cta, const Map& in_place) const {
    std::conditional_t<by_value, Map, const Map&> map = in_place;
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(map, Tile{});
    } else {
      pipe.as_compute().wait().release();
    }
  }
};

TEST_CASE("a tensor map that a kernel has copied is refused", "[contracts]") {
  alignas(16) static constexpr int in[64] = {};
  const auto map = dma::host::tensor_map(in, dma::Tile2D<int, 16, 2>{});
  REQUIRE_NOTHROW(dma::host::launch(TakesAnyMap<false>{}, {1}, map));
#if !defined(__SANITIZE_ADDRESS__)  // which may keep local variables in heap of its own
  REQUIRE_THROWS_WITH(dma::host::launch(TakesAnyMap<true>{}, {1}, map),
                      ContainsSubstring("the tensor map is a local variable of the thread"));
#endif
}

/// Stores a box of zeros.
struct StoresABox {
  using Layout = Warps;
  using Tile = dma::Tile2D<int, 8, 2>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<StoresABox>& cta, const dma::TensorMap<Tile>& map, Tile tile) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 1}, [&](const auto& dma, int) { dma.store(map, tile); },
        [&](const auto& compute, int) {
          auto slot = compute.wait();
          for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
            slot[i] = 0;
          }
        });
  }
};

TEST_CASE("a stored box may cross the end of rows only where they are multiples of 16 bytes", "[contracts]") {
  // The tensor maps of a GPU write whole 16 bytes: boxes of 101 rows of 141 floats left 303 wrong ones on an H200.
  alignas(16) int array[2 * 16] = {};
  for (int cols = 1; cols <= 16; ++cols) {
    for (int col = 0; col < 16; col += 4) {
      const StoresABox::Tile tile{.pitch_bytes = 64, .array_rows = 2, .array_cols = cols, .col = col};
      const auto store = [&] { dma::host::launch(StoresABox{}, {1}, dma::host::tensor_map(array, tile), tile); };
      CAPTURE(cols, col);
      if (cols % 4 != 0 && col < cols && cols < col + 8) {
        REQUIRE_THROWS_WITH(store(), ContainsSubstring("crosses the end of rows that are no multiple of 16 bytes"));
      } else {
        REQUIRE_NOTHROW(store());
      }
    }
  }
}

TEST_CASE("a map of several arrays names the part whose array is another one than the tile's", "[contracts]") {
  alignas(16) static constexpr int in[64] = {};
  using Wide = dma::Tile2D<int, 16, 2>;
  using Narrow = dma::Tile2D<int, 8, 2>;
  using Stage = dma::Concat<Wide, Narrow>;
  using Body = TakesAnyMap<false, Stage>;
  const auto with = [](const int* second, const Narrow& part, dma::TensorMapOptions options = {}) {
    return dma::host::tensor_map<Stage>(dma::TensorArray{in, Wide{}}, dma::TensorArray{second, part, options});
  };
  REQUIRE_NOTHROW(dma::host::launch(Body{}, {1}, with(in, Narrow{})));
  REQUIRE_THROWS_WITH(
      dma::host::launch(Body{}, {1}, with(in, Narrow{.array_rows = 3})),
      ContainsSubstring("other extents or pitches than the map") && ContainsSubstring("[part 1, axis 1,"));
  REQUIRE_THROWS_WITH(dma::host::launch(Body{}, {1}, with(in, Narrow{.array_cols = 9})),
                      ContainsSubstring("[part 1, axis 0,"));
  REQUIRE_THROWS_WITH(with(nullptr, Narrow{}), ContainsSubstring("address is null") && ContainsSubstring("[part 1]"));
  REQUIRE_THROWS_WITH(with(in, Narrow{}, {.outside = dma::OutsideArray::nan}),
                      ContainsSubstring("have no NaN") && ContainsSubstring("[part 1]"));
}

/// Two pipelines of one type, of which the second is used out of turn.
struct ReleasesTheSecondTwice {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::MultiBuffer<Warps, 2>, dma::CudaBarrier>;
  struct Shared {
    Pipe::Storage first, second;
  };
  static constexpr int line = __LINE__ + 13;
  void operator()(dma::KernelCta<ReleasesTheSecondTwice>& cta, const float* in, bool hangs) const {
    auto& shared = cta.shared<Shared>();
    Pipe first(cta, shared.first);
    Pipe second(cta, shared.second);
    if (first.is_dma()) {
      first.as_dma().load(in);
      second.as_dma().load(in);
    } else {
      const auto tile = first.as_compute().wait();
      const auto compute = second.as_compute();
      static_cast<void>(compute.wait_until_full());
      compute.signal_empty();
      hangs ? static_cast<void>(compute.wait_until_full()) : compute.signal_empty();
    }
  }
};

TEST_CASE("a message names the slot, the pipeline, the thread and the line", "[contracts]") {
  alignas(16) const float in[32] = {};
  const std::string line = "contracts_test.cpp:" + std::to_string(ReleasesTheSecondTwice::line);
  const std::string last = "pipeline B: dma::DmaPipeline<dma::Sequential<float, 32";
  const std::string place = ", at byte " + std::to_string(sizeof(ReleasesTheSecondTwice::Pipe::Storage)) + " of shared";
  REQUIRE_THROWS_WITH(dma::host::launch(ReleasesTheSecondTwice{}, {2}, &in[0], false),
                      ContainsSubstring("[slot 1 of pipeline B, block (0, 0, 0), thread ") &&
                          ContainsSubstring(", " + line + "]\n  pipeline B: ") && ContainsSubstring(last) &&
                          ContainsSubstring(place) && !ContainsSubstring("pipeline A:"));
  REQUIRE_THROWS_WITH(dma::host::launch(ReleasesTheSecondTwice{}, {2}, &in[0], true),
                      ContainsSubstring("compute warps wait for full, slot 1 of pipeline B (" + line + ")") &&
                          ContainsSubstring(last) && ContainsSubstring(place));
}

TEST_CASE("slots move, so that a window of them can roll", "[contracts]") {
  constexpr int tiles = 11;
  alignas(16) float in[tiles * 32];
  float out[(tiles - 1) * 32] = {};
  for (int i = 0; i < tiles * 32; ++i) {
    in[i] = static_cast<float>(i);
  }
  dma::host::launch(SumsNeighbours{}, {1}, &in[0], &out[0], tiles);
  for (int i = 0; i < (tiles - 1) * 32; ++i) {
    REQUIRE(out[i] == static_cast<float>(2 * i + 32));
  }
}

TEST_CASE("a grid without a CTA is refused", "[contracts]") {
  REQUIRE_THROWS_WITH(dma::host::launch(RefusesItsArguments{}, {0}, 0), ContainsSubstring("at least one CTA"));
}

TEST_CASE("a kernel body's own expectations are checked before it runs", "[contracts]") {
  REQUIRE_NOTHROW(dma::host::launch(RefusesItsArguments{}, {1}, 0));
  REQUIRE_THROWS_AS(dma::host::launch(RefusesItsArguments{}, {1}, -1), std::invalid_argument);
}

TEST_CASE("a library call outside a CTA is an error", "[contracts]") {
  REQUIRE_THROWS_WITH(dma::this_cta().sync(), ContainsSubstring("run the kernel body through dma::host::launch"));
}
