#include "host/proof/faulty_kernels.hpp"
#include "host/proof/matrix.hpp"

#include <dma/kernel/last_cta.hpp>
#include <dma/machine/readable.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/record/recorder.hpp>
#include <dma/proof/record/warps.hpp>
#include <dma/proof/replay/schedule.hpp>
#include <dma/proof/search/search.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using dma::host::KernelError;
using dma::proof::FindingKind;
using dma::proof::Schedule;
using dma::proof::Verdict;
using dma::proof::detail::Event;
using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Program;
using dma::proof::detail::Recording;

namespace {

/// A verdict with a schedule of the test's own.
Verdict with_schedule(const Recording& recording, const Program& warps, const std::vector<Event>& events) {
  return {.kind = FindingKind::race, .schedule = std::make_shared<const Schedule>(recording, warps, events)};
}

/// A schedule of the test's own.
class Script {
 public:
  explicit Script(const Program& warps) : next_(warps.agents.size(), 0) {
    for (const dma::proof::detail::Agent& agent : warps.agents) {
      steps_.emplace_back();
      for (std::size_t i = 0; i < agent.operations.size(); ++i) {
        if (dma::proof::detail::SegmentedList::is_step(agent.operations[i].kind)) {
          steps_.back().push_back(static_cast<int>(i));
        }
      }
    }
  }
  Script& move(const std::vector<int>& warps) {
    for (const int warp : warps) {
      const auto index = static_cast<std::size_t>(warp);
      events_.push_back({warp, steps_[index].at(next_[index]++), false});
    }
    return *this;
  }
  /// The copies end that a warp began with its `step`-th move.
  Script& end_copies(int warp, std::size_t step) {
    events_.push_back({warp, steps_[static_cast<std::size_t>(warp)].at(step), true});
    return *this;
  }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<std::vector<int>> steps_;  ///< of each warp, in its list of operations
  std::vector<std::size_t> next_;
  std::vector<Event> events_;
};

/// What a kernel throws when it is led along a script; empty where it throws nothing.
template <class Kernel, class Write, class... Args>
std::string follow(const Write& write, const Kernel& kernel, Args... args) {
  const Recording recording = dma::proof::detail::record(kernel, {0, 0, 0}, {1}, 0, false, args...);
  const std::optional<Program> warps = dma::proof::detail::program_of_warps(recording);
  REQUIRE(warps.has_value());
  Script script(*warps);
  write(script);
  try {
    dma::proof::replay(with_schedule(recording, *warps, script.events()), kernel, {1}, args...);
  } catch (const KernelError& error) {
    return error.what();
  }
  return "";
}

/// One of the schedules that a search goes through, to the program's end.
std::vector<Event> schedule_at_random(const Program& program, std::mt19937& random) {
  dma::proof::detail::StateMachine state_machine(program);
  std::vector<dma::proof::detail::StateMachine::Word> state(state_machine.width());
  state_machine.begin(state.data());
  std::vector<Event> events;
  for (;;) {
    std::vector<dma::proof::detail::StateMachine::Move> moves;
    for (std::uint16_t index = 0; index < state_machine.agent_count(); ++index) {
      if (state_machine.can_step(state.data(), index)) {
        moves.push_back({index, dma::proof::detail::StateStore::own_step});
      }
      for (std::uint16_t flight = 0; flight < 64; ++flight) {
        if ((state_machine.flying(state.data(), index) >> flight & 1U) != 0) {
          moves.push_back({index, flight});
        }
      }
    }
    if (moves.empty()) {
      return events;
    }
    const auto move = moves[random() % moves.size()];
    events.push_back({state_machine.agent_of(move.index), state_machine.operation_of(state.data(), move),
                      move.flight != dma::proof::detail::StateStore::own_step});
    state_machine.make(state.data(), move);
  }
}

/// Leads a correct kernel along schedules at random; its outputs have to be its inputs, `tiles` of each.
template <class Kernel, class... Jobs>
void lead_at_random(const Kernel& kernel, const std::vector<proof_matrix::Arrays*>& arrays, int tiles,
                    const Jobs&... jobs) {
  std::mt19937 random(1);
  for (const bool polls_truly : {false, true}) {
    const Recording recording = dma::proof::detail::record(kernel, {0, 0, 0}, {1}, 3, polls_truly, jobs...);
    REQUIRE(recording.error.empty());
    const std::optional<Program> warps = dma::proof::detail::program_of_warps(recording);
    REQUIRE(warps.has_value());
    for (int i = 0; i < 3; ++i) {
      for (proof_matrix::Arrays* each : arrays) {
        each->out.fill(0);
      }
      const std::vector<Event> events = schedule_at_random(*warps, random);
      dma::proof::replay(with_schedule(recording, *warps, events), kernel, {1}, jobs...);
      for (const proof_matrix::Arrays* each : arrays) {
        REQUIRE(std::equal(each->in.begin(), each->in.begin() + tiles * 32, each->out.begin()));
      }
    }
  }
}

template <class Barrier, class Engine, bool is_store, int Stages>
void lead_pipelines() {
  using Pattern = std::conditional_t<is_store, proof_matrix::StoredTile, proof_matrix::Tile>;
  using Alone = typename proof_matrix::LayoutOf<1, 1>::Type;
  using Both = typename proof_matrix::LayoutOf<1, 2>::Type;
  using Pipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Alone, Stages>, Barrier, Engine>;
  using First = dma::DmaPipeline<Pattern, dma::MultiBuffer<Both, Stages, dma::DmaGroups{.first = 0}>, Barrier, Engine>;
  using Second = dma::DmaPipeline<proof_matrix::StoredTile, dma::MultiBuffer<Both, Stages, dma::DmaGroups{.first = 1}>,
                                  Barrier, Engine>;
  constexpr int loops = proof_matrix::most_loops;
  constexpr int trips = 3 * Stages + 1;
  const auto a = std::make_unique<proof_matrix::Arrays>();
  const auto b = std::make_unique<proof_matrix::Arrays>();
  INFO(dma::machine::readable(dma::machine::type_name<Pipe>()));
  constexpr int tiles = loops * trips;
  lead_at_random(proof_matrix::OnePipeline<Pipe>{}, {a.get()}, tiles, a->job(trips, loops));
  lead_at_random(proof_matrix::TwoPipelines<First, Second>{}, {a.get(), b.get()}, tiles, a->job(trips, loops),
                 b->job(trips, loops));
}

template <class Barrier, class Engine>
void lead_both_ways() {
  if constexpr (Barrier::supports(Engine::completion)) {
    lead_pipelines<Barrier, Engine, false, 1>();
    lead_pipelines<Barrier, Engine, false, 3>();
  }
  lead_pipelines<Barrier, Engine, true, 2>();
}

/// The lanes of each warp arrive at a barrier of its own, again and again; the last of them says so.
struct Arrivals {
  static constexpr int warps = 4;
  static constexpr int turns = 3;
  using Layout = dma::WarpLayout<dma::Compute<warps>>;
  struct Shared {
    std::array<dma::CudaBarrier::State, warps> barriers;
  };
  struct Log {
    std::array<int, warps> lanes{};
    std::vector<int> warps_in_order;
  };
  void operator()(dma::KernelCta<Arrivals>& cta, Log* log) const {
    auto& barriers = cta.shared<Shared>().barriers;
    if (cta.thread() == 0) {
      for (auto& barrier : barriers) {
        dma::machine::phase_init(&barrier, 32);
      }
    }
    cta.sync();
    const auto warp = static_cast<std::size_t>(cta.warp());
    for (int turn = 0; turn < turns; ++turn) {
      dma::machine::phase_arrive(&barriers[warp], {});
      if (++log->lanes[warp] % 32 == 0) {
        log->warps_in_order.push_back(cta.warp());
      }
    }
  }
};

/// Warp 0 synchronizes with one other warp, and then with one more: whether all can continue depends on their order.
struct MeetsTwice {
  using Layout = dma::WarpLayout<dma::Compute<3>>;
  void operator()(dma::KernelCta<MeetsTwice>& cta) const {
    dma::machine::barrier_sync(1, 64, {});
    if (cta.warp() == 0) {
      dma::machine::barrier_sync(1, 64, {});
    }
  }
};

unsigned load_word(const unsigned char* place) { return dma::machine::load_shared<4>(place, 0).part[0]; }

/// Warp 1 writes what warp 0 reads, unsynchronized; both arrive after it.
struct Races {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    alignas(16) unsigned char word[16];
    dma::CudaBarrier::State barrier;
  };
  void operator()(dma::KernelCta<Races>& cta, unsigned* seen) const {
    auto& shared = cta.shared<Shared>();
    if (cta.thread() == 0) {
      dma::machine::phase_init(&shared.barrier, Layout::threads);
      dma::machine::store_shared<4>(shared.word, 0, dma::machine::Word<4>{{3}});
    }
    cta.sync();
    if (cta.warp() == 0) {
      *seen = load_word(shared.word);
    } else if (cta.lane() == 0) {
      dma::machine::store_shared<4>(shared.word, 0, dma::machine::Word<4>{{4}});
    }
    dma::machine::phase_arrive(&shared.barrier, {});
  }
};

