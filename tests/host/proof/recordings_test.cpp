#include <dma/buffering/multi_buffer.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/line_of.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/pipeline.hpp>
#include <dma/proof/common_bytes.hpp>
#include <dma/proof/distinct_recordings.hpp>
#include <dma/proof/record/cta_log.hpp>
#include <dma/proof/record/first_difference.hpp>
#include <dma/proof/record/one_store.hpp>
#include <dma/proof/record/place_numbers.hpp>
#include <dma/proof/record/recorder.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/repeated_run.hpp>
#include <dma/proof/record/ring_use.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dma::machine::SourceLocation;
using dma::proof::FindingKind;
using dma::proof::detail::Accesses;
using dma::proof::detail::ByteRange;
using dma::proof::detail::ByteRanges;
using dma::proof::detail::DistinctRecordings;
using dma::proof::detail::Finding;
using dma::proof::detail::first_global;
using dma::proof::detail::GlobalAccess;
using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Recording;
using dma::proof::detail::RepeatedRun;
using dma::proof::detail::RingUse;
using dma::proof::detail::RunKey;

namespace {

/// Two threads: the first has three operations, of which the second reads, writes and uses global memory, and one apart
/// from them.
Recording two_threads() {
  Recording recording;
  recording.threads.resize(2);
  recording.answers.resize(2);
  recording.counts.resize(2);
  recording.found.resize(2);
  recording.global.resize(2);
  recording.apart.resize(2);
  const int read = recording.ranges->number_of({{0, 8}});
  const int written = recording.ranges->number_of({{16, 24}});
  recording.threads[0] = {
      {.kind = OperationKind::sync, .barrier = 1, .count = 64},
      {.kind = OperationKind::access, .reads = read, .writes = written},
      {.kind = OperationKind::phase_arrive, .barrier = 2, .count = 16, .ordered = dma::machine::Ordered::in_cta}};
  recording.threads[1] = {{.kind = OperationKind::sync, .barrier = 1, .count = 64}};
  recording.apart[0] = {{2, {.kind = OperationKind::access}}};
  recording.global[0] = {{{first_global, first_global + 4}, 1, false},
                         {{first_global + 8, first_global + 12}, 1, true},
                         {{first_global + 32, first_global + 36}, ~0, true}};
  recording.places.push_back({{}, SourceLocation::here()});
  return recording;
}

/// What the first thread does: its accesses by operation.
struct Done {
  Operation operation;
  Accesses shared;
  Accesses global;
};
std::vector<Done> done_by_first_thread() {
  return {{{.kind = OperationKind::sync, .barrier = 1, .count = 64}, {}, {}},
          {{.kind = OperationKind::access},
           {{{0, 8}}, {{16, 24}}},
           {{{first_global, first_global + 4}}, {{first_global + 8, first_global + 12}}}},
          {{.kind = OperationKind::access}, {}, {{}, {{first_global + 32, first_global + 36}}}},
          {{.kind = OperationKind::phase_arrive, .barrier = 2, .count = 16}, {}, {}}};
}
bool does(RepeatedRun& run, std::size_t thread, const Done& done, bool is_apart) {
  return is_apart ? run.repeats_apart(thread, done.global)
                  : run.repeats(thread, done.operation, done.shared, done.global);
}
/// Whether the first thread repeats the run with one thing changed; the second one always does.
bool repeats(const std::function<void(std::vector<Done>&)>& change) {
  const Recording earlier = two_threads();
  RepeatedRun run(earlier);
  std::vector<Done> done = done_by_first_thread();
  change(done);
  bool is_same = does(run, 1, done_by_first_thread().front(), false);
  for (const Done& next : done) {
    const bool is_apart = next.operation.kind == OperationKind::access && next.shared.is_empty();
    is_same = is_same && does(run, 0, next, is_apart);
  }
  return is_same && run.is_complete();
}

/// A recording with one thing changed.
Recording changed(const std::function<void(Recording&)>& change) {
  Recording recording = two_threads();
  change(recording);
  return recording;
}

/// Threads meet, and then all of them throw, one meets fewer times, or none does.
struct Ends {
  enum class How { well, with_an_error, early };
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<Ends>& cta, const How* how) const {
    cta.sync();
    if (*how == How::early) {
      return;
    }
    cta.sync();
    if (*how == How::with_an_error) {
      throw std::runtime_error("at the end");
    }
  }
};

