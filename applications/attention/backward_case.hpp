#pragma once

/// A problem of the backward pass with its arrays, and its answer in double.

#include "backward_problem.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace attention {

/// Arrays as those of `Case`.
template <class Element>
struct BackwardCase : Case<Element> {
  using Case<Element>::p;

  std::vector<Element> memory_d_o, memory_d_q, memory_d_k, memory_d_v;
  std::vector<float> work;
  BackwardProblem<Element> backward;

  explicit BackwardCase(const Shape& shape, unsigned seed = 1)
      : Case<Element>(shape, seed), backward{p, {}, {}, {}, {}, nullptr} {
    backward.d_o = this->template filled<const Element>(memory_d_o, p.queries, p.heads, seed + 3);
    backward.d_q = this->template filled<Element>(memory_d_q, p.queries, p.heads, 0);
    backward.d_k = this->template filled<Element>(memory_d_k, p.keys, p.kv_heads, 0);
    backward.d_v = this->template filled<Element>(memory_d_v, p.keys, p.kv_heads, 0);
    work.assign(static_cast<std::size_t>(work_floats(backward)) + 4, Case<Element>::not_a_number);
    const auto address = reinterpret_cast<std::uintptr_t>(work.data());
    backward.work = work.data() + (16 - address % 16) % 16 / sizeof(float);
  }

  /// O and the logarithms in double, rounded: what a forward pass writes.
  void attend() {
    for (int head = 0; head < p.batches * p.heads; ++head) {
      attend(head / p.heads, head % p.heads);
    }
  }

  /// The largest error of dQ, dK and dV in units of what is allowed: of P, dS and O rounded to an element, of sums in
  /// fp32, and of the last rounding. Infinity where an element beside the gradients is written, or one of them is none.
  ///
  /// @param head_step  of the heads of K and V, counted over all batches, every so many-th is checked
  [[nodiscard]] double worst_backward_error(int head_step = 1) const {
    worst_ = 0;
    for (int head = 0; head < p.batches * p.kv_heads; head += head_step) {
      check_heads(head / p.kv_heads, head % p.kv_heads);
    }
    expect_unchanged_beside(memory_d_q, backward.d_q, p.queries, p.heads);
    expect_unchanged_beside(memory_d_k, backward.d_k, p.keys, p.kv_heads);
    expect_unchanged_beside(memory_d_v, backward.d_v, p.keys, p.kv_heads);
    return worst_;
  }

 private:
  using Numbers = std::vector<double>;

  /// A sum, and a bound of its error: of its terms, and those of its terms' factors.
  struct Sum {
    double value = 0;
    double error = 0;
    void add(double factor, double factor_error, double number) {
      value += factor * number;
      error += factor_error * std::abs(number);
    }
  };

  static constexpr double last_place = std::is_same_v<Element, Half> ? 1.0 / 2048 : 1.0 / 256;

