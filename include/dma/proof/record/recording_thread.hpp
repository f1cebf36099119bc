#pragma once

#include <dma/host/emulation/exceeded.hpp>
#include <dma/host/emulation/forwarding_thread.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/phase_word.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/cta_log.hpp>
#include <dma/proof/record/log_in_use.hpp>
#include <dma/proof/record/operation_log.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace dma::inline v0_1::proof::detail {

/// A thread that logs each operation of the kernel before it does it.
class RecordingThread final : public host::detail::ForwardingThread {
 public:
  /// @param index        of the thread in its CTA or cluster
  /// @param polls_truly  false: where the library polls and both results must be correct, the answer is no
  RecordingThread(CtaLog& cta, machine::EmulatedThread& thread, std::size_t index, bool polls_truly)
      : host::detail::ForwardingThread(thread), cta_(cta), log_(cta, index), index_(index), polls_truly_(polls_truly) {
    be_watched();
    if (thread.starts_early() || cta.recording().starts_early) {
      log()->starts_early();
    }
  }

  /// The kernel has returned.
  void end() { log()->end(); }
  /// Other threads run next.
  void end_accesses() { log()->begin_atomic(); }

  void sync_cta() override {
    announce(OperationKind::sync, {.point = machine::Point::cta}, number_of(0), threads());
    inner_.sync_cta();
    log()->take_snapshots();
  }
  /// A CTA without a cluster synchronizes itself.
  void sync_cluster(bool releases) override {
    if (cluster_size() == 1) {
      return sync_cta();
    }
    announce(OperationKind::sync, {.point = machine::Point::cluster},
             Recording::first_cluster_barrier + cta_index() / cluster_size(), threads() * cluster_size(), !releases);
    inner_.sync_cluster(releases);
    log()->take_snapshots();
  }
  void sync_warp() override {
    announce_meeting();
    inner_.sync_warp();
    log()->take_snapshots();
  }
  /// The lanes meet, and their accesses to memory stay unordered (PTX ISA, shfl.sync).
  void shuffle(void* value, std::size_t bytes, int source) override {
    polls_ = 0;
    log()->add({.kind = OperationKind::shuffle, .barrier = meeting(), .count = 32}, lanes_of_warp);
    inner_.shuffle(value, bytes, source);
    log()->take_snapshots();
  }
  void sync_lanes(unsigned mask) override {
    announce(OperationKind::sync, lanes_of_warp, meeting_of(mask), std::popcount(mask));
    inner_.sync_lanes(mask);
    log()->take_snapshots();
  }
  void exchange(unsigned mask, const void* value, std::size_t bytes, void* values) override {
    announce_exchange(mask);
    inner_.exchange(mask, value, bytes, values);
    log()->take_snapshots();
  }
  void come_with_warp() override {
    announce_exchange(0xffffffffU);
    inner_.come_with_warp();
  }
  void barrier_sync(int id, int threads, const machine::Site& site) override {
    announce(OperationKind::sync, site, number_of(id), threads);
    inner_.barrier_sync(id, threads, site);
    log()->take_snapshots();
  }
  void barrier_arrive(int id, int threads, const machine::Site& site) override {
    announce(OperationKind::arrive, site, number_of(id), threads);
    inner_.barrier_arrive(id, threads, site);
  }

  void slot_filled(const void* slot, const machine::TileShape& tile) override {
    log()->fill(slot);
    inner_.slot_filled(slot, tile);
  }
  void slot_used(const void* slot, const machine::TileShape& tile) override {
    log()->use(slot);
    inner_.slot_used(slot, tile);
  }
  void slot_held(const void* slot, int bytes, machine::Holding holding) override {
    if (holding == machine::Holding::none) {
      log()->end_exposure(slot);
    }
    log()->hold(slot, bytes, holding);
    inner_.slot_held(slot, bytes, holding);
  }
  void slots_gone(const void* storage, int bytes) override {
    log()->leave_slots(storage, bytes);
    inner_.slots_gone(storage, bytes);
  }