/// Warp 1 loads by a bulk copy and stores by another; warp 0 looks at both before each of its arrivals.
struct Watches {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  static constexpr int looks = 4;
  struct Shared {
    alignas(128) unsigned char loaded[16];
    alignas(128) unsigned char stored[16];
    dma::CudaBarrier::State full;
    dma::CudaBarrier::State progress;
  };
  struct Log {
    alignas(128) std::array<unsigned, 4> in{9};
    alignas(128) std::array<unsigned, 4> out{};
    std::vector<std::pair<unsigned, unsigned>> seen;
  };
  void operator()(dma::KernelCta<Watches>& cta, Log* log) const {
    auto& shared = cta.shared<Shared>();
    if (cta.thread() == 0) {
      dma::machine::phase_init(&shared.full, 1);
      dma::machine::phase_init(&shared.progress, (looks + 2) * 32);
      dma::machine::store_shared<4>(shared.loaded, 0, dma::machine::Word<4>{{0}});
      dma::machine::store_shared<4>(shared.stored, 0, dma::machine::Word<4>{{5}});
      dma::machine::fence_async_proxy();
    }
    cta.sync();
    cta.sync_warp();
    if (cta.warp() == 1) {
      if (cta.lane() == 0) {
        dma::machine::copy_bulk_to_shared<dma::CacheHints{}>(
            shared.loaded, reinterpret_cast<const unsigned char*>(log->in.data()), 16, &shared.full);
        dma::machine::phase_arrive_expecting(&shared.full, 16, {});
        dma::machine::copy_bulk_to_global<dma::CacheHints{}>(reinterpret_cast<unsigned char*>(log->out.data()),
                                                             shared.stored, 16);
        dma::machine::commit_bulk_group();
      }
      cta.sync_warp();
      dma::machine::phase_arrive(&shared.progress, {});
      dma::machine::wait_for_bulk_groups();
      dma::machine::phase_arrive(&shared.progress, {});
    } else {
      for (int look = 0; look < looks; ++look) {
        const unsigned loaded = load_word(shared.loaded);
        if (cta.lane() == 0) {
          log->seen.emplace_back(loaded, log->out[0]);
        }
        cta.sync_warp();
        dma::machine::phase_arrive(&shared.progress, {});
      }
    }
  }
};

