#pragma once

#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/range_table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Converts lists of ranges to sets of cells. Bytes that the same operations write are one cell: a read of one of them
/// conflicts with the same writers as a read of another. Bytes without a writer belong to no cell.
class CellMap {
 public:
  /// @param written       numbers of the lists that operations write
  /// @param shared_pitch  bytes from the shared memory of one CTA of the cluster to that of the next
  /// @param last          bytes from here on belong to no cell
  CellMap(const RangeTable& table, const std::vector<int>& written, long long shared_pitch,
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
      // No cell has bytes of several memories: fences and arrivals order those of one alone.
      const long long first = edges_[piece];
      const int memory = first >= first_global ? Program::global : static_cast<int>(first / shared_pitch);
      const std::uint64_t writer = writers[piece] + hash(static_cast<std::uint64_t>(memory));
      const auto number = static_cast<int>(cells.size());
      cell_of_piece_.push_back(writers[piece] == 0 ? -1 : cells.try_emplace(writer, number).first->second);
      if (cell_of_piece_.back() == number) {
        memories_.push_back(memory);
      }
    }
  }

  [[nodiscard]] int count() const { return static_cast<int>(memories_.size()); }
  /// Of each cell.
  [[nodiscard]] const std::vector<int>& memories() const { return memories_; }
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
  std::vector<int> memories_;
};

}  // namespace dma::inline v0_1::proof::detail
