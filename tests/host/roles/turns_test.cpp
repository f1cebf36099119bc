#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <vector>

namespace {

using dma::Compute, dma::Dma, dma::WarpLayout;

enum class Way { right, by_hand, without, a_group_skips_one, a_dma_warp_takes_one, two_units };

/// Groups write their number and round one behind another: the position is in shared memory, and only turns order it.
template <class WarpLayout>
struct WritesInTurn {
  using Layout = WarpLayout;
  using Tile = dma::Sequential<int, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 1>>;
  struct Shared {
    typename Pipe::Storage storage;
    int position;
  };

  void operator()(const dma::KernelCta<WritesInTurn>& cta, int* out, int rounds, Way way) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    dma::Turns<Layout> turns;
    if (way == Way::two_units) {
      const dma::Turns<Layout> others;
    }
    if (cta.thread() == 0) {
      shared.position = 0;
    }
    cta.sync();
    const auto write = [&](int group, int round) {
      if (cta.thread() % 32 == 0 && cta.warp() == first_warp(group)) {
        out[shared.position++] = group * 100 + round;
      }
    };
    if (pipe.is_compute()) {
      const auto compute = pipe.as_compute();
      const int group = compute.group();
      for (int round = 0; round < rounds; ++round) {
        if (way == Way::without) {
          write(group, round);
        } else if (way != Way::a_group_skips_one || group != 1 || round + 1 < rounds) {
          auto turn = turns.take();
          write(group, round);
          if (way == Way::by_hand) {
            turn.pass();
          }
        }
      }
    } else if (way == Way::a_dma_warp_takes_one) {
      const auto turn = turns.take();
    }
  }

  static int first_warp(int group) {
    int warp = 0;
    dma::unrolled<Layout::compute_groups>(
        [&](auto candidate) { warp = candidate == group ? Layout::compute_group_first_warp(candidate.value) : warp; });
    return warp;
  }
};

using Two = WritesInTurn<WarpLayout<Compute<1>, Compute<2>, Dma<1>>>;
using Three = WritesInTurn<WarpLayout<Compute<2>, Compute<1>, Compute<1>, Dma<1>>>;

template <class Kernel>
void check_order(int groups, int rounds, Way way) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::vector<int> out(static_cast<std::size_t>(groups * rounds), -1);
    dma::host::launch({.seed = seed}, Kernel{}, {1}, out.data(), rounds, way);
    for (int i = 0; i < groups * rounds; ++i) {
      REQUIRE(out[static_cast<std::size_t>(i)] == i % groups * 100 + i / groups);
    }
  }
}

dma::proof::Verdict prove_order(int rounds, Way way) {
  std::vector<int> out(static_cast<std::size_t>(2 * rounds) + 2);
  return dma::proof::prove({.outputs = {dma::proof::output(out)}}, Two{}, {1}, out.data(), rounds, way);
}

}  // namespace

TEST_CASE("compute groups take turns in their order", "[groups]") {
  for (const int rounds : {0, 1, 2, 5}) {
    check_order<Two>(2, rounds, Way::right);
    check_order<Two>(2, rounds, Way::by_hand);
    check_order<Three>(3, rounds, Way::right);
  }
}

TEST_CASE("turns are proved; a group that skips one, or that takes none, is found", "[groups]") {
  REQUIRE_THAT(prove_order(3, Way::right), dma::proof::IsProved());
  REQUIRE_THAT(prove_order(3, Way::a_group_skips_one), dma::proof::FailsBy(dma::proof::FindingKind::deadlock));
  REQUIRE_FALSE(prove_order(3, Way::without).is_proved());
}

TEST_CASE("a host reports turns of DMA warps, and two units at a time", "[groups]") {
  std::vector<int> out(8);
  const auto run = [&](Way way) { dma::host::launch(Two{}, {1}, out.data(), 2, way); };
  REQUIRE_THROWS_WITH(run(Way::a_dma_warp_takes_one),
                      Catch::Matchers::ContainsSubstring("take() is for compute warps"));
  REQUIRE_THROWS_WITH(run(Way::two_units), Catch::Matchers::ContainsSubstring("two dma::Turns at the same time"));
  REQUIRE_THROWS_WITH(run(Way::a_group_skips_one), Catch::Matchers::ContainsSubstring("wait for their turn"));
}
