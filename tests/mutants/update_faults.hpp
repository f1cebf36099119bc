#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of tiles that are changed in place: loads and stores through one ring.
inline const Faults update_faults = {
    {"update: a load does not wait for the reads of stores",
     {{"pipeline/store_window.hpp", "machine::wait_for_bulk_reads<Left>();", ""}}},
    {"update: one store too many may still read its slot",
     {{"pipeline/store_window.hpp", "machine::wait_for_bulk_reads<Left>();",
       "machine::wait_for_bulk_reads<Left + 1>();"}}},
    {"update: the store of the slot itself may be pending",
     {{"pipeline/store_window.hpp", "Ring::stages - 1 - unstored_ >= InFlight * Ring::groups",
       "Ring::stages - unstored_ >= InFlight * Ring::groups"}}},
    {"update: no proxy fence after the ordinary reads of a store",
     {{"pipeline/store_window.hpp", "machine::fence_async_proxy();", ""}}},
    {"update: a load does not wait for the stores of other warps",
     {{"pipeline/store_window.hpp", "ring.await_stored(ring.dma_cursor());", ""}}},
    {"update: a store through registers is not signalled", {{"pipeline/store_window.hpp", "signal(ring, stage);", ""}}},
    {"update: the slots of bulk stores are signalled one off",
     {{"pipeline/store_window.hpp", "tiles_since_mine + pending_ * Ring::groups",
       "tiles_since_mine + pending_ * Ring::groups + 1", "const int tiles_ago = "}}},
    {"update: turns since a group's own store are counted as of one group",
     {{"pipeline/store_window.hpp", "Ring::groups == 1 ? 1 : Ring::groups - ring.tiles_until_mine(cursor)", "1"}}},
    {"update: the end does not wait for the last stores",
     {{"pipeline/store_window.hpp", "release<0>(ring);", "",
       "if constexpr (stores_in_bulk) {\n      if (ring.moves()) {"}}},
    {"update: a store does not wait for done",
     {{"pipeline/engine_slot.hpp", "ring.template await_done<Lanes::converged>(ring.store_cursor());", ""}}},
    {"update: the wait for done has the other parity",
     {{"pipeline/slot_barriers.hpp", "cursor.parity", "cursor.parity ^ 1U",
       "void await_done(const Cursor& cursor) {"}}},
    {"update: the wait for stored has the other parity",
     {{"pipeline/slot_barriers.hpp", "cursor.parity ^ 1U", "cursor.parity",
       "wait<stored_participants, Lanes::converged>(stored(at), "}}},
    {"update: stored is opened for the arrivals of empty",
     {{"pipeline/slot_barriers.hpp", "Sync::template open<stored_participants, Completion::sync>(stored(stage));",
       "Sync::template open<empty_participants, Completion::sync>(stored(stage));"}}},
    {"update: close leaves stored open", {{"pipeline/slot_barriers.hpp", "Sync::close(stored(stage));", ""}}},
    {"update: the lanes of the only DMA warp do not synchronize after a store",
     {{"pipeline/slot_barriers.hpp", "machine::sync_warp();", "",
       "void signal_stored([[maybe_unused]] int stage) const {"}}},
    {"update: a store does not go on to the next tile",
     {{"pipeline/dma_side.hpp", "ring_.store_cursor().advance(Ring::stages);", ""}}},
};

}  // namespace mutants
