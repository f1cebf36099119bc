#pragma once

#include <dma/host/emulation/copies_under_way.hpp>
#include <dma/host/emulation/fiber.hpp>
#include <dma/host/emulation/hidden_slots.hpp>
#include <dma/host/emulation/phase_word.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/index3.hpp>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace dma::host {

/// A kernel that cannot go on, or that used a barrier against its rules; the message says who, where and why.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where an emulated CTA stands and what it has.
struct CtaShape {
  int threads = 0;
  std::size_t shared_bytes = 0;
  Index3 block;
  Index3 blocks;
};

/// One CTA, every thread of it a fiber, all on the thread that calls.
///
/// A thread runs until it has to wait; which one runs next is decided by a seed, so that a run can be repeated. When no
/// thread can go on, the CTA is deadlocked: it says who waits for what and ends.
///
/// Cost    two context switches a wait that has to wait; 1,024 threads are comfortable
class CtaEmulator {
 public:
  /// @param seed  0: threads run in order, round after round; otherwise each round in a random order of this seed's
  /// @param watcher  null where nobody looks at what the threads do
  CtaEmulator(const CtaShape& shape, const std::function<void()>& body, unsigned seed,
              machine::Watcher* watcher = nullptr);

  /// Runs all threads to their end. Throws what a thread threw, or `KernelError`.
  void run();

 private:
  static constexpr int warp_size = 32;
  static constexpr int barrier_count = 16;
  static constexpr std::size_t shared_alignment = 1024;
  static constexpr std::size_t widest_shuffle = 8;

  /// A hardware barrier: generations of a number of arrivals that the first arrival states.
  struct NamedBarrier {
    int expected = 0;
    int arrived = 0;
    unsigned generation = 0;
  };

  struct WarpState {
    NamedBarrier meeting;
    std::array<std::array<unsigned char, widest_shuffle>, warp_size> values;
  };

  /// Thrown in the threads of a CTA that ends early, so that their stacks unwind.
  struct Cancelled {};

