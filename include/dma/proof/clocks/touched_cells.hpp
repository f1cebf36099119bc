#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The last reads and writes of each cell: for each component of a clock, the latest one. Atomic writes are apart: two
/// of them need no order, and a later one does not stand for an ordinary write before it.
class TouchedCells {
 public:
  struct Touch {
    int component;        ///< of a clock
    std::uint32_t value;  ///< an agent whose clock has at least this value there knows that the access is over
    int agent;
    int operation;
  };

  explicit TouchedCells(int cells)
      : reads_(static_cast<std::size_t>(cells)),
        writes_(static_cast<std::size_t>(cells)),
        atomics_(static_cast<std::size_t>(cells)) {}

  /// Calls `check(earlier, cell, did_write, writes)` for each earlier access that must be ordered with `now`: at least
  /// one of the two writes the cell.
  template <class Check>
  void touch(const std::vector<int>& read, const std::vector<int>& written, const Touch& now, bool is_atomic,
             const Check& check) {
    for (const int cell : read) {
      visit(writes_[static_cast<std::size_t>(cell)], cell, true, false, check);
      visit(atomics_[static_cast<std::size_t>(cell)], cell, true, false, check);
    }
    for (const int cell : written) {
      visit(writes_[static_cast<std::size_t>(cell)], cell, true, true, check);
      visit(atomics_[static_cast<std::size_t>(cell)], cell, true, true, check);
      visit(reads_[static_cast<std::size_t>(cell)], cell, false, true, check);
    }
    for (const int cell : read) {
      keep(reads_[static_cast<std::size_t>(cell)], now);
    }
    for (const int cell : written) {
      keep((is_atomic ? atomics_ : writes_)[static_cast<std::size_t>(cell)], now);
    }
  }

 private:
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

  std::vector<std::vector<Touch>> reads_;
  std::vector<std::vector<Touch>> writes_;
  std::vector<std::vector<Touch>> atomics_;
};

}  // namespace dma::inline v0_1::proof::detail
