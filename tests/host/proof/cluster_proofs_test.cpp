// Proofs of clusters: races between CTAs, and CTAs that have not started or have ended.
#include "kernels/between_ctas.hpp"
#include "kernels/cluster.hpp"
#include "kernels/multicast.hpp"

#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
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
using Kind = dma::proof::FindingKind;

template <class Kernel, class... Args>
dma::proof::Verdict verdict_of(const Kernel& kernel, int ctas, Args... args) {
  return dma::proof::prove({.limits = {.states = 0}}, kernel, {ctas}, args...);
}

TEST_CASE("CTAs that read and write each other's shared memory are proved", "[cluster]") {
  std::vector<int> got(clusters::count);
  const dma::proof::Verdict verdict =
      dma::proof::prove({.outputs = {dma::proof::output(got)}}, clusters::Exchange{}, {clusters::grid}, got.data());
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
  past_end,         ///< of the shared memory of the first CTA, in the direction of the second
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
      } else if (Made == Fault::past_end) {
        out[lane] = shared.unwritten[32 + lane];
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
dma::proof::Verdict handed() {
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
  CHECK_THAT(race.message, ContainsSubstring("of the kernel's own shared memory of CTA 1 of the cluster"));
  CHECK(handed<Fault::both_write>().kind == Kind::race);
  CHECK(handed<Fault::same_global>().kind == Kind::race);
  CHECK(handed<Fault::own_sync>().kind == Kind::race);

  const auto unwritten = handed<Fault::reads_unwritten>();
  INFO(unwritten);
  CHECK(unwritten.kind == Kind::unwritten_bytes);
  CHECK_THAT(unwritten.message, ContainsSubstring("thread 0 of CTA 0 of the cluster reads byte 140 of the kernel's own "
                                                  "shared memory of CTA 1 of the cluster"));

  const auto past_end = handed<Fault::past_end>();
  INFO(past_end);
  CHECK(past_end.kind == Kind::out_of_bounds);
  CHECK_THAT(past_end.message,
             ContainsSubstring("reads bytes 256 to 259 of its CTA's shared memory, which has 256 bytes"));
}

TEST_CASE("a CTA that another one reaches into has started, and has not ended", "[cluster]") {
  CHECK_THAT(handed<Fault::no_sync_before>().message, ContainsSubstring("peer() before cta.cluster_sync()"));
  CHECK(handed<Fault::no_sync_after>().is_proved());  // The second one comes after the last access.
}

TEST_CASE("explore refuses clusters", "[cluster]") {
  std::vector<int> out(32);
  const auto verdict = dma::proof::explore(Handed<Fault::none>{}, {2}, out.data());
  CHECK(verdict.kind == Kind::cluster);
  CHECK_THAT(verdict.message, ContainsSubstring("clusters of 2 CTAs, and explore()"));
}

template <class Kernel>
dma::proof::Verdict exchanged() {
  std::vector<int> got(Kernel::count);
  return dma::proof::prove({.outputs = {dma::proof::output(got)}}, Kernel{}, {between_ctas::grid}, got.data());
}

TEST_CASE("exchanges over barriers of the cluster are proved", "[cluster]") {
  using dma::proof::IsProved;
  CHECK_THAT(exchanged<between_ctas::Sums<between_ctas::Ints<1>>>(), IsProved());
  CHECK_THAT(exchanged<between_ctas::Sums<between_ctas::Ints<4>>>(), IsProved());
  CHECK_THAT(exchanged<between_ctas::Relay>(), IsProved());
}

template <class Layout, int Cluster, int Stages>
dma::proof::Verdict multicast_of(int tiles) {
  using Kernel = multicast::Scale<Layout, Cluster, Stages>;
  const std::vector<float> in = multicast::input(tiles);
  std::vector<float> out(in.size() * Cluster);
  const auto map = dma::host::tensor_map<typename Kernel::Tile>(in.data(), Kernel::tile_of(0, tiles));
  return dma::proof::prove({.outputs = {dma::proof::output(out)}}, Kernel{}, {Cluster}, map, out.data(), tiles);
}

TEST_CASE("multicast loads are proved", "[cluster]") {
  using dma::proof::IsProved;
  using OneWarp = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using TwoWarps = dma::WarpLayout<dma::Compute<2>, dma::Dma<2>>;
  using TwoGroups = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
  CHECK_THAT((multicast_of<OneWarp, 2, 2>(11)), IsProved());
  CHECK_THAT((multicast_of<OneWarp, 4, 1>(7)), IsProved());
  CHECK_THAT((multicast_of<TwoWarps, 2, 2>(11)), IsProved());
  CHECK_THAT((multicast_of<TwoGroups, 2, 2>(11)), IsProved());
}

/// CTA 0 writes into CTA 1's shared memory, arrives at its barrier, and ends.
enum class Slip { none, scope_of_arrival, scope_of_wait, no_wait, no_arrival, ends_first, own_barrier };

template <Slip Made>
struct OneWay {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    dma::PhaseBarrier<>::State full;
    int words[32];
  };

  void operator()(dma::KernelCta<OneWay>& cta, int* out) const {
    namespace machine = dma::machine;
    auto& shared = cta.template shared<Shared>();
    constexpr auto of_arrival = Made == Slip::scope_of_arrival ? dma::Scope::cta : dma::Scope::cluster;
    const dma::PhaseBarrier<dma::Scope::cluster> full(cta, shared.full, 32);
    if (cta.cluster_rank() == 0) {
      cta.peer(1, shared.words)[cta.lane()] = cta.lane();
      if (Made != Slip::no_arrival) {
        machine::phase_arrive_at<of_arrival>(&shared.full, Made == Slip::own_barrier ? 0 : 1, machine::Site{});
      }
      if (Made == Slip::ends_first) {
        out[32 + cta.lane()] = cta.peer(1, shared.words)[cta.lane()];
      }
    } else if (Made == Slip::scope_of_wait) {
      machine::phase_wait(&shared.full, 0, machine::Site{});
      out[cta.lane()] = shared.words[31 - cta.lane()];
    } else if (Made != Slip::no_wait) {
      machine::phase_wait_in_cluster(&shared.full, 0, machine::Site{});
      out[cta.lane()] = shared.words[31 - cta.lane()];
    }
  }
};

