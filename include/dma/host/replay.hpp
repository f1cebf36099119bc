#pragma once

#include <dma/cta.hpp>
#include <dma/host/block.hpp>
#include <dma/host/recording.hpp>
#include <dma/host/schedule.hpp>
#include <dma/host/segments.hpp>
#include <dma/host/thread.hpp>
#include <dma/host/verdict.hpp>
#include <dma/index3.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace dma::host {

/// Leads the threads of a CTA along a schedule: a warp goes on when it has a move to make, and what it touches before,
/// it touches then. A copy ends when the schedule has it, or where its own thread waits for it. After the last move all
/// warps go on up to their next ones, before any copy ends that is under way; then the CTA goes on by itself.
class Replayer final : public Watcher {
 public:
  explicit Replayer(const Schedule& schedule) : schedule_(schedule) { begin_move(); }

  static constexpr const char* other_kernel =
      "dma::host::replay: the kernel does not follow the schedule; replay the one that was judged, with the same "
      "arguments, and memory as it was";

  [[nodiscard]] Thread& watch(Thread& thread) override;
  /// Whether all moves of the schedule were made.
  [[nodiscard]] bool all_made() const noexcept { return now_ == schedule_.moves.size(); }

 private:
  class LedThread;

  /// Whether a thread's warp moves, and it has not done its part.
  [[nodiscard]] bool is_moving(int rank) const {
    return !all_made() && rank / 32 == schedule_.moves[now_].warp &&
           ((schedule_.moves[now_].lanes & lane_bit(rank)) == 0 || has_part(rank));
  }
  [[nodiscard]] bool has_part(int rank) const { return (missing_ & lane_bit(rank)) != 0; }
  [[nodiscard]] static unsigned lane_bit(int rank) { return 1U << static_cast<unsigned>(rank % 32); }
  void begin_move();
  void finish_part_of(int rank) {
    missing_ &= ~lane_bit(rank);
    if (missing_ == 0) {
      ++now_;
      begin_move();
    }
  }
  /// Notices when nobody has done anything for some rounds.
  void count_pause() {
    if (++pauses_ > 4 * threads_.size()) {
      if (!all_made()) {
        throw KernelError(other_kernel);
      }
      end();
    }
  }
  void end();

  const Schedule& schedule_;
  std::vector<std::unique_ptr<LedThread>> threads_;
  std::size_t now_ = 0;
  bool is_over_ = false;    ///< the CTA goes on by itself
  unsigned missing_ = 0;    ///< lanes that have not done their part of the move
  std::size_t pauses_ = 0;  ///< since any thread went on
};

class Replayer::LedThread final : public Thread {
 public:
  LedThread(Replayer& replayer, Thread& thread, std::size_t index) : replayer_(replayer), inner_(thread) {
    const Recording& recording = replayer.schedule_.recording;
    const auto& operations = recording.threads[index];
    std::copy_if(operations.begin(), operations.end(), std::back_inserter(steps_), [](const Operation& operation) {
      return SegmentedList::is_step(operation.kind) && !Recording::is_meeting(operation);
    });
    answers_ = recording.answers[index];
    be_watched();
  }

  [[nodiscard]] int rank() const noexcept override { return inner_.rank(); }
  [[nodiscard]] int threads() const noexcept override { return inner_.threads(); }
  [[nodiscard]] Index3 block() const noexcept override { return inner_.block(); }
  [[nodiscard]] Index3 blocks() const noexcept override { return inner_.blocks(); }
  [[nodiscard]] void* shared() const noexcept override { return inner_.shared(); }

  void sync_cta() override {
    arrive(OperationKind::sync);
    inner_.sync_cta();
  }
  void sync_warp() override {
    await_move();
    inner_.sync_warp();
  }
  void shuffle(void* value, std::size_t bytes, int source) override {
    await_move();
    inner_.shuffle(value, bytes, source);
  }
  void barrier_sync(int id, int threads, const Site& site) override {
    arrive(OperationKind::sync);
    inner_.barrier_sync(id, threads, site);
  }
  void barrier_arrive(int id, int threads, const Site& site) override {
    arrive(OperationKind::arrive);
    inner_.barrier_arrive(id, threads, site);
  }

  void slot_filled(const void* slot, int elements) override { inner_.slot_filled(slot, elements); }
  void slot_used(const void* slot, int elements) override { inner_.slot_used(slot, elements); }
  void slot_held(const void* slot, int bytes, bool is_held) override { inner_.slot_held(slot, bytes, is_held); }
  void slot_moving(const void* slot) override { inner_.slot_moving(slot); }
  void slots_gone(const void* storage, int bytes) override { inner_.slots_gone(storage, bytes); }
  void claim_barriers(int first, int count) override { inner_.claim_barriers(first, count); }
  void release_barriers(int first, int count) override { inner_.release_barriers(first, count); }

