#pragma once

/// The transfers of CudaDMA 2.0's objects: in one call or in two, with their barriers or without.

#include <dma/config.hpp>
#include <dma/cudadma/base.hpp>
#include <dma/cudadma/copy_tile.hpp>
#include <dma/cudadma/copy_warps.hpp>
#include <dma/cudadma/elements.hpp>
#include <dma/cudadma/two_phase_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/store.hpp>

namespace dma::inline v0_1::cudadma {

/// An object whose tile is a `Shape`, moved by `Threads` DMA threads, or by as many as the constructor says. Then one
/// or four warps of them move the tile, all of it in the second phase.
///
/// A transfer reads global and writes shared memory, or the other way: that follows from the source, which
/// `GLOBAL_LOAD` tells the compiler. With a list of places a call takes it first.
///
/// `execute_dma` and `wait_xfer_finish` of a specialized object wait until the buffer is empty and signal that it is
/// full; the reads of a load are issued before.
template <bool Specialized, int Alignment, int BytesPerThread, int Threads, class Shape>
class Transfer : public CudaDMA {
  static_assert(
      Alignment == 4 || Alignment == 8 || Alignment == 16,
      "CudaDMA: ALIGNMENT is 4, 8 or 16 bytes; name the largest of these that divides addresses and elements");
  static_assert(BytesPerThread > 0 && BytesPerThread % Alignment == 0,
                "CudaDMA: BYTES_PER_THREAD is a positive multiple of ALIGNMENT; round it up");
  static_assert(Threads >= 0 && Threads % 32 == 0 && Threads <= 1024,
                "CudaDMA: DMA_THREADS is a multiple of 32, at most 1024; use whole warps");

 public:
  /// @param num_dma_threads  0: all of the CTA
  DMA_HOST_DEVICE Transfer(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start,
                           const Shape& shape)
      : CudaDMA(dmaID, threads_of(num_dma_threads), num_compute_threads, dma_threadIdx_start),
        shape_(shape),
        first_thread_(dma_threadIdx_start),
        warp_count_(threads_of(num_dma_threads) / 32),
        warps_(CopyWarps<constant_warps>::from_thread(this_cta(), dma_threadIdx_start)),
        phases_(warps_) {}

  template <bool GLOBAL_LOAD = false, CudaDMALoadQualifier LOAD_QUAL = LOAD_CACHE_ALL,
            CudaDMAStoreQualifier STORE_QUAL = STORE_WRITE_BACK>
  DMA_HOST_DEVICE void execute_dma(const void* src_ptr, void* dst_ptr) const requires(!Shape::is_indexed) {
    execute<GLOBAL_LOAD, hints_of(GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL), Specialized>(nullptr, src_ptr, dst_ptr);
  }
  template <bool GLOBAL_LOAD = false, CudaDMALoadQualifier LOAD_QUAL = LOAD_CACHE_ALL,
            CudaDMAStoreQualifier STORE_QUAL = STORE_WRITE_BACK>
  DMA_HOST_DEVICE void execute_dma(const int* offset_ptr, const void* src_ptr, void* dst_ptr) const
      requires(Shape::is_indexed) {
    execute<GLOBAL_LOAD, hints_of(GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL), Specialized>(offset_ptr, src_ptr, dst_ptr);
  }

  /// By all threads of the CTA or by the DMA threads; the caller synchronizes.
  template <bool GLOBAL_LOAD = false, CudaDMALoadQualifier LOAD_QUAL = LOAD_CACHE_ALL,
            CudaDMAStoreQualifier STORE_QUAL = STORE_WRITE_BACK>
  DMA_HOST_DEVICE void execute_dma_no_sync(const void* src_ptr, void* dst_ptr) const requires(!Shape::is_indexed) {
    execute<GLOBAL_LOAD, hints_of(GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL), false>(nullptr, src_ptr, dst_ptr);
  }
  template <bool GLOBAL_LOAD = false, CudaDMALoadQualifier LOAD_QUAL = LOAD_CACHE_ALL,
            CudaDMAStoreQualifier STORE_QUAL = STORE_WRITE_BACK>
  DMA_HOST_DEVICE void execute_dma_no_sync(const int* offset_ptr, const void* src_ptr, void* dst_ptr) const
      requires(Shape::is_indexed) {
    execute<GLOBAL_LOAD, hints_of(GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL), false>(offset_ptr, src_ptr, dst_ptr);
  }

  template <bool GLOBAL_LOAD = false, CudaDMALoadQualifier LOAD_QUAL = LOAD_CACHE_ALL,
            CudaDMAStoreQualifier STORE_QUAL = STORE_WRITE_BACK>
  DMA_HOST_DEVICE void start_xfer_async(const void* src_ptr) requires(!Shape::is_indexed) {
    start<GLOBAL_LOAD, hints_of(GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL)>(nullptr, src_ptr);
  }
  template <bool GLOBAL_LOAD = false, CudaDMALoadQualifier LOAD_QUAL = LOAD_CACHE_ALL,
            CudaDMAStoreQualifier STORE_QUAL = STORE_WRITE_BACK>
  DMA_HOST_DEVICE void start_xfer_async(const int* offset_ptr, const void* src_ptr) requires(Shape::is_indexed) {
    start<GLOBAL_LOAD, hints_of(GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL)>(offset_ptr, src_ptr);
  }
  template <bool GLOBAL_LOAD = false, CudaDMALoadQualifier LOAD_QUAL = LOAD_CACHE_ALL,
            CudaDMAStoreQualifier STORE_QUAL = STORE_WRITE_BACK>
  DMA_HOST_DEVICE void wait_xfer_finish(void* dst_ptr) {
    constexpr CacheHints hints = hints_of(GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL);
    begin_writing<Specialized>();
    with_direction<GLOBAL_LOAD>(
        source_,
        [&] {
          if constexpr (has_constant_threads) {
            phases_.template finish<hints>(static_cast<unsigned char*>(dst_ptr));
          } else {
            copy<hints>(source_, dst_ptr, shape_.load(places_));
          }
        },
        [&] { store<hints>(places_, source_, dst_ptr); });
    end_writing<Specialized>();
  }

