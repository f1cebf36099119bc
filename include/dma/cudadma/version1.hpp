#pragma once

/// The class names, constructors and calls of CudaDMA's first version over this library: those that the paper prints
/// (SC'11, figures 3 to 7) and those of its repository's `cudaDMA.h`. Include this instead of that header and say
/// `using namespace dma::cudadma;`. Written from the paper and from its documentation.
///
/// A class that both have is told apart by its first template argument: a number is the paper's `MAX_BYTES_PER_THREAD`,
/// `true` or `false` the repository's `DO_SYNC`.
///
/// Source  SC'11, sections 3 and 4

#include <dma/config.hpp>
#include <dma/cudadma/base.hpp>
#include <dma/cudadma/elements.hpp>
#include <dma/cudadma/version2.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::cudadma {

/// The two synchronization points of a buffer (figure 3).
using cudaDMA = CudaDMA;

/// The synchronization of an object whose transfer the kernel writes itself, between `wait_for_dma_start` and
/// `finish_async_dma`.
class cudaDMACustom : public CudaDMA {
 public:
  using CudaDMA::CudaDMA;
};

// --- The paper's classes ---------------------------------------------------------------------------------------------

/// What the paper's transfers have in common. Its sizes are known at run time, and so are its alignments: addresses,
/// sizes and strides that are all multiples of 16 bytes move in accesses of 16, others in accesses of 4.
///
/// `MaxBytesPerThread` bounds what a thread has in flight; a larger transfer takes several passes. As figure 4 has it,
/// `execute_dma` moves the bytes and nothing else: the DMA warps call `wait_for_dma_start` and `finish_async_dma`.
template <int MaxBytesPerThread>
class BoundedTransfer : public CudaDMA {
  static_assert(MaxBytesPerThread > 0,
                "cudaDMA: MAX_BYTES_PER_THREAD is positive; name the bytes of a thread's part, 64 for example");

 public:
  DMA_HOST_DEVICE BoundedTransfer(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start)
      : CudaDMA(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start),
        threads_(num_dma_threads),
        start_(dma_threadIdx_start) {}

 protected:
  DMA_HOST_DEVICE void move(const void* source, void* destination, int bytes, int count, int src_stride,
                            int dst_stride) const {
    const auto all = reinterpret_cast<stdlib::uintptr_t>(source) | reinterpret_cast<stdlib::uintptr_t>(destination) |
                     static_cast<stdlib::uintptr_t>(bytes) | static_cast<stdlib::uintptr_t>(src_stride) |
                     static_cast<stdlib::uintptr_t>(dst_stride);
    if (all % 16 == 0) {
      move_by<16>(source, destination, bytes, count, src_stride, dst_stride);
    } else {
      move_by<4>(source, destination, bytes, count, src_stride, dst_stride);
    }
  }

 private:
  static constexpr int most_accesses = 32;  ///< of a thread in flight

  template <int Alignment>
  DMA_HOST_DEVICE void move_by(const void* source, void* destination, int bytes, int count, int src_stride,
                               int dst_stride) const {
    constexpr int accesses = (MaxBytesPerThread + Alignment - 1) / Alignment;
    constexpr int in_flight = Alignment * (accesses < most_accesses ? accesses : most_accesses);
    if (count == 1) {
      CudaDMASequential<false, Alignment, in_flight>(bytes, threads_, start_).execute_dma_no_sync(source, destination);
    } else {
      CudaDMAStrided<false, Alignment, in_flight>(bytes, count, src_stride, dst_stride, threads_, start_)
          .execute_dma_no_sync(source, destination);
    }
  }

  int threads_;
  int start_;
};

/// A contiguous block of `sz` bytes.
///
/// @pre Addresses are multiples of 4 bytes.
template <int MaxBytesPerThread>
class BoundedSequential : public BoundedTransfer<MaxBytesPerThread> {
 public:
  DMA_HOST_DEVICE BoundedSequential(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                    int sz)
      : BoundedTransfer<MaxBytesPerThread>(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start), sz_(sz) {}

  DMA_HOST_DEVICE void execute_dma(const void* src_ptr, void* dst_ptr) const {
    this->move(src_ptr, dst_ptr, sz_, 1, sz_, sz_);
  }

 private:
  int sz_;
};

/// `el_cnt` elements of `el_sz` bytes, `src_stride` and `dst_stride` bytes apart.
///
/// @pre Addresses and strides are multiples of 4 bytes.
template <int MaxBytesPerThread>
class BoundedStrided : public BoundedTransfer<MaxBytesPerThread> {
 public:
  DMA_HOST_DEVICE BoundedStrided(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                 int el_sz, int el_cnt, int src_stride, int dst_stride)
      : BoundedTransfer<MaxBytesPerThread>(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start),
        el_sz_(el_sz),
        el_cnt_(el_cnt),
        src_stride_(src_stride),
        dst_stride_(dst_stride) {}

  DMA_HOST_DEVICE void execute_dma(const void* src_ptr, void* dst_ptr) const {
    this->move(src_ptr, dst_ptr, el_sz_, el_cnt_, src_stride_, dst_stride_);
  }

