#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <string>

namespace dma::inline v0_1::host::detail {

/// An operation that all lanes of a warp do together.
struct WarpStep {
  enum class Kind : unsigned char {
    sync_warp,
    shuffle,
    elect,
    barrier_sync,
    barrier_arrive,
    sync_cluster,
    commit_reads,
    await_reads,
    load_tensor,
    await_loads,
    store_tensor,
    await_stores
  };

  Kind kind;
  int barrier = 0;                 ///< a named one
  int threads = 0;                 ///< of that barrier, or the groups of reads that may be pending
  machine::SourceLocation caller;  ///< without a line where that is not known

  /// Whether two lanes do the same. One at two places of the source is two instructions, which lanes that are not
  /// converged execute; they may do so to synchronize or to shuffle. What the end of a scope does is in the place where
  /// the scope began, and no call there is.
  [[nodiscard]] bool is_same(const WarpStep& other) const {
    const bool may_be_apart = kind == Kind::sync_warp || kind == Kind::shuffle;
    return kind == other.kind && barrier == other.barrier && threads == other.threads &&
           (may_be_apart || caller.line() == 0 || other.caller.line() == 0 ||
            (is_on_line_of(other) && caller.column() == other.caller.column() &&
             caller.is_of_scope() == other.caller.is_of_scope()));
  }
  [[nodiscard]] bool is_on_line_of(const WarpStep& other) const {
    return caller.line() == other.caller.line() &&
           (caller.file() == other.caller.file() || std::strcmp(caller.file(), other.caller.file()) == 0);
  }
  /// Whether the instruction is `.aligned` and does not converge the lanes itself. `__syncthreads` is the compiler's,
  /// which converges them for it; the others wait for all lanes.
  [[nodiscard]] bool needs_converged_lanes() const {
    return barrier != 0 && (kind == Kind::barrier_sync || kind == Kind::barrier_arrive);
  }
  /// @param with_column  for a step that another one on its line is compared with
  [[nodiscard]] std::string text(bool with_column = false) const {
    std::string line = source_line(caller);
    if (with_column) {
      line += ':';
      line += std::to_string(caller.column());
    }
    return name() + (caller.line() == 0 ? "" : (caller.is_of_scope() ? " at the end of a scope (" : " (") + line + ")");
  }

 private:
  [[nodiscard]] std::string name() const {
    switch (kind) {
      case Kind::sync_warp:
        return "sync_warp()";
      case Kind::shuffle:
        return "shuffle()";
      case Kind::elect:
        return "elect()";
      case Kind::barrier_sync:
        return barrier == 0 ? "cta.sync()" : "a wait at named barrier " + std::to_string(barrier);
      case Kind::barrier_arrive:
        return "an arrival at named barrier " + std::to_string(barrier);
      case Kind::sync_cluster:
        return "cta.cluster_sync()";
      case Kind::commit_reads:
        return "AsyncReads::commit()";
      case Kind::await_reads:
        return "AsyncReads::wait<" + std::to_string(threads) + ">()";
      case Kind::load_tensor:
        return "a load of tensor memory";
      case Kind::await_loads:
        return "a wait for loads of tensor memory";
      case Kind::store_tensor:
        return "a store to tensor memory";
      case Kind::await_stores:
        return "a wait for stores to tensor memory";
    }
    return "";
  }
};

/// Whether the lanes of a warp are converged where instructions need it: all of them do the same such steps, in the
/// same order. Lanes that do not do one of them, or do it elsewhere, are in another branch.
///
/// Lanes that do the same may do it at different times. They may be apart after a wait for a phase, which each does by
/// itself, after loops of different lengths, and in the kernel's own code, until an instruction waits for all of them:
/// `sync_warp`, `shuffle`, `elect`, a barrier, or those of tensor cores, which are `.sync.aligned`.
///
/// Source  PTX ISA: barrier.cta `.aligned`, elect.sync, shfl.sync, bar.warp.sync, wgmma.commit_group
class Convergence {
 public:
  static constexpr int lanes = 32;

  explicit Convergence(int warp = 0) : warp_(warp) {}

  /// A lane goes on by itself: `why` is what it has done since the lanes were together.
  void part(int lane, const char* why) { lanes_[index(lane)].parted_by = why; }
  /// A lane has accessed global memory, or copied.
  void count_access(int lane) { ++lanes_[index(lane)].accesses; }
  /// The kernel calls a function that its caller promises to call with converged lanes.
  void assume_converged(int lane) {
    lanes_[index(lane)].parted_by = nullptr;
    lanes_[index(lane)].accesses = 0;
  }

