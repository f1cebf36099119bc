#pragma once

#include <dma/buffering/multi_buffer.hpp>
#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/engines/tensor/tensor_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/readable.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/update.hpp>
#include <dma/pipeline.hpp>
#include <dma/proof/prove.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

/// The matrix of what is proved: bufferings x barriers x engines x directions x numbers of tiles x loops, one pipeline
/// in a kernel and two. An update is the third direction.
namespace proof_matrix {

using Tile = dma::Tile2D<float, 8, 4, dma::RowLayout{.alignment = 16}>;
using StoredTile = dma::Store<Tile>;
using UpdatedTile = dma::Update<Tile>;
inline constexpr int most_tiles = 3 * (3 * 7 + 1);

/// Tiles of an array, one below the other, and the array's map for engines that take maps.
struct Side {
  float* array;
  int tiles;
  dma::TensorMap<Tile> map;

  Side(float* array_, int tiles_) : array(array_), tiles(tiles_), map(dma::host::tensor_map<Tile>(array_, tile(0))) {}

  [[nodiscard]] Tile tile(int index) const {
    return {.pitch_bytes = 32, .array_rows = 4 * tiles, .array_cols = 8, .row = 4 * index, .col = 0};
  }
};

struct Job {
  Side in;
  Side out;
  int trips;
  int loops;
};

template <class Pipe, class Handle>
void move_tile(const Job& job, const Handle& dma, int index) {
  constexpr bool takes_maps = std::is_same_v<typename Pipe::Engine, dma::TensorCopy<>>;
  const auto shape = [&](const Side& side) { return typename Pipe::Pattern{side.tile(index)}; };
  if constexpr (Pipe::is_store) {
    if constexpr (takes_maps) {
      dma.store(job.out.map, shape(job.out));
    } else {
      dma.store(job.out.array, shape(job.out));
    }
  } else if constexpr (takes_maps) {
    dma.load(job.in.map, shape(job.in));
  } else {
    dma.load(job.in.array, shape(job.in));
  }
}

template <class Pipe, class Handle>
void use_tile(const Job& job, const Handle& compute, int index) {
  constexpr int count = 32;
  const Side& side = Pipe::is_store ? job.out : job.in;
  auto slot = compute.wait(typename Pipe::Pattern{side.tile(index)});
  for (int i = compute.rank(); i < count; i += compute.size()) {
    if constexpr (Pipe::is_store) {
      slot[i] = job.in.array[index * count + i];
    } else {
      job.out.array[index * count + i] = slot[i];
    }
  }
}

template <class Pipe>
void move_tiles(const Job& job, Pipe& pipe, int first) {
  const auto dma = pipe.as_dma();
  for (int index = first; index < first + job.trips; ++index) {
    move_tile<Pipe>(job, dma, index);
  }
}

template <class Pipe>
struct OnePipeline {
  using Layout = typename Pipe::Layout;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<OnePipeline>& cta, const Job& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    for (int loop = 0; loop < job.loops; ++loop) {
      const int first = loop * job.trips;
      if (pipe.is_dma()) {
        move_tiles(job, pipe, first);
      } else {
        const auto compute = pipe.as_compute();
        for (int index = first; index < first + job.trips; ++index) {
          use_tile<Pipe>(job, compute, index);
        }
      }
    }
  }
};

template <class Pipe>
struct OneUpdate {
  using Layout = typename Pipe::Layout;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<OneUpdate>& cta, const Job& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto move = [&](const auto& dma, const Side& side, int index, const auto& call) {
      if constexpr (std::is_same_v<typename Pipe::Engine, dma::TensorCopy<>>) {
        call(dma, side.map, side.tile(index));
      } else {
        call(dma, side.array, side.tile(index));
      }
    };
    for (int loop = 0; loop < job.loops; ++loop) {
      pipe.for_each_tile(
          {.first = loop * job.trips, .last = (loop + 1) * job.trips},
          [&](const auto& handle, int index) {
            move(handle, job.in, index,
                 [](const auto& dma, const auto& from, const Tile& tile) { dma.load(from, tile); });
          },
          [&](const auto& compute, int index) {
            const auto slot = compute.wait(job.in.tile(index));
            for (int i = compute.rank(); i < 32; i += compute.size()) {
              slot[i] = -slot[i];
            }
          },
          [&](const auto& handle, int index) {
            move(handle, job.out, index,
                 [](const auto& dma, const auto& to, const Tile& tile) { dma.store(to, tile); });
          });
    }
  }
};

