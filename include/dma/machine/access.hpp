#pragma once

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/ptx/cached.hpp>
#include <dma/machine/ptx/copy.hpp>
#include <dma/machine/ptx/reduce.hpp>
#include <dma/machine/ptx/sync.hpp>
#include <dma/machine/word.hpp>

#if !defined(__CUDA_ARCH__)
#include <cstdint>
#include <cstring>
#endif

#if !defined(__CUDA_ARCH__)
namespace dma::host {

/// What memory does that adds: element by element.
template <class Element>
void add_elements(unsigned char* to, const unsigned char* from, int bytes) {
  for (int i = 0; i < bytes; i += static_cast<int>(sizeof(Element))) {
    Element sum;
    Element value;
    std::memcpy(&sum, to + i, sizeof sum);
    std::memcpy(&value, from + i, sizeof value);
    sum = static_cast<Element>(sum + value);
    std::memcpy(to + i, &sum, sizeof sum);
  }
}

}  // namespace dma::host
#endif

/// The accesses that engines are made of, on whichever machine the code runs.
namespace dma::machine {

/// An engine whose instructions the architecture at hand does not have is refused when the kernel is compiled for it.
template <int Needed, class Pattern>
DMA_HOST_DEVICE void expect_architecture() {
#if defined(__CUDA_ARCH__)
  static_assert(__CUDA_ARCH__ >= Needed,
                "dma: this engine's instructions are newer than the architecture that the kernel is compiled for: "
                "dma::BulkCopy and dma::TensorCopy need sm_90, dma::AsyncCopy and L2 priorities sm_80; use "
                "dma::RegisterCopy<> without CacheHints::l2, or "
                "leave the choice to dma::DefaultEngine");
#endif
}

/// A GPU faults on a misaligned access; a host, which would not, is told.
template <int Bytes>
DMA_HOST_DEVICE void expect_aligned([[maybe_unused]] const unsigned char* address) {
#if !defined(__CUDA_ARCH__)
  DMA_EXPECTS(reinterpret_cast<std::uintptr_t>(address) % Bytes == 0,
              "dma: a run of this tile is not aligned as its pattern's run_alignment says; a GPU would fault here");
#endif
}

/// One word from global memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes, CacheHints Hints>
[[nodiscard]] DMA_HOST_DEVICE Word<Bytes> load_global(const unsigned char* base, long long offset) {
#if defined(__CUDA_ARCH__)
  const auto* const from = reinterpret_cast<const Word<Bytes>*>(base + offset);
  if constexpr (Hints.say_nothing()) {
    return ptx::load_global(from);
  } else {
    return ptx::load_global<Hints>(from);
  }
#else
  Word<Bytes> word;
  expect_aligned<Bytes>(base + offset);
  std::memcpy(&word, base + offset, Bytes);
  return word;
#endif
}

/// One word to shared memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes>
DMA_HOST_DEVICE void store_shared(unsigned char* base, int offset, const Word<Bytes>& word) {
#if defined(__CUDA_ARCH__)
  ptx::store_shared(ptx::shared_address(base) + static_cast<unsigned>(offset), word);
#else
  expect_aligned<Bytes>(base + offset);
  touched(base + offset, Bytes, Access::write);
  std::memcpy(base + offset, &word, Bytes);
#endif
}

/// One word from shared memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes>
[[nodiscard]] DMA_HOST_DEVICE Word<Bytes> load_shared(const unsigned char* base, int offset) {
  Word<Bytes> word;
#if defined(__CUDA_ARCH__)
  ptx::load_shared(word, ptx::shared_address(base) + static_cast<unsigned>(offset));
#else
  expect_aligned<Bytes>(base + offset);
  touched(base + offset, Bytes, Access::read);
  std::memcpy(&word, base + offset, Bytes);
#endif
  return word;
}

/// One word to global memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes, CacheHints Hints>
DMA_HOST_DEVICE void store_global(unsigned char* base, long long offset, const Word<Bytes>& word) {
#if defined(__CUDA_ARCH__)
  auto* const to = reinterpret_cast<Word<Bytes>*>(base + offset);
  if constexpr (Hints.say_nothing()) {
    ptx::store_global(to, word);
  } else {
    ptx::store_global<Hints>(to, word);
  }
#else
  expect_aligned<Bytes>(base + offset);
  std::memcpy(base + offset, &word, Bytes);
#endif
}

/// The elements of a word, each added to the one at `to`.
///
/// @pre The address is a multiple of `Bytes`.
template <class Element, int Bytes>
DMA_HOST_DEVICE void add_global(unsigned char* to, const Word<Bytes>& word) {
#if defined(__CUDA_ARCH__)
  ptx::add_global(reinterpret_cast<Element*>(to), word);
#else
  expect_aligned<Bytes>(to);
  host::add_elements<Element>(to, reinterpret_cast<const unsigned char*>(&word), Bytes);
#endif
}

/// `Bytes` bytes from global to shared memory, asynchronously.
///
/// @pre Both addresses are multiples of `Bytes`.
template <int Bytes, CacheHints Hints>
DMA_HOST_DEVICE void copy_async(unsigned char* shared, int to, const unsigned char* global, long long from) {
#if defined(__CUDA_ARCH__)
  const unsigned place = ptx::shared_address(shared) + static_cast<unsigned>(to);
  if constexpr (Hints.say_nothing()) {
    ptx::copy_async<Bytes>(place, global + from);
  } else {
    ptx::copy_async<Bytes, Hints>(place, global + from);
  }
#else
  expect_aligned<Bytes>(shared + to);
  expect_aligned<Bytes>(global + from);
  this_thread().copy_async(shared + to, global + from, Bytes);
#endif
}

/// `bytes` bytes from global to shared memory by the copy engine, which reports them to `barrier`.
///
/// @pre Addresses and `bytes` are multiples of 16.
template <CacheHints Hints>
DMA_HOST_DEVICE void copy_bulk_to_shared(unsigned char* to, const unsigned char* from, int bytes, void* barrier) {
#if defined(__CUDA_ARCH__)
  if constexpr (Hints.say_nothing()) {
    ptx::copy_bulk_to_shared(ptx::shared_address(to), from, bytes, ptx::shared_address(barrier));
  } else {
    ptx::copy_bulk_to_shared<Hints>(ptx::shared_address(to), from, bytes, ptx::shared_address(barrier));
  }
#else
  expect_aligned<16>(to);
  expect_aligned<16>(from);
  this_thread().copy_bulk_to_shared(to, from, bytes, barrier);
#endif
}

/// `bytes` bytes from shared to global memory by the copy engine, in the thread's current bulk group.
///
/// @pre Addresses and `bytes` are multiples of 16.
template <CacheHints Hints>
DMA_HOST_DEVICE void copy_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) {
#if defined(__CUDA_ARCH__)
  if constexpr (Hints.say_nothing()) {
    ptx::copy_bulk_to_global(to, ptx::shared_address(from), bytes);
  } else {
    ptx::copy_bulk_to_global<Hints>(to, ptx::shared_address(from), bytes);
  }
#else
  expect_aligned<16>(to);
  expect_aligned<16>(from);
  this_thread().copy_bulk_to_global(to, from, bytes);
#endif
}

