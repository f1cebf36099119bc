#pragma once

/// A problem with its arrays, and its answer in double.

#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

namespace attention {

struct Shape {
  int batches = 1;
  int heads = 1;
  int kv_heads = 1;
  int queries = 1;
  int keys = 1;
  int head_size = 64;
  bool causal = false;
  float scale = 0;  ///< as in `Problem`
};

/// Heads are neighbours, [batch][row][head][head_size], and behind each row are 8 elements that are NaN: what a kernel
/// reads or writes there shows. So does what it reads of a head's rows behind the last.
template <class Element>
struct Case {
  static constexpr int pad = 8;
  static constexpr int guard = 128;  ///< NaN behind the logarithms

  std::vector<Element> memory_q, memory_k, memory_v, memory_o;
  std::vector<float> log_sums;
  std::vector<int> lengths;  ///< keys of each batch; empty: all have `p.keys`
  Problem<Element> p;

  explicit Case(const Shape& shape, unsigned seed = 1)
      : p{shape.batches, shape.heads, shape.kv_heads, shape.queries, shape.keys, shape.head_size, {}, {}, {}, {}} {
    p.causal = shape.causal;
    p.scale = shape.scale;
    p.q = filled<const Element>(memory_q, shape.queries, shape.heads, seed);
    p.k = filled<const Element>(memory_k, shape.keys, shape.kv_heads, seed + 1);
    p.v = filled<const Element>(memory_v, shape.keys, shape.kv_heads, seed + 2);
    p.o = filled<Element>(memory_o, shape.queries, shape.heads, 0);
    log_sums.assign(static_cast<std::size_t>(shape.batches) * shape.heads * shape.queries + guard, not_a_number);
    p.log_sums = log_sums.data();
  }

  /// The largest error in units of what is allowed: of sums in fp32, of powers rounded to an element, apart from the
  /// largest of a row, which is 1, and of the last rounding. Infinity where an element beside O is written, or one of O
  /// is none.
  ///
  /// @param row_step  of the rows, counted over all heads, every so many-th is checked
  [[nodiscard]] double worst_error(int row_step = 1) const {
    double worst = 0;
    const auto take = [&](double error) { worst = std::isnan(error) ? INFINITY : std::max(worst, error); };
    const long long all = static_cast<long long>(p.batches) * p.heads * p.queries;
    for (long long at = 0; at < all; at += row_step) {
      const auto head = static_cast<int>(at / p.queries);
      check_row(head / p.heads, head % p.heads, static_cast<int>(at % p.queries), take);
    }
    const long long row = p.heads * p.head_size + pad;
    for (std::size_t i = 0; i < memory_o.size(); ++i) {
      const long long at = static_cast<long long>(i) - (p.o.first - memory_o.data());
      const bool is_outside = at < 0 || at >= p.batches * p.queries * row || at % row >= row - pad;
      take(is_outside && !std::isnan(static_cast<float>(memory_o[i])) ? INFINITY : 0);
    }
    for (std::size_t i = static_cast<std::size_t>(all); i < log_sums.size(); ++i) {
      take(std::isnan(log_sums[i]) ? 0 : INFINITY);
    }
    return worst;
  }

  /// Gives each head's query `row`, of 64 elements, scaled scores of 8 `first` with its keys before `key` and of 8
  /// `second` with those from there on. Other queries have scores of zero.
  void set_scores(int row, int key, float first, float second) {
    set_rows(p.q, p.queries, p.heads, [=](int i) { return i == row ? 1.0F : 0.0F; });
    set_rows(p.k, p.keys, p.kv_heads, [=](int i) { return i < key ? first : second; });
  }

 protected:
  static constexpr float not_a_number = __builtin_nanf("");

  template <class Of>
  Heads<Of> filled(std::vector<Element>& memory, int rows, int heads, unsigned seed) const {
    const long long row = heads * p.head_size + pad;
    memory.assign(static_cast<std::size_t>(p.batches * rows * row) + 24, static_cast<Element>(not_a_number));
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    Element* const first = memory.data() + 8 + (16 - address % 16) % 16 / sizeof(Element);
    std::minstd_rand random(seed);
    std::normal_distribution<float> normal;
    for (long long i = 0; i < p.batches * rows * row; ++i) {
      if (seed != 0 && i % row < row - pad) {
        first[i] = static_cast<Element>(normal(random));
      }
    }
    return {first, rows * row, p.head_size, row};
  }
  template <class ValueOf>
  void set_rows(const Heads<const Element>& heads, int rows, int count, const ValueOf& value_of) {
    for (int row = 0; row < p.batches * rows; ++row) {
      std::fill_n(const_cast<Element*>(heads.first) + row * heads.row, count * p.head_size,
                  static_cast<Element>(value_of(row % rows)));
    }
  }
  template <class Of>
  [[nodiscard]] double element(const Heads<Of>& heads, int batch, int head, int row, int column) const {
    return static_cast<double>(
        static_cast<float>(heads.first[batch * heads.batch + head * heads.head + row * heads.row + column]));
  }

  template <class Take>
  void check_row(int batch, int head, int row, const Take& take) const {
    const int kv_head = head / (p.heads / p.kv_heads);
    const int keys = lengths.empty() ? p.keys : lengths[static_cast<std::size_t>(batch)];
    const int seen = std::clamp(p.causal ? row + 1 + keys - p.queries : keys, 0, keys);
    const double scale = p.scale != 0 ? static_cast<double>(p.scale) : 1 / std::sqrt(p.head_size);
    std::vector<double> powers(static_cast<std::size_t>(seen));
    double largest = -INFINITY;
    for (int key = 0; key < seen; ++key) {
      double score = 0;
      for (int i = 0; i < p.head_size; ++i) {
        score += element(p.q, batch, head, row, i) * element(p.k, batch, kv_head, key, i);
      }
      powers[static_cast<std::size_t>(key)] = score * scale;
      largest = std::max(largest, score * scale);
    }
    double sum = 0;
    for (double& power : powers) {
      power = std::exp(power - largest);
      sum += power;
    }
    const double last_place = std::ldexp(1.0, std::is_same_v<Element, Half> ? -11 : -8);
    for (int column = 0; column < p.head_size; ++column) {
      double exact = 0;
      double magnitude = 0;
      double rounded = 0;
      for (int key = 0; key < seen; ++key) {
        const double part = powers[static_cast<std::size_t>(key)] / sum * element(p.v, batch, kv_head, key, column);
        exact += part;
        magnitude += std::abs(part);
        rounded += powers[static_cast<std::size_t>(key)] == 1 ? 0 : std::abs(part);
      }
      const double bound = last_place * (std::abs(exact) + rounded) + 1e-5 * magnitude + 1e-30;
      take(std::abs(element(p.o, batch, head, row, column) - exact) / bound);
    }
    const double got =
        static_cast<double>(log_sums[static_cast<std::size_t>((batch * p.heads + head) * p.queries + row)]);
    take(seen == 0 ? (got == -INFINITY ? 0 : INFINITY) : std::abs(got - (largest + std::log(sum))) / 1e-4);
  }
};

}  // namespace attention
