#pragma once

#include <dma/config.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::machine {

/// The registers of an emulated thread that products in flight read or write, by the products' group.
class ProductRegisters {
 public:
  static constexpr int most = 64;  ///< uses that are tracked; more are not

  void begin(const void* registers) noexcept {
    if (count_ < most) {
      uses_[count_++] = {registers, committed_};
    }
  }
  void commit() noexcept { ++committed_; }
  void wait(int pending) noexcept {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      if (uses_[i].group >= committed_ - pending) {
        uses_[kept++] = uses_[i];
      }
    }
    count_ = kept;
  }
  [[nodiscard]] bool is_used(const void* registers) const noexcept {
    for (int i = 0; i < count_; ++i) {
      if (uses_[i].registers == registers) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Use {
    const void* registers;
    int group;
  };

  Use uses_[most];  ///< so many as `count_`; the others are never touched
  int count_ = 0;
  int committed_ = 0;
};

}  // namespace dma::inline v0_1::machine

/// The interface of an emulated thread to its CTA. It is all that the library's headers know of the emulator, which is
/// in `dma/host/launch.hpp`.
namespace dma::inline v0_1::machine {

class TensorCells;

/// A tile as one side of a pipeline names it.
struct TileShape {
  int elements = 0;
  std::uint64_t runs = 0;  ///< a hash of where its runs are in the slot; 0 where only `elements` tells tiles apart
};

/// One emulated thread, with the synchronization of a CTA as the PTX ISA defines it.
class EmulatedThread {
 public:
  EmulatedThread() = default;
  EmulatedThread(const EmulatedThread&) = delete;
  EmulatedThread& operator=(const EmulatedThread&) = delete;
  virtual ~EmulatedThread() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;       ///< in the CTA
  [[nodiscard]] virtual int threads() const noexcept = 0;    ///< of the CTA
  [[nodiscard]] virtual Index3 block() const noexcept = 0;   ///< of this CTA in the grid
  [[nodiscard]] virtual Index3 blocks() const noexcept = 0;  ///< of the grid
  [[nodiscard]] virtual void* shared() const noexcept = 0;   ///< the CTA's shared memory
  [[nodiscard]] virtual std::size_t shared_bytes() const noexcept = 0;
  /// Whether an address is on the thread's stack, which is local memory on a GPU.
  [[nodiscard]] virtual bool is_local(const void*) const noexcept { return false; }

  /// The CTA's rank in its cluster, and the cluster's CTAs.
  [[nodiscard]] virtual int cluster_rank() const noexcept { return 0; }
  [[nodiscard]] virtual int cluster_size() const noexcept { return 1; }
  /// The CTA's number among those that run together: the CTAs of its cluster, or all of the grid.
  [[nodiscard]] virtual int cta_index() const noexcept { return cluster_rank(); }
  [[nodiscard]] virtual int ctas_together() const noexcept { return cluster_size(); }
  /// Bytes from the shared memory of one of them to that of the next.
  [[nodiscard]] virtual std::size_t cluster_pitch() const noexcept { return 0; }
  /// Where CTA `rank` of the cluster has what is at `shared` in this CTA's shared memory.
  [[nodiscard]] virtual void* peer_address(void* shared, int /*rank*/) { return shared; }

  /// The tensor memory of its CTA, and of CTA `rank` of the cluster, which has begun.
  [[nodiscard]] TensorCells& tensor_cells() { return tensor_cells_of(cluster_rank()); }
  [[nodiscard]] virtual TensorCells& tensor_cells_of(int /*rank*/) {
    detail::refuse("dma::host: this emulator has no tensor memory; run the kernel body by dma::host::launch");
  }

  virtual void sync_cta() = 0;
  /// Waits for all threads of the cluster.
  ///
  /// @param releases  false: the thread's arrival orders nothing by itself
  virtual void sync_cluster(bool /*releases*/) { sync_cta(); }
  virtual void sync_warp() = 0;
  /// Each lane passes `bytes` bytes at `value` and receives those of lane `source`.
  virtual void shuffle(void* value, std::size_t bytes, int source) = 0;
  /// The same among the lanes of a mask, which all name it: a synchronization, and what each lane passes, 32 times
  /// `bytes` bytes by the lane. An instruction of PTX may leave out lanes, and a call of the library does not.
  virtual void sync_lanes(unsigned /*mask*/) { sync_warp(); }
  virtual void exchange(unsigned /*mask*/, const void* /*value*/, std::size_t /*bytes*/, void* /*values*/) {}
  /// All lanes of the warp make an instruction together from which this one takes nothing of the others'. They meet as
  /// in `exchange`, by what is recorded and judged; here none waits for another one.
  virtual void come_with_warp() {}
  /// Whether it is the first lane of its warp, whose lanes are converged.
  [[nodiscard]] virtual bool elect() { return rank() % 32 == 0; }

