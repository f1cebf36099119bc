#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/emulation/contexts/exception_state.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/record/access_detector.hpp>
#include <dma/proof/record/cta_log.hpp>
#include <dma/proof/record/open_copies.hpp>
#include <dma/proof/record/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The operations of one thread, in order. Accesses between two operations become one; so do consecutive copies of one
/// kind, and an arrival with the expectation of bytes right before it: one instruction does both.
class ThreadLog {
 public:
  /// @param index  of the thread in its CTA or cluster
  ThreadLog(CtaLog& cta, std::size_t index) : cta_(cta), index_(index), accesses_(cta.shared()) {}

  /// The grids before may not be complete.
  void starts_early() { awaits_grids_ = true; }
  /// The thread waits for them, so that what it does with global memory comes after.
  void await_grids() {
    if (awaits_grids_) {
      add({.kind = OperationKind::await_grids}, {});
      awaits_grids_ = false;
      cta_.recording().awaits_grids = true;
    }
  }
  /// A thread that does not wait itself may know from another one that the grids before are complete.
  void use_global() {
    if (awaits_unknown_grids()) {
      add({.kind = OperationKind::use_global}, {});
      awaits_grids_ = false;
    }
  }
  /// Where in the kernel's source the next operations are.
  void set_caller(const machine::SourceLocation& caller) { caller_ = caller; }