/// A bulk load between a bulk store and the end of its group; what is stored is written anew when the group was waited
/// for.
struct LoadsAmidStore {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    alignas(128) unsigned char stored[16];
    alignas(128) unsigned char loaded[16];
    dma::CudaBarrier::State full;
  };
  void operator()(dma::KernelCta<LoadsAmidStore>& cta, const unsigned char* in, unsigned char* out) const {
    auto& shared = cta.shared<Shared>();
    if (cta.thread() == 0) {
      dma::machine::phase_init(&shared.full, 1);
      dma::machine::store_shared<4>(shared.stored, 0, dma::machine::Word<4>{{7}});
      dma::machine::fence_async_proxy();
    }
    cta.sync();
    cta.sync_warp();
    if (cta.thread() == 0) {
      dma::machine::copy_bulk_to_global<dma::CacheHints{}>(out, shared.stored, 16);
      dma::machine::copy_bulk_to_shared<dma::CacheHints{}>(shared.loaded, in, 16, &shared.full);
      dma::machine::commit_bulk_group();
      dma::machine::phase_arrive_expecting(&shared.full, 16, {});
    }
    cta.sync_warp();
    dma::machine::phase_wait(&shared.full, 0, {});
    dma::machine::wait_for_bulk_groups();
    cta.sync();
    if (cta.thread() == 0) {
      dma::machine::store_shared<4>(shared.stored, 0, dma::machine::Word<4>{{9}});
    }
  }
};

