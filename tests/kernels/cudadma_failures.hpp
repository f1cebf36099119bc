#pragma once

/// What failed in CudaDMA, or was left to the caller, as cases that a host and a GPU run: tiles go through one pipeline
/// into shared memory, from there through the compute warps into the slots of another, and out again. Every byte of the
/// destination is compared with what plain loops over coordinates put there.
///
/// A `Runner` has `bytes(count)`, memory that both sides see, and `run(body, ctas, job)`.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/pipeline.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

namespace failures {

using dma::Compute;
using dma::Dma;
using dma::WarpLayout;

/// One tile: where and how it is taken, where and how it is put.
template <class In, class Out>
struct Tile {
  In in;
  Out out;
  long long in_bytes;  ///< the load's address, from the job's
  long long out_bytes;
};

template <class In, class Out>
struct Job {
  const Tile<In, Out>* tiles;
  int count;
  const unsigned char* in;
  unsigned char* out;
};

/// The position of the i-th element in a tile of this shape.
template <class Pattern>
DMA_HOST_DEVICE int place_of(const Pattern& shape, int i) {
  if constexpr (Pattern::max_run_count == 1) {
    return i;
  } else if constexpr (requires { shape.cols; }) {
    return Pattern::index(i / shape.cols, i % shape.cols);
  } else {
    constexpr int cols = Pattern::Tile::row_bytes / Pattern::Tile::element_bytes;
    return Pattern::index(i / cols, i % cols);
  }
}

/// Loads by one pattern and stores by another, which may lay the same elements out otherwise.
template <class In, class Out, class Warps, class Barrier>
struct Copy {
  using Layout = Warps;
  using Element = typename In::Element;
  using Source = dma::DmaPipeline<In, dma::MultiBuffer<Warps, 2, dma::DmaGroups{.first = 0}>, Barrier>;
  using Sink =
      dma::DmaPipeline<dma::Store<Out>,
                       dma::MultiBuffer<Warps, 2, dma::DmaGroups{.first = Warps::is_specialized ? 1 : 0}>, Barrier>;
  struct Shared {
    typename Source::Storage source;
    typename Sink::Storage sink;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Copy>& cta, const Job<In, Out>& job) const {
    auto& shared = cta.template shared<Shared>();
    Source source(cta, shared.source);
    Sink sink(cta, shared.sink);
    const int step = cta.blocks().x;
    if constexpr (Warps::is_specialized) {
      if (source.is_dma()) {
        for (int t = cta.block().x; t < job.count; t += step) {
          load(source, job, t);
        }
      } else if (sink.is_dma()) {
        for (int t = cta.block().x; t < job.count; t += step) {
          store(sink, job, t);
        }
      } else {
        for (int t = cta.block().x; t < job.count; t += step) {
          use(source, sink, job, t);
        }
      }
    } else {
      for (int t = cta.block().x; t < job.count; t += step) {
        load(source, job, t);
        use(source, sink, job, t);
        store(sink, job, t);
      }
    }
  }

