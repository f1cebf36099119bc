/// All that a kernel needs, in one file.

#include <dma/dma.hpp>