/// The elements of `bytes` bytes in shared memory, each added to the one in global memory, by the copy engine, in the
/// thread's current bulk group.
///
/// @pre Addresses and `bytes` are multiples of 16.
template <class Element, CacheHints Hints>
DMA_HOST_DEVICE void add_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) {
#if defined(__CUDA_ARCH__)
  ptx::add_bulk_to_global<Element, Hints>(to, ptx::shared_address(from), bytes);
#else
  expect_aligned<16>(to);
  expect_aligned<16>(from);
  this_thread().copy_box_to_global(
      from, [=] { host::add_elements<Element>(to, from, bytes); }, bytes);
#endif
}

DMA_HOST_DEVICE void commit_bulk_group() {
#if defined(__CUDA_ARCH__)
  ptx::commit_bulk_group();
#else
  this_thread().commit_bulk_group();
#endif
}

/// Waits until at most `Pending` of the thread's bulk groups still read shared memory.
template <int Pending>
DMA_HOST_DEVICE void wait_for_bulk_reads() {
#if defined(__CUDA_ARCH__)
  ptx::wait_for_bulk_reads<Pending>();
#else
  this_thread().wait_for_bulk_groups(Pending);
#endif
}

/// Waits until all of the thread's bulk groups are complete.
DMA_HOST_DEVICE void wait_for_bulk_groups() {
#if defined(__CUDA_ARCH__)
  ptx::wait_for_bulk_groups();
#else
  this_thread().wait_for_bulk_groups(0);
#endif
}

}  // namespace dma::machine
