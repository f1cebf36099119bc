#pragma once

/// The arguments of every stencil kernel here: three-dimensional arrays, and the coefficients of a star.

#include <dma/config.hpp>

namespace stencil {

/// A three-dimensional array of `nx * ny * nz` points, x innermost: point (x, y, z) at `data[at(x, y, z)]`.
///
/// Rows are padded to whole 32 bytes, which tensor maps and 16-byte accesses need (`padded`). The padding is zero, and
/// kernels do not write it, so that they may read it in place of points outside the domain, which are zero too.
template <class T>
struct Field {
  T* data;
  int nx;
  int ny;
  int nz;
  long long pitch;  ///< elements from one row to the next

  [[nodiscard]] static constexpr long long padded(int nx) {
    constexpr int unit = 32 / static_cast<int>(sizeof(T));
    return (nx + unit - 1LL) / unit * unit;
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr long long plane_pitch() const { return pitch * ny; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long at(int x, int y, int z) const {
    return z * plane_pitch() + y * pitch + x;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool has(int x, int y, int z) const {
    return x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long points() const { return static_cast<long long>(nx) * ny * nz; }
};

/// The star: `c[0]` for the point itself, `c[k]` for the six points k away along the axes.
template <class T, int Radius>
struct Star {
  static_assert(Radius >= 1 && Radius <= 8, "stencil::Star: the radius is 1 to 8");
  T c[Radius + 1];
};

/// The elements of one access.
template <class T>
struct alignas(16) Vec {
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  T v[width];
};
template <class T>
[[nodiscard]] DMA_HOST_DEVICE const Vec<T>& vec_at(const T* from) {
  return *reinterpret_cast<const Vec<T>*>(from);
}

/// Writes the first `count` elements, in one access where these are all.
template <class T>
DMA_HOST_DEVICE void write(T* to, const Vec<T>& value, int count) {
  if (count >= Vec<T>::width) {
    *reinterpret_cast<Vec<T>*>(to) = value;
  } else {
    for (int i = 0; i < Vec<T>::width; ++i) {
      if (i < count) {
        to[i] = value.v[i];
      }
    }
  }
}

// --- what becomes of a sum -------------------------------------------------------------------------------------------

/// Stores the sum: the pure stencil, which reads and writes each point once.
template <class T>
struct StoreSum {
  T* to;

  DMA_HOST_DEVICE void operator()(long long at, int /*z*/, const Vec<T>& sum, int count) const {
    write(to + at, sum, count);
  }
  DMA_HOST_DEVICE void one(long long at, int /*z*/, T sum) const { to[at] = sum; }
};

/// One step of the acoustic wave equation, where the sum is the Laplacian: the next state replaces the previous one.
///
/// A layered medium: `(velocity * dt)^2` is `upper` above plane `interface` and `lower` from there on.
template <class T>
struct StepWave {
  const T* now;
  T* before;
  T upper;
  T lower;
  int interface;

  DMA_HOST_DEVICE void operator()(long long at, int z, const Vec<T>& laplacian, int count) const {
    const T factor = z < interface ? upper : lower;
    const Vec<T> u = vec_at(now + at);
    Vec<T> next = vec_at<T>(before + at);
    for (int i = 0; i < Vec<T>::width; ++i) {
      next.v[i] = 2 * u.v[i] - next.v[i] + factor * laplacian.v[i];
    }
    write(before + at, next, count);
  }
  DMA_HOST_DEVICE void one(long long at, int z, T laplacian) const {
    before[at] = 2 * now[at] - before[at] + (z < interface ? upper : lower) * laplacian;
  }
};

}  // namespace stencil
