#pragma once

#include <dma/host/emulation/phase_word.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/record/program.hpp>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace dma::inline v0_1::proof::ptx::detail {

/// Instructions of an mbarrier.
///
/// A `try_wait` that may say "not yet" is taken as one that waits, and so is a `test_wait` in a loop: what a kernel
/// does behind their "not yet" is not judged.
///
/// Source  PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"
class MbarrierInstructions {
 public:
  static void open(Lane& lane, const Instruction& i) {
    const auto arrivals = static_cast<int>(lane.known(i, 1, "the number of arrivals"));
    machine::Instruction open = begin(lane, i, machine::OperationKind::open);
    open.count = arrivals;
    // What was there before is no state.
    std::memset(open.barrier, 0, sizeof(host::detail::PhaseWord));
    lane.launch().unknown.set(open.barrier, sizeof(host::detail::PhaseWord), {});
    lane.thread().execute(open);
    if (lane.launch().opening_fences) {
      lane.thread().execute({.kind = machine::OperationKind::fence, .count = proof::detail::Operation::of_openings});
    }
  }
  static void close(Lane& lane, const Instruction& i) {
    lane.thread().execute(begin(lane, i, machine::OperationKind::close));
  }
  /// `expect_tx`, or `complete_tx`: bytes have come that no copy brings.
  static void expect(Lane& lane, const Instruction& i) {
    const bool completes = i.statement->has("complete_tx");
    machine::Instruction expect = begin(lane, i, machine::OperationKind::expect);
    const auto bytes = static_cast<int>(lane.known(i, 1, "the number of bytes"));
    if (bytes < 0 || bytes > most_bytes) {
      lane.fail(i, "an mbarrier counts " + std::to_string(bytes) + " bytes");
    }
    expect.count = completes ? -bytes : bytes;
    expect.is_relaxed = completes;
    lane.thread().execute(expect);
  }
  /// The state that it returns is the number of phases that were complete and, with `.noComplete`, the arrivals that
  /// were pending.
  static void arrive(Lane& lane, const Instruction& i) {
    machine::Instruction arrival = begin(lane, i, machine::OperationKind::phase_arrive);
    arrival.drops = i.statement->has("arrive_drop");
    arrival.is_never_last = i.statement->has("noComplete");
    const std::uint64_t state = state_of(lane, arrival);
    int arrivals = 1;
    if (i.sources > 1) {
      const auto operand = static_cast<int>(lane.known(i, 1, "the operand"));
      if (i.statement->has("expect_tx")) {
        machine::Instruction expect = arrival;
        expect.kind = machine::OperationKind::expect;
        expect.count = operand;
        lane.thread().execute(expect);
      } else {
        arrivals = operand;
      }
    }
    if (arrivals < 1 || arrivals > host::detail::PhaseWord::most_arrivals) {
      lane.fail(i, "a thread arrives " + std::to_string(arrivals) + " times at an mbarrier");
    }
    if (lane.copies_before_arrival.erase(arrival.barrier) != 0) {
      arrival.kind = machine::OperationKind::arrive_when_copied;
    }
    for (; arrivals > 0; --arrivals) {
      lane.thread().execute(arrival);
    }
    lane.set(i.result, state);
  }
  /// `pending_count`. Other threads may arrive before or behind, so that it is a count of the run's order. Where
  /// executions are explored that is none of their choices, and the count is not known.
  static void count_pending(Lane& lane, const Instruction& i) {
    lane.expect_products(i);
    const Value state = lane.value_of(i.source[0]);
    if (state.is_unknown || lane.thread().is_explored()) {
      return lane.set(i.result, 0, lane.note_not_computed(i));
    }
    if ((state.bits & has_pending) == 0) {
      lane.fail(i, "mbarrier.pending_count is of a state that no arrival with .noComplete returned");
    }
    const std::uint64_t pending = state.bits / first_pending;
    lane.thread().counted(pending);
    lane.set(i.result, pending);
  }
  /// `test_wait` and `try_wait`, by the parity of a phase or by the state that an arrival returned.
  static void wait(Lane& lane, const Instruction& i) {
    machine::Instruction wait = begin(lane, i, machine::OperationKind::wait);
    wait.count = static_cast<int>(lane.known(i, 1, "the phase") & 1U);
    if (answers_no(lane, i, wait)) {
      return lane.set(i.result, 0);
    }
    std::erase_if(lane.last_polls, [&](const auto& poll) { return poll.second.first == wait.barrier; });
    lane.thread().execute(wait);
    lane.set(i.result, 1);
  }
  /// `cp.async.mbarrier.arrive`. Without `.noinc` it adds the arrival that it makes: the phase waits for the copies and
  /// for as many arrivals as before. That is an arrival of the same thread that comes when the copies are complete.
  static void arrive_when_copied(Lane& lane, const Instruction& i) {
    const machine::Instruction arrival = begin(lane, i, machine::OperationKind::arrive_when_copied);
    if (i.statement->has("noinc")) {
      lane.thread().execute(arrival);
    } else {
      lane.copies_before_arrival.insert(arrival.barrier);
    }
  }