  void phase_init(void* barrier, int arrivals) override {
    take_turn(OperationKind::open);
    inner_.phase_init(barrier, arrivals);
    finish_part();
  }
  void phase_invalidate(void* barrier) override {
    take_turn(OperationKind::close);
    inner_.phase_invalidate(barrier);
    finish_part();
  }
  void phase_arrive(void* barrier, const Site& site) override {
    if (!std::exchange(is_expecting_, false)) {
      take_turn(OperationKind::phase_arrive);
    }
    inner_.phase_arrive(barrier, site);
    finish_part();
  }
  void phase_wait(void* barrier, unsigned parity, const Site& site) override {
    take_turn(OperationKind::wait);
    inner_.phase_wait(barrier, parity, site);
    finish_part();
  }
  [[nodiscard]] bool phase_is_complete(const void* barrier, unsigned parity) override {
    return next_answer_ < answers_.size() ? answers_[next_answer_++] : inner_.phase_is_complete(barrier, parity);
  }
  void phase_expect(void* barrier, int bytes, const Site& site) override {
    take_turn(OperationKind::expect);
    inner_.phase_expect(barrier, bytes, site);
    if (!is_expecting_) {
      finish_part();
    }
  }
  void phase_arrive_when_copied(void* barrier, const Site& site) override {
    take_turn(OperationKind::arrive_when_copied);
    delay(Kind::arrival, [this, barrier, site] { inner_.phase_arrive_when_copied(barrier, site); });
    finish_part();
  }

  void copy_async(unsigned char* to, const unsigned char* from, int bytes) override {
    await_move();
    delay(Kind::async, [this, to, from, bytes] { inner_.copy_async(to, from, bytes); });
  }
  void wait_for_async_copies() override {
    await_move_or_end();
    make_if([](const Copy& copy) { return copy.kind == Kind::async; });
    inner_.finish_copies();
    inner_.wait_for_async_copies();
  }
  void copy_bulk_to_shared(unsigned char* to, const unsigned char* from, int bytes, void* barrier) override {
    copy_to_shared(bytes, [this, to, from, bytes, barrier] { inner_.copy_bulk_to_shared(to, from, bytes, barrier); });
  }
  void copy_box_to_shared(unsigned char* to, std::function<void()> copy, int bytes, void* barrier) override {
    copy_to_shared(bytes, [this, to, copy, bytes, barrier] { inner_.copy_box_to_shared(to, copy, bytes, barrier); });
  }
  void copy_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) override {
    await_move();
    delay(Kind::store, [this, to, from, bytes] { inner_.copy_bulk_to_global(to, from, bytes); });
  }
  void copy_box_to_global(const unsigned char* from, std::function<void()> copy, int bytes) override {
    await_move();
    delay(Kind::store, [this, from, copy, bytes] { inner_.copy_box_to_global(from, copy, bytes); });
  }
  void commit_bulk_group() override {
    await_move();
    delay(Kind::end_of_group, [this] { inner_.commit_bulk_group(); });
  }
  void wait_for_bulk_groups(int pending) override {
    await_move_or_end();
    auto groups =
        std::count_if(copies_.begin(), copies_.end(), [](const Copy& copy) { return copy.kind == Kind::end_of_group; });
    make_if([&](const Copy& copy) {
      const bool is_due = groups > pending && (copy.kind == Kind::store || copy.kind == Kind::end_of_group);
      groups -= is_due && copy.kind == Kind::end_of_group ? 1 : 0;
      return is_due;
    });
    inner_.finish_copies();
    inner_.wait_for_bulk_groups(pending);
  }
  void finish_copies() override { inner_.finish_copies(); }
  void pause() override { inner_.pause(); }

  void touched(const void*, int, Access) override { await_move(); }
  void exposed(void*, int, int, Access) override { await_move(); }
  [[nodiscard]] bool polls_truly() override { return next_answer_ < answers_.size(); }

  /// Ends the copies that began with a move; an arrival's are all cp.async before it.
  void end_copies(std::size_t began) {
    bool is_before_arrival = std::any_of(copies_.begin(), copies_.end(), [&](const Copy& copy) {
      return copy.began == began && copy.kind == Kind::arrival;
    });
    make_if([&](const Copy& copy) {
      const bool ends = copy.kind != Kind::async && copy.began == began;
      const bool is_due = ends || (is_before_arrival && copy.kind == Kind::async);
      is_before_arrival = is_before_arrival && !ends;
      return is_due;
    });
    inner_.finish_copies();
  }
  /// Leaves all copies to the CTA.
  void let_go() {
    make_if([](const Copy&) { return true; });
  }

 private:
  enum class Kind { async, arrival, to_shared, store, end_of_group };

  /// A copy that the CTA has not been asked for yet, or what belongs between copies.
  struct Copy {
    Kind kind;
    std::size_t began;  ///< with which move
    std::function<void()> ask;
  };

  void delay(Kind kind, std::function<void()> ask) {
    if (replayer_.is_over_) {
      ask();
    } else {
      copies_.push_back({kind, move_, std::move(ask)});
    }
  }
  template <class IsDue>
  void make_if(const IsDue& is_due) {
    std::vector<Copy> later;
    for (Copy& copy : copies_) {
      if (is_due(copy)) {
        copy.ask();
      } else {
        later.push_back(std::move(copy));
      }
    }
    copies_ = std::move(later);
  }

  template <class Condition>
  void pause_until(const Condition& holds) {
    while (!replayer_.is_over_ && !holds() && std::uncaught_exceptions() == 0) {
      replayer_.count_pause();
      inner_.pause();
    }
    replayer_.pauses_ = 0;
  }
  /// Before what is no move: the warp's own affairs.
  void await_move() {
    pause_until([&] { return replayer_.all_made() || replayer_.is_moving(rank()); });
  }
  /// Before a wait for its own copies, which are late after the last move too.
  void await_move_or_end() {
    pause_until([&] { return replayer_.is_moving(rank()); });
  }
  /// Before a move, until the thread has a part in the one that is due.
  void take_turn(OperationKind kind) {
    pause_until([&] { return replayer_.is_moving(rank()) && replayer_.has_part(rank()); });
    if (replayer_.is_over_ || std::uncaught_exceptions() > 0) {
      return;
    }
    // Bytes announced right before an arrival are recorded with it.
    is_expecting_ =
        kind == OperationKind::expect && next_ < steps_.size() && steps_[next_].kind == OperationKind::phase_arrive;
    if (next_ == steps_.size() || (steps_[next_].kind != kind && !is_expecting_)) {
      throw KernelError(Replayer::other_kernel);
    }
    has_turn_ = true;
    move_ = replayer_.now_;
    ++next_;
  }
  void finish_part() {
    if (std::exchange(has_turn_, false)) {
      replayer_.finish_part_of(rank());
    }
  }
  /// It has arrived before anybody else runs.
  void arrive(OperationKind kind) {
    take_turn(kind);
    finish_part();
  }
  /// Copies that follow one another are recorded as one of all their bytes.
  void copy_to_shared(int bytes, std::function<void()> copy) {
    if (bytes_to_come_ == 0) {
      take_turn(OperationKind::copy_to_shared);
      bytes_to_come_ = has_turn_ ? steps_[next_ - 1].count : bytes;
    }
    delay(Kind::to_shared, std::move(copy));
    bytes_to_come_ -= bytes;
    if (bytes_to_come_ == 0) {
      finish_part();
    }
  }

  Replayer& replayer_;
  Thread& inner_;
  std::vector<Operation> steps_;  ///< its parts of moves, as they were recorded
  std::size_t next_ = 0;
  std::vector<bool> answers_;
  std::size_t next_answer_ = 0;
  std::vector<Copy> copies_;
  std::size_t move_ = 0;
  bool has_turn_ = false;
  bool is_expecting_ = false;
  int bytes_to_come_ = 0;
};

