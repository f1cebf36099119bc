// As own_kernels.cu: kernels of tensor cores and of boxes.

#include "attention/backward_kernel.hpp"
#include "attention/kernel.hpp"
#include "decode/kernel.hpp"
#include "decode/plan_kernel.hpp"
#include "fft/dma_warp_pass.hpp"
#include "fft/pass.hpp"
#include "fft/plan.hpp"
#include "gemm/add_parts.hpp"
#include "gemm/cluster_kernel.hpp"
#include "gemm/kernel.hpp"
#include "gemm/split_kernel.hpp"
#include "stencil/march.hpp"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

namespace {

template <class Kernel, class... Args>
__device__ void run(const Args&... args) {
  dma::KernelCta<Kernel> cta;
  Kernel{}(cta, args...);
}

using Element = __nv_bfloat16;

// --- products -------------------------------------------------------------------------------------------------------

template <class Kernel>
__device__ void multiply(const typename Kernel::Maps& maps, const Element* a, const Element* b, Element* c, int m,
                         int n, int k, int ctas, int whole, dma::Vector<float>* sums = nullptr,
                         dma::ArrivalCounter* arrivals = nullptr) {
  constexpr gemm::TileShape shape = Kernel::shape;
  const gemm::Problem<Element> p{m, n, k, a, k, b, k, c, n};
  gemm::Plan plan{};
  plan.shape = shape;
  plan.down = m / (shape.rows * shape.down);
  plan.across = n / (shape.columns * shape.across);
  plan.band = 1;
  plan.ctas = ctas;
  plan.divided = {plan.tiles() - whole, k / gemm::block, ctas};
  run<Kernel>(maps, p, plan, gemm::Workspace{sums, arrivals});
}
using Gemm = gemm::Gemm<Element, gemm::TileShape{64, 64}, 3>;
using ClusterGemm = gemm::ClusterGemm<Element, gemm::TileShape{.rows = 128, .columns = 64, .down = 2}, 2>;
using SplitGemm = gemm::SplitGemm<Element, gemm::TileShape{.rows = 128, .columns = 128, .deep = 2}, 2>;

// --- attention ------------------------------------------------------------------------------------------------------

/// Heads of 64 elements, one batch.
template <class T>
__device__ attention::Heads<T> heads_at(T* first, int rows) {
  return {first, 0, 64LL * rows, 64};
}
__device__ attention::Problem<Element> attention_of(const Element* q, const Element* k, const Element* v, Element* o,
                                                    float* log_sums, int heads, int queries, int keys) {
  return {1,
          heads,
          heads,
          queries,
          keys,
          64,
          heads_at(q, queries),
          heads_at(k, keys),
          heads_at(v, keys),
          heads_at(o, queries),
          log_sums};
}
using Forward = attention::Attention<Element, 64, 64>;
using Backward = attention::AttentionBackward<Element, 64>;

// --- decoding -------------------------------------------------------------------------------------------------------

using Decode =
    decode::Decode<Element, decode::Form{.head_size = 64, .columns = 8, .box_rows = 64, .block = 64, .slots = 3}>;

// --- transforms and stencils ----------------------------------------------------------------------------------------

/// Of columns that follow one another in an array of `columns` columns side by side.
template <class Kernel, class... More>
__device__ void transform(const fft::Complex* from, fft::Complex* to, int points, int columns, int log_blocks,
                          const More&... more) {
  fft::PassProblem problem{};
  problem.from = from;
  problem.to = to;
  problem.in = {static_cast<long long>(points) * columns, 0, columns};
  problem.out = problem.in;
  problem.log_blocks = log_blocks;
  problem.columns_in_all = columns;
  problem.batches = 1;
  problem.log_twiddles = 12;
  problem.sign_in = 1;
  problem.sign_out = 1;
  if constexpr (sizeof...(More) == 2) {
    const auto call = [&](const auto& map, int tiles) { run<Kernel>(map, problem, tiles); };
    call(more...);
  } else {
    run<Kernel>(problem, more...);
  }
}
inline constexpr fft::PassShape ahead_shape = fft::loaded_ahead({256, 4, 1});
using AheadPass = fft::AheadPass<ahead_shape>;

inline constexpr stencil::MarchShape march_shape{.cols = 64, .rows_a_thread = 1, .stages = 3, .slack = 2};
using March = stencil::March<float, 1, march_shape, stencil::StoreSum<float>>;

}  // namespace

