#pragma once

/// A problem whose keys and values are in pages, beside the same in arrays.

#include "paged.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace attention {

/// Pages are in random order. NaN is in each that no sequence has, and behind a sequence's last key in its page; the
/// list has numbers of no page behind each sequence's last.
template <class Element>
struct PagedCase {
  Case<Element> whole;
  std::vector<Element> memory_k, memory_v;
  std::vector<int> table;
  PagedProblem<Element> p;

  /// @param lengths  of the batches' sequences, at most `shape.keys` each
  PagedCase(const Shape& shape, std::vector<int> lengths, int page_rows) : whole(shape), p{whole.p} {
    constexpr int no_page = 1 << 30;
    whole.lengths = std::move(lengths);
    p.page_rows = page_rows;
    p.table_pitch = (shape.keys + page_rows - 1) / page_rows + 1;
    p.pages = shape.batches * p.table_pitch;
    std::vector<int> order(static_cast<std::size_t>(p.pages));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::minstd_rand(3));
    table.assign(order.size(), no_page);
    for (int batch = 0; batch < shape.batches; ++batch) {
      const int rows = whole.lengths[static_cast<std::size_t>(batch)];
      for (int page = 0; page * page_rows < rows; ++page) {
        const auto at = static_cast<std::size_t>(batch * p.table_pitch + page);
        table[at] = order[at];
      }
    }
    p.k = paged(memory_k, whole.p.k);
    p.v = paged(memory_v, whole.p.v);
    p.lengths = whole.lengths.data();
    p.page_table = table.data();
  }

 private:
  /// A copy of the sequences in pages, [page][row][head][head_size].
  [[nodiscard]] Heads<const Element> paged(std::vector<Element>& memory, const Heads<const Element>& from) const {
    const long long row = p.kv_heads * p.head_size;
    memory.assign(static_cast<std::size_t>(p.pages * p.page_rows * row) + 24, static_cast<Element>(__builtin_nanf("")));
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    Element* const first = memory.data() + 8 + (16 - address % 16) % 16 / sizeof(Element);
    for (int batch = 0; batch < p.batches; ++batch) {
      for (int key = 0; key < whole.lengths[static_cast<std::size_t>(batch)]; ++key) {
        const int page = table[static_cast<std::size_t>(batch * p.table_pitch + key / p.page_rows)];
        for (int head = 0; head < p.kv_heads; ++head) {
          std::copy_n(from.first + batch * from.batch + head * from.head + key * from.row, p.head_size,
                      first + (static_cast<long long>(page) * p.page_rows + key % p.page_rows) * row +
                          static_cast<long long>(head) * p.head_size);
        }
      }
    }
    return {first, p.page_rows * row, p.head_size, row};
  }
};

}  // namespace attention
