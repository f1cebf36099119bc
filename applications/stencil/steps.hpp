#pragma once

/// Several steps of the stencil in one pass over memory: one group of compute warps makes the first step of a tile and
/// its surroundings in shared memory, another one the next step from there.

#include "field.hpp"
#include "partition.hpp"
#include "slab_epilogue.hpp"
#include "slab_items.hpp"
#include "steps_shape.hpp"
#include "sums.hpp"

#include <dma/dma.hpp>

#include <stdexcept>
#include <string>

namespace stencil {

/// The star applied several times. A point has the bits that as many launches of `March` give: each reads zeros outside
/// the domain, so every step but the last is zero there.
///
/// A CTA marches along z through items of a partition, as in `March`. With plane z in the ring, the first group
/// completes plane z - Radius of the first step: of the tile, of `Radius` rows above and below for each step to come,
/// and of as many columns left and right. The next group completes plane z - 2 * Radius of the next step from it.
template <class T, int Radius, StepsShape shape, class Epilogue = StoreSum<T>>
struct Steps {
  static constexpr int width = Vec<T>::width;
  static constexpr int steps = shape.steps();
  static constexpr int cols = shape.vectors * width;
  static constexpr int rows = shape.rows;
  static constexpr int cost = shape.cost;
  static constexpr Sends sends = sends_of<Epilogue>;
  static constexpr bool is_slab = sends != Sends::to_none;
  using Items = SlabItems<sends, steps * Radius>;

  template <int... step>
  static auto layout_of(dma::stdlib::integer_sequence<int, step...>)
      -> dma::WarpLayout<dma::Compute<shape.step(step).warps, dma::Registers{shape.step(step).registers}>...,
                         dma::Dma<1, dma::Registers{shape.dma_registers}>>;
  using Layout = decltype(layout_of(dma::stdlib::make_integer_sequence<int, steps>{}));

  static constexpr StepsRows in_rows{shape, Radius, width};
  static constexpr int left = in_rows.left;

