#pragma once

/// The shapes that `March` and `Steps` have, by element and radius, and how a domain is cut for them. Measured on an
/// H200.

#include "march.hpp"
#include "steps.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace stencil {

/// The shapes to choose from. Each keeps at most as many sums in a thread as its registers hold. That is 2 * radius for
/// each 32-bit word of its points: 160 words where the radius is 4, otherwise up to 128.
template <class T, int Radius>
inline constexpr auto march_shapes = [] {
  constexpr MarchShape wide{.cols = 32 * Vec<T>::width, .rows_a_thread = Radius <= 4 ? 4 : 2, .stages = 6, .slack = 12};
  if constexpr (std::is_same_v<T, float> && Radius == 4) {
    const auto shape = [&](int cols, int rows_a_thread) {
      MarchShape other = wide;
      other.cols = cols;
      other.rows_a_thread = rows_a_thread;
      return other;
    };
    return std::array{shape(256, 4), wide, shape(128, 5), shape(160, 5), shape(200, 5), shape(64, 4)};
  } else {
    return std::array{wide};
  }
}();

/// Those of a slab between neighbours: for each there are three kernels.
template <class T, int Radius>
inline constexpr auto slab_shapes = [] {
  constexpr auto& all = march_shapes<T, Radius>;
  if constexpr (all.size() > 1) {
    return std::array{all[0], all[4]};  // 256 x 16 and 200 x 25 points
  } else {
    return all;
  }
}();

/// Whether there is a `Steps` of a radius for so many steps: beyond, a thread's registers do not hold the sums of its
/// rows, or those of so few that the tile's surroundings are as much as the tile.
template <class T, int Radius, int Count>
inline constexpr bool has_steps = (Radius * Count <= 4) || (std::is_same_v<T, float> && Radius == 3 && Count == 2);

/// The shapes of `Steps` to choose from.
template <class T, int Radius, int Count>
inline constexpr auto steps_shapes = [] {
  constexpr bool is_float = std::is_same_v<T, float>;
  if constexpr (Count == 3) {
    return std::array{StepsShape{.vectors = 16,
                                 .rows = is_float ? 64 : 52,
                                 .first = {8, is_float ? 5 : 4, 88},
                                 .second = {8, is_float ? 5 : 4, 80},
                                 .third = {is_float ? 8 : 7, 4, 72},
                                 .dma_registers = 24,
                                 .stages = 4,
                                 .slack = 16,
                                 .cost = is_float ? 120 : 140}};
  } else if constexpr (Radius == 1) {
    return std::array{StepsShape{.vectors = 32, .rows = 32, .first = {8, 5, 112}, .second = {8, 4, 104}}};
  } else if constexpr (Radius == 3) {
    constexpr StepShape first{8, 3, 128};
    constexpr StepShape second{7, 3, 128};
    return std::array{StepsShape{.vectors = 26,
                                 .rows = 21,
                                 .first = first,
                                 .second = second,
                                 .dma_registers = 128,
                                 .slack = 12,
                                 .cost = 164},
                      StepsShape{.vectors = 25,
                                 .rows = 20,
                                 .first = first,
                                 .second = {8, 2, 96},
                                 .dma_registers = 24,
                                 .slack = 12,
                                 .cost = 166},
                      StepsShape{.vectors = 32,
                                 .rows = 15,
                                 .first = first,
                                 .second = second,
                                 .dma_registers = 128,
                                 .slack = 12,
                                 .cost = 175}};
  } else {
    constexpr StepShape first{8, 4, is_float ? 120 : 128};
    constexpr StepShape second{8, 3, is_float ? 104 : 96};
    return std::array{
        StepsShape{.vectors = 32,
                   .rows = 24,
                   .first = first,
                   .second = second,
                   .dma_registers = 32,
                   .stages = 8,
                   .slots = 4,
                   .slack = 16,
                   .cost = 112},
        StepsShape{
            .vectors = 25, .rows = 30, .first = first, .second = second, .dma_registers = 32, .slack = 12, .cost = 114},
        StepsShape{.vectors = 20,
                   .rows = 40,
                   .first = {8, 4, 128},
                   .second = {7, 4, 128},
                   .dma_registers = 128,
                   .slack = 12,
                   .cost = 120}};
  }
}();

/// How a kernel divides a domain among CTAs, all of which are resident.
struct Plan {
  Partition work;
  int ctas;
  long long cost;  ///< points that the busiest CTA loads tiles of, those before and after its chunks included
};

/// The best number of chunks for tiles of this size: the one with the shortest march of the busiest CTA, and of equals
/// the smallest. Uses as many CTAs as have equally many items. A tile needs `halo` planes before and after it.
///
/// A chunk of a slab has at least the planes that a neighbour waits for, and a slab between two others has a chunk for
/// each of them, where it is thick enough.
[[nodiscard]] constexpr Plan plan(int nx, int ny, int nz, int halo, int tile_cols, int tile_rows, int sms,
                                  Sends sends = Sends::to_none) {
  Plan best{};
  const int most = sends == Sends::to_none ? nz : nz / halo;
  const int least = sends == Sends::to_both && most > 1 ? 2 : 1;
  for (int chunks = least; chunks <= 16 && chunks <= most; ++chunks) {
    const Partition work = partition(nx, ny, nz, tile_cols, tile_rows, chunks);
    const int rounds = (work.items() + sms - 1) / sms;
    const long long planes = (nz + chunks - 1LL) / chunks + 2 * halo;
    const long long cost = rounds * planes * tile_cols * tile_rows;
    if (chunks == least || cost < best.cost) {
      best = {work, (work.items() + rounds - 1) / rounds, cost};
    }
  }
  return best;
}

