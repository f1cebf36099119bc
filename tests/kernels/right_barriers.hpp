#pragma once

#include "kernels/right.hpp"

/// Barriers of a kernel's own that each warp opens for itself, and lanes that meet by a shuffle.
namespace right {

/// Nothing orders the warps where they open their barriers.
struct WarpsOpenBarriers {
  static constexpr const char* name = "each warp opens an mbarrier of its own, at the same time";
  static constexpr int ctas = 1;
  static constexpr int warps = 3;
  static constexpr int rounds = 3;
  static constexpr int in_count = warps * 32;
  static constexpr int out_count = in_count;
  using Layout = Warps<warps>;
  struct Shared {
    dma::CudaBarrier::State turns[warps];
    int words[warps][32];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<WarpsOpenBarriers>& cta, const int* in, int* out, Word*) const {
    namespace machine = dma::machine;
    auto& shared = cta.shared<Shared>();
    auto* const turn = &shared.turns[cta.warp()];
    auto& words = shared.words[cta.warp()];
    const int lane = cta.lane();
    if (lane == 0) {
      machine::phase_init(turn, 32);
    }
    cta.sync_warp();
    int value = in[cta.thread()];
    for (int round = 0; round < rounds; ++round) {
      words[lane] = value;
      machine::phase_arrive(turn, machine::Site{});
      machine::phase_wait(turn, static_cast<unsigned>(round & 1), machine::Site{});
      value = words[31 - lane] + lane;
      cta.sync_warp();
    }
    out[cta.thread()] = value;
  }
  static int expected(const int* in, int i) {
    int row[32];
    for (int lane = 0; lane < 32; ++lane) {
      row[lane] = in[i / 32 * 32 + lane];
    }
    for (int round = 0; round < 3; ++round) {
      int next[32];
      for (int lane = 0; lane < 32; ++lane) {
        next[lane] = row[31 - lane] + lane;
      }
      for (int lane = 0; lane < 32; ++lane) {
        row[lane] = next[lane];
      }
    }
    return row[i % 32];
  }
};

/// A word goes from one warp to another. All lanes wait, and one lane uses the word and arrives: the others' waits
/// precede its arrival by the shuffle between.
struct ShufflesBeforeArrival {
  static constexpr const char* name = "all lanes wait, meet by a shuffle, and one of them arrives";
  static constexpr int ctas = 1;
  static constexpr int rounds = 7;
  static constexpr int in_count = rounds;
  static constexpr int out_count = 32 * rounds;
  using Layout = Warps<2>;
  using Barrier = dma::PhaseBarrier<>;
  struct Shared {
    Barrier::State full, empty;
    int word;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ShufflesBeforeArrival>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.shared<Shared>();
    Barrier full(cta, shared.full, 1);
    Barrier empty(cta, shared.empty, 1);
    const int lane = cta.lane();
    for (int round = 0; round < rounds; ++round) {
      if (cta.warp() == 0) {
        if (round > 0) {
          empty.wait();
        }
        const int factor = cta.shuffle(lane + 2, 1);
        if (lane == 0) {
          shared.word = factor * in[round];
          full.arrive();
        }
      } else {
        full.wait();
        const int word = cta.shuffle(lane == 0 ? shared.word : 0, 0);
        if (lane == 0 && round + 1 < rounds) {
          empty.arrive();
        }
        out[round * 32 + lane] = word + lane;
      }
    }
  }
  static int expected(const int* in, int i) { return 3 * in[i / 32] + i % 32; }
};

using Barriers = List<WarpsOpenBarriers, ShufflesBeforeArrival>;

}  // namespace right
