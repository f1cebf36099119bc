#pragma once

#include <dma/dma.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>

// clang-format off

/// What is wrong with a product that tensor cores make.
enum class Mistake { none, no_commit, no_wait, early_sums };

/// The product of 64 rows of A with 8 columns of B, block by block of k: right, or with a mistake.
template <Mistake mistake>
struct Product {
  using Element = __nv_bfloat16;
  static constexpr int block = 64;
  static constexpr dma::RowLayout swizzled{.swizzle = dma::Swizzle::bytes_128};
  using TileOfA = dma::Tile2D<Element, block, 64, swizzled>;
  using TileOfB = dma::Tile2D<Element, block, 8, swizzled>;
  using Stage = dma::Concat<TileOfA, TileOfB>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Stage, dma::MultiBuffer<Layout, 3>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared { typename Pipe::Storage storage; };

  /// The blocks of k from element `k` on.
  DMA_HOST_DEVICE static constexpr Stage stage(int blocks, int k) {
    return Stage{TileOfA{block * blocks * 2, 64, block * blocks, 0, k}, TileOfB{block * blocks * 2, 8, block * blocks, 0, k}};
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Product>& cta, const dma::TensorMap<Stage>& map, float* c, int blocks) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int at = 0; at < blocks; ++at) dma.load(map, stage(blocks, block * at));
    } else {
      auto in = pipe.as_compute();
      const dma::AsyncReads reads;
      dma::MatrixSums<64, 8> sums;
      const auto multiply = [&](const auto& slot, bool adds) {
        dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k>(slot, dma::part<0>),
                          dma::matrix_descriptor<dma::Major::k>(slot, dma::part<1>), adds);
        if (mistake != Mistake::no_commit) reads.commit(slot);
      };
      auto held = in.wait();
      multiply(held, false);
      for (int at = 1; at < blocks; ++at) {
        auto slot = in.wait();
        multiply(slot, true);
        if (mistake != Mistake::no_wait) reads.wait<1>();
        held = std::move(slot);  // releases the block before
      }
      if (mistake != Mistake::early_sums) reads.wait<0>(sums);
      sums.for_each([&](int row, int column, float value) { c[row * 8 + column] = value; });
      if (mistake == Mistake::early_sums) reads.wait<0>(sums);
      held.release();
    }
  }
};
