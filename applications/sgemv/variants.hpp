#pragma once

/// The kernels, and which of them a problem uses.

#include "direct.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sgemv {

// --- the six variants of section 6.1 --------------------------------------------------------------------------------

// Warps by variant: compute warps, then the DMA groups of x, then those of A.
using VecWarps = dma::WarpLayout<dma::Compute<8>, dma::Dma<1>>;
using VecWarpsDouble = dma::WarpLayout<dma::Compute<8>, dma::Dma<1>, dma::Dma<1>>;
using BothWarps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<4>>;
using BothWarpsDouble = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<1>, dma::Dma<4>, dma::Dma<4>>;

struct BothSingle {
  using OfX = dma::SingleBuffer<BothWarps>;
  using OfA = dma::SingleBuffer<BothWarps, 1>;
};
struct BothDouble {
  using OfX = dma::DoubleBuffer<BothWarpsDouble>;
  using OfA = dma::DoubleBuffer<BothWarpsDouble, 2>;
};
struct BothManual {
  using OfX = dma::ManualDoubleBuffer<BothWarps>;
  using OfA = dma::ManualDoubleBuffer<BothWarps, 1>;
};

/// 32 outputs a CTA, 256 elements of x at a time.
template <Op op>
inline constexpr Tile paper_tile = op == Op::n ? Tile{32, 256} : Tile{256, 32};

// --- and today's ----------------------------------------------------------------------------------------------------

template <int compute_warps, int stages>
struct Streamed {
  using Warps = dma::WarpLayout<dma::Compute<compute_warps>, dma::Dma<1>, dma::Dma<4>>;
  using OfX = dma::MultiBuffer<Warps, stages>;
  using OfA = dma::MultiBuffer<Warps, stages, dma::DmaGroups{.first = 1}>;
};

inline constexpr const char* variant_names[] = {"vec-single",  "vec-double",  "vec-manual", "both-single",
                                                "both-double", "both-manual", "best"};

/// A kernel, and the number of parts of the summed axis.
struct Plan {
  int blocks;
  int parts;

  [[nodiscard]] dma::Index3 grid() const { return {blocks, parts}; }
  /// Elements of `Workspace::partial` for kernels of `outputs` outputs a block.
  [[nodiscard]] std::size_t partial_sums(int outputs) const {
    return parts == 1 ? 0 : static_cast<std::size_t>(blocks) * static_cast<std::size_t>(parts * outputs);
  }
};

/// As many parts as make `ctas` CTAs, each with at least one tile.
[[nodiscard]] inline Plan plan_of(const Problem& p, int outputs, int summed, int ctas) {
  const int blocks = (p.outputs() - 1) / outputs + 1;
  const int tiles = (p.summed() - 1) / summed + 1;
  int parts = 1;
  while (blocks * static_cast<long long>(parts) < ctas && parts * 2 <= tiles) {
    parts *= 2;
  }
  return {blocks, parts};
}

/// The alignment that A's columns and x allow, and whether x is dense.
[[nodiscard]] inline Access access_of(const Problem& p) {
  const auto is_aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; };
  const bool is_dense = p.incx == 1;
  const bool is_wide = is_dense && is_aligned(p.a) && is_aligned(p.x) && p.lda % 4 == 0 && p.m % 4 == 0 &&
                       (p.op == Op::t || p.n % 4 == 0);
  return {is_wide ? 16 : 4, is_dense};
}

inline constexpr int most_rows_or_cols = 0x7fff0000;

/// Throws for arguments that BLAS refuses, and for sizes that do not fit an int.
inline void expect_valid(const Problem& p) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("sgemv: " + what); };
  if (p.m < 0 || p.n < 0) {
    refuse("m and n are numbers of rows and columns; give none below 0");
  }
  if (p.m > most_rows_or_cols || p.n > most_rows_or_cols) {
    refuse("rows and columns are counted in ints, a tile beyond the last; give at most 2^31 - 65536 of either");
  }
  if (p.lda < p.m || p.lda < 1) {
    refuse("lda is from one column to the next; give at least m, and at least 1");
  }
  if (p.incx == 0 || p.incy == 0) {
    refuse("incx and incy are from one element to the next; give none that is 0");
  }
  if (const long long span = (p.summed() - 1LL) * p.incx; span != static_cast<int>(span)) {
    refuse("the last element of x is " + std::to_string(span) +
           " elements from the first, and kernels count in ints; "
           "give a smaller incx");
  }
}

