#pragma once

#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dma::host {

/// Bytes of shared memory: offsets `first` to one behind the last.
struct ByteRange {
  long long first;
  long long last;

  // Not defaulted: nvcc does not define a defaulted operator here.
  friend bool operator==(const ByteRange& left, const ByteRange& right) {
    return left.first == right.first && left.last == right.last;
  }
  friend bool operator<(const ByteRange& left, const ByteRange& right) {
    return left.first != right.first ? left.first < right.first : left.last < right.last;
  }
};
using ByteRanges = std::vector<ByteRange>;

/// Sorts ranges, and joins those that touch.
inline ByteRanges tidy(ByteRanges ranges) {
  std::sort(ranges.begin(), ranges.end());
  ByteRanges result;
  for (const ByteRange& range : ranges) {
    if (!result.empty() && range.first <= result.back().last) {
      result.back().last = std::max(result.back().last, range.last);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

/// Gives each list of ranges a number, equal lists the same; 0 is the empty list.
class RangeTable {
 public:
  [[nodiscard]] int number_of(ByteRanges ranges) {
    ranges = tidy(std::move(ranges));
    const auto [place, is_new] = numbers_.try_emplace(std::move(ranges), static_cast<int>(lists_.size()));
    if (is_new) {
      lists_.push_back(&place->first);
    }
    return place->second;
  }
  [[nodiscard]] const ByteRanges& operator[](int number) const { return *lists_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] int size() const { return static_cast<int>(lists_.size()); }

  RangeTable() { static_cast<void>(number_of({})); }
  RangeTable(const RangeTable&) = delete;
  RangeTable& operator=(const RangeTable&) = delete;

 private:
  std::map<ByteRanges, int> numbers_;
  std::vector<const ByteRanges*> lists_;
};

/// Converts lists of ranges to sets of cells. Bytes that the same operations write are one cell: a read of one of them
/// conflicts with the same writers as a read of another. Bytes without a writer belong to no cell.
class CellMap {
 public:
  /// @param written  numbers of the lists that operations write
  CellMap(const RangeTable& table, const std::vector<int>& written) {
    for (const int list : written) {
      for (const ByteRange& range : table[list]) {
        edges_.push_back(range.first);
        edges_.push_back(range.last);
      }
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    // The writers of a piece: a hash of the lists that contain it.
    std::vector<std::uint64_t> writers(edges_.size(), 0);
    for (const int list : written) {
      const std::uint64_t mark = hash(static_cast<std::uint64_t>(list));
      for (const ByteRange& range : table[list]) {
        for (std::size_t piece = piece_at(range.first); edges_[piece] < range.last; ++piece) {
          writers[piece] += mark;
        }
      }
    }
    std::map<std::uint64_t, int> cells;
    for (const std::uint64_t writer : writers) {
      cell_of_piece_.push_back(writer == 0 ? -1
                                           : cells.try_emplace(writer, static_cast<int>(cells.size())).first->second);
    }
    count_ = static_cast<int>(cells.size());
  }

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] std::vector<int> cells_of(const ByteRanges& ranges) const {
    std::vector<int> cells;
    for (const ByteRange& range : ranges) {
      for (std::size_t piece = piece_at(range.first); piece < edges_.size() && edges_[piece] < range.last; ++piece) {
        if (cell_of_piece_[piece] >= 0) {
          cells.push_back(cell_of_piece_[piece]);
        }
      }
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    return cells;
  }

 private:
  /// The piece that contains a byte; the first piece for a byte before all pieces.
  [[nodiscard]] std::size_t piece_at(long long byte) const {
    const auto behind = std::upper_bound(edges_.begin(), edges_.end(), byte);
    return behind == edges_.begin() ? 0 : static_cast<std::size_t>(behind - edges_.begin() - 1);
  }
  [[nodiscard]] static std::uint64_t hash(std::uint64_t value) {
    value = (value + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
    return (value ^ (value >> 31U)) * 0x94d049bb133111ebULL | 1U;
  }

  std::vector<long long> edges_;
  std::vector<int> cell_of_piece_;
  int count_ = 0;
};

}  // namespace dma::host
