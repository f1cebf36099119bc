#pragma once

#include <dma/dma.hpp>

/// One pipeline by each engine: the type is all that changes.
namespace engines {

using Tile = dma::Sequential<float, 1024>;
using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Stages = dma::MultiBuffer<Warps, 4>;

using Default = dma::DmaPipeline<Tile, Stages>;
using Bulk = dma::require_engine<dma::BulkCopy<>, Default>;
using Async = dma::DmaPipeline<Tile, Stages, dma::CudaBarrier, dma::AsyncCopy<>>;
using Named = dma::DmaPipeline<Tile, Stages, dma::NamedBarrier>;

constexpr dma::RegisterCopyTuning few_registers{.loads_in_flight = 4};
using Registers = dma::DmaPipeline<Tile, Stages, dma::CudaBarrier, dma::RegisterCopy<few_registers>>;

constexpr dma::RegisterCopyTuning two_tiles{.tiles_ahead = 2};
using Ahead = dma::DmaPipeline<Tile, Stages, dma::NamedBarrier, dma::RegisterCopy<two_tiles>>;

/// Bulk copies from 1 KB on, on slower memory.
struct LongCopies {
  constexpr dma::Thresholds operator()(dma::GpuClass gpu) const {
    return {.measured_on = "this machine", .longest_async_tile = gpu.bandwidth < 4000 ? 1024 : 8 * 1024};
  }
};
using Own = dma::DmaPipeline<Tile, dma::Tuned<LongCopies, dma::MultiBuffer<Warps>>>;

static_assert(dma::explain<Bulk>().bytes_in_flight == 4 * 4096);
static_assert(dma::explain<Async>().bytes_in_flight == 4 * 4096);
static_assert(dma::explain<Named>().bytes_in_flight == 4096);
static_assert(dma::explain<Registers>().bytes_in_flight == 4 * 32 * 16);
static_assert(dma::explain<Ahead>().bytes_in_flight == 2 * 4096);

}  // namespace engines