/// The DMA warp asks whether a slot is empty, and copies beside its waits where it is.
struct Polls {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  void operator()(dma::KernelCta<Polls>& cta, bool* answer) const {
    if (cta.thread() == 0) {
      *answer = dma::machine::polls_truly();
    }
  }
};

/// One pipeline after another in the same storage, each with as many tiles.
struct UsesStorageTwice {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
    Pipe::Storage other;
  };
  void operator()(dma::KernelCta<UsesStorageTwice>& cta, const float* in, int tiles) const {
    for (int times = 0; times < 2; ++times) {
      Pipe pipe(cta, cta.shared<Shared>().storage);
      Pipe other(cta, cta.shared<Shared>().other);
      for (int t = 0; t < tiles; ++t) {
        if (pipe.is_dma()) {
          pipe.as_dma().load(in);
        } else {
          static_cast<void>(pipe.as_compute().wait());
        }
      }
      pipe.close();
      other.close();
      cta.sync();
    }
  }
};

bool are_equal(const RunKey::Inputs& left, const RunKey::Inputs& right) { return !(left < right) && !(right < left); }

template <class Error>
FindingKind kind_of() {
  return dma::proof::detail::kind_of(Error("why"));
}

}  // namespace

TEST_CASE("a run repeats an earlier one where each thread does the same, and all of it", "[proof][records]") {
  REQUIRE(repeats([](auto&) {}));
  const std::vector<std::function<void(std::vector<Done>&)>> changes{
      [](auto& done) { done[0].operation.kind = OperationKind::arrive; },
      [](auto& done) { done[0].operation.barrier = 2; },
      [](auto& done) { done[0].operation.count = 32; },
      [](auto& done) { done[3].operation.adds = true; },
      [](auto& done) { done[3].operation.ordered = dma::machine::Ordered::shared_memory_in_cluster; },
      [](auto& done) {
        done[1].shared.reads = {{0, 4}};
      },
      [](auto& done) { done[1].shared.reads.clear(); },
      [](auto& done) {
        done[1].shared.writes = {{8, 16}};
      },
      [](auto& done) { done[1].global.reads[0].last += 4; },
      [](auto& done) { done[1].global.writes.clear(); },
      [](auto& done) {
        done[1].global.writes.push_back({first_global + 64, first_global + 68});
      },
      [](auto& done) { std::swap(done[1].global.reads, done[1].global.writes); },
      [](auto& done) { done[1].global.reads.push_back(done[1].global.writes[0]), done[1].global.writes.clear(); },
      [](auto& done) { done[2].global.writes[0].first += 1; },
      [](auto& done) { done[2].global.writes.clear(); },
      [](auto& done) { std::swap(done[1], done[2]); },
      [](auto& done) { std::swap(done[2], done[3]); },
      [](auto& done) { done.pop_back(); },
      [](auto& done) { done.erase(done.begin() + 2); },
      [](auto& done) { done.push_back(done[0]); },
      [](auto& done) { done.push_back(done[2]); },
  };
  for (std::size_t change = 0; change < changes.size(); ++change) {
    CAPTURE(change);
    REQUIRE(!repeats(changes[change]));
  }
}

TEST_CASE("a run that differs from an earlier one keeps what was the same", "[proof][records]") {
  const Recording earlier = two_threads();
  RepeatedRun run(earlier);
  const std::vector<Done> done = done_by_first_thread();
  REQUIRE((does(run, 0, done[0], false) && does(run, 0, done[1], false) && does(run, 0, done[2], true)));
  Recording now;
  for (auto* const lists : {&now.threads}) {
    lists->resize(2);
  }
  now.global.resize(2);
  now.apart.resize(2);
  run.copy_to(now);
  REQUIRE((now.threads[0].size() == 2 && now.threads[1].empty()));
  REQUIRE((now.apart[0].size() == 1 && now.apart[0][0].before == 2));
  REQUIRE(now.global[0] == earlier.global[0]);
  REQUIRE(now.places.size() == 2);
}