template <class A, class B>
struct TwoPipelines {
  using Layout = typename A::Layout;
  struct Shared {
    typename A::Storage a;
    typename B::Storage b;
  };
  void operator()(dma::KernelCta<TwoPipelines>& cta, const Job& job_a, const Job& job_b) const {
    auto& shared = cta.template shared<Shared>();
    A a(cta, shared.a);
    B b(cta, shared.b);
    for (int loop = 0; loop < job_a.loops; ++loop) {
      const int first = loop * job_a.trips;
      if (a.is_dma()) {
        move_tiles(job_a, a, first);
      } else if (b.is_dma()) {
        move_tiles(job_b, b, first);
      } else {
        const auto compute_a = a.as_compute();
        const auto compute_b = b.as_compute();
        for (int index = first; index < first + job_a.trips; ++index) {
          use_tile<A>(job_a, compute_a, index);
          use_tile<B>(job_b, compute_b, index);
        }
      }
    }
  }
};

/// An input, an output and what they are for.
struct Arrays {
  alignas(16) std::array<float, most_tiles * 32> in;
  alignas(16) std::array<float, most_tiles * 32> out;

  Arrays() : in{}, out{} {
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i + 1);
    }
  }
  [[nodiscard]] Job job(int trips, int loops) {
    const int tiles = trips * loops == 0 ? 1 : trips * loops;
    return {{in.data(), tiles}, {out.data(), tiles}, trips, loops};
  }
};

struct Tally {
  int proved = 0;
  int explored = 0;
  int without_end = 0;  ///< searches that did not end within their limit
  std::size_t operations = 0;
  std::size_t states = 0;
  double seconds_proving = 0;
  double seconds_exploring = 0;
  double slowest = 0;

  void print(const std::string& what) const {
    std::cout << what << ": " << proved << " configurations proved in " << seconds_proving << " s (" << operations
              << " operations), " << explored << " of them explored in " << seconds_exploring << " s (" << states
              << " states, the slowest " << slowest << " s), " << without_end << " searches without an end\n";
  }
};

/// A kernel's jobs judged: one function a kernel, and all that calls it is compiled once for all of them.
template <class... Jobs>
using Ask = dma::proof::Verdict (*)(dma::proof::detail::Judge, const dma::proof::Options&, const Jobs&...);

template <class Kernel, class... Jobs>
dma::proof::Verdict ask(dma::proof::detail::Judge judge, const dma::proof::Options& options, const Jobs&... jobs) {
  return judge == dma::proof::detail::Judge::clocks ? dma::proof::prove(options, Kernel{}, {1}, jobs...)
                                                    : dma::proof::explore(options, Kernel{}, {1}, jobs...);
}

/// Proves a kernel and, where it has few stages, explores it: both have to say that it is correct.
template <class... Jobs>
void judge(Tally& tally, bool is_small, const std::vector<dma::host::detail::Output>& outputs, Ask<Jobs...> ask,
           const Jobs&... jobs) {
  // By rank, and with the first and the last warp ahead.
  const dma::proof::Options options{.seeds = 3, .outputs = outputs, .limits = {.seconds = 100}};
  const dma::proof::Verdict verdict = ask(dma::proof::detail::Judge::clocks, options, jobs...);
  if (!verdict.is_proved()) {
    FAIL_CHECK(verdict);
  }
  ++tally.proved;
  tally.operations += verdict.operations;
  tally.seconds_proving += verdict.seconds;
  if (is_small) {
    const dma::proof::Options one_seed{.seeds = 1, .limits = {.states = 4'000'000, .seconds = 10}};
    const dma::proof::Verdict explored = ask(dma::proof::detail::Judge::search, one_seed, jobs...);
    tally.states += explored.states;
    tally.seconds_exploring += explored.seconds;
    tally.slowest = std::max(tally.slowest, explored.seconds);
    if (explored.kind == dma::proof::FindingKind::too_many_states) {
      ++tally.without_end;
    } else {
      ++tally.explored;
      if (!explored.is_proved()) {
        FAIL_CHECK(explored);
      }
    }
  }
}