/// The kernel of a shape, as measured on an H200: the first line that fits. `ctas` is the least number of CTAs, where
/// rows and columns allow it. Wide accesses only.
template <class Run>
void with_measured_n(const Problem& p, const Run& run) {
  constexpr Access wide{};
  const auto take = [&]<class Kernel>(int ctas) {
    run(Kernel{}, plan_of(p, Kernel::outputs, Kernel::Tiles::summed, ctas));
  };
  using VecBuffer = dma::MultiBuffer<VecWarps, 2>;
  const long long elements = static_cast<long long>(p.m) * p.n;
  // clang-format off
  if (p.m <= 256 && p.n > 2048)       take.template operator()<Direct<Op::n, Tile{32, 256}, 8, wide>>(256);
  else if (elements <= 192 * 192)     take.template operator()<Direct<Op::n, Tile{16, 128}, 4, wide>>(1);
  else if (elements <= 640 * 640)     take.template operator()<Direct<Op::n, Tile{16, 512}, 8, wide>>(1);
  else if (elements <= 1280 * 1280)   take.template operator()<Direct<Op::n, Tile{16, 1024}, 8, wide>>(1);
  else if (p.m <= 1024 || p.n <= 512) take.template operator()<Direct<Op::n, Tile{128, 64}, 8, wide>>(256);
  else if (p.m <= 2560)               take.template operator()<Direct<Op::n, Tile{16, 1024}, 16, wide>>(96);
  else if (p.m <= 3584)               take.template operator()<Direct<Op::n, Tile{128, 64}, 8, wide>>(192);
  else if (p.m <= 5120)               take.template operator()<Both<Op::n, Tile{32, 256}, Streamed<8, 2>, wide>>(96);
  else if (p.m <= 14336)              take.template operator()<Vec<Op::n, Tile{32, 256}, VecBuffer, wide>>(128);
  else                                take.template operator()<Vec<Op::n, Tile{64, 128}, VecBuffer, wide>>(256);
  // clang-format on
}
template <class Run>
void with_measured_t(const Problem& p, const Run& run) {
  constexpr Access wide{};
  const auto take = [&]<Tile tile, int warps>(int ctas) {
    using Kernel = Direct<Op::t, tile, warps, wide>;
    run(Kernel{}, plan_of(p, Kernel::outputs, Kernel::Tiles::summed, ctas));
  };
  // clang-format off
  if (p.m <= 128 && p.n > 8192)  take.template operator()<Tile{128, 16}, 4>(1);
  else if (p.m <= 384)           take.template operator()<Tile{512, 4}, 4>(1);
  else if (p.m <= 640)           take.template operator()<Tile{512, 8}, 8>(1);
  else if (p.m <= 768)           take.template operator()<Tile{768, 4}, 4>(1);
  else if (p.m <= 1024)          take.template operator()<Tile{1024, 8}, 8>(1);
  else if (p.m <= 1536)          take.template operator()<Tile{768, 4}, 4>(128);
  else if (p.m <= 2560)          take.template operator()<Tile{1024, 8}, 8>(256);
  else if (p.n <= 512)           take.template operator()<Tile{1024, 8}, 8>(256);
  else if (p.m <= 3328)          take.template operator()<Tile{768, 4}, 4>(512);
  else                           take.template operator()<Tile{2048, 2}, 2>(512);
  // clang-format on
}

/// Any other alignment and stride.
template <Op op, Access access, class Run>
void with_general(const Problem& p, const Run& run) {
  using Kernel = Direct<op, op == Op::n ? Tile{32, 256} : Tile{512, 4}, op == Op::n ? 8 : 4, access>;
  run(Kernel{}, plan_of(p, Kernel::Tiles::outputs, Kernel::Tiles::summed, 256));
}

/// Calls `run(kernel)` with one of the six variants. False for any other name.
template <Op op, Access access, class Run>
bool with_paper_variant(std::string_view name, const Run& run) {
  constexpr Tile tile = paper_tile<op>;
  if (name == "vec-single") {
    run(Vec<op, tile, dma::SingleBuffer<VecWarps>, access>{});
  } else if (name == "vec-double") {
    run(Vec<op, tile, dma::DoubleBuffer<VecWarpsDouble>, access>{});
  } else if (name == "vec-manual") {
    run(Vec<op, tile, dma::ManualDoubleBuffer<VecWarps>, access>{});
  } else if (name == "both-single") {
    run(Both<op, tile, BothSingle, access>{});
  } else if (name == "both-double") {
    run(Both<op, tile, BothDouble, access>{});
  } else if (name == "both-manual") {
    run(Both<op, tile, BothManual, access>{});
  } else {
    return false;
  }
  return true;
}

template <Op op, Access access, class Run>
void with_variant(std::string_view name, const Problem& p, const Run& run) {
  if (with_paper_variant<op, access>(name, [&](const auto& kernel) { run(kernel, plan_of(p, 32, 256, 1)); })) {
    return;
  }
  if (name != "best") {
    throw std::invalid_argument("sgemv: there is no variant " + std::string(name));
  } else if constexpr (access.alignment == 16) {
    if constexpr (op == Op::n) {
      with_measured_n(p, run);
    } else {
      with_measured_t(p, run);
    }
  } else {
    with_general<op, access>(p, run);
  }
}

template <Op op, class Run>
void with_access(std::string_view name, const Problem& p, const Run& run) {
  const Access access = access_of(p);
  if (!access.x_is_dense) {
    with_variant<op, Access{4, false}>(name, p, run);
  } else if (access.alignment == 4) {
    with_variant<op, Access{4, true}>(name, p, run);
  } else {
    with_variant<op, Access{}>(name, p, run);
  }
}

/// Calls `run(kernel, plan)` with the kernel body for `name` and the problem; does not call it where BLAS has nothing
/// to do. "best" is the entry point that chooses by shape.
template <class Run>
void with_kernel(std::string_view name, const Problem& p, const Run& run) {
  expect_valid(p);
  if (p.m == 0 || p.n == 0 || (p.alpha == 0 && p.beta == 1)) {
    return;
  }
  if (p.alpha == 0) {
    run(ScaleY{}, plan_of(p, ScaleY::Layout::threads, p.summed(), 1));
  } else if (p.op == Op::n) {
    with_access<Op::n>(name, p, run);
  } else {
    with_access<Op::t>(name, p, run);
  }
}

/// The size of a problem's workspace: elements of either array.
struct WorkspaceSize {
  std::size_t partial_sums = 0;
  std::size_t counters = 0;
};
[[nodiscard]] inline WorkspaceSize workspace_of(std::string_view name, const Problem& p) {
  WorkspaceSize size;
  with_kernel(name, p, [&](const auto& kernel, const Plan& plan) {
    size = {plan.partial_sums(kernel.outputs), static_cast<std::size_t>(plan.blocks)};
  });
  return size;
}

}  // namespace sgemv
