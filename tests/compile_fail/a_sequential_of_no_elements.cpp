// error: dma::Sequential: Count must be positive; write a shorter or empty tile as the value Sequential{n}

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 0>;
inline constexpr Tile nothing{};
#else
using Tile = dma::Sequential<float, 64>;
inline constexpr Tile nothing{0};
#endif

int elements = nothing.size();
