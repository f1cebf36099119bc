#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <vector>

namespace {

using dma::Compute, dma::Dma, dma::WarpLayout;

constexpr int count = 96;
using Tile = dma::Sequential<int, count>;

enum class Meet { group, all, nothing };

/// Two groups of one and two warps: group g adds g + 1 to its part of a tile, in the slot, and reads what the
/// neighbours in its group made of it.
template <class WarpLayout, class Sync>
struct GroupsExchange {
  using Layout = WarpLayout;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Sync, dma::RegisterCopy<>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(const dma::KernelCta<GroupsExchange>& cta, const int* in, int* out, int tiles, Meet how) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(in + t * count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          const int group = compute.group();
          const int size = group == 0 ? 32 : 64;
          tile[compute.rank()] += 1000 * (group + 1) + compute.group_rank();
          if (how == Meet::group) {
            compute.sync_group();
          } else if (how == Meet::all) {
            compute.sync();
          }
          const int neighbour = (compute.group_rank() + size - 1) % size;
          out[t * count + compute.rank()] = tile[compute.rank() - compute.group_rank() + neighbour];
        });
  }
};

using Specialized = WarpLayout<Compute<1>, Compute<2>, Dma<1>>;
using NotSpecialized = WarpLayout<Compute<1>, Compute<2>>;

/// Compute warps synchronize the CTA in their loop, to which DMA warps do not come.
struct SyncsTheCta {
  using Layout = Specialized;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(const dma::KernelCta<SyncsTheCta>& cta, const int* in, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(in + t * count); },
        [&](const auto& compute, int /*tile*/) {
          const auto tile = compute.wait();
          cta.sync();
        });
  }
};
/// No compute warp waits for what is loaded.
struct UsesNothing {
  using Layout = WarpLayout<Compute<2>, Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(const dma::KernelCta<UsesNothing>& cta, const int* in, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      for (int t = 0; t < tiles; ++t) {
        pipe.as_dma().load(in + t * count);
      }
    }
  }
};
/// Some lanes of a warp synchronize the compute warps, and the others come to the end of the slot's scope.
struct SyncsInABranch {
  using Layout = WarpLayout<Compute<1>, Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(const dma::KernelCta<SyncsInABranch>& cta, const int* in, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(in + t * count); },
        [&](const auto& compute, int /*tile*/) {
          const auto tile = compute.wait();
          if (compute.rank() < 7) {
            compute.sync();
          }
        });
  }
};
/// The first of two groups uses a pipeline whose type names none: it counts the arrivals of both.
struct ForgetsItsUsers {
  using Layout = Specialized;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(const dma::KernelCta<ForgetsItsUsers>& cta, const int* in, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * count);
      }
    } else if (cta.warp() == 0) {
      auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        [[maybe_unused]] const auto tile = compute.wait();
      }
    }
  }
};

std::vector<int> numbers(int tiles) {
  std::vector<int> in(static_cast<std::size_t>(count * tiles));
  for (int i = 0; i < count * tiles; ++i) {
    in[static_cast<std::size_t>(i)] = i * 7;
  }
  return in;
}

/// What a thread reads, by arithmetic alone.
int expected(int i) {
  const int rank = i % count;
  const int group = rank < 32 ? 0 : 1;
  const int first = group == 0 ? 0 : 32;
  const int size = group == 0 ? 32 : 64;
  const int source = (rank - first + size - 1) % size;
  return 7 * (i - rank + first + source) + 1000 * (group + 1) + source;
}

template <class Kernel>
void check_exchange(Meet how) {
  constexpr int tiles = 5;
  const std::vector<int> in = numbers(tiles);
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::vector<int> out(in.size(), -1);
    dma::host::launch({.seed = seed}, Kernel{}, {1}, in.data(), out.data(), tiles, how);
    for (int i = 0; i < count * tiles; ++i) {
      REQUIRE(out[static_cast<std::size_t>(i)] == expected(i));
    }
  }
}

dma::proof::Verdict prove_exchange(Meet how) {
  const std::vector<int> in = numbers(3);
  std::vector<int> out(in.size());
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}},
                           GroupsExchange<Specialized, dma::CudaBarrier>{}, {1}, in.data(), out.data(), 3, how);
}

enum class Way { right, a_tile_too_few, the_other_groups_pipeline };