template <Slip Made>
dma::proof::Verdict one_way() {
  std::vector<int> out(64);
  return verdict_of(OneWay<Made>{}, 2, out.data());
}

TEST_CASE("an order between CTAs is at cluster scope on both sides", "[cluster]") {
  CHECK_THAT(one_way<Slip::none>(), dma::proof::IsProved());
  const auto arrival = one_way<Slip::scope_of_arrival>();
  INFO(arrival);
  CHECK(arrival.kind == Kind::narrow_scope);
  CHECK_THAT(arrival.message,
             ContainsSubstring("of CTA 1 of the cluster waits for a barrier (cluster_proofs_test.cpp") &&
                 ContainsSubstring("; thread 0 of CTA 0 of the cluster arrives at a barrier"));
  CHECK(one_way<Slip::scope_of_wait>().kind == Kind::narrow_scope);
}

/// All warps of CTA 0 write into CTA 1's shared memory, and one lane arrives at its barrier for them.
template <bool syncs>
struct OneLaneTells {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    dma::PhaseBarrier<>::State full;
    int words[Layout::threads];
  };

  void operator()(dma::KernelCta<OneLaneTells>& cta, int* out) const {
    auto& shared = cta.template shared<Shared>();
    dma::PhaseBarrier<dma::Scope::cluster> full(cta, shared.full, 1);
    if (cta.cluster_rank() == 0) {
      cta.peer(1, shared.words)[cta.thread()] = 3 * cta.thread();
      if (syncs) {
        cta.sync();
      }
      if (cta.thread() == 0) {
        full.arrive_at(1);
      }
    } else {
      full.wait();
      out[cta.thread()] = shared.words[Layout::threads - 1 - cta.thread()];
    }
  }
};

