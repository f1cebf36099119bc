#pragma once

/// A slot that goes back and forth between one DMA warp and the compute warps, by each kind of barrier, and nothing
/// moved: what the synchronization of a tile costs where it hides behind nothing.

#include "ptx.cuh"

namespace by_hand {

enum class Signal { named, mbarrier, transaction, bulk, syncthreads };

/// This thread arrives and announces `bytes`, and says that they have come.
__device__ __forceinline__ void arrive_with_transaction(uint64_t* barrier, int bytes) {
  arrive_expecting(barrier, bytes);
  asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

/// `IsChecked`: the DMA warp leaves the number of the round in the slot, and `*wrong` counts the threads that find
/// another one there. The bulk copy brings 16 bytes from the L2 instead.
template <Signal signal, int ComputeWarps, bool IsChecked>
__global__ __launch_bounds__(ComputeWarps * 32 + 32, 1) void round_trips(int rounds, const float* x,
                                                                         unsigned long long* wrong) {
  constexpr int threads = ComputeWarps * 32 + 32;
  constexpr int full_id = 1;
  constexpr int empty_id = 2;
  __shared__ uint64_t full;
  __shared__ uint64_t empty;
  __shared__ alignas(16) volatile int slot[4];
  const bool is_dma = uniform_warp() == ComputeWarps;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, ComputeWarps);
    fence_init();
  }
  __syncthreads();

  const auto arrive_full = [&] {
    if constexpr (signal == Signal::named) {
      named_arrive(full_id, threads);
    } else if constexpr (signal == Signal::mbarrier) {
      arrive_for_warp(&full);
    } else if constexpr (signal == Signal::transaction) {
      __syncwarp();
      if (elect()) {
        arrive_with_transaction(&full, 16);
      }
    } else if constexpr (signal == Signal::bulk) {
      if (elect()) {
        arrive_expecting(&full, 16);
        copy_bulk(const_cast<int*>(slot), x, 16, &full);
      }
    } else {
      __syncthreads();
    }
  };

  // Each role has a loop of its own: a branch on the role in every round would be part of what is measured.
  if (is_dma) {
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      if constexpr (signal == Signal::syncthreads) {
        __syncthreads();
      } else if constexpr (signal == Signal::named) {
        named_sync(empty_id, threads);
      } else {
        wait(&empty, static_cast<uint32_t>(round) & 1);
      }
      if constexpr (IsChecked && signal != Signal::bulk) {
        slot[0] = round;
      }
      arrive_full();
    }
    return;
  }
  unsigned long long own_wrong = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    if constexpr (signal == Signal::syncthreads) {
      __syncthreads();
      __syncthreads();
    } else if constexpr (signal == Signal::named) {
      named_arrive(empty_id, threads);
      named_sync(full_id, threads);
    } else {
      if constexpr (signal == Signal::bulk) {
        fence_for_bulk_copy();
      }
      arrive_for_warp(&empty);
      wait(&full, static_cast<uint32_t>(round) & 1);
    }
    if constexpr (IsChecked) {
      own_wrong += slot[0] == (signal == Signal::bulk ? __float_as_int(x[0]) : round) ? 0 : 1;
    }
  }
  if (IsChecked && own_wrong != 0) {
    atomicAdd(wrong, own_wrong);
  }
}

}  // namespace by_hand
