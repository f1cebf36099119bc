#pragma once

/// The kernels that a reader breaks on the site, and what `prove` says of each.

#include "../../../applications/half_types.hpp"
#include "../../../examples/break_it/mirror.hpp"

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/matrix/multiply_add.hpp>
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
namespace partial {
#include "../../../examples/break_tutorial/partial.hpp"
}
namespace two {
#include "../../../examples/break_tutorial/two.hpp"
}
namespace triangle {
#include "../../../examples/break_tutorial/triangle.hpp"
}
namespace both_ways {
#include "../../../examples/break_more/both_ways.hpp"
}
namespace ahead {
#include "../../../examples/break_more/ahead.hpp"
}
namespace products {
#include "../../../examples/break_more/products.hpp"
}
namespace pairs {
#include "../../../examples/break_more/pairs.hpp"
}

namespace site {

/// A kernel of the site, right or with a mistake.
struct Choice {
  const char* kernel;
  const char* mistake;           ///< as the kernel's source calls it
  const char* label;             ///< of its button
  dma::proof::FindingKind kind;  ///< what is found
  dma::proof::Verdict (*prove)();
};

/// An array as a GPU would align it, behind which no other begins: the bounds of two that adjoin are not judged.
template <std::size_t Size>
struct alignas(128) Apart : std::array<float, Size> {
  std::byte gap[128] = {};
};

/// Arrays of a kernel, with room for the tiles that `for_all_trips` asks for.
template <class Kernel>
struct Arrays {
  static constexpr std::size_t most_tiles = 3 * std::size_t{Kernel::Pipe::stages} + 1;