/// Calls `run(kernel, plan)` with that of `count` kernels whose plan has the least cost.
template <std::size_t count, class KernelOf, class PlanOf, class Run>
void with_least_cost(const KernelOf& kernel_of, const PlanOf& plan_of, const Run& run) {
  [&]<std::size_t... shape>(std::index_sequence<shape...>) {
    std::array<Plan, count> plans{plan_of(kernel_of(dma::Constant<shape>{}))...};
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i) {
      best = plans[i].cost < plans[best].cost ? i : best;
    }
    ((shape == best ? run(kernel_of(dma::Constant<shape>{}), plans[shape]) : void()), ...);
  }
  (std::make_index_sequence<count>{});
}

/// Calls `run(kernel, plan)` with the `March` of the shape that has the least cost for `nz` planes of a domain.
template <class T, int Radius, class Epilogue, class Run>
void with_march(int nx, int ny, int nz, int sms, const Run& run) {
  constexpr auto& shapes = [&]() -> auto& {
    if constexpr (sends_of<Epilogue> == Sends::to_none) {
      return march_shapes<T, Radius>;
    } else {
      return slab_shapes<T, Radius>;
    }
  }
  ();
  with_least_cost<shapes.size()>(
      [](auto shape) { return March<T, Radius, shapes[shape], Epilogue>{}; },
      [&](const auto& kernel) { return plan(nx, ny, nz, Radius, kernel.cols, kernel.rows, sms, sends_of<Epilogue>); },
      run);
}
template <class T, int Radius, class Epilogue, class Run>
void with_march(const Field<const T>& u, int sms, const Run& run) {
  with_march<T, Radius, Epilogue>(u.nx, u.ny, u.nz, sms, run);
}

/// Calls `run(kernel, plan)` with the `Steps` of the shape that has the least cost for a domain and returns true, where
/// it is faster than `Count` launches of `March`; returns false elsewhere.
template <class T, int Radius, int Count, class Run>
[[nodiscard]] bool with_steps(const Field<const T>& u, int sms, const Run& run) {
  bool is_faster = false;
  if constexpr (has_steps<T, Radius, Count>) {
    long long one = 0;
    with_march<T, Radius, StoreSum<T>>(u, sms, [&](const auto&, const Plan& plan) { one = plan.cost; });
    constexpr auto& shapes = steps_shapes<T, Radius, Count>;
    with_least_cost<shapes.size()>([](auto shape) { return Steps<T, Radius, shapes[shape]>{}; },
                                   [&](const auto& kernel) {
                                     Plan all = plan(u.nx, u.ny, u.nz, Count * Radius, kernel.cols, kernel.rows, sms);
                                     all.cost = all.cost * kernel.cost / 100;
                                     return all;
                                   },
                                   [&](const auto& kernel, const Plan& all) {
                                     is_faster = all.cost < Count * one;
                                     if (is_faster) {
                                       run(kernel, all);
                                     }
                                   });
  }
  return is_faster;
}

/// The plan of `Kernel`, a `Steps`, for `nz` planes of a slab: the one with the shortest march of the busiest CTA. The
/// planes that the slab above waits for are ends, or in the highest chunks where the CTAs have made these before their
/// last round. Throws where neighbours wait for more planes than there are.
template <class Kernel>
[[nodiscard]] Plan steps_plan(int nx, int ny, int nz, int sms) {
  using Items = typename Kernel::Items;
  constexpr int least = Items::to_above ? 2 * Items::reach : Items::reach;
  if (nz < least) {
    throw std::invalid_argument("stencil: " + std::to_string(nz) + " planes of a slab are too few for " +
                                std::to_string(Kernel::steps) + " steps at once, which needs " + std::to_string(least) +
                                "; use fewer slabs");
  }
  Plan best{};
  for (const int end : {0, Items::reach}) {
    for (int chunks = 1; chunks <= 16 && (Items::to_above || end == 0); ++chunks) {
      Partition work = partition(nx, ny, nz - end, Kernel::cols, Kernel::rows, chunks);
      work.end = end;
      const int rounds = (work.items() + sms - 1) / sms;
      const int ctas = (work.items() + rounds - 1) / rounds;
      const bool is_end_early = !Items::to_above || end > 0 || work.columns() <= (rounds - 1) * ctas;
      const long long planes = (work.nz + Items::end_loads(work) + chunks - 1LL) / chunks + 2 * Items::reach;
      const long long cost = rounds * planes * Kernel::cols * Kernel::rows;
      if (Items::are_thick_enough(work) && is_end_early && (best.ctas == 0 || cost < best.cost)) {
        best = {work, ctas, cost};
      }
    }
  }
  return best;
}

/// Calls `run(kernel, plan)` with the `Steps` of the shape that has the least cost for `nz` planes of a slab, whose
/// epilogue says which.
template <class T, int Radius, int Count, class Epilogue, class Run>
void with_slab_steps(int nx, int ny, int nz, int sms, const Run& run) {
  constexpr auto& shapes = steps_shapes<T, Radius, Count>;
  with_least_cost<shapes.size()>([](auto shape) { return Steps<T, Radius, shapes[shape], Epilogue>{}; },
                                 [&]<class Kernel>(const Kernel&) {
                                   Plan result = steps_plan<Kernel>(nx, ny, nz, sms);
                                   result.cost = result.cost * Kernel::cost / 100;
                                   return result;
                                 },
                                 run);
}

/// Calls `step(from, to)` `count` times: the first from `u`, the last to `out`, all others to `between` or `out` in
/// turn.
template <class T, class Step>
void step_by_step(int count, const Field<const T>& u, T* between, T* out, const Step& step) {
  Field<const T> from = u;
  for (int left = count; left > 0; --left) {
    T* const to = left % 2 == 0 ? between : out;
    step(from, to);
    from.data = to;
  }
}

}  // namespace stencil