  [[nodiscard]] double scale() const {
    return p.scale != 0 ? static_cast<double>(p.scale) : 1 / std::sqrt(p.head_size);
  }
  [[nodiscard]] int seen_by(int query) const {
    return std::clamp(p.causal ? query + 1 + p.keys - p.queries : p.keys, 0, p.keys);
  }
  /// A row as doubles.
  template <class Of>
  [[nodiscard]] Numbers row_of(const Heads<Of>& heads, int batch, int head, int row) const {
    Numbers numbers(static_cast<std::size_t>(p.head_size));
    for (int i = 0; i < p.head_size; ++i) {
      numbers[static_cast<std::size_t>(i)] = this->element(heads, batch, head, row, i);
    }
    return numbers;
  }
  [[nodiscard]] static double product(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += a[i] * b[i];
    }
    return sum;
  }
  /// The softmax of a query's scores, and the logarithm of the sum.
  [[nodiscard]] Numbers softmax(int batch, int head, int query, double& logarithm) const {
    Numbers powers(static_cast<std::size_t>(seen_by(query)));
    const Numbers q = row_of(p.q, batch, head, query);
    double largest = -INFINITY;
    for (std::size_t key = 0; key < powers.size(); ++key) {
      powers[key] = scale() * product(q, row_of(p.k, batch, head / backward.group(), static_cast<int>(key)));
      largest = std::max(largest, powers[key]);
    }
    double sum = 0;
    for (double& power : powers) {
      power = std::exp(power - largest);
      sum += power;
    }
    for (double& power : powers) {
      power /= sum;
    }
    logarithm = powers.empty() ? -INFINITY : largest + std::log(sum);
    return powers;
  }
  void attend(int batch, int head) {
    for (int query = 0; query < p.queries; ++query) {
      double logarithm = 0;
      const Numbers powers = softmax(batch, head, query, logarithm);
      this->log_sums[static_cast<std::size_t>((batch * p.heads + head) * p.queries + query)] =
          static_cast<float>(logarithm);
      Numbers o(static_cast<std::size_t>(p.head_size));
      for (std::size_t key = 0; key < powers.size(); ++key) {
        const Numbers v = row_of(p.v, batch, head / backward.group(), static_cast<int>(key));
        for (std::size_t i = 0; i < o.size(); ++i) {
          o[i] += powers[key] * v[i];
        }
      }
      for (std::size_t i = 0; i < o.size(); ++i) {
        p.o.first[batch * p.o.batch + head * p.o.head + query * p.o.row + static_cast<long long>(i)] =
            static_cast<Element>(static_cast<float>(o[i]));
      }
    }
  }

  /// The heads of Q that read a head of K and V. D is the mean of a row's dP here, and not made from O.
  void check_heads(int batch, int kv_head) const {
    const auto size = static_cast<std::size_t>(p.head_size);
    std::vector<Sum> d_k(static_cast<std::size_t>(p.keys) * size);
    std::vector<Sum> d_v(d_k.size());
    for (int head = kv_head * backward.group(); head < (kv_head + 1) * backward.group(); ++head) {
      for (int query = 0; query < p.queries; ++query) {
        double logarithm = 0;
        const Numbers powers = softmax(batch, head, query, logarithm);
        const Numbers q = row_of(p.q, batch, head, query);
        const Numbers d_o = row_of(backward.d_o, batch, head, query);
        Numbers d_powers(powers.size());
        double mean = 0;
        double magnitude = 0;
        for (std::size_t key = 0; key < powers.size(); ++key) {
          d_powers[key] = product(d_o, row_of(p.v, batch, kv_head, static_cast<int>(key)));
          mean += powers[key] * d_powers[key];
        }
        for (std::size_t i = 0; i < size; ++i) {
          magnitude += std::abs(d_o[i] * this->element(p.o, batch, head, query, static_cast<int>(i)));
        }
        std::vector<Sum> d_q(size);
        for (std::size_t key = 0; key < powers.size(); ++key) {
          const Numbers k = row_of(p.k, batch, kv_head, static_cast<int>(key));
          const double power_error = (last_place + 1e-4) * powers[key];
          const double change = powers[key] * (d_powers[key] - mean) * scale();
          const double change_error = last_place * (std::abs(change) + powers[key] * magnitude * scale()) +
                                      1e-4 * powers[key] * (std::abs(d_powers[key]) + std::abs(mean) + 1) * scale();
          for (std::size_t i = 0; i < size; ++i) {
            d_q[i].add(change, change_error, k[i]);
            d_k[key * size + i].add(change, change_error, q[i]);
            d_v[key * size + i].add(powers[key], power_error, d_o[i]);
          }
        }
        check_row(backward.d_q, batch, head, query, d_q.data());
      }
    }
    for (int key = 0; key < p.keys; ++key) {
      check_row(backward.d_k, batch, kv_head, key, d_k.data() + static_cast<std::size_t>(key) * size);
      check_row(backward.d_v, batch, kv_head, key, d_v.data() + static_cast<std::size_t>(key) * size);
    }
  }
  void check_row(const Heads<Element>& of, int batch, int head, int row, const Sum* sums) const {
    for (int i = 0; i < p.head_size; ++i) {
      const double bound = sums[i].error + last_place * std::abs(sums[i].value) + 1e-7;
      take(std::abs(this->element(of, batch, head, row, i) - sums[i].value) / bound);
    }
  }
  void expect_unchanged_beside(const std::vector<Element>& memory, const Heads<Element>& of, int rows,
                               int heads) const {
    const long long row = heads * p.head_size + Case<Element>::pad;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const long long at = static_cast<long long>(i) - (of.first - memory.data());
      const bool is_outside = at < 0 || at >= p.batches * rows * row || at % row >= row - Case<Element>::pad;
      take(is_outside && !std::isnan(static_cast<float>(memory[i])) ? INFINITY : 0);
    }
  }
  void take(double error) const { worst_ = std::isnan(error) ? INFINITY : std::max(worst_, error); }

  mutable double worst_ = 0;
};

}  // namespace attention