TEST_CASE("an error of a run is a finding of its own kind", "[proof][records]") {
  REQUIRE(kind_of<dma::host::Deadlock>() == FindingKind::deadlock);
  REQUIRE(kind_of<dma::host::UnconvergedLanes>() == FindingKind::unconverged_lanes);
  REQUIRE(kind_of<dma::host::UnusedTile>() == FindingKind::unused_tile);
  REQUIRE(kind_of<dma::host::Spin>() == FindingKind::spinning);
  REQUIRE(kind_of<dma::host::OutOfTime>() == FindingKind::out_of_time);
  REQUIRE(kind_of<dma::host::PendingAtExit>() == FindingKind::armed_at_exit);
  REQUIRE(kind_of<dma::host::KernelError>() == FindingKind::broken_contract);
  REQUIRE(kind_of<std::logic_error>() == FindingKind::broken_contract);
}

TEST_CASE("a recorded run says whether it did what an earlier one did", "[proof][records]") {
  auto how = Ends::How::well;
  const Ends::How* const now = &how;
  const auto run = [&](Ends::How next, const Recording* earlier) {
    how = next;
    return dma::proof::detail::record_cta({.block = {0, 0, 0}, .grid = {1}}, dma::host::detail::cta_body(Ends{}, now),
                                          true, earlier);
  };
  const Recording first = run(Ends::How::well, nullptr);
  REQUIRE(!first.repeats_earlier);
  REQUIRE(first.operations() == 64);
  REQUIRE(run(Ends::How::well, &first).repeats_earlier);
  const Recording failed = run(Ends::How::with_an_error, &first);
  REQUIRE(!failed.repeats_earlier);
  REQUIRE(failed.error == "at the end");
  REQUIRE(failed.operations() == 64);
  const Recording shorter = run(Ends::How::early, &first);
  REQUIRE(!shorter.repeats_earlier);
  REQUIRE(shorter.operations() == 32);
  // A run that failed is not one to repeat.
  REQUIRE(!run(Ends::How::well, &failed).repeats_earlier);
}

TEST_CASE("where the library polls, a recorded run answers as it is told", "[proof][records]") {
  for (const bool truly : {false, true}) {
    bool answer = !truly;
    static_cast<void>(dma::proof::detail::record(Polls{}, {0, 0, 0}, {1}, 0, truly, &answer));
    REQUIRE(answer == truly);
  }
}

TEST_CASE("the tiles of a pipeline are counted by its storage, whichever pipeline was there", "[proof][records]") {
  alignas(16) const std::array<float, 32> in{};
  const Recording recording =
      dma::proof::detail::record(UsesStorageTwice{}, {0, 0, 0}, {1}, 0, false, static_cast<const float*>(in.data()), 5);
  REQUIRE(recording.rings.size() == 2);
  REQUIRE((recording.rings[0].tiles == 10 && recording.rings[0].stages == 2));
  REQUIRE(recording.rings[1].tiles == 0);

  std::vector<RingUse> all;
  dma::proof::detail::merge(all, {{"A", 0, 2, 3}, {"A", 64, 2, 7}, {"B", 0, 2, 1}});
  dma::proof::detail::merge(all, {{"A", 0, 2, 5}, {"A", 64, 2, 4}});
  REQUIRE(all.size() == 3);
  REQUIRE((all[0].tiles == 5 && all[1].tiles == 7 && all[2].tiles == 1));
}

