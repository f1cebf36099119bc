#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/synchronization.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// The causality order of an execution, and whether its axioms hold (PTX ISA, "Causality Order", "Coherence",
/// "Causality", "Fence-SC"): of the orders of `fence.sc` it needs one that contradicts nothing.
///
/// Of two morally strong fences the order is fixed where the other one contradicts. What is left can be in any order
/// that has no circle, if all fences are morally strong with each other. Where they are not, such an order is taken to
/// be one: that may add an execution, and leaves none out.
///
/// An event's clock has for each thread how many of its events are before it in base causality order, itself included.
class Causality {
 public:
  explicit Causality(const Places& places) : places_(places), synchronization_(places) {}

  /// False where the axioms do not hold.
  [[nodiscard]] bool find(const Graph& graph) {
    graph_ = &graph;
    width_ = static_cast<std::size_t>(graph.threads());
    synchronization_.find(graph);
    find_visible();
    fences_.clear();
    for (int event = 0; event < graph.size(); ++event) {
      if (graph.at(event).kind == Event::Kind::fence && graph.at(event).order == Order::sc) {
        fences_.push_back(event);
      }
    }
    fence_order_.clear();
    return order_fences();
  }

  /// Base causality order.
  [[nodiscard]] bool precedes(int one, int other) const {
    const Event& it = graph_->at(one);
    return one != other && clock(other)[it.thread] > it.number;
  }
  /// Causality order of accesses. A read-modify-write is one operation.
  [[nodiscard]] bool causes(int one, int other) const {
    if (precedes(one, other)) {
      return true;
    }
    const Event& it = graph_->at(one);
    if (it.is_read()) {
      return it.writes && causes_written(one, other);
    }
    return it.is_write() && is_seen_before(one, other);
  }
  [[nodiscard]] const Synchronization& synchronization() const { return synchronization_; }
  /// Pairs of `fence.sc` of which the first is before the other in each order that contradicts nothing. Where two
  /// operations are not ordered by these, there is such an order in which they are not.
  [[nodiscard]] const std::vector<std::pair<int, int>>& fence_order() const { return fence_order_; }

 private:
  static constexpr int never = std::numeric_limits<int>::max();

  [[nodiscard]] const int* clock(int event) const { return clocks_.data() + static_cast<std::size_t>(event) * width_; }

  [[nodiscard]] bool causes_written(int read, int other) const {
    const Event& it = graph_->at(read);
    const std::vector<int>& mine = graph_->of_thread(it.thread);
    const auto next = static_cast<std::size_t>(it.number) + 1;
    return next < mine.size() && causes(mine[next], other);
  }
  /// Whether what observes a write precedes an event.
  [[nodiscard]] bool is_seen_before(int write, int other) const {
    for (const int reader : readers_[static_cast<std::size_t>(write)]) {
      const Event& it = graph_->at(reader);
      if (!places_.are_morally_strong(graph_->at(write), it)) {
        continue;
      }
      if (reader != other && clock(other)[it.thread] > it.number) {
        return true;
      }
      if (it.is_sum ? is_seen_before(reader, other) : it.writes && is_seen_before_by_write(it, other)) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool is_seen_before_by_write(const Event& read, int other) const {
    const std::vector<int>& mine = graph_->of_thread(read.thread);
    const auto next = static_cast<std::size_t>(read.number) + 1;
    return next < mine.size() && is_seen_before(mine[next], other);
  }

  /// Who reads each write, and for each place in a location's order what is visible from there on: the first event of
  /// each thread among the writes from that place on and the reads that observe them.
  void find_visible() {
    const auto size = static_cast<std::size_t>(graph_->size());
    if (readers_.size() < size) {
      readers_.resize(size);
    }
    for (std::size_t event = 0; event < size; ++event) {
      readers_[event].clear();
    }
    place_.assign(size, -1);
    std::size_t rows = 0;
    first_row_.clear();
    for (int location = 0; location < graph_->locations(); ++location) {
      first_row_.push_back(rows);
      rows += graph_->writes(location).size() + 1;
    }
    for (int event = 0; event < graph_->size(); ++event) {
      const Event& it = graph_->at(event);
      if ((it.is_read() || it.is_sum) && it.from >= 0) {
        readers_[static_cast<std::size_t>(it.from)].push_back(event);
      }
    }
    visible_.assign(rows * width_, never);
    for (int location = 0; location < graph_->locations(); ++location) {
      find_visible_of(location);
    }
  }
  void find_visible_of(int location) {
    const std::vector<int>& writes = graph_->writes(location);
    for (std::size_t place = writes.size(); place-- > 0;) {
      int* const row = visible_.data() + (first_row_[static_cast<std::size_t>(location)] + place) * width_;
      std::copy_n(row + width_, width_, row);
      const int write = writes[place];
      place_[static_cast<std::size_t>(write)] = static_cast<int>(place);
      const auto see = [&](const Event& it) { row[it.thread] = std::min(row[it.thread], it.number); };
      see(graph_->at(write));
      for (const int reader : readers_[static_cast<std::size_t>(write)]) {
        if (places_.are_morally_strong(graph_->at(reader), graph_->at(write))) {
          see(graph_->at(reader));
        }
      }
    }
  }
  /// What is behind an access in communication order, with what observes that.
  [[nodiscard]] const int* visible_behind(const Event& it, int event) const {
    const int write = it.is_write() ? event : it.from;
    const std::size_t place = write < 0 ? 0 : static_cast<std::size_t>(place_[static_cast<std::size_t>(write)]) + 1;
    return visible_.data() + (first_row_[static_cast<std::size_t>(it.location)] + place) * width_;
  }

  /// False where base causality order has a circle.
  bool find_clocks() {
    const auto size = static_cast<std::size_t>(graph_->size());
    clocks_.assign(size * width_, 0);
    done_.assign(size, false);
    next_.assign(width_, 0);
    std::size_t count = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t thread = 0; thread < width_; ++thread) {
        const std::vector<int>& mine = graph_->of_thread(static_cast<int>(thread));
        for (; next_[thread] < mine.size() && find_clock(mine[next_[thread]]); ++next_[thread], ++count) {
          moved = true;
        }
      }
    }
    return count == size;
  }
  bool find_clock(int event) {
    int* const mine = clocks_.data() + static_cast<std::size_t>(event) * width_;
    const auto take = [&](int before) {
      const int* const other = clock(before);
      for (std::size_t thread = 0; thread < width_; ++thread) {
        mine[thread] = std::max(mine[thread], other[thread]);
      }
    };
    for (const int before : synchronization_.before(event)) {
      if (!done_[static_cast<std::size_t>(before)]) {
        return false;
      }
    }
    const Event& it = graph_->at(event);
    const bool is_fence = it.kind == Event::Kind::fence;
    for (std::size_t i = 0; i < fence_order_.size() && is_fence; ++i) {
      if (fence_order_[i].second == event && !done_[static_cast<std::size_t>(fence_order_[i].first)]) {
        return false;
      }
    }
    for (const int before : synchronization_.before(event)) {
      take(before);
    }
    for (std::size_t i = 0; i < fence_order_.size() && is_fence; ++i) {
      if (fence_order_[i].second == event) {
        take(fence_order_[i].first);
      }
    }
    if (const int before = graph_->previous(event); before >= 0) {
      take(before);
    }
    mine[it.thread] = it.number + 1;
    done_[static_cast<std::size_t>(event)] = true;
    return true;
  }

