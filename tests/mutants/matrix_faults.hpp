#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of matrix products: descriptors, fragments, and what a host reports of registers. Products of known values find
/// them.
inline const Faults matrix_faults = {
    {"descriptor: the stride is of four rows",
     {{"matrix/descriptor.hpp", "plane_leads ? block : plane", "plane_leads ? block / 2 : plane"}},
     "matrix"},
    {"descriptor: leading and stride offsets are exchanged",
     {{"matrix/descriptor.hpp", "plane_leads ? plane : block", "plane_leads ? block : plane"},
      {"matrix/descriptor.hpp", "plane_leads ? block : plane", "plane_leads ? plane : block"}},
     "matrix"},
    {"descriptor: planes lead without a swizzle too, whatever is contiguous",
     {{"matrix/descriptor.hpp", "plane_leads ? plane : block", "plane"},
      {"matrix/descriptor.hpp", "plane_leads ? block : plane", "block"}},
     "matrix"},
    {"descriptor: a swizzle of 64 bytes is one of 32",
     {{"machine/matrix_operand.hpp", "swizzle_bytes == 64 ? 2 : swizzle_bytes == 32 ? 3 : 0",
       "swizzle_bytes > 0 ? 3 : 0"}},
     "matrix"},
    {"descriptor: the first row does not count",
     {{"matrix/descriptor.hpp", "static_cast<unsigned>(Tile::place_of(mn, 0))", "0U"}},
     "matrix"},
    {"descriptor: the first k does not count",
     {{"matrix/descriptor.hpp", "Tile::place_of(0, k + steps)", "Tile::place_of(0, steps)"}},
     "matrix"},
    {"descriptor: every instruction reads the first k",
     {{"matrix/descriptor.hpp", "Tile::place_of(0, k + steps)", "Tile::place_of(0, k)"}},
     "matrix"},
    {"descriptor: planes follow one another without their pitch",
     {{"matrix/descriptor.hpp", "major / along * Tile::plane_pitch_bytes", "major / along * 8 * row_bytes",
       "place_of(int mn, int k) noexcept {"}},
     "matrix"},
    {"sums: the second row of a thread is the next one", {{"matrix/sums.hpp", "i / 2 % 2 * 8", "i / 2 % 2"}}, "matrix"},
    {"sums: columns of a thread are neighbours",
     {{"matrix/sums.hpp", "i / 4 * 8 + thread % 4 * 2 + i % 2", "thread % 4 * count / 2 + i / 4 * 2 + i % 2"}},
     "matrix"},
    {"sums: they may be read before the wait",
     {{"matrix/sums.hpp", "expect_no_product();", "", "void for_each(const Body& body) {"}},
     "matrix"},
    {"sums: the first product adds to what was there",
     {{"matrix/multiply_add.hpp", "adds || i > 0", "true", "machine::multiply_matrices<"}},
     "matrix"},
    {"sums: each instruction of a product overwrites them",
     {{"matrix/multiply_add.hpp", "adds || i > 0", "adds", "machine::multiply_matrices<"}},
     "matrix"},
    {"fragments: the two elements of a register are exchanged",
     {{"matrix/fragment.hpp", "fragment.set(2 * r, sums.values[first], sums.values[first + 1]);",
       "fragment.set(2 * r, sums.values[first + 1], sums.values[first]);"}},
     "matrix"},
    {"fragments: an operand may be changed in flight",
     {{"matrix/fragment.hpp", "expect_no_product();", "", "void set(int i, float first, float second) {"}},
     "matrix"},
    {"store_matrix: lanes name the rows of other matrices",
     {{"matrix/store_matrix.hpp", "lane / 16 * 8", "lane / 8 % 2 * 8"},
      {"matrix/store_matrix.hpp", "lane % 16", "lane % 8 + lane / 16 * 8"}},
     "matrix"},
};

}  // namespace mutants