TEST_CASE("a recording of a cluster names threads by their CTA, and may be alone in its grid", "[proof][records]") {
  Recording recording;
  recording.threads.resize(64);
  REQUIRE(recording.name_of_thread(40) == "thread 40");
  recording.ctas = recording.cluster = 2;
  recording.shared_pitch = 1024;
  REQUIRE(recording.name_of_thread(40) == "thread 8 of CTA 1 of the cluster");
  REQUIRE(recording.cta_of_thread(40) == 1);

  for (const auto& [blocks, is_alone] : {std::pair(dma::Index3{2, 1, 1}, true),
                                         {dma::Index3{4, 1, 1}, false},
                                         {dma::Index3{2, 2, 1}, false},
                                         {dma::Index3{2, 1, 2}, false}}) {
    recording.blocks = blocks;
    REQUIRE(recording.is_alone() == is_alone);
  }
  recording.cluster = 1;
  REQUIRE(recording.name_of_thread(40) == "thread 8 of CTA 1");
  REQUIRE(recording.is_alone());
}

TEST_CASE("a run can be repeated that neither fails, counts, polls nor shares global memory", "[proof][records]") {
  REQUIRE(two_threads().can_be_repeated());
  for (const auto& change : std::vector<std::function<void(Recording&)>>{
           [](Recording& run) { run.error = "why"; },
           [](Recording& run) { run.atomics = 1; },
           [](Recording& run) { run.shares_global = true; },
           [](Recording& run) { run.polls_by_itself = true; },
           [](Recording& run) { run.contents_fault.emplace(); },
           [](Recording& run) { run.answers[1] = {true}; },
           [](Recording& run) { run.counts[1] = {3}; },
       }) {
    REQUIRE(!changed(change).can_be_repeated());
  }
}

TEST_CASE("runs are the same where all that their threads do is", "[proof][records]") {
  const RunKey key(two_threads());
  const auto key_of = [](const std::function<void(Recording&)>& change) { return RunKey(changed(change)); };
  const RunKey same = key_of([](Recording& run) {
    // Another number for a list, other lines, and other reads of global memory.
    static_cast<void>(run.ranges->number_of({{100, 104}}));
    run.threads[0][1].reads = run.ranges->number_of({{0, 8}});
    run.threads[0][0].place = 1;
    run.global[0][0].bytes.last += 4;
  });
  REQUIRE((same.operations == key.operations && are_equal(same.inputs, key.inputs) && same.order == key.order));
  const std::vector<std::function<void(Recording&)>> changes{
      [](Recording& run) { run.threads[0][0].kind = OperationKind::arrive; },
      [](Recording& run) { run.threads[0][0].barrier = 3; },
      [](Recording& run) { run.threads[0][0].count = 32; },
      [](Recording& run) {
        run.threads[0][1].reads = run.ranges->number_of({{0, 12}});
      },
      [](Recording& run) {
        run.threads[0][1].writes = run.ranges->number_of({{12, 24}});
      },
      [](Recording& run) { std::swap(run.threads[0][1].reads, run.threads[0][1].writes); },
      [](Recording& run) { run.threads[0].pop_back(); },
      [](Recording& run) {
        run.threads[1].insert(run.threads[1].begin(), run.threads[0].back());
        run.threads[0].pop_back();
      },
      [](Recording& run) { run.global[0][1].bytes.first += 1; },
      [](Recording& run) { run.global[0][1].bytes.last += 1; },
      [](Recording& run) { run.global[0][1].operation = 0; },
      [](Recording& run) { run.global[0][0].writes = true; },
      [](Recording& run) { run.error = "why"; },
      [](Recording& run) { run.polls_by_itself = true; },
  };
  for (std::size_t change = 0; change < changes.size(); ++change) {
    CAPTURE(change);
    REQUIRE(key_of(changes[change]).operations != key.operations);
    REQUIRE(are_equal(key_of(changes[change]).inputs, key.inputs));
  }
  REQUIRE(key_of([](Recording& run) { run.threads[0][1].from = 2; }).order != key.order);
  // Which thread does it, also where no access of global memory stands between the two.
  const auto key_without_global = [](bool moves_to_the_next) {
    Recording run = two_threads();
    run.global.assign(2, {});
    if (moves_to_the_next) {
      run.threads[1].insert(run.threads[1].begin(), run.threads[0].back());
      run.threads[0].pop_back();
    }
    return RunKey(run);
  };
  REQUIRE(key_without_global(true).operations != key_without_global(false).operations);
  // What a thread read is an input, by its values, its thread and where it is from.
  const std::vector<std::function<void(Recording&)>> inputs{
      [](Recording&) {},
      [](Recording& run) { run.counts[0] = {3}; },
      [](Recording& run) { run.counts[0] = {4}; },
      [](Recording& run) { run.counts[1] = {3}; },
      [](Recording& run) {
        run.counts[0] = {3, 3};
      },
      [](Recording& run) { run.counts[0] = run.counts[1] = {3}; },
      [](Recording& run) { run.answers[0] = {true}; },
      [](Recording& run) { run.answers[0] = {false}; },
      [](Recording& run) { run.found[0] = {3}; },
      [](Recording& run) { run.found[1] = {3}; },
  };
  for (std::size_t one = 0; one < inputs.size(); ++one) {
    for (std::size_t other = 0; other < inputs.size(); ++other) {
      CAPTURE(one, other);
      REQUIRE(are_equal(key_of(inputs[one]).inputs, key_of(inputs[other]).inputs) == (one == other));
      REQUIRE(key_of(inputs[one]).operations == key_of(inputs[other]).operations);
    }
  }
}

