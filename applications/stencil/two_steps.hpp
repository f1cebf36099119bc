#pragma once

/// Two steps of the stencil in one pass over memory: one group of compute warps makes the first step of a tile and its
/// surroundings in shared memory, another one the second step from there.

#include "field.hpp"
#include "partition.hpp"
#include "sums.hpp"

#include <dma/dma.hpp>

namespace stencil {

/// What the warps of one of the two steps have.
struct StepShape {
  int warps;
  int rows_a_thread;
  int registers;
};

/// The numbers to tune, see tuning.hpp.
struct TwoStepsShape {
  int vectors;  ///< of 16 bytes in a row of the tile
  int rows;     ///< of the tile
  StepShape first;
  StepShape second;
  int dma_registers = 40;
  int stages = 6;  ///< planes in flight
  int slots = 3;   ///< planes of the first step between the two groups
  int slack = 8;   ///< planes that a CTA may be ahead of another
  int cost = 100;  ///< time for a point, where `March` takes 100
};

/// The star applied twice. A point has the bits that two launches of `March` give: the second one would read zeros
/// outside the domain, so the first step is zero there.
///
/// A CTA marches along z through items of a partition, as in `March`. With plane z in the ring, the first group
/// completes plane z - Radius of the first step: of the tile, of `Radius` rows above and below, and of as many columns
/// left and right. The second group completes plane z - 2 * Radius of the result from it.
template <class T, int Radius, TwoStepsShape shape>
struct TwoSteps {
  static constexpr int width = Vec<T>::width;
  using Layout = dma::WarpLayout<dma::Compute<shape.first.warps, dma::Registers{shape.first.registers}>,
                                 dma::Compute<shape.second.warps, dma::Registers{shape.second.registers}>,
                                 dma::Dma<1, dma::Registers{shape.dma_registers}>>;
  static constexpr int first_points = shape.first.rows_a_thread;
  static constexpr int second_points = shape.second.rows_a_thread;
  using FirstSums = Sums<T, Radius, first_points>;
  using SecondSums = Sums<T, Radius, second_points>;

  static constexpr int cols = shape.vectors * width;
  static constexpr int rows = shape.rows;
  static constexpr int cost = shape.cost;
  static constexpr int reach = FirstSums::reach;  ///< vectors left and right that a point reads

  static constexpr int first_vectors = shape.vectors + 2 * reach;  ///< in a row of the first step, a thread each
  static constexpr int first_rows = rows + 2 * Radius;
  static constexpr int first_bands = shape.first.warps * 32 / first_vectors;  ///< of `first_points` rows
  static_assert(first_bands * first_points >= first_rows,
                "stencil::TwoSteps: the threads of the first step have fewer rows than it needs; give it more warps, "
                "or more rows a thread");

  static_assert(
      shape.second.warps * 32 / shape.vectors * second_points >= rows && rows % second_points == 0,
      "stencil::TwoSteps: the threads of the second step have fewer rows than the tile, or more than one has; "
      "give it more warps, or rows that divide by those of a thread");

  /// Vectors left and right of the tile that the first step reads, up to whole sectors of 32 bytes.
  static constexpr int side = ((2 * Radius + width - 1) / width + 1) / 2 * 2;
  static constexpr int plane_vectors = shape.vectors + 2 * side;
  /// Vectors from one row of the first step to the next: so many that threads which follow one another store to
  /// different banks where a row of threads ends, too.
  static constexpr int between_vectors = [] {
    int pitch = first_vectors;
    while (pitch < first_vectors + 8 && (first_points * pitch - first_vectors) % 8 != 0) {
      ++pitch;
    }
    return pitch < first_vectors + 8 ? pitch : first_vectors;
  }();

