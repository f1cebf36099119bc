#pragma once

/// How a domain is cut along z for several GPUs, and in which order a slab is marched through.

#include "partition.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace stencil {

/// The ends of a slab.
enum class End { below, above };
inline constexpr int ends = 2;

/// The neighbours that wait for a slab's planes.
enum class Sends { to_none, to_below, to_above, to_both };

/// A range of the domain's planes and, beside it, copies of the planes of its neighbours that its stencil reads.
struct Slab {
  int index;
  int count;  ///< of slabs in the domain
  int first;  ///< plane of the domain, and the one after the last
  int last;
  int ghosts;  ///< planes of a neighbour

  [[nodiscard]] constexpr bool has(End end) const { return end == End::below ? index > 0 : index + 1 < count; }
  [[nodiscard]] constexpr int neighbour(End end) const { return end == End::below ? index - 1 : index + 1; }
  [[nodiscard]] constexpr int planes() const { return last - first; }
  /// Planes of the neighbour's, kept before the slab's own.
  [[nodiscard]] constexpr int below() const { return has(End::below) ? ghosts : 0; }
  /// Planes in memory: the slab's own and the ghosts.
  [[nodiscard]] constexpr int depth() const { return below() + planes() + (has(End::above) ? ghosts : 0); }
  /// Where plane `z` of the domain is in memory.
  [[nodiscard]] constexpr int local(int z) const { return z - first + below(); }
  /// The first of the planes in memory that a neighbour needs.
  [[nodiscard]] constexpr int sent(End end) const { return local(end == End::below ? first : last - ghosts); }
  /// The first of the planes in memory that a neighbour fills.
  [[nodiscard]] constexpr int received(End end) const { return local(end == End::below ? first - ghosts : last); }
  [[nodiscard]] constexpr Sends sends() const {
    return has(End::below)   ? has(End::above) ? Sends::to_both : Sends::to_below
           : has(End::above) ? Sends::to_above
                             : Sends::to_none;
  }
};

/// Slab `index` of `count`, of equal size where the planes divide. Throws where a slab is thinner than the stencil
/// reaches: it would need planes of its neighbour's neighbour.
[[nodiscard]] inline Slab slab(int nz, int reach, int index, int count) {
  if (nz / count < reach) {
    throw std::invalid_argument("stencil: " + std::to_string(nz) + " planes in " + std::to_string(count) +
                                " slabs are fewer than the " + std::to_string(reach) +
                                " that the stencil reaches, for each; use at most " + std::to_string(nz / reach) +
                                " slabs");
  }
  const auto plane = [&](int i) { return static_cast<int>(static_cast<long long>(nz) * i / count); };
  return {index, count, plane(index), plane(index + 1), reach};
}

[[nodiscard]] inline std::vector<Slab> slabs(int nz, int reach, int count) {
  std::vector<Slab> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(slab(nz, reach, i, count));
  }
  return all;
}

/// Of the slabs of a domain those of process `rank`, which has one, or all where there are no ranks.
template <class Ranks>
[[nodiscard]] std::vector<Slab> own_slabs(const std::vector<Slab>& all, const Ranks* ranks) {
  return ranks == nullptr ? all : std::vector<Slab>{all.at(static_cast<std::size_t>(ranks->rank()))};
}

/// An item, and how it is marched through.
struct Leg {
  Item item;
  bool is_up;      ///< from its first plane to its last
  bool is_at_end;  ///< it begins at an end that a neighbour waits for
};

/// Leg `i` of a partition: the chunks at the ends that neighbours wait for are first, and march inwards.
///
/// @pre of a slab: planes times chunks fit an int, whose division takes few registers
template <Sends sends>
[[nodiscard]] DMA_HOST_DEVICE constexpr Leg leg(const Partition& work, int i) {
  if constexpr (sends == Sends::to_none) {
    return {work.item(i), true, false};
  } else {
    const int column = i % work.columns();
    const int turn = i / work.columns();
    const int last = work.chunks - 1;
    const int chunk = sends == Sends::to_below   ? turn
                      : sends == Sends::to_above ? last - turn
                      : turn == 0                ? 0
                      : turn == 1                ? last
                                                 : turn - 1;
    const Item item{column % work.columns_x * work.tile_cols, column / work.columns_x * work.tile_rows,
                    work.nz * chunk / work.chunks, work.nz * (chunk + 1) / work.chunks};
    return {item, sends == Sends::to_below || (sends == Sends::to_both && turn != 1),
            turn == 0 || (sends == Sends::to_both && turn == 1)};
  }
}

}  // namespace stencil
