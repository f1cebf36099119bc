// error: dma::CopyEngine: this engine has no 'load'; add 'template <class Pattern, int Threads, class Slot> static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot)', which returns int, the bytes of this warp's copies, where 'completion' is mbarrier_complete_tx

#include <dma/dma.hpp>

struct MovesNothing {
#if defined(DMA_MISTAKE)
  static constexpr dma::Completion completion = dma::Completion::mbarrier_complete_tx;
#else
  static constexpr dma::Completion completion = dma::Completion::sync;
#endif
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern&, const unsigned char*, int, const Slot& slot) {
    slot.wait_until_empty();
  }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>, dma::CudaBarrier, MovesNothing>;

Pipe::Storage storage;
