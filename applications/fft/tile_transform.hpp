#pragma once

/// What threads do with the points of a tile once they have them.

#include "arrangement.hpp"
#include "untangle.hpp"

namespace fft {

/// The transforms of a tile's columns, and their stores.
template <PassShape shape>
struct TileTransform {
  using Tile = Arrangement<shape>;
  static constexpr int width = shape.width;
  static constexpr int stride = shape.stride();
  using Points = dma::Vector<Complex, width>;
  using Registers = Complex[width][points_a_thread];

  /// The part of a thread before the first exchange.
  [[nodiscard]] DMA_HOST_DEVICE static auto loaded_share(int thread) {
    if constexpr (shape.from == Columns::runs) {
      return Tile::by_runs(thread);
    } else {
      return Tile::by_sides(thread);
    }
  }
  /// Whether a column that is a run is one; the last tile may have fewer than `columns`.
  [[nodiscard]] DMA_HOST_DEVICE static bool has_column(const PassProblem& problem, int column) {
    return shape.to == Columns::side_by_side || column < problem.columns_in_all;
  }

  /// Fills in the factors; the threads see those of the others after their next barrier. All threads of the transform
  /// call it, each with its number among them.
  DMA_HOST_DEVICE static void prepare(int thread, typename Tile::Shared& shared) {
    if constexpr (Tile::has_factors) {
      if (thread < Tile::factors) {
        shared.factors_of_second_step[thread] = root_of_unity(static_cast<unsigned>(thread / 16 * (thread % 16)), 8);
      }
    }
  }

  /// Transforms the points, multiplies them by the factors between two passes, and stores them.
  ///
  /// @tparam is_first_tile  of a CTA, whose threads have exchanged nothing yet, or since they met
  /// @param threads         those of the transform, which `threads.sync()` synchronizes: the CTA where it has no
  ///                        others, the compute warps' handle where it has DMA warps
  /// @param thread          the number among them
  template <bool is_first_tile, class Threads>
  DMA_HOST_DEVICE static void finish(const Threads& threads, int thread, typename Tile::Shared& shared, Registers& x,
                                     const PassProblem& problem, const TilePlace& place) {
    const auto loaded = loaded_share(thread);
    Complex* const to = problem.to + place.offset(problem.out);
    if constexpr (shape.to == Columns::runs) {
      const int column = place.first_column + loaded.column;
      const bool is_inside = has_column(problem, column);
      Complex* const run = to + column * problem.out.pitch;
      if constexpr (shape.untangles == Untangles::loaded) {
        const Complex* const from = problem.from + place.offset(problem.in) + column * problem.in.pitch;
        const Complex last = loaded.point == 0 && is_inside ? from[shape.points] : Complex{};
        untangle<is_first_tile>(threads, shared, x, loaded, conjugated(last, problem.sign_in));
        transform<typename Tile::First, false>(threads, shared, x, loaded, loaded);
      } else {
        transform<typename Tile::First, is_first_tile>(threads, shared, x, loaded, loaded);
      }
      if constexpr (shape.untangles == Untangles::results) {
        const Complex last = untangle<false>(threads, shared, x, loaded, x[0][0]);
        if (loaded.point == 0 && is_inside) {
          run[shape.points] = last;
        }
      }
      write(run + loaded.point, stride, problem, x, is_inside);
    } else {
      const auto by_sides = Tile::by_sides(thread);
      const int column = place.first_column + by_sides.column;
      if constexpr (shape.from == Columns::runs) {
        transform<typename Tile::First, is_first_tile>(threads, shared, x, loaded, by_sides);
      } else {
        transform<typename Tile::First, is_first_tile>(threads, shared, x, by_sides, by_sides);
        twiddle(x, by_sides.point, column, problem.log_twiddles);
      }
      write(to + column + by_sides.point * problem.out.pitch, stride * problem.out.pitch, problem, x, true);
    }
  }

 private:
  DMA_HOST_DEVICE static void write(Complex* to, long long step, const PassProblem& problem, const Registers& x,
                                    bool is_inside) {
    dma::unrolled<points_a_thread>([&](auto m) {
      Points points;
      dma::unrolled<width>([&](auto i) { points[i] = conjugated(x[i][m], problem.sign_out); });
      if (is_inside) {
        auto* const at = reinterpret_cast<Points*>(to + m * step);
        // Without a hint an ordinary store: it leaves the compiler more freedom, and 256 points x 32 columns their
        // registers.
        if constexpr (shape.l2_of_stores == dma::L2Priority::normal) {
          *at = points;
        } else {
          dma::store_global<dma::CacheHints{.l2 = shape.l2_of_stores}>(at, points);
        }
      }
    });
  }

