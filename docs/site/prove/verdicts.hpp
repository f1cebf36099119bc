#pragma once

/// The kernels that a reader breaks on the site, and what `prove` says of each.

#include "../../../examples/break_it/mirror.hpp"

#include <dma/dma.hpp>
#include <dma/proof/prove.hpp>

#include <array>
#include <cstddef>
#include <vector>

#define MISTAKE NO_MISTAKE
namespace right {
#include "../../../examples/break_it/scale.hpp"
}
#undef MISTAKE
#define MISTAKE NO_WAIT
namespace no_wait {
#include "../../../examples/break_it/scale.hpp"
}
#undef MISTAKE
#define MISTAKE NO_RELEASE
namespace no_release {
#include "../../../examples/break_it/scale.hpp"
}
#undef MISTAKE
#define MISTAKE EXTRA_TILE
namespace extra_tile {
#include "../../../examples/break_it/scale.hpp"
}
#undef MISTAKE
#define MISTAKE EARLY_RELEASE
namespace early_release {
#include "../../../examples/break_it/scale.hpp"
}
#undef MISTAKE
#define MISTAKE NO_FENCE
namespace no_fence {
#include "../../../examples/break_it/scale.hpp"
}
#undef MISTAKE

namespace site {

/// A kernel of the site, right or with a mistake.
struct Choice {
  const char* kernel;
  const char* mistake;           ///< as the kernel's source calls it
  const char* label;             ///< of its button
  dma::proof::FindingKind kind;  ///< what is found
  dma::proof::Verdict (*prove)();
};

/// Arrays of a kernel, with room for the tiles that `for_all_trips` asks for, as a GPU would align them.
template <class Kernel>
struct Arrays {
  static constexpr std::size_t most_tiles = 3 * std::size_t{Kernel::Pipe::stages} + 1;
  using Array = std::array<float, most_tiles * Kernel::Tile::count>;

  alignas(128) Array x = {};
  alignas(128) Array y = {};
};

template <class Kernel>
dma::proof::Verdict prove_with(int tiles) {
  static Arrays<Kernel> arrays;
  arrays.x.fill(1);  // a product with 0 would not change the tile that it is written to
  return dma::proof::prove({.inputs = {dma::proof::input(arrays.x)}, .outputs = {dma::proof::output(arrays.y)}},
                           Kernel{}, {1}, arrays.x.data(), arrays.y.data(), 2.0F, tiles);
}
template <class Kernel>
dma::proof::Verdict prove_all() {
  return dma::proof::for_all_trips<typename Kernel::Pipe>([](int tiles) { return prove_with<Kernel>(tiles); });
}
template <class Kernel, int Tiles>
dma::proof::Verdict prove_tiles() {
  return prove_with<Kernel>(Tiles);
}

/// Waits in a loop for what only another thread can write: nothing ends it in WebAssembly.
struct Spins {
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  void operator()(dma::KernelCta<Spins>& cta, int* flag) const {
    const volatile int& is_set = *flag;
    if (cta.thread() == 0) {
      while (is_set == 0) {
      }
    }
    if (cta.thread() == 32) {
      *flag = 1;
    }
    cta.sync();
  }
};
inline dma::proof::Verdict prove_spins() {
  std::vector<int> flag(1);
  return dma::proof::prove({.outputs = {dma::proof::output(flag)}, .limits = {.seconds = 1}}, Spins{}, {1},
                           flag.data());
}

using Kind = dma::proof::FindingKind;

inline constexpr Choice choices[] = {
    {"scale", "none", "right", Kind::none, &prove_all<right::Scale>},
    {"scale", "no_wait", "forget the wait", Kind::broken_contract, &prove_all<no_wait::Scale>},
    {"scale", "no_release", "forget the release", Kind::broken_contract, &prove_all<no_release::Scale>},
    {"scale", "extra_tile", "a tile too many", Kind::deadlock, &prove_tiles<extra_tile::Scale, 2>},
    {"scale", "early_release", "release before the read", Kind::race, &prove_all<early_release::Scale>},
    {"scale", "no_fence", "no proxy fence", Kind::missing_fence, &prove_all<no_fence::Scale>},
    {"mirror", "none", "right", Kind::none, &prove_all<Mirror<Mistake::none>>},
    {"mirror", "no_sync", "forget the sync", Kind::race, &prove_tiles<Mirror<Mistake::no_sync>, 1>},
    {"mirror", "extra_tile", "a tile too many", Kind::deadlock, &prove_tiles<Mirror<Mistake::extra_tile>, 1>},
    {"mirror", "early_return", "a warp returns early", Kind::deadlock, &prove_tiles<Mirror<Mistake::early_return>, 1>},
    {"mirror", "early_release", "release before the use", Kind::broken_contract,
     &prove_tiles<Mirror<Mistake::early_release>, 1>},
    {"spins", "none", "a loop without an end", Kind::spinning, &prove_spins},
};

}  // namespace site
