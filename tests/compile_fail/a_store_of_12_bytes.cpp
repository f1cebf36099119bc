// error: dma::store_global: an instruction stores 1, 2, 4, 8 or 16 bytes of a trivial type; store the parts of anything else

#include <dma/dma.hpp>

struct Triple {
#if defined(DMA_MISTAKE)
  float v[3];
#else
  float v[4];
#endif
};

void keep(Triple* triples, const Triple& triple) { dma::store_global(triples, triple); }
