#include <dma/cudadma/begins_held.hpp>
#include <dma/cudadma/started_load.hpp>
#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;

template <class Layout_, class Sync_, class Engine_, template <class> class Begins_>
struct Case {
  using Layout = Layout_;
  using Sync = Sync_;
  using Engine = Engine_;
  template <class B>
  using Begins = Begins_<B>;
};
template <class B>
using Empty = B;
template <class B>
using Held = dma::cudadma::BeginsHeld<B>;

/// Rows of 8 in slots with columns between them that no load writes, which are set where the slots begin held. Each
/// tile is started, then finished; every second one is partial.
template <class C>
struct Padded {
  using Layout = typename C::Layout;
  static constexpr int stages = 4;
  static constexpr int cols = 8;
  using Rows = dma::Strided<int, cols, 5, dma::RowLayout{.pitch_bytes = 64, .alignment = 16}>;
  using Pipe = dma::DmaPipeline<
      Rows, typename C::template Begins<dma::MultiBuffer<Layout, stages, dma::DmaGroups{.count = Layout::groups}>>,
      typename C::Sync, typename C::Engine>;
  static constexpr bool opens = dma::detail::PipelineFacts<Pipe>::slots_begin_held;
  struct Shared {
    typename Pipe::Storage storage;
  };

  [[nodiscard]] static Rows tile(int t) { return Rows{64, t % 2 == 0 ? 5 : 3}; }

  void operator()(dma::KernelCta<Padded>& cta, const int* in, int* out, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      if (tiles > 0) {
        auto next = dma::cudadma::start_load(dma, in, tile(0));
        for (int t = 1; t < tiles; ++t) {
          next.finish();
          next = dma::cudadma::start_load(dma, in + t * 80, tile(t));
        }
      }
    } else if (pipe.is_compute()) {
      const auto compute = pipe.as_compute();
      if constexpr (opens) {
        dma::cudadma::open_slots(compute, [&](auto& slot) {
          for (int i = compute.rank(); i < 4; i += compute.size()) {
            slot(i, cols) = -1;
          }
        });
      }
      for (int t = 0; t < tiles; ++t) {
        auto slot = compute.wait(tile(t));
        for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
          out[t * 40 + i] = slot(i / cols, i % cols) + (opens ? slot(i / cols % 4, cols) + 1 : 0);
        }
      }
    }
  }
};

using OneGroup = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using TwoGroups = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
using OfTwoWarps = dma::WarpLayout<dma::Compute<1>, dma::Dma<2>>;

}  // namespace

TEMPLATE_TEST_CASE("loads in two phases bring every tile, and slots that begin held keep what was opened", "[phases]",
                   (Case<OneGroup, dma::CudaBarrier, dma::RegisterCopy<>, Empty>),
                   (Case<OneGroup, dma::NamedBarrier, dma::RegisterCopy<>, Held>),
                   (Case<TwoGroups, dma::NamedBarrier, dma::RegisterCopy<>, Empty>),
                   (Case<TwoGroups, dma::CudaBarrier, dma::RegisterCopy<>, Held>),
                   (Case<OfTwoWarps, dma::NamedBarrier, dma::AsyncCopy<>, Empty>),
                   (Case<OneGroup, dma::CudaBarrier, dma::AsyncCopy<>, Held>),
                   (Case<TwoGroups, dma::NamedBarrier, dma::AsyncCopy<>, Held>),
                   (Case<OneGroup, dma::CudaBarrier, dma::BulkCopy<>, Held>)) {
  using Kernel = Padded<TestType>;
  std::vector<int> in(80 * 12), out(40 * 12);
  std::iota(in.begin(), in.end(), 0);
  for (const int tiles : {0, 1, 3, 11}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      std::fill(out.begin(), out.end(), -5);
      dma::host::launch({.seed = seed}, Kernel{}, {1}, in.data(), out.data(), tiles);
      int wrong = 0;
      for (int i = 0; i < 40 * 12; ++i) {
        const int t = i / 40, row = i % 40 / 8, col = i % 8;
        const bool is_there = t < tiles && row < (t % 2 == 0 ? 5 : 3);
        wrong += out[static_cast<std::size_t>(i)] == (is_there ? 80 * t + 16 * row + col : -5) ? 0 : 1;
      }
      INFO("tiles " << tiles << ", seed " << seed);
      REQUIRE(wrong == 0);
    }
  }
  for (const int tiles : {0, 1, 6}) {
    INFO("tiles " << tiles);
    REQUIRE_THAT(dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}}, Kernel{},
                                   {1}, in.data(), out.data(), tiles),
                 IsProved());
  }
}

