#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <numeric>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

template <int Warps>
struct ReverseThroughShared {
  using Layout = dma::WarpLayout<dma::Compute<Warps>>;
  struct Shared {
    int values[Layout::threads];
  };

  void operator()(dma::KernelCta<ReverseThroughShared>& cta, int* out) const {
    auto& shared = cta.template shared<Shared>();
    for (int round = 0; round < 3; ++round) {
      shared.values[cta.thread()] = cta.block().x * 10000 + cta.thread() + round;
      cta.sync();
      out[cta.block().x * Layout::threads + cta.thread()] = shared.values[Layout::threads - 1 - cta.thread()];
      cta.sync();
    }
  }
};

struct SumOfWarp {
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  void operator()(const dma::Cta& cta, int* sums, int* elected) const {
    int sum = cta.thread();
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += cta.shuffle(sum, cta.lane() - distance);
    }
    cta.sync_warp();
    if (cta.elect()) {
      sums[cta.warp()] = sum;
      ++elected[cta.warp()];
    }
  }
};

/// Lane `lane` of warp 1 says yes, and all lanes write down what they hear.
struct OneLaneSaysYes {
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  void operator()(const dma::Cta& cta, int lane, int* heard) const {
    heard[cta.thread()] = cta.any(cta.thread() == 32 + lane) ? 1 : 0;
  }
};

using Warps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;

/// What a compute warp can do wrong with its slots.
enum class Fault { none, forgets_release, leaves_early, one_tile_too_many, dma_stops_early, compute_stops_early };

template <class Pipe>
struct Faulty {
  using Layout = typename Pipe::Layout;
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Faulty>& cta, const float* in, int tiles, Fault fault) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int tile = 0; tile < tiles - (fault == Fault::dma_stops_early ? 1 : 0); ++tile) {
        dma.load(in);
      }
    } else {
      const auto compute = pipe.as_compute();
      if (fault == Fault::leaves_early && cta.warp() == 1) {
        return;
      }
      for (int tile = 0; tile < tiles + (fault == Fault::one_tile_too_many) - (fault == Fault::compute_stops_early);
           ++tile) {
        static_cast<void>(compute.wait_until_full());
        if (fault != Fault::forgets_release) {
          compute.signal_empty();
        }
      }
    }
  }
};

template <class Barrier>
std::string message_of(Fault fault) {
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Warps>, Barrier>;
  const std::vector<float> in(64);
  try {
    dma::host::launch(Faulty<Pipe>{}, {1}, in.data(), 6, fault);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

struct OpensAMisalignedPhaseBarrier {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    alignas(8) unsigned char bytes[24];
  };

  void operator()(const dma::KernelCta<OpensAMisalignedPhaseBarrier>& cta, int offset) const {
    if (cta.thread() == 0) {
      dma::machine::phase_init(cta.shared<Shared>().bytes + offset, 1);
      dma::machine::phase_invalidate(cta.shared<Shared>().bytes + offset);
    }
  }
};

struct ThrowsInOneThread {
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  void operator()(const dma::Cta& cta, int* unwound) const {
    struct Witness {
      int* count;
      ~Witness() { ++*count; }
    };
    const Witness witness{unwound};
    cta.sync();
    if (cta.thread() == 40) {
      throw std::out_of_range("thread 40");
    }
    cta.sync();
  }
};

struct CatchesWhileOthersRun {
  using Layout = dma::WarpLayout<dma::Compute<2>>;

  void operator()(const dma::Cta& cta, int* wrong) const {
    try {
      throw cta.thread();
    } catch (int& mine) {
      cta.sync();
      try {
        throw;
      } catch (int again) {
        *wrong += again == cta.thread() && mine == again ? 0 : 1;
      }
    }
  }
};

struct DisagreeingBarriers {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(const dma::Cta& cta) const { dma::machine::barrier_sync(1, cta.warp() == 0 ? 64 : 32, {}); }
};

struct LeavesBarrierArmed {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(const dma::Cta& cta) const {
    dma::machine::barrier_arrive(3, 64, {});
    if (cta.warp() == 0) {
      dma::machine::barrier_arrive(4, 64, {});
    }
  }
};

struct ShufflesInHalfAWarp {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(const dma::Cta& cta) const {
    if (cta.lane() < 16) {
      static_cast<void>(cta.shuffle(cta.lane(), 0));
    }
  }
};

/// What is not collective may be asked in any branch.
struct AsksItsPlaceInHalfAWarp {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(const dma::Cta& cta, int* sum) const {
    if (cta.lane() < 16) {
      *sum += cta.warp() * 1000 + cta.lane() + cta.block().x + cta.blocks().x;
    }
  }
};

struct OpensTwice {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<OpensTwice>& cta) const {
    Pipe first(cta, cta.shared<Shared>().storage);
    Pipe second(cta, cta.shared<Shared>().storage);
  }
};

}  // namespace

TEST_CASE("a phase barrier at an address that is not a multiple of 8 is refused", "[host]") {
  REQUIRE_NOTHROW(dma::host::launch(OpensAMisalignedPhaseBarrier{}, {1}, 0));
  REQUIRE_NOTHROW(dma::host::launch(OpensAMisalignedPhaseBarrier{}, {1}, 8));
  REQUIRE_THROWS_WITH(dma::host::launch(OpensAMisalignedPhaseBarrier{}, {1}, 4),
                      ContainsSubstring("not a multiple of 8"));
}