template <int Groups, int Pipelines>
struct LayoutOf;
template <>
struct LayoutOf<1, 1> {
  using Type = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
};
template <>
struct LayoutOf<2, 1> {
  using Type = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
};
template <>
struct LayoutOf<1, 2> : LayoutOf<2, 1> {};
template <>
struct LayoutOf<3, 1> {
  using Type = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>>;
};
template <>
struct LayoutOf<2, 2> {
  using Type = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>>;
};
template <>
struct LayoutOf<3, 2> {
  using Type =
      dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>>;
};

inline constexpr int most_loops = 3;

inline void judge_every_loop(Tally& tally, const std::string& pipe, int stages, Ask<Job> ask) {
  for (int loops = 1; loops <= most_loops; ++loops) {
    for (int trips = 0; trips <= 3 * stages + 1; ++trips) {
      Arrays arrays;
      INFO(pipe << ", " << trips << " tiles, " << loops << " loops");
      judge(tally, stages <= 3, {dma::proof::output(arrays.out)}, ask, arrays.job(trips, loops));
    }
  }
}

template <class Barrier, class Engine, bool is_store, int Stages, int Groups>
void judge_one(Tally& tally) {
  using Layout = typename LayoutOf<Groups, 1>::Type;
  using Pattern = std::conditional_t<is_store, StoredTile, Tile>;
  using Pipe =
      dma::DmaPipeline<Pattern, dma::MultiBuffer<Layout, Stages, dma::DmaGroups{.count = Groups}>, Barrier, Engine>;
  judge_every_loop(tally, dma::machine::readable(dma::machine::type_name<Pipe>()), Stages, ask<OnePipeline<Pipe>, Job>);
}

template <class Barrier, class Engine, int Stages, int Groups>
void judge_update(Tally& tally) {
  using Layout = typename LayoutOf<Groups, 1>::Type;
  using Pipe =
      dma::DmaPipeline<UpdatedTile, dma::MultiBuffer<Layout, Stages, dma::DmaGroups{.count = Groups}>, Barrier, Engine>;
  for (int loops = 1; loops <= most_loops; loops += 2) {
    for (int trips = 0; trips <= 3 * Stages + 1; ++trips) {
      Arrays arrays;
      INFO(dma::machine::readable(dma::machine::type_name<Pipe>()) << ", " << trips << " tiles, " << loops << " loops");
      dma::host::launch(OneUpdate<Pipe>{}, {1}, arrays.job(trips, loops));
      int wrong = 0;
      for (std::size_t i = 0; i < arrays.out.size(); ++i) {
        wrong += arrays.out[i] == (i < static_cast<std::size_t>(32 * trips * loops) ? -arrays.in[i] : 0) ? 0 : 1;
      }
      REQUIRE(wrong == 0);
      judge(tally, Stages <= 3, {dma::proof::output(arrays.out)}, ask<OneUpdate<Pipe>, Job>, arrays.job(trips, loops));
    }
  }
}

/// How much of the pairs: a search of two pipelines takes seconds where one takes none. In `usual` extent searches have
/// one loop, and of several loops there are three, with numbers of tiles that end in front of, on or behind a turn of
/// the ring.
enum class PairExtent { usual, full };

inline void judge_every_loop(Tally& tally, const std::string& pipe, int stages, PairExtent extent, Ask<Job, Job> ask) {
  const bool is_full = extent == PairExtent::full;
  for (int loops = 1; loops <= most_loops; ++loops) {
    for (int trips = 0; trips <= 3 * stages + 1; ++trips) {
      const bool is_at_turn = trips % stages <= 1 || trips % stages == stages - 1;
      if (!is_full && (loops == 2 || (loops == 3 && !is_at_turn))) {
        continue;
      }
      const bool is_searched = is_full || (loops == 1 && trips <= 2 * stages + 1);
      Arrays a;
      Arrays b;
      INFO("two of " << pipe << ", " << trips << " tiles, " << loops << " loops");
      judge(tally, stages <= 3 && is_searched, {dma::proof::output(a.out), dma::proof::output(b.out)}, ask,
            a.job(trips, loops), b.job(trips, loops));
    }
  }
}

