// error: dma::AsyncReads: wait<Pending>() leaves 0 to 7 groups in flight; name one of these, 0 to wait for all
#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr int pending = 8;
#else
constexpr int pending = 7;
#endif

void wait(const dma::AsyncReads& reads) { reads.wait<pending>(); }
