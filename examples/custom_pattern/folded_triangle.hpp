#pragma once

#include <dma/dma.hpp>

/// The lower triangle of a square block of 2-byte elements, packed, with a transfer of its own.
///
/// Elements of 2 bytes are too narrow for asynchronous copies, and rows of different lengths go through registers one
/// by one, each waiting for the one before. Folded, rows r and Rows - 1 - r together have Rows + 1 elements. That makes
/// a block of equal rows, which the threads divide among themselves and read all at once.
///
/// Global  row r of the block starts `r * pitch_bytes` after the first
/// Shared  row r has r + 1 elements and starts at index `index(r, 0)`, the rows one after another
template <int Rows>
struct FoldedTriangle {
  using Element = unsigned short;

  static constexpr int count = Rows * (Rows + 1) / 2;
  static constexpr int tile_bytes = count * 2;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = Rows * 2;
  static constexpr int run_alignment = 2;

  long long pitch_bytes = Rows * 2;
  int rows = Rows;

  DMA_HOST_DEVICE constexpr bool is_full() const { return rows == Rows; }
  DMA_HOST_DEVICE constexpr int size() const { return rows * (rows + 1) / 2; }
  DMA_HOST_DEVICE constexpr int run_count() const { return rows; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int row) const {
    return {.global = row * pitch_bytes, .shared = index(row, 0) * 2, .bytes = (row + 1) * 2};
  }

  DMA_HOST_DEVICE static constexpr int index(int row, int col) { return row * (row + 1) / 2 + col; }

  template <int Threads>
  DMA_HOST_DEVICE void load_tile(const unsigned char* source, unsigned char* tile, int thread) const {
    move<Threads>(
        thread, [&](Place at) { return *in_block<const Element>(source, at); },
        [&](Place at, Element value) { *in_tile<Element>(tile, at) = value; });
  }
  template <int Threads>
  DMA_HOST_DEVICE void store_tile(unsigned char* destination, const unsigned char* tile, int thread) const {
    move<Threads>(
        thread, [&](Place at) { return *in_tile<const Element>(tile, at); },
        [&](Place at, Element value) { *in_block<Element>(destination, at) = value; });
  }

 private:
  struct Place {
    int row;
    int col;
  };
  /// Element i of the folded triangle.
  DMA_HOST_DEVICE static constexpr Place place(int i) {
    const int row = i / (Rows + 1);
    const int col = i % (Rows + 1);
    return col <= row ? Place{row, col} : Place{Rows - 1 - row, col - row - 1};
  }

  template <class T, class Byte>
  DMA_HOST_DEVICE T* in_block(Byte* block, Place at) const {
    return reinterpret_cast<T*>(block + at.row * pitch_bytes) + at.col;
  }
  template <class T, class Byte>
  DMA_HOST_DEVICE T* in_tile(Byte* tile, Place at) const {
    return reinterpret_cast<T*>(tile) + index(at.row, at.col);
  }

  /// Reads all elements of a thread before it writes the first, a register each.
  template <int Threads, class Read, class Write>
  DMA_HOST_DEVICE void move(int thread, const Read& read, const Write& write) const {
    constexpr int steps = (count + Threads - 1) / Threads;
    Element held[steps] = {};
    dma::unrolled<steps>([&](auto step) {
      const int i = step * Threads + thread;
      if (i < count && place(i).row < rows) {
        held[step] = read(place(i));
      }
    });
    dma::unrolled<steps>([&](auto step) {
      const int i = step * Threads + thread;
      if (i < count && place(i).row < rows) {
        write(place(i), held[step]);
      }
    });
  }
};
