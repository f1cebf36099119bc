#pragma once

/// A query, or a few, of each sequence against all its keys and values: O = softmax(scale Q K^T) V, a token's step.

#include "../attention/paged.hpp"

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <stdexcept>
#include <string>
#endif

namespace decode {

/// As that of attention, and without a page table K and V are arrays, whose rows behind a sequence's last key may hold
/// anything. Queries are a sequence's last: query i of n sees all but the last n - 1 - i keys.
template <class Type>
using Problem = attention::PagedProblem<Type>;
using attention::BFloat16;
using attention::Half;
using attention::Heads;

/// Queries that read the same keys: those of a sequence's heads that share a head of keys.
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE constexpr int queries_of_group(const Problem<Element>& p) {
  return p.queries * (p.heads / p.kv_heads);
}

#if !defined(__CUDACC_RTC__)
inline constexpr int most_queries = 32;  ///< of a group

/// Throws for a problem that no kernel takes, or not the one of so many columns.
template <class Element>
void expect_valid(const Problem<Element>& p, int columns = most_queries) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("decode: " + what); };
  attention::expect_valid<Element>(static_cast<const attention::Problem<Element>&>(p));
  if (queries_of_group(p) > most_queries) {
    refuse(std::to_string(p.queries) + " queries of " + std::to_string(p.heads / p.kv_heads) +
           " heads read the same keys; give at most " + std::to_string(most_queries) +
           " together, or use attention::attend");
  }
  if (queries_of_group(p) > columns) {
    refuse("there are " + std::to_string(queries_of_group(p)) + " queries of a group, and this kernel takes " +
           std::to_string(columns) + "; use a form of more columns");
  }
  if (p.lengths == nullptr) {
    refuse("there are no lengths; give the keys of each sequence");
  }
  if (p.page_table == nullptr) {
    return;
  }
  if (p.page_rows < 16 || p.page_rows % 16 != 0 || p.pages < 1) {
    refuse("there are " + std::to_string(p.pages) + " pages of " + std::to_string(p.page_rows) +
           " keys; give at least one, of a multiple of 16 keys");
  }
  if (p.table_pitch < (p.keys + p.page_rows - 1) / p.page_rows) {
    refuse("a row of the page table has " + std::to_string(p.table_pitch) + " pages of " + std::to_string(p.page_rows) +
           " for up to " + std::to_string(p.keys) + " keys; give a page for each " + std::to_string(p.page_rows));
  }
}
#endif

}  // namespace decode
