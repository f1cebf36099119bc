// What kernels are written, explained, emulated and proved with.
#include <dma/dma.hpp>
#include <dma/explain/explain.hpp>
#include <dma/proof/prove.hpp>
