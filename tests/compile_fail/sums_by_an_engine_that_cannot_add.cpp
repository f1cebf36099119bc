// error: dma::DmaPipeline: this engine does not declare that it adds (EngineTraits::can_add), so it would replace the elements that dma::StoreAdd adds to; use dma::RegisterCopy<>, or dma::Store

#include <dma/dma.hpp>

struct OneByOne {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::Completion store_completion = dma::Completion::sync;

  template <class Pattern, int Threads, class Slot>
  static void load(const Pattern&, const unsigned char*, int, const Slot&) {}
  template <class Pattern, int Threads, class Slot>
  static void store(const Pattern& pattern, unsigned char* destination, int thread, const Slot& slot) {
    slot.wait_until_full();
    for (int i = thread; i < pattern.size(); i += Threads) {
      reinterpret_cast<float*>(destination)[i] = reinterpret_cast<const float*>(slot.data())[i];
    }
  }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 128>;
#if defined(DMA_MISTAKE)
using Sums = dma::StoreAdd<Tile>;
#else
using Sums = dma::Store<Tile>;
#endif
using Pipe = dma::DmaPipeline<Sums, dma::SingleBuffer<Warps>, dma::CudaBarrier, OneByOne>;

void store(Pipe& pipe, float* destination) { pipe.as_dma().store(destination); }