  struct SharedMemory {
    struct Free {
      void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{shared_alignment}); }
    };
    std::unique_ptr<void, Free> memory;
  };

  class CtaThread final : public machine::EmulatedThread {
   public:
    CtaThread(CtaEmulator& block, int rank, const std::function<void()>& body)
        : block_(block), rank_(rank), fiber(body) {}

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int threads() const noexcept override { return block_.shape_.threads; }
    [[nodiscard]] Index3 block() const noexcept override { return block_.shape_.block; }
    [[nodiscard]] Index3 blocks() const noexcept override { return block_.shape_.blocks; }
    [[nodiscard]] void* shared() const noexcept override { return block_.shared_.memory.get(); }

    void sync_cta() override { barrier_sync(0, threads(), {.point = machine::Point::cta}); }
    void sync_warp() override {
      if (!is_unwinding()) {
        NamedBarrier& meeting = block_.warps_[warp()].meeting;
        meeting.expected = warp_size;
        meet(meeting, {machine::Who::lanes, machine::Point::warp});
      }
    }
    void shuffle(void* value, std::size_t bytes, int source) override;

    void barrier_sync(int id, int threads, const machine::Site& site) override {
      if (!is_unwinding()) {
        meet(block_.named(id, threads, site), site);
      }
    }
    void barrier_arrive(int id, int threads, const machine::Site& site) override {
      if (!is_unwinding()) {
        block_.arrive(block_.named(id, threads, site));
      }
    }

    void slot_filled(const void* slot, int elements) override { block_.filled_slots_[slot] = elements; }
    void slot_used(const void* slot, int elements) override;
    void slot_held(const void* slot, int bytes, bool is_held) override;
    void slot_moving(const void* slot) override;
    void slots_gone(const void* storage, int bytes) override { hidden.show_all_within(storage, bytes); }

    void claim_barriers(int first, int count) override;
    void release_barriers(int first, int count) override;

    void phase_init(void* barrier, int arrivals) override;
    void phase_invalidate(void* barrier) override;
    void phase_arrive(void* barrier, const machine::Site& site) override;
    void phase_wait(void* barrier, unsigned parity, const machine::Site& site) override;
    [[nodiscard]] bool phase_is_complete(const void* barrier, unsigned awaited) override {
      return static_cast<const PhaseWord*>(barrier)->has_completed(awaited);
    }
    void phase_expect(void* barrier, int bytes, const machine::Site& site) override;
    void phase_arrive_when_copied(void* barrier, const machine::Site& site) override;

    void copy_async(unsigned char* to, const unsigned char* from, int bytes) override {
      block_.copies_.copy_async(account_, to, from, bytes);
    }
    void wait_for_async_copies() override;
    void copy_bulk_to_shared(unsigned char* to, const unsigned char* from, int bytes, void* barrier) override {
      block_.copies_.bulk_to_shared(account_, to, from, bytes,
                                    block_.open_word(barrier, {machine::Who::bulk_copies, machine::Point::full}));
    }
    void copy_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) override {
      block_.copies_.bulk_to_global(account_, to, from, bytes);
    }
    void copy_box_to_shared(unsigned char*, machine::BoxCopy copy, int bytes, void* barrier) override {
      block_.copies_.box_to_shared(account_, std::move(copy), bytes,
                                   block_.open_word(barrier, {machine::Who::bulk_copies, machine::Point::full}));
    }
    void copy_box_to_global(const unsigned char*, machine::BoxCopy copy, int) override {
      block_.copies_.box_to_global(account_, std::move(copy));
    }
    void commit_bulk_group() override { CopiesUnderWay::commit_bulk_group(account_); }
    void wait_for_bulk_groups(int pending) override;
    /// On whatever thread's stack it is called: copies touch slots that are hidden from that thread.
    void finish_copies() override {
      block_.running_->hidden.end();
      block_.copies_.make_all();
      block_.running_->hidden.begin();
    }
    void pause() override {
      fiber.suspend();
      if (block_.is_cancelled_) {
        throw Cancelled{};
      }
    }

    /// Whether what the thread waits for has happened.
    [[nodiscard]] bool can_go_on() const {
      return waits_for_meeting != nullptr ? waits_for_meeting->generation != generation
             : waits_for_phase != nullptr ? waits_for_phase->has_completed(parity)
             : waits_for_async_           ? account_.async_copies == 0
                                          : account_.pending_groups() <= most_groups_;
    }

   private:
    [[nodiscard]] std::size_t warp() const noexcept { return static_cast<std::size_t>(rank_ / warp_size); }
    void meet(NamedBarrier& barrier, const machine::Site& site);
    void wait(const machine::Site& site);

    /// Barriers keep to their rules only while nothing is thrown: a stack that unwinds passes them by.
    [[nodiscard]] static bool is_unwinding() { return std::uncaught_exceptions() > 0; }

    CtaEmulator& block_;
    int rank_;
    std::bitset<barrier_count> claimed_;
    std::set<const void*> held_;
    CopyAccount account_;
    bool waits_for_async_ = false;
    int most_groups_ = std::numeric_limits<int>::max();  ///< bulk groups that may be pending for the thread to go on

   public:
    Fiber fiber;
    HiddenSlots hidden;
    machine::EmulatedThread* seen = this;  ///< what the kernel sees of it
    machine::Site site;
    const NamedBarrier* waits_for_meeting = nullptr;
    unsigned generation = 0;
    const PhaseWord* waits_for_phase = nullptr;
    unsigned parity = 0;
  };

  NamedBarrier& named(int id, int threads, const machine::Site& site);
  void arrive(NamedBarrier& barrier);
  PhaseWord& open_word(void* barrier, const machine::Site& site) const;

  /// One turn for each thread that can go on. False when none could.
  bool run_round();
  void resume(CtaThread& thread);
  /// Unwinds every thread that has not finished.
  void cancel();
  void expect_nothing_armed() const;
  [[nodiscard]] std::string where() const;
  [[nodiscard]] std::string who_waits() const;

  CtaShape shape_;
  SharedMemory shared_;
  std::array<NamedBarrier, barrier_count> named_barriers_{};
  std::vector<WarpState> warps_;
  std::vector<std::unique_ptr<CtaThread>> threads_;
  std::vector<CtaThread*> order_;
  std::map<const void*, int> filled_slots_;                ///< elements of the tile that each slot was last filled with
  std::map<const PhaseWord*, machine::Site> phase_words_;  ///< open ones, with who arrived last
  CopiesUnderWay copies_;
  std::mt19937 random_;
  bool shuffles_;
  bool is_cancelled_ = false;
  CtaThread* running_ = nullptr;
};

