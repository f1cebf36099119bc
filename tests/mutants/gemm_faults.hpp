#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of the product of matrices by tensor cores.
inline const Faults gemm_faults = {
    // A slot is released while it is read.
    {"gemm: a slot is released before the wait for its products",
     {{"examples/gemm/products.hpp", "reads.wait<1>();", "held = std::move(slot); reads.wait<1>();"}}},
    {"gemm: a slot is released at once",
     {{"examples/gemm/products.hpp", "held = std::move(slot);", "held = std::move(slot); held.release();"}}},
    {"gemm: the wait leaves two groups in flight",
     {{"examples/gemm/products.hpp", "reads.wait<1>();", "reads.wait<2>();"}}},
    {"gemm: the wait for the products before is left out", {{"examples/gemm/products.hpp", "reads.wait<1>();", ""}}},
    {"gemm: the products of the last block are not waited for",
     {{"examples/gemm/products.hpp", "reads.wait<0>(sums);", "reads.wait<1>(sums);"}}},
    {"gemm: the wait for all products is left out", {{"examples/gemm/products.hpp", "reads.wait<0>(sums);", ""}}},
    {"gemm: the sums are read without the wait for them",
     {{"examples/gemm/products.hpp", "reads.wait<0>(sums);", "reads.wait<0>();"}},
     "",
     "",
     "a host has the sums when the wait returns; a GPU's compiler may read their registers before it"},
    {"gemm: products are not committed", {{"examples/gemm/products.hpp", "reads.commit(slot);", ""}}},
    {"gemm: a group is committed twice",
     {{"examples/gemm/products.hpp", "reads.commit(slot);", "reads.commit(slot); reads.commit();"}},
     "",
     "slower: of two groups the empty one is the newest, so that a wait for all but one waits for all products"},
    {"gemm: one warpgroup alone waits for its products",
     {{"examples/gemm/products.hpp", "reads.wait<1>();", "if (group == 0) { reads.wait<1>(); }"}}},

    // What is multiplied.
    {"gemm: both warpgroups have the first rows",
     {{"examples/gemm/products.hpp", "64 * group", "0", "dma::part<0>, "}}},
    {"gemm: the warpgroups exchange their rows",
     {{"examples/gemm/products.hpp", "64 * group", "64 * (1 - group)", "dma::part<0>, "}}},
    {"gemm: A is read eight rows further on",
     {{"examples/gemm/products.hpp", "64 * group", "56 * group", "dma::part<0>, "}}},
    {"gemm: a tile's sums begin with those of the one before",
     {{"examples/gemm/products.hpp", "multiply(held, false);", "multiply(held, true);"}}},
    {"gemm: only the last block is summed",
     {{"examples/gemm/products.hpp", "multiply(slot, true);", "multiply(slot, false);"}}},
    {"gemm: a block is multiplied twice",
     {{"examples/gemm/products.hpp", "multiply(slot, true);", "multiply(slot, true); multiply(slot, true);"}}},
    {"gemm: the block before is multiplied again",
     {{"examples/gemm/products.hpp", "multiply(slot, true);", "multiply(held, true);"}}},
    {"gemm: a block is waited for that is not loaded", {{"examples/gemm/products.hpp", "at < blocks", "at <= blocks"}}},

    // What is loaded and stored.
    {"gemm: the same block of A is loaded again",
     {{"examples/gemm/kernel.hpp", "tile_of_a(p, piece.row, at * block)",
       "tile_of_a(p, piece.row, piece.first * block)"}}},
    {"gemm: A's rows are those of B",
     {{"examples/gemm/kernel.hpp", "tile_of_a(p, piece.row, at * block)", "tile_of_a(p, piece.column, at * block)"}}},
    {"gemm: a block is not loaded",
     {{"examples/gemm/kernel.hpp", "at < piece.last", "at + 1 < piece.last", "const auto dma = loads.as_dma();"}}},
    {"gemm: C is stored to the first column",
     {{"examples/gemm/kernel.hpp", "tile_of_c(p, piece.row, piece.column + column_of_part(tile, part))",
       "tile_of_c(p, piece.row, column_of_part(tile, part))"}}},
    {"gemm: tiles are stored that several CTAs sum",
     {{"examples/gemm/kernel.hpp", "plan.is_whole(piece)", "true", "part < parts && "}}},
    {"gemm: both warpgroups fill the first rows of a slot",
     {{"examples/gemm/results.hpp", "vectors(64 * group + r, c)", "vectors(r, c)"}}},
    {"gemm: the earlier grid is not waited for", {{"examples/gemm/kernel.hpp", "cta.grid_dependency_wait();", ""}}},
    {"gemm: every CTA takes itself for the last of a tile",
     {{"examples/gemm/partial_sums.hpp", "!dma::is_last_cta(compute, workspace.arrivals[divided], parts, shared)",
       "(static_cast<void>(dma::is_last_cta(compute, workspace.arrivals[divided], parts, shared)), false)"}}},
    {"gemm: the first part of a tile is added twice",
     {{"examples/gemm/partial_sums.hpp", "sum = value;", "sum += value;"}}},
    {"gemm: the parts of a tile overlap", {{"examples/gemm/partial_sums.hpp", "begins_tile ? 0 : 1", "0"}}},

    // Parts that a second launch adds up.
    {"gemm: the second launch does not wait for the first",
     {{"examples/gemm/add_parts.hpp", "cta.grid_dependency_wait();", ""}}},
    {"gemm: the second launch adds the last part again",
     {{"examples/gemm/add_parts.hpp", "i < parts - part", "i <= parts - part"}}},
    {"gemm: the second launch has no parts of the second warpgroup",
     {{"examples/gemm/add_parts.hpp", "128 * group + sums.thread()", "sums.thread()"}}},
    {"gemm: the second launch has the first columns of each tile",
     {{"examples/gemm/add_parts.hpp", "column_in_tile / slice.columns * 128 * groups", "0"}}},
    {"gemm: the second launch writes whole tiles too", {{"examples/gemm/add_parts.hpp", "parts == 1", "false"}}},
    {"gemm: a cluster leaves its parts nowhere",
     {{"examples/gemm/cluster_kernel.hpp",
       "leave_part(a, sums, plan, piece, first_row, p.m, workspace, cluster, cta.cluster_rank());", ""}}},
    {"gemm: the CTAs of a cluster leave their parts at one place",
     {{"examples/gemm/partial_sums.hpp", "part_at(plan, workspace, cta, rank, piece.first == 0)",
       "part_at(plan, workspace, cta, 0, piece.first == 0)"}}},
    {"gemm: a cluster begins each part with the first block of A",
     {{"examples/gemm/cluster_kernel.hpp", "dma.load(maps.a, tile_of_a(p, piece.row + row, at * block));",
       "dma.load(maps.a, tile_of_a(p, piece.row + row, (at - piece.first) * block));"}}},
};

}  // namespace mutants
