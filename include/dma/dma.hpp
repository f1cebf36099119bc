#pragma once

/// Declarative data movement for CUDA kernels: includes everything that a kernel needs.
///
/// `dma/host/launch.hpp` has the emulator, which runs a kernel body without a GPU.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/buffering/used_by.hpp>
#include <dma/config.hpp>
#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/global_values.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/engines/tensor/tensor_copy.hpp>
#include <dma/explain/explain.hpp>
#include <dma/kernel/atomic.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/kernel/last_cta.hpp>
#include <dma/kernel/pace.hpp>
#include <dma/kernel/phase_barrier.hpp>
#include <dma/kernel/tile_queue.hpp>
#include <dma/kernel/tile_range.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/patterns/concat.hpp>
#include <dma/patterns/csr.hpp>
#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/halo3d.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/paged.hpp>
#include <dma/patterns/repeat.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/tile3d.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/patterns/transpose.hpp>
#include <dma/patterns/update.hpp>
#include <dma/pipeline.hpp>
#include <dma/pipeline/async_reads.hpp>
#include <dma/pipeline/hand_off.hpp>
#include <dma/roles/take_roles.hpp>
#include <dma/roles/turns.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/cluster_barrier.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>
#include <dma/thresholds.hpp>
#include <dma/trace/trace.hpp>
#include <dma/vector.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <dma/launch/launch.hpp>
#include <dma/launch/make_tensor_map.hpp>
#include <dma/launch/occupancy.hpp>
#endif
