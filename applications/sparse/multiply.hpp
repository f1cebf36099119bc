#pragma once

/// Products by the forms that are the fastest on an H200, as the plan chooses. `launch` is a `GpuLauncher` (launch.cuh)
/// or the emulator's, which a program has in its host.cpp: `launch(kernel, grid, args...)` runs a kernel, and
/// `launch.sms` are the multiprocessors.

#include "blocked_ell.hpp"
#include "ell.hpp"
#include "ell_spmm.hpp"
#include "plan.hpp"
#include "rows.hpp"
#include "split_rows.hpp"
#include "spmm.hpp"
#include "spmv.hpp"

#include <dma/dma.hpp>

#include <cstddef>

namespace sparse {

/// Chunks of rows of all lengths: a vector's by warps that read for themselves, the rows of B by a DMA warp's help.
using PlainChoice = Spmv<PlainChunks<4>, 8>;
template <int Cols>
using SpmmChoice = Spmm<StreamedChunks<8, 2>, Cols, 3>;
/// The form of `Spmv` with a DMA warp, for comparison.
using StreamedChoice = Spmv<StreamedChunks<8, 2>, 3>;

/// ELLPACK with 32 and 64 columns.
template <int Cols>
using EllSpmmChoice = EllSpmm<8, Cols, 16, 2, 3>;

/// Dense blocks of 64 x 64.
inline constexpr int blocked_edge = 64;
using BlockedEllChoice = BlockedEllSpmm<blocked_edge, 32, 2, 4>;

/// A matrix and its plan, in the memory of the machine that multiplies.
struct PlannedMatrix {
  Csr csr;
  int lanes;          ///< of `Plan`
  bool is_scattered;  ///< likewise
  const ChunkStart* starts;
  int chunks;
  const SplitRow* split;
  int split_rows;
  float* heads;  ///< `head_elements` of them

