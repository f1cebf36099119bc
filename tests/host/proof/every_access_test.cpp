#include "host/proof/long_kernels.hpp"

#include <dma/dma.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cstring>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

using dma::proof::FindingKind;
using dma::proof::Verdict;

namespace {

constexpr int tile = 64;
constexpr int tiles = 5;

/// An element of two members, with padding behind the first.
struct Pair {
  char name;
  int value;
};

using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
template <class Element, class Engine, bool IsStore>
using PipeOf = dma::DmaPipeline<
    std::conditional_t<IsStore, dma::Store<dma::Sequential<Element, tile>>, dma::Sequential<Element, tile>>,
    dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, Engine>;

/// A kernel whose compute warps do `Body::run(cta, slot, shared, out, t)` with each tile.
template <class Body>
struct Loads {
  using Layout = ::Layout;
  using Element = typename Body::Element;
  using Pipe = PipeOf<Element, typename Body::Engine, false>;
  struct Shared {
    typename Pipe::Storage storage;
    int own[tile];
  };

  void operator()(dma::KernelCta<Loads>& cta, const Element* in, Element* out, int last) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    pipe.for_each_tile(
        {.last = tiles},
        [&](const auto& dma, int t) { dma.load(in + t * tile, typename Pipe::Pattern(t + 1 < tiles ? tile : last)); },
        [&](const auto& compute, int t) {
          auto slot = compute.wait(typename Pipe::Pattern(t + 1 < tiles ? tile : last));
          Body::run(cta, compute, slot, &shared.own[0], out, t);
        });
  }
};

template <class Body>
Verdict prove_loads(int last = tile, int grid = 1, bool is_in_place = false) {
  using Element = typename Body::Element;
  static std::vector<Element> in(tiles * tile);
  static std::vector<Element> out(tiles * tile);
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}}, Loads<Body>{},
                           {grid}, is_in_place ? out.data() : in.data(), out.data(), last);
}

/// Each thread reads what the next one wrote: one of its warp, or the first of the other warp.
struct ReadsNeighbour {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    float values[64];
  };
  void operator()(dma::KernelCta<ReadsNeighbour>& cta, float* y) const {
    float* const values = cta.shared<Shared>().values;
    values[cta.thread()] = 1;
    y[cta.thread()] = values[(cta.thread() + 1) % 64];
  }
};

struct OfFloats {
  using Element = float;
  using Engine = dma::RegisterCopy<>;
};
struct OfBulks {
  using Element = float;
  using Engine = dma::BulkCopy<>;
};

#define BODY                                                                                                     \
  static void run([[maybe_unused]] auto& cta, [[maybe_unused]] const auto& compute, [[maybe_unused]] auto& slot, \
                  [[maybe_unused]] int* own, [[maybe_unused]] auto* out, [[maybe_unused]] int t)

struct OwnMemory : OfFloats {
  BODY {
    own[compute.rank()] = t;
    out[compute.rank()] = static_cast<float>(own[63 - compute.rank()]);
  }
  static constexpr int line = __LINE__ - 2;
};
struct OwnMemoryInOrder : OfFloats {
  BODY {
    own[compute.rank()] = t;
    compute.sync();
    out[compute.rank()] = static_cast<float>(own[63 - compute.rank()]);
    compute.sync();
  }
};
struct SameBytes : OfFloats {
  BODY { slot[compute.rank() / 2] *= 2; }
  static constexpr int line = __LINE__ - 1;
};
struct KeptReference : OfFloats {
  BODY {
    float& element = slot[compute.rank()];
    compute.sync();
    slot.release();
    element = 0;
  }
  static constexpr int line = __LINE__ - 2;
};
struct Members : OfFloats {
  using Element = Pair;
  BODY {
    Pair& pair = slot[compute.rank() / 2];
    (compute.rank() % 2 == 0 ? pair.value : reinterpret_cast<int&>(pair)) = t;
  }
};
struct WideReads : OfFloats {
  BODY {
    struct alignas(16) Four {
      float part[4];
    };
    if (compute.rank() < tile / 4) {
      auto* const four = reinterpret_cast<Four*>(slot.data()) + compute.rank();
      Four value = *four;
      value.part[0] += 1;
      *four = value;
    }
  }
};
/// The compiler may write out this call too, with instructions of its own.
struct CopiesByLibrary : OfFloats {
  BODY {
    if (compute.rank() == 0) {
      std::memcpy(own, slot.data(), 32 * sizeof(float));
    }
    compute.sync();
    if (compute.rank() < 32) {
      out[t * tile + compute.rank()] = static_cast<float>(own[31 - compute.rank()]);
    }
    compute.sync();
  }
};
struct CopiesByLibraryOfAll : OfFloats {
  BODY {
    std::memcpy(own, slot.data(), 32 * sizeof(float));
    compute.sync();
  }
  static constexpr int line = __LINE__ - 3;
};
struct PastTheEnd : OfFloats {
  BODY { out[t * tile + compute.rank()] = slot.data()[compute.rank()]; }
  static constexpr int line = __LINE__ - 1;
};
struct Global : OfFloats {
  BODY { out[0] += slot[compute.rank()]; }
  static constexpr int line = __LINE__ - 1;
};
struct OneWriter : OfFloats {
  BODY {
    if (compute.rank() == 0) {
      out[t] = slot[0];
    }
  }
  static constexpr int line = __LINE__ - 3;
};
struct OpenBarrier : OfFloats {
  BODY {
    // The barriers are behind the two slots.
    using Storage = PipeOf<float, Engine, false>::Storage;
    int* const barriers = own - sizeof(Storage) / sizeof(int) + 2 * tile;
    if (t == 2 && compute.rank() == 5) {
      barriers[1] = 1;
    }
  }
  static constexpr int line = __LINE__ - 3;
};
struct OneValue : OfFloats {
  BODY {
    if (compute.rank() < 32 && slot[compute.rank()] == 0) {
      own[0] = 1;
    }
  }
};
struct OtherValues : OfFloats {
  BODY {
    if (compute.rank() < 32) {
      own[0] = compute.rank();
    }
  }
  static constexpr int line = __LINE__ - 3;
};
struct Counter : OfFloats {
  BODY { std::atomic_ref<int>(reinterpret_cast<int&>(out[0])).fetch_add(1, std::memory_order_relaxed); }
};
/// Of an array that is read and written: the release of a slot orders the write before the copy, but proxies differ.
struct WritesWhatIsLoadedNext : OfBulks {
  BODY {
    if (t + 2 < tiles) {
      out[(t + 2) * tile + compute.rank()] = slot[compute.rank()];
    }
  }
  static constexpr int line = __LINE__ - 3;
};

