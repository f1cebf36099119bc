#pragma once

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/host/access.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/word.hpp>
#include <dma/standard.hpp>

/// The host's barriers and copies between CTAs. `dma/machine/between_ctas.hpp` documents the names.
namespace dma::inline v0_1::machine::host_model {

DMA_DETAIL_UNSEEN inline void arrive_at(void* barrier, int rank, Ordered ordered, const Site& site) {
  execute({.kind = OperationKind::phase_arrive, .barrier = barrier, .cta = rank, .ordered = ordered, .site = site});
}
template <Scope scope>
DMA_DETAIL_UNSEEN void phase_arrive_at(void* barrier, int rank, const Site& site) {
  arrive_at(barrier, rank, scope == Scope::cluster ? Ordered::in_cluster : Ordered::in_cta, site);
}
DMA_DETAIL_UNSEEN inline void phase_arrive_for_shared_at(void* barrier, int rank, const Site& site) {
  arrive_at(barrier, rank, Ordered::shared_memory_in_cluster, site);
}
DMA_DETAIL_UNSEEN inline void phase_wait_in_cluster(void* barrier, unsigned parity, const Site& site) {
  execute({.kind = OperationKind::wait,
           .count = static_cast<int>(parity),
           .barrier = barrier,
           .ordered = Ordered::in_cluster,
           .site = site});
}

/// What one instruction writes into the shared memory of a CTA.
struct CopyBetweenCtas {
  static constexpr bool adds = false;
  unsigned char* to;
  const unsigned char* from;  ///< null for a word
  int bytes;
  Word<16> word;

  void operator()() const {
    memcpy(to, from == nullptr ? static_cast<const void*>(&word) : from, static_cast<unsigned>(bytes));
  }
  template <class Visit>
  void for_each_global_run(const Visit&) const {}
};
DMA_DETAIL_UNSEEN inline void copy_to_cta(const CopyBetweenCtas& copy, int rank, void* barrier) {
  execute({.kind = OperationKind::copy_to_shared,
           .count = copy.bytes,
           .barrier = barrier,
           .cta = rank,
           .is_between_ctas = true,
           .to = copy.to,
           .from = copy.from,
           .box = BoxCopy(copy)});
}
template <int Bytes>
DMA_DETAIL_UNSEEN void store_async(void* to, const Word<Bytes>& word, int rank, void* barrier) {
  auto* const there = static_cast<unsigned char*>(this_thread().peer_address(to, rank));
  expect_aligned<Bytes>(there);
  access_shared(Access::write, there, Bytes);
  CopyBetweenCtas copy{there, nullptr, Bytes, {}};
  memcpy(&copy.word, &word, Bytes);
  copy_to_cta(copy, rank, barrier);
}
DMA_DETAIL_UNSEEN inline void copy_bulk_to_cta(void* to, const void* from, int bytes, int rank, void* barrier) {
  auto* const there = static_cast<unsigned char*>(this_thread().peer_address(to, rank));
  const auto* const here = static_cast<const unsigned char*>(from);
  expect_aligned<16>(there);
  expect_aligned<16>(here);
  access_shared(Access::write, there, bytes);
  access_shared(Access::read, here, bytes);
  copy_to_cta({there, here, bytes, {}}, rank, barrier);
}
template <CacheHints Hints, int Rank, class Emulation>
void copy_box_to_ctas(unsigned char* to, const void*, const int (&)[Rank], void* barrier, int bytes, int ctas,
                      const Emulation& emulation) {
  access_global(Access::read);
  for (int rank = 0; rank < ctas; ++rank) {
    auto* const there = static_cast<unsigned char*>(this_thread().peer_address(to, rank));
    issue({.kind = OperationKind::copy_to_shared,
           .count = bytes,
           .barrier = barrier,
           .cta = rank,
           .to = there,
           .box = BoxCopy(emulation(there))});
  }
}

}  // namespace dma::v0_1::machine::host_model
