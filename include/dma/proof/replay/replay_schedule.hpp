#pragma once

#include <dma/host/emulation/cta_emulator.hpp>
#include <dma/proof/replay/schedule.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace dma::inline v0_1::proof::detail {

/// Decides which thread runs next along a schedule. The schedule is over when all moves are made and each thread has
/// stopped before its next move; then the emulator schedules the CTA.
class ReplaySchedule {
 public:
  /// @param end_copies  called for a move that completes copies
  /// @param let_go      called once, when the schedule is over
  ReplaySchedule(const Schedule& schedule, std::function<void(const Move&)> end_copies, std::function<void()> let_go)
      : schedule_(schedule), end_copies_(std::move(end_copies)), let_go_(std::move(let_go)) {}

  /// Begins the next move. Moves that complete copies need no thread.
  void begin() {
    for (; !all_made() && schedule_.moves[now_].is_end_of_copy; ++now_) {
      end_copies_(schedule_.moves[now_]);
    }
    missing_ = all_made() ? 0 : schedule_.moves[now_].lanes;
  }

  [[nodiscard]] const Schedule& schedule() const noexcept { return schedule_; }
  [[nodiscard]] std::size_t move() const noexcept { return now_; }
  [[nodiscard]] bool all_made() const noexcept { return now_ == schedule_.moves.size(); }
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// Whether the thread's warp has the move, and the thread has no part in it or has not done it yet.
  [[nodiscard]] bool is_moving(int rank) const {
    return !all_made() && rank / 32 == schedule_.moves[now_].warp &&
           ((schedule_.moves[now_].lanes & lane_bit(rank)) == 0 || has_part(rank));
  }
  [[nodiscard]] bool has_part(int rank) const { return (missing_ & lane_bit(rank)) != 0; }

  void finish_part(int rank) {
    missing_ &= ~lane_bit(rank);
    if (missing_ == 0) {
      ++now_;
      begin();
    }
  }
  void note_progress() { pauses_ = 0; }
  /// The schedule is over, or cannot be followed, when no thread has progressed for some rounds.
  void note_pause() {
    if (++pauses_ > 4 * schedule_.steps.size()) {
      if (!all_made()) {
        refuse("no thread makes");
      }
      end();
    }
  }
  void note_exit() {
    if (++exits_ == schedule_.steps.size() && !is_over_) {
      if (!all_made()) {
        refuse("the CTA ends before");
      }
      end();
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw host::KernelError(
        "dma::proof::replay: the kernel does not follow the schedule: " + what + " move " + std::to_string(now_) +
        " of " + std::to_string(schedule_.moves.size()) +
        "; replay the kernel that was judged, with the same grid and arguments, and with global memory as it "
        "was then");
  }

 private:
  [[nodiscard]] static unsigned lane_bit(int rank) { return 1U << static_cast<unsigned>(rank % 32); }
  void end() {
    is_over_ = true;
    let_go_();
  }

  const Schedule& schedule_;
  std::function<void(const Move&)> end_copies_;
  std::function<void()> let_go_;
  std::size_t now_ = 0;
  bool is_over_ = false;
  unsigned missing_ = 0;    ///< lanes that still have a part in the move
  std::size_t pauses_ = 0;  ///< since a thread progressed
  std::size_t exits_ = 0;
};

}  // namespace dma::inline v0_1::proof::detail
