#pragma once

/// Matrices in ELLPACK and Blocked-ELLPACK form, made from those by rows, in host memory.

#include "matrices.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sparse {

/// `Ell`.
struct EllMatrix {
  int rows = 0;
  int width = 0;
  int pitch = 0;
  std::vector<int> columns;
  std::vector<float> values;
};

[[nodiscard]] inline EllMatrix ell_of(const Matrix& m) {
  EllMatrix ell{m.rows, 0, (m.rows + 3) / 4 * 4, {}, {}};
  for (std::size_t row = 0; row < static_cast<std::size_t>(m.rows); ++row) {
    ell.width = std::max(ell.width, m.offsets[row + 1] - m.offsets[row]);
  }
  ell.columns.resize(static_cast<std::size_t>(ell.pitch) * static_cast<std::size_t>(ell.width));
  ell.values.resize(ell.columns.size());
  for (std::size_t row = 0; row < static_cast<std::size_t>(m.rows); ++row) {
    std::size_t to = row;
    for (int i = m.offsets[row]; i < m.offsets[row + 1]; ++i, to += static_cast<std::size_t>(ell.pitch)) {
      ell.columns[to] = m.columns[static_cast<std::size_t>(i)];
      ell.values[to] = m.values[static_cast<std::size_t>(i)];
    }
  }
  return ell;
}

/// `BlockedEll`.
struct BlockedEllMatrix {
  int rows = 0;
  int width = 0;
  std::vector<int> columns;
  std::vector<float> values;
};

/// @pre `edge` divides the numbers of rows and of columns.
[[nodiscard]] inline BlockedEllMatrix blocked_ell_of(const Matrix& m, int edge) {
  BlockedEllMatrix blocked{m.rows / edge, 0, {}, {}};
  std::vector<std::vector<int>> found;  // of each row of blocks, the columns of its blocks
  for (std::size_t row = 0; row < static_cast<std::size_t>(m.rows); row += static_cast<std::size_t>(edge)) {
    std::vector<int> columns(m.columns.begin() + m.offsets[row],
                             m.columns.begin() + m.offsets[row + static_cast<std::size_t>(edge)]);
    std::transform(columns.begin(), columns.end(), columns.begin(), [&](int column) { return column / edge; });
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    blocked.width = std::max(blocked.width, static_cast<int>(columns.size()));
    found.push_back(std::move(columns));
  }
  const std::size_t width = static_cast<std::size_t>(blocked.width);
  const std::size_t block = static_cast<std::size_t>(edge) * static_cast<std::size_t>(edge);
  blocked.columns.resize(found.size() * width);
  blocked.values.resize(found.size() * width * block);
  for (std::size_t row = 0; row < static_cast<std::size_t>(m.rows); ++row) {
    const std::size_t block_row = row / static_cast<std::size_t>(edge);
    const std::vector<int>& columns = found[block_row];
    std::copy(columns.begin(), columns.end(), blocked.columns.begin() + static_cast<std::ptrdiff_t>(block_row * width));
    for (int i = m.offsets[row]; i < m.offsets[row + 1]; ++i) {
      const int column = m.columns[static_cast<std::size_t>(i)];
      const auto k = std::lower_bound(columns.begin(), columns.end(), column / edge) - columns.begin();
      const std::size_t within = static_cast<std::size_t>(column % edge) * static_cast<std::size_t>(edge) +
                                 row % static_cast<std::size_t>(edge);
      blocked.values[(block_row * width + static_cast<std::size_t>(k)) * block + within] =
          m.values[static_cast<std::size_t>(i)];
    }
  }
  return blocked;
}

}  // namespace sparse