 private:
  int el_sz_;
  int el_cnt_;
  int src_stride_;
  int dst_stride_;
};

// --- The repository's classes ----------------------------------------------------------------------------------------
//
// A load's source is not written while the kernel runs, as there, where it is `__restrict__`: the reads of several
// tiles are in flight before their buffers are empty.

/// Accesses that a thread has in flight: four, as there.
inline constexpr int accesses_in_flight = 4;

/// A contiguous block. `DO_SYNC`: there are DMA warps, and `execute_dma` waits for the buffer and signals it.
template <bool DO_SYNC, int ALIGNMENT, int BYTES_PER_ELMT, int DMA_THREADS>
class SynchronizedSequential
    : public CudaDMASequential<DO_SYNC, ALIGNMENT, accesses_in_flight * ALIGNMENT, BYTES_PER_ELMT, DMA_THREADS> {
 public:
  using SynchronizedSequential::CudaDMASequential::CudaDMASequential;

  DMA_HOST_DEVICE void execute_dma(const void* src_ptr, void* dst_ptr) const {
    this->execute_unwritten(nullptr, src_ptr, dst_ptr);
  }
};

/// Elements at a stride. With one stride it is the source's, and the buffer is dense: in version 2.0 it is that of
/// both.
template <bool DO_SYNC, int ALIGNMENT, int BYTES_PER_ELMT, int DMA_THREADS, int NUM_ELMTS>
class SynchronizedStrided : public CudaDMAStrided<DO_SYNC, ALIGNMENT, accesses_in_flight * ALIGNMENT, BYTES_PER_ELMT,
                                                  DMA_THREADS, NUM_ELMTS> {
  using Base = typename SynchronizedStrided::CudaDMAStrided;
  static constexpr bool has_bytes = BYTES_PER_ELMT != at_run_time;
  static constexpr bool has_threads = DMA_THREADS != at_run_time;
  static constexpr bool has_count = NUM_ELMTS != at_run_time;
  static constexpr int dense = -1;

  [[nodiscard]] DMA_HOST_DEVICE static int buffer_stride(int dst_stride, int bytes) {
    return dst_stride == dense ? bytes : dst_stride;
  }

 public:
  // With DMA warps.
  DMA_HOST_DEVICE SynchronizedStrided(int dmaID, int num_compute_threads, int dma_threadIdx_start, int src_stride,
                                      int dst_stride = dense) requires(DO_SYNC&& has_threads&& has_count)
      : Base(dmaID, num_compute_threads, dma_threadIdx_start, src_stride, buffer_stride(dst_stride, BYTES_PER_ELMT)) {}
  DMA_HOST_DEVICE SynchronizedStrided(int dmaID, int num_compute_threads, int dma_threadIdx_start, int num_elmts,
                                      int src_stride,
                                      int dst_stride = dense) requires(DO_SYNC&& has_threads && !has_count)
      : Base(dmaID, num_compute_threads, dma_threadIdx_start, num_elmts, src_stride,
             buffer_stride(dst_stride, BYTES_PER_ELMT)) {}
  DMA_HOST_DEVICE SynchronizedStrided(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                      int num_elmts, int src_stride,
                                      int dst_stride = dense) requires(DO_SYNC&& has_bytes && !has_threads)
      : Base(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start, num_elmts, src_stride,
             buffer_stride(dst_stride, BYTES_PER_ELMT)) {}
  DMA_HOST_DEVICE SynchronizedStrided(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                                      int bytes_per_elmt, int num_elmts, int src_stride,
                                      int dst_stride = dense) requires(DO_SYNC && !has_bytes)
      : Base(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start, bytes_per_elmt, num_elmts, src_stride,
             buffer_stride(dst_stride, bytes_per_elmt)) {}

  // By all threads.
  DMA_HOST_DEVICE explicit SynchronizedStrided(int src_stride,
                                               int dst_stride = dense) requires(!DO_SYNC && has_threads && has_count)
      : Base(src_stride, buffer_stride(dst_stride, BYTES_PER_ELMT)) {}
  DMA_HOST_DEVICE SynchronizedStrided(int num_elmts, int src_stride,
                                      int dst_stride = dense) requires(!DO_SYNC && has_bytes && !has_count)
      : Base(num_elmts, src_stride, buffer_stride(dst_stride, BYTES_PER_ELMT)) {}
  DMA_HOST_DEVICE SynchronizedStrided(int bytes_per_elmt, int num_elmts, int src_stride,
                                      int dst_stride = dense) requires(!DO_SYNC && !has_bytes)
      : Base(bytes_per_elmt, num_elmts, src_stride, buffer_stride(dst_stride, bytes_per_elmt)) {}

  DMA_HOST_DEVICE void execute_dma(const void* src_ptr, void* dst_ptr) const {
    this->execute_unwritten(nullptr, src_ptr, dst_ptr);
  }
};

