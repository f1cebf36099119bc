// Atomic accesses and fences: their instructions, with order and scope.

#include <dma/dma.hpp>

using dma::Order;
using dma::Scope;

__global__ void flags(int* words) {
  dma::atomic_ref<int, Scope::gpu> flag(words[0]);
  dma::atomic_ref<int, Scope::system> far(words[1]);
  dma::atomic_ref<int, Scope::cluster> near(words[2]);
  words[3] =
      flag.load(Order::relaxed) + flag.load(Order::acquire) + far.load(Order::acquire) + near.load(Order::relaxed);
  flag.store(1, Order::relaxed);
  flag.store(2, Order::release);
  near.store(3, Order::release);
}

__global__ void counts(unsigned* words, long long* wide, float* sum) {
  dma::atomic_ref<unsigned, Scope::gpu> count(words[0]);
  dma::atomic_ref<unsigned, Scope::cta> own(words[1]);
  dma::atomic_ref<long long, Scope::gpu> most(wide[0]);
  count.store_add(3, Order::release);
  dma::atomic_ref<float, Scope::gpu>(sum[2]).store_add(2.0F, Order::relaxed);
  words[2] = count.fetch_add(1, Order::relaxed) + count.fetch_sub(1, Order::acq_rel) + own.exchange(1, Order::acquire);
  unsigned expected = 0;
  words[3] = count.compare_exchange_strong(expected, 1, Order::release) ? 1U : expected;
  wide[1] = most.fetch_max(wide[2], Order::relaxed);
  sum[1] = dma::atomic_ref<float, Scope::gpu>(sum[0]).fetch_add(1.0F, Order::relaxed);
}

__global__ void one_order(int* words) {
  dma::atomic_ref<int, Scope::gpu> mine(words[0]);
  mine.store(1);
  words[2] = mine.load() + mine.fetch_or(1);
}

__global__ void fences() {
  dma::fence<Scope::cta>(Order::acquire);
  dma::fence<Scope::gpu>(Order::release);
  dma::fence<Scope::system>(Order::acq_rel);
  dma::fence<Scope::gpu>(Order::seq_cst);
}
