// error: dma::Cta: a shuffle moves one number of 4 or 8 bytes; shuffle the parts of anything else

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Value = short;
#else
using Value = int;
#endif

Value value_of_lane_0(const dma::Cta& cta, Value value) { return cta.shuffle(value, 0); }
