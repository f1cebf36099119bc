#pragma once

#include <dma/host/emulation/phase_word.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/machine/host/instruction.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <random>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// The groups of one thread's copies of a kind.
class CopyGroups {
 public:
  /// A copy is issued. Returns its group.
  [[nodiscard]] int add() {
    ++in_open_group_;
    return static_cast<int>(groups_.size());
  }
  void commit() { groups_.push_back(std::exchange(in_open_group_, 0)); }
  void finish_in(int group) {
    const auto index = static_cast<std::size_t>(group);
    --(index < groups_.size() ? groups_[index] : in_open_group_);
  }
  /// Committed groups from the oldest incomplete one on.
  [[nodiscard]] int pending() {
    while (complete_ < groups_.size() && groups_[complete_] == 0) {
      ++complete_;
    }
    return static_cast<int>(groups_.size() - complete_);
  }

 private:
  std::vector<int> groups_;  ///< copies in flight of each committed one, oldest first
  int in_open_group_ = 0;
  std::size_t complete_ = 0;  ///< before the oldest incomplete one, when that was last asked
};

/// The copies of one thread that are in flight: its cp.async, and its bulk stores by group.
struct CopyAccount {
  int async_copies = 0;
  CopyGroups async_groups;
  CopyGroups bulk_groups;
};

/// What a copy moves: `bytes` from `from` to `to`, or a box.
struct CopySides {
  unsigned char* to;
  const unsigned char* from;
  int bytes;
  machine::BoxCopy box;

  [[nodiscard]] static CopySides of(const machine::Instruction& copy) {
    return {copy.to, copy.from, copy.count, copy.own_box()};
  }
  void move() const {
    if (box) {
      box();
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
  }
};

/// The asynchronous copies of a CTA. Each completes some time after it was issued; a seed decides when, and in which
/// order. A limit that ends the thread that issues one leaves the list whole.
class CopiesUnderWay {
 public:
  void copy_async(CopyAccount& account, const machine::Instruction& copy) {
    const RunWatch::Section section;
    ++account.async_copies;
    copies_.push_back({Kind::async, account.async_groups.add(), &account, nullptr, CopySides::of(copy)});
  }
  /// Arrives when the thread's cp.async so far are complete.
  void arrive_when_copied(CopyAccount& account, PhaseWord& word) {
    const RunWatch::Section section;
    copies_.push_back({Kind::arrival, 0, &account, &word, {}});
  }
  /// A bulk copy, whose bytes count at the barrier.
  void bulk_to_shared(CopyAccount& account, const machine::Instruction& copy, PhaseWord& word) {
    const RunWatch::Section section;
    copies_.push_back({Kind::bulk_to_shared, 0, &account, &word, CopySides::of(copy)});
  }
  void bulk_to_global(CopyAccount& account, const machine::Instruction& copy) {
    const RunWatch::Section section;
    copies_.push_back({Kind::bulk_to_global, account.bulk_groups.add(), &account, nullptr, CopySides::of(copy)});
  }

  [[nodiscard]] bool any() const { return !copies_.empty(); }
  [[nodiscard]] bool any_but_stores() const {
    return std::any_of(copies_.begin(), copies_.end(),
                       [](const Copy& copy) { return copy.kind != Kind::bulk_to_global; });
  }

  /// Makes all copies, in the order of issue.
  void make_all() {
    for (const Copy& copy : copies_) {
      make(copy);
    }
    copies_.clear();
  }
  /// Makes about half of the copies, at least one, in a random order.
  void make_some(std::mt19937& random) {
    std::deque<Copy> later;
    std::deque<Copy> now;
    for (const Copy& copy : copies_) {
      (random() % 2 == 0 ? now : later).push_back(copy);
    }
    if (now.empty()) {
      now.swap(later);
    }
    std::shuffle(now.begin(), now.end(), random);
    copies_ = std::move(later);
    std::vector<Copy> arrivals;
    for (const Copy& copy : now) {
      if (copy.kind == Kind::arrival) {
        arrivals.push_back(copy);
      } else {
        make(copy);
      }
    }
    // An arrival follows all cp.async of its thread, those of later tiles too: a late copy delays it.
    for (const Copy& arrival : arrivals) {
      const bool is_held_up = std::any_of(copies_.begin(), copies_.end(), [&](const Copy& copy) {
        return copy.kind == Kind::async && copy.account == arrival.account;
      });
      if (is_held_up) {
        copies_.push_back(arrival);
      } else {
        make(arrival);
      }
    }
  }

 private:
  enum class Kind { async, arrival, bulk_to_shared, bulk_to_global };

  struct Copy {
    Kind kind;
    int group;
    CopyAccount* account;
    PhaseWord* word;
    CopySides sides;
  };

  static void make(const Copy& copy) {
    if (copy.kind != Kind::arrival) {
      copy.sides.move();
    }
    switch (copy.kind) {
      case Kind::async:
        --copy.account->async_copies;
        copy.account->async_groups.finish_in(copy.group);
        break;
      case Kind::arrival:
        copy.word->arrive();
        break;
      case Kind::bulk_to_shared:
        copy.word->expect(-copy.sides.bytes);
        break;
      case Kind::bulk_to_global:
        copy.account->bulk_groups.finish_in(copy.group);
        break;
    }
  }

  std::deque<Copy> copies_;  ///< does not move what it has where it grows, which would keep a limit waiting
};

}  // namespace dma::inline v0_1::host::detail
