#pragma once

/// Sparse matrices by rows, and how their nonzeros are divided among warps.

#include <dma/dma.hpp>

namespace sparse {

/// Compressed sparse rows. The arrays are in global memory, each on a multiple of 16 bytes.
struct Csr {
  int rows;
  int cols;
  int nonzeros;
  const int* offsets;  ///< rows + 1 elements: row r has the nonzeros `offsets[r]` to `offsets[r + 1]` - 1
  const int* columns;  ///< of each nonzero
  const float* values;
};

/// Where a warp's chunk begins, and how it adds up its rows.
struct alignas(16) ChunkStart {
  int row;
  int nonzero;        ///< of the row, from its first on unless the row is split
  int lanes;          ///< that add up a row
  int begins_within;  ///< whether earlier chunks have the row's first nonzeros
};

/// A row that several chunks have parts of: `chunk` its first, and those from `chunk` + 1 to `last` the others.
struct SplitRow {
  int row;
  int chunk;
  int last;
};

/// Chunks have nearly the same number of nonzeros and rows together, since a nonzero's value and column are as many
/// bytes as a row's offset and element of y. A chunk ends with a row, or within one of more than `longest_whole_row`
/// nonzeros.
///
/// Source  merge-based SpMV (Merrill and Garland, SC'16), with ends moved to the ends of rows
struct Chunks {
  static constexpr int items = 256;  ///< nonzeros and rows
  static constexpr int longest_whole_row = 256;
  static constexpr int room = items + longest_whole_row;  ///< nonzeros of a chunk, at most

  const ChunkStart* starts;  ///< count + 1 elements
  int count;
  float* heads;  ///< what each chunk that begins within a row has of it
};

/// The chunk that begins after so many nonzeros and rows, where a row comes after its nonzeros.
[[nodiscard]] inline ChunkStart start_at(const Csr& a, long long items) {
  int first = 0;
  int last = a.rows;
  while (first < last) {
    const int row = first + (last - first) / 2;
    if (static_cast<long long>(a.offsets[row + 1]) + row + 1 <= items) {
      first = row + 1;
    } else {
      last = row;
    }
  }
  if (first == a.rows) {
    return {a.rows, a.nonzeros, 1, 0};
  }
  const int begin = a.offsets[first];
  const int end = a.offsets[first + 1];
  const int nonzero = static_cast<int>(items - first);
  if (nonzero == begin || end - begin <= Chunks::longest_whole_row) {
    return {first, begin, 1, 0};
  }
  if (nonzero == end) {
    return {first + 1, end, 1, 0};
  }
  return {first, nonzero, 1, 1};
}

}  // namespace sparse
