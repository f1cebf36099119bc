#include "kernels/cluster.hpp"
#include "kernels/between_ctas.hpp"
#include "kernels/multicast.hpp"

#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("the CTAs of a cluster read and write each other's shared memory", "[cluster]") {
  using clusters::Exchange;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::vector<int> got(clusters::count);
    dma::host::launch({.seed = seed}, Exchange{}, {clusters::grid}, got.data());
    REQUIRE(clusters::count_wrong(got) == 0);
  }
}

struct Small {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    int values[32];
  };
};

#define REQUIRE_ERROR(call, says) \
  REQUIRE_THROWS_MATCHES(call, dma::host::KernelError, MessageMatches(ContainsSubstring(says)))

TEST_CASE("a grid that is not whole clusters is refused", "[cluster]") {
  REQUIRE_ERROR(dma::host::launch(clusters::Exchange{}, {3}, nullptr),
                "clusters of 4 CTAs along x, and the grid has 3");
}

/// What thread 0 of CTA 1 may leave out.
enum class Mistake { none, first_sync, last_sync, one_sync, rank, address };

template <Mistake Made>
struct Reach : Small {
  void operator()(dma::KernelCta<Reach>& cta) const {
    auto& shared = cta.template shared<typename Reach::Shared>();
    int elsewhere[32] = {};
    const bool is_second = cta.cluster_rank() == 1;
    shared.values[cta.thread()] = cta.thread();
    if (Made != Mistake::first_sync || !is_second) {
      cta.cluster_sync();
    }
    if (is_second) {
      const int* const peer =
          cta.peer(Made == Mistake::rank ? 2 : 0, Made == Mistake::address ? elsewhere : shared.values);
      if (peer[cta.lane()] != cta.lane()) {
        throw 1;
      }
    }
    if ((Made != Mistake::last_sync) && (Made != Mistake::one_sync || !is_second)) {
      cta.cluster_sync();
    }
  }
};

TEST_CASE("a thread reaches another CTA between two synchronizations of the cluster", "[cluster]") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const dma::host::LaunchOptions options{.seed = seed};
    CHECK_NOTHROW(dma::host::launch(options, Reach<Mistake::none>{}, {4}));
    REQUIRE_ERROR(dma::host::launch(options, Reach<Mistake::first_sync>{}, {4}), "peer() before cta.cluster_sync()");
    REQUIRE_ERROR(dma::host::launch(options, Reach<Mistake::last_sync>{}, {4}),
                  "ends after peer() without cta.cluster_sync()");
    REQUIRE_ERROR(dma::host::launch(options, Reach<Mistake::one_sync>{}, {4}),
                  "ends after peer() without cta.cluster_sync()");
    REQUIRE_ERROR(dma::host::launch(options, Reach<Mistake::rank>{}, {4}), "CTA 2 of a cluster of 2");
    REQUIRE_ERROR(dma::host::launch(options, Reach<Mistake::address>{}, {4}), "not in this CTA's shared memory");
  }
}

struct OneCtaOnly : Small {
  void operator()(dma::KernelCta<OneCtaOnly>& cta) const {
    if (cta.cluster_rank() == 1) {
      cta.cluster_sync();
    }
  }
};
struct OneWarpOnly {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  void operator()(dma::KernelCta<OneWarpOnly>& cta) const {
    if (cta.cluster_rank() != 1 || cta.warp() != 1) {
      cta.cluster_sync();
    } else {
      cta.sync();
    }
  }
};
struct OneLaneOnly : Small {
  void operator()(dma::KernelCta<OneLaneOnly>& cta) const {
    if (cta.lane() != 3) {
      cta.cluster_sync();
    }
  }
};

TEST_CASE("all threads of a cluster synchronize it", "[cluster]") {
  const std::string waits = "32 of them): threads wait for the cluster to synchronize";
  REQUIRE_ERROR(dma::host::launch(OneCtaOnly{}, {4}),
                "block (1, 0, 0), where no thread can continue:\n  threads 0 to 31 (" + waits);
  REQUIRE_ERROR(dma::host::launch(OneWarpOnly{}, {2}), "block (1, 0, 0), where no thread can continue:");
  REQUIRE_ERROR(dma::host::launch(OneLaneOnly{}, {2}), "cta.cluster_sync()");
}

struct Alone {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    int value;
  };
  void operator()(dma::KernelCta<Alone>& cta, int* sizes) const {
    cta.cluster_sync();
    int* const own = cta.peer(0, &cta.shared<Shared>().value);
    sizes[cta.block().x] = own == &cta.shared<Shared>().value ? cta.cluster_size() + cta.cluster_rank() : 0;
  }
};

TEST_CASE("a CTA without a cluster is its own", "[cluster]") {
  int sizes[3] = {};
  dma::host::launch(Alone{}, {3}, &sizes[0]);
  REQUIRE((sizes[0] == 1 && sizes[1] == 1 && sizes[2] == 1));
}

/// Numbers that are wrong, over several seeds.
template <class Kernel>
int wrong_numbers() {
  int wrong = 0;
  for (unsigned seed = 0; seed < 9; ++seed) {
    std::vector<int> got(Kernel::count);
    dma::host::launch({.seed = seed}, Kernel{}, {between_ctas::grid}, got.data());
    wrong += Kernel::count_wrong(got);
  }
  return wrong;
}

TEST_CASE("CTAs send words and arrays to barriers of other CTAs", "[cluster]") {
  CHECK(wrong_numbers<between_ctas::Sums<between_ctas::Ints<1>>>() == 0);
  CHECK(wrong_numbers<between_ctas::Sums<between_ctas::Ints<2>>>() == 0);
  CHECK(wrong_numbers<between_ctas::Sums<between_ctas::Ints<4>>>() == 0);
  CHECK(wrong_numbers<between_ctas::Relay>() == 0);
}

template <class Kernel>
int wrong_of_multicast(int tiles, int clusters) {
  const std::vector<float> in = multicast::input(tiles);
  const auto map = dma::host::tensor_map<typename Kernel::Tile>(in.data(), Kernel::tile_of(0, tiles));
  int wrong = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::vector<float> out(in.size() * Kernel::traits.cluster);
    dma::host::launch({.seed = seed}, Kernel{}, {clusters * Kernel::traits.cluster}, map, out.data(), tiles);
    wrong += multicast::count_wrong(in, out);
  }
  return wrong;
}

TEST_CASE("a tile that is loaded once arrives in each CTA of the cluster", "[cluster]") {
  using OneWarp = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using TwoWarps = dma::WarpLayout<dma::Compute<2>, dma::Dma<2>>;
  using TwoGroups = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
  for (const int tiles : {1, 2, 9}) {
    CHECK(wrong_of_multicast<multicast::Scale<OneWarp, 2, 2>>(tiles, 2) == 0);
    CHECK(wrong_of_multicast<multicast::Scale<OneWarp, 4, 1>>(tiles, 1) == 0);
    CHECK(wrong_of_multicast<multicast::Scale<TwoWarps, 2, 3>>(tiles, 1) == 0);
    CHECK(wrong_of_multicast<multicast::Scale<TwoGroups, 4, 4>>(tiles, 1) == 0);
  }
}

}  // namespace
