#pragma once

#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dma::host {

/// Bytes of shared memory: offsets `first` to one behind the last; of global memory: addresses above `first_global`.
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

/// The bytes that a thread accesses between two operations.
struct Accesses {
  ByteRanges reads, writes;
};

/// Behind every offset in shared memory.
inline constexpr long long first_global = 1LL << 48;
[[nodiscard]] constexpr bool is_global(const ByteRange& range) { return range.first >= first_global; }

[[nodiscard]] inline std::string name_of(const ByteRange& bytes) {
  const bool global = is_global(bytes);
  return std::to_string(bytes.last - bytes.first) + " bytes of " + (global ? "global" : "shared") + " memory from " +
         std::to_string(bytes.first - (global ? first_global : 0)) + " on";
}

/// The shared memory of a CTA, from which ranges count; all other memory is global.
class WatchedMemory {
 public:
  WatchedMemory(const void* shared, std::size_t bytes)
      : shared_(reinterpret_cast<std::uintptr_t>(shared)), bytes_(bytes) {}

  [[nodiscard]] std::size_t shared_bytes() const noexcept { return bytes_; }
  [[nodiscard]] ByteRange range_of(const void* place, std::size_t bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    const std::uintptr_t offset = address - shared_;
    const bool is_shared = offset < bytes_;
    const auto first = static_cast<long long>(is_shared ? offset : address + first_global);
    return {first, first + static_cast<long long>(is_shared ? std::min(bytes, bytes_ - offset) : bytes)};
  }
  /// @param range  one that `range_of` gave
  [[nodiscard]] const void* place_of(const ByteRange& range) const {
    const auto first = static_cast<std::uintptr_t>(is_global(range) ? range.first - first_global : range.first);
    return reinterpret_cast<const void*>(is_global(range) ? first : shared_ + first);
  }

 private:
  std::uintptr_t shared_;
  std::size_t bytes_;
};

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
  /// @param last     bytes from here on belong to no cell
  CellMap(const RangeTable& table, const std::vector<int>& written,
          long long last = std::numeric_limits<long long>::max()) {
    for (const int list : written) {
      for (const ByteRange& range : table[list]) {
        if (range.first < last) {
          edges_.push_back(range.first);
          edges_.push_back(range.last);
        }
      }
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    // The writers of a piece: a hash of the lists that contain it.
    std::vector<std::uint64_t> writers(edges_.size(), 0);
    for (const int list : written) {
      const std::uint64_t mark = hash(static_cast<std::uint64_t>(list));
      for (const ByteRange& range : table[list]) {
        for (std::size_t piece = piece_at(range.first); range.first < last && edges_[piece] < range.last; ++piece) {
          writers[piece] += mark;
        }
      }
    }
    std::map<std::uint64_t, int> cells;
    for (std::size_t piece = 0; piece < writers.size(); ++piece) {
      // No cell has bytes of both memories: a fence orders those of shared memory alone.
      const bool is_global = edges_[piece] >= first_global;
      const std::uint64_t writer = is_global ? ~writers[piece] : writers[piece];
      const auto number = static_cast<int>(cells.size());
      cell_of_piece_.push_back(writers[piece] == 0 ? -1 : cells.try_emplace(writer, number).first->second);
      if (cell_of_piece_.back() == number) {
        is_global_.push_back(is_global);
      }
    }
  }

  [[nodiscard]] int count() const { return static_cast<int>(is_global_.size()); }
  /// Of each cell.
  [[nodiscard]] const std::vector<bool>& is_global() const { return is_global_; }
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
  std::vector<bool> is_global_;
};

}  // namespace dma::host