extern "C" {

__global__ void gemm_tiles(const __grid_constant__ Gemm::Maps maps, const Element* a, const Element* b, Element* c,
                           int m, int n, int k) {
  multiply<Gemm>(maps, a, b, c, m, n, k, static_cast<int>(gridDim.x), m / 64 * (n / 64));
}
__global__ void gemm_divided(const __grid_constant__ Gemm::Maps maps, const Element* a, const Element* b, Element* c,
                             int m, int n, int k, dma::Vector<float>* sums, dma::ArrivalCounter* arrivals) {
  multiply<Gemm>(maps, a, b, c, m, n, k, static_cast<int>(gridDim.x), 0, sums, arrivals);
}
__global__ void gemm_clusters(const __grid_constant__ ClusterGemm::Maps maps, const Element* a, const Element* b,
                              Element* c, int m, int n, int k) {
  multiply<ClusterGemm>(maps, a, b, c, m, n, k, static_cast<int>(gridDim.x) / 2, m / 256 * (n / 64));
}
__global__ void gemm_split(const __grid_constant__ SplitGemm::Maps maps, const Element* a, const Element* b, Element* c,
                           int m, int n, int k) {
  multiply<SplitGemm>(maps, a, b, c, m, n, k, static_cast<int>(gridDim.x) / 2, m / 128 * (n / 128));
}

__global__ void attention_forward(const __grid_constant__ Forward::Maps maps, const Element* q, const Element* k,
                                  const Element* v, Element* o, float* log_sums, int heads, int queries, int keys) {
  const attention::Plan plan{1, heads, queries, keys, false, 128, 64, 1, static_cast<int>(gridDim.x)};
  run<Forward>(maps, attention_of(q, k, v, o, log_sums, heads, queries, keys), plan);
}
__global__ void attention_backward(const __grid_constant__ Backward::Maps maps, const Element* q, const Element* k,
                                   const Element* v, Element* o, float* log_sums, const Element* d_o, Element* d_q,
                                   Element* d_k, Element* d_v, float* work, int heads, int queries, int keys) {
  const attention::BackwardProblem<Element> p{attention_of(q, k, v, o, log_sums, heads, queries, keys),
                                              heads_at(d_o, queries),
                                              heads_at(d_q, queries),
                                              heads_at(d_k, keys),
                                              heads_at(d_v, keys),
                                              work};
  run<Backward>(maps, p, attention::BackwardPlan{1, heads, heads, queries, keys, false, 128});
}

__global__ void decode_plan(const int* lengths, int batches, int* before, decode::Segment* list) {
  run<decode::MakePlan>(decode::Division{batches, 1, Decode::unit, 2, lengths, before}, before, list);
}
__global__ void decode_step(const __grid_constant__ Decode::Maps maps, const Element* q, const Element* k,
                            const Element* v, Element* o, const int* lengths, const decode::Segment* list,
                            Decode::Part* parts, dma::ArrivalCounter* counters, int batches, int keys) {
  decode::Problem<Element> p{
      {batches, 4, 1, 1, keys, 64, {q, 256, 64, 64}, heads_at(k, keys), heads_at(v, keys), {o, 256, 64, 64}, nullptr}};
  p.lengths = lengths;
  run<Decode>(maps, p, list, decode::Workspace<Decode::Part>{parts, counters});
}

__global__ void fft_pass(const fft::Complex* from, fft::Complex* to, int points, int columns, int log_blocks) {
  transform<fft::Pass<fft::PassShape{256, 4, 1}>>(from, to, points, columns, log_blocks);
}
__global__ void fft_ahead(const __grid_constant__ dma::TensorMap<AheadPass::Part> map, const fft::Complex* from,
                          fft::Complex* to, int points, int columns, int log_blocks) {
  transform<AheadPass>(from, to, points, columns, log_blocks, map, 1 << log_blocks);
}
__global__ void fft_dma_warps(const fft::Complex* from, fft::Complex* to, int points, int columns, int log_blocks) {
  constexpr fft::PassShape shape{256, 4, 1};
  transform<fft::DmaWarpPass<shape, fft::PaperPipe<shape, fft::PaperLoads{}, 2>>>(from, to, points, columns, log_blocks,
                                                                                  1 << log_blocks);
}

__global__ void stencil_march(const __grid_constant__ dma::TensorMap<March::Plane> map, const float* u, float* to,
                              int nx, int ny, int nz, dma::PaceCounter* pace) {
  const stencil::Partition work{nx / March::cols, ny / March::rows, 1, March::cols, March::rows, nz};
  run<March>(map, stencil::Field<const float>{u, nx, ny, nz, nx}, stencil::Star<float, 1>{{2.0F, 0.5F}}, work, pace,
             stencil::StoreSum<float>{to});
}
}
