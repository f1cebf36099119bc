#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of what is around pipelines: roles, pace, the last CTA, patterns and their padding.
inline const Faults kernel_faults = {
    {"roles: the first DMA group computes",
     {{"roles/take_roles.hpp", "group < 0", "group <= 0", "machine::uniform_warp_rank());\n  if ("}}},
    {"roles: each group takes the first group's role",
     {{"roles/take_roles.hpp", "sizeof...(rest) == 0 || group == Group", "true"}}},
    {"roles: the first warp of a group belongs to the one before",
     {{"roles/warp_layout.hpp", "warp >= first ? 1 : 0", "warp > first ? 1 : 0"}}},

    {"pace: arrivals are not subtracted by a warp that leaves",
     {{"kernel/pace.hpp", "PaceCounter::departure(arrivals_)", "PaceCounter::departure(0)"}},
     "pace"},
    {"pace: the last warp does not clear the counter", {{"kernel/pace.hpp", "machine::clear_count(&counter_->word);", ""}}, "pace"},
    {"pace: the last warp but one clears the counter",
     {{"kernel/pace.hpp", "word >> 32 == warps - 1", "word >> 32 == warps - 2"}},
     "pace"},
    {"pace: a wait is for one arrival fewer",
     {{"kernel/pace.hpp", "(warps - (word >> 32)) * rounds", "(warps - (word >> 32)) * (rounds == 0 ? 0 : rounds - 1)"}},
     "pace"},
    {"pace: a wait is for warps that have left too",
     {{"kernel/pace.hpp", "(warps - (word >> 32)) * rounds", "warps * rounds"}},
     "pace"},
    {"pace: an arrival is not counted",
     {{"kernel/pace.hpp", "static_cast<void>(machine::count(&counter_->word, PaceCounter::arrival));", ""}},
     "pace"},
    {"pace: every lane arrives", {{"kernel/pace.hpp", "machine::elect()", "true", "steps_to_arrival_ = period - 1;"}}, "pace"},
    {"pace: a warp forgets how often it has arrived", {{"kernel/pace.hpp", "++arrivals_;", ""}}, "pace"},
    {"pace: a period has one tile too many",
     {{"kernel/pace.hpp", "steps_to_arrival_ = period - 1;", "steps_to_arrival_ = period;"}},
     "pace"},

    {"last CTA: the CTA does not synchronize before the count", {{"kernel/last_cta.hpp", "cta.sync();", "", "- 1;"}}},
    {"last CTA: the CTA does not synchronize after the count",
     {{"kernel/last_cta.hpp", "cta.sync();", "", "shared.arrived = machine::count_around(&counter.arrived, last);"}}},
    {"last CTA: it is the last but one",
     {{"kernel/last_cta.hpp", "shared.arrived == last", "shared.arrived + 1 == last"}}},
    {"last CTA: one CTA more is waited for",
     {{"kernel/last_cta.hpp", "static_cast<unsigned>(ctas) - 1", "static_cast<unsigned>(ctas)"}}},
    {"last CTA: every thread counts", {{"kernel/last_cta.hpp", "cta.thread() == 0", "true"}}},

    // Patterns say which bytes move: no order of threads changes that, so that values tell.
    {"fill: threads pass over each other's elements",
     {{"engines/fill.hpp", "i += Threads * elements", "i += 2 * Threads * elements"}}},
    {"fill: elements inside the array are filled too",
     {{"engines/fill.hpp", "pattern.is_padding(i)", "true"}}},
    {"sequential: the last element is left out",
     {{"patterns/sequential.hpp", "elements * static_cast<int>(sizeof(T))", "(elements > 0 ? elements - 1 : 0) * static_cast<int>(sizeof(T))", "return {0, 0, "}}},
    {"strided: rows are one row apart in the tile and not in memory",
     {{"patterns/strided.hpp", "i * pitch_bytes", "0 * pitch_bytes", "if constexpr (!Tile::is_swizzled) {"}}},
    {"indirect: rows are those of the list, one on",
     {{"patterns/indirect.hpp", "static_cast<long long>(indices[piece.row])", "static_cast<long long>(indices[piece.row + 1])"}}},
    {"clip: a box keeps one element outside its array",
     {{"patterns/clip.hpp", "clamp(static_cast<long long>(array_length) - position)",
       "clamp(static_cast<long long>(array_length) - position + 1)"}}},
    {"halo: the columns left and right are exchanged",
     {{"patterns/halo2d.hpp", "Index == 2 ? col - Radius : col + Cols", "Index == 2 ? col + Cols : col - Radius"}}},
    {"repeat: each copy is the first one",
     {{"patterns/repeat.hpp", "copy * distance_bytes + run.global", "0 * distance_bytes + run.global"}}},
    {"transpose: rows and columns are not exchanged",
     {{"patterns/transpose.hpp", "col * Tile::pitch_bytes + row * element_bytes", "row * Cols * element_bytes + col * element_bytes"}}},
    {"swizzle: chunks change places by the wrong bits",
     {{"patterns/row_layout.hpp", "offset ^ ((offset >> 3) & (swizzle_bytes(swizzle) - 16))",
       "offset ^ ((offset >> 4) & (swizzle_bytes(swizzle) - 16))"}}},
    {"pieces: steps are one piece apart where they should be a round",
     {{"engines/threads/piece_map.hpp", "step * Threads + thread", "step * Threads + (thread + step) % Threads"}}},
    {"pieces: the last step has one thread fewer",
     {{"engines/threads/piece_map.hpp", "thread < threads_in_last_step", "thread < threads_in_last_step - 1"}}},
    {"short tile: pieces begin one run later",
     {{"engines/threads/partition.hpp", "pattern_.run_at(first_ + run)", "pattern_.run_at(first_ + (run + 1) % count_)"}}},
};

}  // namespace mutants
