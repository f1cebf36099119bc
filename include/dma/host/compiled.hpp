#pragma once

#include <cstddef>  // for the C library's __USE_FORTIFY_LEVEL

/// The emulator and the judges are inline functions, or compiled once for a program's units: with DMA_EMULATOR_APART
/// they are declared, and one source defines DMA_EMULATOR_HERE and includes `launch.hpp`, `run_group.hpp`,
/// `judge_grid.hpp` and `replay.hpp`. A program that sees every access of its kernels (DMA_EVERY_ACCESS,
/// docs/trust/proof.md) has them apart, in `every_access.cpp`: it is compiled with instrumentation, and they are not.
///
/// DMA_DETAIL_HAS_EMULATOR is 1 where they are defined, and DMA_DETAIL_COMPILED stands before their names.
#if defined(DMA_EVERY_ACCESS) && defined(__SANITIZE_THREAD__) && !defined(__OPTIMIZE__)
#error \
    "dma::host: a program that sees every access of its kernels sees reads of the compiler's own data where nothing is \
optimized; compile it with -O1 or -Og behind other options, as dma_see_every_access(<target>) does"
#endif
#if defined(DMA_EVERY_ACCESS) && defined(__SANITIZE_THREAD__) && defined(__USE_FORTIFY_LEVEL)
#if __USE_FORTIFY_LEVEL > 0
#error \
    "dma::host: a program that sees every access of its kernels does not see fortified memcpy, memmove and memset; \
compile it with -U_FORTIFY_SOURCE behind other options, as dma_see_every_access(<target>) does"
#endif
#endif

// Part of the names, so that units with DMA_EVERY_ACCESS do not link with an emulator without it, nor the reverse.
#if defined(DMA_EVERY_ACCESS)
#define DMA_DETAIL_EMULATOR_KIND [[gnu::abi_tag("with_DMA_EVERY_ACCESS")]]
#else
#define DMA_DETAIL_EMULATOR_KIND
#endif

#if defined(DMA_EMULATOR_HERE)
#define DMA_DETAIL_HAS_EMULATOR 1
#define DMA_DETAIL_COMPILED DMA_DETAIL_EMULATOR_KIND
#elif defined(DMA_EMULATOR_APART) || defined(DMA_EVERY_ACCESS)
#define DMA_DETAIL_HAS_EMULATOR 0
#define DMA_DETAIL_COMPILED DMA_DETAIL_EMULATOR_KIND
#else
#define DMA_DETAIL_HAS_EMULATOR 1
#define DMA_DETAIL_COMPILED inline
#endif

namespace dma::inline v0_1::proof {

/// Whether each load and store of a kernel is seen; else the library announces those that it knows of.
#if defined(DMA_EVERY_ACCESS)
inline constexpr bool sees_every_access = true;
#else
inline constexpr bool sees_every_access = false;
#endif

}  // namespace dma::inline v0_1::proof
