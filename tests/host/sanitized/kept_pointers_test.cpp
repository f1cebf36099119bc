#include <dma/dma.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <sanitizer/asan_interface.h>

#include <array>

namespace {

using Tile = dma::Sequential<float, 64>;
constexpr int tiles = 7;

/// Whether the address sanitizer would report the thread that runs for touching an address.
int is_hidden(const void* address) { return __asan_address_is_poisoned(address); }

/// What the threads of a CTA saw.
struct Seen {
  int hidden_while_held = 0;
  int hidden_after = 0;
  int asked_after = 0;

  void held(const float* tile) { hidden_while_held += is_hidden(tile) + is_hidden(tile + Tile::count - 1); }
  void after(const float* tile) {
    hidden_after += is_hidden(tile) + is_hidden(tile + Tile::count - 1);
    asked_after += 2;
  }
};
void expect_hidden_after_release_alone(const Seen& seen) {
  REQUIRE(seen.hidden_while_held == 0);
  REQUIRE(seen.asked_after > 0);
  REQUIRE(seen.hidden_after == seen.asked_after);
}

template <class Pipe_>
struct KeepsPointers {
  using Pipe = Pipe_;
  using Layout = typename Pipe::Layout;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<KeepsPointers>& cta, float* global, Seen* seen) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto move = [&](const auto& dma, int index) {
      if constexpr (Pipe::is_store) {
        dma.store(global + index * Tile::count);
      } else {
        dma.load(global + index * Tile::count);
      }
    };
    pipe.for_each_tile({.last = tiles}, move, [&](const auto& compute, int) {
      auto tile = compute.wait();
      float* const kept = tile.data();
      seen->held(kept);
      // Other threads run, and release their slots.
      cta.sync_warp();
      seen->held(kept);
      tile.release();
      seen->after(kept);
      cta.sync_warp();
      seen->after(kept);
    });
  }
};

using Warps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using NoDmaWarps = dma::WarpLayout<dma::Compute<2>>;
template <class Barrier, class Engine>
using Loads = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, Barrier, Engine>;
template <class Barrier, class Engine>
using Stores = dma::DmaPipeline<dma::Store<Tile>, dma::ManualDoubleBuffer<Warps>, Barrier, Engine>;
template <class Pattern, class Engine>
using WithoutDmaWarps = dma::DmaPipeline<Pattern, dma::MultiBuffer<NoDmaWarps, 2>, dma::CudaBarrier, Engine>;

}  // namespace

TEMPLATE_TEST_CASE("a kept pointer is reported from the release of its slot to the next wait for it", "[sanitized]",
                   (Loads<dma::CudaBarrier, dma::RegisterCopy<>>), (Loads<dma::NamedBarrier, dma::RegisterCopy<>>),
                   (Loads<dma::NamedBarrier, dma::AsyncCopy<>>), (Loads<dma::CudaBarrier, dma::BulkCopy<>>),
                   (Stores<dma::CudaBarrier, dma::RegisterCopy<>>), (Stores<dma::CudaBarrier, dma::BulkCopy<>>),
                   (WithoutDmaWarps<Tile, dma::AsyncCopy<>>), (WithoutDmaWarps<Tile, dma::RegisterCopy<>>),
                   (WithoutDmaWarps<dma::Store<Tile>, dma::BulkCopy<>>)) {
  alignas(16) std::array<float, tiles * Tile::count> global{};
  for (unsigned seed = 0; seed < 4; ++seed) {
    Seen seen;
    dma::host::launch({.seed = seed}, KeepsPointers<TestType>{}, {1}, global.data(), &seen);
    expect_hidden_after_release_alone(seen);
  }
  Seen seen;
  REQUIRE(dma::proof::prove(KeepsPointers<TestType>{}, {1}, global.data(), &seen).is_proved());
  expect_hidden_after_release_alone(seen);
}

namespace {

struct KeepsPointersOfExplicitCalls {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<KeepsPointersOfExplicitCalls>& cta, const float* global, Seen* seen) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.wait_until_empty();
        dma.copy(global + t * Tile::count);
        dma.signal_full();
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        const float* const kept = compute.wait_until_full();
        seen->held(kept);
        compute.signal_empty();
        seen->after(kept);
      }
    }
  }
};

/// Uses the storage of a pipeline that is closed, and of one that is gone.
struct UsesTheStorageLater {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<UsesTheStorageLater>& cta, const float* global, Seen* seen) const {
    auto& storage = cta.shared<Shared>().storage;
    const auto* const elements = reinterpret_cast<const float*>(storage.tiles[0]);
    for (const bool closes : {true, false}) {
      {
        Pipe pipe(cta, storage);
        if (pipe.is_dma()) {
          pipe.as_dma().load(global);
        } else {
          pipe.as_compute().wait().release();
          seen->after(elements);
        }
        if (closes) {
          pipe.close();
          seen->held(elements);
        }
      }
      seen->held(elements);
      cta.sync();
    }
  }
};

}  // namespace

TEST_CASE("a pointer that the explicit calls gave is reported from the signal on", "[sanitized]") {
  alignas(16) std::array<float, tiles * Tile::count> global{};
  Seen seen;
  dma::host::launch(KeepsPointersOfExplicitCalls{}, {1}, global.data(), &seen);
  expect_hidden_after_release_alone(seen);
}

TEST_CASE("storage may be used again when its pipeline is closed, or gone", "[sanitized]") {
  alignas(16) std::array<float, Tile::count> global{};
  Seen seen;
  dma::host::launch(UsesTheStorageLater{}, {1}, global.data(), &seen);
  expect_hidden_after_release_alone(seen);
}
