#pragma once

/// The paper's figures 4, 6 and 7 as kernels, with the names of CudaDMA's first version. Each line of the figures has
/// its line here; what differs is said.
///
/// Source  SC'11, sections 3.1, 4.2 and 4.3

#include <dma/cudadma/version1.hpp>
#include <dma/dma.hpp>

namespace figures {

using namespace dma::cudadma;

/// Figure 4: a product of a matrix of m rows and n columns, column by column, with a vector. A warp of DMA threads
/// loads the vector, `DmaThreadsStrided` threads load the matrix, and each compute thread has a row.
///
/// The figure takes the matrix for square: it writes `n` for the distance of two columns and for the number of rows.
///
/// @pre m is a multiple of COMPUTE_THREADS, n of VEC_ELMTS.
struct PaperSgemv {
  static constexpr int VEC_ELMTS = 32;
  static constexpr int COMPUTE_THREADS = 64;
  static constexpr int DMA_THREADS_SEQ = 32;
  static constexpr int DMA_THREADS_STRD = 64;
  using Layout = dma::WarpLayout<dma::Compute<COMPUTE_THREADS / 32>, dma::Dma<DMA_THREADS_SEQ / 32>,
                                 dma::Dma<DMA_THREADS_STRD / 32>>;
  struct Shared {
    alignas(16) float buff[VEC_ELMTS];
    alignas(16) float mat[VEC_ELMTS][COMPUTE_THREADS];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<PaperSgemv>& cta, int n, int m, float alpha, const float* A,
                                  const float* x, float* y) const {
    auto& [buff, mat] = cta.shared<Shared>();

    cudaDMASequential<sizeof(float) * VEC_ELMTS / DMA_THREADS_SEQ> dma_ld_0(1, DMA_THREADS_SEQ, COMPUTE_THREADS,
                                                                            COMPUTE_THREADS, sizeof(float) * VEC_ELMTS);
    cudaDMAStrided<sizeof(float) * VEC_ELMTS * COMPUTE_THREADS / DMA_THREADS_STRD> dma_ld_1(
        2, DMA_THREADS_STRD, COMPUTE_THREADS, COMPUTE_THREADS + DMA_THREADS_SEQ, sizeof(float) * COMPUTE_THREADS,
        VEC_ELMTS, static_cast<int>(sizeof(float)) * m, sizeof(float) * COMPUTE_THREADS);

    if (cta.thread() < COMPUTE_THREADS) {
      dma_ld_0.start_async_dma();
      dma_ld_1.start_async_dma();
      float res = 0.0F;
      for (int i = 0; i < n; i += VEC_ELMTS) {
        dma_ld_0.wait_for_dma_finish();
        dma_ld_1.wait_for_dma_finish();
        for (int j = 0; j < VEC_ELMTS; j++) {
          res += mat[j][cta.thread()] * buff[j];
        }
        dma_ld_0.start_async_dma();
        dma_ld_1.start_async_dma();
      }
      const int ind = cta.block().x * COMPUTE_THREADS + cta.thread();
      if (ind < m) y[ind] = alpha * res;
    } else if (dma_ld_0.owns_this_thread()) {
      dma_ld_0.wait_for_dma_start();
      for (int idx = 0; idx < n; idx += VEC_ELMTS) {
        dma_ld_0.execute_dma(x, buff);
        dma_ld_0.finish_async_dma();
        dma_ld_0.wait_for_dma_start();
        x += VEC_ELMTS;
      }
    } else if (dma_ld_1.owns_this_thread()) {
      dma_ld_1.wait_for_dma_start();
      for (int idx = 0; idx < n; idx += VEC_ELMTS) {
        dma_ld_1.execute_dma(A + 1LL * idx * m + cta.block().x * COMPUTE_THREADS, mat);
        dma_ld_1.finish_async_dma();
        dma_ld_1.wait_for_dma_start();
      }
    }
  }
};

/// Figure 6: the four calls on an object's two named barriers, around a transfer of the kernel's own. Each compute
/// thread adds up the words that its DMA thread has put down.
struct PaperHandOver {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  struct Shared {
    int buffer[32];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<PaperHandOver>& cta, const int* in, int* out, int transfers) const {
    int(&buffer)[32] = cta.shared<Shared>().buffer;
    const cudaDMACustom object(1, 32, 32, 32);
    if (object.owns_this_thread()) {
      for (int i = 0; i < transfers; ++i) {
        object.wait_for_dma_start();
        buffer[31 - cta.lane()] = in[i * 32 + cta.lane()];
        object.finish_async_dma();
      }
    } else {
      int sum = 0;
      for (int i = 0; i < transfers; ++i) {
        object.start_async_dma();
        object.wait_for_dma_finish();
        sum += buffer[cta.lane()];
      }
      out[cta.lane()] = sum;
    }
  }
};

/// Of figure 7: (a), (b) and (c).
enum class Buffers { single_buffer, of_two_groups, of_one_group };

/// Figure 7: one buffer; two with DMA warps each; two that the same DMA warps fill in turn. Each compute thread doubles
/// its words of a tile of 1 KB.
template <Buffers buffering>
struct PaperBuffering {
  static constexpr int tile = 256;  ///< ints
  static constexpr int dma_threads = 32;
  static constexpr int compute_threads = 64;
  static constexpr bool has_two_buffers = buffering != Buffers::single_buffer;
  static constexpr bool has_two_groups = buffering == Buffers::of_two_groups;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<has_two_groups ? 2 : 1>>;
  using Object = cudaDMASequential<true, 16, tile * 4, dma_threads>;
  struct Shared {
    alignas(16) int A[tile];
    alignas(16) int B[tile];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<PaperBuffering>& cta, const int* in, int* out, int tiles) const {
    auto& [A, B] = cta.template shared<Shared>();
    const Object a(0, compute_threads, compute_threads);
    const Object b(1, compute_threads, compute_threads + (has_two_groups ? dma_threads : 0));
    if (cta.thread() < compute_threads) {
      const auto double_words = [&](const int* from, int* to) {
        for (int i = cta.thread(); i < tile; i += compute_threads) {
          to[i] = 2 * from[i];
        }
      };
      a.start_async_dma();
      if (has_two_buffers && tiles > 1) {
        b.start_async_dma();
      }
      for (int t = 0; t < tiles; ++t) {
        const bool is_in_b = has_two_buffers && t % 2 == 1;
        const Object& object = is_in_b ? b : a;
        object.wait_for_dma_finish();
        double_words(is_in_b ? B : A, out + t * tile);
        if (t + (has_two_buffers ? 2 : 1) < tiles) {
          object.start_async_dma();
        }
      }
    } else {
      for (int t = 0; t < tiles; ++t) {
        const bool is_in_b = has_two_buffers && t % 2 == 1;
        if ((is_in_b ? b : a).owns_this_thread()) {
          (is_in_b ? b : a).execute_dma(in + t * tile, is_in_b ? B : A);
        }
      }
    }
  }
};

}  // namespace figures