 private:
  DMA_HOST_DEVICE static void load(Source& source, const Job<In, Out>& job, int t) {
    const Tile<In, Out>& tile = job.tiles[t];
    source.as_dma().load(reinterpret_cast<const Element*>(job.in + tile.in_bytes), tile.in);
  }
  DMA_HOST_DEVICE static void store(Sink& sink, const Job<In, Out>& job, int t) {
    const Tile<In, Out>& tile = job.tiles[t];
    sink.as_dma().store(reinterpret_cast<Element*>(job.out + tile.out_bytes), tile.out);
  }
  DMA_HOST_DEVICE static void use(Source& source, Sink& sink, const Job<In, Out>& job, int t) {
    const Tile<In, Out>& tile = job.tiles[t];
    const auto compute = source.as_compute();
    const auto from = compute.wait(tile.in);
    const auto to = sink.as_compute().wait(tile.out);
    for (int i = compute.rank(); i < from.size(); i += compute.size()) {
      to[place_of(tile.out, i)] = from[place_of(tile.in, i)];
    }
  }
};

inline constexpr long long reach = 64 * 1024;  ///< bytes to either side of where the job's addresses point
inline constexpr unsigned char untouched = 0xee;

/// The tiles of one case beside the destination as it must be afterwards.
template <class In, class Out = In>
class Case {
 public:
  Case() : in_(2 * reach), expected_(2 * reach, untouched) {
    for (std::size_t i = 0; i < in_.size(); ++i) {
      in_[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
    }
  }

  void add(const In& in, const Out& out, long long in_bytes, long long out_bytes) {
    tiles_.push_back({in, out, in_bytes, out_bytes});
  }
  /// `bytes` of the source at `from` must be found in the destination at `to`.
  void expect(long long from, long long to, long long bytes) {
    for (long long byte = 0; byte < bytes; ++byte) {
      expected_[static_cast<std::size_t>(reach + to + byte)] = in_[static_cast<std::size_t>(reach + from + byte)];
    }
  }

  /// Bytes that differ from what they should be: wrong, missing, or written where no tile reaches.
  template <class Warps, class Barrier, class Runner>
  [[nodiscard]] long long wrong_on(Runner& runner, int ctas = 2) const {
    const auto size = static_cast<std::size_t>(2 * reach);
    unsigned char* const in = runner.bytes(size);
    unsigned char* const out = runner.bytes(size);
    unsigned char* const tiles = runner.bytes(tiles_.size() * sizeof(Tile<In, Out>) + 1);
    std::memcpy(in, in_.data(), size);
    std::memset(out, untouched, size);
    if (!tiles_.empty()) {
      std::memcpy(tiles, tiles_.data(), tiles_.size() * sizeof(Tile<In, Out>));
    }
    runner.run(Copy<In, Out, Warps, Barrier>{}, ctas,
               Job<In, Out>{reinterpret_cast<const Tile<In, Out>*>(tiles), static_cast<int>(tiles_.size()), in + reach,
                            out + reach});
    long long wrong = 0;
    for (std::size_t i = 0; i < size; ++i) {
      wrong += out[i] == expected_[i] ? 0 : 1;
    }
    return wrong;
  }
  /// With DMA warps on either barrier, and without them.
  template <class Runner>
  [[nodiscard]] long long wrong_everywhere(Runner& runner) const {
    using TwoGroups = WarpLayout<Compute<2>, Dma<1>, Dma<2>>;
    return wrong_on<TwoGroups, dma::NamedBarrier>(runner) + wrong_on<TwoGroups, dma::CudaBarrier>(runner) +
           wrong_on<WarpLayout<Compute<2>>, dma::CudaBarrier>(runner);
  }

 private:
  std::vector<unsigned char> in_;
  std::vector<unsigned char> expected_;
  std::vector<Tile<In, Out>> tiles_;
};

template <int Size>
struct Blob {
  unsigned char bytes[Size];
};

/// CudaDMA needs multiples of 4 bytes; any other size is undefined there.
template <class Runner>
long long sizes_that_are_no_multiple_of_4(Runner& runner) {
  Case<dma::Sequential<unsigned char, 333, 1>> bytes;
  long long at = 1;
  for (int size = 0; size <= 333; size += size < 70 ? 1 : 37) {
    bytes.add({size}, {size}, at, at + 3);
    bytes.expect(at, at + 3, size);
    at += size + 5;
  }
  Case<dma::Sequential<unsigned char, 333, 16>> behind_an_aligned_address;
  at = 0;
  for (int size = 1; size <= 333; size += size < 70 ? 1 : 37) {
    behind_an_aligned_address.add({size}, {size}, at, at + 16);
    behind_an_aligned_address.expect(at, at + 16, size);
    at += 352;
  }
  Case<dma::Strided<Blob<3>, 7, 9, dma::RowLayout{.alignment = 1}>> rows_of_21_bytes;
  rows_of_21_bytes.add({25}, {25}, 5, 2);
  for (int row = 0; row < 9; ++row) {
    rows_of_21_bytes.expect(5 + row * 25, 2 + row * 25, 21);
  }
  return bytes.wrong_everywhere(runner) + behind_an_aligned_address.wrong_everywhere(runner) +
         rows_of_21_bytes.wrong_everywhere(runner);
}

/// A warp moves 512 bytes a step at most. Elements of 1004 and of 1001 bytes take more, and end beside the alignment.
template <class Runner>
long long elements_larger_than_a_step(Runner& runner) {
  // From a 16-byte boundary: 62 accesses of 16 bytes and a rest of 12.
  Case<dma::Sequential<Blob<1004>, 1, 16>> one;
  Case<dma::Sequential<Blob<1004>, 3, 16>> three;
  for (int t = 0; t < 7; ++t) {
    one.add({}, {}, t * 1008, t * 1008 + 32);
    one.expect(t * 1008, t * 1008 + 32, 1004);
    three.add({t % 4}, {t % 4}, t * 3024, t * 3024 + 16);
    three.expect(t * 3024, t * 3024 + 16, t % 4 * 1004);
  }
  // As rows, each of which begins at the next element: the alignment is the element's.
  Case<dma::Strided<Blob<1004>, 1, 6>> rows_of_words;
  Case<dma::Strided<Blob<1001>, 1, 6>> rows_of_bytes;
  rows_of_words.add({1004}, {1012}, 4, 8);
  rows_of_bytes.add({1001}, {1003}, 3, 7);
  for (int row = 0; row < 6; ++row) {
    rows_of_words.expect(4 + row * 1004, 8 + row * 1012, 1004);
    rows_of_bytes.expect(3 + row * 1001, 7 + row * 1003, 1001);
  }
  return one.wrong_everywhere(runner) + three.wrong_everywhere(runner) + rows_of_words.wrong_everywhere(runner) +
         rows_of_bytes.wrong_everywhere(runner);
}

/// Tiles without elements between others, and a stream without tiles.
template <class Runner>
long long no_elements(Runner& runner) {
  Case<dma::Sequential<float, 64>> elements;
  Case<dma::Strided<float, 8, 4>> rows_and_cols;
  Case<dma::Indirect<float, 8, 4>> named_rows;
  Case<dma::Tile2D<float, 8, 4>> boxes;
  for (int t = 0; t < 9; ++t) {
    const bool is_empty = t % 3 != 1;
    const long long at = t * 1024;
    elements.add({is_empty ? 0 : 64}, {is_empty ? 0 : 64}, at, at);
    rows_and_cols.add({64, t % 3 == 0 ? 0 : 4, t % 3 == 2 ? 0 : 8}, {64, t % 3 == 0 ? 0 : 4, t % 3 == 2 ? 0 : 8}, at,
                      at);
    named_rows.add({nullptr, 4, 32, is_empty ? 0 : 4}, {nullptr, 4, 32, is_empty ? 0 : 4}, at, at);
    boxes.add({64, 4, 8, is_empty ? -4 : 0}, {64, 4, 8, is_empty ? -4 : 0}, at, at);
    for (int row = 0; !is_empty && row < 4; ++row) {
      elements.expect(at + row * 64, at + row * 64, 64);
      rows_and_cols.expect(at + row * 64, at + row * 64, 32);
      named_rows.expect(at + row * 32, at + row * 32, 32);
      boxes.expect(at + row * 64, at + row * 64, 32);
    }
  }
  const Case<dma::Sequential<float, 64>> no_tiles;
  return elements.wrong_everywhere(runner) + rows_and_cols.wrong_everywhere(runner) +
         named_rows.wrong_everywhere(runner) + boxes.wrong_everywhere(runner) + no_tiles.wrong_everywhere(runner);
}

/// From dense rows to named ones, from named ones to dense, and from one list to another.
template <class Runner>
long long scatters(Runner& runner) {
  constexpr int table_rows = 41;
  constexpr int row_bytes = 6 * 4;
  int* const ids = reinterpret_cast<int*>(runner.bytes(4 * table_rows));
  for (int i = 0; i < table_rows; ++i) {
    ids[i] = (i * 17 + 5) % table_rows;
  }
  using Rows = dma::Strided<float, 6, 8>;
  using Named = dma::Indirect<float, 6, 8>;
  Case<Rows, Named> apart;
  Case<Named, Rows> together;
  Case<Named, Named> across;
  for (int first = 0; first < table_rows; first += 8) {
    const int rows = table_rows - first < 8 ? table_rows - first : 8;
    const Rows dense{row_bytes, rows};
    const Named named{ids + first, table_rows, 40, rows};
    apart.add(dense, named, first * row_bytes, 16);
    together.add(named, dense, 16, first * row_bytes);
    across.add(named, {ids + table_rows - first - rows, table_rows, 32, rows}, 16, 0);
    for (int row = first; row < first + rows; ++row) {
      apart.expect(row * row_bytes, 16 + (row * 17 + 5) % table_rows * 40, row_bytes);
      together.expect(16 + (row * 17 + 5) % table_rows * 40, row * row_bytes, row_bytes);
      const int other = table_rows - first - rows + row - first;
      across.expect(16 + (row * 17 + 5) % table_rows * 40, (other * 17 + 5) % table_rows * 32, row_bytes);
    }
  }
  return apart.wrong_everywhere(runner) + together.wrong_everywhere(runner) + across.wrong_everywhere(runner);
}

/// Four pitches, none equal to another: of the source, of the tile loaded, of the tile stored, of the destination.
template <class Runner>
long long unequal_strides(Runner& runner) {
  using In = dma::Strided<float, 12, 10, dma::RowLayout{.pitch_bytes = 80, .alignment = 16}>;
  using Out = dma::Strided<float, 12, 10, dma::RowLayout{.pitch_bytes = 52}>;
  Case<In, Out> downwards;
  Case<In, Out> upwards;
  for (int t = 0; t < 6; ++t) {
    const int rows = t == 5 ? 7 : 10;
    downwards.add({112, rows}, {60, rows}, t * 2048, t * 1024 + 4);
    upwards.add({112, rows}, {-60, rows}, t * 2048, t * 1024 + 604);
    for (int row = 0; row < rows; ++row) {
      downwards.expect(t * 2048 + row * 112, t * 1024 + 4 + row * 60, 48);
      upwards.expect(t * 2048 + row * 112, t * 1024 + 604 - row * 60, 48);
    }
  }
  return downwards.wrong_everywhere(runner) + upwards.wrong_everywhere(runner);
}

/// Most threads of the group have nothing to move.
template <class Runner>
long long groups_larger_than_the_tile(Runner& runner) {
  using ManyWarps = WarpLayout<Compute<1>, Dma<6>, Dma<5>>;
  Case<dma::Sequential<float, 5, 4>> five;
  Case<dma::Sequential<unsigned char, 1>> one_byte;
  Case<dma::Strided<float, 3, 2>> two_rows;
  for (int t = 0; t < 9; ++t) {
    five.add({t % 6}, {t % 6}, t * 24, t * 24 + 4);
    five.expect(t * 24, t * 24 + 4, t % 6 * 4);
    one_byte.add({}, {}, t, 3 * t);
    one_byte.expect(t, 3 * t, 1);
    two_rows.add({20}, {28}, t * 64, t * 64);
    two_rows.expect(t * 64, t * 64, 12);
    two_rows.expect(t * 64 + 20, t * 64 + 28, 12);
  }
  const auto wrong = [&](const auto& a_case) {
    return a_case.template wrong_on<ManyWarps, dma::NamedBarrier>(runner) +
           a_case.template wrong_on<ManyWarps, dma::CudaBarrier>(runner) +
           a_case.template wrong_on<WarpLayout<Compute<8>>, dma::CudaBarrier>(runner);
  };
  return wrong(five) + wrong(one_byte) + wrong(two_rows);
}

/// One object, 500 tiles, the shape another every time.
template <class Runner>
long long one_object_over_many_tiles(Runner& runner) {
  Case<dma::Sequential<float, 20, 4>> lengths;
  Case<dma::Strided<float, 4, 3, dma::RowLayout{.alignment = 4}>> shapes;
  for (int t = 0; t < 500; ++t) {
    const int count = t * 13 % 21;
    lengths.add({count}, {count}, t * 84, t * 100);
    lengths.expect(t * 84, t * 100, count * 4);
    const int rows = t * 5 % 4;
    const int cols = t * 3 % 5;
    shapes.add({20, rows, cols}, {32, rows, cols}, t * 64, t * 100);
    for (int row = 0; row < rows; ++row) {
      shapes.expect(t * 64 + row * 20, t * 100 + row * 32, cols * 4);
    }
  }
  using TwoGroups = WarpLayout<Compute<1>, Dma<1>, Dma<1>>;
  const auto wrong = [&](const auto& a_case) {
    return a_case.template wrong_on<TwoGroups, dma::NamedBarrier>(runner, 1) +
           a_case.template wrong_on<TwoGroups, dma::CudaBarrier>(runner, 1) +
           a_case.template wrong_on<WarpLayout<Compute<1>>, dma::CudaBarrier>(runner, 1);
  };
  return wrong(lengths) + wrong(shapes);
}

/// Adds tiles of two arrays, each loaded by an object of its own: groups of different sizes, different patterns and
/// stages.
template <class Barrier>
struct AddTwo {
  using Layout = WarpLayout<Compute<2>, Dma<1>, Dma<2>>;
  using A = dma::Sequential<int, 96>;
  using B = dma::Strided<int, 24, 4, dma::RowLayout{.pitch_bytes = 112}>;
  using PipeOfA = dma::DmaPipeline<A, dma::SingleBuffer<Layout>, Barrier>;
  using PipeOfB = dma::DmaPipeline<B, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Barrier>;
  struct Shared {
    typename PipeOfA::Storage a;
    typename PipeOfB::Storage b;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<AddTwo>& cta, const int* a, const int* b, int tiles, int* sum) const {
    auto& shared = cta.template shared<Shared>();
    PipeOfA pipe_of_a(cta, shared.a);
    PipeOfB pipe_of_b(cta, shared.b);
    const B rows{40 * 4};
    if (pipe_of_a.is_dma()) {
      for (int t = 0; t < tiles; ++t) {
        pipe_of_a.as_dma().load(a + t * 96);
      }
    } else if (pipe_of_b.is_dma()) {
      for (int t = 0; t < tiles; ++t) {
        pipe_of_b.as_dma().load(b + t * 160, rows);
      }
    } else {
      const auto compute = pipe_of_a.as_compute();
      for (int t = 0; t < tiles; ++t) {
        const auto tile_of_b = pipe_of_b.as_compute().wait(rows);
        const auto tile_of_a = compute.wait();
        for (int i = compute.rank(); i < 96; i += compute.size()) {
          sum[t * 96 + i] = tile_of_a[i] + tile_of_b(i / 24, i % 24);
        }
      }
    }
  }
};

/// CudaDMA has the caller give each object an id of its own; here the layout does.
template <class Runner>
long long two_objects_in_one_kernel(Runner& runner) {
  constexpr int tiles = 50;
  int* const a = reinterpret_cast<int*>(runner.bytes(tiles * 96 * 4));
  int* const b = reinterpret_cast<int*>(runner.bytes(tiles * 160 * 4));
  int* const sum = reinterpret_cast<int*>(runner.bytes(tiles * 96 * 4));
  for (int i = 0; i < tiles * 96; ++i) {
    a[i] = i;
  }
  for (int i = 0; i < tiles * 160; ++i) {
    b[i] = i * 100000;
  }
  long long wrong = 0;
  const auto check = [&](const auto& body) {
    for (int i = 0; i < tiles * 96; ++i) {
      sum[i] = -1;
    }
    runner.run(body, 1, a, b, tiles, sum);
    for (int i = 0; i < tiles * 96; ++i) {
      const int row = i / 24;  // of 4 rows a tile, 40 elements apart
      wrong += sum[i] == i + (row * 40 + i % 24) * 100000 ? 0 : 1;
    }
  };
  check(AddTwo<dma::NamedBarrier>{});
  check(AddTwo<dma::CudaBarrier>{});
  return wrong;
}

}  // namespace failures
