// Lanes that do the same at two places of one line are in two branches, as those at two lines are.
#include <dma/dma.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <string>

namespace {

using Catch::Matchers::ContainsSubstring;
using dma::proof::FindingKind;
using dma::proof::Verdict;

using Tile = dma::Sequential<float, 64>;

/// What half of the lanes do at another place of the same line.
enum class Twice {
  nothing,
  sync,
  cluster_sync,
  elect,
  compute_sync,
  release,
  scope_end,
  release_or_scope_end,
  release_or_scope_end_of_macro,
  signal,
  take_turn,
  pass_turn,
};

template <class Barrier>
struct AtTwoPlaces {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Compute<2>, dma::Dma<1>>;
  using Buffering = dma::MultiBuffer<Layout, 2>;
  using Pipe = dma::DmaPipeline<Tile, Buffering, Barrier, dma::RegisterCopy<>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<AtTwoPlaces>& cta, const float* in, float* out, Twice what) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const bool is_half = cta.lane() < 16;
    cta.sync_warp();
    // clang-format off
    if (what == Twice::sync) { if (is_half) { cta.sync(); } else { cta.sync(); } }
    if (what == Twice::cluster_sync) { if (is_half) { cta.cluster_sync(); } else { cta.cluster_sync(); } }
    if (what == Twice::elect) { out[0] = (is_half ? cta.elect() : cta.elect()) ? 1.0F : 0.0F; }
    // clang-format on
    if (pipe.is_dma()) {
      for (int t = 0; t < 3; ++t) {
        pipe.as_dma().load(in + t * Tile::count);
      }
    } else if (pipe.is_compute()) {
      for (int t = 0; t < 3; ++t) {
        use(cta, pipe.as_compute(), out, what, is_half);
      }
    }
  }

 private:
  template <class Compute>
  static void use(const dma::Cta& cta, const Compute& compute, float* out, Twice what, bool is_half) {
    // clang-format off
    if (what == Twice::scope_end) {
      if (is_half) { const auto slot = compute.wait(); out[cta.thread()] = slot[0]; } else { const auto slot = compute.wait(); out[cta.thread()] = slot[1]; }
      return;
    }
    if (what == Twice::signal) {
      static_cast<void>(compute.wait_until_full());
      cta.sync_warp();
      if (is_half) { compute.signal_empty(); } else { compute.signal_empty(); }
      return;
    }
    if (what == Twice::release_or_scope_end_of_macro) {
#define WAIT_AND_RELEASE_IF(condition) auto slot = compute.wait(); cta.sync_warp(); if (condition) { slot.release(); }
      WAIT_AND_RELEASE_IF(is_half)
#undef WAIT_AND_RELEASE_IF
      return;
    }
    auto slot = compute.wait();
    cta.sync_warp();
    if (what == Twice::compute_sync) { if (is_half) { compute.sync(); } else { compute.sync(); } }
    if (what == Twice::release) { if (is_half) { slot.release(); } else { slot.release(); } }
    if (what == Twice::release_or_scope_end && is_half) { slot.release(); }
    // clang-format on
  }
};

template <class Barrier>
Verdict at_two_places(Twice what) {
  alignas(16) static std::array<float, 3 * Tile::count> in{};
  static std::array<float, 1024> out{};
  return dma::proof::prove(AtTwoPlaces<Barrier>{}, {2}, in.data(), out.data(), what);
}

/// The same of what only compute groups do.
struct TurnsAtTwoPlaces {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Compute<2>>;

  void operator()(dma::KernelCta<TurnsAtTwoPlaces>& cta, Twice what) const {
    dma::Turns<Layout> turns;
    const bool is_half = cta.lane() < 16;
    cta.sync_warp();
    // clang-format off
    auto turn = what != Twice::take_turn ? turns.take() : is_half ? turns.take() : turns.take();
    if (what == Twice::pass_turn) { if (is_half) { turn.pass(); } else { turn.pass(); } }
    // clang-format on
  }
};