TEST_CASE("one lane arrives for all threads of its CTA that have written into another", "[cluster]") {
  std::vector<int> out(64);
  CHECK_THAT(verdict_of(OneLaneTells<true>{}, 2, out.data()), dma::proof::IsProved());
  for (unsigned seed = 0; seed < 12; ++seed) {
    out.assign(64, -1);
    dma::host::launch({.seed = seed}, OneLaneTells<true>{}, {2}, out.data());
    for (int thread = 0; thread < 64; ++thread) {
      CHECK(out[static_cast<std::size_t>(thread)] == 3 * (63 - thread));
    }
  }
  const auto unsynced = verdict_of(OneLaneTells<false>{}, 2, out.data());
  INFO(unsynced);
  CHECK((unsynced.kind == Kind::race || unsynced.kind == Kind::ended_cta));
}

/// CTA 0 uses memory, arrives at CTA 1's barrier for what is in its own shared memory, and CTA 1 uses that memory.
enum class Used { own_shared, others_shared, global };

template <Used Memory, bool for_shared>
struct Handover {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    dma::PhaseBarrier<>::State full;
    int words[32];
  };

  void operator()(dma::KernelCta<Handover>& cta, int* out) const {
    namespace machine = dma::machine;
    auto& shared = cta.template shared<Shared>();
    const int owner = Memory == Used::others_shared ? 1 : 0;
    const dma::PhaseBarrier<dma::Scope::cluster> full(cta, shared.full, 32);
    int* const words = Memory == Used::global ? out : cta.peer(owner, shared.words);
    if (cta.cluster_rank() == 0) {
      words[cta.lane()] = cta.lane();
      if (for_shared) {
        machine::phase_arrive_for_shared_at(&shared.full, 1, machine::Site{});
      } else {
        machine::phase_arrive_at<dma::Scope::cluster>(&shared.full, 1, machine::Site{});
      }
    } else {
      machine::phase_wait_in_cluster(&shared.full, 0, machine::Site{});
      words[31 - cta.lane()] = -cta.lane();
    }
    cta.cluster_sync();
  }
};

template <Used Memory, bool for_shared>
dma::proof::Verdict handed_over() {
  std::vector<int> out(32);
  return verdict_of(Handover<Memory, for_shared>{}, 2, out.data());
}

TEST_CASE("an arrival for shared memory orders what is in that of its CTA alone", "[cluster]") {
  CHECK_THAT((handed_over<Used::own_shared, true>()), dma::proof::IsProved());
  CHECK((handed_over<Used::others_shared, true>().kind == Kind::race));
  CHECK((handed_over<Used::global, true>().kind == Kind::race));
  CHECK_THAT((handed_over<Used::others_shared, false>()), dma::proof::IsProved());
  CHECK_THAT((handed_over<Used::global, false>()), dma::proof::IsProved());
}

TEST_CASE("a CTA waits for what others do to its shared memory", "[cluster]") {
  const auto no_wait = one_way<Slip::no_wait>();
  INFO(no_wait);
  CHECK(no_wait.kind == Kind::ended_cta);
  CHECK_THAT(no_wait.message,
             ContainsSubstring("a CTA that may have ended: thread 0 of CTA 0 of the cluster arrives at"));
  CHECK(one_way<Slip::no_arrival>().kind == Kind::broken_contract);  // ends after peer()
  CHECK(one_way<Slip::ends_first>().kind == Kind::ended_cta);
  CHECK(one_way<Slip::own_barrier>().kind == Kind::deadlock);
}

/// CTA 0 sends bytes to a barrier that CTA 1 has not opened, in a kernel without any other.
struct SentToNone {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    alignas(16) int words[32];
    dma::PhaseBarrier<>::State full;
  };

  void operator()(dma::KernelCta<SentToNone>& cta, int*) const {
    auto& shared = cta.template shared<Shared>();
    cta.cluster_sync();
    if (cta.cluster_rank() == 0 && cta.lane() == 0) {
      shared.words[0] = 1;
      dma::machine::fence_async_proxy();
      dma::machine::copy_bulk_to_cta(&shared.words[16], &shared.words[0], 16, 1, &shared.full);
    }
    cta.cluster_sync();
  }
};

TEST_CASE("a copy to another CTA completes on a barrier that is open there", "[cluster]") {
  std::vector<int> out(1);
  const auto verdict = verdict_of(SentToNone{}, 2, out.data());
  INFO(verdict);
  CHECK(verdict.kind == Kind::broken_contract);
  CHECK_THAT(verdict.message, ContainsSubstring("use a phase barrier that is not open"));
}

}  // namespace

#endif