/// In the last of several CTAs one warp waits for another that does not come.
struct LastDeadlocks {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    dma::ArrivalCounter arrivals;
  };
  void operator()(dma::KernelCta<LastDeadlocks>& cta, dma::ArrivalCounter* counter) const {
    if (dma::is_last_cta(cta, *counter, cta.blocks().x, cta.shared<Shared>().arrivals) && cta.warp() == 0) {
      dma::machine::barrier_sync(3, 64, {});
    }
  }
};

/// Stores by a bulk copy that no thread waits for; another warp writes what is stored.
struct LeavesStore {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    alignas(128) unsigned char tile[16];
  };
  void operator()(dma::KernelCta<LeavesStore>& cta, unsigned char* out) const {
    auto& shared = cta.shared<Shared>();
    cta.sync();
    if (cta.thread() == 0) {
      dma::machine::copy_bulk_to_global<dma::CacheHints{}>(out, shared.tile, 16);
      dma::machine::commit_bulk_group();
    } else if (cta.thread() == 32) {
      dma::machine::store_shared<4>(shared.tile, 0, dma::machine::Word<4>{{1}});
    }
  }
};

/// Three warps meet at a barrier for two; the last of them may only arrive.
struct MeetsAt {
  using Layout = dma::WarpLayout<dma::Compute<3>>;
  void operator()(dma::KernelCta<MeetsAt>& cta, int id, bool last_waits) const {
    if (last_waits || cta.warp() < 2) {
      dma::machine::barrier_sync(id, 64, {});
    } else {
      dma::machine::barrier_arrive(id, 64, {});
    }
  }
};

/// Other kernels of as many threads, of which one ends at once and one meets with all.
struct EndsAtOnce {
  using Layout = dma::WarpLayout<dma::Compute<3>>;
  void operator()(dma::KernelCta<EndsAtOnce>& /*cta*/) const {}
};
struct MeetsWithAll {
  using Layout = dma::WarpLayout<dma::Compute<3>>;
  void operator()(dma::KernelCta<MeetsWithAll>& /*cta*/) const { dma::machine::barrier_sync(1, 96, {}); }
};

/// The last CTA of a grid waits for ever where it runs first.
struct LastWaitsWhereItIsFirst {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(dma::KernelCta<LastWaitsWhereItIsFirst>& cta, int* ran) const {
    cta.sync();
    if (cta.block().x == 1 && *ran == 0 && cta.warp() == 0) {
      dma::machine::barrier_sync(3, 64, {});
    }
    cta.sync();
    if (cta.thread() == 0) {
      ++*ran;
    }
  }
};

/// Threads that load their tiles themselves, several into each slot.
struct LoadsItsOwnTiles {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::RegisterCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };
  static constexpr int tiles = 7;
  void operator()(dma::KernelCta<LoadsItsOwnTiles>& cta, const float* in, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int tile) { dma.load(in + tile * Tile::count); },
        [&](const auto& compute, int tile) {
          const auto slot = compute.wait();
          out[tile * Tile::count + compute.rank()] = slot[compute.rank()];
        });
  }
};

/// Warp 0 says that its copies are there before it has waited for them; warp 1 looks.
struct ArrivesEarly {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    alignas(16) unsigned char words[32 * 4];
  };
  using Words = std::array<unsigned, 32>;
  void operator()(dma::KernelCta<ArrivesEarly>& cta, const Words* in, Words* seen) const {
    auto& words = cta.shared<Shared>().words;
    if (cta.warp() == 0) {
      dma::machine::copy_async<4, dma::CacheHints{}>(
          words, cta.lane() * 4, reinterpret_cast<const unsigned char*>(in->data()), cta.lane() * 4);
      dma::machine::barrier_arrive(1, 64, {});
      dma::machine::wait_for_async_copies();
    } else {
      dma::machine::barrier_sync(1, 64, {});
      (*seen)[static_cast<std::size_t>(cta.lane())] = load_word(words + cta.lane() * 4);
    }
  }
};

