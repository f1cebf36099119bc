#pragma once

/// A kernel with each constructor and each transfer of CudaDMA's first version once. Every case brings 64 ints into
/// `out`, one after another in the array of its kind.

#include <dma/cudadma/version1.hpp>
#include <dma/dma.hpp>

struct FirstVersionCalls {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<2>>;
  static constexpr int ints = 64;         ///< of a case
  static constexpr int rows = 4;          ///< elements of a strided or indirect case, 64 bytes each
  static constexpr int src_stride = 128;  ///< bytes
  static constexpr int dst_stride = 80;   ///< bytes
  static constexpr int dma_id = 1;
  static constexpr int compute_threads = Layout::compute_threads;
  static constexpr int dma_threads = Layout::threads - compute_threads;
  struct Shared {
    alignas(16) int buffer[rows * src_stride / 4];
  };
  struct Cases {
    int* out;
    int count = 0;
    [[nodiscard]] DMA_HOST_DEVICE int* next() { return out + ints * count++; }
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<FirstVersionCalls>& cta, const int* in, const int* places,
                                  int* sequential, int* strided, int* gathered, int* counts) const {
    using namespace dma::cudadma;
    int* const buffer = cta.shared<Shared>().buffer;
    Cases in_order{sequential}, at_strides{strided}, named{gathered};

    const auto write_out = [&](int* out, int apart) {
      if (cta.thread() < compute_threads) {
        out[cta.thread()] = buffer[cta.thread() / 16 * (apart / 4) + cta.thread() % 16];
      }
    };
    const auto specialized = [&](const auto& dma, int* out, int apart, const auto& transfer) {
      if (dma.owns_this_thread()) {
        transfer();
      } else {
        dma.start_async_dma();
        dma.wait_for_dma_finish();
        write_out(out, apart);
      }
    };
    const auto by_hand = [&](const auto& dma, int* out, int apart) {
      specialized(dma, out, apart, [&] {
        dma.wait_for_dma_start();
        dma.execute_dma(in, buffer);
        dma.finish_async_dma();
      });
    };
    const auto together = [&](int* out, int apart, const auto& transfer) {
      cta.sync();
      transfer();
      cta.sync();
      write_out(out, apart);
    };

    {  // The paper's: in accesses of 16 bytes, and of 4 where the buffer's stride is no multiple of 16.
      cudaDMASequential<sizeof(int) * ints / dma_threads> a(dma_id, dma_threads, compute_threads, compute_threads, 256);
      by_hand(a, in_order.next(), 64);
      cudaDMAStrided<16> b(dma_id, dma_threads, compute_threads, compute_threads, 64, rows, src_stride, dst_stride);
      by_hand(b, at_strides.next(), dst_stride);
      cudaDMAStrided<16> c(dma_id, dma_threads, compute_threads, compute_threads, 64, rows, src_stride, 68);
      by_hand(c, at_strides.next(), 68);
    }
    {  // The repository's, sequential.
      cudaDMASequential<true, 16, 256, dma_threads> a(dma_id, compute_threads, compute_threads);
      specialized(a, in_order.next(), 64, [&] { a.execute_dma(in, buffer); });
      cudaDMASequential<true, 8, 256> b(dma_id, dma_threads, compute_threads, compute_threads);
      specialized(b, in_order.next(), 64, [&] { b.execute_dma(in, buffer); });
      cudaDMASequential<true, 4> c(dma_id, dma_threads, compute_threads, compute_threads, 256);
      specialized(c, in_order.next(), 64, [&] { c.execute_dma(in, buffer); });
      cudaDMASequential<false, 16, 256, Layout::threads> d;
      together(in_order.next(), 64, [&] { d.execute_dma(in, buffer); });
      cudaDMASequential<false, 16, 256> e;
      together(in_order.next(), 64, [&] { e.execute_dma(in, buffer); });
      cudaDMASequential<false, 4> f(256);
      together(in_order.next(), 64, [&] { f.execute_dma(in, buffer); });
    }
    {  // Strided: with one stride the buffer is dense.
      cudaDMAStrided<true, 16, 64, dma_threads, rows> a(dma_id, compute_threads, compute_threads, src_stride);
      specialized(a, at_strides.next(), 64, [&] { a.execute_dma(in, buffer); });
      cudaDMAStrided<true, 16, 64, dma_threads, rows> a2(dma_id, compute_threads, compute_threads, src_stride,
                                                         dst_stride);
      specialized(a2, at_strides.next(), dst_stride, [&] { a2.execute_dma(in, buffer); });
      cudaDMAStrided<true, 16, 64, dma_threads> b(dma_id, compute_threads, compute_threads, rows, src_stride);
      specialized(b, at_strides.next(), 64, [&] { b.execute_dma(in, buffer); });
      cudaDMAStrided<true, 16, 64> c(dma_id, dma_threads, compute_threads, compute_threads, rows, src_stride);
      specialized(c, at_strides.next(), 64, [&] { c.execute_dma(in, buffer); });
      cudaDMAStrided<true, 4> d(dma_id, dma_threads, compute_threads, compute_threads, 64, rows, src_stride);
      specialized(d, at_strides.next(), 64, [&] { d.execute_dma(in, buffer); });
      cudaDMAStrided<false, 16, 64, Layout::threads, rows> e(src_stride);
      together(at_strides.next(), 64, [&] { e.execute_dma(in, buffer); });
      cudaDMAStrided<false, 16, 64> f(rows, src_stride, dst_stride);
      together(at_strides.next(), dst_stride, [&] { f.execute_dma(in, buffer); });
      cudaDMAStrided<false, 4> g(64, rows, src_stride);
      together(at_strides.next(), 64, [&] { g.execute_dma(in, buffer); });
    }
    {  // Gathered. (Version 2.0's kernel scatters.)
      cudaDMAIndirect<true, true, 16, 64, dma_threads, rows> a(dma_id, compute_threads, compute_threads);
      specialized(a, named.next(), 64, [&] { a.execute_dma(places, in, buffer); });
      cudaDMAIndirect<true, true, 16, 64> b(dma_id, dma_threads, compute_threads, compute_threads, rows);
      specialized(b, named.next(), 64, [&] { b.execute_dma(places, in, buffer); });
      cudaDMAIndirect<true, false, 4> c(64, rows);
      together(named.next(), 64, [&] { c.execute_dma(places, in, buffer); });
    }
    if (cta.thread() == 0) {
      counts[0] = in_order.count;
      counts[1] = at_strides.count;
      counts[2] = named.count;
    }
  }
};
