#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <vector>

namespace {

using dma::Compute, dma::Dma, dma::WarpLayout;

constexpr int count = 64;
using Tile = dma::Sequential<int, count>;

enum class Way { right, by_hand, closed, a_tile_too_few, other_size, by_the_other_group };

/// Group 0 squares numbers and hands them over; group 1 writes a tile's sums of two neighbours. The last tile is short.
template <class WarpLayout, class Sync, int Stages>
struct SquaresHandedOver {
  using Layout = WarpLayout;
  using Squares = dma::HandOff<Tile, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, Stages>, Sync>;
  struct Shared {
    typename Squares::Storage squares;
  };

  void operator()(const dma::KernelCta<SquaresHandedOver>& cta, const int* in, int* out, int tiles, Way way) const {
    Squares squares(cta, cta.template shared<Shared>().squares);
    const auto tile_at = [&](int t) { return Tile{t + 1 == tiles ? count - 20 : count}; };
    if (squares.is_producer()) {
      if (way == Way::by_the_other_group) {
        static_cast<void>(squares.as_consumer());
      }
      const auto to = squares.as_producer();
      for (int t = 0; t < tiles; ++t) {
        if (way == Way::by_hand) {
          int* const slot = to.wait_until_empty();
          for (int i = to.rank(); i < count; i += to.size()) {
            slot[i] = in[t * count + i] * in[t * count + i];
          }
          to.signal_full();
        } else {
          const auto slot = to.wait(tile_at(t));
          for (int i = to.rank(); i < slot.size(); i += to.size()) {
            slot[i] = in[t * count + i] * in[t * count + i];
          }
        }
      }
    } else if (squares.is_consumer()) {
      const auto from = squares.as_consumer();
      for (int t = 0; t < tiles - (way == Way::a_tile_too_few ? 1 : 0); ++t) {
        if (way == Way::by_hand) {
          const int* const slot = from.wait_until_full();
          for (int i = from.rank(); i < tile_at(t).size(); i += from.size()) {
            out[t * count + i] = slot[i] + slot[(i + 1) % tile_at(t).size()];
          }
          from.signal_empty();
        } else {
          const auto slot = from.wait(way == Way::other_size ? Tile{} : tile_at(t));
          for (int i = from.rank(); i < tile_at(t).size(); i += from.size()) {
            out[t * count + i] = slot[i] + slot[(i + 1) % tile_at(t).size()];
          }
        }
      }
    }
    if (way == Way::closed) {
      squares.close();
    }
  }
};

using TwoGroups = WarpLayout<Compute<1>, Compute<2>>;
using ThreeGroups = WarpLayout<Compute<2>, Compute<1>, Compute<1>, Dma<1>>;

std::vector<int> numbers(int tiles) {
  std::vector<int> in(static_cast<std::size_t>(count * tiles));
  for (int i = 0; i < count * tiles; ++i) {
    in[static_cast<std::size_t>(i)] = i % 97 - 40;
  }
  return in;
}

template <class Kernel>
void run(int tiles, Way way, unsigned seed = 0) {
  const std::vector<int> in = numbers(tiles);
  std::vector<int> out(in.size(), -1);
  dma::host::launch({.seed = seed}, Kernel{}, {1}, in.data(), out.data(), tiles, way);
  for (int i = 0; i < count * tiles; ++i) {
    const int size = i / count + 1 == tiles ? count - 20 : count;
    const int next = i / count * count + (i % count + 1) % size;
    const auto square = [](int k) { return (k % 97 - 40) * (k % 97 - 40); };
    REQUIRE(out[static_cast<std::size_t>(i)] == (i % count < size ? square(i) + square(next) : -1));
  }
}

template <class Kernel>
dma::proof::Verdict prove(Way way) {
  const std::vector<int> in = numbers(5);
  std::vector<int> out(in.size());
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}}, Kernel{}, {1},
                           in.data(), out.data(), 5, way);
}

using OnPhases = SquaresHandedOver<TwoGroups, dma::CudaBarrier, 2>;
using OnNamed = SquaresHandedOver<ThreeGroups, dma::NamedBarrier, 3>;

}  // namespace

TEST_CASE("a compute group hands every tile over to another one, without an engine", "[groups]") {
  for (const unsigned seed : {0U, 1U, 2U}) {
    for (const int tiles : {0, 1, 3, 8}) {
      run<OnPhases>(tiles, Way::right, seed);
      run<OnNamed>(tiles, Way::right, seed);
    }
    run<OnPhases>(5, Way::by_hand, seed);
    run<OnPhases>(5, Way::closed, seed);
  }
}

TEST_CASE("hand-offs are proved, and what breaks them is found", "[groups]") {
  using dma::proof::FailsBy, dma::proof::FindingKind;
  REQUIRE_THAT(prove<OnPhases>(Way::right), dma::proof::IsProved());
  REQUIRE_THAT(prove<OnNamed>(Way::right), dma::proof::IsProved());
  REQUIRE_THAT(prove<OnPhases>(Way::by_hand), dma::proof::IsProved());
  REQUIRE_THAT(prove<OnPhases>(Way::a_tile_too_few), FailsBy(FindingKind::unused_tile));
  REQUIRE_THAT(prove<OnNamed>(Way::a_tile_too_few), FailsBy(FindingKind::deadlock));
  REQUIRE_THAT(prove<OnPhases>(Way::other_size), FailsBy(FindingKind::broken_contract));
}

TEST_CASE("a host reports the other side of a hand-off, and tiles that are not used", "[groups]") {
  using Catch::Matchers::ContainsSubstring;
  REQUIRE_THROWS_WITH(run<OnPhases>(2, Way::by_the_other_group),
                      ContainsSubstring("as_consumer() is for the compute group that uses the slots"));
  REQUIRE_THROWS_WITH(run<OnPhases>(2, Way::a_tile_too_few),
                      ContainsSubstring("producing warps filled slot 1 of pipeline A, and the consuming warps did not "
                                        "wait for it"));
}
