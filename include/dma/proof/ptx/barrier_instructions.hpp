#pragma once

#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/ptx/lane.hpp>

#include <cstddef>
#include <cstdint>

namespace dma::inline v0_1::proof::ptx::detail {

/// Barriers of a CTA by their number.
///
/// Source  PTX ISA, "bar, barrier"
class BarrierInstructions {
 public:
  static void synchronize(Lane& lane, const Instruction& i) {
    const auto [number, threads] = begin(lane, i, 0);
    if (number == 0 && threads == lane.thread().threads()) {
      lane.meet(i);
      lane.thread().sync_cta();
    } else {
      lane.thread().barrier_sync(number, threads, {});
    }
  }
  static void arrive(Lane& lane, const Instruction& i) {
    const auto [number, threads] = begin(lane, i, 0);
    lane.thread().barrier_arrive(number, threads, {});
  }
  /// `.and`, `.or` and `.popc` of the threads' predicates.
  static void reduce(Lane& lane, const Instruction& i) {
    const Source& predicate = i.source[static_cast<std::size_t>(i.sources - 1)];
    const Value mine = lane.value_of(predicate);
    if (mine.is_unknown) {
      lane.refuse(i, "the predicate of " + i.statement->opcode + " was not computed");
    }
    const auto [number, threads] = begin(lane, i, 1);
    auto& votes = lane.launch().votes[{lane.thread().cta_index(), number}];
    const std::uint64_t generation = ++lane.reductions[number];
    LaunchState::Votes& now = votes[generation % 2];
    if (now.generation != generation) {
      now = {generation, 0, 0};
    }
    ++now.count;
    now.yes += mine.bits != 0 ? 1 : 0;
    lane.thread().barrier_sync(number, threads, {});
    const LaunchState::Votes& all = lane.launch().votes[{lane.thread().cta_index(), number}][generation % 2];
    const Statement& statement = *i.statement;
    lane.set(i.result, static_cast<std::uint64_t>(statement.has("popc")  ? all.yes
                                                  : statement.has("and") ? (all.yes == all.count ? 1 : 0)
                                                                         : (all.yes != 0 ? 1 : 0)));
  }
  /// The arrival counts when the thread waits: what it does in between counts as before it.
  static void arrive_at_cluster(Lane& lane, const Instruction& i) {
    if (lane.cluster_arrival != nullptr) {
      lane.fail(i, "a thread arrives at the barrier of its cluster twice before it waits");
    }
    lane.cluster_arrival = &i;
    if (is_relaxed(i) && lane.thread().cluster_size() == 1) {
      lane.launch().assumptions.insert("a relaxed arrival at the barrier of a cluster counts as one that releases");
    }
  }
  static void await_cluster(Lane& lane, const Instruction& i) {
    if (lane.cluster_arrival == nullptr) {
      lane.fail(i, "a thread waits at the barrier of its cluster, and has not arrived");
    }
    const bool releases = !is_relaxed(*lane.cluster_arrival);
    lane.cluster_arrival = nullptr;
    lane.here(i);
    lane.thread().sync_cluster(releases);
  }

 private:
  [[nodiscard]] static bool is_relaxed(const Instruction& i) { return i.statement->has("relaxed"); }
  struct Barrier {
    int number;
    int threads;
  };
  /// @param last  sources behind those of the barrier
  [[nodiscard]] static Barrier begin(Lane& lane, const Instruction& i, int last) {
    const int threads =
        i.sources - last > 1 ? static_cast<int>(lane.known(i, 1, "the number of threads")) : lane.thread().threads();
    const auto number = static_cast<int>(lane.known(i, 0, "the barrier"));
    lane.here(i);
    // The compiler promises that the lanes of a warp come to it together.
    lane.thread().enters(machine::Call::load);
    return {number, threads};
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
