#pragma once

/// Slabs of a domain on the emulator.

#include "halo_exchange.hpp"

#include <dma/host/launch.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stencil {

/// Steps of a domain as slabs on the emulator: two fields of each, ghosts and all else NaN at first.
template <class T>
class HostSlabs {
 public:
  HostSlabs(const Field<const T>& domain, int reach, int count)
      : nx_(domain.nx), ny_(domain.ny), slabs_(stencil::slabs(domain.nz, reach, count)) {
    for (const Slab& s : slabs_) {
      const auto vectors = static_cast<std::size_t>(domain.plane_pitch() * s.depth()) / Vec<T>::width;
      Vec<T> nan{};
      std::fill_n(nan.v, Vec<T>::width, std::numeric_limits<T>::quiet_NaN());
      now_.emplace_back(vectors, nan);
      next_.push_back(now_.back());
      // The neighbours' planes too.
      std::copy_n(domain.data + domain.at(0, 0, s.first - s.below()), vectors * Vec<T>::width, now_.back().front().v);
      clear_padding(field(next_.back(), s));
    }
  }

  /// One step, or several at once: `march(u, slab, epilogue)` runs that of a slab.
  template <class March>
  void step(HostCopy& exchange, const March& march) {
    const auto in = fields(now_);
    const auto out = fields(next_);
    stencil::step(slabs_, exchange, out, [&](const Slab& s, const RaiseFlag& take) {
      const auto i = static_cast<std::size_t>(s.index);
      const Field<const T> u{in[i].data, in[i].nx, in[i].ny, in[i].nz, in[i].pitch};
      const StoreSum<T> store{out[i].data};
      dma::ArrivalCounter finished[ends]{};
      with_slab_epilogue(s, store, finished, take, [&](const auto& epilogue) { march(u, s, epilogue); });
      if (finished[0].arrived != 0 || finished[1].arrived != 0) {
        throw std::logic_error("a march leaves a counter of finished columns that is not zero");
      }
    });
    std::swap(now_, next_);
  }

  [[nodiscard]] const std::vector<Slab>& slabs() const { return slabs_; }
  void store(const Field<T>& to) {
    for (const Slab& s : slabs_) {
      const Field<T> from = fields(now_)[static_cast<std::size_t>(s.index)];
      std::copy_n(from.data + from.at(0, 0, s.below()), from.plane_pitch() * s.planes(),
                  to.data + to.at(0, 0, s.first));
    }
  }
  [[nodiscard]] T at(int x, int y, int z) {
    const auto owner = static_cast<std::size_t>(
        std::find_if(slabs_.begin(), slabs_.end(), [&](const Slab& s) { return z < s.last; })->index);
    const Field<T> f = fields(now_)[owner];
    return f.data[f.at(x, y, slabs_[owner].local(z))];
  }

 private:
  using Memory = std::vector<Vec<T>>;

  static void clear_padding(const Field<T>& f) {
    for (long long row = 0; row < 1LL * f.ny * f.nz; ++row) {
      std::fill(f.data + row * f.pitch + f.nx, f.data + (row + 1) * f.pitch, T{});
    }
  }
  [[nodiscard]] Field<T> field(Memory& memory, const Slab& s) const {
    return {memory.front().v, nx_, ny_, s.depth(), Field<T>::padded(nx_)};
  }
  [[nodiscard]] std::vector<Field<T>> fields(std::vector<Memory>& of) const {
    std::vector<Field<T>> result;
    for (std::size_t i = 0; i < of.size(); ++i) {
      result.push_back(field(of[i], slabs_[i]));
    }
    return result;
  }

  int nx_;
  int ny_;
  std::vector<Slab> slabs_;
  std::vector<Memory> now_;
  std::vector<Memory> next_;
};

}  // namespace stencil