  using Plane = dma::Tile3D<T, dma::TileShape{.cols = in_rows.pitch[0] * width, .rows = rows + 2 * (steps * Radius)}>;
  using Pipe = dma::DmaPipeline<Plane, dma::UsedBy<0, dma::MultiBuffer<Layout, shape.stages>>, dma::CudaBarrier,
                                dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = dma::L2Priority::evict_last}}>>;

  /// What step `s` hands to the next one, and what those after it hand on.
  template <int s>
  struct HandOffs {
    using HandOff = dma::HandOff<dma::Sequential<T, in_rows.pitch[s + 1] * width * in_rows.rows[s]>,
                                 dma::FromTo{.from = s, .to = s + 1}, dma::MultiBuffer<Layout, shape.slots>>;
    struct Storage {
      typename HandOff::Storage own;
      typename HandOffs<s + 1>::Storage next;
    };
    HandOff own;
    HandOffs<s + 1> next;

    DMA_HOST_DEVICE HandOffs(dma::KernelCta<Steps>& cta, Storage& storage)
        : own(cta, storage.own), next(cta, storage.next) {}
    template <int step>
    [[nodiscard]] DMA_HOST_DEVICE auto& of() {
      if constexpr (step == s) {
        return own;
      } else {
        return next.template of<step>();
      }
    }
  };
  template <int s>
    requires(s + 1 == steps)
  struct HandOffs<s> {
    struct Storage {};
    DMA_HOST_DEVICE HandOffs(dma::KernelCta<Steps>&, Storage&) {}
  };

  struct DomainShared {
    typename Pipe::Storage planes;
    typename HandOffs<0>::Storage between;
  };
  struct SlabShared : DomainShared {
    dma::ArrivalCounter finished;
  };
  using Shared = dma::stdlib::conditional_t<is_slab, SlabShared, DomainShared>;
  static constexpr dma::KernelTraits traits{.cooperative = true};

  [[nodiscard]] DMA_HOST_DEVICE static Plane plane_at(const Field<const T>& u, int x, int y, int z) {
    const auto size = static_cast<long long>(sizeof(T));
    return {u.pitch * size, u.plane_pitch() * size, u.nz, u.ny, u.nx, z, y - steps * Radius, x - left * width, T{}};
  }

  /// Whether a launch's arguments are made for this shape.
  static void expects(const dma::TensorMap<Plane>&, const Field<const T>&, const Star<T, Radius>&,
                      const Partition& work, const dma::PaceCounter* pace_counter, const Epilogue& epilogue) {
    expect_tiles("stencil::Steps", work, cols, rows);
    expect_counter("stencil::Steps", pace_counter);
    if constexpr (is_slab) {
      if (!Items::are_thick_enough(work)) {
        throw std::invalid_argument("stencil::Steps: chunks of a slab do not have the " +
                                    std::to_string(steps * Radius) +
                                    " planes that each neighbour waits for; make the partition by steps_plan()");
      }
      expect_counters("stencil::Steps", epilogue.finished);
    }
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Steps>& cta, const dma::TensorMap<Plane>& map, const Field<const T>& u,
                                  const Star<T, Radius>& star, const Partition& work, dma::PaceCounter* pace_counter,
                                  const Epilogue& epilogue) const {
    Shared& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.planes);
    HandOffs<0> between(cta, shared.between);
    const Items items{work, first_plane_of(epilogue)};
    const auto for_each_item = [&, first = cta.block().x, step = cta.blocks().x](const auto& visit) {
      items.for_each(first, step, visit);
    };
    // Makes one step: adds planes of `from` to sums, and passes those of each plane to what an item begins with.
    const auto make = [&](auto s, const auto& from, const auto& thread, const auto& begin_item) {
      StepSums<s.value> sums{};
      for_each_item([&](const Item& item) {
        auto end_plane = begin_item(item);
        for_each_plane(item, [&](int z) {
          end_plane(sums, z - (s + 1) * Radius, [&](const auto& take) {
            const auto plane = from.wait();
            thread.add(sums, plane.data(), star, take);
          });
          sums.shift();
          finish<s.value>(items, item, z - steps * Radius, epilogue, from, shared);
        });
      });
    };
    const auto role = [&](auto s) {
      return [&, s] {
        const auto from = [&] {
          if constexpr (s == 0) {
            return pipe.as_compute();
          } else {
            return between.template of<s - 1>().as_consumer();
          }
        }();
        const Thread<s.value> thread(from.rank());
        if constexpr (s + 1 == steps) {
          make(s, from, thread, [&](const Item& item) { return Stores(epilogue, u, thread, item); });
        } else {
          const auto to = between.template of<s.value>().as_producer();
          make(s, from, thread, [&](const Item& item) {
            return [&, inside = Inside<s.value>(u, item.x + thread.col, item.y + thread.row)](
                       auto& sums, int z, const auto& add) { thread.hand_on(sums, to, inside, z, add); };
          });
        }
      };
    };
    const auto load = [&] {
      const auto dma = pipe.as_dma();
      dma::Pace<shape.slack> pace(cta, pipe, pace_counter);
      for_each_item([&](const Item& item) {
        for_each_plane(item, [&](int z) {
          pace.step();
          dma.load(map, plane_at(u, item.x, item.y, z));
        });
      });
    };
    [&]<int... s>(dma::stdlib::integer_sequence<int, s...>) { cta.take_roles(role(dma::Constant<s>{})..., load); }
    (dma::stdlib::make_integer_sequence<int, steps>{});
  }

  [[nodiscard]] DMA_HOST_DEVICE static int first_plane_of(const Epilogue& epilogue) {
    if constexpr (is_slab) {
      return epilogue.first_plane;
    } else {
      return 0;
    }
  }

  /// After plane `z` of step `s`.
  template <int s, class Compute>
  DMA_HOST_DEVICE static void finish(const Items& items, const Item& item, int z, const Epilogue& epilogue,
                                     const Compute& compute, Shared& shared) {
    if constexpr (is_slab && s + 1 == steps) {
      if (z == items.finishing_plane(item)) {
        epilogue.finish(items.finished_end(item), compute, items.work.columns(), shared.finished);
      }
    }
  }

  /// Calls `visit(z)` for each plane that an item reads. Planes of a step that are complete before all of their terms
  /// were added reach sums of the last step that are not stored.
  template <class Visit>
  DMA_HOST_DEVICE static void for_each_plane(const Item& item, const Visit& visit) {
    for (int z = item.first - steps * Radius; z < item.last + steps * Radius; ++z) {
      visit(z);
    }
  }

  // --- a thread's points ---------------------------------------------------------------------------------------------

  /// Whether a row is stored as soon as its sums are complete, or behind all loads of a plane, since a compiler keeps a
  /// load behind a store that may be to the same place. Three groups hide these loads, and have no registers for a
  /// plane's complete sums.
  static constexpr bool stores_at_once = steps > 2;

  template <int s>
  static constexpr int points = shape.step(s).rows_a_thread;
  template <int s>
  using StepSums = Sums<T, Radius, points<s>>;

  /// The elements left and right of a thread's vector. Where these are at most half a vector, lanes that read the same
  /// side would use half of the banks, or fewer. So a row's sides are read by two accesses, in each of which eight
  /// lanes read the left side and the next eight the right one.
  struct Beside {
    static constexpr bool is_by_halves = 2 * Radius <= width;
    struct alignas(is_by_halves ? Radius * sizeof(T) : sizeof(T)) Part {
      T v[Radius];
    };
    bool is_right_first;
    int first;  ///< elements from the vector to what the first access reads
    int second;

    DMA_HOST_DEVICE explicit Beside(int rank)
        : is_right_first(is_by_halves && rank / 8 % 2 != 0),
          first(is_right_first ? width : -Radius),
          second(is_right_first ? -Radius : width) {}

    /// On the left (0) or on the right (1) of the vector at `centre`.
    [[nodiscard]] DMA_HOST_DEVICE Vec<T> operator()(int i, const T* centre) const {
      if constexpr (is_by_halves) {
        const Part one = *reinterpret_cast<const Part*>(centre + first);
        const Part other = *reinterpret_cast<const Part*>(centre + second);
        Vec<T> result{};
        dma::unrolled<Radius>([&](auto k) {
          result.v[i == 0 ? width - Radius + k : +k] = (i == 0) == is_right_first ? other.v[k] : one.v[k];
        });
        return result;
      } else {
        return vec_at(centre + (i == 0 ? -width : width));
      }
    }
  };

  template <int s>
  struct Inside;

  /// A thread's points of step `s`. The last row of threads begins as much earlier as it has rows too many.
  template <int s>
  struct Thread {
    static constexpr int vectors = in_rows.vectors[s];
    static constexpr int vectors_beside = in_rows.beside[s];
    static constexpr int threads = in_rows.threads[s];
    static constexpr int pitch = in_rows.pitch[s] * width;
    static constexpr int next_pitch = in_rows.pitch[s + 1 < steps ? s + 1 : s] * width;
    static constexpr int last_row = in_rows.rows[s] - points<s>;  ///< that is a thread's first
    static constexpr int bands = StepsRows::bands(in_rows.rows[s], shape.step(s));
    static_assert(bands * threads <= shape.step(s).warps * 32,
                  "stencil::Steps: the threads of a step have fewer rows than it needs; give it more warps, or more "
                  "rows a thread");
    static constexpr bool is_exact = bands * points<s> == in_rows.rows[s];
    static_assert(s + 1 < steps || is_exact,
                  "stencil::Steps: the tile has rows that do not divide by those of a thread of the last step; give it "
                  "others");

    int row;  ///< in the tile, negative above it
    int col;
    int in_source;    ///< its first point, in what the step reads, less what is above it
    int in_between;   ///< and in what it hands on
    int stored_from;  ///< rows before are stored by the row of threads before, or by others where the thread is idle
    Beside beside;

    DMA_HOST_DEVICE explicit Thread(int rank) : Thread(rank, rank / threads, rank % threads) {}

    template <class Take>
    DMA_HOST_DEVICE void add(StepSums<s>& sums, const T* source, const Star<T, Radius>& star, const Take& take) const {
      const T* const from = source + in_source;
      sums.add(
          star, [&](int i) { return vec_at(from + i * pitch); },
          [&](int i, int r) { return beside(i, from + (r + Radius) * pitch); }, take);
    }
    /// Adds a plane to the sums and stores those that are complete to a slot of `to`.
    template <class Producer, class Add>
    DMA_HOST_DEVICE void hand_on(StepSums<s>& sums, const Producer& to, const Inside<s>& inside, int z,
                                 const Add& add) const {
      if constexpr (stores_at_once) {
        const auto plane = to.wait();
        const bool has_all = inside.has_all(z);
        add([&](auto r, const Vec<T>& sum) { store(has_all ? sum : inside.of(sum, r, z), r, plane.data()); });
      } else {
        add([](auto, const Vec<T>&) {});
        const auto plane = to.wait();
        if (!inside.has_all(z)) {
          if (inside.has_none(z)) {
            sums.replace_complete([](auto) { return Vec<T>{}; });
          } else {
            sums.replace_complete([&](auto r) { return inside.of(sums.complete(r), r, z); });
          }
        }
        dma::unrolled<points<s>>([&](auto r) { store(sums.complete(r), r, plane.data()); });
      }
    }

   private:
    DMA_HOST_DEVICE void store(const Vec<T>& sum, int r, T* between) const {
      if (is_exact ? stored_from == 0 : r >= stored_from) {
        *reinterpret_cast<Vec<T>*>(between + in_between + r * next_pitch) = sum;
      }
    }

    DMA_HOST_DEVICE Thread(int rank, int band, int thread)
        : row(first_row(band) - (steps - 1 - s) * Radius),
          col((vector(thread) - vectors_beside) * width),
          in_source(first_row(band) * pitch + (vector(thread) + source_vectors) * width),
          in_between(first_row(band) * next_pitch + vector(thread) * width),
          stored_from(thread < vectors ? band * points<s> - first_row(band) : points<s>),
          beside(rank) {}

    /// Left of the step's own in what it reads. Where there are none, the sides of the outermost vectors are elements
    /// of other rows: they reach columns that the next step does not need.
    static constexpr int source_vectors = (s == 0 ? left : in_rows.beside[s == 0 ? 0 : s - 1]) - vectors_beside;

    [[nodiscard]] DMA_HOST_DEVICE static int first_row(int band) {
      return band * points<s> < last_row ? band * points<s> : last_row;
    }
    [[nodiscard]] DMA_HOST_DEVICE static int vector(int thread) { return thread < vectors ? thread : vectors - 1; }
  };

  /// Which of a thread's points of a step that is handed on are in the domain.
  template <int s>
  struct Inside {
    const Field<const T>& u;
    int y;
    int count;                      ///< elements of its vector
    bool has_all_rows_and_columns;  ///< and not only some

    DMA_HOST_DEVICE Inside(const Field<const T>& u_, int x, int y_)
        : u(u_),
          y(y_),
          count(x < 0 ? 0 : u.nx - x),
          has_all_rows_and_columns(count >= width && y >= 0 && y + points<s> <= u.ny) {}

    [[nodiscard]] DMA_HOST_DEVICE bool has_plane(int z) const { return z >= 0 && z < u.nz; }
    [[nodiscard]] DMA_HOST_DEVICE bool has_all(int z) const { return has_all_rows_and_columns && has_plane(z); }
    /// Such threads are most of those at the domain's sides: zeros for them take fewer instructions than `of`.
    [[nodiscard]] DMA_HOST_DEVICE bool has_none(int z) const {
      return count <= 0 || y >= u.ny || y + points<s> <= 0 || !has_plane(z);
    }
    /// Row `r` with zeros beyond the domain.
    [[nodiscard]] DMA_HOST_DEVICE Vec<T> of(Vec<T> row, int r, int z) const {
      const int there = y + r >= 0 && y + r < u.ny && has_plane(z) ? count : 0;
      dma::unrolled<width>([&](auto v) { row.v[v] = v < there ? row.v[v] : T{}; });
      return row;
    }
  };

  /// Where a thread's points of the result are, plane after plane from the one `2 * steps * Radius` before an item's
  /// first.
  struct Stores {
    static constexpr int last = steps - 1;
    const Epilogue& store;
    const Field<const T>& u;
    int first;  ///< plane to store
    int y;
    int count;  ///< elements of the thread's vector in the domain; none where the thread stores nothing
    long long at;

    DMA_HOST_DEVICE Stores(const Epilogue& store_, const Field<const T>& u_, const Thread<last>& thread,
                           const Item& item)
        : store(store_),
          u(u_),
          first(item.first),
          y(item.y + thread.row),
          count(thread.stored_from < points<last> ? u.nx - item.x - thread.col : 0),
          at(u.at(item.x + thread.col, y, item.first - 2 * steps * Radius)) {}

    /// Adds a plane to the sums and stores those that are complete.
    template <class Add>
    DMA_HOST_DEVICE void operator()(const StepSums<last>& sums, int z, const Add& add) {
      const auto store_row = [&](int r, const Vec<T>& sum) {
        if (z >= first && count > 0 && y + r < u.ny) {
          store(at, z, sum, count);
        }
        at += u.pitch;
      };
      if constexpr (stores_at_once) {
        add(store_row);
      } else {
        add([](int, const Vec<T>&) {});
        dma::unrolled<points<last>>([&](auto r) { store_row(r, sums.complete(r)); });
      }
      at += u.plane_pitch() - points<last> * u.pitch;
    }
  };
};

}  // namespace stencil
