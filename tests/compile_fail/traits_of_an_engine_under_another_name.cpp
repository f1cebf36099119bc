// error: dma::CopyEngine: this engine has its dma::EngineTraits under another name than 'traits', which nothing reads; name the member 'traits'

#include <dma/dma.hpp>

struct MovesNothing {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::Completion store_completion = dma::Completion::sync;
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern&, const unsigned char*, int, const Slot& slot) {
    slot.wait_until_empty();
  }
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern&, unsigned char*, int, const Slot& slot) {
    slot.wait_until_full();
  }
#if defined(DMA_MISTAKE)
  static constexpr dma::EngineTraits Traits{.can_add = true};
#else
  static constexpr dma::EngineTraits traits{.can_add = true};
#endif
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>, dma::CudaBarrier, MovesNothing>;

Pipe::Storage storage;
