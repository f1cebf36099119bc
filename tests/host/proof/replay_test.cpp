#include "host/proof/faulty_kernels.hpp"
#include "host/proof/matrix.hpp"

#include <dma/host/prove.hpp>

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
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using dma::host::Event;
using dma::host::FindingKind;
using dma::host::KernelError;
using dma::host::Operation;
using dma::host::OperationKind;
using dma::host::Program;
using dma::host::Recording;
using dma::host::Schedule;
using dma::host::Verdict;

namespace {

/// A verdict with a schedule of the test's own.
Verdict with_schedule(const Recording& recording, const Program& warps, const std::vector<Event>& events) {
  return {.kind = FindingKind::race, .schedule = std::make_shared<const Schedule>(recording, warps, events)};
}

/// One of the schedules that a search goes through, to the program's end.
std::vector<Event> schedule_at_random(const Program& program, std::mt19937& random) {
  dma::host::ProgramMachine machine(program);
  std::vector<dma::host::ProgramMachine::Word> state(machine.width());
  machine.begin(state.data());
  std::vector<Event> events;
  for (;;) {
    std::vector<dma::host::ProgramMachine::Move> moves;
    for (std::size_t slot = 0; slot < machine.slots(); ++slot) {
      const auto agent = static_cast<std::uint16_t>(slot);
      if (machine.can_step(state.data(), slot)) {
        moves.push_back({agent, dma::host::StateStore::own_step});
      }
      for (std::uint16_t flight = 0; flight < 64; ++flight) {
        if ((machine.flying(state.data(), slot) >> flight & 1U) != 0) {
          moves.push_back({agent, flight});
        }
      }
    }
    if (moves.empty()) {
      return events;
    }
    const auto move = moves[random() % moves.size()];
    events.push_back({machine.agent_of(move.agent), machine.operation_of(state.data(), move),
                      move.flight != dma::host::StateStore::own_step});
    machine.make(state.data(), move);
  }
}

/// Leads a correct kernel along schedules at random; its outputs have to be its inputs, `tiles` of each.
template <class Kernel, class... Jobs>
int lead_at_random(const Kernel& kernel, const std::vector<proof_matrix::Arrays*>& arrays, int tiles,
                   const Jobs&... jobs) {
  std::mt19937 random(1);
  int moves = 0;
  for (const bool polls_truly : {false, true}) {
    const Recording recording = dma::host::record(kernel, {}, {1}, 3, polls_truly, jobs...);
    REQUIRE(recording.error.empty());
    const std::optional<Program> warps = dma::host::program_of_warps(recording);
    REQUIRE(warps.has_value());
    for (int i = 0; i < 3; ++i) {
      for (proof_matrix::Arrays* each : arrays) {
        each->out.fill(0);
      }
      const std::vector<Event> events = schedule_at_random(*warps, random);
      dma::host::replay(with_schedule(recording, *warps, events), kernel, {1}, jobs...);
      for (const proof_matrix::Arrays* each : arrays) {
        REQUIRE(std::equal(each->in.begin(), each->in.begin() + tiles * 32, each->out.begin()));
      }
      moves += static_cast<int>(events.size());
    }
  }
  return moves;
}

template <class Barrier, class Engine, bool stores, int Stages>
void lead_pipelines() {
  using Pattern = std::conditional_t<stores, proof_matrix::StoredTile, proof_matrix::Tile>;
  using Alone = typename proof_matrix::LayoutOf<1, 1>::Type;
  using Both = typename proof_matrix::LayoutOf<1, 2>::Type;
  using Pipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Alone, Stages>, Barrier, Engine>;
  using First = dma::DmaPipeline<Pattern, dma::MultiBuffer<Both, Stages, 1, 0>, Barrier, Engine>;
  using Second = dma::DmaPipeline<proof_matrix::StoredTile, dma::MultiBuffer<Both, Stages, 1, 1>, Barrier, Engine>;
  constexpr int loops = proof_matrix::most_loops;
  constexpr int trips = 3 * Stages + 1;
  const auto a = std::make_unique<proof_matrix::Arrays>();
  const auto b = std::make_unique<proof_matrix::Arrays>();
  INFO(dma::host::readable(dma::host::type_name<Pipe>()));
  constexpr int tiles = loops * trips;
  REQUIRE(lead_at_random(proof_matrix::OnePipeline<Pipe>{}, {a.get()}, tiles, a->job(trips, loops)) > tiles);
  REQUIRE(lead_at_random(proof_matrix::TwoPipelines<First, Second>{}, {a.get(), b.get()}, tiles, a->job(trips, loops),
                         b->job(trips, loops)) > 2 * tiles);
}

template <class Barrier, class Engine>
void lead_both_ways() {
  if constexpr (Barrier::carries(Engine::completion)) {
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
    return dma::host::explore(Kernel{}, {1}, run.in.data(), run.out.data(), &run.order, fault);
  }
  static void replay(const Verdict& verdict, FaultyRun& run, faulty::Fault fault) {
    dma::host::replay(verdict, Kernel{}, {1}, run.in.data(), run.out.data(), &run.order, fault);
  }
};

template <class Barrier, class Engine>
void expect_deadlocks() {
  using faulty::Fault;
  for (const Fault fault :
       {Fault::one_warp_leaves, Fault::one_warp_skips_a_tile, Fault::one_trip_too_many, Fault::one_trip_too_few,
        Fault::one_load_too_many, Fault::synchronizes_half, Fault::forgets_second}) {
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
  Arrivals::Log log;
  const Recording recording = dma::host::record(Arrivals{}, {}, {1}, 0, false, &log);
  const std::optional<Program> warps = dma::host::program_of_warps(recording);
  REQUIRE(warps.has_value());
  std::vector<Event> opening;
  std::vector<int> turns;
  std::vector<std::vector<int>> arrivals(Arrivals::warps);
  for (int warp = 0; warp < Arrivals::warps; ++warp) {
    const auto& operations = warps->agents[static_cast<std::size_t>(warp)].operations;
    for (int i = 0; i < static_cast<int>(operations.size()); ++i) {
      if (operations[static_cast<std::size_t>(i)].kind == OperationKind::phase_arrive) {
        arrivals[static_cast<std::size_t>(warp)].push_back(i);
        turns.push_back(warp);
      } else {
        opening.push_back({warp, i, false});
      }
    }
  }
  REQUIRE(turns.size() == Arrivals::warps * Arrivals::turns);
  for (int i = 0; i < 100; ++i) {
    std::shuffle(turns.begin(), turns.end(), random);
    std::vector<Event> events = opening;
    std::array<std::size_t, Arrivals::warps> next{};
    for (const int warp : turns) {
      const auto index = static_cast<std::size_t>(warp);
      events.push_back({warp, arrivals[index][next[index]++], false});
    }
    log = {};
    dma::host::replay(with_schedule(recording, *warps, events), Arrivals{}, {1}, &log);
    REQUIRE(log.warps_in_order == turns);
  }
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

TEST_CASE("a copy whose end nobody waited for comes too late", "[proof][replay]") {
  expect_one_stale_tile<faulty::ForgetsCopies>();
  expect_one_stale_tile<faulty::ArrivesBeforeItsCopies>();
}

TEST_CASE("a verdict without a schedule is not replayed, and another kernel neither", "[proof][replay]") {
  using Deadlocking = Loading<faulty::Phase, faulty::Bulk>;
  FaultyRun run;
  const Verdict proved = Deadlocking::explore(run, faulty::Fault::none);
  REQUIRE(proved.is_proved());
  REQUIRE_THROWS_MATCHES(Deadlocking::replay(proved, run, faulty::Fault::none), KernelError,
                         MessageMatches(ContainsSubstring("the verdict has no schedule")));

  const Verdict deadlock = Deadlocking::explore(run, faulty::Fault::one_trip_too_many);
  REQUIRE(deadlock.schedule != nullptr);
  REQUIRE_THROWS_MATCHES(Deadlocking::replay(deadlock, run, faulty::Fault::one_warp_leaves), KernelError,
                         MessageMatches(ContainsSubstring("the kernel does not follow the schedule")));
}
