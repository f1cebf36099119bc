#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of attention's gradients.
inline const Faults backward_faults = {
    // A slot is released, or a register read, while products are in flight.
    {"backward: the scores are not waited for",
     {{"examples/attention/backward_kernel.hpp", "reads.template wait<1>(powers);", ""}}},
    {"backward: the wait for the scores leaves two groups in flight",
     {{"examples/attention/backward_kernel.hpp", "reads.template wait<1>(powers);",
       "reads.template wait<2>(powers);"}}},
    {"backward: the wait for dP leaves a group in flight",
     {{"examples/attention/backward_kernel.hpp", "reads.template wait<0>(changes);",
       "reads.template wait<1>(changes);"}}},
    {"backward: dO is released before the wait for its products",
     {{"examples/attention/backward_kernel.hpp", "reads.template wait<1>();", ""}}},
    {"backward: queries are released before the wait for their products",
     {{"examples/attention/backward_kernel.hpp", "before = std::move(query);", "query.release();"}}},
    {"backward: the last products are not waited for",
     {{"examples/attention/backward_kernel.hpp", "reads.template wait<0>(d_q);", "reads.template wait<1>(d_q);"}}},
    {"backward: products of scores are not committed",
     {{"examples/attention/backward_kernel.hpp", "reads.commit(key, query);", ""}}},

    // The changes of both warpgroups.
    {"backward: the warpgroups do not meet", {{"examples/attention/backward_kernel.hpp", "kv.sync();", ""}}},
    {"backward: no proxy fence after the changes are stored",
     {{"examples/attention/backward_kernel.hpp", "reads.begin();", ""}}},
    {"backward: all changes are stored in one place", {{"examples/attention/backward_kernel.hpp", "left % 2", "0"}}},
    {"backward: both warpgroups store the first rows of the changes",
     {{"examples/attention/backward_kernel.hpp", "store_rows(changes, met, row);", "store_rows(changes, met, 0);"}}},
    {"backward: both warpgroups have the first columns of dQ",
     {{"examples/attention/backward_kernel.hpp", "columns * kv.group()", "0"}}},
    {"backward: both warpgroups add the first part of dQ",
     {{"examples/attention/backward_parts.hpp", "group * (64 * Columns / 4)", "0"}}},
    {"backward: dQ of the step before is added once more",
     {{"examples/attention/backward_kernel.hpp", "left < all", "true"}}},

    // What is multiplied.
    {"backward: both warpgroups have the first keys",
     {{"examples/attention/backward_kernel.hpp", "64 * kv.group()", "0"}}},
    {"backward: scores are not masked",
     {{"examples/attention/backward_parts.hpp",
       "first_key + 64 > p.keys || (p.causal && first_key + 63 > first_query + ahead)", "false"}}},
    {"backward: the mask is that of the tile's first step",
     {{"examples/attention/backward_kernel.hpp", "piece.step_before_end(left)", "piece.first"}}},
    {"backward: the diagonal is counted from the first key",
     {{"examples/attention/backward_parts.hpp", "p.keys - p.queries", "0"}}},
    {"backward: keys behind the last are seen", {{"examples/attention/backward_parts.hpp", "key >= p.keys", "false"}}},
    {"backward: dP is not compared with its mean",
     {{"examples/attention/backward_parts.hpp", "changes.values[i] - mean", "changes.values[i]"}}},
    {"backward: dK is not scaled",
     {{"examples/attention/backward_kernel.hpp", "store_keys<Element>(d_k, out, row, scale);",
       "store_keys<Element>(d_k, out, row, 1);"}}},
    {"backward: dQ is not scaled", {{"examples/attention/backward_rows.hpp", "sums[2 * r] * scale", "sums[2 * r]"}}},
    {"backward: logarithms are natural ones",
     {{"examples/attention/backward_rows.hpp", "natural * log_2_of_e", "natural"}}},
    {"backward: a row without keys has a logarithm of minus infinity",
     {{"examples/attention/backward_rows.hpp", "natural == -infinity()", "false"}}},
    {"backward: D is that of a lane",
     {{"examples/attention/backward_rows.hpp", "sum += cta.shuffle(sum, cta.lane() ^ 1 << i.value);",
       "static_cast<void>(cta.shuffle(sum, cta.lane() ^ 1 << i.value));"}}},

    // What is loaded and stored.
    {"backward: rows are those of the head's first step",
     {{"examples/attention/backward_kernel.hpp", "rows.load(p.rows_of(p.step_at(piece.batch, head, step)));",
       "rows.load(p.rows_of(p.step_at(piece.batch, head, 0)));"}}},
    {"backward: dQ is added to the head's first step",
     {{"examples/attention/backward_kernel.hpp", "add.store(p.sums_of(p.step_at(piece.batch, head, step)));",
       "add.store(p.sums_of(p.step_at(piece.batch, head, 0)));"}}},
    {"backward: dO is loaded for the first head alone",
     {{"examples/attention/backward_kernel.hpp", "tile_of_q(p, p.d_o, piece.batch, head, step)",
       "tile_of_q(p, p.d_o, piece.batch, 0, step)"}}},
    {"backward: values are those of the first head",
     {{"examples/attention/backward_kernel.hpp", "tile_of_k<TileOfK>(p, p.forward.v, piece)",
       "tile_of_k<TileOfK>(p, p.forward.v)"}}},
    {"backward: dK is stored for dV",
     {{"examples/attention/backward_kernel.hpp", "out.store(maps.d_v, tile_of_k<TileOfO>(p, p.d_v, piece, column));",
       "out.store(maps.d_k, tile_of_k<TileOfO>(p, p.d_k, piece, column));"}}},
    {"backward: queries that see keys of a tile are left out",
     {{"examples/attention/backward_plan.hpp", "query / step_queries", "query / step_queries + 1"}}},
    {"backward: the last keys of a head have no tile",
     {{"examples/attention/backward_plan.hpp", "(keys + rows - 1) / rows", "keys / rows"}}},
    {"backward: the last queries of a head have no step",
     {{"examples/attention/backward_problem.hpp", "(forward.queries + step_queries - 1) / step_queries",
       "forward.queries / step_queries"}}},
};

}  // namespace mutants