  void add(Operation operation, const machine::Site& site) {
    if (host::detail::is_unwinding()) {
      return;
    }
    flush();
    if (operation.kind == OperationKind::phase_arrive && expected_ &&
        expected_->operation.barrier == operation.barrier) {
      operation.count = expected_->operation.count;
      expected_.reset();
    }
    if (operation.kind == OperationKind::expect && operation.count >= 0) {
      push_expected();
      expected_ = {operation, site, caller_};
    } else {
      push(operation, site, caller_);
    }
  }
  /// A barrier that is not open has no number; the emulator reports it.
  void add_phase(const machine::Instruction& instruction, const void* barrier) {
    if (const std::optional<int> number = cta_.number_of(barrier)) {
      cta_.recording().has_relaxed = cta_.recording().has_relaxed || instruction.is_relaxed;
      add(Operation::at_phase(*number, instruction), instruction.site);
    }
  }
  /// A copy, or the start of asynchronous reads.
  /// @param barrier  the phase barrier that the copy completes on, null where it completes on none
  /// @param shared   the side of the copy that is in shared memory
  /// @param adds     whether it adds to global memory
  void add_copy(OperationKind kind, const void* barrier, const unsigned char* shared, int bytes, bool adds = false) {
    const int number = cta_.number_of(barrier).value_or(0);
    continue_copies(kind, number, adds);
    copies_.operation.count += kind == OperationKind::copy_to_shared ? bytes : 0;
    copies_.shared.push_back(accesses_.range_of(shared, static_cast<std::size_t>(bytes)));
    if constexpr (sees_every_access) {
      // What products read of a partial tile beside its elements need not be written.
      if (kind != OperationKind::read_async && kind != OperationKind::multiply) {
        cta_.contents().copy(index_, copies_.shared.back(), kind != OperationKind::copy_to_global, caller_);
      }
    }
  }
  /// An operand of a product, which reads on.
  void add_operand(OperationKind kind, const machine::OperandPieces& operand) {
    continue_copies(kind, 0, false);
    copies_.operands.push_back(operand);
  }
  /// An access of tensor memory: an operation, but for products into the columns of those before.
  void add_columns(OperationKind kind, const ByteRanges& columns, const ByteRanges& read, int order) {
    if (!copies_.tensor.empty() && (copies_.tensor != columns || kind != OperationKind::multiply)) {
      flush();
    }
    continue_copies(kind, 0, false);
    copies_.add_tensor(columns, read, order);
  }
  /// A copy between CTAs, by itself: it completes on `barrier`. The emulator reports one that is not open. A word goes
  /// through the generic proxy; one that is changed is an atomic access.
  void add_copy_between_ctas(const machine::Instruction& copy, const void* barrier) {
    const std::optional<int> number = cta_.number_of(barrier);
    if (!number) {
      return;
    }
    flush();
    const bool is_word = copy.from == nullptr;
    const bool adds = copy.box != nullptr && copy.box->adds();
    Accesses shared;
    shared.writes.push_back(range_of(copy.to, copy.count));
    if (!is_word) {
      shared.reads.push_back(range_of(copy.from, copy.count));
    }
    if constexpr (sees_every_access) {
      if (!is_word || adds) {
        cta_.contents().copy(index_, adds ? shared.writes.back() : shared.reads.back(), false, caller_);
      }
      cta_.contents().copy(index_, shared.writes.back(), true, caller_);
    }
    push({.kind = copy.kind, .barrier = *number, .count = copy.count, .adds = adds, .is_generic = is_word}, {}, caller_,
         shared);
  }
  /// The other side of the copy that was added last.
  void add_global_side(const void* global, int bytes) {
    if constexpr (sees_every_access) {
      copies_.global.push_back(cta_.seen().memory().range_of(global, static_cast<std::size_t>(bytes)));
    }
  }
  /// The instruction of the copy that was added last, and a hash of what it moves.
  void add_code(const void* code, std::uint64_t moves) { copies_.by.emplace_back(code, moves); }
  /// Memory is about to change.
  void keep(BytesBefore& before, const void* place, std::size_t bytes) {
    if (is_global(cta_.seen().memory().range_of(place, bytes))) {
      before.keep(place, bytes);
    }
  }
  /// The word of a barrier is written where it is opened or closed.
  void begin_barrier(const void* word, bool is_open) {
    if constexpr (sees_every_access) {
      const ByteRange bytes = cta_.seen().memory().range_of(word, 8);
      is_open ? cta_.contents().open_barrier(bytes) : cta_.contents().close_barrier(bytes);
      flush();
      push_access(bytes, true);
    }
  }
  void number_barrier(const void* barrier, int cta) { cta_.open_phase_barrier(barrier, cta); }
  /// What the thread read: the result of a poll, or a counter of the grid.
  void add_answer(bool is_complete) {
    cta_.stop_repeating();
    cta_.recording().answers[index_].push_back(is_complete);
  }
  void add_count(std::uint64_t value) {
    cta_.stop_repeating();
    cta_.append(cta_.recording().counts[index_], value);
  }
  /// A tile is in the slot, or one side has taken it.
  void fill(const void* slot) { cta_.rings().fill(slot); }
  void use(const void* slot) { cta_.rings().use(slot); }
  void hold(const void* slot, int bytes, machine::Holding holding) {
    if constexpr (sees_every_access) {
      cta_.contents().hold(index_, range_of(slot, bytes), holding);
    }
  }
  void leave_slots(const void* storage, int bytes) {
    if constexpr (sees_every_access) {
      cta_.contents().leave_slots(index_, range_of(storage, bytes));
    }
  }