/// Elements at places that a list names, dense on the other side.
template <bool GATHER, bool DO_SYNC, int ALIGNMENT, int BYTES_PER_ELMT = at_run_time, int DMA_THREADS = at_run_time,
          int NUM_ELMTS = at_run_time>
class cudaDMAIndirect : public CudaDMAIndirect<GATHER, DO_SYNC, ALIGNMENT, accesses_in_flight * ALIGNMENT,
                                               BYTES_PER_ELMT, DMA_THREADS, NUM_ELMTS> {
 public:
  using cudaDMAIndirect::CudaDMAIndirect::CudaDMAIndirect;

  DMA_HOST_DEVICE void execute_dma(const int* index_ptr, const void* src_ptr, void* dst_ptr) const {
    this->execute_unwritten(index_ptr, src_ptr, dst_ptr);
  }
};

/// The ring of `RADIUS` elements around a block of `dimx` times `dimy` elements, with its corners or without.
///
/// Global  rows of `pitch` elements; Shared  rows of `dimx + 2 * RADIUS`. Both addresses are those of the block's first
/// element, not of the ring's. `ALIGNMENT` is not needed: a part of the ring that is a multiple of 16 bytes at both
/// sides moves in accesses of 16.
template <class ELMT_TYPE, int RADIUS, bool CORNERS, int ALIGNMENT>
class cudaDMAHalo : public BoundedTransfer<accesses_in_flight * ALIGNMENT> {
  static_assert(RADIUS > 0 && sizeof(ELMT_TYPE) % 4 == 0,
                "cudaDMAHalo: elements are of 4, 8 or 16 bytes, RADIUS positive; widen the elements, or use a "
                "cudaDMAStrided for a "
                "block without a halo");

 public:
  DMA_HOST_DEVICE cudaDMAHalo(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                              int dimx, int dimy, int pitch)
      : BoundedTransfer<accesses_in_flight * ALIGNMENT>(dmaID, num_dma_threads, num_compute_threads,
                                                        dma_threadIdx_start),
        dimx_(dimx),
        dimy_(dimy),
        pitch_(pitch) {}

  DMA_HOST_DEVICE void execute_dma(const void* src_origin, void* dst_origin) const {
    this->wait_for_dma_start();
    execute_dma_no_sync(src_origin, dst_origin);
    this->finish_async_dma();
  }
  DMA_HOST_DEVICE void execute_dma_no_sync(const void* src_origin, void* dst_origin) const {
    constexpr int beside = CORNERS ? RADIUS : 0;
    move_part(src_origin, dst_origin, -RADIUS, -beside, RADIUS, dimx_ + 2 * beside);
    move_part(src_origin, dst_origin, dimy_, -beside, RADIUS, dimx_ + 2 * beside);
    move_part(src_origin, dst_origin, 0, -RADIUS, dimy_, RADIUS);
    move_part(src_origin, dst_origin, 0, dimx_, dimy_, RADIUS);
  }

 private:
  static constexpr int size = static_cast<int>(sizeof(ELMT_TYPE));

  /// `rows` times `cols` elements from row `row` and column `col` on.
  DMA_HOST_DEVICE void move_part(const void* src_origin, void* dst_origin, int row, int col, int rows, int cols) const {
    const int width = dimx_ + 2 * RADIUS;
    this->move(static_cast<const ELMT_TYPE*>(src_origin) + (1LL * row * pitch_ + col),
               static_cast<ELMT_TYPE*>(dst_origin) + (row * width + col), cols * size, rows, pitch_ * size,
               width * size);
  }

  int dimx_;
  int dimy_;
  int pitch_;
};

// --- Names that both have --------------------------------------------------------------------------------------------

/// Whether a template argument is the repository's `DO_SYNC`.
template <auto First>
inline constexpr bool is_do_sync = stdlib::is_same_v<decltype(First), bool>;

/// A contiguous block: `BoundedSequential` of the paper's, or `SynchronizedSequential`.
template <auto FIRST, int ALIGNMENT = 0, int BYTES_PER_ELMT = at_run_time, int DMA_THREADS = at_run_time>
using cudaDMASequential =
    stdlib::conditional_t<is_do_sync<FIRST>,
                          SynchronizedSequential<static_cast<bool>(FIRST), ALIGNMENT, BYTES_PER_ELMT, DMA_THREADS>,
                          BoundedSequential<static_cast<int>(FIRST)>>;

/// Elements at a stride: `BoundedStrided` of the paper's, or `SynchronizedStrided`.
template <auto FIRST, int ALIGNMENT = 0, int BYTES_PER_ELMT = at_run_time, int DMA_THREADS = at_run_time,
          int NUM_ELMTS = at_run_time>
using cudaDMAStrided = stdlib::conditional_t<
    is_do_sync<FIRST>, SynchronizedStrided<static_cast<bool>(FIRST), ALIGNMENT, BYTES_PER_ELMT, DMA_THREADS, NUM_ELMTS>,
    BoundedStrided<static_cast<int>(FIRST)>>;

}  // namespace dma::inline v0_1::cudadma