  /// The step over the points from `Done` on: a butterfly of radix 16, or the last one of what is left.
  template <class Layout, bool is_buffer_free, int Done = 1, class Threads, class From, class To>
  DMA_HOST_DEVICE static void transform(const Threads& threads, typename Tile::Shared& shared, Registers& x,
                                        const From& from, const To& to) {
    constexpr int left = shape.points / Done;
    constexpr int radix = left < points_a_thread ? left : points_a_thread;
    if constexpr (Done > 1) {
      turn<Done, radix>(shared, x, from.point);
    }
    dma::unrolled<width>([&](auto i) {
      dma::unrolled<points_a_thread / radix>(
          [&](auto first) { butterfly<radix, first, points_a_thread / radix>(x[i]); });
    });
    if constexpr (left > points_a_thread) {
      exchange<Layout, Done, shape.rounds, is_buffer_free>(threads, shared.exchange, x, from, to);
      transform<typename Tile::Later, false, Done * points_a_thread>(threads, shared, x, to, to);
    }
  }

  /// Turns the points of a step's butterflies before it: point r by r * j / (Done * Radix) of a turn, where j is the
  /// butterfly's number modulo `Done`. The butterflies of one thread differ by multiples of a sixteenth of a turn.
  template <int Done, int Radix>
  DMA_HOST_DEVICE static void turn(const typename Tile::Shared& shared, Registers& x, int point) {
    constexpr int butterflies = points_a_thread / Radix;
    constexpr int log_length = log2_of(Done * Radix);
    if constexpr (Tile::has_factors && Done * Radix == Tile::factors) {
      dma::unrolled<Radix - 1>([&](auto before) {
        constexpr int r = before + 1;
        const Complex w = shared.factors_of_second_step[r * Done + point % Done];
        dma::unrolled<width>([&](auto i) { x[i][r] = x[i][r] * w; });
      });
    } else {
      for_each_power<Radix>(Complex{1, 0}, static_cast<unsigned>(point % Done), log_length, [&](auto r, Complex w) {
        if constexpr (r > 0) {
          dma::unrolled<butterflies>([&](auto b) {
            dma::unrolled<width>([&](auto i) {
              Complex& z = x[i][b + r * butterflies];
              z = times_sixteenth<b * r>(z * w);
            });
          });
        }
      });
    }
  }

  /// The factors between two passes.
  DMA_HOST_DEVICE static void twiddle(Registers& x, int point, int column, int log_length) {
    dma::unrolled<width>([&](auto i) {
      const auto c = static_cast<unsigned>(column + i);
      const Complex first = root_of_unity(c * static_cast<unsigned>(point), log_length);
      for_each_power<points_a_thread>(first, c * stride, log_length, [&](auto m, Complex w) { x[i][m] = x[i][m] * w; });
    });
  }

  /// Untangles the points. The mirrored ones of a thread are those of another, which it reads one by one: 16 at once
  /// would take twice the registers.
  ///
  /// The conjugates of loaded points, of which the conjugate of an inverse is made, untangle as results do.
  ///
  /// @param mirrored_first  the mirrored one of point 0, for the thread that has that
  /// @return for that thread the point after the last
  template <bool is_buffer_free, class Threads, class Share>
  DMA_HOST_DEVICE static Complex untangle(const Threads& threads, typename Tile::Shared& shared, Registers& x,
                                          const Share& share, Complex mirrored_first) {
    constexpr int log_real = log2_of(2 * shape.points);
    constexpr float scale = shape.untangles == Untangles::results ? 0.5F : 1.0F;
    Complex* const column = reinterpret_cast<Complex*>(shared.exchange) + Tile::Mirrored::index(0, share.column);
    if constexpr (!is_buffer_free) {
      threads.sync();
    }
    dma::unrolled<points_a_thread>([&](auto m) { column[share.point + m * stride] = x[0][m]; });
    threads.sync();
    Complex after_last{};
    const Complex first = untangling_factor(share.point, log_real);
    for_each_power<points_a_thread>(first, stride, log_real, [&](auto m, Complex factor) {
      const int point = share.point + m * stride;
      const Complex mirrored = m == 0 && point == 0 ? mirrored_first : column[shape.points - point];
      const Pair pair = untangled(Pair{x[0][m], mirrored}, factor);
      x[0][m] = pair.at_k * scale;
      if constexpr (m == 0) {
        after_last = pair.mirrored * scale;
      }
    });
    return after_last;
  }

  [[nodiscard]] static consteval int log2_of(int number) {
    int log = 0;
    while (number >> log > 1) {
      ++log;
    }
    return log;
  }
};

}  // namespace fft