TEST_CASE("runs of a CTA are compared by what they read", "[proof][records]") {
  using Values = std::vector<std::uint64_t>;
  const auto with = [](Values counts, std::vector<bool> answers, Values found, int barrier) {
    Recording run = two_threads();
    run.counts[0] = std::move(counts);
    run.answers[0] = std::move(answers);
    run.found[0] = std::move(found);
    run.threads[0][2].barrier = barrier;
    return run;
  };
  DistinctRecordings runs;
  const Recording first = with({3}, {true}, {7}, 2);
  const RunKey key(first);
  REQUIRE(runs.first() == nullptr);
  REQUIRE(runs.is_new(key));
  REQUIRE(runs.difference(key, first).empty());
  runs.add(key, first);
  REQUIRE(!runs.is_new(key));
  REQUIRE(runs.first() != nullptr);

  // Which inputs explain that a run did something else.
  const auto depends = [&](const Recording& run) {
    const RunKey now(run);
    return std::array{runs.differs_by_counts(now), runs.differs_by_answers(now), runs.differs_by_atomics(now)};
  };
  REQUIRE(depends(first) == std::array{false, false, false});
  REQUIRE(depends(with({3}, {true}, {7}, 5)) == std::array{false, false, false});
  REQUIRE(depends(with({4}, {true}, {7}, 5)) == std::array{true, false, false});
  REQUIRE(depends(with({4}, {true}, {8}, 5)) == std::array{true, false, false});
  REQUIRE(depends(with({3}, {false}, {7}, 5)) == std::array{false, true, false});
  REQUIRE(depends(with({3}, {true}, {8}, 5)) == std::array{false, false, true});
  REQUIRE(depends(with({4}, {false}, {8}, 2)) == std::array{false, false, false});

  const auto difference = [&](const Recording& run) { return runs.difference(RunKey(run), run); };
  const std::string other = "operation 2 of thread 0 is not the same with this seed as with the first";
  REQUIRE(difference(first).empty());
  REQUIRE(difference(with({3}, {true}, {7}, 5)) == other);
  // Another value explains that; more of the same values, or less, do not.
  REQUIRE(difference(with({4}, {true}, {7}, 5)).empty());
  REQUIRE(difference(with({3}, {false}, {7}, 5)).empty());
  REQUIRE(difference(with({3}, {true}, {8}, 5)).empty());
  for (const Recording& run : {with({3, 4}, {true}, {7}, 5), with({}, {true}, {7}, 5), with({3}, {true, false}, {7}, 5),
                               with({3}, {}, {7}, 5), with({3}, {true}, {7, 8}, 5), with({3}, {true}, {}, 5)}) {
    REQUIRE(difference(run) == other);
  }

  // A later run is compared with the one that read the same, and its operations are named beside those of the first.
  const Recording second = with({4}, {true}, {7}, 5);
  REQUIRE(runs.is_new(RunKey(second)));
  runs.add(RunKey(second), second);
  REQUIRE(difference(second).empty());
  REQUIRE(difference(with({4}, {true}, {7}, 6)) == other);
  REQUIRE(runs.first()->threads[0][2].barrier == 2);
  // In another order of atomics it is another run to judge.
  Recording reordered = first;
  reordered.threads[0][1].from = 2;
  REQUIRE(runs.is_new(RunKey(reordered)));
}

