#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/ptx/sync.hpp>
#include <dma/machine/ptx/tensor.hpp>
#include <dma/patterns/box.hpp>

#if !defined(__CUDA_ARCH__)
#include <dma/engines/tensor/host_tensor_map.hpp>
#endif

/// Copies of a box by its descriptor, on whichever machine the code runs.
namespace dma::machine {

/// The box of `pattern`, from the described array to `to`; its bytes are reported to `barrier`.
template <CacheHints Hints, class Pattern>
DMA_HOST_DEVICE void copy_box_to_shared(unsigned char* to, const TensorDescriptor& descriptor, const Pattern& pattern,
                                        void* barrier) {
#if defined(__CUDA_ARCH__)
  const auto box = pattern.box();
  if constexpr (Hints.say_nothing()) {
    ptx::copy_box_to_shared(ptx::shared_address(to), &descriptor, box.position, ptx::shared_address(barrier));
  } else {
    ptx::copy_box_to_shared<Hints>(ptx::shared_address(to), &descriptor, box.position, ptx::shared_address(barrier));
  }
#else
  const unsigned char* const array = host::described_array(descriptor, pattern);
  machine::this_thread().copy_box_to_shared(
      to, [=] { host::load_box(to, array, pattern); }, box_bytes(pattern), barrier);
#endif
}

/// The box of `pattern`, from `from` to the described array, in the thread's current bulk group.
template <CacheHints Hints, class Pattern>
DMA_HOST_DEVICE void copy_box_to_global(const TensorDescriptor& descriptor, const unsigned char* from,
                                        const Pattern& pattern) {
#if defined(__CUDA_ARCH__)
  const auto box = pattern.box();
  if constexpr (Hints.say_nothing()) {
    ptx::copy_box_to_global(&descriptor, box.position, ptx::shared_address(from));
  } else {
    ptx::copy_box_to_global<Hints>(&descriptor, box.position, ptx::shared_address(from));
  }
#else
  unsigned char* const array = host::described_array(descriptor, pattern);
  machine::this_thread().copy_box_to_global(
      from, [=] { host::store_box(array, from, pattern); }, box_bytes(pattern));
#endif
}

/// The same with sums: each element of the box is added to the one in the described array.
template <CacheHints Hints, class Pattern>
DMA_HOST_DEVICE void add_box_to_global(const TensorDescriptor& descriptor, const unsigned char* from,
                                       const Pattern& pattern) {
#if defined(__CUDA_ARCH__)
  const auto box = pattern.box();
  ptx::add_box_to_global<Hints>(&descriptor, box.position, ptx::shared_address(from));
#else
  unsigned char* const array = host::described_array(descriptor, pattern);
  machine::this_thread().copy_box_to_global(
      from, [=] { host::add_box(array, from, pattern); }, box_bytes(pattern));
#endif
}

}  // namespace dma::machine
