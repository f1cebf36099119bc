#pragma once

/// The copies of boxes by tensor maps, one function an access; those with cache hints, and with sums, are functions of
/// their own, as in `ptx/cached.hpp`. A comment begins with the title of the instruction's section in the PTX ISA. A
/// position is that of the box's first element, the innermost axis first.

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/gpu/ptx/cached.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// cp.async.bulk.tensor, global to shared memory: the box at `position` of the tensor that `descriptor` describes, zero
/// or NaN outside of it. Complete when the barrier has counted the bytes of the whole box.
template <int Rank>
DMA_DEVICE void copy_box_to_shared(unsigned to, const void* descriptor, const int (&position)[Rank], unsigned barrier) {
  if constexpr (Rank == 1) {
    asm volatile("cp.async.bulk.tensor.1d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0])
                 : "memory");
  } else if constexpr (Rank == 2) {
    asm volatile("cp.async.bulk.tensor.2d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
                 "[%2];" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "r"(position[1])
                 : "memory");
  } else if constexpr (Rank == 3) {
    asm volatile("cp.async.bulk.tensor.3d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
                 "[%2];" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "r"(position[1]), "r"(position[2])
                 : "memory");
  } else if constexpr (Rank == 4) {
    asm volatile("cp.async.bulk.tensor.4d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
                 "%6}], [%2];" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3])
                 : "memory");
  } else if constexpr (Rank == 5) {
    asm volatile("cp.async.bulk.tensor.5d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, "
                 "%7}], [%2];" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3]),
                 "r"(position[4])
                 : "memory");
  }
}

template <CacheHints Hints, int Rank>
DMA_DEVICE void copy_box_to_shared(unsigned to, const void* descriptor, const int (&position)[Rank], unsigned barrier) {
  using L2 = L2Policy<Hints.l2>;
  if constexpr (Rank == 1) {
    asm volatile("%4 cp.async.bulk.tensor.1d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes%5 [%0], [%1, {%3}], "
                 "[%2]%6" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
                 : "memory");
  } else if constexpr (Rank == 2) {
    asm volatile("%5 cp.async.bulk.tensor.2d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes%6 [%0], [%1, {%3, %4}], "
                 "[%2]%7" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "r"(position[1]), "C"(L2::begin), "C"(L2::level),
                 "C"(L2::end)
                 : "memory");
  } else if constexpr (Rank == 3) {
    asm volatile("%6 cp.async.bulk.tensor.3d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes%7 [%0], [%1, {%3, %4, "
                 "%5}], [%2]%8" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "r"(position[1]), "r"(position[2]), "C"(L2::begin),
                 "C"(L2::level), "C"(L2::end)
                 : "memory");
  } else if constexpr (Rank == 4) {
    asm volatile("%7 cp.async.bulk.tensor.4d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes%8 [%0], [%1, {%3, %4, %5, "
                 "%6}], [%2]%9" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3]),
                 "C"(L2::begin), "C"(L2::level), "C"(L2::end)
                 : "memory");
  } else if constexpr (Rank == 5) {
    asm volatile("%8 cp.async.bulk.tensor.5d." DMA_DETAIL_OWN_SHARED
                 ".global.tile.mbarrier::complete_tx::bytes%9 [%0], [%1, {%3, %4, %5, "
                 "%6, %7}], [%2]%10" ::"r"(to),
                 "l"(descriptor), "r"(barrier), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3]),
                 "r"(position[4]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
                 : "memory");
  }
}

/// cp.async.bulk.tensor, shared to global memory: elements of the box outside the tensor are not written. Part of the
/// thread's current bulk group.
template <int Rank>
DMA_DEVICE void copy_box_to_global(const void* descriptor, const int (&position)[Rank], unsigned from) {
  if constexpr (Rank == 1) {
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%2}], [%1];" ::"l"(descriptor),
                 "r"(from), "r"(position[0])
                 : "memory");
  } else if constexpr (Rank == 2) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(descriptor),
                 "r"(from), "r"(position[0]), "r"(position[1])
                 : "memory");
  } else if constexpr (Rank == 3) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2])
        : "memory");
  } else if constexpr (Rank == 4) {
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3])
        : "memory");
  } else if constexpr (Rank == 5) {
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(
                     descriptor),
                 "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3]), "r"(position[4])
                 : "memory");
  }
}

