#pragma once

/// Kernel bodies that stream tiles through pipelines and write out what they read, so that every lost, stale or torn
/// tile shows. The host tests and the device tests run the same ones.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/pipeline.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

namespace streams {

/// How a kernel uses its handles.
enum class Style { scope, early_release, explicit_calls, own_turns, two_slots, one_body };

struct Job {
  const float* in;
  float* out;          ///< as long as `in`, once a CTA; what no tile covers stays as it was
  int trips;           ///< tiles in each loop
  int short_every;     ///< every n-th tile is short, 0 for none
  unsigned seed = 0;   ///< of the delays, 0 for none
  int out_stride = 0;  ///< elements of `out` from one CTA to the next
};

inline constexpr int loops = 3;               ///< on the first pipeline, one after another
inline constexpr int passes = loops + 1;      ///< and one more, on a second pipeline over the same storage
inline constexpr int sequential_count = 96;   ///< elements of a full tile
inline constexpr int rows = 6, cols = 20;     ///< of a full strided tile
inline constexpr int source_pitch = 28;       ///< elements from row to row in `in`
inline constexpr int destination_pitch = 24;  ///< and in shared memory

using Sequential = dma::Sequential<float, sequential_count>;
using Strided = dma::Strided<float, cols, rows, dma::RowLayout{.pitch_bytes = destination_pitch * 4}>;

/// Elements of `in` from one tile to the next.
template <class Pattern>
inline constexpr int tile_stride = Pattern::max_run_count == 1 ? sequential_count : rows* source_pitch;

/// The t-th tile: full, or one of a few short shapes, the empty one among them.
template <class Pattern>
DMA_HOST_DEVICE Pattern shape_of(int tile, int short_every) {
  const bool is_short = short_every != 0 && tile % short_every == short_every - 1;
  if constexpr (Pattern::max_run_count == 1) {
    return is_short ? Sequential{tile * 7 % sequential_count} : Sequential{};
  } else {
    return is_short ? Strided{source_pitch * 4, tile % (rows + 1), tile * 4 % (cols + 4)} : Strided{source_pitch * 4};
  }
}

/// Holds a warp up for a while that differs from warp to warp and from tile to tile. A host varies its schedule
/// instead.
DMA_HOST_DEVICE void delay([[maybe_unused]] const dma::Cta& cta, [[maybe_unused]] unsigned seed,
                           [[maybe_unused]] int tile) {
#if defined(__CUDA_ARCH__)
  if (seed != 0) {
    unsigned hash = seed + 0x9e3779b9U * static_cast<unsigned>(cta.warp() * 1000 + tile);
    hash = (hash ^ (hash >> 16)) * 0x7feb352dU;
    hash = (hash ^ (hash >> 15)) * 0x846ca68bU;
    __nanosleep((hash >> 28) < 6 ? (hash >> 20) & 0x3ffU : 0);
  }
#endif
}

/// The position of the i-th element of a tile of this shape, in shared memory and in `in`.
struct Place {
  int in_tile;
  int in_source;
};
template <class Pattern>
DMA_HOST_DEVICE Place place_of(const Pattern& shape, int i) {
  if constexpr (Pattern::max_run_count == 1) {
    return {i, i};
  } else {
    const int row = i / shape.cols;
    const int col = i % shape.cols;
    return {row * destination_pitch + col, row * source_pitch + col};
  }
}

/// This CTA's output.
DMA_HOST_DEVICE float* out_of(const Job& job) { return job.out + dma::this_cta().block().x * job.out_stride; }

/// What the compute warps do with a slot: write out what they find in it or, where the pipeline stores, fill it.
template <class Pattern>
DMA_HOST_DEVICE void use_slot(const Job& job, const Pattern& shape, int tile, float* slot, int rank, int size) {
  for (int i = rank; i < shape.size(); i += size) {
    const Place place = place_of(shape, i);
    const int offset = tile * tile_stride<Pattern> + place.in_source;
    if constexpr (dma::detail::is_store<Pattern>) {
      slot[place.in_tile] = job.in[offset];
    } else {
      out_of(job)[offset] = slot[place.in_tile];
    }
  }
}

/// What the DMA warps do with a tile.
template <class Handle>
DMA_HOST_DEVICE void move_tile(const Job& job, const Handle& dma, int tile) {
  using Pattern = typename Handle::Pattern;
  const Pattern shape = shape_of<Pattern>(tile, job.short_every);
  if constexpr (dma::detail::is_store<Pattern>) {
    dma.store(out_of(job) + tile * tile_stride<Pattern>, shape);
  } else {
    dma.load(job.in + tile * tile_stride<Pattern>, shape);
  }
}

/// The same by the four explicit calls.
template <class Handle>
DMA_HOST_DEVICE void move_tile_by_hand(const Job& job, const Handle& dma, int tile) {
  using Pattern = typename Handle::Pattern;
  const Pattern shape = shape_of<Pattern>(tile, job.short_every);
  if constexpr (dma::detail::is_store<Pattern>) {
    dma.wait_until_full();
    dma.copy(out_of(job) + tile * tile_stride<Pattern>, shape);
    dma.signal_empty();
  } else {
    dma.wait_until_empty();
    dma.copy(job.in + tile * tile_stride<Pattern>, shape);
    dma.signal_full();
  }
}
template <class Handle>
DMA_HOST_DEVICE void use_slot_by_hand(const Job& job, const Handle& compute, int tile) {
  using Pattern = typename Handle::Pattern;
  const Pattern shape = shape_of<Pattern>(tile, job.short_every);
  if constexpr (dma::detail::is_store<Pattern>) {
    use_slot(job, shape, tile, compute.wait_until_empty(), compute.rank(), compute.size());
    compute.signal_full();
  } else {
    use_slot(job, shape, tile, compute.wait_until_full(), compute.rank(), compute.size());
    compute.signal_empty();
  }
}

/// One loop over the tiles of one pipeline, in one style.
template <Style style, class Pipe>
DMA_HOST_DEVICE void stream(const dma::Cta& cta, Pipe& pipe, const Job& job, int first) {
  using Pattern = typename Pipe::Pattern;
  const int last = first + job.trips;
  const auto shape = [&](int tile) { return shape_of<Pattern>(tile, job.short_every); };

  if constexpr (style == Style::one_body) {
    pipe.for_each_tile(
        {.first = first, .last = last},
        [&](const auto& dma, int tile) {
          delay(cta, job.seed, tile);
          move_tile(job, dma, tile);
        },
        [&](const auto& compute, int tile) {
          delay(cta, job.seed, tile + 500);
          const auto slot = compute.wait(shape(tile));
          use_slot(job, shape(tile), tile, slot.data(), compute.rank(), compute.size());
        });
  } else if (pipe.is_dma()) {
    const auto dma = pipe.as_dma();
    if constexpr (style == Style::own_turns) {
      for (int tile : dma.my_tiles({.first = first, .last = last})) {
        delay(cta, job.seed, tile);
        move_tile(job, dma, tile);
      }
    } else {
      for (int tile = first; tile < last; ++tile) {
        delay(cta, job.seed, tile);
        if constexpr (style == Style::explicit_calls) {
          move_tile_by_hand(job, dma, tile);
        } else {
          move_tile(job, dma, tile);
        }
      }
    }
  } else if (pipe.is_compute()) {
    const auto compute = pipe.as_compute();
    const auto use = [&](int tile, float* data) {
      use_slot(job, shape(tile), tile, data, compute.rank(), compute.size());
    };
    for (int tile = first; tile < last; ++tile) {
      delay(cta, job.seed, tile);
      if constexpr (style == Style::explicit_calls) {
        use_slot_by_hand(job, compute, tile);
      } else {
        auto slot = compute.wait(shape(tile));
        if (style == Style::two_slots && Pipe::stages > 1 && tile + 1 < last) {
          const auto next = compute.wait(shape(tile + 1));
          use(tile + 1, next.data());
          use(tile, slot.data());
          slot.release();
          ++tile;
          delay(cta, job.seed, tile);
        } else {
          use(tile, slot.data());
          if constexpr (style == Style::early_release) {
            slot.release();
            delay(cta, job.seed, tile + 500);
          }
        }
      }
    }
  }
}

/// Three loops on one pipeline, then a second pipeline on its storage and its barriers.
template <class Pipe, Style style>
struct OnePipeline {
  using Layout = typename Pipe::Layout;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<OnePipeline>& cta, const Job& job) const {
    auto& shared = cta.template shared<Shared>();
    {
      Pipe pipe(cta, shared.storage);
      for (int loop = 0; loop < loops; ++loop) {
        stream<style>(cta, pipe, job, loop * job.trips);
      }
      pipe.close();
    }
    Pipe again(cta, shared.storage);
    stream<style>(cta, again, job, loops * job.trips);
  }
};