/// Groups of asynchronous reads, which a warpgroup commits and waits for together.
enum class Reads { in_one_place, commit, wait };
struct ReadsAtTwoPlaces {
  using Layout = dma::WarpLayout<dma::Compute<4>>;

  void operator()(dma::KernelCta<ReadsAtTwoPlaces>& cta, Reads what) const {
    const dma::AsyncReads reads;
    const bool is_half = cta.lane() < 16;
    // clang-format off
    if (what == Reads::commit && is_half) { reads.commit(); } else { reads.commit(); }
    if (what == Reads::wait && is_half) { reads.wait<0>(); } else { reads.wait<0>(); }
    // clang-format on
  }
};

/// Lanes may wait at two places. What they release at one place, and the slots of one wait, are released together.
struct WaitsAtTwoPlaces {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<WaitsAtTwoPlaces>& cta, const float* in, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      for (int t = 0; t < 6; ++t) {
        pipe.as_dma().load(in);
      }
      return;
    }
    const auto compute = pipe.as_compute();
    for (int t = 0; t < 3; ++t) {
      auto slot = cta.lane() < 16 ? compute.wait() : compute.wait();
      out[compute.rank()] = slot[compute.rank()];
      slot.release();
    }
    for (int t = 0; t < 3; ++t) {
      const auto slot = compute.wait();
      out[compute.rank()] += slot[compute.rank()];
    }
  }
};

void expect_parted(const Verdict& verdict, const char* what) {
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::unconverged_lanes);
  REQUIRE_THAT(verdict.message, ContainsSubstring(what));
}

}  // namespace

TEST_CASE("two calls on one line are two places", "[proof][places]") {
  for (const Twice what :
       {Twice::sync, Twice::cluster_sync, Twice::elect, Twice::compute_sync, Twice::release, Twice::scope_end,
        Twice::release_or_scope_end, Twice::release_or_scope_end_of_macro, Twice::signal}) {
    CAPTURE(static_cast<int>(what));
    expect_parted(at_two_places<dma::CudaBarrier>(what), "are not converged");
    expect_parted(at_two_places<dma::NamedBarrier>(what), "are not converged");
  }
  for (const Twice what : {Twice::take_turn, Twice::pass_turn}) {
    CAPTURE(static_cast<int>(what));
    expect_parted(dma::proof::prove(TurnsAtTwoPlaces{}, {1}, what), "named barrier");
  }
  expect_parted(dma::proof::prove(ReadsAtTwoPlaces{}, {1}, Reads::commit), "commit()");
  expect_parted(dma::proof::prove(ReadsAtTwoPlaces{}, {1}, Reads::wait), "wait<0>()");
}

TEST_CASE("one place is one instruction of all lanes", "[proof][places]") {
  alignas(16) static std::array<float, Tile::count> in{};
  static std::array<float, Tile::count> out{};
  const auto expect_none = [](const Verdict& verdict) {
    CAPTURE(verdict);
    REQUIRE(verdict.is_proved());
  };
  expect_none(at_two_places<dma::CudaBarrier>(Twice::nothing));
  expect_none(at_two_places<dma::NamedBarrier>(Twice::nothing));
  expect_none(dma::proof::prove(TurnsAtTwoPlaces{}, {1}, Twice::nothing));
  expect_none(dma::proof::prove(ReadsAtTwoPlaces{}, {1}, Reads::in_one_place));
  expect_none(dma::proof::prove(WaitsAtTwoPlaces{}, {1}, in.data(), out.data()));
}

TEST_CASE("a message about two places of one line names the columns", "[proof][places]") {
  const std::string message = at_two_places<dma::CudaBarrier>(Twice::sync).message;
  const std::size_t first = message.find("cta.sync() (places_test.cpp:");
  REQUIRE(first != std::string::npos);
  const std::size_t second = message.find("cta.sync() (places_test.cpp:", first + 1);
  REQUIRE(second != std::string::npos);
  const auto place = [&](std::size_t from) { return message.substr(from, message.find(')', from + 11) - from); };
  REQUIRE(place(first) != place(second));
}
