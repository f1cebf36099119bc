// error: dma::start_trace: a pipeline's barrier records nothing; name it dma::Traced<dma::CudaBarrier>, or dma::Traced<dma::NamedBarrier>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Barrier = dma::NamedBarrier;
#else
using Barrier = dma::Traced<dma::NamedBarrier>;
#endif
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>, Barrier>;

void kernel(const dma::Cta& cta, const dma::TraceBuffer& buffer, dma::TraceState& trace, Pipe::Storage& storage) {
  Pipe pipe(cta, storage);
  dma::start_trace(cta, buffer, trace, storage);
}