TEST_CASE("threads of a CTA synchronize, and see what the others wrote", "[host]") {
  constexpr int threads = 1024;
  std::vector<int> out(2 * threads);
  dma::host::launch(ReverseThroughShared<32>{}, {2}, out.data());
  for (int block = 0; block < 2; ++block) {
    for (int thread = 0; thread < threads; ++thread) {
      REQUIRE(out[static_cast<std::size_t>(block * threads + thread)] == block * 10000 + threads - 1 - thread + 2);
    }
  }
}

TEST_CASE("lanes shuffle within their warp, and one of them is elected", "[host]") {
  int sums[2] = {};
  int elected[2] = {};
  dma::host::launch(dma::host::LaunchOptions{.seed = 3}, SumOfWarp{}, {1}, &sums[0], &elected[0]);
  REQUIRE(sums[0] == 31 * 32 / 2);
  REQUIRE(sums[1] == 31 * 32 / 2 + 32 * 32);
  REQUIRE(elected[0] == 1);
  REQUIRE(elected[1] == 1);
}

TEST_CASE("a warp hears whether any of its lanes says yes", "[host]") {
  for (const int lane : {0, 5, 18, 31}) {
    std::array<int, 64> heard{};
    dma::host::launch(OneLaneSaysYes{}, {1}, lane, heard.data());
    for (std::size_t thread = 0; thread < heard.size(); ++thread) {
      REQUIRE(heard[thread] == (thread < 32 ? 0 : 1));
    }
  }
}

TEST_CASE("a warp operation that only some lanes reach is reported", "[host]") {
  REQUIRE_THROWS_WITH(dma::host::launch(ShufflesInHalfAWarp{}, {1}),
                      ContainsSubstring("lane 16 ended before lanes 0 to 15 came to shuffle()"));
  int sum = 0;
  dma::host::launch(AsksItsPlaceInHalfAWarp{}, {1}, &sum);
  REQUIRE(sum == 16 * 1000 + 2 * (15 * 16 / 2) + 32);
}

TEST_CASE("a correct kernel is not reported", "[host]") {
  REQUIRE(message_of<dma::NamedBarrier>(Fault::none).empty());
  REQUIRE(message_of<dma::CudaBarrier>(Fault::none).empty());
}

TEST_CASE("a forgotten release is reported, not hung", "[host]") {
  REQUIRE_THAT(message_of<dma::NamedBarrier>(Fault::forgets_release),
               ContainsSubstring("waits for a slot that it holds"));
  REQUIRE_THAT(message_of<dma::CudaBarrier>(Fault::forgets_release),
               ContainsSubstring("waits for a slot that it holds"));
}

TEST_CASE("a warp that leaves early is reported by those who wait for it", "[host]") {
  const std::string named = message_of<dma::NamedBarrier>(Fault::leaves_early);
  REQUIRE_THAT(named, ContainsSubstring("deadlock in block (0, 0, 0)"));
  REQUIRE_THAT(named, ContainsSubstring("compute warps wait for full, slot 0 of pipeline A (host_cta_test.cpp:"));
  REQUIRE_THAT(named, ContainsSubstring("\n  pipeline A: dma::DmaPipeline<dma::Sequential<float, 64"));
  REQUIRE_THAT(message_of<dma::CudaBarrier>(Fault::leaves_early),
               ContainsSubstring("DMA warps wait for empty, slot 0 of"));
}

TEST_CASE("unequal numbers of tiles are reported", "[host]") {
  for (const Fault fault : {Fault::one_tile_too_many, Fault::dma_stops_early}) {
    REQUIRE_THAT(message_of<dma::NamedBarrier>(fault), ContainsSubstring("compute warps wait for full"));
    REQUIRE_THAT(message_of<dma::CudaBarrier>(fault), ContainsSubstring("compute warps wait for full"));
  }
}

TEST_CASE("unused tiles are reported", "[host]") {
  REQUIRE_THAT(message_of<dma::NamedBarrier>(Fault::compute_stops_early),
               ContainsSubstring("DMA warps wait for empty"));
  REQUIRE_THAT(message_of<dma::CudaBarrier>(Fault::compute_stops_early),
               ContainsSubstring("block (0, 0, 0) ended with a tile that was not used: DMA warps filled slot"));
}

TEST_CASE("what one thread throws ends the launch and unwinds the others", "[host]") {
  int unwound = 0;
  REQUIRE_THROWS_AS(dma::host::launch(ThrowsInOneThread{}, {1}, &unwound), std::out_of_range);
  REQUIRE(unwound == 64);
}

TEST_CASE("a thread that waits inside a catch block keeps its exception", "[host]") {
  int wrong = 0;
  dma::host::launch(CatchesWhileOthersRun{}, {1}, &wrong);
  REQUIRE(wrong == 0);
}

TEST_CASE("barriers used against their rules are reported", "[host]") {
  REQUIRE_THROWS_WITH(dma::host::launch(DisagreeingBarriers{}, {1}),
                      ContainsSubstring("disagree on their number: 64 and 32"));
  REQUIRE_THROWS_WITH(dma::host::launch(LeavesBarrierArmed{}, {1}),
                      ContainsSubstring("pending arrivals at named barrier 4: 32 of 64"));
  REQUIRE_THROWS_WITH(dma::host::launch(OpensTwice{}, {1}), ContainsSubstring("opened again in place"));
}