void expect(const Verdict& verdict, FindingKind kind, int line) {
  CAPTURE(verdict);
  REQUIRE(verdict.kind == kind);
  if (kind != FindingKind::none && verdict.saw_every_access) {
    REQUIRE(verdict.message.find("every_access_test.cpp:" + std::to_string(line)) != std::string::npos);
  }
}
#define SEEN(verdict, kind, line)      \
  if (dma::proof::sees_every_access) { \
    expect(verdict, kind, line);       \
  }

/// What a body does before it waits for the grids before it, and whether it does.
enum class Early { nothing, reads_a_tile, reads_constants, reads_weights, writes, waits_nowhere };

/// out = 2 * in + weights, by tiles; it may begin while the grid before it runs.
template <Early early>
struct Doubles {
  using Layout = ::Layout;
  using Pipe = PipeOf<int, dma::AsyncCopy<>, false>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Doubles>& cta, const int* in, const int* weights, int* out) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    cta.trigger_dependent_launch();
    const int first = cta.block().x * tile;
    const bool loads = pipe.is_dma();
    int weight = 0;
    if constexpr (early == Early::reads_weights) {
      weight = weights[0];
    }
    if constexpr (early == Early::writes) {
      if (cta.thread() == 0) {
        out[first] = 0;
      }
    }
    const bool loads_early = loads && (early == Early::reads_a_tile || early == Early::reads_constants);
    if (early != Early::waits_nowhere && !loads_early) {
      cta.grid_dependency_wait();
    }
    if constexpr (early != Early::reads_weights) {
      weight = weights[0];
    }
    if (loads && early == Early::reads_constants) {
      pipe.as_dma().load(dma::constant(in + first));
    } else if (loads) {
      pipe.as_dma().load(in + first);
    } else {
      const auto compute = pipe.as_compute();
      const auto slot = compute.wait();
      out[first + compute.rank()] = 2 * slot[compute.rank()] + weight;
    }
  }
};