namespace {

enum class Carried { to_the_end, by_construction, finished, over_another, over_another_finished, twice };

/// Two tiles by two pipelines; the second one's load, or both, are carried as named.
struct Carries {
  using Layout = OneGroup;
  using Tile = dma::Sequential<int, 64>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::RegisterCopy<>>;
  struct Shared {
    Pipe::Storage first;
    Pipe::Storage second;
  };
  void operator()(dma::KernelCta<Carries>& cta, const int* in, int* out, Carried carried) const {
    auto& shared = cta.shared<Shared>();
    Pipe first(cta, shared.first);
    Pipe second(cta, shared.second);
    if (first.is_dma()) {
      move(first.as_dma(), second.as_dma(), in, carried);
    } else {
      for (Pipe* const pipe : {&first, &second}) {
        const auto compute = pipe->as_compute();
        const auto tile = compute.wait();
        for (int i = compute.rank(); i < 64; i += compute.size()) {
          out[(pipe == &first ? 0 : 64) + i] = tile[i];
        }
      }
    }
  }

 private:
  template <class Handle>
  static void move(const Handle& first, const Handle& second, const int* in, Carried carried) {
    if (carried == Carried::over_another || carried == Carried::over_another_finished) {
      auto load = dma::cudadma::start_load(first, in);
      auto other = dma::cudadma::start_load(second, in + 64);
      if (carried == Carried::over_another_finished) {
        other.finish();
      }
      load = std::move(other);
      return;
    }
    first.load(in);
    auto load = dma::cudadma::start_load(second, in + 64);
    if (carried == Carried::by_construction) {
      const auto moved = std::move(load);
    } else if (carried == Carried::finished) {
      load.finish();
      const auto moved = std::move(load);
    } else if (carried == Carried::twice) {
      load.finish();
      load.finish();
    }
  }
};

}  // namespace

TEST_CASE("a started load is finished once, however it is carried", "[phases]") {
  std::vector<int> in(128), out(128);
  std::iota(in.begin(), in.end(), 0);
  for (const Carried carried : {Carried::to_the_end, Carried::by_construction, Carried::finished, Carried::over_another,
                                Carried::over_another_finished, Carried::twice}) {
    std::fill(out.begin(), out.end(), -5);
    INFO("carried as " << static_cast<int>(carried));
    dma::host::launch(Carries{}, {1}, in.data(), out.data(), carried);
    REQUIRE(out == in);
    REQUIRE_THAT(
        dma::proof::prove({.outputs = {dma::proof::output(out)}}, Carries{}, {1}, in.data(), out.data(), carried),
        IsProved());
  }
}

TEST_CASE("a started load is not finished where an exception leaves its scope", "[phases]") {
  struct Stops {
    using Layout = OneGroup;
    using Tile = dma::Indirect<int, 8, 64>;
    using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::RegisterCopy<>>;
    struct Shared {
      Pipe::Storage storage;
    };
    void operator()(dma::KernelCta<Stops>& cta, const int* table, const int* list) const {
      Pipe pipe(cta, cta.shared<Shared>().storage);
      if (pipe.is_dma()) {
        const auto load =
            dma::cudadma::start_load(pipe.as_dma(), table, Tile{.indices = list, .table_rows = 4, .rows = 40});
        throw std::runtime_error("the kernel stops");
      }
      static_cast<void>(pipe.as_compute().wait(Tile{.rows = 40}));
    }
  };
  alignas(16) static const int table[32] = {};
  const std::vector<int> list(64, 9);  // finish() would tell that there is no row 9
  REQUIRE_THROWS_WITH(dma::host::launch(Stops{}, {1}, &table[0], list.data()), ContainsSubstring("the kernel stops"));
}

