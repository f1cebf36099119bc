// error: dma::Cta: a shuffle moves one number of 4 or 8 bytes; shuffle the parts of anything else

#include <dma/dma.hpp>

struct Pair {
  int first, second;
};

#if defined(DMA_MISTAKE)
using Value = Pair;
#else
using Value = float;
#endif

Value value_of_lane_0(const dma::Cta& cta, Value value) { return cta.shuffle(value, 0); }
