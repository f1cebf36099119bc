#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/pending_clusters.hpp>
#include <dma/machine/index3.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace dma::inline v0_1::host::detail {

/// What the CTAs of a grid share: counters in global memory that are zero before it and after it, of which a CTA that
/// takes no part leaves one as it is, and the clusters that have not begun.
class GridCounters {
 public:
  /// One grid runs as long as this object exists.
  ///
  /// @param pending  clusters that may be cancelled; null: all run together
  explicit GridCounters(long long ctas, PendingClusters* pending = nullptr)
      : ctas_(ctas), ctas_left_(ctas), pending_(pending), outer_(std::exchange(running(), this)) {}
  GridCounters(const GridCounters&) = delete;
  GridCounters& operator=(const GridCounters&) = delete;
  ~GridCounters() { running() = outer_; }

  /// The grid that runs, null where CTAs run by themselves.
  [[nodiscard]] static GridCounters*& running() {
    thread_local GridCounters* grid = nullptr;
    return grid;
  }

  /// A thread is about to use a counter.
  ///
  /// @param user  the class or the function that counts
  /// @throw KernelError  it is not zero before the grid
  void use(const void* word, std::size_t bytes, const char* user) {
    const Counter counter{.bytes = bytes, .user = user};
    if (counters_.try_emplace(word, counter).second && value_of(word, bytes) != 0) {
      throw KernelError("dma::" + std::string(user) + ": its counter is " + std::to_string(value_of(word, bytes)) +
                        " before the first CTA counts; set it to zero before the launch, and give each counter to one "
                        "pipeline of one launch at a time");
    }
  }
  /// Whether a CTA takes one more of the numbers that the CTAs of the grid take from a counter, so many in all. The
  /// first CTA to run could take them all: each is given an equal share, at its first call, of those that no CTA has
  /// been given.
  [[nodiscard]] bool takes_number(const void* word, int numbers, Index3 block) {
    Counter& counter = counters_[word];
    const auto [share, is_new] = counter.shares.try_emplace({block.x, block.y, block.z}, 0);
    if (is_new) {
      const long long ctas_to_come = ctas_ - static_cast<long long>(counter.shares.size()) + 1;
      const long long left = std::max(numbers - counter.given, 0LL);
      share->second = (left + ctas_to_come - 1) / ctas_to_come;
      counter.given += share->second;
    }
    return share->second > 0 && share->second-- > 0;
  }
  /// A cluster that runs cancels one that has not begun, if it finds one: its first CTA.
  [[nodiscard]] bool cancel(Index3& first) {
    if (pending_ == nullptr || !pending_->cancel(first)) {
      return false;
    }
    ctas_left_ -= pending_->ctas();
    return true;
  }
  /// A CTA has ended.
  ///
  /// @throw PendingAtExit  it was the last one, and a counter is not zero
  void end_cta() {
    if (--ctas_left_ > 0) {
      return;
    }
    for (const auto& [word, counter] : counters_) {
      if (const std::uint64_t left = value_of(word, counter.bytes); left != 0) {
        throw PendingAtExit("dma::" + std::string(counter.user) + ": its counter is " + std::to_string(left) +
                            " after the last CTA and not zero, because a CTA took no part, so that on a GPU the others "
                            "would wait for it or count it later; let every CTA that is counted take part once");
      }
    }
  }

 private:
  struct Counter {
    std::size_t bytes = 0;
    const char* user = "";
    long long given = 0;                                  ///< numbers that are in a CTA's share
    std::map<std::array<int, 3>, long long> shares = {};  ///< that CTAs have still to take, by their index
  };

  [[nodiscard]] static std::uint64_t value_of(const void* word, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, word, bytes);
    return value;
  }

  long long ctas_;
  long long ctas_left_;
  PendingClusters* pending_;
  GridCounters* outer_;
  std::map<const void*, Counter> counters_;
};

}  // namespace dma::inline v0_1::host::detail