/// Group 0 uses the tiles of one pipeline. Group 1 uses those of another and fills those of a third, which are stored.
/// Each has a DMA group of its own.
template <class Sync, int stages>
struct EachItsOwn {
  using Layout = WarpLayout<Compute<1>, Compute<2>, Dma<1>, Dma<2>, Dma<1>>;
  using First = dma::DmaPipeline<Tile, dma::UsedBy<0, dma::MultiBuffer<Layout, stages>>, Sync>;
  using Second = dma::DmaPipeline<Tile, dma::UsedBy<1, dma::MultiBuffer<Layout, stages, dma::DmaGroups{.first = 1}>>,
                                  Sync, dma::RegisterCopy<>>;
  using Stored = dma::DmaPipeline<dma::Store<Tile>,
                                  dma::UsedBy<1, dma::MultiBuffer<Layout, stages, dma::DmaGroups{.first = 2}>>, Sync>;
  struct Shared {
    typename First::Storage first;
    typename Second::Storage second;
    typename Stored::Storage stored;
  };

  void operator()(const dma::KernelCta<EachItsOwn>& cta, const int* in, int* out, int tiles, Way way) const {
    auto& shared = cta.template shared<Shared>();
    First first(cta, shared.first);
    Second second(cta, shared.second);
    Stored stored(cta, shared.stored);
    cta.take_roles(
        [&] {
          const auto tile_of = first.as_compute();
          for (int t = 0; t < tiles - (way == Way::a_tile_too_few ? 1 : 0); ++t) {
            const auto tile = tile_of.wait();
            for (int i = tile_of.rank(); i < count; i += tile_of.size()) {
              out[t * count + i] = tile[i] + tile_of.size();
            }
          }
        },
        [&] {
          if (way == Way::the_other_groups_pipeline) {
            static_cast<void>(first.as_compute());
          }
          const auto from = second.as_compute();
          const auto to = stored.as_compute();
          for (int t = 0; t < tiles; ++t) {
            const auto read = from.wait();
            const auto written = to.wait();
            for (int i = from.rank(); i < count; i += from.size()) {
              written[i] = read[count - 1 - i] - from.size();
            }
            to.sync();
          }
        },
        [&] {
          const auto dma = first.as_dma();
          for (int t = 0; t < tiles; ++t) {
            dma.load(in + t * count);
          }
        },
        [&] {
          const auto dma = second.as_dma();
          for (int t = 0; t < tiles; ++t) {
            dma.load(in + t * count);
          }
        },
        [&] {
          const auto dma = stored.as_dma();
          for (int t = 0; t < tiles; ++t) {
            dma.store(out + (tiles + t) * count);
          }
        });
  }
};

template <class Kernel>
void check_each() {
  constexpr int tiles = 5;
  const std::vector<int> in = numbers(tiles);
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::vector<int> out(2 * in.size(), -1);
    dma::host::launch({.seed = seed}, Kernel{}, {1}, in.data(), out.data(), tiles, Way::right);
    for (int i = 0; i < count * tiles; ++i) {
      REQUIRE(out[static_cast<std::size_t>(i)] == 7 * i + 32);
      REQUIRE(out[static_cast<std::size_t>(count * tiles + i)] == 7 * (i / count * count + count - 1 - i % count) - 64);
    }
  }
}

template <class Kernel>
dma::proof::Verdict prove_each(Way way) {
  const std::vector<int> in = numbers(3);
  std::vector<int> out(2 * in.size());
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}}, Kernel{}, {1},
                           in.data(), out.data(), 3, way);
}

}  // namespace

TEST_CASE("compute groups synchronize on their own, and all of them together", "[groups]") {
  check_exchange<GroupsExchange<Specialized, dma::CudaBarrier>>(Meet::group);
  check_exchange<GroupsExchange<Specialized, dma::CudaBarrier>>(Meet::all);
  check_exchange<GroupsExchange<NotSpecialized, dma::NamedBarrier>>(Meet::group);
}

TEST_CASE("what a group exchanges is proved, and a race without its barrier is found", "[groups]") {
  REQUIRE_THAT(prove_exchange(Meet::group), dma::proof::IsProved());
  REQUIRE_THAT(prove_exchange(Meet::nothing), dma::proof::FailsBy(dma::proof::FindingKind::race));
}

