#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Why a DMA thread needs no fence of its own.
inline constexpr const char* fenced_by_compute_threads =
    "the compute threads wait for what the DMA threads wrote, and fence before they release the slot";

/// Of the engines, and of the padding that they fill.
inline const Faults engine_faults = {
    // Through registers.
    {"registers: a full tile is written before its slot is empty",
     {{"engines/register_copy.hpp", "between();", "", "direction.template read<width>(addresses.at(step));"},
      {"engines/register_copy.hpp", "bring_lanes_together();", "bring_lanes_together(); between();",
       "direction.template write<width>(addresses.at(step), held[step]);"}}},
    {"registers: a short tile is written before its slot is empty",
     {{"engines/register_copy.hpp", "wait();", "", "runs.for_each("},
      {"engines/register_copy.hpp", "machine::sync_warp();", "wait(); machine::sync_warp();",
       "fill_outside<Threads>(pattern, direction.shared, thread);"}}},
    {"registers: the first part of a composite is written before its slot is empty",
     {{"engines/register_copy.hpp",
       R"(if constexpr (decltype(index)::value == 0) {
            slot.wait_until_empty();
          })",
       "if (decltype(index)::value == (CompositePattern<Pattern> ? 1 : 0)) { slot.wait_until_empty(); }"}}},
    {"registers: a store does not wait for full", {{"engines/register_copy.hpp", "slot.wait_until_full();", ""}}},
    {"registers: a pattern's own load does not wait for empty",
     {{"engines/register_copy.hpp", "slot.wait_until_empty();", "", "if constexpr (HasCustomLoad<Pattern>) {"}}},
    {"registers: padding keeps old bytes",
     {{"engines/register_copy.hpp", "fill_outside<Threads>(pattern, direction.shared, thread);", ""}}},
    {"registers: the last round of a tile is not moved",
     {{"engines/register_copy.hpp", "move_round<last_round>(partition, full_rounds * first_round, own, [] {});", ""}}},
    {"registers: the rest of a run is not moved",
     {{"engines/register_copy.hpp", "held[step].write(tails[step], direction);", ""}}},
    {"registers: the rests of a short tile's runs are not moved",
     {{"engines/register_copy.hpp", "move_tails<Threads, width>(partition, direction, thread);", ""}}},
    {"registers: a load leaves its warp parted",
     {{"engines/register_copy.hpp", "machine::sync_warp();", "",
       "fill_outside<Threads>(pattern, direction.shared, thread);\n    }"}}},

    // By cp.async.
    {"cp.async: a tile is copied before its slot is empty",
     {{"engines/async_copy.hpp",
       R"(if constexpr (decltype(index)::value == 0) {
          slot.wait_until_empty();
        })",
       ""}}},
    {"cp.async: the first part of a composite is copied before its slot is empty",
     {{"engines/async_copy.hpp",
       R"(if constexpr (decltype(index)::value == 0) {
          slot.wait_until_empty();
        })",
       "if (decltype(index)::value == (CompositePattern<Pattern> ? 1 : 0)) { slot.wait_until_empty(); }"}}},
    {"cp.async: a short tile is copied before its slot is empty",
     {{"engines/async_copy.hpp", "wait();", "", "runs.for_each("}}},
    {"cp.async: padding keeps old bytes",
     {{"engines/async_copy.hpp", "fill_outside<Threads>(pattern, direction.shared, thread);", ""}}},
    {"cp.async: the last copies of a tile are not made",
     {{"engines/async_copy.hpp", "copy_round(Constant<rest>{}, rounds * round, [] {});", ""}}},
    {"cp.async: the rest of a run is not moved",
     {{"engines/async_copy.hpp", "copy_tail<width>(partition.tail(step), direction);", ""}}},
    {"cp.async: a load leaves its warp parted",
     {{"engines/async_copy.hpp", "machine::sync_warp();", "",
       "fill_outside<Threads>(pattern, direction.shared, thread);\n    }"}}},

    // Bulk copies.
    {"bulk: a tile is copied before its slot is empty", {{"engines/bulk_copy.hpp", "slot.wait_until_empty();", ""}}},
    {"bulk: every lane issues the copies of a load",
     {{"engines/bulk_copy.hpp", "machine::elect()", "true", "int bytes = 0;"}}},
    {"bulk: no bytes are reported", {{"engines/bulk_copy.hpp", "bytes += run.bytes;", ""}}},
    {"bulk: no proxy fence after ordinary writes",
     {{"engines/bulk_copy.hpp", "machine::fence_async_proxy();", ""}},
     "",
     fenced_by_compute_threads},
    {"bulk: the proxy fence comes before ordinary writes",
     {{"engines/bulk_copy.hpp", "move_tails<Threads>(part, direction, thread);",
       "machine::fence_async_proxy(); move_tails<Threads>(part, direction, thread);", "int bytes = 0;"},
      {"engines/bulk_copy.hpp", "machine::fence_async_proxy();", ""}},
     "",
     fenced_by_compute_threads},
    {"bulk: no proxy fence after the rest of a full tile",
     {{"engines/bulk_copy.hpp", "full_tile_may_have_tails<Pattern> || (may_write && !pattern.is_full())",
       "may_write && !pattern.is_full()"}},
     "",
     fenced_by_compute_threads},
    {"bulk: no proxy fence after a short tile",
     {{"engines/bulk_copy.hpp", "full_tile_may_have_tails<Pattern> || (may_write && !pattern.is_full())",
       "full_tile_may_have_tails<Pattern>"}},
     "",
     fenced_by_compute_threads},
    {"bulk: padding keeps old bytes",
     {{"engines/bulk_copy.hpp", "fill_outside<Threads>(part, direction.shared, thread);", ""}}},
    {"bulk: a rest of fewer than 16 bytes is copied with its run",
     {{"engines/bulk_copy.hpp", "run.bytes -= run.bytes % alignment;", ""}}},
    {"bulk: every lane moves the rest of a run",
     {{"engines/bulk_copy.hpp", "first == 0", "true", "static void move_tails("}}},
    {"bulk: every warp moves all runs",
     {{"engines/bulk_copy.hpp", "i += warps", "++i", "for (int i = first_run; i < runs; "},
      {"engines/bulk_copy.hpp", "warps == 1 ? 0 : thread / warp_size", "0"}}},
    {"bulk: a warp passes over one run too many",
     {{"engines/bulk_copy.hpp", "i += warps", "i += warps + 1", "for (int i = first_run; i < runs; "}}},
    {"bulk: a store does not wait for full", {{"engines/bulk_copy.hpp", "slot.wait_until_full();", ""}}},
    {"bulk: a store is not committed", {{"engines/bulk_copy.hpp", "machine::commit_bulk_group();", ""}}},
    {"bulk: a store is committed before its copies",
     {{"engines/bulk_copy.hpp", "machine::elect()", "machine::elect() && (machine::commit_bulk_group(), true)",
       "slot.wait_until_full();"},
      {"engines/bulk_copy.hpp", "machine::commit_bulk_group();", ""}}},
    {"bulk: every lane issues the copies of a store",
     {{"engines/bulk_copy.hpp", "machine::elect()", "true", "slot.wait_until_full();"}}},

    {"bulk: the rests that were read before the wait are not written",
     {{"engines/bulk_copy.hpp", "tail.held.write(tail.place, direction);", ""}}},
    {"bulk: the rests of a thread's later runs are not moved",
     {{"engines/bulk_copy.hpp", "move_tails<Threads>(part, direction, thread + Threads);", ""}}},

    // The rest of a run, its tail, and runs whose lengths are read from memory.
    {"tail: it begins where its run does",
     {{"engines/threads/tail.hpp", "run.shared + (run.bytes - bytes)", "run.shared"}}},
    {"tail: its accesses begin at one place", {{"engines/threads/tail.hpp", "tail.shared + bytes", "tail.shared"}}},
    {"tail: what is held is not read",
     {{"engines/threads/tail.hpp", "word_ = direction.template read<half>(tail);", ""}}},
    {"tail: only its longest access is written",
     {{"engines/threads/tail.hpp", "rest_.write(after_access<half>(tail), direction);", ""}}},
    {"tail: a thread passes over a run", {{"engines/threads/tail.hpp", "run += Threads", "run += 2 * Threads"}}},
    {"tail: the last run of a tile has none", {{"engines/threads/tail.hpp", "first < count", "first < count - 1"}}},
    {"tail: that of a full tile's run is one byte early",
     {{"engines/threads/partition.hpp", "run.shared + (Pattern::max_run_bytes - bytes)",
       "run.shared + (Pattern::max_run_bytes - bytes - 1)"}}},
    {"short tile: a thread's next piece is in the run after",
     {{"engines/threads/partition.hpp", "run_ += runs_a_step_;", "run_ += runs_a_step_ + 1;"}}},
    {"short tile: a thread's next piece is beyond its run",
     {{"engines/threads/partition.hpp", "piece_ >= pieces_per_run_", "piece_ > pieces_per_run_"}}},
    {"runs of any length: each warp moves the first one's",
     {{"engines/threads/warp_runs.hpp", "body(run_of(first, i), lane_);", "body(run_of(first - first_, i), lane_);"}}},
    {"runs of any length: only the first 32 of a warp are moved",
     {{"engines/threads/warp_runs.hpp", "first < runs", "first < runs && first == first_"}}},
    {"runs of any length: the last is not moved",
     {{"engines/threads/warp_runs.hpp", "first + i * warps < runs", "first + i * warps < runs - 1"}}},

    // By tensor maps.
    {"tensor map: a box is copied before its slot is empty",
     {{"engines/tensor/tensor_copy.hpp", "slot.wait_until_empty();", ""}}},
    {"tensor map: every lane issues the copies",
     {{"engines/tensor/tensor_copy.hpp", "machine::elect()", "true", "int bytes = 0;"}}},
    {"tensor map: the bytes of a part are counted twice",
     {{"engines/tensor/tensor_copy.hpp", "bytes += box_bytes(part);", "bytes += 2 * box_bytes(part);"}}},
    {"tensor map: a store does not wait for full", {{"engines/tensor/tensor_copy.hpp", "slot.wait_until_full();", ""}}},
    {"tensor map: a store is not committed", {{"engines/tensor/tensor_copy.hpp", "machine::commit_bulk_group();", ""}}},
    {"tensor map: every warp copies all parts",
     {{"engines/tensor/tensor_copy.hpp", "warps == 1 || part % warps == thread / warp_size", "true"}}},
};

}  // namespace mutants
