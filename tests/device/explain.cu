// What a pipeline's explanation says is a constant where kernels are compiled, too: nothing here runs.

#include <dma/dma.hpp>

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
template <class Pattern, class Barrier = dma::CudaBarrier, class Engine = dma::RegisterCopy<>>
using Pipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 4>, Barrier, Engine>;

using Rows = dma::Strided<float, 32, 16>;
using Both = dma::Concat<Rows, dma::Tile2D<float, 32, 1>>;
using Ring = dma::Halo2D<float, dma::HaloShape{.cols = 16, .rows = 8, .radius = 1, .corners = dma::Corners::excluded}>;
using Long = dma::Sequential<float, 1024>;

static_assert(dma::explain<Pipe<Rows>>(Rows{4096}).is_fast());
static_assert(dma::explain<Pipe<Both>>().steps == 4 + 1);
static_assert(!dma::explain<Pipe<Ring>>(Ring{4096, 64, 1024, 8, 16}).is_coalesced());
static_assert(dma::explain<Pipe<Long, dma::CudaBarrier, dma::AsyncCopy<>>>().bytes_in_flight == 4 * 4096);
static_assert(dma::explain<Pipe<Long, dma::CudaBarrier, dma::BulkCopy<>>>().bytes_in_flight == 4 * 4096);
static_assert(dma::explain<Pipe<dma::Store<Long>, dma::CudaBarrier, dma::BulkCopy<>>>().bytes_in_flight == 3 * 4096);
static_assert(dma::explain<Pipe<dma::Store<Long>, dma::NamedBarrier, dma::BulkCopy<>>>().bytes_in_flight == 4096);

}  // namespace