TEST_CASE("each source line has a place of its own, whichever was asked for last", "[proof][records]") {
  dma::proof::detail::CtaLog log;
  // Lines of two files, and lines at all distances, so that the table of the last ones is full.
  std::vector<SourceLocation> lines{SourceLocation::here("other.cpp", 1, 1)};
  for (int line = 1; line < 200; ++line) {
    lines.push_back(SourceLocation::here("this.cpp", line, 1));
  }
  std::vector<int> places;
  for (const SourceLocation& line : lines) {
    places.push_back(log.place_of({}, line));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(i);
    REQUIRE(log.place_of({}, lines[i]) == places[i]);
    const SourceLocation& caller = log.recording().places.at(static_cast<std::size_t>(places[i])).caller;
    REQUIRE((caller.line() == lines[i].line() && caller.file() == lines[i].file()));
  }
}

TEST_CASE("barriers and atomic locations have the same number in each run", "[proof][records]") {
  dma::proof::detail::PlaceNumbers numbers;
  // Of two CTAs, each with numbers of its own.
  REQUIRE(numbers.of_barrier(0, 2, 64, 0) == 0);
  REQUIRE(numbers.of_barrier(1, 2, 64, 0) == 1);
  REQUIRE(numbers.of_barrier(0, 2, 72, 0) == 2);
  REQUIRE(numbers.of_barrier(0, 2, 64, 1) == 4);
  REQUIRE(numbers.of_barrier(1, 2, 80, 0) == 3);
  // Another run opens them in another order.
  REQUIRE(numbers.of_barrier(1, 2, 80, 0) == 3);
  REQUIRE(numbers.of_barrier(0, 2, 64, 1) == 4);
  REQUIRE(numbers.of_barrier(0, 2, 64, 0) == 0);
  for (const int times : {0, 1}) {
    CAPTURE(times);
    REQUIRE(numbers.of_atomic(8) == 0);
    REQUIRE(numbers.of_atomic(16) == 1);
  }
}

TEST_CASE("lanes of a warp store one value by one instruction, and nothing else is one store", "[proof][records]") {
  const std::array<char, 2> code{};
  Recording recording;
  recording.seen = {{&code[0], true, {0, 4}, {1}}, {&code[0], true, {0, 4}, {1}}};
  const auto are_one = [&](int thread, OperationKind kind, bool has_instruction) {
    const Operation one{.kind = OperationKind::access, .seen_first = 0, .seen_last = 1};
    const Operation other{.kind = kind, .seen_first = 1, .seen_last = has_instruction ? 2 : 1};
    return dma::proof::detail::OneStore(recording)(3, one, thread, other);
  };
  REQUIRE(are_one(31, OperationKind::access, true));
  REQUIRE(!are_one(32, OperationKind::access, true));
  REQUIRE(!are_one(31, OperationKind::atomic, true));
  REQUIRE(!are_one(31, OperationKind::access, false));
  const auto with = [&](const std::function<void(dma::proof::detail::SeenInstruction&)>& change) {
    const auto before = recording.seen[1];
    change(recording.seen[1]);
    const bool is_one = are_one(31, OperationKind::access, true);
    recording.seen[1] = before;
    return is_one;
  };
  REQUIRE(!with([&](auto& seen) { seen.address = &code[1]; }));
  REQUIRE(!with([&](auto& seen) { seen.value[0] = 2; }));
  REQUIRE(!with([&](auto& seen) { seen.hull = {0, 8}; }));
  REQUIRE(!with([&](auto& seen) { seen.hull = {2, 6}; }));
  REQUIRE(!with([&](auto& seen) { seen.hull = {8, 12}; }));
  REQUIRE(!with([&](auto& seen) { seen.writes = false; }));
  recording.seen[0].hull = recording.seen[1].hull = {0, 16};
  REQUIRE(are_one(31, OperationKind::access, true));
  recording.seen[0].hull = recording.seen[1].hull = {0, 17};
  REQUIRE(!are_one(31, OperationKind::access, true));
}