template <CacheHints Hints, int Rank>
DMA_DEVICE void copy_box_to_global(const void* descriptor, const int (&position)[Rank], unsigned from) {
  using L2 = L2Policy<Hints.l2>;
  if constexpr (Rank == 1) {
    asm volatile("%3 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group%4 [%0, {%2}], [%1]%5" ::"l"(descriptor),
                 "r"(from), "r"(position[0]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
                 : "memory");
  } else if constexpr (Rank == 2) {
    asm volatile(
        "%4 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group%5 [%0, {%2, %3}], [%1]%6" ::"l"(descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 3) {
    asm volatile(
        "%5 cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group%6 [%0, {%2, %3, %4}], [%1]%7" ::"l"(descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 4) {
    asm volatile("%6 cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group%7 [%0, {%2, %3, %4, %5}], [%1]%8" ::"l"(
                     descriptor),
                 "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3]), "C"(L2::begin),
                 "C"(L2::level), "C"(L2::end)
                 : "memory");
  } else if constexpr (Rank == 5) {
    asm volatile(
        "%7 cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group%8 [%0, {%2, %3, %4, %5, %6}], [%1]%9" ::"l"(
            descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3]), "r"(position[4]),
        "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  }
}

/// cp.reduce.async.bulk.tensor: the same with sums; each element is added separately, in the tensor's type.
template <CacheHints Hints, int Rank>
DMA_DEVICE void add_box_to_global(const void* descriptor, const int (&position)[Rank], unsigned from) {
  using L2 = L2Policy<Hints.l2>;
  if constexpr (Rank == 1) {
    asm volatile("%3 cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group%4 [%0, {%2}], [%1]%5" ::"l"(
                     descriptor),
                 "r"(from), "r"(position[0]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
                 : "memory");
  } else if constexpr (Rank == 2) {
    asm volatile(
        "%4 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group%5 [%0, {%2, %3}], [%1]%6" ::"l"(
            descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 3) {
    asm volatile(
        "%5 cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group%6 [%0, {%2, %3, %4}], [%1]%7" ::"l"(
            descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 4) {
    asm volatile(
        "%6 cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.tile.bulk_group%7 [%0, {%2, %3, %4, %5}], [%1]%8" ::
            "l"(descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3]), "C"(L2::begin),
        "C"(L2::level), "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 5) {
    asm volatile(
        "%7 cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group%8 [%0, {%2, %3, %4, %5, %6}], "
        "[%1]%9" ::"l"(descriptor),
        "r"(from), "r"(position[0]), "r"(position[1]), "r"(position[2]), "r"(position[3]), "r"(position[4]),
        "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  }
}

// Four rows of a tensor of two axes, whose boxes are one row. `place` is a column and the rows' numbers. No GPU has run
// these here.

/// Whether there is the first one: with PTX ISA 8.6 on sm_100 and newer.
inline constexpr bool has_gather =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    true;
#else
    false;
#endif
/// Whether there is the second one: for sm_100a and sm_110a, and, with PTX ISA 8.8, for their families.
inline constexpr bool has_scatter =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1200 &&                                 \
    (defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM100_ALL) || \
     defined(__CUDA_ARCH_FEAT_SM101_ALL))
    has_gather;
#else
    false;
#endif
/// cp.async.bulk.tensor, .tile::gather4: rows outside the tensor are its fill. Complete when the barrier has counted
/// the bytes of four rows.
template <CacheHints Hints>
DMA_DEVICE void gather_rows(unsigned to, const void* descriptor, const int (&place)[5], unsigned barrier) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile(
      "%8 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes%9 [%0], "
      "[%1, {%3, %4, %5, %6, %7}], [%2]%10" ::"r"(to),
      "l"(descriptor), "r"(barrier), "r"(place[0]), "r"(place[1]), "r"(place[2]), "r"(place[3]), "r"(place[4]),
      "C"(L2::begin), "C"(L2::level), "C"(L2::end)
      : "memory");
}
/// cp.async.bulk.tensor, .tile::scatter4: rows outside the tensor are not written. Part of the thread's current bulk
/// group.
template <CacheHints Hints>
DMA_DEVICE void scatter_rows(const void* descriptor, const int (&place)[5], unsigned from) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile(
      "%7 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group%8 [%0, {%2, %3, %4, %5, %6}], "
      "[%1]%9" ::"l"(descriptor),
      "r"(from), "r"(place[0]), "r"(place[1]), "r"(place[2]), "r"(place[3]), "r"(place[4]), "C"(L2::begin),
      "C"(L2::level), "C"(L2::end)
      : "memory");
}

}  // namespace dma::inline v0_1::ptx

#endif
