#pragma once

#include "kernels/right.hpp"

#include <atomic>

/// Atomics of a kernel's own in its shared memory.
namespace right {

DMA_HOST_DEVICE void add_atomically(int* word, int value) {
#if defined(__CUDA_ARCH__)
  atomicAdd(word, value);
#else
  std::atomic_ref<int>(*word).fetch_add(value, std::memory_order_relaxed);
#endif
}
/// Raises a word to a value, by compare and swap.
DMA_HOST_DEVICE void raise_atomically(int* word, int value) {
#if defined(__CUDA_ARCH__)
  int before = *const_cast<volatile int*>(word);
  while (before < value) {
    const int found = atomicCAS(word, before, value);
    before = found == before ? value : found;
  }
#else
  const std::atomic_ref<int> shared(*word);
  int before = shared.load(std::memory_order_relaxed);
  while (before < value && !shared.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
#endif
}

struct CountsInSharedMemory {
  static constexpr const char* name = "a histogram by atomics in shared memory";
  static constexpr int bins = 8;
  static constexpr int ctas = 2;
  static constexpr int of_cta = 3 * 96;
  static constexpr int in_count = ctas * of_cta;
  static constexpr int out_count = ctas * bins;
  using Layout = Warps<3>;
  struct Shared {
    int counts[bins];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<CountsInSharedMemory>& cta, const int* in, int* out, Word*) const {
    auto& counts = cta.shared<Shared>().counts;
    const int block = cta.block().x;
    if (cta.thread() < bins) {
      counts[cta.thread()] = 0;
    }
    cta.sync();
    for (int i = cta.thread(); i < of_cta; i += Layout::threads) {
      add_atomically(&counts[in[block * of_cta + i] & (bins - 1)], 1);
    }
    cta.sync();
    if (cta.thread() < bins) {
      out[block * bins + cta.thread()] = counts[cta.thread()];
    }
  }
  static int expected(const int* in, int i) {
    int found = 0;
    for (int k = 0; k < 288; ++k) {
      found += (in[i / 8 * 288 + k] & 7) == i % 8 ? 1 : 0;
    }
    return found;
  }
};

/// What a thread does depends on what others have left.
struct FindsMaximum {
  static constexpr const char* name = "a maximum by compare and swap in shared memory";
  static constexpr int ctas = 1;
  static constexpr int in_count = 3 * 96;
  static constexpr int out_count = 1;
  using Layout = Warps<3>;
  struct Shared {
    int maximum;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<FindsMaximum>& cta, const int* in, int* out, Word*) const {
    int& maximum = cta.shared<Shared>().maximum;
    if (cta.thread() == 0) {
      maximum = -1'000'000;
    }
    cta.sync();
    for (int i = cta.thread(); i < in_count; i += Layout::threads) {
      raise_atomically(&maximum, in[i]);
    }
    cta.sync();
    if (cta.thread() == 0) {
      out[0] = maximum;
    }
  }
  static int expected(const int* in, int) {
    int most = in[0];
    for (int k = 1; k < 288; ++k) {
      most = in[k] > most ? in[k] : most;
    }
    return most;
  }
};

using Atomics = List<CountsInSharedMemory, FindsMaximum>;

}  // namespace right
