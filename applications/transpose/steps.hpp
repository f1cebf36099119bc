#pragma once

#include <dma/dma.hpp>

/// The kernels of an article on achievable bandwidth: a matrix that is copied and transposed without shared memory, by
/// blocks of threads of which each moves one element, or four. One body serves all; they differ in their `Step`.
namespace transpose {

enum class Along { rows, columns };

/// Which elements neighbouring threads read and write.
struct Step {
  const char* name;
  Along reads;   ///< of the input
  Along writes;  ///< of the output
  int unrolled = 1;
  bool is_diagonal = false;

  /// Otherwise it copies.
  [[nodiscard]] constexpr bool transposes() const { return reads != writes; }
};

/// In the article's order.
inline constexpr Step steps[] = {
    {"copyRow", Along::rows, Along::rows},
    {"copyCol", Along::columns, Along::columns},
    {"naiveRow", Along::rows, Along::columns},
    {"naiveCol", Along::columns, Along::rows},
    {"unrolledRow", Along::rows, Along::columns, 4},
    {"unrolledCol", Along::columns, Along::rows, 4},
    {"diagonalRow", Along::rows, Along::columns, 1, true},
    {"diagonalCol", Along::columns, Along::rows, 1, true},
};
inline constexpr int step_count = sizeof steps / sizeof steps[0];
inline constexpr int naive_row = 2;
inline constexpr int naive_col = 3;

/// The blocks of threads that the article tries with naiveCol.
struct BlockShape {
  int width;
  int height;
};
inline constexpr BlockShape block_shapes[] = {{32, 32}, {32, 16}, {32, 8}, {64, 16}, {64, 8}, {128, 8}};
inline constexpr int block_shape_count = sizeof block_shapes / sizeof block_shapes[0];

/// Step `Number` for a row-major matrix of `rows` x `cols` elements, in blocks of `Width` x `Height` threads.
///
/// Neighbouring threads follow x, of which a thread moves `unrolled` elements, `Width` apart: it is the column of the
/// input where that is read along its rows, and the row where it is read along its columns.
///
/// @tparam From, To  pointers, or what else has elements
/// Source  "Achievable Kernel Bandwidth", after chapter 4.4 of Professional CUDA C Programming
template <int Number, int Width, int Height>
struct MoveDirectly {
  static constexpr Step step = steps[Number];
  using Layout = dma::WarpLayout<dma::Compute<Width * Height / 32>>;

  [[nodiscard]] static dma::Index3 grid(int rows, int cols) {
    const Extents extents = extents_of(rows, cols);
    constexpr int width = Width * step.unrolled;
    return {(extents.x + width - 1) / width, (extents.y + Height - 1) / Height};
  }

  template <class From, class To>
  DMA_HOST_DEVICE void operator()(dma::KernelCta<MoveDirectly>& cta, From from, To to, int rows, int cols) const {
    const Extents extents = extents_of(rows, cols);
    const dma::Index3 block = block_of(cta);
    const int x = block.x * Width * step.unrolled + cta.thread() % Width;
    const int y = block.y * Height + cta.thread() / Width;
    const auto is_inside = [&](int i) { return x + i * Width < extents.x && y < extents.y; };
    dma::stdlib::remove_cvref_t<decltype(from[0])> elements[step.unrolled];
    dma::unrolled<step.unrolled>([&](auto i) {
      if (is_inside(i)) {
        elements[i] = from[place<step.reads == Along::rows>(x + i * Width, y, extents)];
      }
    });
    dma::unrolled<step.unrolled>([&](auto i) {
      if (is_inside(i)) {
        to[place<step.writes == Along::rows>(x + i * Width, y, extents)] = elements[i];
      }
    });
  }

 private:
  struct Extents {
    int x;
    int y;
  };
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Extents extents_of(int rows, int cols) {
    return step.reads == Along::rows ? Extents{cols, rows} : Extents{rows, cols};
  }
  /// Where element (x, y) is: neighbours along x beside each other, or along y.
  template <bool AlongX>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr long long place(int x, int y, Extents extents) {
    return AlongX ? static_cast<long long>(y) * extents.x + x : static_cast<long long>(x) * extents.y + y;
  }
  /// Diagonal: CTAs that follow one another take blocks along a diagonal, so that they neither read nor write the same
  /// rows.
  [[nodiscard]] DMA_HOST_DEVICE static dma::Index3 block_of(const dma::Cta& cta) {
    const dma::Index3 block = cta.block();
    if constexpr (step.is_diagonal) {
      const dma::Index3 blocks = cta.blocks();
      const long long number = static_cast<long long>(block.y) * blocks.x + block.x;
      const int y = static_cast<int>(number % blocks.y);
      return {static_cast<int>((number / blocks.y + y) % blocks.x), y};
    } else {
      return block;
    }
  }
};

/// A matrix to read whose loads say which caches keep a line: `LoadCache::all` as the article's `-dlcm=ca`, or
/// `LoadCache::global` as `-dlcm=cg`, the first-level cache left out.
template <dma::LoadCache Cache, class T>
struct ReadThrough {
  const T* elements;

  [[nodiscard]] DMA_HOST_DEVICE T operator[](long long i) const {
    return dma::load_global<dma::CacheHints{.load = Cache}>(elements + i);
  }
};

}  // namespace transpose
