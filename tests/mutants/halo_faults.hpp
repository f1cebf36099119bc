#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of what is around a tile: which boxes, and where they are in memory and in the slot.
inline const Faults halo_faults = {
    // The ring around a tile.
    {"Halo2D: the rows above and below are exchanged",
     {{"patterns/halo2d.hpp", "Index == 0 ? row - Radius : row + Rows", "Index == 0 ? row + Rows : row - Radius"}},
     "boxes"},
    {"Halo2D: the rows below begin with the tile's last",
     {{"patterns/halo2d.hpp", "Index == 0 ? row - Radius : row + Rows", "Index == 0 ? row - Radius : row + Rows - 1"}},
     "boxes"},
    {"Halo2D: the rows above and below begin with the tile's first column",
     {{"patterns/halo2d.hpp", "col + wide_from", "col"}},
     "boxes"},
    {"Halo2D: the columns left and right begin above the tile",
     {{"patterns/halo2d.hpp", "row", "row - Radius", "return Tall{pitch_bytes, array_rows, array_cols, "}},
     "boxes"},
    {"Halo2D: the columns left and right are filled with zeros",
     {{"patterns/halo2d.hpp", "fill", "T{}", "Index == 2 ? col - Radius : col + Cols, "}},
     "boxes"},
    {"Halo2D: the rows above begin a column too early in the tile",
     {{"patterns/halo2d.hpp", "index(-Radius, wide_from)", "index(-Radius, wide_from - 1)"}},
     "boxes"},
    {"Halo2D: the rows below arrive in the tile's last row",
     {{"patterns/halo2d.hpp", "index(Rows, wide_from)", "index(Rows - 1, wide_from)"}},
     "boxes"},
    {"Halo2D: the columns left arrive where those right do",
     {{"patterns/halo2d.hpp", "index(0, -Radius)", "index(0, Cols)"}},
     "boxes"},
    {"Halo2D: its size is that of its tile",
     {{"patterns/halo2d.hpp", "area_rows * area_cols", "Rows * Cols", "constexpr int size() const noexcept { return "}},
     "shapes"},
    {"Halo2D: rows of the area are as long as the tile's",
     {{"patterns/halo2d.hpp", "(r + Radius) * area_cols + c + Radius", "(r + Radius) * Cols + c + Radius"}},
     "boxes"},
    {"Halo2D: the first row of the area is the tile's",
     {{"patterns/halo2d.hpp", "(r + Radius) * area_cols + c + Radius", "r * area_cols + c + Radius"}},
     "boxes"},

    // The shell around a tile. Where its boxes begin is known at compile time.
    {"Halo3D: its boxes are in the tile's planes", {{"patterns/halo3d.hpp", "plane + at.plane", "plane"}}, "boxes"},
    {"Halo3D: its boxes are on the other side of the tile's rows",
     {{"patterns/halo3d.hpp", "row + at.row", "row - at.row"}},
     "boxes"},
    {"Halo3D: its boxes begin with the tile's columns", {{"patterns/halo3d.hpp", "col + at.col", "col"}}, "boxes"},
    {"Halo3D: planes are as far apart as rows",
     {{"patterns/halo3d.hpp", "plane_pitch_bytes", "pitch_bytes", "return Box{pitch_bytes,      "}},
     "boxes"},
    {"Halo3D: the array has as many planes as rows",
     {{"patterns/halo3d.hpp", "array_planes", "array_rows", "return Box{pitch_bytes,      plane_pitch_bytes, "}},
     "boxes"},
    {"Halo3D: fills are zero", {{"patterns/halo3d.hpp", "fill", "T{}", "col + at.col, "}}, "boxes"},
    {"Halo3D: rows and planes of the area change places",
     {{"patterns/halo3d.hpp", "index(at.plane, at.row, at.col)", "index(at.row, at.plane, at.col)"}},
     "boxes"},
    {"Halo3D: planes of the area have the tile's rows",
     {{"patterns/halo3d.hpp", "((p + Radius) * area_rows + r + Radius) * area_cols + c + Radius",
       "((p + Radius) * Rows + r + Radius) * area_cols + c + Radius"}},
     "boxes"},
    {"Halo3D: the first row of the area is the tile's",
     {{"patterns/halo3d.hpp", "((p + Radius) * area_rows + r + Radius) * area_cols + c + Radius",
       "((p + Radius) * area_rows + r) * area_cols + c + Radius"}},
     "boxes"},
    {"Halo3D: its size is that of its planes",
     {{"patterns/halo3d.hpp", "area_planes * area_rows * area_cols", "area_planes * Rows * Cols",
       "constexpr int size() const noexcept { return "}},
     "shapes"},
};

}  // namespace mutants