/// Tiles of an input, as a faulty kernel leaves them; `order` is the kernel's own.
struct FaultyRun {
  alignas(16) std::array<float, faulty::tiles * 64> in;
  alignas(16) std::array<float, faulty::tiles * 64> out{};
  int order = 0;

  FaultyRun() : in{} {
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i + 1);
    }
  }
  [[nodiscard]] int wrong() const {
    int count = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      count += out[i] == in[i] ? 0 : 1;
    }
    return count;
  }
};

template <class Barrier, class Engine>
struct Loading {
  using Kernel = faulty::Kernel<faulty::Loads<Barrier, Engine>, faulty::Second<Barrier, Engine>>;

  static Verdict explore(FaultyRun& run, faulty::Fault fault) {
    return dma::proof::explore(Kernel{}, {1}, run.in.data(), run.out.data(), &run.order, fault);
  }
  static void replay(const Verdict& verdict, FaultyRun& run, faulty::Fault fault) {
    dma::proof::replay(verdict, Kernel{}, {1}, run.in.data(), run.out.data(), &run.order, fault);
  }
};

template <class Barrier, class Engine>
void expect_deadlocks() {
  using faulty::Fault;
  for (const Fault fault : {Fault::one_trip_too_many, Fault::synchronizes_half, Fault::forgets_second}) {
    FaultyRun run;
    const Verdict verdict = Loading<Barrier, Engine>::explore(run, fault);
    CAPTURE(static_cast<int>(fault), verdict);
    REQUIRE(verdict.kind == FindingKind::deadlock);
    REQUIRE_THROWS_MATCHES((Loading<Barrier, Engine>::replay(verdict, run, fault)), KernelError,
                           MessageMatches(ContainsSubstring("deadlock in block (0, 0, 0)")));
  }
}

/// Along the schedule the first tile is read before it has come, and nothing else is wrong.
template <class Barrier>
void expect_one_stale_tile() {
  FaultyRun run;
  using Reading = Loading<Barrier, faulty::Async>;
  const Verdict verdict = Reading::explore(run, faulty::Fault::none);
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::unfinished_copy);
  Reading::replay(verdict, run, faulty::Fault::none);
  REQUIRE(run.wrong() == 64);
  REQUIRE(!std::equal(run.out.begin(), run.out.begin() + 64, run.in.begin()));
}

}  // namespace

TEST_CASE("warps make their moves in the order of a schedule", "[proof][replay]") {
  std::mt19937 random(7);
  std::vector<int> turns;
  for (int i = 0; i < Arrivals::warps * Arrivals::turns; ++i) {
    turns.push_back(i % Arrivals::warps);
  }
  const std::vector<int> opening_and_meeting = {0, 0, 0, 0, 0, 1, 2, 3};
  for (int i = 0; i < 100; ++i) {
    std::shuffle(turns.begin(), turns.end(), random);
    Arrivals::Log log;
    REQUIRE(follow(
                [&](Script& script) {
                  log = {};
                  script.move(opening_and_meeting).move(turns);
                },
                Arrivals{}, &log)
                .empty());
    REQUIRE(log.warps_in_order == turns);
  }
}

TEST_CASE("a deadlock that one order has is met in that order only", "[proof][replay]") {
  const auto in_order = [](const std::vector<int>& warps) {
    return follow([&](Script& script) { script.move(warps); }, MeetsTwice{});
  };
  REQUIRE(in_order({0, 1, 2, 0}).empty());
  REQUIRE(in_order({0, 2, 0, 1}).empty());
  REQUIRE_THAT(in_order({1, 2, 0}), ContainsSubstring("deadlock in block (0, 0, 0)"));
}

