#pragma once

/// A kernel body whose CTAs add tiles to the same places of one array: every engine that stores, every element type
/// that memory adds.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/engines/tensor/tensor_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/pipeline.hpp>

#if __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#endif

namespace sums {

inline constexpr int tiles = 5;
inline constexpr int ctas = 6;
inline constexpr int pitch = 48;  ///< elements of a row of the array
inline constexpr int rows = 24;

/// What the CTA adds with element i of its tile t: small integers, so that sums of floats are exact in any order; those
/// of bf16 up to 256.
template <class T>
DMA_HOST_DEVICE constexpr int value(int cta, int t, int i) {
  return sizeof(T) == 2 ? 1 + (cta + t + i) % 3 : (cta + 1) * (t * 7 + i % 29 + 1);
}

/// Each shape says which tile is the t-th, where it begins, and, by a formula of its own, which element of the array
/// takes element i; -1 where none does. Tiles overlap, and begin on multiples of 16 bytes.
template <class T>
struct Lines {
  using Element = T;
  using Tile = dma::Sequential<T, 104>;
  DMA_HOST_DEVICE static int start(int t) { return t * 64; }
  DMA_HOST_DEVICE static Tile tile(int t) { return Tile{t % 2 == 0 ? 104 : 97}; }
  static int place(int t, int i) { return t * 64 + i; }
};
template <class T>
struct Blocks {
  using Element = T;
  using Tile = dma::Strided<T, 32, 4>;
  DMA_HOST_DEVICE static int start(int t) { return t * 2 * pitch + 8; }
  DMA_HOST_DEVICE static Tile tile(int t) { return Tile{pitch * static_cast<long long>(sizeof(T)), 4 - t % 2}; }
  static int place(int t, int i) { return (t * 2 + i / 32) * pitch + 8 + i % 32; }
};
/// The last one hangs over the array's far edges.
template <class T>
struct Boxes {
  using Element = T;
  using Tile = dma::Tile2D<T, 16, 8>;
  DMA_HOST_DEVICE static int start(int) { return 0; }
  DMA_HOST_DEVICE static Tile tile(int t) {
    return {.pitch_bytes = pitch * static_cast<long long>(sizeof(T)),
            .array_rows = rows,
            .array_cols = pitch,
            .row = t * 5,
            .col = t * 8 + 8};
  }
  static int place(int t, int i) {
    const int row = t * 5 + i / 16;
    const int col = t * 8 + 8 + i % 16;
    return row < rows && col < pitch ? row * pitch + col : -1;
  }
};

template <class Shape, class Barrier, class Engine>
struct Body {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<2>>;
  using Store = dma::StoreAdd<typename Shape::Tile>;
  using Pipe = dma::DmaPipeline<Store, dma::MultiBuffer<Layout, 2>, Barrier, Engine>;
  using Element = typename Shape::Element;
  /// An address, or a map in global memory.
  using Array = dma::stdlib::conditional_t<dma::detail::TakesArrays<Engine, Store>,
                                           const dma::TensorMap<typename Shape::Tile>*, Element*>;

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Body>& cta, Array array) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int block = cta.block().x;
    pipe.for_each_tile(
        {.last = tiles},
        [&](const auto& dma, int t) {
          if constexpr (dma::detail::TakesArrays<Engine, Store>) {
            dma.store(*array, Shape::tile(t));
          } else {
            dma.store(array + Shape::start(t), Shape::tile(t));
          }
        },
        [&](const auto& compute, int t) {
          auto tile = compute.wait(Shape::tile(t));
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            tile[i] = static_cast<Element>(value<Element>(block, t, i));
          }
        });
  }
};

/// Elements of `array`, which began as `before`, that are not what all CTAs together make of it.
template <class Shape>
int count_wrong(const typename Shape::Element* array, const typename Shape::Element* before) {
  using Element = typename Shape::Element;
  using Sum = dma::stdlib::conditional_t<sizeof(Element) == 2, float, Element>;
  Sum expected[rows * pitch];
  for (int i = 0; i < rows * pitch; ++i) {
    expected[i] = static_cast<Sum>(before[i]);
  }
  for (int t = 0; t < tiles; ++t) {
    for (int i = 0; i < Shape::tile(t).size(); ++i) {
      for (int cta = 0; cta < ctas && Shape::place(t, i) >= 0; ++cta) {
        expected[Shape::place(t, i)] += static_cast<Sum>(value<Element>(cta, t, i));
      }
    }
  }
  int wrong = 0;
  for (int i = 0; i < rows * pitch; ++i) {
    wrong += static_cast<Sum>(array[i]) == expected[i] ? 0 : 1;
  }
  return wrong;
}

template <class T>
T before(int i) {
  return static_cast<T>(i % 13);
}

#if __has_include(<cuda_bf16.h>)
/// Adds an array of two-byte floats to another, one tile a CTA: each element is one sum, so that its rounding shows.
template <class T, class Engine>
struct AddsOnce {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Tile2D<T, 64, 16>;
  using Pipe = dma::DmaPipeline<dma::StoreAdd<Tile>, dma::SingleBuffer<Layout>, dma::CudaBarrier, Engine>;
  using Array = dma::stdlib::conditional_t<dma::detail::TakesArrays<Engine, dma::StoreAdd<Tile>>,
                                           const dma::TensorMap<Tile>*, T*>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE static Tile tile(int tiles_of_array, int cta) {
    return {.pitch_bytes = 128, .array_rows = tiles_of_array * 16, .array_cols = 64, .row = cta * 16};
  }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<AddsOnce>& cta, Array sums, const T* terms) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const Tile box = tile(cta.blocks().x, cta.block().x);
    pipe.for_each_tile(
        {.last = 1},
        [&](const auto& dma, int) {
          if constexpr (dma::detail::TakesArrays<Engine, dma::StoreAdd<Tile>>) {
            dma.store(*sums, box);
          } else {
            dma.store(sums, box);
          }
        },
        [&](const auto& compute, int) {
          auto slot = compute.wait(box);
          for (int i = compute.rank(); i < Tile::count; i += compute.size()) {
            slot[i] = terms[box.row * 64 + i];
          }
        });
  }
};

/// Two-byte floats by their bits: all of them in turn, and as many others of every size that they are added to.
template <class T>
T of_bits(unsigned bits) {
  const auto low = static_cast<unsigned short>(bits);
  T value;
  std::memcpy(static_cast<void*>(&value), &low, sizeof value);
  return value;
}
inline unsigned first_term(int i) { return static_cast<unsigned>(i); }
inline unsigned second_term(int i) {
  return static_cast<unsigned>(i) * 40503U + (static_cast<unsigned>(i) >> 16) * 977U;
}

/// Elements that are not the sum of two others, rounded to the nearest, ties to even, by the toolkit. A double has the
/// sum of two with so many places that its own rounding changes nothing.
template <class T>
int count_wrongly_rounded(const T* one, const T* other, const T* sums, int count) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const double sum =
        static_cast<double>(static_cast<float>(one[i])) + static_cast<double>(static_cast<float>(other[i]));
    T expected;
    if constexpr (dma::stdlib::is_same_v<T, __half>) {
      expected = __double2half(sum);
    } else {
      expected = __double2bfloat16(sum);
    }
    const float actual = static_cast<float>(sums[i]);
    const bool is_right = sum != sum ? actual != actual : std::memcmp(&sums[i], &expected, sizeof expected) == 0;
    wrong += is_right ? 0 : 1;
  }
  return wrong;
}

#endif

}  // namespace sums
