#pragma once

/// The gradients of attention: dQ, dK and dV from dO, and from what the forward pass read and wrote.

#include "problem.hpp"

#include <dma/dma.hpp>

namespace attention {

/// Queries of a step of the kernel.
inline constexpr int step_queries = 64;

/// With P = softmax(scale Q K^T), dP = dO V^T and D the row sums of dO O, and dS = P (dP - D) element by element:
/// dV = P^T dO, dQ = scale dS K, dK = scale dS^T Q. Heads of Q that read one of K and V add up in its dK and dV.
template <class Type>
struct BackwardProblem {
  using Element = Type;

  Problem<Element> forward;  ///< with O, and the logarithms that the forward pass wrote
  Heads<const Element> d_o;
  Heads<Element> d_q;
  Heads<Element> d_k;
  Heads<Element> d_v;
  float* work;  ///< `work_floats(p)` of them, on 16 bytes, for the kernels to write: nothing is kept there

  [[nodiscard]] DMA_HOST_DEVICE constexpr int group() const { return forward.heads / forward.kv_heads; }
  /// Steps of a head, the last of which may be short.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int steps_of_head() const {
    return (forward.queries + step_queries - 1) / step_queries;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long all_steps() const {
    return static_cast<long long>(forward.batches) * forward.heads * steps_of_head();
  }
  /// The number of a step among those of all heads.
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long step_at(int batch, int head, int step) const {
    return (static_cast<long long>(batch) * forward.heads + head) * steps_of_head() + step;
  }
  /// Two numbers of each row of a step, [2][step_queries]: its logarithm, to base 2, and its D.
  [[nodiscard]] DMA_HOST_DEVICE constexpr float* rows_of(long long step) const {
    return work + step * 2 * step_queries;
  }
  /// The sums in float that become dQ. Their order within a step is the kernel's.
  [[nodiscard]] DMA_HOST_DEVICE constexpr float* sums_of(long long step) const {
    return work + (all_steps() * 2 + step * forward.head_size) * step_queries;
  }
};

template <class Element>
[[nodiscard]] constexpr long long work_floats(const BackwardProblem<Element>& p) {
  return p.all_steps() * step_queries * (2 + p.forward.head_size);
}

#if !defined(__CUDACC_RTC__)
/// Throws for a problem that no kernel takes.
template <class Element>
void expect_valid(const BackwardProblem<Element>& p) {
  expect_valid(p.forward);
  expect_heads("dO", p.d_o, p.forward.head_size);
  expect_heads("dQ", p.d_q, p.forward.head_size);
  expect_heads("dK", p.d_k, p.forward.head_size);
  expect_heads("dV", p.d_v, p.forward.head_size);
  if (p.forward.log_sums == nullptr) {
    throw std::invalid_argument("attention: the backward pass needs the logarithms of the forward pass; set log_sums");
  }
  if (p.work == nullptr || reinterpret_cast<std::uintptr_t>(p.work) % 16 != 0) {
    throw std::invalid_argument(
        "attention: the memory for sums begins at an address that is null or no multiple of 16 bytes; give "
        "work_floats(p) aligned floats");
  }
}
#endif

}  // namespace attention
