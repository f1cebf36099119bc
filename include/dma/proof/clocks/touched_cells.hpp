#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The last reads and writes of each cell: for each component of a clock, the latest one. Atomic accesses are apart:
/// two of them need no order, and a later one does not stand for an ordinary one before it. Nor does an atomic write
/// for another one, which other accesses may have observed: it is kept until all agents know that it is over.
class TouchedCells {
 public:
  struct Touch {
    int component;        ///< of a clock
    std::uint32_t value;  ///< an agent whose clock has at least this value there knows that the access is over
    int agent;
    int operation;
  };

  enum class Kind : unsigned char {
    ordinary,
    added,  ///< by a copy, as by one atomic access of each element
    atomic,
  };

  explicit TouchedCells(int cells)
      : reads_(static_cast<std::size_t>(cells)),
        writes_(static_cast<std::size_t>(cells)),
        loads_(static_cast<std::size_t>(cells)),
        atomics_(static_cast<std::size_t>(cells)) {}

  /// Calls `check(earlier, cell, did_write, writes)` for each earlier access that must be ordered with `now`: at least
  /// one of the two writes the cell.
  ///
  /// @param is_over  `is_over(earlier, cell)`: whether all agents know that it is
  template <class Check, class IsOver>
  void touch(const std::vector<int>& read, const std::vector<int>& written, const Touch& now, Kind kind,
             const Check& check, const IsOver& is_over) {
    for (const int cell : read) {
      visit(writes_[index(cell)], cell, true, false, check);
      if (kind != Kind::atomic) {
        visit(atomics_[index(cell)].touches, cell, true, false, check);
      }
    }
    for (const int cell : written) {
      visit(writes_[index(cell)], cell, true, true, check);
      if (kind != Kind::atomic) {
        visit(atomics_[index(cell)].touches, cell, true, true, check);
        visit(loads_[index(cell)], cell, false, true, check);
      }
      visit(reads_[index(cell)], cell, false, true, check);
    }
    for (const int cell : read) {
      keep((kind == Kind::atomic ? loads_ : reads_)[index(cell)], now);
    }
    for (const int cell : written) {
      if (kind == Kind::atomic) {
        keep_all(atomics_[index(cell)], now, [&](const Touch& earlier) { return is_over(earlier, cell); });
      } else {
        keep(kind == Kind::added ? atomics_[index(cell)].touches : writes_[index(cell)], now);
      }
    }
  }

 private:
  struct Atomics {
    std::vector<Touch> touches;
    std::size_t most = 64;  ///< before those that are over are taken out
  };

  [[nodiscard]] static std::size_t index(int cell) { return static_cast<std::size_t>(cell); }
  template <class Check>
  static void visit(const std::vector<Touch>& touches, int cell, bool did_write, bool writes, const Check& check) {
    for (const Touch& earlier : touches) {
      check(earlier, cell, did_write, writes);
    }
  }
  static void keep(std::vector<Touch>& touches, const Touch& now) {
    const auto same = std::find_if(touches.begin(), touches.end(),
                                   [&](const Touch& earlier) { return earlier.component == now.component; });
    if (same == touches.end()) {
      touches.push_back(now);
    } else {
      *same = now;
    }
  }
  template <class IsOver>
  static void keep_all(Atomics& atomics, const Touch& now, const IsOver& is_over) {
    std::vector<Touch>& touches = atomics.touches;
    touches.push_back(now);
    if (touches.size() < atomics.most) {
      return;
    }
    std::set<int> components;
    std::vector<Touch> needed;
    for (auto touch = touches.rbegin(); touch != touches.rend(); ++touch) {
      if (components.insert(touch->component).second || !is_over(*touch)) {
        needed.push_back(*touch);
      }
    }
    touches.assign(needed.rbegin(), needed.rend());
    atomics.most = std::max(atomics.most, 2 * touches.size());
  }

  std::vector<std::vector<Touch>> reads_;
  std::vector<std::vector<Touch>> writes_;
  std::vector<std::vector<Touch>> loads_;  ///< atomic
  std::vector<Atomics> atomics_;
};

}  // namespace dma::inline v0_1::proof::detail
