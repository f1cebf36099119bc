#pragma once

#include <dma/host/emulation/contexts/exception_state.hpp>
#include <dma/host/emulation/contexts/fiber.hpp>
#include <dma/host/emulation/forwarding_thread.hpp>
#include <dma/host/emulation/phase_word.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/executions/atomic_words.hpp>
#include <dma/proof/executions/bytes_stored.hpp>
#include <dma/proof/executions/known_operations.hpp>
#include <dma/proof/executions/stepped_run.hpp>
#include <dma/proof/executions/visits.hpp>
#include <dma/proof/memory/event.hpp>

#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// A thread that stops before each of these operations until it is told what it finds.
class SteppedThread final : public host::detail::ForwardingThread {
 public:
  SteppedThread(SteppedRun& run, machine::EmulatedThread& thread, int index)
      : host::detail::ForwardingThread(thread), run_(run), index_(index) {
    be_explored();
  }

  /// Called before it lets other threads run in an ordinary access.
  void set_before_pause(void (*call)(machine::EmulatedThread&), machine::EmulatedThread& recorder) {
    before_pause_ = call;
    recorder_ = &recorder;
  }

  // For the run.
  [[nodiscard]] const std::optional<Ask>& asked() const { return asked_; }
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  [[nodiscard]] int done() const { return done_; }
  /// The operation that it asks for finds this.
  void grant(std::uint64_t value) {
    value_ = value;
    is_granted_ = true;
  }
  /// Threads that meet in a loop poll together: where none of them is elsewhere than before their last meetings. Called
  /// where all threads have run as far as they can.
  ///
  /// @param thread_of  `thread_of(rank)`: a thread of the CTA
  template <class ThreadOf>
  void find_common_poll(const ThreadOf& thread_of) {
    const auto poll = visits_.take_common_poll();
    if (!poll) {
      return;
    }
    for (int other = 0; other < threads(); ++other) {
      if (visits_.meets(other) && !thread_of(other).visits_.are_equal(poll->before, poll->now)) {
        return;
      }
    }
    repeats_from_ = poll->done;
    if (asked_ && asked_->kind == Ask::Kind::atomic) {
      asked_->repeats = done_ - poll->done;
    }
  }
  /// The kernel has returned.
  void end() {
    settle();
    has_ended_ = true;
  }

  std::uint64_t access_atomically(const machine::AtomicInstruction& instruction) override {
    if (host::detail::is_unwinding()) {
      return instruction.make();
    }
    settle();
    Ask ask{.instruction = instruction,
            .repeats = repeats(instruction),
            .code = instruction.is_standard ? instruction.code : nullptr,
            .caller = caller_};
    if (instruction.is_fence()) {
      return perform(std::move(ask), !instruction.is_standard);
    }
    const auto bytes = static_cast<std::size_t>(instruction.bytes);
    ask.word = run_.number_of(instruction.place, bytes, {index_, ask.code, caller_});
    const std::uint64_t before = perform(std::move(ask), !instruction.is_standard);
    run_.keep(instruction.place, bytes);
    if (instruction.kind == machine::AtomicKind::store_add) {
      return instruction.make();
    }
    if (instruction.writes(before)) {
      instruction.write(instruction.after(before));
    }
    return instruction.kind == machine::AtomicKind::store ? instruction.value : before;
  }
  /// Before an ordinary access.
  void accesses(const void* place, std::size_t bytes, machine::Access access, const void* instruction) override {
    inner_.accesses(place, bytes, access, instruction);
    if (host::detail::is_unwinding()) {
      return;
    }
    settle();
    if (access == machine::Access::write) {
      run_.keep(place, bytes);
      has_done_other_ = has_done_other_ || !stored_.note(place, bytes);
    }
    run_.for_each_word(place, bytes, {index_, instruction, caller_}, [&](int word, memory::Value bits) {
      has_done_other_ = true;
      if (access == machine::Access::write) {
        words_stored_.push_back({word, bits, instruction, caller_});
      } else {
        read_word(word, bits, instruction);
      }
    });
  }
  void count_stores_of_warps_as_one() override { are_warps_one_ = true; }
  void accesses_global(const void* place, std::size_t bytes, machine::Access access) override {
    inner_.accesses_global(place, bytes, access);
    if (access == machine::Access::write) {
      announced_ = place;
      run_.keep(place, bytes);
    }
  }
  [[nodiscard]] std::uint64_t state_above(const machine::CallFrame& frame) const noexcept override {
    const host::detail::StackRange& stack = host::detail::running_stack;
    std::uint64_t hash = 14695981039346656037ULL;
    const auto add = [&](std::uintptr_t from, std::uintptr_t end) {
      for (std::uintptr_t at = from; at + 8 <= end; at += 8) {
        hash = (hash ^ *reinterpret_cast<const std::uint64_t*>(at)) * 1099511628211ULL;
      }
    };
    // Where the compiler keeps the registers of a function that saves them all.
    const auto record = reinterpret_cast<std::uintptr_t>(frame.record);
    const auto caller = reinterpret_cast<std::uintptr_t>(frame.caller);
#if defined(__x86_64__)
    add(record - 5 * 8, record);  // rbx, r12 to r15
#elif defined(__aarch64__)
    add(record + 2 * 8, record + (2 + 10 + 8) * 8);  // x19 to x28, d8 to d15
#endif
    add(record, record + 2 * 8);  // the caller's frame pointer, and where it is called
    add(caller, stack.first + stack.bytes);
    return hash;
  }

