#pragma once

#include "kernels/right.hpp"
#include "kernels/right_slots.hpp"

/// Patterns at the edge of what they move: absent rows, rows upwards, halos at the border, tiles that a producer makes.
namespace right {

/// Rows named by a list in which a negative number says that there is none: the threads load row 0 and drop it.
struct AbsentRows {
  static constexpr const char* name = "a gather whose list has absent rows";
  static constexpr int rows = 8;
  static constexpr int cols = 16;
  static constexpr int tiles = 4;
  static constexpr int ctas = 1;
  static constexpr int table_rows = 20;
  static constexpr int in_count = table_rows * cols;
  static constexpr int out_count = tiles * rows * cols;
  using Layout = Warps<4, 1>;
  using Rows = dma::Indirect<int, cols, rows>;
  using Pipe = dma::DmaPipeline<Rows, dma::MultiBuffer<Layout, 2>, Phase, Async>;
  struct Shared {
    Pipe::Storage storage;
    int named[tiles][rows];
  };

  DMA_HOST_DEVICE static int row_of(int i) { return i * 7 % 23 - 3; }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<AbsentRows>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.shared<Shared>();
    Pipe pipe(cta, shared.storage);
    if (cta.thread() < tiles * rows) {
      const int row = row_of(cta.thread());
      shared.named[cta.thread() / rows][cta.thread() % rows] = row < 0 ? 0 : row;
    }
    cta.sync();
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in, {.indices = shared.named[t], .table_rows = table_rows});
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        const auto slot = compute.wait();
        const int row = compute.rank() / cols;
        const int col = compute.rank() % cols;
        out[t * rows * cols + compute.rank()] = row_of(t * rows + row) < 0 ? -1 : slot(row, col);
      }
    }
  }
  static int expected(const int* in, int i) {
    const int row = i / 16 * 7 % 23 - 3;
    return row < 0 ? -1 : in[row * 16 + i % 16];
  }
};

struct RowsUpwards {
  static constexpr const char* name = "a block read from its last row upwards, transposed by the threads";
  static constexpr int cols = 8;
  static constexpr int rows = 8;
  static constexpr int ctas = 1;
  static constexpr int in_count = 3 * cols * rows;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Block = dma::Strided<int, cols, rows>;
  using Pipe = dma::DmaPipeline<Block, dma::MultiBuffer<Layout, 2>, Phase, Async>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<RowsUpwards>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < 3; ++t) {
        dma.load(in + (t * rows + rows - 1) * cols, {-cols * 4});
      }
    } else {
      const auto compute = pipe.as_compute();
      const int row = compute.rank() / cols;
      const int col = compute.rank() % cols;
      for (int t = 0; t < 3; ++t) {
        out[t * cols * rows + compute.rank()] = compute.wait()(col, row);
      }
    }
  }
  static int expected(const int* in, int i) { return in[i / 64 * 64 + (7 - i % 8) * 8 + i / 8 % 8]; }
};

/// 52 and 36 bytes a row, 16 at a time and 4 more.
struct RaggedRows {
  static constexpr const char* name = "rows that end between two accesses, of a length known at run time";
  static constexpr int cols = 13;
  static constexpr int rows = 4;
  static constexpr int pitch = 16;
  static constexpr int tiles = 3;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * rows * pitch;
  static constexpr int out_count = tiles * 32;
  using Layout = Warps<1, 1>;
  using Block = dma::Strided<int, cols, rows, dma::RowLayout{.alignment = 16}>;
  using Pipe = dma::DmaPipeline<Block, dma::MultiBuffer<Layout, 2>, Phase, Async>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE static int cols_of(int t) { return t == 1 ? 9 : cols; }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<RaggedRows>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto shape = [](int t) { return Block{pitch * 4, rows, cols_of(t)}; };
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * rows * pitch, shape(t));
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        const auto slot = compute.wait(shape(t));
        int sum = 0;
        for (int row = 0; row < rows && compute.rank() < cols_of(t); ++row) {
          sum += slot(row, compute.rank());
        }
        out[t * 32 + compute.rank()] = sum;
      }
    }
  }
  static int expected(const int* in, int i) {
    const int* const tile = in + i / 32 * 64 + i % 32;
    return i % 32 < (i / 32 == 1 ? 9 : 13) ? tile[0] + tile[16] + tile[32] + tile[48] : 0;
  }
};

