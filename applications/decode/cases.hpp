#pragma once

/// Problems with their arrays, for tests.

#include "../attention/paged_case.hpp"
#include "../attention/reference.hpp"
#include "problem.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace decode {

/// Sequences in arrays. NaN is in their rows behind a sequence's last key.
template <class Element>
struct ArrayCase {
  attention::Case<Element> whole;
  Problem<Element> p;

  ArrayCase(const attention::Shape& shape, std::vector<int> lengths) : whole(shape), p{whole.p} {
    whole.lengths = std::move(lengths);
    p.lengths = whole.lengths.data();
    for (const auto* const heads : {&p.k, &p.v}) {
      for (int batch = 0; batch < p.batches; ++batch) {
        for (int key = p.lengths[batch]; key < p.keys; ++key) {
          Element* const row = const_cast<Element*>(heads->first) + batch * heads->batch + key * heads->row;
          std::fill_n(row, p.kv_heads * p.head_size, static_cast<Element>(__builtin_nanf("")));
        }
      }
    }
  }
};
template <class Element>
using PagedCase = attention::PagedCase<Element>;

/// Lengths up to `keys`, in a fixed pattern: none, one, the longest, and others.
[[nodiscard]] inline std::vector<int> ragged(int batches, int keys) {
  std::vector<int> lengths;
  for (int batch = 0; batch < batches; ++batch) {
    const int of_pattern[] = {keys, 0, 1, keys / 2, keys - 1, keys / 3 + 1, 0, keys * 3 / 4};
    lengths.push_back(of_pattern[batch % 8]);
  }
  return lengths;
}

}  // namespace decode
