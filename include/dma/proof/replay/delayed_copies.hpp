#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The copies of a thread that the emulator has not received yet, with the arrivals and group boundaries between them,
/// in order. To complete one is to pass it to the emulator.
class DelayedCopies {
 public:
  enum class Kind { async, arrival, to_shared, store, end_of_group };

  /// @param began  the move that started the copy
  /// @param issue  passes the copy to the emulator
  void add(Kind kind, std::size_t began, std::function<void()> issue) {
    copies_.push_back({kind, began, std::move(issue)});
  }

  void complete_all() {
    complete_if([](const Copy&) { return true; });
  }
  void complete_async() {
    complete_if([](const Copy& copy) { return copy.kind == Kind::async; });
  }
  /// Completes bulk stores until at most `pending` groups are left.
  void complete_groups(int pending) {
    auto groups =
        std::count_if(copies_.begin(), copies_.end(), [](const Copy& copy) { return copy.kind == Kind::end_of_group; });
    complete_if([&](const Copy& copy) {
      const bool is_due = groups > pending && (copy.kind == Kind::store || copy.kind == Kind::end_of_group);
      groups -= is_due && copy.kind == Kind::end_of_group ? 1 : 0;
      return is_due;
    });
  }
  /// Completes the copies that a move started; for an arrival, all cp.async before it.
  void complete_those_of(std::size_t began) {
    bool is_before_arrival = std::any_of(copies_.begin(), copies_.end(), [&](const Copy& copy) {
      return copy.began == began && copy.kind == Kind::arrival;
    });
    complete_if([&](const Copy& copy) {
      const bool ends = copy.began == began && (copy.kind == Kind::arrival || copy.kind == Kind::to_shared);
      const bool is_due = ends || (is_before_arrival && copy.kind == Kind::async);
      is_before_arrival = is_before_arrival && !ends;
      return is_due;
    });
  }

 private:
  struct Copy {
    Kind kind;
    std::size_t began;
    std::function<void()> issue;
  };

  template <class IsDue>
  void complete_if(const IsDue& is_due) {
    std::vector<Copy> later;
    for (Copy& copy : copies_) {
      if (is_due(copy)) {
        copy.issue();
      } else {
        later.push_back(std::move(copy));
      }
    }
    copies_ = std::move(later);
  }

  std::vector<Copy> copies_;
};

}  // namespace dma::inline v0_1::proof::detail