  virtual void barrier_sync(int id, int threads, const Site& site) = 0;
  virtual void barrier_arrive(int id, int threads, const Site& site) = 0;

  /// Both sides report a tile's slot. They must agree on its elements, and the threads that move it on its address in
  /// global memory; no thread moves a slot that it still holds, or touches one that it has released.
  virtual void slot_filled(const void* slot, const TileShape& tile) = 0;
  virtual void slot_used(const void* slot, const TileShape& tile) = 0;
  virtual void slot_held(const void* slot, int bytes, Holding holding) = 0;
  virtual void slot_moving(const void* slot, const void* global) = 0;
  /// The storage of a pipeline's slots is free for other uses.
  virtual void slots_gone(const void* storage, int bytes) = 0;

  /// Barriers `first` to `first + count` belong to a pipeline of this thread until they are released.
  virtual void claim_barriers(int first, int count) = 0;
  virtual void release_barriers(int first, int count) = 0;

  /// Executes an instruction of this thread. Copies complete at some time before a wait for them returns.
  virtual void execute(const Instruction& instruction) = 0;
  /// An instruction that reads on, of all pieces of an operand.
  virtual void read_operand(OperationKind kind, const OperandPieces& operand) {
    for (std::size_t i = 0; i < operand.count; ++i) {
      const OperandPieces::Piece& piece = operand.pieces[i];
      execute({.kind = kind, .count = static_cast<int>(piece.bytes), .from = operand.begin + piece.first});
    }
  }
  /// An atomic access of the library's, or, in a program that sees every access, one of the standard's: makes it, and
  /// returns the value before. Nothing is thrown through one of the standard's.
  virtual std::uint64_t access_atomically(const AtomicInstruction& instruction) { return instruction.make(); }
  [[nodiscard]] virtual bool phase_is_complete(const void* barrier, unsigned parity) = 0;
  /// Waits for the phase and orders nothing.
  virtual void await_landing(const void* /*barrier*/, unsigned /*parity*/) {}

  /// For messages: a pipeline's constructor; the call that the thread is in; the pipeline and the slot of that call.
  virtual void pipeline_opened(const Site&, int /*stages*/, int /*slot_bytes*/) {}
  virtual void called_from(const SourceLocation&) {}
  virtual void works_on(const Site&) {}
  /// A call of a pipeline begins, which is collective over the warp.
  virtual void enters(Call) {}
  /// For a recorder that watches the thread: which bytes of shared memory it reads or writes by ordinary accesses.
  virtual void touched(const void*, int /*bytes*/, Access) {}
  /// The kernel has the address of a whole tile, until it releases the slot.
  virtual void exposed(void*, int /*bytes*/, int /*element_bytes*/, Access) {}
  /// For messages: says what memory an address is in.
  virtual void add_place(detail::MessageText& message, const void*) const {
    message.add("of memory that is not known");
  }
  /// Before an access of the library, or a copy, which is not made where this throws: of bytes of global memory, and of
  /// shared memory. A box has a global side of several pieces.
  virtual void accesses_global(const void* /*place*/, std::size_t /*bytes*/, Access) {}
  virtual void accesses_shared(const void* /*place*/, std::size_t /*bytes*/, Access) {}
  /// In a program that sees every access (docs/trust/proof.md): before a load or a store of the kernel. Where the
  /// thread may not make it, this does not return.
  ///
  /// @param instruction  the address behind it
  virtual void accesses(const void* /*place*/, std::size_t /*bytes*/, Access, const void* /*instruction*/) {}
  /// There also: before an atomic access of the standard's, which `access_atomically` makes.
  virtual void accesses_word(const void* place, std::size_t bytes, Access access, const void* instruction) {
    accesses(place, bytes, access, instruction);
  }
  /// There also: the load or store, for a recorder.
  virtual void accessed(const void* /*place*/, std::size_t /*bytes*/, Access, const void* /*instruction*/) {}
  /// For a recorder: bytes of shared memory are read although no thread has written them, and that is no fault.
  virtual void count_as_written(const void* /*place*/, std::size_t /*bytes*/) {}
  /// Warps that store one value by one instruction count as one, as the lanes of a warp do.
  virtual void count_stores_of_warps_as_one() {}
  /// Lanes of a warp count as together where they wait or arrive at a phase barrier by one instruction.
  virtual void count_lanes_as_together() {}
  /// The CTA may end with arrivals pending at its phase barriers, but with no bytes to come, and with bulk stores that
  /// still read its shared memory.
  virtual void leave_pending() {}
  /// What concerns other grids and other CTAs: the wait for the grids before, an access to global memory or the issue
  /// of a copy, and a counter that is zero before a grid and after it.
  virtual void grid_dependency_wait() {}
  /// Whether the grid may start before those before it end, so that grid_dependency_wait() has to come first.
  [[nodiscard]] virtual bool starts_early() const noexcept { return false; }
  /// Whether the next loads are of what no grid before writes, and need not come after that wait.
  virtual void load_constants(bool) {}
  virtual void global_accessed(Access) {}
  virtual void counter_used(const void* /*word*/, std::size_t /*bytes*/, const char* /*user*/) {}
  /// Whether the thread's CTA takes one more of the numbers that the CTAs of the grid take from a counter.
  [[nodiscard]] virtual bool takes_number(const void* /*word*/, int /*numbers*/) { return true; }
  /// Cancels a cluster of the grid that has not begun: false where there is none, or a GPU may find none.
  [[nodiscard]] virtual bool cancels_cluster(Index3& /*first*/) { return false; }
  /// Reads whether a cluster was cancelled.
  virtual void learns_of_response(bool /*is_cancelled*/) {}
  /// The thread counts for its CTA: what the CTA's threads did before they used the counter precedes it.
  virtual void counts_for_cta() {}
  /// The thread read a counter of the grid, which may have another value under another schedule.
  virtual void counted(unsigned long long /*value*/) {}
  /// Other threads have run since the thread's last operation began, although it had nothing to wait for.
  virtual void others_ran() {}
  /// For an exploration: lets other threads run until `holds(object)`.
  ///
  /// @param may_throw  whether the thread may leave by an exception, where the run ends
  virtual void await(bool (* /*holds*/)(const void*), const void* /*object*/, bool /*may_throw*/) {}
  /// For an exploration: a hash of what the kernel's stack holds above this frame, and of the registers that the
  /// frame has saved. 0 where it is not asked for.
  [[nodiscard]] virtual std::uint64_t state_above(const CallFrame& /*frame*/) const noexcept { return 0; }
  /// Whether that is: an exploration runs the thread.
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_explored() const noexcept { return is_explored_; }
  /// There also: the thread is about to shuffle, or to synchronize with its warp or its CTA.
  ///
  /// @param code   the address behind the call
  /// @param state  `state_above` it
  virtual void is_about_to_meet(const void* /*code*/, std::uint64_t /*state*/) {}
  /// For a replay that schedules the thread: lets the other threads run, and completes all copies in flight in the CTA.
  virtual void pause() {}
  virtual void finish_copies() {}
  /// Whether a poll returns the true result. Where both results must be correct, it may return false.
  [[nodiscard]] virtual bool polls_truly() { return true; }
  [[nodiscard]] DMA_DETAIL_UNSEEN bool is_watched() const noexcept { return is_watched_; }