  void sync_cta() override {
    meet({cta_index(), 0, 0}, threads(), true, [&] { inner_.sync_cta(); });
  }
  void sync_cluster(bool releases) override {
    if (cluster_size() == 1) {
      return sync_cta();
    }
    const KnownOperations::Barrier cluster{INT_MAX, cta_index() / cluster_size(), 0};
    const int generation = arrive(cluster, threads() * cluster_size(), releases);
    inner_.sync_cluster(releases);
    pass(cluster, generation);
  }
  void sync_warp() override {
    meet(warp(), 32, true, [&] { inner_.sync_warp(); });
  }
  /// What a lane does may follow from another one's value.
  void shuffle(void* value, std::size_t bytes, int source) override {
    meet(warp(), 32, false, [&] { inner_.shuffle(value, bytes, source); });
  }
  /// Who takes a number is a part of an execution.
  [[nodiscard]] bool takes_number(const void* /*word*/, int /*numbers*/) override { return true; }
  void is_about_to_meet(const void* code, std::uint64_t state) override {
    before_meeting_ = {.state = state, .code = code};
  }
  void sync_lanes(unsigned mask) override {
    meet(part_of_warp(mask), std::popcount(mask), true, [&] { inner_.sync_lanes(mask); });
  }
  void exchange(unsigned mask, const void* value, std::size_t bytes, void* values) override {
    meet(part_of_warp(mask), std::popcount(mask), false, [&] { inner_.exchange(mask, value, bytes, values); });
  }
  void come_with_warp() override {
    meet(part_of_warp(0xffffffffU), 32, false, [&] { inner_.come_with_warp(); });
  }
  void barrier_sync(int id, int threads, const machine::Site& site) override {
    const int generation = arrive({cta_index(), id, 0}, threads);
    inner_.barrier_sync(id, threads, site);
    pass({cta_index(), id, 0}, generation);
  }
  void barrier_arrive(int id, int threads, const machine::Site& site) override {
    arrive({cta_index(), id, 0}, threads);
    inner_.barrier_arrive(id, threads, site);
  }
  [[nodiscard]] bool phase_is_complete(const void* barrier, unsigned parity) override {
    return inner_.phase_is_complete(barrier, parity);
  }
  void await_landing(const void* barrier, unsigned parity) override { inner_.await_landing(barrier, parity); }
  void execute(const machine::Instruction& instruction) override {
    using machine::OperationKind;
    if (host::detail::is_unwinding()) {
      return inner_.execute(instruction);
    }
    settle();
    has_done_other_ = true;
    if (instruction.is_copy()) {
      copies(instruction);
    }
    const auto* const word =
        static_cast<const host::detail::PhaseWord*>(instruction.barrier == nullptr ? nullptr : barrier_of(instruction));
    if (instruction.kind == OperationKind::phase_arrive || instruction.kind == OperationKind::arrive_when_copied ||
        instruction.kind == OperationKind::expect) {
      run_.known.arrive(word, static_cast<unsigned>(word->phase), index_, !instruction.is_relaxed);
    }
    inner_.execute(instruction);
    if (instruction.kind == OperationKind::wait) {
      run_.known.pass(word, static_cast<unsigned>(word->phase), index_, !instruction.is_relaxed);
    }
  }
  void called_from(const machine::SourceLocation& caller) override {
    caller_ = caller;
    inner_.called_from(caller);
  }

 private:
  /// An ordinary write of a word.
  struct Stored {
    int word;
    memory::Value bits;
    const void* instruction;
    machine::SourceLocation caller;
  };