TEST_CASE("a warp touches a tile when its next move comes", "[proof][replay]") {
  const auto seen_in_order = [](const std::vector<int>& warps) {
    unsigned seen = 0;
    REQUIRE(follow([&](Script& script) { script.move({0, 0, 1}).move(warps); }, Races{}, &seen).empty());
    return seen;
  };
  REQUIRE(seen_in_order({0, 1}) == 3);
  REQUIRE(seen_in_order({1, 0}) == 4);
}

TEST_CASE("copies end where the schedule says, and stores where they are waited for", "[proof][replay]") {
  Watches::Log log;
  REQUIRE(follow(
              [&](Script& script) {
                log = {};
                // Opens both barriers; all meet; warp 1 copies and arrives, and
                // then arrives twice more.
                script.move({0, 0, 0, 1, 1, 1, 0, 1, 0}).end_copies(1, 1).move({0, 1, 0});
              },
              Watches{}, &log)
              .empty());
  REQUIRE(log.seen == std::vector<std::pair<unsigned, unsigned>>{{0, 0}, {0, 0}, {9, 0}, {9, 5}});
}

TEST_CASE("the end of a load is not the end of a store that began beside it", "[proof][replay]") {
  const std::array<unsigned char, 16> in{};
  std::array<unsigned char, 16> out{};
  // Opens the barrier, meets, copies, arrives; the copy ends; waits and meets.
  REQUIRE(follow(
              [&](Script& script) {
                script.move({0, 0, 0, 0}).end_copies(0, 2).move({0, 0});
              },
              LoadsAmidStore{}, in.data(), out.data())
              .empty());
  REQUIRE(out[0] == 7);
}

TEST_CASE("copies that are under way after the last move end when all warps have gone on", "[proof][replay]") {
  const ArrivesEarly::Words in{};
  ArrivesEarly::Words seen{};
  for (const auto& order : {std::vector<int>{0, 1}, std::vector<int>{1, 0}}) {
    REQUIRE(follow([&](Script& script) { script.move(order); }, ArrivesEarly{}, &in, &seen).empty());
    REQUIRE(std::count(seen.begin(), seen.end(), 0U) == 0);
  }
}

TEST_CASE("the CTAs before the one that fails run first", "[proof][replay]") {
  dma::ArrivalCounter counter{};
  const Verdict verdict = dma::proof::explore(LastDeadlocks{}, {3}, &counter);
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::deadlock);
  counter = {};
  REQUIRE_THROWS_MATCHES(dma::proof::replay(verdict, LastDeadlocks{}, {3}, &counter), KernelError,
                         MessageMatches(ContainsSubstring("deadlock in block (2, 0, 0)")));
}

TEST_CASE("the CTAs before the one that fails run in the order of the verdict's seed", "[proof][replay]") {
  int ran = 0;
  std::span<int> output(&ran, 1);
  const Verdict verdict = dma::proof::explore({.first_seed = 1, .seeds = 1, .outputs = {dma::proof::output(output)}},
                                              LastWaitsWhereItIsFirst{}, {2}, &ran);
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::deadlock);
  REQUIRE_THROWS_MATCHES(dma::proof::replay(verdict, LastWaitsWhereItIsFirst{}, {2}, &ran), KernelError,
                         MessageMatches(ContainsSubstring("deadlock in block (1, 0, 0)")));
}

TEST_CASE("threads that load for themselves can be led along a schedule", "[proof][replay]") {
  using Kernel = LoadsItsOwnTiles;
  alignas(16) std::array<float, Kernel::tiles * Kernel::Tile::count> in{};
  std::array<float, Kernel::tiles * Kernel::Tile::count> out{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i + 1);
  }
  const float* const from = in.data();
  const Recording recording = dma::proof::detail::record(Kernel{}, {0, 0, 0}, {1}, 0, false, from, out.data());
  const std::optional<Program> warps = dma::proof::detail::program_of_warps(recording);
  REQUIRE(warps.has_value());
  out.fill(0);
  std::mt19937 random(1);
  dma::proof::replay(with_schedule(recording, *warps, schedule_at_random(*warps, random)), Kernel{}, {1}, from,
                     out.data());
  REQUIRE(out == in);
}

