#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of a layer of 8-bit numbers with scales of blocks; its plan and its sums are those of linear_faults.
inline const Faults linear_fp8_faults = {
    // What is loaded.
    {"linear_fp8: all units have the first one's X",
     {{"applications/linear/fp8/kernel.hpp", "at * unit", "0", "BlocksOfX::at("}},
     "linear_fp8"},
    {"linear_fp8: all units have the first one's W",
     {{"applications/linear/fp8/kernel.hpp", "at * unit", "0", "BlocksOfW::at("}},
     "linear_fp8"},
    {"linear_fp8: all tiles have the first one's W",
     {{"applications/linear/fp8/kernel.hpp", "tile * tile_rows", "0"}},
     "linear_fp8"},
    {"linear_fp8: all blocks of a slot are the first one",
     {{"applications/linear/fp8/kernel.hpp", "k + I * block", "k"}},
     "linear_fp8"},
    {"linear_fp8: scales of X are loaded while the grid before writes them",
     {{"applications/linear/fp8/kernel.hpp", "cta.grid_dependency_wait();", ""}},
     "linear_fp8"},

    // The scales.
    {"linear_fp8: all blocks of k have the scales of the unit's first one",
     {{"applications/linear/fp8/warpgroup.hpp", "at * Kernel::k_groups + k_group_", "at * Kernel::k_groups"}},
     "linear_fp8"},
    {"linear_fp8: the first units have the scales of the first one",
     {{"applications/linear/fp8/warpgroup.hpp", "piece.first + i", "piece.first"}},
     "linear_fp8"},
    {"linear_fp8: later units have the scales of the first ones",
     {{"applications/linear/fp8/warpgroup.hpp", "first + i + ahead", "piece.first + i"}},
     "linear_fp8"},
    {"linear_fp8: units behind a piece are added too",
     {{"applications/linear/fp8/warpgroup.hpp", "first + i < piece.last", "true"}},
     "linear_fp8"},
    {"linear_fp8: all rows of W have the scales of the first ones",
     {{"applications/linear/fp8/warpgroup.hpp", "(tile * Kernel::tile_rows + 64 * row_group_) / block", "0"}},
     "linear_fp8"},
    {"linear_fp8: the next rows of W have the scales of the next block of k",
     {{"applications/linear/fp8/warpgroup.hpp", "static_cast<long long>(of_n) * blocks_of(p_.k) + of_k",
       "static_cast<long long>(of_n) + of_k"}},
     "linear_fp8"},
    {"linear_fp8: all blocks have the first one's scales of X",
     {{"applications/linear/fp8/warpgroup.hpp", "row * p_.x_scales_row + of_k * p_.x_scales_block",
       "row * p_.x_scales_row"}},
     "linear_fp8"},
    {"linear_fp8: rows from 32 on have the scales of the first ones",
     {{"applications/linear/fp8/warpgroup.hpp", "cta_.lane() + 32 * i", "cta_.lane()"}},
     "linear_fp8"},
    {"linear_fp8: all rows of X have the scales of the first eight",
     {{"applications/linear/fp8/warpgroup.hpp", "8 * (i / 2) + Sums::column_of(cta_.lane(), i % 2)",
       "Sums::column_of(cta_.lane(), i % 2)"}},
     "linear_fp8"},
    {"linear_fp8: both columns of a thread have the first one's scale",
     {{"applications/linear/fp8/warpgroup.hpp", "i / 4 * 2 + i % 2", "i / 4 * 2"}},
     "linear_fp8"},

    // What is computed.
    {"linear_fp8: all warpgroups have the first one's block",
     {{"applications/linear/fp8/warpgroup.hpp", "k_group_ * Slot::Pattern::template part_shared_bytes<1>()", "0"}},
     "linear_fp8"},
    {"linear_fp8: row groups have the first one's rows",
     {{"applications/linear/fp8/warpgroup.hpp", "64 * row_group_", "0", "own_block(weights)"}},
     "linear_fp8"},
    {"linear_fp8: products add to those of the unit before",
     {{"applications/linear/fp8/warpgroup.hpp", "false", "true", "own_block(inputs))"}},
     "linear_fp8"},
    {"linear_fp8: sums are taken while products are added",
     {{"applications/linear/fp8/warpgroup.hpp", "reads_.template wait<0>(products_);", ""}},
     "linear_fp8"},
    {"linear_fp8: rows behind the last are written",
     {{"applications/linear/fp8/warpgroup.hpp", "column < p_.m && row < p_.n", "column < p_.m"}},
     "linear_fp8"},
    {"linear_fp8: a kernel takes more rows than it has",
     {{"applications/linear/fp8/linear.hpp", "p.m > Kernel::form.columns", "false"}},
     "linear_fp8"},
};

}  // namespace mutants