  /// Whether something that is behind an access by communication precedes an event.
  [[nodiscard]] bool contradicts(int access, int event) const {
    const Event& it = graph_->at(access);
    const int* const mine = clock(event);
    const auto own = static_cast<std::size_t>(graph_->at(event).thread);
    const auto is_before = [&](std::size_t thread, int number) {
      return mine[thread] - (thread == own ? 1 : 0) > number;
    };
    const int* const behind = visible_behind(it, access);
    for (std::size_t thread = 0; thread < width_; ++thread) {
      if (is_before(thread, behind[thread])) {
        return true;
      }
    }
    if (it.is_write()) {
      for (const int reader : readers_[static_cast<std::size_t>(access)]) {
        if (!graph_->at(reader).is_sum &&
            is_before(static_cast<std::size_t>(graph_->at(reader).thread), graph_->at(reader).number)) {
          return true;
        }
      }
    }
    return false;
  }
  [[nodiscard]] bool hold() const {
    for (int event = 0; event < graph_->size(); ++event) {
      if (graph_->at(event).is_access() && contradicts(event, event)) {
        return false;
      }
    }
    return true;
  }

  /// Of each thread the last access behind which something precedes a fence.
  void find_contradicted(int fence) {
    contradicted_.assign(width_, -1);
    for (std::size_t thread = 0; thread < width_; ++thread) {
      const std::vector<int>& mine = graph_->of_thread(static_cast<int>(thread));
      for (std::size_t i = mine.size(); i-- > 0 && contradicted_[thread] < 0;) {
        if (graph_->at(mine[i]).is_access() && contradicts(mine[i], fence)) {
          contradicted_[thread] = mine[i];
        }
      }
    }
  }
  /// Whether a fence has to be before the one of `find_contradicted`, or some access behind it would contradict.
  [[nodiscard]] bool is_forced(int first) const {
    return std::any_of(contradicted_.begin(), contradicted_.end(),
                       [&](int access) { return access >= 0 && precedes(first, access); });
  }
  /// Adds the order of fences that is forced. False where the axioms do not hold with it.
  bool order_fences() {
    while (true) {
      if (!find_clocks() || !hold()) {
        return false;
      }
      const std::size_t before = fence_order_.size();
      for (const int last : fences_) {
        bool is_found = false;
        for (const int first : fences_) {
          if (first == last || !is_open(first, last)) {
            continue;
          }
          if (!is_found) {
            find_contradicted(last);
            is_found = true;
          }
          if (is_forced(first)) {
            fence_order_.emplace_back(first, last);
          }
        }
      }
      if (fence_order_.size() == before) {
        return true;
      }
    }
  }
  [[nodiscard]] bool is_open(int one, int other) const {
    return !precedes(one, other) && !precedes(other, one) &&
           places_.are_morally_strong(graph_->at(one), graph_->at(other));
  }

  const Places& places_;
  Synchronization synchronization_;
  const Graph* graph_ = nullptr;
  std::size_t width_ = 0;  ///< threads
  std::vector<std::vector<int>> readers_;
  std::vector<int> place_;              ///< of writes, in coherence order
  std::vector<std::size_t> first_row_;  ///< of each location
  std::vector<int> visible_;            ///< rows of one number a thread
  std::vector<int> clocks_;             ///< likewise, by event
  std::vector<bool> done_;
  std::vector<std::size_t> next_;
  std::vector<int> fences_;
  std::vector<int> contradicted_;  ///< of each thread an access; -1: none
  std::vector<std::pair<int, int>> fence_order_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