inline CtaEmulator::CtaEmulator(const CtaShape& shape, const std::function<void()>& body, unsigned seed,
                                machine::Watcher* watcher)
    : shape_(shape),
      shared_{std::unique_ptr<void, SharedMemory::Free>(
          ::operator new (std::max<std::size_t>(shape.shared_bytes, 1), std::align_val_t{shared_alignment}))},
      warps_(static_cast<std::size_t>(shape.threads / warp_size)),
      random_(seed),
      shuffles_(seed != 0) {
  // What a kernel reads before it wrote it is not zero on a GPU either.
  std::memset(shared_.memory.get(), 0xa5, shape.shared_bytes);
  for (int rank = 0; rank < shape.threads; ++rank) {
    threads_.push_back(std::make_unique<CtaThread>(*this, rank, body));
    order_.push_back(threads_.back().get());
    if (watcher != nullptr) {
      threads_.back()->seen = &watcher->watch(*threads_.back());
    }
  }
}

inline void CtaEmulator::run() {
  while (run_round()) {
  }
  const bool left_copies = copies_.any();
  std::string deadlock = who_waits();
  std::exception_ptr error;
  for (const auto& thread : threads_) {
    error = error ? error : thread->fiber.error();
  }
  cancel();
  if (error) {
    std::rethrow_exception(error);
  }
  if (!deadlock.empty()) {
    throw KernelError("dma::host::launch: deadlock in block " + where() + ", where no thread can go on:" + deadlock);
  }
  if (left_copies) {
    throw KernelError("dma::host::launch: block " + where() +
                      " ended while asynchronous copies were under way; wait for them, or take every tile");
  }
  expect_nothing_armed();
}

inline bool CtaEmulator::run_round() {
  if (shuffles_) {
    std::shuffle(order_.begin(), order_.end(), random_);
  }
  bool any_ran = false;
  bool any_left = false;
  for (CtaThread* thread : order_) {
    if (!thread->fiber.is_finished() && thread->can_go_on()) {
      resume(*thread);
      any_ran = true;
      if (thread->fiber.error()) {
        return false;
      }
    }
    any_left = any_left || !thread->fiber.is_finished();
  }
  // What the last thread leaves under way has nobody who waits for it.
  if (any_left && copies_.any()) {
    if (shuffles_) {
      copies_.make_some(random_);
    } else {
      copies_.make_all();
    }
    any_ran = true;
  }
  return any_ran;
}

inline void CtaEmulator::resume(CtaThread& thread) {
  machine::EmulatedThread* const outer = std::exchange(machine::running_thread, thread.seen);
  running_ = &thread;
  thread.hidden.begin();
  thread.fiber.resume();
  thread.hidden.end();
  machine::running_thread = outer;
}

inline void CtaEmulator::cancel() {
  is_cancelled_ = true;
  for (const auto& thread : threads_) {
    while (thread->fiber.is_started() && !thread->fiber.is_finished()) {
      resume(*thread);
    }
  }
}

inline std::string CtaEmulator::where() const {
  std::ostringstream text;
  text << '(' << shape_.block.x << ", " << shape_.block.y << ", " << shape_.block.z << ')';
  return text.str();
}

/// Those who wait, one line for all that wait for the same; empty when none does.
inline std::string CtaEmulator::who_waits() const {
  std::map<std::string, std::vector<int>> waiting;
  for (const auto& thread : threads_) {
    if (!thread->fiber.is_finished() && !thread->can_go_on()) {
      const machine::Site& site = thread->site;
      std::ostringstream text;
      text << machine::name_of(site.who) << " wait for " << machine::name_of(site.point);
      if (site.stage >= 0) {
        text << ", slot " << site.stage << " of " << machine::readable(site.pipeline);
      }
      waiting[text.str()].push_back(thread->rank());
    }
  }
  std::string lines;
  for (const auto& [what, ranks] : waiting) {
    std::ostringstream text;
    text << "\n  threads " << ranks.front() << " to " << ranks.back() << " (" << ranks.size() << " of them): " << what;
    lines += text.str();
  }
  return lines;
}