TEST_CASE("pipelines that one compute group uses deliver every tile", "[groups]") {
  check_each<EachItsOwn<dma::CudaBarrier, 2>>();
  check_each<EachItsOwn<dma::NamedBarrier, 1>>();
}

TEST_CASE("pipelines that one compute group uses are proved, and a group that stops early is found", "[groups]") {
  using Kernel = EachItsOwn<dma::CudaBarrier, 2>;
  REQUIRE_THAT(prove_each<Kernel>(Way::right), dma::proof::IsProved());
  REQUIRE_THAT(prove_each<Kernel>(Way::a_tile_too_few), dma::proof::FailsBy(dma::proof::FindingKind::unused_tile));
  REQUIRE_THAT((prove_each<EachItsOwn<dma::NamedBarrier, 1>>(Way::a_tile_too_few)),
               dma::proof::FailsBy(dma::proof::FindingKind::deadlock));
  const std::vector<int> in = numbers(1);
  std::vector<int> out(2 * in.size());
  REQUIRE_THROWS_WITH(dma::host::launch(Kernel{}, {1}, in.data(), out.data(), 1, Way::the_other_groups_pipeline),
                      Catch::Matchers::ContainsSubstring("as_compute() is for compute warps of the group that uses"));
}

TEST_CASE("a pipeline of one group that does not name it ends with a message that names UsedBy", "[groups]") {
  using Catch::Matchers::ContainsSubstring;
  const std::vector<int> in = numbers(3);
  REQUIRE_THROWS_WITH(dma::host::launch(ForgetsItsUsers{}, {1}, in.data(), 1),
                      ContainsSubstring("1 of 3 arrivals") && ContainsSubstring("for empty, slot 0 of pipeline A") &&
                          ContainsSubstring("; wait() in all of them for each tile, or name the one compute group that "
                                            "uses the pipeline: dma::UsedBy<Group, Buffering>"));
  REQUIRE_THROWS_WITH(dma::host::launch(ForgetsItsUsers{}, {1}, in.data(), 3),
                      ContainsSubstring("DMA warps wait for empty, slot 0 of pipeline A") &&
                          ContainsSubstring("; name the compute group that alone uses a pipeline: dma::UsedBy<"));
}

TEST_CASE("a cta.sync() inside a role ends with a message that names compute.sync()", "[groups]") {
  using Catch::Matchers::ContainsSubstring;
  const std::vector<int> in = numbers(3);
  constexpr const char* way_out =
      "; let every thread of the CTA make each cta.sync(): inside a role call compute.sync()";
  REQUIRE_THROWS_WITH(dma::host::launch(SyncsTheCta{}, {1}, in.data(), 3),
                      ContainsSubstring("threads wait for the CTA to synchronize (compute_groups_test.cpp:") &&
                          ContainsSubstring(way_out) && !ContainsSubstring("dma::UsedBy<"));
  const dma::proof::Verdict verdict = dma::proof::prove(SyncsTheCta{}, {1}, in.data(), 3);
  REQUIRE_THAT(verdict, dma::proof::FailsBy(dma::proof::FindingKind::deadlock));
  REQUIRE_THAT(verdict.message, ContainsSubstring("waits for the CTA to synchronize") && ContainsSubstring(way_out));
}

TEST_CASE("a deadlock names the threads that have ended, and UsedBy where there are several groups", "[groups]") {
  using Catch::Matchers::ContainsSubstring;
  const std::vector<int> in = numbers(3);
  REQUIRE_THROWS_WITH(dma::host::launch(UsesNothing{}, {1}, in.data(), 3),
                      ContainsSubstring("DMA warps wait for empty, slot 0 of pipeline A") &&
                          ContainsSubstring("\n  threads 0 to 63 (64 of them): at the kernel's end") &&
                          !ContainsSubstring("dma::UsedBy<"));
}

TEST_CASE("a compute.sync() in a branch of lanes ends with a message that sends it out of the branch", "[groups]") {
  using Catch::Matchers::ContainsSubstring;
  const std::vector<int> in = numbers(3);
  REQUIRE_THROWS_WITH(dma::host::launch(SyncsInABranch{}, {1}, in.data(), 3),
                      ContainsSubstring("came to a wait at named barrier 1 (compute_groups_test.cpp:") &&
                          ContainsSubstring("; move it out of the branch, or give the other lanes the same") &&
                          !ContainsSubstring("call release()"));
}
