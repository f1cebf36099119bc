#pragma once

/// The shapes that `March` and `TwoSteps` have, by element and radius, and how a domain is cut for them. Measured on an
/// H200.

#include "march.hpp"
#include "two_steps.hpp"

#include <array>
#include <cstddef>
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

/// Whether there is a `TwoSteps` of a radius: beyond, a thread's registers do not hold the sums of its rows.
template <int Radius>
inline constexpr bool has_two_steps = Radius <= 2;

/// The shape of `TwoSteps`: tiles of 32 vectors by 32 rows at radius 1, by 24 at radius 2.
template <class T, int Radius>
inline constexpr TwoStepsShape two_steps_shape = [] {
  if constexpr (Radius == 1) {
    return TwoStepsShape{.vectors = 32, .first = {8, 5, 112}, .second = {8, 4, 104}};
  } else if constexpr (std::is_same_v<T, float>) {
    return TwoStepsShape{.vectors = 32, .first = {8, 4, 120}, .second = {8, 3, 104}, .dma_registers = 32};
  } else {
    return TwoStepsShape{.vectors = 32, .first = {8, 4, 128}, .second = {8, 3, 96}, .dma_registers = 32};
  }
}();

/// How long `TwoSteps` takes for a point, where `March` takes 1: a pass of both moves as many bytes.
template <int Radius>
inline constexpr double two_steps_cost = Radius == 1 ? 1.02 : 1.16;

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
  const auto plan_of = [&]<class Kernel>(const Kernel&) {
    return plan(nx, ny, nz, Radius, Kernel::cols, Kernel::rows, sms, sends_of<Epilogue>);
  };
  [&]<std::size_t... shape>(std::index_sequence<shape...>) {
    std::array<Plan, sizeof...(shape)> plans{plan_of(March<T, Radius, shapes[shape], Epilogue>{})...};
    std::size_t best = 0;
    for (std::size_t i = 1; i < plans.size(); ++i) {
      best = plans[i].cost < plans[best].cost ? i : best;
    }
    ((shape == best ? run(March<T, Radius, shapes[shape], Epilogue>{}, plans[shape]) : void()), ...);
  }
  (std::make_index_sequence<shapes.size()>{});
}
template <class T, int Radius, class Epilogue, class Run>
void with_march(const Field<const T>& u, int sms, const Run& run) {
  with_march<T, Radius, Epilogue>(u.nx, u.ny, u.nz, sms, run);
}

/// Calls `run(kernel, plan)` with the `TwoSteps` of a domain and returns true, where it is faster than two launches of
/// `March`; returns false elsewhere.
template <class T, int Radius, class Run>
[[nodiscard]] bool with_two_steps(const Field<const T>& u, int sms, const Run& run) {
  if constexpr (has_two_steps<Radius>) {
    using Kernel = TwoSteps<T, Radius, two_steps_shape<T, Radius>>;
    const Plan two = plan(u.nx, u.ny, u.nz, 2 * Radius, Kernel::cols, Kernel::rows, sms);
    double one = 0;
    with_march<T, Radius, StoreSum<T>>(u, sms,
                                       [&](const auto&, const Plan& plan) { one = static_cast<double>(plan.cost); });
    if (static_cast<double>(two.cost) * two_steps_cost<Radius> < 2 * one) {
      run(Kernel{}, two);
      return true;
    }
  }
  return false;
}

}  // namespace stencil
