// A host compiler takes the defaults of sm_90, and those of an older architecture where -D__CUDA_ARCH_LIST__ names one.

#include <dma/dma.hpp>

#include <type_traits>

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Buffering = dma::MultiBuffer<Warps, 2>;
using Run = dma::Sequential<float, 2048>;

static_assert(std::is_same_v<dma::DefaultEngine<Run, dma::CudaBarrier, Buffering>, dma::AsyncCopy<>>);

}  // namespace