  [[nodiscard]] Chunks all_chunks() const { return {starts, chunks, heads}; }
};

/// Room for the parts of split rows, for products with `columns` columns.
[[nodiscard]] inline std::size_t head_elements(const Plan& plan, int columns) {
  return plan.starts.size() * static_cast<std::size_t>(columns);
}

[[nodiscard]] inline int ctas_for(int items, int a_cta) { return (items + a_cta - 1) / a_cta; }

/// As many CTAs as the machine holds at a time, or `ctas` where these are fewer.
template <class Kernel, class Launcher>
[[nodiscard]] int resident(const Launcher& launch, int ctas) {
  const int most = launch.sms * Kernel::traits.min_ctas;
  return most < ctas ? most : ctas;
}

/// y = alpha A x + beta y by chunks. With a DMA warp, CTAs are as many as are resident.
template <class Kernel, class Launcher>
void multiply_chunks(const Launcher& launch, const PlannedMatrix& a, const Vectors& vectors) {
  int ctas = ctas_for(a.chunks, Kernel::warps);
  if (Kernel::Layout::is_specialized) {
    ctas = resident<Kernel>(launch, ctas);
  }
  launch(Kernel{}, {ctas}, a.csr, a.all_chunks(), vectors);
  if (a.split_rows > 0) {
    using Add = AddSplitRows<float, 1>;
    launch(Add{}, {ctas_for(a.split_rows, Add::Layout::compute_warps)}, a.split, a.split_rows,
           static_cast<const float*>(a.heads), vectors.alpha, vectors.y, 1);
  }
}

template <int Lanes, class Launcher>
void multiply_rows(const Launcher& launch, const PlannedMatrix& a, const Vectors& vectors) {
  const auto launch_rows = [&]<class Kernel>(const Kernel& kernel) {
    launch(kernel, {ctas_for(a.csr.rows, Kernel::rows_a_cta)}, a.csr, vectors);
  };
  a.is_scattered ? launch_rows(SpmvOfScatteredRows<Lanes>{}) : launch_rows(SpmvOfRows<Lanes>{});
}

/// y = alpha A x + beta y.
/// @pre The matrix has a row.
template <class Launcher>
void multiply(const Launcher& launch, const PlannedMatrix& a, const Vectors& vectors) {
  switch (a.lanes) {
    case 1:
      return multiply_rows<1>(launch, a, vectors);
    case 2:
      return multiply_rows<2>(launch, a, vectors);
    case 4:
      return multiply_rows<4>(launch, a, vectors);
    case 8:
      return multiply_rows<8>(launch, a, vectors);
    case 16:
      return multiply_rows<16>(launch, a, vectors);
    default:
      return multiply_chunks<PlainChoice>(launch, a, vectors);
  }
}

/// The same of ELLPACK form.
template <class Launcher>
void multiply(const Launcher& launch, const Ell& a, const Vectors& vectors) {
  launch(EllSpmvOfRows{}, {ctas_for(a.rows, EllSpmvOfRows::rows)}, a, vectors);
}
template <class Launcher>
void multiply_streamed(const Launcher& launch, const Ell& a, const Vectors& vectors) {
  using Kernel = EllSpmv<8, 2, 4, 2, 3>;
  launch(Kernel{}, {resident<Kernel>(launch, ctas_for(a.rows, Kernel::rows))}, a, vectors);
}

/// C = alpha A B + beta C, with `columns` a multiple of `Cols`.
/// @pre The matrix has a row.
template <int Cols, class Launcher>
void multiply_panels(const Launcher& launch, const PlannedMatrix& a, const Panels& panels, int columns) {
  const int panels_of_cols = columns / Cols;
  // A row of few columns has few lanes, which are many steps behind in a long row of A.
  if (a.lanes != 0 && (Cols >= 32 || a.lanes <= 2)) {
    using Kernel = SpmmOfRows<Cols>;
    return launch(Kernel{}, {ctas_for(a.csr.rows, Kernel::rows_a_cta), panels_of_cols}, a.csr, panels);
  }
  using Kernel = SpmmChoice<Cols>;
  const int ctas = resident<Kernel>(launch, ctas_for(a.chunks, Kernel::warps));
  launch(Kernel{}, {ctas, panels_of_cols}, a.csr, a.all_chunks(), panels);
  if (a.split_rows > 0) {
    using Add = AddSplitRows<Quad, Kernel::quads>;
    launch(Add{}, {ctas_for(a.split_rows, Add::Layout::compute_warps), panels_of_cols}, a.split, a.split_rows,
           dma::vectors(static_cast<const float*>(a.heads)), panels.alpha, dma::vectors(panels.c), panels.ldc / 4);
  }
}

/// C = alpha A B + beta C, with `columns` a multiple of 8.
template <class Launcher>
void multiply(const Launcher& launch, const PlannedMatrix& a, const Panels& panels, int columns) {
  if (columns % 128 == 0) {
    multiply_panels<128>(launch, a, panels, columns);
  } else if (columns % 32 == 0) {
    multiply_panels<32>(launch, a, panels, columns);
  } else {
    multiply_panels<8>(launch, a, panels, columns);
  }
}

/// The same of ELLPACK form.
template <class Launcher>
void multiply(const Launcher& launch, const Ell& a, const Panels& panels, int columns) {
  const auto streamed = [&](auto cols) {
    using Kernel = EllSpmmChoice<cols>;
    launch(Kernel{}, {resident<Kernel>(launch, ctas_for(a.rows, Kernel::rows)), columns / cols}, a, panels);
  };
  if (columns % 64 == 0) {
    streamed(dma::Constant<64>{});
  } else if (columns % 32 == 0) {
    streamed(dma::Constant<32>{});
  } else {
    using Kernel = EllSpmmOfRows<8>;
    launch(Kernel{}, {ctas_for(a.rows, Kernel::rows_a_cta), columns / 8}, a, panels);
  }
}

/// The same of Blocked-ELLPACK form, with `columns` a multiple of 32.
template <class Launcher>
void multiply(const Launcher& launch, const BlockedEll<blocked_edge>& a, const Panels& panels, int columns) {
  using Kernel = BlockedEllChoice;
  launch(Kernel{}, {resident<Kernel>(launch, a.rows), columns / 32}, a, panels);
}

}  // namespace sparse