 private:
  /// A `test_wait` that is no wait has two right answers, of which each has its runs. One that asks the same again
  /// waits, so that a loop ends.
  [[nodiscard]] static bool answers_no(Lane& lane, const Instruction& i, const machine::Instruction& wait) {
    if (!i.statement->has("test_wait") || !lane.is_poll(i)) {
      return false;
    }
    lane.expect_products(i);
    if (lane.thread().polls_truly()) {
      return false;
    }
    const std::pair<const void*, int> asked{wait.barrier, wait.count};
    const auto [last, is_new] = lane.last_polls.try_emplace(&i, asked);
    if (!is_new && last->second == asked) {
      return false;
    }
    last->second = asked;
    return true;
  }

  // In a state, beside the phase.
  static constexpr std::uint64_t has_pending = 1U << 7U;
  static constexpr std::uint64_t first_pending = 1U << 8U;
  static constexpr int most_bytes = (1 << 20) - 1;  ///< that an mbarrier counts in a phase

  /// An instruction of the barrier at the address that comes first.
  [[nodiscard]] static machine::Instruction begin(Lane& lane, const Instruction& i, machine::OperationKind kind) {
    const bool is_cluster = i.statement->has("cluster") || lane.launch().wide_arrivals;
    machine::Instruction result = at(lane, i, lane.address(i), kind);
    result.ordered =
        is_cluster && lane.thread().cluster_size() > 1 ? machine::Ordered::in_cluster : machine::Ordered::in_cta;
    // An expectation of bytes is never more.
    result.is_relaxed = i.statement->has("relaxed") && kind != machine::OperationKind::expect;
    lane.here(i);
    return result;
  }

 public:
  /// The same of the barrier at an address.
  [[nodiscard]] static machine::Instruction at(Lane& lane, const Instruction& i, std::uint64_t address,
                                               machine::OperationKind kind) {
    void* const place = lane.memory(i, Space::shared, address, sizeof(host::detail::PhaseWord),
                                    sizeof(host::detail::PhaseWord), machine::Access::write);
    machine::Instruction result{.kind = kind, .barrier = place};
    const int rank = Lane::rank_of(address);
    if (rank != lane.thread().cluster_rank()) {
      result.cta = rank;
      result.barrier = lane.own_place(address);
    }
    return result;
  }

 private:
  [[nodiscard]] static std::uint64_t state_of(Lane& lane, const machine::Instruction& arrival) {
    const void* const place = arrival.cta == machine::Instruction::own_cta
                                  ? arrival.barrier
                                  : lane.thread().peer_address(arrival.barrier, arrival.cta);
    const auto& word = *static_cast<const host::detail::PhaseWord*>(place);
    return word.phase + (arrival.is_never_last ? has_pending + first_pending * word.pending : 0);
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