  /// @throw UnconvergedLanes  another lane has done another step in its place, or has ended, or the lanes may be apart
  void step(int lane, const WarpStep& now) {
    if (has_failed_) {
      return;
    }
    const std::size_t at = lanes_[index(lane)].done++ - forgotten_;
    if (at == steps_.size()) {
      if (ended_ != 0) {
        report(mask_text(ended_) + " ended before " + mask_text(bit(lane)) + " came to " + now.text());
      }
      steps_.push_back({now, 0, lane, lanes_[index(lane)].accesses});
    }
    Done& done = steps_[at];
    if (!done.step.is_same(now)) {
      fail_parted(lane, done, now);
    }
    if (now.needs_converged_lanes()) {
      expect_together(lane, done);
    }
    assume_converged(lane);
    done.by |= bit(lane);
    while (!steps_.empty() && steps_.front().by == all) {
      steps_.pop_front();
      ++forgotten_;
    }
  }
  /// A lane has returned from the kernel.
  ///
  /// @throw UnconvergedLanes  other lanes have done a step that it has not
  void end(int lane) {
    const std::size_t at = lanes_[index(lane)].done - forgotten_;
    if (!has_failed_ && at < steps_.size()) {
      report(mask_text(bit(lane)) + " ended before " + mask_text(steps_[at].by) + " came to " + steps_[at].step.text());
    }
    ended_ |= bit(lane);
  }

 private:
  static constexpr unsigned all = 0xffffffffU;
  struct Done {
    WarpStep step;
    unsigned by;               ///< which lanes
    int first;                 ///< of these
    std::size_t its_accesses;  ///< since the step before
  };
  struct Lane {
    std::size_t done = 0;             ///< steps
    const char* parted_by = nullptr;  ///< since the last one; null where it is together with the others
    std::size_t accesses = 0;         ///< since then
  };

  [[nodiscard]] static std::size_t index(int lane) { return static_cast<std::size_t>(lane); }
  [[nodiscard]] static unsigned bit(int lane) { return 1U << static_cast<unsigned>(lane); }
  void expect_together(int lane, const Done& done) {
    const char* const why = lanes_[index(lane)].parted_by;
    const std::size_t accesses = lanes_[index(lane)].accesses;
    if (why != nullptr) {
      fail_apart(done.step, why);
    }
    if (accesses != done.its_accesses) {
      fail_apart(done.step, "lane " + std::to_string(done.first) + " made " + std::to_string(done.its_accesses) +
                                " accesses and lane " + std::to_string(lane) + " " + std::to_string(accesses));
    }
  }
  [[noreturn]] void fail_parted(int lane, const Done& done, const WarpStep& now) {
    const bool with_columns = done.step.is_on_line_of(now);
    const bool any_is_of_scope = done.step.caller.is_of_scope() || now.caller.is_of_scope();
    const bool any_is_barrier =
        done.step.kind == WarpStep::Kind::barrier_sync || now.kind == WarpStep::Kind::barrier_sync;
    report(mask_text(done.by) + " came to " + done.step.text(with_columns) + " where " + mask_text(bit(lane)) +
               " came to " + now.text(with_columns),
           any_is_of_scope && !any_is_barrier ? "; call release() or pass() in one place that all lanes come to"
                                              : "; move it out of the branch, or give the other lanes the same");
  }
  [[noreturn]] void report(const std::string& what,
                           const char* remedy = "; move it out of the branch, or give the other lanes the same") {
    has_failed_ = true;
    throw UnconvergedLanes("dma::host: the lanes of warp " + std::to_string(warp_) + " are not converged: " + what +
                           ", which all 32 lanes of a warp do together" + remedy);
  }
  [[noreturn]] void fail_apart(const WarpStep& step, const std::string& why) {
    has_failed_ = true;
    throw UnconvergedLanes("dma::host: the lanes of warp " + std::to_string(warp_) + " may not be converged at " +
                           step.text() + ": " + why +
                           " since the warp last synchronized; call sync_warp() before the barrier");
  }
  /// "lane 5", "lanes 0 to 15", "lanes 0, 2, 4".
  [[nodiscard]] static std::string mask_text(unsigned mask) {
    int first = 0;
    while ((mask & bit(first)) == 0) {
      ++first;
    }
    int behind = first;
    while (behind < lanes && (mask & bit(behind)) != 0) {
      ++behind;
    }
    if (mask == bit(first)) {
      return "lane " + std::to_string(first);
    }
    std::string text = "lanes " + std::to_string(first);
    if (behind == lanes || (mask >> static_cast<unsigned>(behind)) == 0) {
      return text + " to " + std::to_string(behind - 1);
    }
    for (int lane = first + 1; lane < lanes; ++lane) {
      text += (mask & bit(lane)) != 0 ? ", " + std::to_string(lane) : "";
    }
    return text;
  }

  int warp_;
  std::deque<Done> steps_;     ///< that some lanes have done and others not yet
  std::size_t forgotten_ = 0;  ///< steps before those
  std::array<Lane, lanes> lanes_{};
  unsigned ended_ = 0;
  bool has_failed_ = false;
};

}  // namespace dma::inline v0_1::host::detail
