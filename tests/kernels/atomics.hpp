#pragma once

#include <dma/dma.hpp>

/// Every atomic access of `dma::atomic_ref`, by one thread in turn and by all threads of two CTAs.
namespace atomics {

inline constexpr int ctas = 2;
inline constexpr int single_results = 24;

enum class Color : int { red = 7, blue = 9 };

struct Words {
  int single[single_results];
  long long wide[4];
  float sum;
  double wide_sum;
  unsigned counted;
  unsigned bits;
  int smallest;
  long long largest;
};

struct Body {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    int word;
    unsigned counted;
    Color color;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Body>& cta, Words* words) const {
    using dma::Order;
    using dma::Scope;
    Shared& shared = cta.shared<Shared>();
    if (cta.thread() == 0) {
      shared.counted = 0;
    }
    cta.sync();
    const int number = cta.block().x * Layout::threads + cta.thread();
    dma::atomic_ref<unsigned, Scope::cta>(shared.counted).fetch_add(1, Order::relaxed);
    dma::atomic_ref<float, Scope::gpu>(words->sum).fetch_add(0.5F, Order::relaxed);
    dma::atomic_ref<double, Scope::system>(words->wide_sum).fetch_add(0.25, Order::acq_rel);
    dma::atomic_ref<unsigned, Scope::gpu>(words->bits).fetch_or(1U << (number % 32), Order::release);
    dma::atomic_ref<int, Scope::gpu>(words->smallest).fetch_min(-number, Order::acquire);
    dma::atomic_ref<long long, Scope::gpu>(words->largest).fetch_max(number * 10'000'000'000LL, Order::seq_cst);
    dma::fence<Scope::cta>(Order::acq_rel);
    cta.sync();
    if (cta.thread() == 0) {
      dma::atomic_ref<unsigned, Scope::gpu>(words->counted).fetch_add(shared.counted, Order::relaxed);
    }
    if (number == 0) {
      each(shared, *words);
    }
    cta.sync_warp();
  }

  /// By one thread: what each call returns and leaves.
  DMA_HOST_DEVICE static void each(Shared& shared, Words& words) {
    using dma::Order;
    using dma::Scope;
    int* result = words.single;
    const dma::atomic_ref<int, Scope::cta> word(shared.word);
    word.store(5, Order::release);
    *result++ = word.load(Order::acquire);
    *result++ = word.exchange(-3, Order::acq_rel);
    *result++ = word.fetch_add(10, Order::relaxed);
    word.store_add(2, Order::relaxed);
    word.store_add(-2, Order::release);
    *result++ = word.fetch_sub(1, Order::relaxed);
    *result++ = word.fetch_and(12, Order::relaxed);
    *result++ = word.fetch_or(3, Order::relaxed);
    *result++ = word.fetch_xor(6, Order::relaxed);
    *result++ = word.fetch_min(-20, Order::relaxed);
    *result++ = word.fetch_max(-30, Order::relaxed);
    *result++ = word.load();
    int expected = 1;
    *result++ = word.compare_exchange_strong(expected, 100) ? 1 : 0;
    *result++ = expected;
    *result++ = word.compare_exchange_weak(expected, 100, Order::acquire) ? 1 : 0;
    *result++ = expected;
    *result++ = word.load(Order::relaxed);
    const dma::atomic_ref<Color, Scope::system> color(shared.color);
    color.store(Color::red);
    *result++ = static_cast<int>(color.exchange(Color::blue));
    *result++ = static_cast<int>(color.load());
    const dma::atomic_ref<long long, Scope::gpu> wide(words.wide[3]);
    wide.store(1LL << 40, Order::relaxed);
    words.wide[0] = wide.fetch_sub(1LL << 41);
    words.wide[1] = wide.exchange(3);
    long long three = 3;
    words.wide[2] = wide.compare_exchange_strong(three, -(1LL << 50)) ? three : 0;
  }
};

/// What is wrong in the words after a launch.
[[nodiscard]] inline int count_wrong(const Words& words) {
  constexpr int threads = ctas * Body::Layout::threads;
  const int expected[] = {5, 5, -3, 7, 6, 4, 7, 1, -20, -20, 0, -20, 1, -20, 100, 7, 9};
  int wrong = 0;
  const int* result = words.single;
  for (const int value : expected) {
    wrong += *result++ != value ? 1 : 0;
  }
  wrong += words.wide[0] != 1LL << 40 ? 1 : 0;
  wrong += words.wide[1] != -(1LL << 40) ? 1 : 0;
  wrong += words.wide[2] != 3 ? 1 : 0;
  wrong += words.wide[3] != -(1LL << 50) ? 1 : 0;
  wrong += words.sum != 0.5F * threads ? 1 : 0;
  wrong += words.wide_sum != 0.25 * threads ? 1 : 0;
  wrong += words.counted != threads ? 1 : 0;
  wrong += words.bits != 0xffffffffU ? 1 : 0;
  wrong += words.smallest != -(threads - 1) ? 1 : 0;
  wrong += words.largest != (threads - 1) * 10'000'000'000LL ? 1 : 0;
  return wrong;
}

}  // namespace atomics