TEST_CASE("the first difference of two runs is an operation, or a write of global memory", "[proof][records]") {
  const Recording run = two_threads();
  using Where = std::pair<int, int>;
  const auto difference = [&](const std::function<void(Recording&)>& change) {
    return dma::proof::detail::first_difference(run, changed(change));
  };
  REQUIRE(difference([](Recording&) {}) == Where(-1, -1));
  REQUIRE(difference([](Recording& other) { other.threads[0][1].writes = 0; }) == Where(0, 1));
  REQUIRE(difference([](Recording& other) { other.threads[0].pop_back(); }) == Where(0, 2));
  REQUIRE(difference([](Recording& other) { other.threads[1][0].count = 32; }) == Where(1, 0));
  REQUIRE(difference([](Recording& other) { other.global[0][1].bytes.last += 4; }) == Where(0, 1));
  REQUIRE(difference([](Recording& other) { other.global[0][2].bytes.last += 4; }) == Where(0, 2));
  REQUIRE(difference([](Recording& other) { other.global[0].pop_back(); }) == Where(0, 2));
  REQUIRE(difference([](Recording& other) { other.global[0][0].bytes.last += 4; }) == Where(-1, -1));
}

TEST_CASE("a race names the bytes that both access", "[proof][records]") {
  const auto text = [](const ByteRanges& first, const ByteRanges& second, bool second_writes) {
    Recording recording;
    recording.threads.resize(2);
    recording.threads[0] = {{.kind = OperationKind::access, .writes = recording.ranges->number_of(first)}};
    const int list = recording.ranges->number_of(second);
    recording.threads[1] = {{.kind = OperationKind::access,
                             .reads = second_writes ? 0 : list,
                             .writes = second_writes ? list : 0,
                             .place = 1}};
    recording.places.push_back({{}, SourceLocation::here("folder/kernel.cpp", 7)});
    dma::host::detail::PipelineLetters letters;
    return dma::proof::detail::CommonBytes({FindingKind::race, 0, 0, 1, 0}, recording, letters).text();
  };
  REQUIRE(text({{0, 8}}, {{4, 16}}, true) ==
          "; bytes 4 to 7 of the kernel's own shared memory, written and written (kernel.cpp:7)");
  REQUIRE(text({{4, 16}}, {{0, 8}}, false) ==
          "; bytes 4 to 7 of the kernel's own shared memory, written and read (kernel.cpp:7)");
  REQUIRE(text({{0, 8}, {32, 36}}, {{8, 16}, {32, 48}}, true) ==
          "; bytes 32 to 35 of the kernel's own shared memory, written and written (kernel.cpp:7)");
  REQUIRE(text({{0, 8}}, {{8, 16}}, true).empty());
  REQUIRE(dma::host::detail::line_of(nullptr, SourceLocation{}).empty());
  REQUIRE(dma::host::detail::line_of(nullptr, SourceLocation::here("a/b/c.cpp", 3)) == " (c.cpp:3)");
}

TEST_CASE("a finding at a barrier is of no thread, whose bytes a message could name", "[proof]") {
  const Finding pending{.kind = FindingKind::armed_at_exit, .operation = 0};
  dma::host::detail::PipelineLetters letters;
  CHECK(dma::proof::detail::CommonBytes(pending, Recording{}, letters).text() == "");
}
