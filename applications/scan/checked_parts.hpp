#pragma once

#include <dma/dma.hpp>

#include <stdexcept>
#include <string>

namespace scan_tests {

/// Where the tiles of a launch write an array: tile t from `ends[t]` on to before `ends[t + 1]`.
template <class T>
struct Part {
  const T* written;
  const T* expected;
  const long long* ends;
};

/// A kernel whose CTAs throw where their tiles are wrong: in each execution of a proof.
template <class Kernel>
struct CheckedParts : Kernel {
  using Cta = dma::KernelCta<CheckedParts>;

  template <class... Ts>
  void operator()(Cta& cta, const typename Kernel::Tile::Job& job, const Part<Ts>&... parts) const {
    dma::KernelCta<Kernel> its_own;
    Kernel::operator()(its_own, job);
    cta.sync();
    const long long tiles = (job.elements + Kernel::Tile::elements - 1) / Kernel::Tile::elements;
    for (long long tile = cta.block().x; cta.thread() == 0 && tile < tiles; tile += cta.blocks().x) {
      (expect(parts, tile), ...);
    }
  }

 private:
  template <class T>
  static void expect(const Part<T>& part, long long tile) {
    for (long long i = part.ends[tile]; i < part.ends[tile + 1]; ++i) {
      if (!(part.written[i] == part.expected[i])) {
        throw std::logic_error("element " + std::to_string(i) + " is wrong");
      }
    }
  }
};

}  // namespace scan_tests
