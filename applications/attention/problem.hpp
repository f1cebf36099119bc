#pragma once

/// O = softmax(scale Q K^T) V, head by head: Q, K, V and O of bf16 or f16 numbers, sums in fp32.

#include "../half_types.hpp"

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <cstdint>
#include <stdexcept>
#include <string>
#endif

namespace attention {

using BFloat16 = __nv_bfloat16;
using Half = __half;

/// Rows of `head_size` neighbouring elements: row i of head h of batch b begins at `first[b * batch + h * head + i *
/// row]`. Strides are multiples of 8 elements, and rows begin on 16 bytes.
template <class Element>
struct Heads {
  Element* first;
  long long batch;
  long long head;
  long long row;
};

template <class Type>
struct Problem {
  using Element = Type;

  int batches;
  int heads;      ///< of Q and O
  int kv_heads;   ///< of K and V: head h of Q reads head h / (heads / kv_heads)
  int queries;    ///< rows of a head of Q and O
  int keys;       ///< rows of a head of K and V
  int head_size;  ///< 64 or 128
  Heads<const Element> q;
  Heads<const Element> k;
  Heads<const Element> v;
  Heads<Element> o;
  /// Of each row the logarithm of the sum of e to its scaled scores, [batch][head][query]; null: not wanted.
  float* log_sums = nullptr;
  float scale = 0;      ///< of the scores, not negative; 0 is 1 / sqrt(head_size)
  bool causal = false;  ///< query i sees keys 0 to i + keys - queries only, and gives 0 where these are none
};

/// The factor of the scores.
[[nodiscard]] DMA_HOST_DEVICE constexpr float scale_of(float scale, int head_size) {
  return scale != 0 ? scale : head_size == 64 ? 0.125F : 0.0883883476F;
}

#if !defined(__CUDACC_RTC__)
/// Throws for rows that no kernel reads.
template <class Element>
void expect_heads(const std::string& name, const Heads<Element>& heads, int head_size) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("attention: " + what); };
  if (heads.first == nullptr || reinterpret_cast<std::uintptr_t>(heads.first) % 16 != 0) {
    refuse(name + " begins at an address that is null or no multiple of 16 bytes; align it");
  }
  if (heads.row < head_size || heads.row % 8 != 0 || heads.head < 0 || heads.head % 8 != 0 || heads.batch < 0 ||
      heads.batch % 8 != 0) {
    refuse("the strides of " + name + " are " + std::to_string(heads.batch) + ", " + std::to_string(heads.head) +
           " and " + std::to_string(heads.row) + " elements, and a row has " + std::to_string(head_size) +
           "; make them multiples of 8, and rows no closer than they are long");
  }
}
/// Throws for a problem that no kernel takes.
template <class Element>
void expect_valid(const Problem<Element>& p) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("attention: " + what); };
  if (p.head_size != 64 && p.head_size != 128) {
    refuse("a head has " + std::to_string(p.head_size) + " elements; give heads of 64 or 128");
  }
  if (p.batches < 1 || p.heads < 1 || p.queries < 1 || p.keys < 1 || p.kv_heads < 1 || p.heads % p.kv_heads != 0) {
    refuse("there are " + std::to_string(p.batches) + " batches of " + std::to_string(p.heads) + " heads over " +
           std::to_string(p.kv_heads) + " of keys, of " + std::to_string(p.queries) + " queries and " +
           std::to_string(p.keys) + " keys; give positive numbers, the heads a multiple of those of keys");
  }
  if (!(p.scale >= 0)) {
    refuse("the scale is " + std::to_string(p.scale) + "; give a positive one, or 0 for 1 / sqrt(head_size)");
  }
  expect_heads("Q", p.q, p.head_size);
  expect_heads("K", p.k, p.head_size);
  expect_heads("V", p.v, p.head_size);
  expect_heads("O", p.o, p.head_size);
}
#endif

}  // namespace attention
