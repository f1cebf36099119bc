// Proofs of clusters: races between CTAs, and CTAs that have not started or have ended.
#include "kernels/cluster.hpp"

#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#if defined(DMA_EVERY_ACCESS)

namespace {

using Catch::Matchers::ContainsSubstring;
using Kind = dma::host::FindingKind;

template <class Kernel, class... Args>
dma::host::Verdict verdict_of(const Kernel& kernel, int ctas, Args... args) {
  return dma::host::prove({.limits = {.states = 0}}, kernel, {ctas}, args...);
}

TEST_CASE("CTAs that read and write each other's shared memory are proved", "[cluster]") {
  std::vector<int> got(clusters::count);
  const dma::host::Verdict verdict =
      dma::host::prove({.outputs = {dma::host::output(got)}}, clusters::Exchange{}, {clusters::grid}, got.data());
  INFO(verdict);
  REQUIRE(verdict.is_proved());
  REQUIRE(verdict.runs == 6 * clusters::grid / clusters::cluster);
}

/// CTA 0's words go to CTA 1, which adds to them what it has.
enum class Fault {
  none,
  no_second_sync,   ///< between a write and its use by another thread
  both_write,       ///< CTA 1 writes what CTA 0 writes there
  reads_unwritten,  ///< in the other CTA
  same_global,      ///< both CTAs write one word of global memory
  own_sync,         ///< CTA 1 synchronizes itself where the cluster does
  no_sync_before,
  no_sync_after,
};

template <Fault Made>
struct Handed {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    int words[32];
    int unwritten[32];
  };

  void operator()(dma::KernelCta<Handed>& cta, int* out) const {
    auto& shared = cta.template shared<Shared>();
    const bool is_first = cta.cluster_rank() == 0;
    const int lane = cta.lane();
    if (Made != Fault::no_sync_before) {
      cta.cluster_sync();
    }
    if (is_first) {
      cta.peer(1, shared.words)[lane] = lane;
      if (Made == Fault::reads_unwritten) {
        out[1] = cta.peer(1, shared.unwritten)[3];
      }
    } else if (Made == Fault::both_write) {
      shared.words[31 - lane] = lane;
    }
    if (Made == Fault::own_sync && !is_first) {
      cta.sync();
    } else if (Made != Fault::no_second_sync) {
      cta.cluster_sync();
    }
    if (!is_first) {
      out[lane] = shared.words[31 - lane];
    } else if (Made == Fault::same_global && lane == 3) {
      out[lane] = 0;
    }
    if (Made != Fault::no_sync_after && Made != Fault::own_sync) {
      cta.cluster_sync();
    }
  }
};

template <Fault Made>
dma::host::Verdict handed() {
  std::vector<int> out(32);
  return verdict_of(Handed<Made>{}, 2, out.data());
}

TEST_CASE("races between the CTAs of a cluster are found, with the CTA", "[cluster]") {
  CHECK(handed<Fault::none>().is_proved());

  const auto race = handed<Fault::no_second_sync>();
  INFO(race);
  CHECK(race.kind == Kind::race);
  CHECK_THAT(race.message,
             ContainsSubstring("of CTA 1 of the cluster") && ContainsSubstring("cluster_proofs_test.cpp"));
  CHECK_THAT(race.message, ContainsSubstring("bytes of shared memory from") && ContainsSubstring("of CTA 0 of the"));
  CHECK(handed<Fault::both_write>().kind == Kind::race);
  CHECK(handed<Fault::same_global>().kind == Kind::race);
  CHECK(handed<Fault::own_sync>().kind == Kind::race);

  const auto unwritten = handed<Fault::reads_unwritten>();
  INFO(unwritten);
  CHECK(unwritten.kind == Kind::unwritten_bytes);
  CHECK_THAT(unwritten.message, ContainsSubstring("thread 0 of CTA 0 of the cluster reads byte 140 of shared memory of "
                                                  "CTA 1 of the cluster"));
}

TEST_CASE("a CTA that another one reaches into has started, and has not ended", "[cluster]") {
  CHECK_THAT(handed<Fault::no_sync_before>().message, ContainsSubstring("peer() before cta.cluster_sync()"));
  CHECK(handed<Fault::no_sync_after>().is_proved());  // The second one comes after the last access.
}

TEST_CASE("explore refuses clusters", "[cluster]") {
  std::vector<int> out(32);
  const auto verdict = dma::host::explore(Handed<Fault::none>{}, {2}, out.data());
  CHECK(verdict.kind == Kind::cluster);
  CHECK_THAT(verdict.message, ContainsSubstring("clusters of 2 CTAs, and explore()"));
}

}  // namespace

#endif
