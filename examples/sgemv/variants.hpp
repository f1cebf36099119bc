#pragma once

/// The six variants of section 6.1 by name, and which alignment a problem allows.

#include "kernel.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sgemv {

inline constexpr const char* variant_names[] = {"vec-single",  "vec-double",  "vec-manual",
                                                "both-single", "both-double", "both-manual"};

// Warps by variant: compute warps, then the DMA groups of x, then those of A.
using VecWarps = dma::WarpLayout<dma::Compute<8>, dma::Dma<1>>;
using VecWarpsDouble = dma::WarpLayout<dma::Compute<8>, dma::Dma<1>, dma::Dma<1>>;
using BothWarps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<4>>;
using BothWarpsDouble = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<1>, dma::Dma<4>, dma::Dma<4>>;

template <int Alignment>
using VecSingle = Vec<dma::SingleBuffer<VecWarps>, Alignment>;
template <int Alignment>
using VecDouble = Vec<dma::DoubleBuffer<VecWarpsDouble>, Alignment>;
template <int Alignment>
using VecManual = Vec<dma::ManualDoubleBuffer<VecWarps>, Alignment>;
template <int Alignment>
using BothSingle = Both<dma::SingleBuffer<BothWarps>, dma::SingleBuffer<BothWarps, 1>, Alignment>;
template <int Alignment>
using BothDouble = Both<dma::DoubleBuffer<BothWarpsDouble>, dma::DoubleBuffer<BothWarpsDouble, 2>, Alignment>;
template <int Alignment>
using BothManual = Both<dma::ManualDoubleBuffer<BothWarps>, dma::ManualDoubleBuffer<BothWarps, 1>, Alignment>;

/// Whether every tile of A and of x begins on 16 bytes and ends on them.
inline bool allows_wide_accesses(const Problem& p) {
  const auto is_aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; };
  return is_aligned(p.a) && is_aligned(p.x) && p.lda % 4 == 0 && p.m % 4 == 0;
}

inline dma::Index3 grid_of(const Problem& p) { return {(p.m + block_rows - 1) / block_rows}; }

template <int Alignment, class Run>
void with_variant(std::string_view name, const Run& run) {
  if (name == "vec-single") {
    run(VecSingle<Alignment>{});
  } else if (name == "vec-double") {
    run(VecDouble<Alignment>{});
  } else if (name == "vec-manual") {
    run(VecManual<Alignment>{});
  } else if (name == "both-single") {
    run(BothSingle<Alignment>{});
  } else if (name == "both-double") {
    run(BothDouble<Alignment>{});
  } else if (name == "both-manual") {
    run(BothManual<Alignment>{});
  } else {
    throw std::invalid_argument("sgemv: there is no variant " + std::string(name));
  }
}

/// Calls `run(kernel)` with the kernel body that `name` and the problem's alignment ask for.
template <class Run>
void with_kernel(std::string_view name, const Problem& p, const Run& run) {
  if (allows_wide_accesses(p)) {
    with_variant<16>(name, run);
  } else {
    with_variant<4>(name, run);
  }
}

}  // namespace sgemv