  void execute(const machine::Instruction& instruction) override {
    if (instruction.is_copy() || instruction.kind == OperationKind::read_async) {
      record_copy(instruction);
      return inner_.execute(instruction);
    }
    if (instruction.is_of_tensor_memory()) {
      record_tensor_memory(instruction);
      return inner_.execute(instruction);
    }
    if (instruction.kind == OperationKind::fence) {
      return announce(OperationKind::fence, {}, 0, instruction.count);
    }
    if (instruction.is_of_phase()) {
      record_phase(instruction);
    } else {
      cta_.recording().waits_for_warpgroups = cta_.recording().waits_for_warpgroups || instruction.is_of_warpgroup;
      announce(instruction.kind, instruction.site, 0, instruction.count);
    }
    inner_.execute(instruction);
    if (instruction.is_wait()) {
      log()->take_snapshots();
    }
  }
  void read_operand(OperationKind kind, const machine::OperandPieces& operand) override {
    log()->add_operand(kind, operand);
    inner_.read_operand(kind, operand);
  }
  /// @throw KernelError  the kernel polls in a loop, which keeps the other threads from running
  [[nodiscard]] bool phase_is_complete(const void* barrier, unsigned parity) override {
    const bool is_complete = inner_.phase_is_complete(barrier, parity);
    Recording& recording = cta_.recording();
    recording.polls_by_itself = recording.polls_by_itself || !is_library_polling_;
    is_library_polling_ = false;
    log()->add_answer(is_complete);
    polls_ = is_complete ? 0 : polls_ + 1;
    if (polls_ == most_polls) {
      throw host::KernelError(
          "dma::host: a thread polls a barrier until it is complete, and no other thread can run; wait for the "
          "barrier");
    }
    return is_complete;
  }
  /// No operation for a judge: it orders nothing.
  void await_landing(const void* barrier, unsigned parity) override {
    inner_.await_landing(barrier, parity);
    log()->take_snapshots();
  }

  void pipeline_opened(const machine::Site& pipeline, int stages, int slot_bytes) override {
    cta_.rings().open(pipeline, stages, shared());
    cta_.recording().pipelines.add(pipeline, shared());
    cta_.recording().layout.add_pipeline(pipeline, log()->range_of(pipeline.storage, 1).first, stages, slot_bytes);
    host::detail::ForwardingThread::pipeline_opened(pipeline, stages, slot_bytes);
  }
  void called_from(const machine::SourceLocation& caller) override {
    log_.set_caller(caller);
    host::detail::ForwardingThread::called_from(caller);
  }
  void touched(const void* place, int bytes, machine::Access access) override { log()->touch(place, bytes, access); }
  void exposed(void* tile, int bytes, int element_bytes, machine::Access access) override {
    log()->begin_exposure(tile, bytes, element_bytes, access);
  }
  /// @throw Spin  the kernel reads counters in a loop, which keeps the other threads from running
  void counted(unsigned long long value) override {
    log()->add_count(value);
    if (cta_.recording().counts[index_].size() - counts_before_ > most_counts) {
      throw host::Spin(
          "dma::host: a thread reads a counter in a loop, and no other thread can run; wait at a barrier or for a tile "
          "instead");
    }
  }
  [[nodiscard]] bool cancels_cluster(Index3& first) override {
    ++cta_.recording().requests;
    return host::detail::ForwardingThread::cancels_cluster(first);
  }
  void counter_used(const void* word, std::size_t bytes, const char* user) override {
    log()->add_access(before_count(), machine::Access::read);
    host::detail::ForwardingThread::counter_used(word, bytes, user);
  }
  void grid_dependency_wait() override {
    log()->await_grids();
    host::detail::ForwardingThread::grid_dependency_wait();
  }
  void load_constants(bool does) override {
    loads_constants_ = does;
    host::detail::ForwardingThread::load_constants(does);
  }
  void global_accessed(machine::Access access) override {
    if (!loads_constants_ || access == machine::Access::write) {
      log()->use_global();
    }
    host::detail::ForwardingThread::global_accessed(access);
  }
  void counts_for_cta() override { log()->add_access(before_count(), machine::Access::write); }
  void others_ran() override { log()->take_snapshots(); }
  /// The emulator's own object is no memory of the kernel's.
  void accessed(const void* place, std::size_t bytes, machine::Access access, const void* instruction) override {
    if (reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(this) >= sizeof *this) {
      log()->see(place, bytes, access, instruction);
    }
  }
  void accesses(const void* place, std::size_t bytes, machine::Access access, const void* instruction) override {
    if (!cta_.keeps_stores()) {
      return inner_.accesses(place, bytes, access, instruction);
    }
    access_and_keep(place, bytes, access, instruction);
  }
  void accesses_global(const void* place, std::size_t bytes, machine::Access access) override {
    inner_.accesses_global(place, bytes, access);
    if (cta_.keeps_stores() && access == machine::Access::write) {
      keep(place, bytes, false);
    }
  }
  void count_as_written(const void* place, std::size_t bytes) override { log()->count_as_written(place, bytes); }
  void count_stores_of_warps_as_one() override {
    cta_.recording().has_stores_of_warps = true;
    inner_.count_stores_of_warps_as_one();
  }
  void count_lanes_as_together() override {
    cta_.recording().has_lanes_together = true;
    inner_.count_lanes_as_together();
  }
  void leave_pending() override {
    cta_.recording().leaves_pending = true;
    inner_.leave_pending();
  }
  std::uint64_t access_atomically(const machine::AtomicInstruction& instruction) override {
    log()->begin_atomic();
    if (!instruction.is_fence()) {
      keep(instruction.place, static_cast<std::size_t>(instruction.bytes), true);
    }
    const std::uint64_t before = inner_.access_atomically(instruction);
    log()->add_atomic(instruction, before);
    if (++atomics_ > most_atomics) {
      host::detail::RunWatch::exceed(host::detail::Exceeded::spin_seconds);
    }
    return before;
  }
  [[nodiscard]] bool polls_truly() override {
    cta_.recording().may_poll = true;
    // Lanes that poll may get different results, so only the first one gets the true result.
    is_library_polling_ = polls_truly_ && rank() % 32 == 0;
    return is_library_polling_;
  }

