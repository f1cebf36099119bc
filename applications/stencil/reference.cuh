#pragma once

/// The stencil without the library, in two forms: the scheme of 2009, and one that relies on the caches alone.

#include "field.hpp"

namespace stencil {

/// "2.5D": a CTA marches along z with a thread for each point of its tile. The current plane is in shared memory with
/// its halo; the planes before and after it are in each thread's registers.
///
/// Source  P. Micikevicius, "3D finite difference computation on GPUs using CUDA", GPGPU-2 (2009)
template <class T, int Radius, int Cols, int Rows, class Epilogue>
__global__ __launch_bounds__(Cols* Rows) void march_2009(const Field<const T> u, const Star<T, Radius> star,
                                                         const Epilogue epilogue) {
  static_assert(Rows >= Radius && Cols >= Radius, "stencil::march_2009: the first rows and columns load the halo");
  __shared__ T plane[Rows + 2 * Radius][Cols + 2 * Radius];
  const int c = static_cast<int>(threadIdx.x) + Radius;
  const int r = static_cast<int>(threadIdx.y) + Radius;
  const int x = static_cast<int>(blockIdx.x * Cols + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * Rows + threadIdx.y);
  const bool is_inside = x < u.nx && y < u.ny;
  const bool loads_rows = static_cast<int>(threadIdx.y) < Radius && x < u.nx;
  const bool loads_cols = static_cast<int>(threadIdx.x) < Radius && y < u.ny;
  const bool has_above = loads_rows && y >= Radius;
  const bool has_below = loads_rows && y + Rows < u.ny;
  const bool has_left = loads_cols && x >= Radius;
  const bool has_right = loads_cols && x + Cols < u.nx;
  const long long step = u.plane_pitch();
  const T* here = u.data + u.at(x, y, 0);

  T column[2 * Radius + 1];  // of this point, planes z - Radius to z + Radius
#pragma unroll
  for (int k = 0; k < 2 * Radius; ++k) {
    column[k + 1] = is_inside && k >= Radius && k - Radius < u.nz ? here[(k - Radius) * step] : T{};
  }
  for (int z = 0; z < u.nz; ++z, here += step) {
#pragma unroll
    for (int k = 0; k < 2 * Radius; ++k) {
      column[k] = column[k + 1];
    }
    column[2 * Radius] = is_inside && z + Radius < u.nz ? here[Radius * step] : T{};

    __syncthreads();
    plane[r][c] = column[Radius];
    if (static_cast<int>(threadIdx.y) < Radius) {
      plane[r - Radius][c] = has_above ? here[-Radius * u.pitch] : T{};
      plane[r + Rows][c] = has_below ? here[Rows * u.pitch] : T{};
    }
    if (static_cast<int>(threadIdx.x) < Radius) {
      plane[r][c - Radius] = has_left ? here[-Radius] : T{};
      plane[r][c + Cols] = has_right ? here[Cols] : T{};
    }
    __syncthreads();

    T sum = star.c[0] * column[Radius];
#pragma unroll
    for (int k = 1; k <= Radius; ++k) {
      sum += star.c[k] * (column[Radius - k] + column[Radius + k] + plane[r - k][c] + plane[r + k][c] +
                          plane[r][c - k] + plane[r][c + k]);
    }
    if (is_inside) {
      epilogue.one(here - u.data, z, sum);
    }
  }
}

/// One thread for each point, which reads all that it needs from global memory: caches serve the neighbours. CTAs that
/// are `Radius` inside the domain test no bounds.
template <class T, int Radius, int Cols, int Rows, class Epilogue>
__global__ __launch_bounds__(Cols* Rows) void plain_cached(const Field<const T> u, const Star<T, Radius> star,
                                                           const Epilogue epilogue) {
  const int first_x = static_cast<int>(blockIdx.x) * Cols;
  const int first_y = static_cast<int>(blockIdx.y) * Rows;
  const int x = first_x + static_cast<int>(threadIdx.x);
  const int y = first_y + static_cast<int>(threadIdx.y);
  const int z = static_cast<int>(blockIdx.z);
  const long long at = u.at(x, y, z);
  const T* const point = u.data + at;
  const auto sum_of = [&](const auto& value) {
    T sum = star.c[0] * __ldg(point);
#pragma unroll
    for (int k = 1; k <= Radius; ++k) {
      sum += star.c[k] * (value(x >= k, -k) + value(x + k < u.nx, k) + value(y >= k, -k * u.pitch) +
                          value(y + k < u.ny, k * u.pitch) + value(z >= k, -k * u.plane_pitch()) +
                          value(z + k < u.nz, k * u.plane_pitch()));
    }
    epilogue.one(at, z, sum);
  };
  if (first_x >= Radius && first_x + Cols + Radius <= u.nx && first_y >= Radius && first_y + Rows + Radius <= u.ny &&
      z >= Radius && z + Radius < u.nz) {
    sum_of([&](bool, long long offset) { return __ldg(point + offset); });
  } else if (x < u.nx && y < u.ny) {
    sum_of([&](bool is_inside, long long offset) { return is_inside ? __ldg(point + offset) : T{}; });
  }
}

}  // namespace stencil