TEST_CASE("a copy that is left under way is reported as in a launch", "[proof][replay]") {
  alignas(16) std::array<unsigned char, 16> out{};
  const Verdict verdict = dma::proof::explore(LeavesStore{}, {1}, out.data());
  CAPTURE(verdict);
  REQUIRE(verdict.schedule != nullptr);
  REQUIRE_THROWS_MATCHES(dma::proof::replay(verdict, LeavesStore{}, {1}, out.data()), KernelError,
                         MessageMatches(ContainsSubstring("ended while asynchronous copies were in flight")));
}

TEST_CASE("a CTA can be led along whatever schedule a search goes through", "[proof][replay]") {
  lead_both_ways<dma::CudaBarrier, dma::RegisterCopy<>>();
  lead_both_ways<dma::NamedBarrier, dma::RegisterCopy<>>();
  lead_both_ways<dma::CudaBarrier, dma::AsyncCopy<>>();
  lead_both_ways<dma::NamedBarrier, dma::AsyncCopy<>>();
  lead_both_ways<dma::CudaBarrier, dma::BulkCopy<>>();
  lead_both_ways<dma::NamedBarrier, dma::BulkCopy<>>();
  lead_both_ways<dma::CudaBarrier, dma::TensorCopy<>>();
  lead_both_ways<dma::NamedBarrier, dma::TensorCopy<>>();
}

TEST_CASE("a deadlock that was found is one that happens", "[proof][replay]") {
  expect_deadlocks<faulty::Phase, faulty::Registers>();
  expect_deadlocks<faulty::Named, faulty::Registers>();
  expect_deadlocks<faulty::Phase, faulty::Async>();
  expect_deadlocks<faulty::Named, faulty::Async>();
  expect_deadlocks<faulty::Phase, faulty::Bulk>();
}

TEST_CASE("a copy whose end no thread waited for completes too late", "[proof][replay]") {
  expect_one_stale_tile<faulty::ForgetsCopies>();
  expect_one_stale_tile<faulty::ArrivesBeforeItsCopies>();
}

TEST_CASE("a verdict without a schedule is not replayed, and another kernel neither", "[proof][replay]") {
  const auto expect_refusal = [](const auto& replay, const char* message) {
    REQUIRE_THROWS_MATCHES(replay(), KernelError, MessageMatches(ContainsSubstring(message)));
  };
  using Deadlocking = Loading<faulty::Phase, faulty::Bulk>;
  FaultyRun run;
  const Verdict proved = Deadlocking::explore(run, faulty::Fault::none);
  REQUIRE(proved.is_proved());
  expect_refusal([&] { Deadlocking::replay(proved, run, faulty::Fault::none); }, "the verdict has no schedule");
  const Verdict unfinished = dma::proof::explore({.limits = {.states = 2}}, MeetsAt{}, {1}, 1, true);
  REQUIRE(unfinished.kind == FindingKind::too_many_states);
  expect_refusal([&] { dma::proof::replay(unfinished, MeetsAt{}, {1}, 1, true); }, "the verdict has no schedule");

  const Verdict deadlock = Deadlocking::explore(run, faulty::Fault::one_trip_too_many);
  expect_refusal([&] { Deadlocking::replay(deadlock, run, faulty::Fault::one_warp_leaves); },
                 "the kernel does not follow the schedule: no thread makes move");
  expect_refusal([&] { dma::proof::replay(deadlock, MeetsAt{}, {1}, 1, true); },
                 "a kernel of another number of threads");
  const Verdict alone = dma::proof::explore(MeetsAt{}, {1}, 1, true);
  REQUIRE(alone.schedule != nullptr);
  expect_refusal([&] { dma::proof::replay(alone, EndsAtOnce{}, {1}); }, "the CTA ends before move");
  expect_refusal([&] { dma::proof::replay(alone, MeetsWithAll{}, {1}); }, "does not do what was recorded for move");
  expect_refusal([&] { dma::proof::replay(alone, MeetsAt{}, {2}, 1, true); }, "the verdict is about another grid");
  expect_refusal([&] { dma::proof::replay(alone, MeetsAt{}, {1}, 2, true); },
                 "thread 0 does not do what was recorded for move");
  expect_refusal([&] { dma::proof::replay(alone, MeetsAt{}, {1}, 1, false); },
                 "thread 64 does not do what was recorded for move");
}
