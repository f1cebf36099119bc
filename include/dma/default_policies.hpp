#pragma once

#include <dma/engines/register_copy.hpp>
#include <dma/sync/cuda_barrier.hpp>

namespace dma {

/// What a pipeline takes when it is not told: the one place that chooses.
using DefaultBarrier = CudaBarrier;
using DefaultEngine = RegisterCopy<>;

}  // namespace dma
