// Products with operand A in registers, which the tensor cores go on reading, beside work that wants registers.

#include <dma/dma.hpp>
#include <dma/matrix/fragment.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/unrolled.hpp>

#include <cuda_bf16.h>

using dma::Major;
using Element = __nv_bfloat16;
template <int Columns>
using Tile = dma::Tile3D<Element, dma::TileShape{.cols = 64, .rows = 64, .planes = Columns / 64},
                         dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
using Square = dma::Tile2D<Element, 64, 64, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
using Operand = dma::MatrixFragment<Element>[4];

/// Four operands of values that are read from global memory.
__device__ __forceinline__ void read(Operand& operand, const float2* from) {
  dma::unrolled<16>([&](auto i) {
    const float2 value = from[i * 128 + threadIdx.x];
    operand[i / 4].set(2 * (i % 4), value.x * 1.5f, value.y);
  });
}

/// Two operands in turns: one is read while the other's product is in flight.
template <int Columns>
__device__ __forceinline__ void take_turns(const float2* in, float* out, int tiles) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const dma::AsyncReads reads;
  dma::MatrixSums<64, Columns> sums;
  Operand first;
  Operand second;
  for (int t = 0; t + 1 < tiles; t += 2) {
    const auto b = dma::matrix_descriptor<Major::mn, Tile<Columns>>(shared + t % 4 * 32768);
    read(first, in + t * 2048);
    dma::multiply_add(sums, first, b);
    reads.commit();
    reads.wait<1>();
    read(second, in + (t + 1) * 2048);
    dma::multiply_add(sums, second, b);
    reads.commit();
    reads.wait<1>();
  }
  reads.wait<0>(sums);
  sums.for_each([&](int row, int column, float sum) { out[row * Columns + column] = sum; });
}
__global__ __launch_bounds__(128) void turns_of_128(const float2* in, float* out, int tiles) {
  take_turns<128>(in, out, tiles);
}
__global__ __launch_bounds__(128) void turns_of_256(const float2* in, float* out, int tiles) {
  take_turns<256>(in, out, tiles);
}

/// One operand for two products; behind the first one's wait its sums want registers while the second one reads.
__global__ __launch_bounds__(128) void shared_operand(const float2* in, float* out, int tiles) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const dma::AsyncReads reads;
  dma::MatrixSums<64, 128> left;
  dma::MatrixSums<64, 128> right;
  for (int t = 0; t < tiles; ++t) {
    Operand operand;
    read(operand, in + t * 2048);
    dma::multiply_add(left, operand, dma::matrix_descriptor<Major::mn, Tile<128>>(shared));
    reads.commit();
    dma::multiply_add(right, operand, dma::matrix_descriptor<Major::mn, Tile<128>>(shared + 16384));
    reads.commit();
    reads.wait<1>(left);
    float sum = 0;
    left.for_each([&](int, int, float value) { sum += exp2f(value); });
    out[t * 128 + threadIdx.x] = sum;
    reads.wait<0>(right);
  }
  right.for_each([&](int row, int column, float sum) { out[row * 128 + column] = sum; });
}

/// Attention's order: the next scores are computed, and weighed, while the product with this tile's weights is in
/// flight.
__global__ __launch_bounds__(128) void weights(float* out, int tiles, float scale) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const dma::AsyncReads reads;
  const auto query = dma::matrix_descriptor<Major::k, Square>(shared);
  const auto key = [&](int t) { return dma::matrix_descriptor<Major::k, Square>(shared + 8192 + t % 4 * 16384); };
  dma::MatrixSums<64, 64> scores;
  dma::MatrixSums<64, 64> sums;
  dma::multiply_add(scores, query, key(0), false);
  reads.commit();
  reads.wait<0>(scores);
  for (int t = 0; t < tiles; ++t) {
    scores.for_each([&](int, int, float& score) { score = exp2f(score * scale); });
    Operand operand;
    dma::unrolled<4>([&](auto step) { operand[step] = dma::matrix_fragment<Element>(scores, step); });
    dma::multiply_add(scores, query, key(t + 1), false);
    reads.commit();
    dma::multiply_add(sums, operand, dma::matrix_descriptor<Major::mn, Square>(shared + 16384 + t % 4 * 16384));
    reads.commit();
    reads.wait<1>(scores);
    float most = 0;
    scores.for_each([&](int, int, float score) { most = fmaxf(most, score); });
    scores.for_each([&](int, int, float& score) { score -= most; });
    reads.wait<0>(sums);
    sums.for_each([&](int, int, float& sum) { sum *= most; });
  }
  sums.for_each([&](int row, int column, float sum) { out[row * 64 + column] = sum; });
}