/// Full tiles and a partial one, each at another distance of its rows in shared memory.
struct PitchAtRunTime {
  static constexpr const char* name = "rows in shared memory at a pitch that is known at run time";
  static constexpr int cols = 8;
  static constexpr int rows = 8;
  static constexpr int tiles = 4;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * rows * cols;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Block = dma::Strided<int, cols, rows, dma::RowLayout{.alignment = 4, .max_pitch_bytes = 44}>;
  using Pipe = dma::DmaPipeline<Block, dma::MultiBuffer<Layout, 2>, Phase, Async>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE static int rows_of(int t) { return t == 2 ? 3 : rows; }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<PitchAtRunTime>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto shape = [](int t) {
      return Block{.pitch_bytes = cols * 4, .rows = rows_of(t), .shared_pitch_bytes = 32 + t * 4};
    };
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * rows * cols, shape(t));
      }
    } else {
      const auto compute = pipe.as_compute();
      const int row = compute.rank() % rows;
      const int col = compute.rank() / rows;
      for (int t = 0; t < tiles; ++t) {
        const auto slot = compute.wait(shape(t));
        out[t * rows * cols + compute.rank()] = row < rows_of(t) ? slot(row, col) : 0;
      }
    }
  }
  static int expected(const int* in, int i) {
    return i / 64 == 2 && i % 8 > 2 ? 0 : in[i / 64 * 64 + i % 8 * 8 + i / 8 % 8];
  }
};

/// Each tile of a small array is asked for with a ring around it that mostly is outside.
struct HaloAtBorders {
  static constexpr const char* name = "rings around tiles at all borders of an array";
  static constexpr int cols = 4;
  static constexpr int rows = 4;
  static constexpr int width = 8;
  static constexpr int ctas = 1;
  static constexpr int in_count = width * width;
  static constexpr int out_count = in_count;
  using Layout = Warps<1, 1>;
  using Ring = dma::Halo2D<int, dma::HaloShape{.cols = cols, .rows = rows, .radius = 2}>;
  using Pipe = dma::DmaPipeline<Ring, dma::MultiBuffer<Layout, 2>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<HaloAtBorders>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto ring = [](int t) { return Ring{width * 4, width, width, t / 2 * rows, t % 2 * cols, 9}; };
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < 4; ++t) {
        dma.load(in, ring(t));
      }
    } else if (pipe.is_compute()) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < 4; ++t) {
        const auto slot = compute.wait(ring(t));
        const int row = compute.rank() / cols;
        const int col = compute.rank() % cols;
        if (row < rows) {
          out[(t / 2 * rows + row) * width + t % 2 * cols + col] =
              slot(-2, col) + 10 * slot(rows + 1, col) + 100 * slot(row, -1) + 1000 * slot(row, cols);
        }
      }
    }
  }
  static int expected(const int* in, int i) {
    const auto at = [&](int row, int col) { return row < 0 || row > 7 || col < 0 || col > 7 ? 9 : in[row * 8 + col]; };
    const int row = i / 8;
    const int col = i % 8;
    const int top = row / 4 * 4;
    const int left = col / 4 * 4;
    return at(top - 2, col) + 10 * at(top + 5, col) + 100 * at(row, left - 1) + 1000 * at(row, left + 4);
  }
};

/// Pairs of 16 bits that the DMA threads widen while they move them.
struct Widened {
  using Element = int;
  static constexpr int tile_bytes = count * 4;
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = tile_bytes;
  static constexpr int run_alignment = 4;

  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  DMA_HOST_DEVICE constexpr int size() const { return count; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 1; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int) const { return {0, 0, tile_bytes}; }

  template <int Threads>
  DMA_HOST_DEVICE void load_tile(const unsigned char* source, unsigned char* tile, int thread) const {
    const auto* const halves = reinterpret_cast<const unsigned short*>(source);
    for (int i = thread; i < count; i += Threads) {
      reinterpret_cast<int*>(tile)[i] = halves[i];
    }
  }
};

struct ProducerComputes {
  static constexpr const char* name = "DMA warps that widen what they load";
  static constexpr int tiles = 7;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count / 2;
  static constexpr int out_count = tiles * count;
  using Layout = Warps<2, 2>;
  using Pipe = dma::DmaPipeline<Widened, dma::MultiBuffer<Layout, 2>, Phase, Registers>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ProducerComputes>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * count / 2);
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        out[t * count + compute.rank()] = compute.wait()[63 - compute.rank()];
      }
    }
  }
  static int expected(const int* in, int i) {
    const int k = i / 64 * 64 + 63 - i % 64;
    return static_cast<int>(static_cast<unsigned>(in[k / 2]) >> (k % 2 * 16) & 0xffffU);
  }
};

using Shapes = List<AbsentRows, RowsUpwards, RaggedRows, PitchAtRunTime, HaloAtBorders, ProducerComputes>;

}  // namespace right
