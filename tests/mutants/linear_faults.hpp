#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of a layer of 4-bit weights.
inline const Faults linear_faults = {
    // The plan.
    {"linear: a unit is that of the CTA before",
     {{"applications/linear/plan.hpp", "(unit + 1LL) * ctas - 1", "1LL * unit * ctas"}},
     "linear"},
    {"linear: a tile has one part",
     {{"applications/linear/plan.hpp", "cta_of((tile + 1) * units_of_tile - 1) - first_cta_of(tile) + 1", "1"}},
     "linear"},
    {"linear: a piece that begins a tile is all of it",
     {{"applications/linear/plan.hpp", "piece.first == 0 && piece.last == units_of_tile", "piece.first == 0"}},
     "linear"},
    {"linear: a piece begins with its tile",
     {{"applications/linear/plan.hpp", "at - tile * units_of_tile", "0"}},
     "linear"},
    {"linear: cuts take no time",
     {{"applications/linear/plan.hpp", "are_whole ? 0 : are_parts ? even_cut : uneven_cut", "0"}},
     "linear"},

    // Packed numbers.
    {"linear: both rows of a thread have the first one's zero",
     {{"applications/linear/numbers.hpp", "zeros[i % 2]", "zeros[0]"}},
     "linear"},
    {"linear: numbers of a word are its first ones",
     {{"applications/linear/numbers.hpp", "(word >> bit & mask) | base", "(word & mask) | base"}},
     "linear"},
    {"linear: zeros are not packed",
     {{"applications/linear/packing.hpp", "is_there ? from.zeros[of] : 0", "0"}},
     "linear"},
    {"linear: the next group's scale is the first one's",
     {{"applications/linear/packing.hpp", "k / group + i / Of::rows", "k / group"}},
     "linear"},

    // What is loaded.
    {"linear: all units have the first one's X",
     {{"applications/linear/kernel.hpp", "at * (unit / 64)", "0"}},
     "linear"},
    {"linear: all tiles have the first one's weights",
     {{"applications/linear/kernel.hpp", "tile * form.row_groups", "0"}},
     "linear"},
    {"linear: all units have the first one's weights",
     {{"applications/linear/kernel.hpp", "at * k_groups * Of::lines", "0"}},
     "linear"},
    {"linear: X is loaded while the grid before writes it",
     {{"applications/linear/kernel.hpp", "cta.grid_dependency_wait();", ""}},
     "linear"},

    // What is computed.
    {"linear: sums are taken while products are added",
     {{"applications/linear/warpgroup.hpp", "reads_.template wait<0>(products_);", ""}},
     "linear"},
    {"linear: all warpgroups have the first one's X",
     {{"applications/linear/warpgroup.hpp", "k_group_ * Inputs::tile_bytes", "0"}},
     "linear"},
    {"linear: all groups have the first one's X",
     {{"applications/linear/warpgroup.hpp", "form.group * g", "0"}},
     "linear"},
    {"linear: both rows of a thread have the first one's scale",
     {{"applications/linear/warpgroup.hpp", "numbers[g].scales[i / 2 % 2]", "numbers[g].scales[0]"}},
     "linear"},
    {"linear: all warpgroups have the first one's weights",
     {{"applications/linear/warpgroup.hpp", "k_group_ * Of::lines", "0"}},
     "linear"},
    {"linear: warpgroups leave their sums in one place",
     {{"applications/linear/warpgroup.hpp", "(k_group_ - owner + k_groups) % k_groups - 1", "0"}},
     "linear"},
    {"linear: sums of other warpgroups are read at once",
     {{"applications/linear/warpgroup.hpp", "weights_.sync();", "", "[Sums::thread()] = four;"}},
     "linear"},
    {"linear: the next tile's sums are left while others read",
     {{"applications/linear/warpgroup.hpp", "weights_.sync();", "", "add(own_[i], shared_.sums"}},
     "linear"},
    {"linear: parts of a tile are those that do not begin it",
     {{"applications/linear/warpgroup.hpp", "other == 0", "false"}},
     "linear"},
    {"linear: row groups leave their parts in one place",
     {{"applications/linear/warpgroup.hpp", "row_group_ * vectors + j", "j"}},
     "linear"},
    {"linear: rows behind the last are written",
     {{"applications/linear/warpgroup.hpp", "column < p_.m && row < p_.n", "column < p_.m"}},
     "linear"},
    {"linear: a kernel takes more rows than it has",
     {{"applications/linear/linear.hpp", "p.m > form.columns", "false"}},
     "linear"},
};

}  // namespace mutants