  /// `Ask::repeats`, where the thread has done nothing else than read since then.
  [[nodiscard]] int repeats(const machine::AtomicInstruction& instruction) {
    // An atomic access is announced too.
    if (has_done_other_ || (announced_ != nullptr && announced_ != instruction.place) || !stored_.are_as_before()) {
      forget_visits();
    }
    announced_ = nullptr;
    has_done_other_ = !instruction.reads() && !instruction.is_fence();
    repeats_from_ = -1;
    return visits_.repeats({.state = instruction.state, .code = instruction.code, .done = done_});
  }
  void forget_visits() {
    visits_.forget();
    stored_.forget();
  }
  /// A shuffle, or threads that wait for each other.
  ///
  /// @param orders  false for a shuffle
  template <class Wait>
  void meet(const KnownOperations::Barrier& barrier, int threads, bool orders, const Wait& wait) {
    const bool did_other = has_done_other_;
    const int generation = arrive(barrier, threads, orders);
    Visits::Visit now = std::exchange(before_meeting_, {});
    if (did_other || announced_ != nullptr || !stored_.are_as_before()) {
      forget_visits();
    }
    announced_ = nullptr;
    has_done_other_ = now.state == 0;
    now.done = done_;
    visits_.meet(barrier, generation, now);
    wait();
    pass(barrier, generation, orders);
  }
  /// A copy reads words as an ordinary access does.
  void copies(const machine::Instruction& instruction) {
    const AtomicWords::Access access{index_, nullptr, caller_};
    const auto read = [&](const void* place, auto count) {
      run_.for_each_word(place, static_cast<std::size_t>(count), access,
                         [&](int word, memory::Value bits) { read_word(word, bits, instruction.code); });
    };
    const auto write = [&](const void* place, auto count) {
      run_.copy_into(place, static_cast<std::size_t>(count), access);
    };
    if (instruction.kind == machine::OperationKind::copy_to_global) {
      read(instruction.from, instruction.count);
      instruction.for_each_global_run(write);
    } else {
      write(instruction.to, instruction.count);
      instruction.for_each_global_run(read);
    }
  }
  /// Words that the thread has stored by an ordinary access, whose value is there now.
  void settle() {
    std::vector<Ask> asks;
    for (const Stored& it : std::exchange(words_stored_, {})) {
      Ask& ask = asks.emplace_back(ask_for(Ask::Kind::write, it.word));
      ask.caller = it.caller;
      ask.code = it.instruction;
      const auto code = reinterpret_cast<std::uintptr_t>(it.instruction);
      const auto warp = static_cast<std::uint64_t>(are_warps_one_ ? 0 : cta_index() * 32 + rank() / 32);
      ask.store = code == 0 ? 0 : (code ^ warp << 48U);
      ask.bits = it.bits;
    }
    for (const Ask& ask : asks) {
      pause_recorder();
      perform(ask, false);
    }
  }
  void read_word(int word, memory::Value bits, const void* instruction) {
    pause_recorder();
    Ask ask = ask_for(Ask::Kind::read, word);
    ask.code = instruction;
    ask.bits = bits;
    run_.set(word, perform(std::move(ask), false));
  }
  [[nodiscard]] Ask ask_for(Ask::Kind kind, int word) const {
    Ask ask{.kind = kind, .word = word, .caller = caller_};
    ask.instruction.bytes = static_cast<int>(SteppedRun::size_of(run_.words.at(word).range));
    ask.instruction.value = run_.value_of(word);
    return ask;
  }
  void pause_recorder() {
    if (before_pause_ != nullptr) {
      before_pause_(*recorder_);
    }
  }
  /// Asks, and waits for what it finds.
  std::uint64_t perform(Ask ask, bool may_throw) {
    for (const bool orders : {true, false}) {
      if (auto news = run_.known.take_news(index_, orders); !news.empty()) {
        ask_for({.kind = Ask::Kind::point, .after = std::move(news), .orders = orders, .caller = caller_}, may_throw);
      }
    }
    if (ask.kind == Ask::Kind::atomic && repeats_from_ >= 0) {
      ask.repeats = done_ - repeats_from_;
    }
    return ask_for(std::move(ask), may_throw);
  }
  std::uint64_t ask_for(Ask ask, bool may_throw) {
    asked_ = std::move(ask);
    inner_.await([](const void* self) { return static_cast<const SteppedThread*>(self)->is_granted_; }, this,
                 may_throw);
    asked_.reset();
    is_granted_ = false;
    ++done_;
    run_.known.do_one(index_);
    return value_;
  }
  [[nodiscard]] KnownOperations::Barrier warp() const { return {-1 - cta_index(), rank() / 32, ~0U}; }
  /// Where some lanes of the warp meet.
  [[nodiscard]] KnownOperations::Barrier part_of_warp(unsigned mask) const {
    return {-1 - cta_index(), rank() / 32, mask};
  }
  /// @param orders  false for a shuffle
  int arrive(const KnownOperations::Barrier& barrier, int threads, bool orders = true) {
    if (host::detail::is_unwinding()) {
      return 0;
    }
    settle();
    has_done_other_ = has_done_other_ || orders;
    return run_.known.arrive(barrier, index_, threads, orders);
  }
  void pass(const KnownOperations::Barrier& barrier, int generation, bool orders = true) {
    if (!host::detail::is_unwinding()) {
      run_.known.pass(barrier, index_, generation, orders);
    }
  }

  SteppedRun& run_;
  int index_;
  void (*before_pause_)(machine::EmulatedThread&) = nullptr;
  machine::EmulatedThread* recorder_ = nullptr;
  machine::SourceLocation caller_;
  std::optional<Ask> asked_;
  std::vector<Stored> words_stored_;
  BytesStored stored_;          ///< since the first of the visits
  bool are_warps_one_ = false;  ///< where they store one value by one instruction
  std::uint64_t value_ = 0;
  bool is_granted_ = false;
  bool has_ended_ = false;
  const void* announced_ = nullptr;  ///< what the library has written since
  bool has_done_other_ = false;      ///< than atomic reads and fences, since the last atomic access
  int done_ = 0;
  Visits visits_;
  Visits::Visit before_meeting_;
  int repeats_from_ = -1;  ///< the operation that the next one repeats, where lanes poll together
};

}  // namespace dma::inline v0_1::proof::detail
