#pragma once

#include "steps.hpp"

#include <dma/dma.hpp>

namespace financial {

/// The same by the library: tiles of `TileValues` rows of `TilePoints` points, `Stages` of them on their way.
///
/// @pre `points` is a multiple of the vector's elements, `values` is positive; the arrays begin on 16 bytes.
template <class T, class Layout_, int TilePoints, int TileValues, int Stages, int Ctas>
struct BestOfSums {
  using Layout = Layout_;
  using Tile = dma::Strided<T, TilePoints, TileValues, dma::RowLayout{.alignment = 16}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>>;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas, .programmatic_launch = true};
  static constexpr int width = dma::Vector<T>::size();
  static constexpr int points_of_thread = TilePoints / Layout::compute_threads;
  static constexpr int vectors = points_of_thread / width;
  static_assert(vectors * width * Layout::compute_threads == TilePoints,
                "a tile is equally many vectors of each compute thread");

  struct Shared {
    typename Pipe::Storage storage;
  };

  [[nodiscard]] static int blocks_of_points(int points) { return (points + TilePoints - 1) / TilePoints; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<BestOfSums>& cta, const Points<T>& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    cta.grid_dependency_wait();
    const int steps = (job.values + TileValues - 1) / TileValues;
    const int blocks = (job.points + TilePoints - 1) / TilePoints;
    const int mine = (blocks - cta.block().x + cta.blocks().x - 1) / cta.blocks().x;
    const auto first_point = [&](int t) { return (cta.block().x + t / steps * cta.blocks().x) * TilePoints; };
    const auto first_value = [&](int t) { return t % steps * TileValues; };
    const auto tile_at = [&](int t) {
      const int values_left = job.values - first_value(t);
      const int points_left = job.points - first_point(t);
      return Tile{job.points * static_cast<long long>(sizeof(T)), values_left < TileValues ? values_left : TileValues,
                  points_left < TilePoints ? points_left : TilePoints};
    };
    dma::Vector<T> best[vectors] = {};
    pipe.for_each_tile(
        {.last = mine * steps},
        [&](const auto& dma, int t) {
          dma.load(job.big + static_cast<long long>(first_value(t)) * job.points + first_point(t), tile_at(t));
        },
        [&](const auto& compute, int t) {
          const Tile shape = tile_at(t);
          T small[TileValues];
          dma::unrolled<TileValues>([&](auto k) { small[k] = k < shape.rows ? job.small[first_value(t) + k] : T{0}; });
          const auto tile = compute.wait(shape);
          const auto big = tile.vectors();
          const auto point = [&](int i) { return (compute.rank() + i * compute.size()) * width; };
          dma::unrolled<TileValues>([&](auto k) {
            dma::unrolled<vectors>([&](auto i) {
              if (k < shape.rows && point(i) < shape.cols) {
                const dma::Vector<T> sums = big(k, point(i)) + small[k];
                dma::unrolled<width>([&](auto j) { best[i][j] = larger(best[i][j], sums[j]); });
              }
            });
          });
          if (t % steps == steps - 1) {
            dma::unrolled<vectors>([&](auto i) {
              if (point(i) < shape.cols) {
                *dma::vectors(job.best + first_point(t) + point(i)) = best[i];
              }
              best[i] = {};
            });
          }
        });
  }
};

/// The same without shared memory: a value is used once, and where its thread has registers for `Unrolled` of them, the
/// memory is as busy as with tiles.
///
/// @pre `points` is a multiple of `Width`, `values` of `Unrolled`; the arrays begin on a load.
template <class T, int Threads, int Ctas, int Width, int Unrolled, dma::CacheHints Hints>
struct BestOfSumsInRegisters {
  using Layout = dma::WarpLayout<dma::Compute<Threads / 32>>;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas, .programmatic_launch = true};

  [[nodiscard]] static int blocks_of_points(int points) { return (points / Width + Threads - 1) / Threads; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<BestOfSumsInRegisters>& cta, const Points<T>& job) const {
    cta.grid_dependency_wait();
    const int threads = cta.blocks().x * Threads;
    for (int p = Width * (cta.block().x * Threads + cta.thread()); p < job.points; p += Width * threads) {
      dma::Vector<T, Width> best{};
      for (int k = 0; k < job.values; k += Unrolled) {
        dma::Vector<T, Width> big[Unrolled];
        dma::unrolled<Unrolled>([&](auto i) {
          big[i] =
              dma::load_global<Hints>(dma::vectors<Width>(job.big + static_cast<long long>(k + i) * job.points + p));
        });
        dma::unrolled<Unrolled>([&](auto i) {
          const T small = job.small[k + i];
          dma::unrolled<Width>([&](auto j) { best[j] = larger(best[j], big[i][j] + small); });
        });
      }
      *dma::vectors<Width>(job.best + p) = best;
    }
  }
};

}  // namespace financial