/// Of two grids, the second over what the first has written, or over what it reads too.
template <Early first, Early second>
Verdict prove_two(bool writes_weights = false, bool reads_y = true) {
  static std::vector<int> x(2 * tile);
  static std::vector<int> y(2 * tile);
  static std::vector<int> z(2 * tile);
  static std::vector<int> weights{1, 2, 3, 4};
  const int* const of_second = writes_weights ? y.data() + 1 : weights.data();
  const Verdict verdict =
      dma::proof::prove({.inputs = {dma::proof::input(x), dma::proof::input(weights)},
                         .outputs = {dma::proof::output(y, "y"), dma::proof::output(z, "z")}},
                        dma::proof::Grid(Doubles<first>{}, {2}, x.data(), weights.data(), y.data()),
                        dma::proof::Grid(Doubles<second>{}, {2}, reads_y ? y.data() : x.data(), of_second, z.data()));
  CHECK(y == std::vector<int>(2 * tile));  // restored
  return verdict;
}
void expect_race_between_grids(const Verdict& verdict, const std::string& words) {
  INFO(verdict);
  CHECK(verdict.kind == FindingKind::race);
  CHECK(verdict.message.find("grid 2: race between grids: ") == 0);
  CHECK(verdict.message.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("every access: races in shared memory", "[proof][access]") {
  SEEN(prove_loads<OwnMemory>(), FindingKind::race, OwnMemory::line);
  SEEN(prove_loads<OwnMemoryInOrder>(), FindingKind::none, 0);
  SEEN(prove_loads<SameBytes>(), FindingKind::race, SameBytes::line);
  SEEN(prove_loads<KeptReference>(), FindingKind::race, KeptReference::line);
  SEEN(prove_loads<Members>(), FindingKind::none, 0);
  SEEN(prove_loads<WideReads>(), FindingKind::none, 0);
  SEEN(prove_loads<OneValue>(), FindingKind::none, 0);
  SEEN(prove_loads<OtherValues>(), FindingKind::race, OtherValues::line);
}
TEST_CASE("every access: bytes that were not written", "[proof][access]") {
  SEEN(prove_loads<PastTheEnd>(), FindingKind::none, 0);
  SEEN(prove_loads<PastTheEnd>(10), FindingKind::unwritten_bytes, PastTheEnd::line);
  SEEN(prove_loads<CopiesByLibrary>(), FindingKind::none, 0);
  SEEN(prove_loads<CopiesByLibraryOfAll>(), FindingKind::race, CopiesByLibraryOfAll::line);
}
TEST_CASE("every access: global memory", "[proof][access]") {
  SEEN(prove_loads<Global>(), FindingKind::race, Global::line);
  SEEN(prove_loads<OneWriter>(), FindingKind::none, 0);
  SEEN(prove_loads<OneWriter>(tile, 2), FindingKind::race, OneWriter::line);
  SEEN(prove_loads<Counter>(tile, 2), FindingKind::none, 0);
  SEEN(prove_loads<WritesWhatIsLoadedNext>(), FindingKind::none, 0);
  SEEN(prove_loads<WritesWhatIsLoadedNext>(tile, 1, true), FindingKind::missing_fence, WritesWhatIsLoadedNext::line);
}
TEST_CASE("every access: orders of atomics are not explored, and the first line says so", "[proof][access]") {
  const auto printed = [](const Verdict& verdict) {
    std::ostringstream text;
    text << verdict;
    return text.str();
  };
  const std::string first_line_end =
      ", every access seen), orders of atomics not explored, since 640 are more than limits.atomics, 128; prove a "
      "smaller "
      "grid, take more orders by more seeds, or raise it where few threads compete, the standard's atomics taken at "
      "system scope\n";
  const std::string counter = printed(prove_loads<Counter>(tile, 2));
  CAPTURE(counter);
  REQUIRE((counter.find(first_line_end) != std::string::npos) == dma::proof::sees_every_access);
  REQUIRE((counter.find("no schedule") == std::string::npos) == dma::proof::sees_every_access);
  REQUIRE((counter.find("pointers that are kept, atomics") == std::string::npos) == dma::proof::sees_every_access);
  REQUIRE(printed(prove_loads<OwnMemoryInOrder>()).find("atomics not explored") == std::string::npos);
}
TEST_CASE("every access: a race inside a warp and between warps has a schedule, of warps") {
  std::vector<float> y(64);
  const Verdict verdict = dma::proof::prove({.outputs = {dma::proof::output(y)}}, ReadsNeighbour{}, {1}, y.data());
  INFO(verdict);
  CHECK(verdict.kind == FindingKind::race);
  CHECK(verdict.message.find("thread 0") != std::string::npos);
  CHECK(verdict.message.find("so that none is drawn") == std::string::npos);
  CHECK(verdict.timeline.title.find("by the shortest schedule, race: warp ") == 0);
}
TEST_CASE("every access: an open barrier is no memory", "[proof][access]") {
  SEEN(prove_loads<OpenBarrier>(), FindingKind::accessed_barrier, OpenBarrier::line);
}

TEST_CASE("a proof that sees every access takes time linear in the tiles", "[proof][access]") {
  long_kernels::expect_linear();
}

TEST_CASE("two grids are judged together where the second may begin early") {
  const Verdict right = prove_two<Early::nothing, Early::nothing>();
  INFO(right);
  CHECK(right.is_proved());
  CHECK(right.runs == 2 * 2 * 6);
  SECTION("a side that does not wait") {
    expect_race_between_grids(prove_two<Early::nothing, Early::reads_a_tile>(), "of y");
  }
  SECTION("what no grid before writes may be read before the wait") {
    CHECK(prove_two<Early::nothing, Early::reads_weights>().is_proved());
    expect_race_between_grids(prove_two<Early::nothing, Early::reads_weights>(true), "element 1 of y");
  }
  SECTION("that no grid before writes what is called constant is judged") {
    const Verdict proved = prove_two<Early::nothing, Early::reads_constants>(false, false);
    CHECK(proved.is_proved());
    CHECK(proved.not_judged.empty());
    expect_race_between_grids(prove_two<Early::nothing, Early::reads_constants>(), "of y");
  }
  SECTION("a grid may write before the wait what those before it do not access, and wait nowhere beside a third") {
    CHECK(prove_two<Early::nothing, Early::writes>().is_proved());
    expect_race_between_grids(prove_two<Early::nothing, Early::waits_nowhere>(), "of y");
  }
  SECTION("the grids before the first are taken to be complete") {
    CHECK(prove_two<Early::writes, Early::nothing>().is_proved());
  }
}
