#pragma once

#include "field.hpp"

#include <cstddef>
#include <random>
#include <vector>

/// What the tests of the kernels share.
namespace stencil {

/// An array with its memory. Values in [-1, 1), zero in the padding.
template <class T>
struct Array {
  std::vector<Vec<T>> memory;
  int nx, ny, nz;

  Array(int nx_, int ny_, int nz_, unsigned seed) : nx(nx_), ny(ny_), nz(nz_) {
    memory.resize(static_cast<std::size_t>(Field<T>::padded(nx) * ny * nz) / Vec<T>::width);
    std::minstd_rand random(seed);
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          field().data[field().at(x, y, z)] = static_cast<T>(static_cast<double>(random() % 65536) / 32768 - 1);
        }
      }
    }
  }
  [[nodiscard]] Field<T> field() {
    return {memory.empty() ? nullptr : memory.front().v, nx, ny, nz, Field<T>::padded(nx)};
  }
  [[nodiscard]] Field<const T> view() {
    const Field<T> f = field();
    return {f.data, nx, ny, nz, f.pitch};
  }
};

/// Weights of both signs, each of another size.
template <class T, int Radius>
Star<T, Radius> some_star() {
  Star<T, Radius> star{};
  for (int k = 0; k <= Radius; ++k) {
    star.c[k] = static_cast<T>((k % 2 == 0 ? -1.0 : 1.0) / (k + 1.5));
  }
  return star;
}

}  // namespace stencil