  /// Where every access is seen, those that the library announces are among them.
  void touch(const void* place, int bytes, machine::Access access) {
    if constexpr (!sees_every_access) {
      flush_copies();
      accesses_.touch(place, static_cast<std::size_t>(bytes), access);
    } else {
      cta_.contents().name_element(index_, accesses_.range_of(place, static_cast<std::size_t>(bytes)), bytes);
    }
  }
  void begin_exposure(void* tile, int bytes, int element_bytes, machine::Access access) {
    if constexpr (!sees_every_access) {
      accesses_.begin_exposure(tile, static_cast<std::size_t>(bytes), static_cast<std::size_t>(element_bytes), access);
    } else {
      cta_.contents().name_element(accesses_.range_of(tile, static_cast<std::size_t>(bytes)), element_bytes);
    }
  }
  void see(const void* place, std::size_t bytes, machine::Access access, const void* instruction) {
    if (!host::detail::is_unwinding()) {
      flush_copies();
      const bool writes = access == machine::Access::write;
      const ByteRange range = cta_.seen().memory().range_of(place, bytes);
      cta_.seen().add(index_, range, writes, instruction);
      if (!is_global(range)) {
        cta_.contents().access(index_, range, writes, instruction, caller_);
      } else if (writes && awaits_unknown_grids() && !cta_.recording().awaits_grids) {
        cta_.contents().report_early_write(index_, instruction, caller_);
      } else if (writes && awaits_unknown_grids()) {
        write_early(range, instruction);
      }
    }
  }
  /// The thread makes an atomic access, or a fence between threads: what it did before is written down first, since
  /// other threads may run.
  void begin_atomic() {
    if (!host::detail::is_unwinding()) {
      cta_.stop_repeating();
      flush();
    }
  }
  /// @param found  the value before
  void add_atomic(const machine::AtomicInstruction& instruction, std::uint64_t found) {
    if (host::detail::is_unwinding()) {
      return;
    }
    Operation operation{.kind = instruction.is_fence() ? OperationKind::fence_threads : OperationKind::atomic,
                        .count = (machine::acquires(instruction.order) ? 1 : 0) +
                                 (machine::releases(instruction.order) ? 2 : 0) +
                                 (instruction.is_unread() ? Operation::unread : 0),
                        .scope = instruction.scope};
    Recording& recording = cta_.recording();
    recording.has_own_atomics = recording.has_own_atomics || !instruction.is_counter;
    recording.has_standard_atomics = recording.has_standard_atomics || instruction.is_standard;
    if (instruction.is_fence()) {
      return push(operation, {}, caller_);
    }
    cta_.append(recording.found[index_], instruction.is_unread() ? 0 : found);
    const ByteRange range =
        cta_.seen().memory().range_of(instruction.place, static_cast<std::size_t>(instruction.bytes));
    const bool writes_it =
        instruction.kind != machine::AtomicKind::load;  // A compare that fails here may not elsewhere.
    if (is_global(range)) {
      recording.meets_ctas = true;
      cta_.append(recording.global_atomics, range);
    }
    if (!is_global(range)) {
      cta_.contents().access(index_, range, writes_it, instruction.code, caller_);
    }
    auto& [number, writes] = cta_.atomic_at(range.first);
    operation.barrier = number;
    operation.from = instruction.reads() ? writes : -1;
    operation.write = instruction.writes(found) ? ++writes : 0;
    cta_.append(recording.seen, {instruction.is_standard ? instruction.code : nullptr, writes_it, range, {}});
    operation.seen_first = static_cast<int>(recording.seen.size()) - 1;
    operation.seen_last = static_cast<int>(recording.seen.size());
    Accesses accesses;
    (writes_it ? accesses.writes : accesses.reads).push_back(range);
    push(operation, {}, caller_, accesses);
  }
  /// Bytes of shared memory count as written.
  void count_as_written(const void* place, std::size_t bytes) {
    cta_.contents().access(index_, cta_.seen().memory().range_of(place, bytes), true, nullptr, caller_);
  }
  /// An access that no load or store of the kernel makes.
  void add_access(const ByteRange& range, machine::Access access) {
    if (!host::detail::is_unwinding()) {
      flush();
      push_access(range, access == machine::Access::write);
    }
  }
  [[nodiscard]] ByteRange range_of(const void* place, int bytes) const {
    return accesses_.range_of(place, static_cast<std::size_t>(bytes));
  }
  void end_exposure(const void* tile) {
    if (!host::detail::is_unwinding()) {
      flush();
    }
    accesses_.end_exposure(tile);
  }
  /// Other threads have run.
  void take_snapshots() { accesses_.take_snapshots(); }
  /// The thread has ended.
  void end() {
    flush();
    push_expected();
  }