/// Two pipelines of unlike patterns side by side, every tile of one with a tile of the other; then both again.
template <class PipeA, class PipeB>
struct TwoPipelines {
  using Layout = typename PipeA::Layout;
  struct Shared {
    typename PipeA::Storage a;
    typename PipeB::Storage b;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TwoPipelines>& cta, const Job& a, const Job& b) const {
    auto& shared = cta.template shared<Shared>();
    {
      PipeA pipe_a(cta, shared.a);
      PipeB pipe_b(cta, shared.b);
      for (int loop = 0; loop < loops; ++loop) {
        both(cta, pipe_a, pipe_b, a, b, loop * a.trips);
      }
      pipe_a.close();
      pipe_b.close();
    }
    PipeA pipe_a(cta, shared.a);
    PipeB pipe_b(cta, shared.b);
    both(cta, pipe_a, pipe_b, a, b, loops * a.trips);
  }

 private:
  DMA_HOST_DEVICE static void both(const dma::Cta& cta, PipeA& pipe_a, PipeB& pipe_b, const Job& a, const Job& b,
                                   int first) {
    if (pipe_a.is_compute()) {
      const auto compute_a = pipe_a.as_compute();
      const auto compute_b = pipe_b.as_compute();
      for (int tile = first; tile < first + a.trips; ++tile) {
        delay(cta, a.seed, tile);
        const auto shape_a = shape_of<typename PipeA::Pattern>(tile, a.short_every);
        const auto shape_b = shape_of<typename PipeB::Pattern>(tile, b.short_every);
        auto slot_b = compute_b.wait(shape_b);
        const auto slot_a = compute_a.wait(shape_a);
        use_slot(b, shape_b, tile, slot_b.data(), compute_b.rank(), compute_b.size());
        slot_b.release();
        use_slot(a, shape_a, tile, slot_a.data(), compute_a.rank(), compute_a.size());
      }
    } else {
      stream<Style::scope>(cta, pipe_a, a, first);
      stream<Style::scope>(cta, pipe_b, b, first);
    }
  }
};

}  // namespace streams