template <class Barrier, class Engine, bool first_stores, bool second_stores, int Stages, int Groups>
void judge_two(Tally& tally, PairExtent extent) {
  using Layout = typename LayoutOf<Groups, 2>::Type;
  using A = dma::DmaPipeline<std::conditional_t<first_stores, StoredTile, Tile>,
                             dma::MultiBuffer<Layout, Stages, dma::DmaGroups{.count = Groups}>, Barrier, Engine>;
  using B = dma::DmaPipeline<std::conditional_t<second_stores, StoredTile, Tile>,
                             dma::MultiBuffer<Layout, Stages, dma::DmaGroups{.first = Groups, .count = Groups}>,
                             Barrier, Engine>;
  judge_every_loop(tally, dma::machine::readable(dma::machine::type_name<A>()), Stages, extent,
                   ask<TwoPipelines<A, B>, Job, Job>);
}

/// Calls `judge.template operator()<Stages, Groups>()` for every buffering: SingleBuffer is 1 stage and 1 group,
/// ManualDoubleBuffer 2 and 1, DoubleBuffer 2 and 2.
template <class Judge>
void for_each_buffering(const Judge& judge) {
  judge.template operator()<1, 1>();
  judge.template operator()<2, 1>();
  judge.template operator()<2, 2>();
  judge.template operator()<3, 1>();
  judge.template operator()<4, 1>();
  judge.template operator()<5, 1>();
  judge.template operator()<6, 1>();
  judge.template operator()<7, 1>();
  judge.template operator()<4, 2>();
  judge.template operator()<6, 2>();
  judge.template operator()<3, 3>();
  judge.template operator()<6, 3>();
}

/// Stages that a named barrier has numbers for: a CTA's 15, two a stage, divided among its DMA groups.
template <class Barrier>
constexpr bool has_numbers(int stages, int groups, int all_groups) {
  return Barrier::ids == 0 || 2 * stages <= groups * (15 / all_groups);
}

template <class Barrier, class Engine>
void judge_single_pipelines(const std::string& what) {
  Tally tally;
  for_each_buffering([&]<int Stages, int Groups>() {
    if constexpr (has_numbers<Barrier>(Stages, Groups, Groups)) {
      if constexpr (Barrier::supports(Engine::completion)) {
        judge_one<Barrier, Engine, false, Stages, Groups>(tally);
      }
      judge_one<Barrier, Engine, true, Stages, Groups>(tally);
    }
  });
  tally.print(what);
  REQUIRE(tally.proved > 500);
}

template <class Barrier, class Engine>
void judge_updates(const std::string& what) {
  Tally tally;
  judge_update<Barrier, Engine, 1, 1>(tally);
  judge_update<Barrier, Engine, 3, 1>(tally);
  judge_update<Barrier, Engine, 4, 2>(tally);
  tally.print(what);
}

template <class Barrier, class Engine>
void judge_pairs_of_pipelines(const std::string& what, PairExtent extent = PairExtent::usual) {
  Tally tally;
  for_each_buffering([&]<int Stages, int Groups>() {
    if constexpr (has_numbers<Barrier>(Stages, Groups, 2 * Groups)) {
      if constexpr (Barrier::supports(Engine::completion)) {
        judge_two<Barrier, Engine, false, false, Stages, Groups>(tally, extent);
        judge_two<Barrier, Engine, false, true, Stages, Groups>(tally, extent);
      } else {
        judge_two<Barrier, Engine, true, true, Stages, Groups>(tally, extent);
      }
    }
  });
  tally.print(what);
  REQUIRE(tally.proved > 50);
}

}  // namespace proof_matrix