/// At the end of a CTA nobody may still be expected anywhere: the barrier's next user would meet a stranger's arrival.
inline void CtaEmulator::expect_nothing_armed() const {
  for (std::size_t id = 0; id < named_barriers_.size(); ++id) {
    if (named_barriers_[id].arrived != 0) {
      std::ostringstream text;
      text << "dma::host::launch: block " << where() << " ended with named barrier " << id
           << " armed: " << named_barriers_[id].arrived << " of " << named_barriers_[id].expected
           << " threads had arrived";
      throw KernelError(text.str());
    }
  }
  for (const auto& [word, site] : phase_words_) {
    if (word->is_armed()) {
      std::ostringstream text;
      text << "dma::host::launch: block " << where()
           << " ended with a phase barrier armed: " << word->expected - word->pending << " of " << word->expected
           << " arrivals, " << word->units * PhaseWord::unit_bytes << " bytes to come, the last by "
           << machine::name_of(site.who) << " for " << machine::name_of(site.point) << ", slot " << site.stage << " of "
           << machine::readable(site.pipeline);
      throw KernelError(text.str());
    }
  }
}

inline CtaEmulator::NamedBarrier& CtaEmulator::named(int id, int threads, const machine::Site& site) {
  if (id < 0 || id >= barrier_count || threads <= 0 || threads % warp_size != 0 || threads > shape_.threads) {
    throw KernelError("dma::host: " + std::string(machine::name_of(site.who)) +
                      " use a named barrier that is not one of 16, or with a number "
                      "of threads that is not a multiple of 32 within the CTA");
  }
  NamedBarrier& barrier = named_barriers_[static_cast<std::size_t>(id)];
  if (barrier.arrived == 0) {
    barrier.expected = threads;
  } else if (barrier.expected != threads) {
    throw KernelError("dma::host: threads that meet at named barrier " + std::to_string(id) +
                      " disagree on their number: " + std::to_string(barrier.expected) + " and " +
                      std::to_string(threads) + " (" + machine::name_of(site.who) + ")");
  }
  return barrier;
}

inline void CtaEmulator::arrive(NamedBarrier& barrier) {
  if (++barrier.arrived == barrier.expected) {
    barrier.arrived = 0;
    ++barrier.generation;
  }
}

inline PhaseWord& CtaEmulator::open_word(void* barrier, const machine::Site& site) const {
  auto& word = *static_cast<PhaseWord*>(barrier);
  if (!word.is_open()) {
    throw KernelError("dma::host: " + std::string(machine::name_of(site.who)) +
                      " use a phase barrier that is not open: construct the "
                      "pipeline before the roles part, and close it after the last tile");
  }
  return word;
}

inline void CtaEmulator::CtaThread::meet(NamedBarrier& barrier, const machine::Site& where) {
  generation = barrier.generation;
  block_.arrive(barrier);
  waits_for_meeting = &barrier;
  wait(where);
  waits_for_meeting = nullptr;
}

/// Lets others run until what this thread waits for has happened.
inline void CtaEmulator::CtaThread::wait(const machine::Site& where) {
  site = where;
  while (!can_go_on()) {
    if (block_.is_cancelled_) {
      throw Cancelled{};
    }
    fiber.suspend();
  }
}

inline void CtaEmulator::CtaThread::shuffle(void* value, std::size_t bytes, int source) {
  WarpState& state = block_.warps_[warp()];
  std::memcpy(state.values[static_cast<std::size_t>(rank_ % warp_size)].data(), value, bytes);
  sync_warp();
  std::memcpy(value, state.values[static_cast<unsigned>(source) % warp_size].data(), bytes);
  sync_warp();
}

