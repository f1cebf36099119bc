// error: dma::load_global: an instruction loads 1, 2, 4, 8 or 16 bytes of a trivial type; load the parts of anything else

#include <dma/dma.hpp>

struct Triple {
#if defined(DMA_MISTAKE)
  float v[3];
#else
  float v[4];
#endif
};

Triple first(const Triple* triples) { return dma::load_global(triples); }
