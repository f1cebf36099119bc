#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/roles/role.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

template <class Layout>
class Turns;

namespace detail {

/// A turn of a compute group, which the end of the scope passes on to the next group, or `pass()` earlier.
template <class Layout>
class Turn {
 public:
  DMA_HOST_DEVICE Turn(Turns<Layout>& turns, machine::SourceLocation caller) : turns_(&turns), caller_(caller) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  /// On a host, stopping a CTA unwinds from here too.
  DMA_HOST_DEVICE ~Turn() noexcept(false) { pass(caller_); }

  /// Collective over the group. A second call does nothing.
  DMA_HOST_DEVICE void pass(machine::SourceLocation caller = machine::SourceLocation::here()) {
    if (!is_passed_) {
      is_passed_ = true;
      turns_->pass(caller);
    }
  }

 private:
  Turns<Layout>* turns_;
  bool is_passed_ = false;
  machine::SourceLocation caller_;  ///< of the take; empty on a GPU
};

}  // namespace detail

/// Compute groups take turns, for example at the tensor cores: while one multiplies, another prepares or finishes its
/// tile. Group 0 has the first turn, then group 1, and so on, then group 0 again. What a group did before it passed a
/// turn is visible to those whose turns come later.
///
///     dma::Turns<Layout> turns;                  // all threads of the CTA, before they take their roles
///     ...
///     auto turn = turns.take();                  // all warps of a compute group
///     ...                                        // the group alone is here
///     turn.pass();                               // or the end of the scope
///
/// Each group takes the same number of turns: one that has nothing to do in a round takes its turn and passes it.
/// Construction and destruction are collective over the CTA, and a kernel has one `Turns` at a time.
///
/// Cost    a named barrier a group, which no pipeline uses: one wait and one arrival a turn
/// Source  PTX ISA, barrier.cta
template <class Layout>
class Turns {
  static_assert(Layout::compute_groups > 1,
                "dma::Turns: this layout has one compute group, which has nothing to take turns with; give the "
                "WarpLayout several dma::Compute<...>");
  static constexpr int groups = Layout::compute_groups;

 public:
  DMA_HOST_DEVICE explicit Turns(machine::SourceLocation caller = machine::SourceLocation::here()) {
    machine::called_from(caller);
    machine::works_on(site());
    machine::claim_barriers(detail::turn_barrier<Layout>(0), groups);
    const int warp = machine::uniform_warp_rank();
    group_ = Layout::group_of_warp(warp) < 0 ? Layout::compute_group_of_warp(warp) : groups;
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  /// Group 0 waits for the last turn of all: arrivals without a wait would stay pending. On a host that wait can throw,
  /// to report a deadlock.
  DMA_HOST_DEVICE ~Turns() noexcept(false) {
    machine::called_from(machine::SourceLocation{});
    enter();
    if (group_ == 0 && has_begun_) {
      await<0>();
    }
    machine::release_barriers(detail::turn_barrier<Layout>(0), groups);
  }

  /// Waits for this group's turn. Collective over the group.
  [[nodiscard]] DMA_HOST_DEVICE detail::Turn<Layout> take(
      machine::SourceLocation caller = machine::SourceLocation::here()) {
    machine::called_from(caller);
    enter();
    DMA_EXPECTS(
        group_ < groups,
        "dma::Turns: take() is for compute warps, and DMA warps and idle ones have no turn; leave it out there");
    unrolled<groups>([&](auto group) {
      if (group_ == group && (group > 0 || has_begun_)) {
        await<group.value>();
      }
    });
    has_begun_ = true;
    return detail::Turn<Layout>(*this, caller.of_scope());
  }

 private:
  friend class detail::Turn<Layout>;

  /// Threads that meet where `group` waits: its own, and those of the group before it.
  template <int Group>
  static constexpr int threads =
      (Layout::compute_group_warps(Group) + Layout::compute_group_warps((Group + groups - 1) % groups)) * warp_size;

  DMA_HOST_DEVICE static machine::Site site() {
    return {.who = machine::Who::compute_warps, .point = machine::Point::turn, .pipeline = machine::type_name<Turns>()};
  }
  DMA_HOST_DEVICE static void enter() {
    machine::works_on(site());
    machine::enters(machine::Call::turn, site());
  }

  template <int Group>
  DMA_HOST_DEVICE static void await() {
    machine::sync_warp();  // as in `pass`: the barriers are .aligned, and a kernel's lanes may be apart
    machine::barrier_sync(detail::turn_barrier<Layout>(Group), threads<Group>, site());
  }
  DMA_HOST_DEVICE void pass(machine::SourceLocation caller) {
    machine::called_from(caller);
    enter();
    unrolled<groups>([&](auto group) {
      if (group_ == group) {
        constexpr int next = (group.value + 1) % groups;
        machine::sync_warp();
        machine::barrier_arrive(detail::turn_barrier<Layout>(next), threads<next>, site());
      }
    });
  }

  int group_ = 0;           ///< of this warp; `groups` in a warp that does not compute
  bool has_begun_ = false;  ///< this group has taken a turn
};

}  // namespace dma::inline v0_1