inline void CtaEmulator::CtaThread::slot_used(const void* slot, int elements) {
  // Filled by the explicit calls, a slot has no size to compare with.
  const auto filled = block_.filled_slots_.find(slot);
  if (filled != block_.filled_slots_.end() && filled->second != elements) {
    throw KernelError("dma::host: a slot was filled with a tile of " + std::to_string(filled->second) +
                      " elements and is "
                      "used as one of " +
                      std::to_string(elements) +
                      "; name the same tile on both sides: load(source, "
                      "tile) and wait(tile)");
  }
}

inline void CtaEmulator::CtaThread::slot_held(const void* slot, int bytes, bool is_held) {
  if (is_held) {
    held_.insert(slot);
    hidden.show(slot);
  } else {
    held_.erase(slot);
    hidden.hide(slot, bytes);
  }
}

inline void CtaEmulator::CtaThread::slot_moving(const void* slot) {
  if (held_.contains(slot)) {
    throw KernelError(
        "dma::host: a thread moves a tile into or out of a slot that it still holds; release the slot first");
  }
  hidden.show(slot);
}

inline void CtaEmulator::CtaThread::claim_barriers(int first, int count) {
  for (int id = first; id < first + count; ++id) {
    if (claimed_.test(static_cast<std::size_t>(id))) {
      throw KernelError("dma::host: two pipelines of a kernel use named barrier " + std::to_string(id) +
                        " at a time, because they use the same DMA group; give each its own (FirstGroup), or use "
                        "dma::CudaBarrier");
    }
    claimed_.set(static_cast<std::size_t>(id));
  }
}

inline void CtaEmulator::CtaThread::release_barriers(int first, int count) {
  for (int id = first; id < first + count; ++id) {
    claimed_.reset(static_cast<std::size_t>(id));
  }
}

inline void CtaEmulator::CtaThread::phase_init(void* barrier, int arrivals) {
  auto& word = *static_cast<PhaseWord*>(barrier);
  if (word.is_open()) {
    throw KernelError(
        "dma::host: a phase barrier is opened again in place; close() the pipeline that had this storage first");
  }
  const auto count = static_cast<std::uint16_t>(arrivals);
  word = {PhaseWord::open_mark, 0, count, count, 0};
  block_.phase_words_[&word] = {};
}

inline void CtaEmulator::CtaThread::phase_invalidate(void* barrier) {
  auto& word = block_.open_word(barrier, {});
  word.mark = 0;
  block_.phase_words_.erase(&word);
}

inline void CtaEmulator::CtaThread::phase_arrive(void* barrier, const machine::Site& where) {
  if (is_unwinding()) {
    return;
  }
  auto& word = block_.open_word(barrier, where);
  block_.phase_words_[&word] = where;
  word.arrive();
}

inline void CtaEmulator::CtaThread::phase_wait(void* barrier, unsigned awaited, const machine::Site& where) {
  if (is_unwinding()) {
    return;
  }
  waits_for_phase = &block_.open_word(barrier, where);
  parity = awaited;
  wait(where);
  waits_for_phase = nullptr;
}

inline void CtaEmulator::CtaThread::phase_expect(void* barrier, int bytes, const machine::Site& where) {
  if (!is_unwinding()) {
    block_.open_word(barrier, where).expect(bytes);
  }
}

inline void CtaEmulator::CtaThread::phase_arrive_when_copied(void* barrier, const machine::Site& where) {
  if (is_unwinding()) {
    return;
  }
  block_.copies_.arrive_when_copied(account_, block_.open_word(barrier, where));
}

inline void CtaEmulator::CtaThread::wait_for_async_copies() {
  if (is_unwinding()) {
    return;
  }
  waits_for_async_ = true;
  wait({.point = machine::Point::async_copies});
  waits_for_async_ = false;
}

inline void CtaEmulator::CtaThread::wait_for_bulk_groups(int pending) {
  if (is_unwinding()) {
    return;
  }
  most_groups_ = pending;
  wait({.point = machine::Point::bulk_copies});
  most_groups_ = std::numeric_limits<int>::max();
}

}  // namespace dma::host
