#pragma once

/// The class names, constructors and calls of CudaDMA 2.0 over this library, for kernels that are written with them:
/// include this instead of its header and say `using namespace dma::cudadma;`. Written from its documentation.
///
/// It differs in what is refused: the checked build and the emulator report a call that breaks a rule, and the same
/// kernel can be proved (examples/cudadma). A new kernel is shorter with a `dma::DmaPipeline` (docs/guide/porting.md).

#include <dma/cudadma/diagnose.hpp>
#include <dma/cudadma/transfer.hpp>

namespace dma::inline v0_1::cudadma {

/// A contiguous block.
template <bool SPECIALIZED = true, int ALIGNMENT = 4, int BYTES_PER_THREAD = 4 * ALIGNMENT, int XFER_SIZE = at_run_time,
          int DMA_THREADS = at_run_time>
class CudaDMASequential
    : public Transfer<SPECIALIZED, ALIGNMENT, BYTES_PER_THREAD, DMA_THREADS, SequentialShape<XFER_SIZE, ALIGNMENT>> {
  using Shape = SequentialShape<XFER_SIZE, ALIGNMENT>;
  using Base = Transfer<SPECIALIZED, ALIGNMENT, BYTES_PER_THREAD, DMA_THREADS, Shape>;
  static constexpr bool has_size = XFER_SIZE != at_run_time;
  static constexpr bool has_threads = DMA_THREADS != at_run_time;

 public:
  // Specialized.
  DMA_HOST_DEVICE CudaDMASequential(int dmaID, int num_compute_threads,
                                    int dma_threadIdx_start) requires(SPECIALIZED&& has_threads)
      : Base(dmaID, DMA_THREADS, num_compute_threads, dma_threadIdx_start, Shape{XFER_SIZE}) {}
  DMA_HOST_DEVICE CudaDMASequential(int dmaID, int num_dma_threads, int num_compute_threads,
                                    int dma_threadIdx_start) requires(SPECIALIZED&& has_size && !has_threads)
      : Base(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start, Shape{XFER_SIZE}) {}
  DMA_HOST_DEVICE CudaDMASequential(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                    int xfer_size) requires(SPECIALIZED && !has_size)
      : Base(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start, Shape{xfer_size}) {}

  // Not specialized.
  DMA_HOST_DEVICE explicit CudaDMASequential(int dma_threadIdx_start = 0) requires(!SPECIALIZED && has_threads)
      : Base(0, DMA_THREADS, 0, dma_threadIdx_start, Shape{XFER_SIZE}) {}
  DMA_HOST_DEVICE explicit CudaDMASequential(int num_dma_threads = 0,
                                             int dma_threadIdx_start = 0) requires(!SPECIALIZED && has_size &&
                                                                                   !has_threads)
      : Base(0, num_dma_threads, 0, dma_threadIdx_start, Shape{XFER_SIZE}) {}
  DMA_HOST_DEVICE explicit CudaDMASequential(int xfer_size, int num_dma_threads = 0,
                                             int dma_threadIdx_start = 0) requires(!SPECIALIZED && !has_size)
      : Base(0, num_dma_threads, 0, dma_threadIdx_start, Shape{xfer_size}) {}

#if !defined(__CUDACC_RTC__)
  static void diagnose(int alignment, int bytes_per_thread, int bytes_per_elmt, int num_dma_threads,
                       bool fully_templated, bool verbose = false) {
    diagnose_transfer("CudaDMASequential", alignment, bytes_per_thread, bytes_per_elmt, num_dma_threads, 1,
                      fully_templated, verbose);
  }
#endif
};

/// Blocks at a stride on each side; without `dst_stride` it is `src_stride`.
template <bool SPECIALIZED = true, int ALIGNMENT = 4, int BYTES_PER_THREAD = 4 * ALIGNMENT,
          int BYTES_PER_ELMT = at_run_time, int DMA_THREADS = at_run_time, int NUM_ELMTS = at_run_time>
class CudaDMAStrided : public Transfer<SPECIALIZED, ALIGNMENT, BYTES_PER_THREAD, DMA_THREADS,
                                       StridedShape<BYTES_PER_ELMT, NUM_ELMTS, ALIGNMENT>> {
  using Shape = StridedShape<BYTES_PER_ELMT, NUM_ELMTS, ALIGNMENT>;
  using Base = Transfer<SPECIALIZED, ALIGNMENT, BYTES_PER_THREAD, DMA_THREADS, Shape>;
  static constexpr bool has_bytes = BYTES_PER_ELMT != at_run_time;
  static constexpr bool has_threads = DMA_THREADS != at_run_time;
  static constexpr bool has_count = NUM_ELMTS != at_run_time;
  static constexpr int as_source = -1;

  [[nodiscard]] DMA_HOST_DEVICE static Shape shape(int bytes, int count, int src_stride, int dst_stride) {
    return {bytes, count, src_stride, dst_stride == as_source ? src_stride : dst_stride};
  }

 public:
  // Specialized.
  DMA_HOST_DEVICE CudaDMAStrided(int dmaID, int num_compute_threads, int dma_threadIdx_start, int src_stride,
                                 int dst_stride = as_source) requires(SPECIALIZED&& has_threads&& has_count)
      : Base(dmaID, DMA_THREADS, num_compute_threads, dma_threadIdx_start,
             shape(BYTES_PER_ELMT, NUM_ELMTS, src_stride, dst_stride)) {}
  DMA_HOST_DEVICE CudaDMAStrided(int dmaID, int num_compute_threads, int dma_threadIdx_start, int num_elmts,
                                 int src_stride,
                                 int dst_stride = as_source) requires(SPECIALIZED&& has_threads && !has_count)
      : Base(dmaID, DMA_THREADS, num_compute_threads, dma_threadIdx_start,
             shape(BYTES_PER_ELMT, num_elmts, src_stride, dst_stride)) {}
  DMA_HOST_DEVICE CudaDMAStrided(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                 int num_elmts, int src_stride,
                                 int dst_stride = as_source) requires(SPECIALIZED&& has_bytes && !has_threads)
      : Base(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start,
             shape(BYTES_PER_ELMT, num_elmts, src_stride, dst_stride)) {}
  DMA_HOST_DEVICE CudaDMAStrided(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                 int bytes_per_elmt, int num_elmts, int src_stride,
                                 int dst_stride = as_source) requires(SPECIALIZED && !has_bytes)
      : Base(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start,
             shape(bytes_per_elmt, num_elmts, src_stride, dst_stride)) {}

  // Not specialized.
  DMA_HOST_DEVICE explicit CudaDMAStrided(int src_stride, int dst_stride = as_source,
                                          int dma_threadIdx_start = 0) requires(!SPECIALIZED && has_threads &&
                                                                                has_count)
      : Base(0, DMA_THREADS, 0, dma_threadIdx_start, shape(BYTES_PER_ELMT, NUM_ELMTS, src_stride, dst_stride)) {}
  DMA_HOST_DEVICE CudaDMAStrided(int num_elmts, int src_stride, int dst_stride = as_source,
                                 int dma_threadIdx_start = 0) requires(!SPECIALIZED && has_threads && !has_count)
      : Base(0, DMA_THREADS, 0, dma_threadIdx_start, shape(BYTES_PER_ELMT, num_elmts, src_stride, dst_stride)) {}
  DMA_HOST_DEVICE CudaDMAStrided(int num_elmts, int src_stride, int dst_stride = as_source, int num_dma_threads = 0,
                                 int dma_threadIdx_start = 0) requires(!SPECIALIZED && has_bytes && !has_threads)
      : Base(0, num_dma_threads, 0, dma_threadIdx_start, shape(BYTES_PER_ELMT, num_elmts, src_stride, dst_stride)) {}
  DMA_HOST_DEVICE CudaDMAStrided(int bytes_per_elmt, int num_elmts, int src_stride, int dst_stride = as_source,
                                 int num_dma_threads = 0,
                                 int dma_threadIdx_start = 0) requires(!SPECIALIZED && !has_bytes)
      : Base(0, num_dma_threads, 0, dma_threadIdx_start, shape(bytes_per_elmt, num_elmts, src_stride, dst_stride)) {}

#if !defined(__CUDACC_RTC__)
  static void diagnose(int alignment, int bytes_per_thread, int bytes_per_elmt, int num_dma_threads, int num_elmts,
                       bool fully_templated, bool verbose = false) {
    diagnose_transfer("CudaDMAStrided", alignment, bytes_per_thread, bytes_per_elmt, num_dma_threads, num_elmts,
                      fully_templated, verbose);
  }
#endif
};

/// Blocks at places that a list names, in blocks: gathered from there or scattered to there. `alternate_stride` is that
/// of the other side, where it is more than a block.
template <bool GATHER = true, bool SPECIALIZED = true, int ALIGNMENT = 4, int BYTES_PER_THREAD = 4 * ALIGNMENT,
          int BYTES_PER_ELMT = at_run_time, int DMA_THREADS = at_run_time, int NUM_ELMTS = at_run_time>
class CudaDMAIndirect : public Transfer<SPECIALIZED, ALIGNMENT, BYTES_PER_THREAD, DMA_THREADS,
                                        IndirectShape<GATHER, BYTES_PER_ELMT, NUM_ELMTS, ALIGNMENT>> {
  using Shape = IndirectShape<GATHER, BYTES_PER_ELMT, NUM_ELMTS, ALIGNMENT>;
  using Base = Transfer<SPECIALIZED, ALIGNMENT, BYTES_PER_THREAD, DMA_THREADS, Shape>;
  static constexpr bool has_bytes = BYTES_PER_ELMT != at_run_time;
  static constexpr bool has_threads = DMA_THREADS != at_run_time;
  static constexpr bool has_count = NUM_ELMTS != at_run_time;

 public:
  // Specialized.
  DMA_HOST_DEVICE CudaDMAIndirect(int dmaID, int num_compute_threads, int dma_threadIdx_start,
                                  int alternate_stride = 0) requires(SPECIALIZED&& has_threads&& has_count)
      : Base(dmaID, DMA_THREADS, num_compute_threads, dma_threadIdx_start,
             Shape{BYTES_PER_ELMT, NUM_ELMTS, alternate_stride}) {}
  DMA_HOST_DEVICE CudaDMAIndirect(int dmaID, int num_compute_threads, int dma_threadIdx_start, int num_elmts,
                                  int alternate_stride = 0) requires(SPECIALIZED&& has_threads && !has_count)
      : Base(dmaID, DMA_THREADS, num_compute_threads, dma_threadIdx_start,
             Shape{BYTES_PER_ELMT, num_elmts, alternate_stride}) {}
  DMA_HOST_DEVICE CudaDMAIndirect(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                  int num_elmts,
                                  int alternate_stride = 0) requires(SPECIALIZED&& has_bytes && !has_threads)
      : Base(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start,
             Shape{BYTES_PER_ELMT, num_elmts, alternate_stride}) {}
  DMA_HOST_DEVICE CudaDMAIndirect(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                  int bytes_per_elmt, int num_elmts,
                                  int alternate_stride = 0) requires(SPECIALIZED && !has_bytes)
      : Base(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start,
             Shape{bytes_per_elmt, num_elmts, alternate_stride}) {}

  // Not specialized.
  DMA_HOST_DEVICE explicit CudaDMAIndirect(int alternate_stride = 0,
                                           int dma_threadIdx_start = 0) requires(!SPECIALIZED && has_threads &&
                                                                                 has_count)
      : Base(0, DMA_THREADS, 0, dma_threadIdx_start, Shape{BYTES_PER_ELMT, NUM_ELMTS, alternate_stride}) {}
  DMA_HOST_DEVICE explicit CudaDMAIndirect(int num_elmts, int alternate_stride = 0,
                                           int dma_threadIdx_start = 0) requires(!SPECIALIZED && has_threads &&
                                                                                 !has_count)
      : Base(0, DMA_THREADS, 0, dma_threadIdx_start, Shape{BYTES_PER_ELMT, num_elmts, alternate_stride}) {}
  DMA_HOST_DEVICE explicit CudaDMAIndirect(int num_elmts, int alternate_stride = 0, int num_dma_threads = 0,
                                           int dma_threadIdx_start = 0) requires(!SPECIALIZED && has_bytes &&
                                                                                 !has_threads)
      : Base(0, num_dma_threads, 0, dma_threadIdx_start, Shape{BYTES_PER_ELMT, num_elmts, alternate_stride}) {}
  DMA_HOST_DEVICE CudaDMAIndirect(int bytes_per_elmt, int num_elmts, int alternate_stride = 0, int num_dma_threads = 0,
                                  int dma_threadIdx_start = 0) requires(!SPECIALIZED && !has_bytes)
      : Base(0, num_dma_threads, 0, dma_threadIdx_start, Shape{bytes_per_elmt, num_elmts, alternate_stride}) {}

#if !defined(__CUDACC_RTC__)
  static void diagnose(int alignment, int bytes_per_thread, int bytes_per_elmt, int num_dma_threads, int num_elmts,
                       bool fully_templated, bool verbose = false) {
    diagnose_transfer("CudaDMAIndirect", alignment, bytes_per_thread, bytes_per_elmt, num_dma_threads, num_elmts,
                      fully_templated, verbose);
  }
#endif
};

}  // namespace dma::inline v0_1::cudadma