 private:
  void continue_copies(OperationKind kind, int barrier, bool adds) {
    if (!copies_.are(kind, barrier, adds) || has_accesses()) {
      flush();
      copies_.begin(kind, barrier, adds, caller_);
    }
  }
  /// Grids that a proof knows are judged with this one.
  [[nodiscard]] bool awaits_unknown_grids() { return awaits_grids_ && !cta_.recording().starts_early; }
  [[nodiscard]] bool has_accesses() {
    if constexpr (sees_every_access) {
      return cta_.seen().has_any_of(index_);
    } else {
      return !accesses_.is_idle();
    }
  }
  /// Writes the copies and the accesses since the last operation.
  void flush() {
    flush_copies();
    if (has_accesses()) {
      Accesses& shared = cta_.taken_shared();
      Accesses& global = cta_.taken_global();
      if constexpr (sees_every_access) {
        cta_.seen().take(shared, global);
        flush_seen({OperationKind::access}, shared, global);
      } else {
        accesses_.take(shared);
        if (!shared.is_empty()) {
          shared.make_tidy();
          push({OperationKind::access}, {}, caller_, shared);
        }
      }
    }
  }
  void flush_seen(Operation access, const Accesses& shared, const Accesses& global) {
    if (!shared.is_empty()) {
      push_expected();
    }
    if (cta_.repeats(index_, access, shared, global)) {
      return cta_.seen().forget_instructions();
    }
    std::vector<SeenInstruction>& seen = cta_.recording().seen;
    access.seen_first = static_cast<int>(seen.size());
    const std::size_t before = seen.capacity();
    cta_.seen().take_instructions(seen);
    cta_.add_bytes((seen.capacity() - before) * sizeof(SeenInstruction));
    access.seen_last = static_cast<int>(seen.size());
    write_down(access, {}, caller_, shared, global);
  }
  void flush_copies() {
    if (copies_.any()) {
      push_copies();
    }
  }
  [[gnu::noinline]] void push_copies() {
    Accesses& shared = cta_.taken_shared();
    Accesses& global = cta_.taken_global();
    copies_.take(shared, global, cta_);
    push_expected();
    if (!cta_.repeats(index_, copies_.operation, shared, global)) {
      cta_.write_copies(copies_.by, copies_.operation);
      write_down(copies_.operation, copies_.site, copies_.caller, shared, global);
    }
    copies_.by.clear();
  }
  void push_access(const ByteRange& range, bool writes) {
    Accesses shared;
    (writes ? shared.writes : shared.reads).push_back(range);
    push({OperationKind::access}, {}, caller_, shared);
  }
  /// The first use of global memory, by an ordinary store.
  void write_early(const ByteRange& range, const void* instruction) {
    flush();
    push_expected();
    awaits_grids_ = false;
    Operation use{.kind = OperationKind::use_global};
    if (!cta_.repeats(index_, use, none, none)) {
      std::vector<SeenInstruction>& seen = cta_.recording().seen;
      use.seen_first = static_cast<int>(seen.size());
      cta_.append(seen, {instruction, true, range, {}});
      use.seen_last = static_cast<int>(seen.size());
      write_down(use, {}, caller_, none, none);
    }
  }
  void push_expected() {
    if (expected_) {
      repeat_or_write(expected_->operation, expected_->site, expected_->caller, none, none);
      expected_.reset();
    }
  }
  void push(const Operation& operation, const machine::Site& site, const machine::SourceLocation& caller,
            const Accesses& shared = none, const Accesses& global = none) {
    push_expected();
    repeat_or_write(operation, site, caller, shared, global);
  }
  void repeat_or_write(const Operation& operation, const machine::Site& site, const machine::SourceLocation& caller,
                       const Accesses& shared, const Accesses& global) {
    if (!cta_.repeats(index_, operation, shared, global)) {
      write_down(operation, site, caller, shared, global);
    }
  }
  /// Apart, since most runs repeat the first: each thread has a stack of its own, and the cache has their frames.
  [[gnu::noinline]] void write_down(Operation operation, const machine::Site& site,
                                    const machine::SourceLocation& caller, const Accesses& shared,
                                    const Accesses& global) {
    operation.place = cta_.place_of(site, caller);
    cta_.write_down(index_, operation, shared, global);
  }

  static inline const Accesses none;

  CtaLog& cta_;
  std::size_t index_;
  machine::SourceLocation caller_;
  bool awaits_grids_ = false;  ///< has neither waited for the grids before nor used global memory
  AccessDetector accesses_;
  std::optional<Announced> expected_;  ///< an expectation of bytes, until the next operation
  OpenCopies copies_;
};

}  // namespace dma::inline v0_1::proof::detail
