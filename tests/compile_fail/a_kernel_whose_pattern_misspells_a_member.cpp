// error: dma::TransferPattern: this pattern has no const 'run_count'; add 'constexpr int run_count() const', the runs of this value
// no other error

#include <dma/dma.hpp>

struct Pair {
  using Element = float;
  static constexpr int tile_bytes = 8;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 4;
  static constexpr int run_alignment = 4;
  int rows = 2;

  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  DMA_HOST_DEVICE constexpr int size() const { return 2; }
#if defined(DMA_MISTAKE)
  DMA_HOST_DEVICE constexpr int run_cout() const { return 2; }
#else
  DMA_HOST_DEVICE constexpr int run_count() const { return 2; }
#endif
  DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const { return {run * 64, run * 4, 4}; }
  DMA_HOST_DEVICE static constexpr int index(int row, int col) { return row + col; }
};

struct Sums {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Pair, dma::SingleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Sums>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          y[t] = tile[0] + tile[1];
        });
  }
};

struct Differences {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Pair, dma::SingleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Differences>& cta, const float* x, float* y) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      dma.load(x, Pair{});
    } else {
      auto compute = pipe.as_compute();
      const auto tile = compute.wait(Pair{});
      y[compute.rank()] = tile(1, 0) - tile(0, 0);
    }
  }
};

void emulate(const float* x, float* y) {
  dma::KernelCta<Sums>* cta = nullptr;
  Sums{}(*cta, x, y, 3);
  dma::KernelCta<Differences>* other = nullptr;
  Differences{}(*other, x, y);
}