  /// Sets the register budget of its role, which the hardware does once for a warp.
  void take_budget() {
    if (has_budget_) {
      detail::refuse(
          "dma::take_roles: a warp acquires its role's registers once in a kernel, and this one has them already; put "
          "all code of its role into one take_roles()");
    }
    has_budget_ = true;
  }
  [[nodiscard]] bool has_budget() const noexcept { return has_budget_; }

  /// This thread's registers that tensor cores may still read or write.
  [[nodiscard]] ProductRegisters& product_registers() noexcept { return product_registers_; }

 protected:
  /// For an emulator of one CTA.
  static void expect_own_cta(const Instruction& instruction) {
    if (instruction.cta != Instruction::own_cta) {
      detail::refuse("dma::host: this emulator has no clusters; run the kernel body by dma::host::launch");
    }
  }
  /// The phase barrier of an instruction.
  [[nodiscard]] void* barrier_of(const Instruction& instruction) {
    return instruction.cta == Instruction::own_cta ? instruction.barrier
                                                   : peer_address(instruction.barrier, instruction.cta);
  }
  void be_watched() noexcept { is_watched_ = true; }
  void be_explored() noexcept { is_explored_ = true; }

 private:
  bool has_budget_ = false;
  bool is_watched_ = false;
  bool is_explored_ = false;
  ProductRegisters product_registers_;
};

/// The emulated thread that is running. Fibers share one variable, so the scheduler sets it at each switch.
inline thread_local EmulatedThread* running_thread = nullptr;

[[nodiscard]] DMA_DETAIL_UNSEEN inline EmulatedThread& this_thread() {
  if (running_thread == nullptr) {
    detail::refuse("dma::host: this thread is not in a CTA; run the kernel body through dma::host::launch");
  }
  return *running_thread;
}

/// The running thread, where a recorder watches it; null where none does, or no thread runs.
[[nodiscard]] DMA_DETAIL_UNSEEN inline EmulatedThread* watched_thread() noexcept {
  return running_thread != nullptr && running_thread->is_watched() ? running_thread : nullptr;
}

}  // namespace dma::inline v0_1::machine
