#pragma once

#include <dma/host/emulation/cta_emulator.hpp>
#include <dma/proof/replay/schedule.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace dma::host {

/// Whose turn it is along a schedule. When all moves are made and nobody has anything left to do before its next one,
/// the CTA goes on by itself.
class ReplaySchedule {
 public:
  /// @param end_copies  of a move that ends some
  /// @param let_go      called once, where the CTA goes on by itself
  ReplaySchedule(const Schedule& schedule, std::function<void(const Move&)> end_copies, std::function<void()> let_go)
      : schedule_(schedule), end_copies_(std::move(end_copies)), let_go_(std::move(let_go)) {}

  /// Of the move that is next. Ends of copies are nobody's move.
  void begin() {
    for (; !all_made() && schedule_.moves[now_].is_end_of_copy; ++now_) {
      end_copies_(schedule_.moves[now_]);
    }
    missing_ = all_made() ? 0 : schedule_.moves[now_].lanes;
  }

  [[nodiscard]] const Schedule& schedule() const noexcept { return schedule_; }
  [[nodiscard]] std::size_t move() const noexcept { return now_; }
  [[nodiscard]] bool all_made() const noexcept { return now_ == schedule_.moves.size(); }
  [[nodiscard]] bool are_over() const noexcept { return are_over_; }
  /// Whether a thread's warp moves, and it has not done its part.
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
  /// Notices when nobody has done anything for some rounds.
  void note_pause() {
    if (++pauses_ > 4 * schedule_.steps.size()) {
      if (!all_made()) {
        refuse("no thread makes");
      }
      end();
    }
  }
  void note_exit() {
    if (++exits_ == schedule_.steps.size() && !are_over_) {
      if (!all_made()) {
        refuse("the CTA ends before");
      }
      end();
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw KernelError("dma::host::replay: the kernel does not follow the schedule: " + what + " move " +
                      std::to_string(now_) + " of " + std::to_string(schedule_.moves.size()) +
                      "; replay the kernel that was judged, with the same grid and arguments, and global memory as it "
                      "was before that");
  }

 private:
  [[nodiscard]] static unsigned lane_bit(int rank) { return 1U << static_cast<unsigned>(rank % 32); }
  void end() {
    are_over_ = true;
    let_go_();
  }

  const Schedule& schedule_;
  std::function<void(const Move&)> end_copies_;
  std::function<void()> let_go_;
  std::size_t now_ = 0;
  bool are_over_ = false;
  unsigned missing_ = 0;    ///< lanes that have not done their part of the move
  std::size_t pauses_ = 0;  ///< since any thread went on
  std::size_t exits_ = 0;
};

}  // namespace dma::host