namespace {

enum class Mistake { none, starts_twice, loads_while_started, opens_twice, never_opens, waits_before_opening };

struct Mistaken {
  using Layout = OneGroup;
  using Tile = dma::Sequential<int, 64>;
  using Pipe = dma::DmaPipeline<Tile, dma::cudadma::BeginsHeld<dma::SingleBuffer<Layout>>, dma::CudaBarrier,
                                dma::RegisterCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<Mistaken>& cta, const int* in, int* out, Mistake mistake) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      auto first = dma::cudadma::start_load(dma, in);
      if (mistake == Mistake::starts_twice) {
        auto second = dma::cudadma::start_load(dma, in);
      } else if (mistake == Mistake::loads_while_started) {
        dma.load(in);
      }
    } else {
      const auto compute = pipe.as_compute();
      if (mistake == Mistake::waits_before_opening) {
        out[compute.rank()] = compute.wait()[compute.rank()];
      }
      if (mistake != Mistake::never_opens) {
        dma::cudadma::open_slots(compute, [](auto&) {});
      }
      if (mistake == Mistake::opens_twice) {
        dma::cudadma::open_slots(compute, [](auto&) {});
      }
      out[compute.rank()] = compute.wait()[compute.rank()];
    }
  }
};

}  // namespace

TEST_CASE("two loads under way, and slots that are opened twice or never, are told", "[phases][contracts]") {
  alignas(16) static const int in[64] = {};
  int out[64];
  const auto run = [&](Mistake mistake) { dma::host::launch(Mistaken{}, {1}, &in[0], &out[0], mistake); };
  REQUIRE_NOTHROW(run(Mistake::none));
  REQUIRE_THROWS_WITH(run(Mistake::starts_twice), ContainsSubstring("is started and not finished"));
  REQUIRE_THROWS_WITH(run(Mistake::loads_while_started), ContainsSubstring("is started and not finished"));
  REQUIRE_THROWS_WITH(run(Mistake::opens_twice), ContainsSubstring("open_slots: it is called a second time"));
  REQUIRE_THROWS_AS(run(Mistake::never_opens), dma::host::Deadlock);
  REQUIRE_THROWS_AS(run(Mistake::waits_before_opening), dma::host::Deadlock);
  REQUIRE_THAT(dma::proof::prove(Mistaken{}, {1}, &in[0], &out[0], Mistake::never_opens),
               FailsBy(FindingKind::deadlock));
}

TEST_CASE("slots that were never opened are raced for where the buffering does not say so", "[phases]") {
  /// The compute warps write beside the rows while the first loads are under way: right only in padding of its own.
  struct Unopened {
    using Layout = OneGroup;
    using Tile = dma::Sequential<int, 64>;
    using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, dma::RegisterCopy<>>;
    struct Shared {
      Pipe::Storage storage;
    };
    void operator()(dma::KernelCta<Unopened>& cta, const int* in, int* out) const {
      auto& shared = cta.shared<Shared>();
      Pipe pipe(cta, shared.storage);
      if (pipe.is_dma()) {
        pipe.as_dma().load(in);
      } else {
        const auto compute = pipe.as_compute();
        int* const word = reinterpret_cast<int*>(&shared.storage) + compute.rank();
        dma::machine::touched(word, 4, dma::machine::Access::write);
        *word = 0;
        out[compute.rank()] = compute.wait()[compute.rank()];
      }
    }
  };
  alignas(16) static const int in[64] = {};
  int out[64];
  REQUIRE_THAT(dma::proof::prove(Unopened{}, {1}, &in[0], &out[0]), FailsBy(FindingKind::race));
}
