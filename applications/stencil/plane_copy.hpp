#pragma once

/// Copies of planes between a GPU's field, whose rows are padded, and dense planes of the host.

#include "../../examples/gpu.hpp"
#include "field.hpp"

#include <cstddef>

#include <cuda_runtime.h>

namespace stencil {

/// A field's planes as a 2D copy has them: all rows are as far from each other.
struct DenseRows {
  std::size_t bytes;
  std::size_t pitch_bytes;  ///< in the field
  std::size_t rows;

  template <class T>
  DenseRows(const Field<T>& f, int planes)
      : bytes(static_cast<std::size_t>(f.nx) * sizeof(T)),
        pitch_bytes(static_cast<std::size_t>(f.pitch) * sizeof(T)),
        rows(static_cast<std::size_t>(f.ny) * static_cast<std::size_t>(planes)) {}
};

/// Planes of a field from `plane` on.
template <class T>
void read_planes(const Field<T>& f, int plane, int count, T* to) {
  const DenseRows rows(f, count);
  gpu::check(cudaMemcpy2D(to, rows.bytes, f.data + f.at(0, 0, plane), rows.pitch_bytes, rows.bytes, rows.rows,
                          cudaMemcpyDeviceToHost));
}
template <class T>
void write_planes(const Field<T>& f, int plane, int count, const T* from) {
  const DenseRows rows(f, count);
  gpu::check(cudaMemcpy2D(f.data + f.at(0, 0, plane), rows.pitch_bytes, from, rows.bytes, rows.bytes, rows.rows,
                          cudaMemcpyHostToDevice));
}
/// Row y of as many planes.
template <class T>
void read_slice(const Field<T>& f, int y, int plane, int count, T* to) {
  const auto row_bytes = static_cast<std::size_t>(f.nx) * sizeof(T);
  gpu::check(cudaMemcpy2D(to, row_bytes, f.data + f.at(0, y, plane),
                          static_cast<std::size_t>(f.plane_pitch()) * sizeof(T), row_bytes,
                          static_cast<std::size_t>(count), cudaMemcpyDeviceToHost));
}

}  // namespace stencil
