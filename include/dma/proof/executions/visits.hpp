#pragma once

#include <dma/proof/executions/known_operations.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Where a thread has been since it has done other things than read, fence and meet others: a loop that comes back to
/// where it was polls. Threads that meet in the loop, by shuffles or by waiting for each other, poll together, where
/// none of them is elsewhere than before their meetings.
class Visits {
 public:
  /// An atomic access, a fence or a meeting, as the thread's stack and registers were before it.
  struct Visit {
    std::uint64_t state = 0;
    const void* code = nullptr;
    int done = 0;         ///< operations before it
    int generation = -1;  ///< meetings before it; -1 where none is known

    friend bool operator==(const Visit& left, const Visit& right) {
      return left.state == right.state && left.code == right.code;
    }
  };
  /// The thread is where it was, with meetings in between: so many before, so many now, and operations before.
  struct CommonPoll {
    int before;
    int now;
    int done;
  };

  void forget() {
    visits_.clear();
    meets_.reset();
    common_poll_.reset();
    generation_ = -1;
  }
  /// Before an atomic access or a fence: since how many of them the thread is where it was; 0 where it is elsewhere, or
  /// has met others since.
  [[nodiscard]] int repeats(Visit now) {
    now.generation = generation_;
    const auto last = now.state == 0 ? visits_.rend() : std::find(visits_.rbegin(), visits_.rend(), now);
    const auto same = last == visits_.rend() ? visits_.end() : std::prev(last.base());
    const bool has_met = same != visits_.end() && same->generation != now.generation;
    if (has_met) {
      common_poll_ = {same->generation, now.generation, same->done};
    }
    const auto again = has_met ? 0 : static_cast<int>(visits_.end() - same);
    visits_.erase(visits_.end() - again, visits_.end());
    visits_.push_back(now);
    return again;
  }
  /// Before threads meet.
  void meet(const KnownOperations::Barrier& barrier, int generation, Visit now) {
    if (now.state == 0 || (meets_ && *meets_ != barrier)) {
      forget();
    }
    for (Visit& visit : visits_) {
      visit.generation = visit.generation < 0 ? generation : visit.generation;
    }
    meets_ = barrier;
    now.generation = generation;
    visits_.push_back(now);
    generation_ = generation + 1;
  }
  /// What the thread has come back to, if the others have: asked for once.
  [[nodiscard]] std::optional<CommonPoll> take_common_poll() { return std::exchange(common_poll_, std::nullopt); }
  /// Whether a thread of the CTA, by rank, meets the thread.
  [[nodiscard]] bool meets(int other) const {
    if (!meets_) {
      return false;
    }
    const auto& [place, warp, mask] = *meets_;
    const bool is_of_cta = place >= 0;
    return is_of_cta || (other / 32 == warp && (mask >> other % 32 & 1U) != 0);
  }
  /// Whether the first visits behind so many meetings are the same.
  [[nodiscard]] bool are_equal(int before, int now) const {
    const auto first = [&](int generation) {
      return std::find_if(visits_.begin(), visits_.end(),
                          [&](const Visit& visit) { return visit.generation == generation; });
    };
    const auto one = first(before);
    const auto other = first(now);
    return one != visits_.end() && other != visits_.end() && *one == *other;
  }

 private:
  std::vector<Visit> visits_;
  std::optional<KnownOperations::Barrier> meets_;  ///< where
  int generation_ = -1;                            ///< of the last of them, and one
  std::optional<CommonPoll> common_poll_;
};

}  // namespace dma::inline v0_1::proof::detail
