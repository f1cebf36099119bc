#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <vector>

namespace {

/// A warp that steps through tiles by the counter's rules, one action at a time, in whatever order it is called.
struct Walker {
  int tiles;
  int begun = 0;
  unsigned arrivals = 0;
  bool has_left = false;

  /// One tile, or nothing where it has to wait. True if something happened.
  bool act(unsigned long long& word, unsigned warps, int period) {
    if (begun == tiles) {
      const bool is_last = dma::PaceCounter::is_last(word, warps);
      word += dma::PaceCounter::departure(arrivals);
      word = is_last ? 0 : word;
      has_left = true;
      return true;
    }
    if (begun % period == 0) {
      if (!dma::PaceCounter::all_arrived(word, warps, arrivals)) {
        return false;
      }
      word += dma::PaceCounter::arrival;
      ++arrivals;
    }
    ++begun;
    return true;
  }
};

/// Lets warps act in random order, some far more often than others, and gives the largest distance between two that
/// are still on their way; -1 if all of them wait.
int largest_distance(int slack, int warps, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Walker> walkers;
  for (int i = 0; i < warps; ++i) {
    walkers.push_back({.tiles = static_cast<int>(random() % 40)});
  }
  unsigned long long word = 0;
  const int period = (slack + 1) / 2;
  int largest = 0;
  int idle = 0;
  while (std::ranges::any_of(walkers, [](const Walker& walker) { return !walker.has_left; })) {
    const unsigned favourite = random() % 8 == 0 ? static_cast<unsigned>(random() % walkers.size()) : seed;
    Walker& walker = walkers[favourite % walkers.size()];
    const bool acted = !walker.has_left && walker.act(word, static_cast<unsigned>(warps), period);
    idle = acted ? 0 : idle + 1;
    if (idle > 100000) {
      return -1;
    }
    int least = 1 << 30;
    int most = 0;
    for (const Walker& other : walkers) {
      if (!other.has_left) {
        least = std::min(least, other.begun);
        most = std::max(most, other.begun);
      }
    }
    largest = std::max(largest, most - least);
  }
  REQUIRE(word == 0);
  return largest;
}

template <class WarpLayout, int Groups>
struct Paced {
  using Layout = WarpLayout;
  using Tile = dma::Sequential<float, 256>;  // for two warps
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.count = Groups}>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  static constexpr dma::KernelTraits traits{.cooperative = true};

  void operator()(dma::KernelCta<Paced>& cta, const float* in, dma::PaceCounter* counter, unsigned* most) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    dma::Pace<3> pace(cta, pipe, counter);
    pipe.for_each_tile(
        {.last = 10 + cta.block().x},
        [&](const auto& dma, int) {
          pace.step();
          *most = std::max(*most, static_cast<unsigned>(counter->word));
          dma.load(in);
        },
        [&](const auto& compute, int) { static_cast<void>(compute.wait()); });
  }
};

/// The arrivals at most, and what is left in the counter.
template <class Layout, int Groups>
void expect_arrivals(unsigned most_expected) {
  const std::vector<float> in(256);
  dma::PaceCounter counter{};
  for (int launches = 0; launches < 2; ++launches) {
    unsigned most = 0;
    dma::host::launch(Paced<Layout, Groups>{}, {3, 2}, in.data(), &counter, &most);
    REQUIRE(most == most_expected);
    REQUIRE(counter.word == 0);
  }
}

}  // namespace

TEST_CASE("paced warps stay within their slack, all arrive, and the counter clears itself", "[pace]") {
  for (int slack = 1; slack <= 9; ++slack) {
    for (const int warps : {1, 2, 3, 7, 20}) {
      for (unsigned seed = 0; seed < 20; ++seed) {
        CAPTURE(slack, warps, seed);
        const int distance = largest_distance(slack, warps, seed);
        REQUIRE(distance >= 0);
        REQUIRE(distance <= slack);
      }
    }
  }
}

TEST_CASE("on a host pace counts, does not wait and clears its counter", "[pace]") {
  using dma::Compute, dma::Dma, dma::WarpLayout;
  expect_arrivals<WarpLayout<Compute<2>, Dma<1>>, 1>(6);          // 12 tiles, one arrival every other tile
  expect_arrivals<WarpLayout<Compute<1>, Dma<2>>, 1>(12);         // two warps
  expect_arrivals<WarpLayout<Compute<1>, Dma<1>, Dma<1>>, 2>(6);  // two groups that take turns: 6 tiles each
  expect_arrivals<WarpLayout<Compute<2>>, 1>(12);                 // every warp moves
}