  using Plane = dma::Tile3D<T, dma::TileShape{.cols = plane_vectors * width, .rows = rows + 4 * Radius}>;
  using Between = dma::Sequential<T, between_vectors * width * first_rows>;
  using Pipe = dma::DmaPipeline<Plane, dma::UsedBy<0, dma::MultiBuffer<Layout, shape.stages>>, dma::CudaBarrier,
                                dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = dma::L2Priority::evict_last}}>>;
  using HandOff = dma::HandOff<Between, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, shape.slots>>;
  struct Shared {
    typename Pipe::Storage planes;
    typename HandOff::Storage between;
  };
  static constexpr dma::KernelTraits traits{.cooperative = true};

  [[nodiscard]] DMA_HOST_DEVICE static Plane plane_at(const Field<const T>& u, int x, int y, int z) {
    const auto size = static_cast<long long>(sizeof(T));
    return {u.pitch * size, u.plane_pitch() * size, u.nz, u.ny, u.nx, z, y - 2 * Radius, x - side * width, T{}};
  }

  /// Whether a launch's arguments are made for this shape.
  static void expects(const dma::TensorMap<Plane>&, const Field<const T>&, const Star<T, Radius>&,
                      const Partition& work, const dma::PaceCounter* pace_counter, const StoreSum<T>&) {
    expect_tiles("stencil::TwoSteps", work, cols, rows);
    expect_counter("stencil::TwoSteps", pace_counter);
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TwoSteps>& cta, const dma::TensorMap<Plane>& map,
                                  const Field<const T>& u, const Star<T, Radius>& star, const Partition& work,
                                  dma::PaceCounter* pace_counter, const StoreSum<T>& store) const {
    Shared& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.planes);
    HandOff between(cta, shared.between);
    const auto for_each_item = [&, first = cta.block().x, step = cta.blocks().x](const auto& visit) {
      for (int i = first; i < work.items(); i += step) {
        visit(work.item(i));
      }
    };
    cta.take_roles(
        [&] {
          const FirstThread thread(cta.thread());
          const auto planes = pipe.as_compute();
          const auto firsts = between.as_producer();
          FirstSums sums{};
          for_each_item([&](const Item& item) {
            const Inside inside(u, item.x + thread.col, item.y + thread.row);
            for_each_plane(item, [&](int z) {
              {
                const auto plane = planes.wait();
                thread.add(sums, plane.data(), star);
              }
              const auto first = firsts.wait();
              thread.store(sums, first.data(), inside, z - Radius);
              sums.shift();
            });
          });
        },
        [&] {
          const auto firsts = between.as_consumer();
          const SecondThread thread(firsts.rank());
          SecondSums sums{};
          for_each_item([&](const Item& item) {
            Stores stores(store, u, thread, item);
            for_each_plane(item, [&](int z) {
              {
                const auto first = firsts.wait();
                thread.add(sums, first.data(), star);
              }
              stores.next(sums, z - 2 * Radius);
              sums.shift();
            });
          });
        },
        [&] {
          const auto dma = pipe.as_dma();
          dma::Pace<shape.slack> pace(cta, pipe, pace_counter);
          for_each_item([&](const Item& item) {
            for_each_plane(item, [&](int z) {
              pace.step();
              dma.load(map, plane_at(u, item.x, item.y, z));
            });
          });
        });
  }

  /// Calls `visit(z)` for each plane that an item reads. Planes of the first step that are complete before all of their
  /// terms were added reach sums of the second step that are not stored.
  template <class Visit>
  DMA_HOST_DEVICE static void for_each_plane(const Item& item, const Visit& visit) {
    for (int z = item.first - 2 * Radius; z < item.last + 2 * Radius; ++z) {
      visit(z);
    }
  }

  // --- a thread's points ---------------------------------------------------------------------------------------------

  /// Which of a thread's points of the first step are in the domain.
  struct Inside {
    bool rows[first_points];
    bool has_all_rows = true;
    int count;   ///< elements of its vector
    int planes;  ///< of the domain

    DMA_HOST_DEVICE Inside(const Field<const T>& u, int x, int y) : count(x < 0 ? 0 : u.nx - x), planes(u.nz) {
      dma::unrolled<first_points>([&](auto r) {
        rows[r] = y + r >= 0 && y + r < u.ny;
        has_all_rows = has_all_rows && rows[r];
      });
    }
    [[nodiscard]] DMA_HOST_DEVICE int count_in(int z) const { return z >= 0 && z < planes ? count : 0; }
  };

  /// A thread's points of the first step. The last row of threads begins as much earlier as it has rows too many.
  struct FirstThread {
    int row;  ///< in the tile, negative above it
    int col;
    int in_plane;     ///< its first point, in a slot of the ring, less what is above it
    int in_between;   ///< and in a slot between the groups
    int stored_from;  ///< rows before are stored by the row of threads before, or by others where the thread is idle

    DMA_HOST_DEVICE explicit FirstThread(int rank) {
      const int begin = rank / first_vectors * first_points;
      const int last = first_rows - first_points;
      const int place = begin < last ? begin : last;
      const int vector = rank % first_vectors;
      row = place - Radius;
      col = (vector - reach) * width;
      in_plane = (place * plane_vectors + side - reach + vector) * width;
      in_between = (place * between_vectors + vector) * width;
      stored_from = begin - place;
    }

    DMA_HOST_DEVICE void add(FirstSums& sums, const T* plane, const Star<T, Radius>& star) const {
      constexpr int pitch = plane_vectors * width;
      const T* const from = plane + in_plane;
      sums.add(
          star, [&](int i) { return vec_at(from + i * pitch); },
          [&](int i, int r) { return vec_at(from + (r + Radius) * pitch + beside(i)); }, [](int, const Vec<T>&) {});
    }
    /// Stores the sums that are complete: after all loads, since a compiler keeps a load behind a store that may be to
    /// the same place.
    DMA_HOST_DEVICE void store(FirstSums& sums, T* between, const Inside& inside, int z) const {
      const auto keep_if = [&](const auto& is_inside) {
        dma::unrolled<first_points * width>([&](auto i) {
          T& sum = sums.of[0][i / width][i % width];
          sum = is_inside(i / width, i % width) ? sum : T{};
        });
      };
      if (!inside.has_all_rows) {
        keep_if([&](int r, int) { return inside.rows[r]; });
      }
      if (inside.count_in(z) < width) {
        keep_if([&](int, int v) { return v < inside.count_in(z); });
      }
      T* const to = between + in_between;
      const auto store_row = [&](auto r) {
        const Vec<T> sum = sums.complete(r);  // by name: GCC's instrumentation misses one returned into memory
        *reinterpret_cast<Vec<T>*>(to + r * between_vectors * width) = sum;
      };
      if constexpr (first_bands * first_points == first_rows) {
        if (stored_from == 0) {
          dma::unrolled<first_points>(store_row);
        }
      } else {
        dma::unrolled<first_points>([&](auto r) {
          if (r >= stored_from) {
            store_row(r);
          }
        });
      }
    }
  };

  /// A thread's points of the second step: those of the tile.
  struct SecondThread {
    bool is_idle;  ///< beyond the last row of threads: computes what another does, and stores nothing
    int row;
    int col;
    int in_between;

    DMA_HOST_DEVICE explicit SecondThread(int rank)
        : is_idle(rank / shape.vectors * second_points >= rows),
          row(is_idle ? 0 : rank / shape.vectors * second_points),
          col(rank % shape.vectors * width),
          in_between((row * between_vectors + reach) * width + col) {}

    DMA_HOST_DEVICE void add(SecondSums& sums, const T* between, const Star<T, Radius>& star) const {
      constexpr int pitch = between_vectors * width;
      const T* const from = between + in_between;
      sums.add(
          star, [&](int i) { return vec_at(from + i * pitch); },
          [&](int i, int r) { return vec_at(from + (r + Radius) * pitch + beside(i)); }, [](int, const Vec<T>&) {});
    }
  };

  /// Where a thread's points of the result are, plane after plane from the one `4 * Radius` before an item's first.
  struct Stores {
    const StoreSum<T>& store;
    const Field<const T>& u;
    int first;  ///< plane to store
    int y;
    int count;  ///< elements of the thread's vector in the domain; none where the thread stores nothing
    long long at;

    DMA_HOST_DEVICE Stores(const StoreSum<T>& store_, const Field<const T>& u_, const SecondThread& thread,
                           const Item& item)
        : store(store_),
          u(u_),
          first(item.first),
          y(item.y + thread.row),
          count(thread.is_idle ? 0 : u.nx - item.x - thread.col),
          at(u.at(item.x + thread.col, y, item.first - 4 * Radius)) {}

    /// After all loads of a plane, as in the first step.
    DMA_HOST_DEVICE void next(const SecondSums& sums, int z) {
      if (z >= first) {
        long long row = at;
        dma::unrolled<second_points>([&](auto r) {
          if (count > 0 && y + r < u.ny) {
            store(row, z, sums.complete(r), count);
          }
          row += u.pitch;
        });
      }
      at += u.plane_pitch();
    }
  };

  /// Elements from a thread's vector to vector `i` of those beside it.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int beside(int i) {
    return (i < reach ? i - reach : i - reach + 1) * width;
  }
};

}  // namespace stencil