  Apart<most_tiles* Kernel::Tile::count> x = {};
  Apart<most_tiles* Kernel::Tile::count> y = {};
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

/// n elements, of which the last tile has 200.
template <partial::Mistake mistake>
dma::proof::Verdict prove_partial_tiles(int tiles) {
  using Kernel = partial::Twice<mistake>;
  static Arrays<Kernel> arrays;
  const int n = tiles == 0 ? 0 : 256 * tiles - 56;
  return dma::proof::prove({.inputs = {dma::proof::input(arrays.x.data(), static_cast<std::size_t>(n), "x")},
                            .outputs = {dma::proof::output(arrays.y.data(), static_cast<std::size_t>(n), "y")}},
                           Kernel{}, {1}, arrays.x.data(), arrays.y.data(), n);
}
template <two::Mistake mistake>
dma::proof::Verdict prove_two_pipelines(int tiles) {
  using Kernel = two::Add<mistake>;
  using Array = Apart<(3 * std::size_t{Kernel::Load::stages} + 1) * Kernel::Tile::count>;
  static Array x = {};
  static Array y = {};
  static Array z = {};
  return dma::proof::prove(
      {.inputs = {dma::proof::input(x, "x"), dma::proof::input(y, "y")}, .outputs = {dma::proof::output(z, "z")}},
      Kernel{}, {1}, x.data(), y.data(), z.data(), tiles);
}
template <triangle::Mistake mistake>
dma::proof::Verdict prove_triangle(int rows) {
  static Apart<std::size_t{64}* 64> x = {};
  static Apart<64> sums = {};
  x.fill(1);
  return dma::proof::prove({.inputs = {dma::proof::input(x.data(), static_cast<std::size_t>(rows) * 64, "x")},
                            .outputs = {dma::proof::output(sums.data(), static_cast<std::size_t>(rows), "sums")}},
                           triangle::SumRows<mistake>{}, {1}, x.data(), sums.data(), rows);
}
/// x and y of a kernel that takes them and a number of tiles.
template <class Kernel, class Pipe>
dma::proof::Verdict prove_arrays(int tiles) {
  using Array = Apart<(3 * std::size_t{Pipe::stages} + 1) * 2 * Kernel::Tile::count>;
  static Array x = {};
  static Array y = {};
  x.fill(1);
  return dma::proof::prove({.inputs = {dma::proof::input(x, "x")}, .outputs = {dma::proof::output(y, "y")}}, Kernel{},
                           {1}, x.data(), y.data(), tiles);
}
template <class Kernel, class Pipe, int TilesOfTrip = 1>
dma::proof::Verdict prove_any_tiles() {
  return dma::proof::for_all_trips<Pipe>([](int trips) { return prove_arrays<Kernel, Pipe>(TilesOfTrip * trips); });
}
template <both_ways::Mistake mistake, int Tiles = 3>
dma::proof::Verdict prove_both_ways() {
  using Kernel = both_ways::BothWays<mistake>;
  return prove_arrays<Kernel, typename Kernel::Load>(Tiles);
}
template <ahead::Mistake mistake>
dma::proof::Verdict prove_differences() {
  using Kernel = ahead::Differences<mistake>;
  return prove_arrays<Kernel, typename Kernel::Pipe>(3);
}
template <pairs::Mistake mistake>
dma::proof::Verdict prove_pairs() {
  using Kernel = pairs::Pairs<mistake>;
  return prove_arrays<Kernel, typename Kernel::Pipe>(3);
}

template <products::Mistake mistake>
dma::proof::Verdict prove_product(int blocks) {
  using Kernel = products::Product<mistake>;
  const auto count = static_cast<std::size_t>(blocks * Kernel::block);
  const std::vector<__nv_bfloat16> a(64 * count, __nv_bfloat16(1.0F));
  const std::vector<__nv_bfloat16> b(8 * count, __nv_bfloat16(1.0F));
  static Apart<std::size_t{64}* 8> c = {};
  const auto shape = Kernel::stage(blocks, 0);
  const auto map = dma::host::tensor_map<typename Kernel::Stage>(dma::TensorArray{a.data(), shape.template part<0>()},
                                                                 dma::TensorArray{b.data(), shape.template part<1>()});
  return dma::proof::prove(
      {.inputs = {dma::proof::input(a, "a"), dma::proof::input(b, "b")}, .outputs = {dma::proof::output(c, "c")}},
      Kernel{}, {1}, map, c.data(), blocks);
}
template <products::Mistake mistake>
dma::proof::Verdict prove_three_blocks() {
  return prove_product<mistake>(3);
}

/// The kernels without a mistake, for any number of tiles, and for three sizes of a triangle.
inline dma::proof::Verdict prove_right_partial() {
  return dma::proof::for_all_trips<partial::Twice<partial::Mistake::none>::Pipe>(
      &prove_partial_tiles<partial::Mistake::none>);
}
inline dma::proof::Verdict prove_right_two() {
  return dma::proof::for_all_trips<two::Add<two::Mistake::none>::Load>(&prove_two_pipelines<two::Mistake::none>);
}
template <triangle::Mistake mistake>
dma::proof::Verdict prove_forty_rows() {
  return prove_triangle<mistake>(40);
}
template <partial::Mistake mistake>
dma::proof::Verdict prove_one_partial_tile() {
  return prove_partial_tiles<mistake>(1);
}
template <two::Mistake mistake, int Tiles>
dma::proof::Verdict prove_two() {
  return prove_two_pipelines<mistake>(Tiles);
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

using RightBothWays = both_ways::BothWays<both_ways::Mistake::none>;
using RightDifferences = ahead::Differences<ahead::Mistake::none>;
using RightPairs = pairs::Pairs<pairs::Mistake::none>;

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
    {"partial", "none", "right", Kind::none, &prove_right_partial},
    {"partial", "all_full", "every tile a full one", Kind::out_of_bounds,
     &prove_one_partial_tile<partial::Mistake::all_full>},
    {"partial", "full_wait", "wait for a full one", Kind::broken_contract,
     &prove_one_partial_tile<partial::Mistake::full_wait>},
    {"partial", "to_count", "loop to Tile::count", Kind::broken_contract,
     &prove_one_partial_tile<partial::Mistake::to_count>},
    {"two", "none", "right", Kind::none, &prove_right_two},
    {"two", "x_first", "load all of x first", Kind::deadlock, &prove_two<two::Mistake::x_first, 3>},
    {"two", "one_storage", "one storage for both", Kind::broken_contract, &prove_two<two::Mistake::one_storage, 1>},
    {"two", "spare_tile", "a tile of y too many", Kind::unused_tile, &prove_two<two::Mistake::spare_tile, 1>},
    {"two", "early_release", "release before the use", Kind::broken_contract,
     &prove_two<two::Mistake::early_release, 1>},
    {"triangle", "none", "right", Kind::none, &prove_forty_rows<triangle::Mistake::none>},
    {"triangle", "all_runs", "all runs of a full tile", Kind::out_of_bounds,
     &prove_forty_rows<triangle::Mistake::all_runs>},
    {"triangle", "all_rows", "loop over all rows", Kind::broken_contract,
     &prove_forty_rows<triangle::Mistake::all_rows>},
    {"triangle", "no_sync", "forget the sync", Kind::race, &prove_forty_rows<triangle::Mistake::no_sync>},
    {"both_ways", "none", "right", Kind::none, &prove_any_tiles<RightBothWays, RightBothWays::Load>},
    {"both_ways", "misaligned", "begin at element 1", Kind::broken_contract,
     &prove_both_ways<both_ways::Mistake::misaligned>},
    {"both_ways", "no_fence", "no proxy fence", Kind::missing_fence, &prove_both_ways<both_ways::Mistake::no_fence>},
    {"both_ways", "one_group", "one DMA warp for both", Kind::deadlock,
     &prove_both_ways<both_ways::Mistake::one_group, 5>},
    {"ahead", "none", "right", Kind::none, &prove_any_tiles<RightDifferences, RightDifferences::Pipe>},
    {"ahead", "one_slot", "one slot", Kind::broken_contract, &prove_differences<ahead::Mistake::one_slot>},
    {"ahead", "early_release", "release before the use", Kind::broken_contract,
     &prove_differences<ahead::Mistake::early_release>},
    {"ahead", "to_size", "loop to the tile's size", Kind::broken_contract, &prove_differences<ahead::Mistake::to_size>},
    {"products", "none", "right", Kind::none, &prove_three_blocks<products::Mistake::none>},
    {"products", "no_commit", "forget the commit", Kind::broken_contract,
     &prove_three_blocks<products::Mistake::no_commit>},
    {"products", "no_wait", "forget the wait", Kind::broken_contract, &prove_three_blocks<products::Mistake::no_wait>},
    {"products", "early_sums", "use the sums before the wait", Kind::broken_contract,
     &prove_three_blocks<products::Mistake::early_sums>},
    {"pairs", "none", "right", Kind::none, &prove_any_tiles<RightPairs, RightPairs::Pipe, 2>},
    {"pairs", "extra_tile", "a pair too many", Kind::deadlock, &prove_pairs<pairs::Mistake::extra_tile>},
    {"pairs", "odd_tile", "load the odd tile too", Kind::unused_tile, &prove_pairs<pairs::Mistake::odd_tile>},
    {"pairs", "early_release", "release before the use", Kind::broken_contract,
     &prove_pairs<pairs::Mistake::early_release>},
    {"spins", "none", "a loop without an end", Kind::spinning, &prove_spins},
};

}  // namespace site