 private:
  static constexpr machine::Site lanes_of_warp{machine::Who::lanes, machine::Point::warp};
  static constexpr int most_polls = 10'000;
  static constexpr std::size_t most_counts = 100'000;
  static constexpr int most_atomics = 100'000;

  [[nodiscard]] LogInUse log() { return LogInUse(log_); }
  /// An access where stores are kept, apart: each access of the kernel is one in `accesses`.
  [[gnu::noinline]] void access_and_keep(const void* place, std::size_t bytes, machine::Access access,
                                         const void* instruction) {
    inner_.accesses(place, bytes, access, instruction);
    if (access == machine::Access::write) {
      keep(place, bytes, false);
    }
  }
  /// Memory is about to change.
  void keep(const void* place, std::size_t bytes, bool is_atomic) {
    if (BytesBefore* const before = cta_.before(is_atomic); before != nullptr) {
      BytesBefore::probe(place, bytes);
      log()->keep(*before, place, bytes);
    }
  }

  void record_phase(const machine::Instruction& instruction) {
    void* const barrier = barrier_of(instruction);
    if (instruction.kind == OperationKind::open) {
      log()->begin_barrier(barrier, true);
      log()->number_barrier(barrier, cta_index());
      touch_word(barrier);
    } else if (instruction.kind == OperationKind::close) {
      touch_word(barrier);
    }
    polls_ = 0;
    atomics_ = 0;
    log()->add_phase(instruction, barrier);
    if (instruction.kind == OperationKind::close) {
      log()->begin_barrier(barrier, false);
    }
  }
  void record_copy(const machine::Instruction& copy) {
    if (copy.is_between_ctas) {
      return log()->add_copy_between_ctas(copy, barrier_of(copy));
    }
    log()->add_copy(copy.kind, barrier_of(copy), copy.shared_side(), copy.count,
                    copy.box != nullptr && copy.box->adds());
    if (copy.is_copy()) {
      copy.for_each_global_run([&](const unsigned char* place, int run) { log()->add_global_side(place, run); });
      if (copy.code != nullptr) {
        log()->add_code(copy.code, copy.moves);
      }
    }
  }
  /// What a CTA has of it, or both CTAs of a pair, has the numbers before the shared memory of the next CTA.
  void record_tensor_memory(const machine::Instruction& instruction) {
    if (instruction.from != nullptr) {
      return log()->add_copy(instruction.kind, nullptr, instruction.from, instruction.count);
    }
    ByteRanges columns;
    ByteRanges operands;
    for (int cta = 0; cta < instruction.ctas; ++cta) {
      void* const begin = instruction.ctas == 1 ? shared() : peer_address(shared(), (cluster_rank() & ~1) + cta);
      const auto pitch = static_cast<long long>(cluster_pitch());
      const long long first = log()->range_of(begin, 1).first + pitch - tensor_columns * tensor_lanes;
      cta_.recording().layout.add_tensor_memory(first);
      for (int i = 0; i < instruction.lanes; ++i) {
        const long long row = first + (instruction.lane + i * instruction.lane_step) * tensor_columns;
        for (int repeat = 0; repeat < instruction.repeats; ++repeat) {
          const long long column = row + instruction.column + repeat * instruction.repeat_step;
          columns.push_back({column, column + instruction.count});
        }
        for (const machine::TensorColumns& operand : instruction.operands) {
          if (operand.count != 0) {
            operands.push_back({row + operand.first, row + operand.first + operand.count});
          }
        }
      }
    }
    cta_.recording().uses_tensor_memory = true;
    log()->add_columns(instruction.kind, columns, operands, instruction.order);
  }
  void announce_exchange(unsigned mask) {
    polls_ = 0;
    log()->add({.kind = OperationKind::shuffle, .barrier = meeting_of(mask), .count = std::popcount(mask)},
               lanes_of_warp);
  }
  void announce(OperationKind kind, const machine::Site& site, int barrier, int count, bool is_relaxed = false) {
    polls_ = 0;
    atomics_ = 0;
    counts_before_ = cta_.recording().counts[index_].size();
    cta_.recording().has_relaxed = cta_.recording().has_relaxed || is_relaxed;
    log()->add({.kind = kind, .barrier = barrier, .count = count, .is_relaxed = is_relaxed}, site);
  }
  /// What the threads of a CTA have done before they use a counter, as a byte of memory: each reads it then, and the
  /// thread that counts for all writes it. No other byte has a number below 0.
  [[nodiscard]] ByteRange before_count() const {
    const long long last = -1 - 2LL * cta_index();
    return {last - 1, last};
  }
  /// Of a named barrier of this CTA.
  [[nodiscard]] int number_of(int id) const { return Recording::named_barriers * cta_index() + id; }

  /// A barrier is opened and closed in memory that other threads may use.
  void touch_word(const void* barrier) {
    const ByteRange word = log()->range_of(barrier, int{sizeof(host::detail::PhaseWord)});
    cta_.recording().layout.add_barrier(word);
    log()->add_access(word, machine::Access::write);
  }
  void announce_meeting() { announce(OperationKind::sync, lanes_of_warp, meeting(), 32); }
  /// Of this thread's warp.
  [[nodiscard]] int meeting_of(unsigned mask) {
    return mask == 0xffffffffU
               ? meeting()
               : Recording::first_part + cta_.recording().numbers->of_lanes(static_cast<int>(index_) / 32, mask);
  }
  [[nodiscard]] int meeting() const { return Recording::first_meeting + static_cast<int>(index_) / 32; }

  CtaLog& cta_;
  ThreadLog log_;
  std::size_t index_;
  bool polls_truly_;
  std::size_t counts_before_ = 0;  ///< read before the last operation
  int polls_ = 0;                  ///< that were answered with no, one after another
  int atomics_ = 0;                ///< since the last operation of the library
  bool loads_constants_ = false;
  bool is_library_polling_ = false;
};

}  // namespace dma::inline v0_1::proof::detail
