#pragma once

/// The patterns of CudaDMA 2.0 as patterns of this library. An element there is a block of bytes, here a run.

#include <dma/config.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/pipeline/slot_ring.hpp>

namespace dma::inline v0_1::cudadma {

/// As a template argument: a size or count that is known at run time.
inline constexpr int at_run_time = 0;
/// The bound of a size that is known at run time, in bytes: what the largest shared memory holds.
inline constexpr int most_bytes = detail::max_shared_bytes;
/// The bound of a count that is known at run time.
inline constexpr int most_elements = 1024;

/// `Count` elements of `Bytes` bytes, evenly spaced on both sides. Where one of the two is 0 it is a value.
template <int Bytes, int Count, int Alignment>
struct Elements {
  using Element = unsigned char;

  static constexpr int max_run_count = Count == at_run_time ? most_elements : Count;
  static constexpr int max_run_bytes = Bytes == at_run_time ? most_bytes : Bytes;
  static constexpr int run_alignment = Alignment;
  static constexpr int closest_stride = detail::round_up(max_run_bytes, Alignment);
  static constexpr int tile_bytes = max_run_count * closest_stride;
  static constexpr PatternTraits traits{.runs_are_uniform = true, .tile_alignment = Alignment};

  int bytes = max_run_bytes;
  int count = max_run_count;
  long long global_stride = closest_stride;
  int shared_stride = closest_stride;

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept {
    return bytes == max_run_bytes && count == max_run_count;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return count * bytes; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return count; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    return {i * global_stride, i * shared_stride, bytes};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return bytes >= 0 && bytes <= max_run_bytes && count >= 0 && count <= max_run_count &&
           (count <= 1 || (global_stride % Alignment == 0 && shared_stride % Alignment == 0 && shared_stride >= bytes));
  }
};

/// The same, each element of one side at a place that a list names, in elements: of the global side a gather that loads
/// or a scatter that stores, of the shared side the two others.
template <int Bytes, int Count, int Alignment, bool NamesGlobal>
struct NamedElements : Elements<Bytes, Count, Alignment> {
  using Base = Elements<Bytes, Count, Alignment>;
  static constexpr PatternTraits traits{.runs_are_uniform = true, .is_indexed = true, .tile_alignment = Alignment};

  const int* places = nullptr;

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    const int place = places == nullptr ? i : places[i];
    if constexpr (NamesGlobal) {
      return {1LL * place * this->bytes, i * this->shared_stride, this->bytes};
    } else {
      return {i * this->global_stride, place * this->bytes, this->bytes};
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return Base::is_valid() && this->bytes % Alignment == 0;
  }
};

/// What an object moves: its tile as a load and as a store, which exchange the sides.
template <int Bytes, int Alignment>
struct SequentialShape {
  static constexpr bool is_indexed = false;
  using Load = Sequential<unsigned char, Bytes == at_run_time ? most_bytes : Bytes, Alignment>;
  using Stored = Load;

  int bytes;

  [[nodiscard]] DMA_HOST_DEVICE Load load(const int*) const { return Load{bytes}; }
  [[nodiscard]] DMA_HOST_DEVICE Stored stored(const int*) const { return Stored{bytes}; }
};
/// The same of elements at a stride.
template <int Bytes, int Count, int Alignment>
struct StridedShape {
  static constexpr bool is_indexed = false;
  using Load = Elements<Bytes, Count, Alignment>;
  using Stored = Load;

  int bytes;
  int count;
  int src_stride;
  int dst_stride;

  [[nodiscard]] DMA_HOST_DEVICE Load load(const int*) const { return Load{bytes, count, src_stride, dst_stride}; }
  [[nodiscard]] DMA_HOST_DEVICE Stored stored(const int*) const { return Stored{bytes, count, dst_stride, src_stride}; }
};
/// The same of elements at places that a list names.
template <bool Gather, int Bytes, int Count, int Alignment>
struct IndirectShape {
  static constexpr bool is_indexed = true;
  using Load = NamedElements<Bytes, Count, Alignment, Gather>;
  using Stored = NamedElements<Bytes, Count, Alignment, !Gather>;

  int bytes;
  int count;
  int stride;  ///< of the elements on the other side; at least their size

  [[nodiscard]] DMA_HOST_DEVICE Load load(const int* places) const { return named<Load>(places); }
  [[nodiscard]] DMA_HOST_DEVICE Stored stored(const int* places) const { return named<Stored>(places); }

 private:
  template <class Pattern>
  [[nodiscard]] DMA_HOST_DEVICE Pattern named(const int* places) const {
    const int apart = stride > bytes ? stride : bytes;
    return Pattern{{bytes, count, apart, apart}, places};
  }
};

}  // namespace dma::inline v0_1::cudadma
