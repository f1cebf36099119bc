// CTAs of a cluster, by twos. Of each, warp 0 computes and lane 0 of warp 1 loads.
#include "ptx.cuh"

namespace {

using namespace bugs;

constexpr std::uint16_t both = 3;

struct Slot {
  alignas(128) float tile[32];
  Barrier full;
  Barrier empty;
};
__device__ void open(Slot& slot, int releases) {
  if (threadIdx.x == 0) {
    init(slot.full, 1);
    init(slot.empty, releases);
    fence_init();
  }
  sync_cluster();
}
/// Each CTA loads one half of a tile into both.
__device__ void load_half(Slot& slot, const float* from) {
  const int first = 16 * cluster_rank();
  arrive_expecting(slot.full, sizeof slot.tile);
  load_multicast(slot.tile + first, from + first, sizeof slot.tile / 2, slot.full, both);
}
__device__ void release_to_both(Slot& slot) {
  fence_async();
  for (int rank = 0; rank < 2; ++rank) {
    arrive_peer(peer_address(&slot.empty, rank));
  }
}

/// humming #53: results go through the slot, too. The leader loads the next tile into both CTAs when its own results
/// are out, and those of the other CTA may not be.
template <bool is_broken>
__device__ void humming_53(const float* x, float* y, int tiles) {
  __shared__ Slot slot;
  __shared__ Barrier out;
  if (threadIdx.x == 0) init(out, is_broken ? 32 : 64);
  open(slot, 64);
  const int rank = cluster_rank();
  if (threadIdx.x == 32) {
    for (int t = 0; t < tiles; ++t) {
      if (rank == 0) {
        wait_cluster(slot.empty, (t + 1) & 1);
        wait_cluster(out, (t + 1) & 1);
      }
      arrive_expecting(slot.full, sizeof slot.tile);
      if (rank == 0) load_multicast(slot.tile, x + 32 * t, sizeof slot.tile, slot.full, both);
      wait(slot.full, t & 1);
    }
  } else if (threadIdx.x < 32) {
    for (int t = 0; t < tiles; ++t) {
      wait(slot.full, t & 1);
      const float result = 2 * slot.tile[threadIdx.x];
      arrive_peer(peer_address(&slot.empty, 0));
      __syncwarp();
      slot.tile[threadIdx.x] = result;
      __syncwarp();
      y[32 * (2 * t + rank) + threadIdx.x] = slot.tile[31 - threadIdx.x];
      fence_async();
      if (!is_broken || rank == 0) arrive_peer(peer_address(&out, 0));
    }
  }
  __syncwarp();
  sync_cluster();
}

/// DeepGEMM #415: of a cluster, one CTA has the last tile of a group, and the other the first of the next one. It
/// counts from the beginning of its own group, and waits for a load that the leader does not share.
template <bool is_broken>
__device__ void deep_gemm_415(const float* x, float* y, int first, int group) {
  __shared__ Slot slot;
  open(slot, 32);
  const int rank = cluster_rank();
  const int tile = first + rank;
  const int of_group = tile % group;
  const bool is_shared = is_broken ? (of_group % 2 != 0 || of_group + 1 < group) : first / group == (first + 1) / group;
  if (threadIdx.x == 32) {
    arrive_expecting(slot.full, sizeof slot.tile);
    if (!is_shared) {
      load_bulk(slot.tile, x + 32 * tile, sizeof slot.tile, slot.full);
    } else if (rank == 0) {
      load_multicast(slot.tile, x + 32 * tile, sizeof slot.tile, slot.full, both);
    }
  } else if (threadIdx.x < 32) {
    wait(slot.full, 0);
    y[32 * rank + threadIdx.x] = slot.tile[31 - threadIdx.x];
  }
  __syncwarp();
  sync_cluster();
}

/// DeepGEMM #429: each of two CTAs loads a half of a tile for both, and one has a tile more.
template <bool is_broken>
__device__ void deep_gemm_429(const float* x, float* y, int tiles) {
  __shared__ Slot slot;
  open(slot, is_broken ? 64 : 32);
  const int rank = cluster_rank();
  const int mine = tiles + rank;
  for (int t = 0; threadIdx.x == 32 && t < mine; ++t) {
    wait_cluster(slot.empty, (t + 1) & 1);
    if (is_broken) {
      load_half(slot, x + 32 * t);
    } else {
      arrive_expecting(slot.full, sizeof slot.tile);
      load_bulk(slot.tile, x + 32 * t, sizeof slot.tile, slot.full);
    }
  }
  for (int t = 0; threadIdx.x < 32 && t < mine; ++t) {
    wait(slot.full, t & 1);
    y[32 * (2 * t + rank) + threadIdx.x] = slot.tile[31 - threadIdx.x];
    if (is_broken) {
      release_to_both(slot);
    } else {
      fence_async();
      arrive(slot.empty);
    }
  }
  __syncwarp();
  sync_cluster();
}

/// cutlass #3324: the leader reads what cp.async has written in the other CTA, behind an arrival at the scope of a CTA.
template <bool is_broken>
__device__ void cutlass_3324(const float* x, float* y) {
  __shared__ Slot slot;
  open(slot, 32);
  if (cluster_rank() != 0) {
    copy_async(slot.tile + threadIdx.x, x + threadIdx.x);
    wait_async_copies();
    __syncwarp();
    if (threadIdx.x == 0) {
      const Word leader = peer_address(&slot.full, 0);
      is_broken ? arrive_peer_in_cta(leader) : arrive_peer(leader);
    }
  } else {
    is_broken ? wait(slot.full, 0) : wait_cluster(slot.full, 0);
    y[threadIdx.x] = load_peer(peer_address(slot.tile + 31 - threadIdx.x, 1));
  }
  __syncwarp();
  sync_cluster();
}

/// quack #63: gathered rows complete a barrier of their CTA, and a warp that waits for it passes the signal to the
/// leader.
template <bool is_broken>
__device__ void quack_63(const float* x, const int* rows, float* y) {
  __shared__ Slot slot;
  __shared__ Barrier gathered;
  if (threadIdx.x == 0) init(gathered, 32);
  open(slot, 32);
  if (cluster_rank() == 0) {
    if (threadIdx.x < 32) {
      is_broken ? wait(slot.full, 0) : wait_cluster(slot.full, 0);
      y[threadIdx.x] = load_peer(peer_address(slot.tile + 31 - threadIdx.x, 1));
    }
  } else if (threadIdx.x >= 32) {
    const int i = threadIdx.x - 32;
    copy_async(slot.tile + i, x + rows[i]);
    arrive_when_copied(gathered);
  } else if (threadIdx.x == 0) {
    wait(gathered, 0);
    const Word leader = peer_address(&slot.full, 0);
    is_broken ? arrive_peer_in_cta(leader) : arrive_peer(leader);
  }
  __syncwarp();
  sync_cluster();
}

/// hopper-gemm #3: a CTA ends while the other one still releases its last slot to it.
template <bool is_broken>
__device__ void hopper_gemm_3(const float* x, float* y, int tiles) {
  __shared__ Slot slot;
  open(slot, 64);
  const int rank = cluster_rank();
  if (threadIdx.x == 32) {
    for (int t = 0; t < tiles; ++t) {
      wait_cluster(slot.empty, (t + 1) & 1);
      load_half(slot, x + 32 * t);
    }
    if (!is_broken) wait_cluster(slot.empty, (tiles + 1) & 1);
  }
  for (int t = 0; threadIdx.x < 32 && t < tiles; ++t) {
    wait(slot.full, t & 1);
    y[32 * (2 * t + rank) + threadIdx.x] = slot.tile[31 - threadIdx.x];
    release_to_both(slot);
  }
}

/// TLX #2292: a CTA stores into the other one, which may not have begun.
template <bool is_broken>
__device__ void tlx_2292(const float* x, float* y) {
  __shared__ float received[32];
  received[threadIdx.x] = -1;
  if (!is_broken) sync_cluster();
  const int rank = cluster_rank();
  store_peer(peer_address(received + threadIdx.x, 1 - rank), x[32 * rank + threadIdx.x]);
  sync_cluster();
  y[32 * rank + threadIdx.x] = received[31 - threadIdx.x];
}

/// sglang #38829: a CTA ends while the other one still reads its sum.
template <bool is_broken>
__device__ void sglang_38829(const float* x, float* y) {
  __shared__ float sums[32];
  const int rank = cluster_rank();
  sums[threadIdx.x] = 2 * x[32 * rank + threadIdx.x];
  sync_cluster();
  if (rank == 0) y[threadIdx.x] = sums[threadIdx.x] + load_peer(peer_address(sums + threadIdx.x, 1));
  if (!is_broken) sync_cluster();
}

}  // namespace

DMA_BUGS_BOTH_FORMS(humming_53, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(deep_gemm_415, (const float* x, float* y, int first, int group), (x, y, first, group))
DMA_BUGS_BOTH_FORMS(deep_gemm_429, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(cutlass_3324, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(quack_63, (const float* x, const int* rows, float* y), (x, rows, y))
DMA_BUGS_BOTH_FORMS(hopper_gemm_3, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(tlx_2292, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(sglang_38829, (const float* x, float* y), (x, y))