 protected:
  /// A load of memory that is not written while the kernel runs, or a store.
  DMA_HOST_DEVICE void execute_unwritten(const int* places, const void* source, void* destination) const {
    execute<false, CacheHints{.load = LoadCache::read_only}, Specialized>(places, source, destination);
  }

 private:
  static constexpr bool has_constant_threads = Threads != at_run_time;
  static constexpr int constant_warps = has_constant_threads ? Threads / 32 : 1;
  template <CacheHints Hints>
  static constexpr RegisterCopyTuning tuning{.loads_in_flight = BytesPerThread / Alignment, .cache = Hints};
  using Phases = TwoPhaseCopy<typename Shape::Load, constant_warps, tuning<CacheHints{}>>;

  [[nodiscard]] DMA_HOST_DEVICE static int threads_of(int num_dma_threads) {
    if constexpr (has_constant_threads) {
      return Threads;
    } else {
      return num_dma_threads == 0 ? machine::cta_threads() : num_dma_threads;
    }
  }
  /// Calls one of the two: a transfer from shared memory is a store.
  template <bool GLOBAL_LOAD, class Load, class Store>
  DMA_HOST_DEVICE static void with_direction([[maybe_unused]] const void* source, const Load& load,
                                             [[maybe_unused]] const Store& store) {
    if constexpr (GLOBAL_LOAD) {
      load();
    } else if (machine::is_shared(source)) {
      store();
    } else {
      load();
    }
  }

  template <bool GLOBAL_LOAD, CacheHints Hints, bool Synchronizes>
  DMA_HOST_DEVICE void execute(const int* places, const void* source, void* destination) const {
    with_direction<GLOBAL_LOAD>(
        source,
        [&] {
          if constexpr (has_constant_threads) {
            Phases phases(warps_);
            phases.template start<Hints>(static_cast<const unsigned char*>(source), shape_.load(places));
            begin_writing<Synchronizes>();
            phases.template finish<Hints>(static_cast<unsigned char*>(destination));
          } else {
            begin_writing<Synchronizes>();
            copy<Hints>(source, destination, shape_.load(places));
          }
        },
        [&] {
          begin_writing<Synchronizes>();
          store<Hints>(places, source, destination);
        });
    end_writing<Synchronizes>();
  }
  template <bool GLOBAL_LOAD, CacheHints Hints>
  DMA_HOST_DEVICE void start(const int* places, const void* source) {
    places_ = places;
    source_ = source;
    if constexpr (has_constant_threads) {
      with_direction<GLOBAL_LOAD>(
          source,
          [&] { phases_.template start<Hints>(static_cast<const unsigned char*>(source), shape_.load(places)); },
          [] {});
    }
  }

  /// Moves the tile at once.
  template <CacheHints Hints, class Pattern>
  DMA_HOST_DEVICE void copy(const void* source, void* destination, const Pattern& pattern) const {
    with_warps([&](const auto& warps) {
      copy_tile<RegisterCopy<tuning<Hints>>>(warps, static_cast<const unsigned char*>(source),
                                             static_cast<unsigned char*>(destination), pattern);
    });
  }
  template <CacheHints Hints>
  DMA_HOST_DEVICE void store(const int* places, const void* source, void* destination) const {
    copy<Hints>(source, destination, Store<typename Shape::Stored>(shape_.stored(places)));
  }
  template <bool Synchronizes>
  DMA_HOST_DEVICE void begin_writing() const {
    if constexpr (Synchronizes) {
      this->wait_for_empty();
    }
  }
  template <bool Synchronizes>
  DMA_HOST_DEVICE void end_writing() const {
    if constexpr (Synchronizes) {
      this->signal_full();
    }
  }

  /// Calls `body(warps)` with their number as a constant.
  template <class Body>
  DMA_HOST_DEVICE void with_warps(const Body& body) const {
    if constexpr (has_constant_threads) {
      body(warps_);
    } else {
      with_at_most<4>(body);
    }
  }
  template <int Count, class Body>
  DMA_HOST_DEVICE void with_at_most(const Body& body) const {
    if constexpr (Count > 1) {
      if (warp_count_ < Count) {
        with_at_most<1>(body);
        return;
      }
    }
    body(CopyWarps<Count>::from_thread(this_cta(), first_thread_));
  }

  Shape shape_;
  int first_thread_;
  int warp_count_;
  CopyWarps<constant_warps> warps_;
  Phases phases_;
  const int* places_ = nullptr;
  const void* source_ = nullptr;
};

}  // namespace dma::inline v0_1::cudadma