inline Thread& Replayer::watch(Thread& thread) {
  threads_.push_back(std::make_unique<LedThread>(*this, thread, threads_.size()));
  return *threads_.back();
}

/// Ends of copies are nobody's move.
inline void Replayer::begin_move() {
  for (; !all_made() && schedule_.moves[now_].is_end_of_copy; ++now_) {
    const Move& move = schedule_.moves[now_];
    for (int lane = 0; lane < 32; ++lane) {
      if ((move.lanes >> static_cast<unsigned>(lane) & 1U) != 0) {
        threads_[static_cast<std::size_t>(move.warp * 32 + lane)]->end_copies(move.began);
      }
    }
  }
  missing_ = all_made() ? 0 : schedule_.moves[now_].lanes;
}

inline void Replayer::end() {
  is_over_ = true;
  for (const auto& thread : threads_) {
    thread->let_go();
  }
}

/// Runs the CTA that a verdict is about along its schedule, the shortest that fails, and then on to its end: where a
/// debugger's breakpoints, or prints, see it happen. Other CTAs of the grid are not run.
///
/// Throws what the kernel throws, a deadlock for one. What fails silently, a race for one, may show in what it writes.
///
/// @param verdict  with a schedule, of `explore` or `prove` with the same kernel, grid and arguments
template <KernelBody Kernel, class... Args>
void replay(const Verdict& verdict, const Kernel& kernel, Index3 grid, Args... args) {
  check_body<Kernel>();
  check_arguments<Kernel>(args...);
  if (verdict.schedule == nullptr) {
    throw KernelError(
        "dma::host::replay: the verdict has no schedule, because the kernel is proved, or its run itself threw, or no "
        "search ended; launch it with the verdict's seed");
  }
  Replayer replayer(*verdict.schedule);
  const BlockShape shape{Kernel::Layout::threads, static_cast<std::size_t>(SharedOf<Kernel>::bytes),
                         verdict.schedule->recording.block, grid};
  Block cta(
      shape,
      [&] {
        KernelCta<Kernel> self;
        kernel(self, args...);
      },
      0, &replayer);
  cta.run();
  if (!replayer.all_made()) {
    throw KernelError(Replayer::other_kernel);
  }
}

}  // namespace dma::host
