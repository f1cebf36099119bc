#pragma once

/// A kernel with each constructor and each call of CudaDMA 2.0 once. Every case brings 64 ints into `out`, one after
/// another in the array of its kind.

#include <dma/cudadma/version2.hpp>
#include <dma/dma.hpp>

struct EveryCall {
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
    int places[rows];
  };
  struct Cases {
    int* out;
    int count = 0;
    [[nodiscard]] DMA_HOST_DEVICE int* next() { return out + ints * count++; }
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<EveryCall>& cta, const int* in, const int* places, int* sequential,
                                  int* strided, int* gathered, int* scattered, int* counts) const {
    using namespace dma::cudadma;
    auto& shared = cta.shared<Shared>();
    int* const buffer = shared.buffer;
    Cases in_order{sequential}, at_strides{strided}, named{gathered}, spread{scattered};

    // The compute threads see row r of the buffer, `apart` bytes after the one before.
    const auto write_out = [&](int* out, int apart) {
      if (cta.thread() < compute_threads) {
        const int* const word = buffer + cta.thread() / 16 * (apart / 4) + cta.thread() % 16;
        dma::machine::touched(const_cast<int*>(word), 4, dma::machine::Access::read);
        out[cta.thread()] = *word;
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
    const auto together = [&](int* out, int apart, const auto& transfer) {
      cta.sync();
      transfer();
      cta.sync();
      write_out(out, apart);
    };

    {  // Sequential, specialized: the constructors, and the calls in all forms.
      CudaDMASequential<true, 16, 64, 256, dma_threads> a(dma_id, compute_threads, compute_threads);
      specialized(a, in_order.next(), 64, [&] { a.execute_dma(in, buffer); });
      specialized(a, in_order.next(), 64, [&] { a.execute_dma<true>(in, buffer); });
      specialized(a, in_order.next(), 64,
                  [&] { a.execute_dma<true, LOAD_CACHE_STREAMING, STORE_CACHE_GLOBAL>(in, buffer); });
      specialized(a, in_order.next(), 64, [&] {
        a.start_xfer_async(in);
        a.wait_xfer_finish(buffer);
      });
      specialized(a, in_order.next(), 64, [&] {
        a.start_xfer_async<true>(in);
        a.wait_xfer_finish<true>(buffer);
      });
      specialized(a, in_order.next(), 64, [&] {
        a.start_xfer_async<true, LOAD_CACHE_VOLATILE, STORE_CACHE_WRITE_THROUGH>(in);
        a.wait_xfer_finish<true, LOAD_CACHE_VOLATILE, STORE_CACHE_WRITE_THROUGH>(buffer);
      });
      specialized(a, in_order.next(), 64, [&] {
        a.wait_for_dma_start();
        a.execute_dma_no_sync<true>(in, buffer);
        a.finish_async_dma();
      });
      CudaDMASequential<true, 8, 32, 256> b(dma_id, dma_threads, compute_threads, compute_threads);
      specialized(b, in_order.next(), 64, [&] { b.execute_dma<true>(in, buffer); });
      CudaDMASequential<true, 4, 16> c(dma_id, dma_threads, compute_threads, compute_threads, 256);
      specialized(c, in_order.next(), 64, [&] {
        c.start_xfer_async<true>(in);
        c.wait_xfer_finish<true>(buffer);
      });
    }
    {  // Sequential, not specialized: by all threads and by a part of them; from shared to global memory.
      CudaDMASequential<false, 16, 64, 256, 32> a(64);
      together(in_order.next(), 64, [&] { a.execute_dma<true>(in, buffer); });
      CudaDMASequential<false, 16, 16, 256> b;
      together(in_order.next(), 64, [&] { b.execute_dma<true>(in, buffer); });
      CudaDMASequential<false, 4, 4> c(256, 64, 32);
      together(in_order.next(), 64, [&] { c.execute_dma<true>(in, buffer); });
      cta.sync();
      a.execute_dma(buffer, in_order.next());
      a.start_xfer_async(buffer);
      a.wait_xfer_finish(in_order.next());
    }
    {  // Strided, specialized.
      CudaDMAStrided<true, 16, 64, 64, dma_threads, rows> a(dma_id, compute_threads, compute_threads, src_stride,
                                                            dst_stride);
      specialized(a, at_strides.next(), dst_stride, [&] { a.execute_dma<true>(in, buffer); });
      CudaDMAStrided<true, 4, 4, 64, dma_threads, rows> a_same(dma_id, compute_threads, compute_threads, src_stride);
      specialized(a_same, at_strides.next(), src_stride, [&] { a_same.execute_dma<true>(in, buffer); });
      CudaDMAStrided<true, 16, 64, 64, dma_threads> b(dma_id, compute_threads, compute_threads, rows, src_stride,
                                                      dst_stride);
      specialized(b, at_strides.next(), dst_stride, [&] {
        b.start_xfer_async<true>(in);
        b.wait_xfer_finish<true>(buffer);
      });
      CudaDMAStrided<true, 16, 64, 64> c(dma_id, dma_threads, compute_threads, compute_threads, rows, src_stride,
                                         dst_stride);
      specialized(c, at_strides.next(), dst_stride, [&] { c.execute_dma<true>(in, buffer); });
      CudaDMAStrided<true, 8, 32> d(dma_id, dma_threads, compute_threads, compute_threads, 64, rows, src_stride,
                                    dst_stride);
      specialized(d, at_strides.next(), dst_stride, [&] { d.execute_dma<true>(in, buffer); });
    }
    {  // Strided, not specialized.
      CudaDMAStrided<false, 16, 64, 64, 64, rows> a(src_stride, dst_stride, 32);
      together(at_strides.next(), dst_stride, [&] { a.execute_dma<true>(in, buffer); });
      CudaDMAStrided<false, 16, 64, 64, 64> b(rows, src_stride, dst_stride);
      together(at_strides.next(), dst_stride, [&] { b.execute_dma<true>(in, buffer); });
      CudaDMAStrided<false, 16, 64, 64> c(rows, src_stride, dst_stride, 96);
      together(at_strides.next(), dst_stride, [&] { c.execute_dma<true>(in, buffer); });
      CudaDMAStrided<false, 4, 16> d(64, rows, src_stride, dst_stride);
      together(at_strides.next(), dst_stride, [&] { d.execute_dma<true>(in, buffer); });
    }
    {  // Indirect: a gather, its list in global and in shared memory.
      if (cta.thread() < rows) {
        dma::machine::touched(shared.places + cta.thread(), 4, dma::machine::Access::write);
        shared.places[cta.thread()] = places[cta.thread()];
      }
      cta.sync();
      CudaDMAIndirect<true, true, 16, 64, 64, dma_threads, rows> a(dma_id, compute_threads, compute_threads);
      specialized(a, named.next(), 64, [&] { a.execute_dma<true>(places, in, buffer); });
      specialized(a, named.next(), 64, [&] {
        a.start_xfer_async<true, LOAD_CACHE_LAST_USE, STORE_CACHE_STREAMING>(shared.places, in);
        a.wait_xfer_finish<true, LOAD_CACHE_LAST_USE, STORE_CACHE_STREAMING>(buffer);
      });
      CudaDMAIndirect<true, true, 8, 8, 64, dma_threads> b(dma_id, compute_threads, compute_threads, rows, dst_stride);
      specialized(b, named.next(), dst_stride, [&] { b.execute_dma<true>(places, in, buffer); });
      CudaDMAIndirect<true, true, 16, 64, 64> c(dma_id, dma_threads, compute_threads, compute_threads, rows);
      specialized(c, named.next(), 64, [&] { c.execute_dma<true>(places, in, buffer); });
      CudaDMAIndirect<true, true, 4, 16> d(dma_id, dma_threads, compute_threads, compute_threads, 64, rows);
      specialized(d, named.next(), 64, [&] { d.execute_dma<true>(places, in, buffer); });
      CudaDMAIndirect<true, false, 16, 64, 64, 64, rows> e(dst_stride);
      together(named.next(), dst_stride, [&] { e.execute_dma<true>(places, in, buffer); });
      CudaDMAIndirect<true, false, 16, 64, 64, 64> f(rows);
      together(named.next(), 64, [&] { f.execute_dma<true>(places, in, buffer); });
      CudaDMAIndirect<true, false, 16, 64, 64> g(rows, dst_stride, 64, 32);
      together(named.next(), dst_stride, [&] { g.execute_dma<true>(places, in, buffer); });
      CudaDMAIndirect<true, false, 16, 64> h(64, rows);
      together(named.next(), 64, [&] { h.execute_dma<true>(places, in, buffer); });
    }
    {  // Indirect: a scatter, into shared memory and from there into global memory.
      CudaDMAIndirect<false, false, 16, 64, 64, 64, rows> a;
      together(spread.next(), 64, [&] { a.execute_dma<true>(places, in, buffer); });
      CudaDMASequential<false, 16, 64, 256, 64> dense;
      cta.sync();
      dense.execute_dma<true>(in, buffer);
      cta.sync();
      a.execute_dma_no_sync(places, buffer, spread.next());
      a.start_xfer_async(places, buffer);
      a.wait_xfer_finish(spread.next());
    }
    if (cta.thread() < compute_threads) {
      ptx_cudaDMA_barrier_nonblocking(5, Layout::threads);
    } else {
      ptx_cudaDMA_barrier_blocking(5, Layout::threads);
    }
    if (cta.thread() == 0) {
      counts[0] = in_order.count;
      counts[1] = at_strides.count;
      counts[2] = named.count;
      counts[3] = spread.count;
    }
  }
};
