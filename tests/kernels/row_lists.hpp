#pragma once

/// Rows of a table that a list names, moved by tensor maps.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/engines/tensor/tensor_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/concat.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline.hpp>
#include <dma/sync/cuda_barrier.hpp>

#include <cstddef>
#include <vector>

namespace row_lists {

inline constexpr int table_rows = 61;
inline constexpr int rows_around = 8;  ///< in memory, before the table and behind it

/// What the table has at column c of row r: no zero, and few equal ones.
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE constexpr Element number(int r, int c) {
  return static_cast<Element>(1 + (r * 37 + c * 5) % 251);
}
/// A table whose rows are `pitch` elements apart, and what is around it.
template <class Element>
struct Table {
  explicit Table(int elements) : pitch(elements) {
    for (int r = -rows_around; r < table_rows + rows_around; ++r) {
      for (int c = 0; c < pitch; ++c) {
        memory.push_back(number<Element>(r + 251, c));
      }
    }
  }
  [[nodiscard]] Element* rows() { return memory.data() + rows_around * pitch; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(table_rows * pitch); }
  [[nodiscard]] long long pitch_bytes() const { return pitch * static_cast<long long>(sizeof(Element)); }

  int pitch;
  std::vector<Element> memory;
};

template <class Element, int Cols, int Rows, class Index = int, dma::Swizzle swizzle = dma::Swizzle::none>
using Listed = dma::Indirect<Element, Cols, Rows, dma::IndexedRows<Index>{dma::RowLayout{.swizzle = swizzle}}>;

/// Copies the rows that the first `rows` numbers of `tile.indices` name to `out`, densely.
template <class Element, int Cols, int Rows, class Index = int, dma::Swizzle swizzle = dma::Swizzle::none>
struct Gathers {
  using Tile = Listed<Element, Cols, Rows, Index, swizzle>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Gathers>& cta, const dma::TensorMap<Tile>& map, Tile tile, int rows,
                                  Element* out) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto at = [&](int row) {
      Tile now = tile;
      now.indices += row;
      now.rows = Tile::rows_up_to(rows - row);
      return now;
    };
    pipe.for_each_tile(
        {.last = rows, .step = Rows}, [&](const auto& dma, int row) { dma.load(map, at(row)); },
        [&](const auto& compute, int row) {
          const Tile now = at(row);
          const auto slot = compute.wait(now);
          for (int i = compute.rank(); i < now.rows * Cols; i += compute.size()) {
            out[row * Cols + i] = slot[Tile::index(i / Cols, i % Cols)];
          }
        });
  }
};

/// Writes row i of `rows` where number i of `tile.indices` names it.
template <class Element, int Cols, int Rows, class Index = int, dma::Swizzle swizzle = dma::Swizzle::none>
struct Scatters {
  using Tile = Listed<Element, Cols, Rows, Index, swizzle>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scatters>& cta, const dma::TensorMap<Tile>& map, Tile tile,
                                  int rows) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto at = [&](int row) {
      Tile now = tile;
      now.indices += row;
      now.rows = Tile::rows_up_to(rows - row);
      return now;
    };
    pipe.for_each_tile(
        {.last = rows, .step = Rows}, [&](const auto& dma, int row) { dma.store(map, at(row)); },
        [&](const auto& compute, int row) {
          const Tile now = at(row);
          const auto slot = compute.wait(now);
          for (int i = compute.rank(); i < now.rows * Cols; i += compute.size()) {
            slot[Tile::index(i / Cols, i % Cols)] = number<Element>(100 + row + i / Cols, i % Cols);
          }
        });
  }
};

/// Copies rows of 64 elements, in two halves by a warp each, from where one list names them to where another does.
struct MovesHalves {
  using Half = Listed<float, 32, 8>;
  using Tile = dma::Concat<Half, Half>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<2>, dma::Dma<2>>;
  using In = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 0}>, dma::CudaBarrier,
                              dma::TensorCopy<>>;
  using Out = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>,
                               dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    In::Storage in;
    Out::Storage out;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<MovesHalves>& cta, const dma::TensorMap<Tile>& from_map,
                                  const dma::TensorMap<Tile>& to_map, Half from, Half to, int rows) const {
    auto& shared = cta.shared<Shared>();
    In in(cta, shared.in);
    Out out(cta, shared.out);
    const auto tile_at = [&](Half half, int row) {
      half.indices += row;
      half.rows = Half::rows_up_to(rows - row);
      return Tile{half, half};
    };
    cta.take_roles(
        [&] {
          for (int row = 0; row < rows; row += 8) {
            const auto read = in.as_compute().wait(tile_at(from, row));
            const auto written = out.as_compute().wait(tile_at(to, row));
            const int count = Half::rows_up_to(rows - row) * 64;
            for (int i = in.as_compute().rank(); i < count; i += in.as_compute().size()) {
              const int r = i / 64;
              const int c = i % 32;
              const int place = i % 64 < 32 ? Tile::index_of<0>(r, c) : Tile::index_of<1>(r, c);
              written[place] = read[place];
            }
          }
        },
        [&] {
          for (int row = 0; row < rows; row += 8) {
            in.as_dma().load(from_map, tile_at(from, row));
          }
        },
        [&] {
          for (int row = 0; row < rows; row += 8) {
            out.as_dma().store(to_map, tile_at(to, row));
          }
        });
  }
};

}  // namespace row_lists
