#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1 {

/// Threads of a warp.
inline constexpr int warp_size = 32;

namespace detail {

/// The most threads that a CTA has.
inline constexpr int max_cta_threads = 1024;
inline constexpr int hardware_barriers = 15;  ///< that a CTA has beside the one of `__syncthreads`
inline constexpr int compute_barrier = 1;     ///< of these, for `sync` of the compute warps; pipelines use the others
inline constexpr int warps_a_warpgroup = 4;   ///< which releases and acquires registers together

}  // namespace detail

/// A role's register budget: how many registers each of its threads has. Compute warps that keep much in registers use
/// those that DMA warps, which need few, release.
///
/// `take_roles` sets the budgets. From sm_90 on a kernel with budgets must be compiled for an architecture's own
/// features (sm_90a), or it does not compile. Older architectures and a host have no such instruction and ignore
/// budgets.
///
/// Source  PTX ISA, setmaxnreg
///
/// @pre `count` is a multiple of 8 from 24 to 256, or 0.
struct Registers {
  int count = 0;  ///< of a thread; 0 is no budget: that of the launch
};

/// A compute group, of which a CTA has one or several: its warps wait for tiles and compute on them.
template <int Warps, Registers Budget = Registers{}>
struct Compute {
  static_assert(Warps > 0, "dma::Compute: a compute group needs at least one warp; leave an empty group out");
};

/// One group of DMA warps: they move tiles, together, and do nothing else.
template <int Warps, Registers Budget = Registers{}>
struct Dma {
  static_assert(Warps > 0,
                "dma::Dma: a DMA group needs at least one warp; leave the group out for a CTA without DMA warps");
};

namespace detail {

/// What a layout has to know of a role. `warps` is 0 of a type that is none.
struct RoleShape {
  int warps = 0;
  int registers = 0;  ///< of a thread, 0 where it has no budget
  bool computes = false;
};
/// The registers of a budget.
template <Registers Budget>
[[nodiscard]] consteval int registers_of() noexcept {
  static_assert(Budget.count == 0 || (Budget.count >= 24 && Budget.count <= 256 && Budget.count % 8 == 0),
                "dma::Registers: a thread's budget is a multiple of 8 from 24 to 256 registers; name one of these");
  return Budget.count;
}
/// The shape of a role: `Compute` or `Dma`.
template <class Role>
inline constexpr RoleShape role_shape = {};
template <int Warps, Registers Budget>
inline constexpr RoleShape role_shape<Compute<Warps, Budget>> = {Warps, registers_of<Budget>(), true};
template <int Warps, Registers Budget>
inline constexpr RoleShape role_shape<Dma<Warps, Budget>> = {Warps, registers_of<Budget>(), false};

/// Where the roles of a layout are in its CTA.
template <int Roles>
struct RolePlaces {
  RoleShape shape[Roles] = {};
  int first_warp[Roles] = {};
  int warps = 0;  ///< idle ones included
  int compute_groups = 0;

  /// One role after another. Registers are those of whole warpgroups: a role with another budget than the one before
  /// it begins a warpgroup, and idle warps complete the last.
  explicit constexpr RolePlaces(const RoleShape (&shapes)[Roles]) {
    for (int role = 0; role < Roles; ++role) {
      shape[role] = shapes[role];
      compute_groups += shape[role].computes ? 1 : 0;
      warps = role > 0 && shape[role].registers != shape[role - 1].registers ? whole_warpgroups(warps) : warps;
      first_warp[role] = warps;
      warps += shape[role].warps;
    }
    warps = shape[Roles - 1].registers != 0 ? whole_warpgroups(warps) : warps;
  }

  [[nodiscard]] static constexpr int whole_warpgroups(int warps) noexcept {
    return (warps + warps_a_warpgroup - 1) / warps_a_warpgroup * warps_a_warpgroup;
  }
  /// Compute groups, at least one, then DMA groups.
  [[nodiscard]] constexpr bool are_in_order() const noexcept {
    for (int role = 0; role < Roles; ++role) {
      if (shape[role].warps == 0 || shape[role].computes != (role < compute_groups)) {
        return false;
      }
    }
    return compute_groups > 0;
  }
  /// Whether the compute threads are the first of the CTA, without idle warps among them.
  [[nodiscard]] constexpr bool compute_warps_are_together() const noexcept {
    for (int role = 1; role < compute_groups; ++role) {
      if (first_warp[role] != first_warp[role - 1] + shape[role - 1].warps) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] constexpr bool has_any_budget() const noexcept {
    for (const RoleShape& role : shape) {
      if (role.registers != 0) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] constexpr bool all_have_budgets() const noexcept {
    for (const RoleShape& role : shape) {
      if (role.registers == 0) {
        return false;
      }
    }
    return true;
  }
  /// Registers that the budgets take together, those of idle warps included.
  [[nodiscard]] constexpr int budgeted_registers() const noexcept {
    int registers = 0;
    for (int role = 0; role < Roles; ++role) {
      const int end = role + 1 < Roles ? first_warp[role + 1] : warps;
      registers += (end - first_warp[role]) * warp_size * shape[role].registers;
    }
    return registers;
  }
};

// Who has which of a CTA's named barriers: 0 is `__syncthreads`, 1 that of all compute warps. Where a layout has
// several compute groups, each has one for its `sync_group` and one for its turns (`Turns`). Pipelines have the rest.

/// Named barriers that a layout's compute groups have of their own.
template <class Layout>
inline constexpr int group_barriers = Layout::compute_groups > 1 ? 2 * Layout::compute_groups : 0;

/// For `sync_group` in compute group `group`.
template <class Layout>
[[nodiscard]] DMA_HOST_DEVICE constexpr int group_barrier(int group) noexcept {
  return Layout::compute_groups > 1 ? compute_barrier + 1 + group : compute_barrier;
}
/// At which compute group `group` waits for its turn. @pre The layout has several compute groups.
template <class Layout>
[[nodiscard]] DMA_HOST_DEVICE constexpr int turn_barrier(int group) noexcept {
  return compute_barrier + 1 + Layout::compute_groups + group;
}
/// The first one that pipelines have.
template <class Layout>
inline constexpr int first_pipeline_barrier = compute_barrier + 1 + group_barriers<Layout>;

}  // namespace detail

}  // namespace dma::inline v0_1
