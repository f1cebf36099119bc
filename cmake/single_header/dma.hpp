/// All that a kernel needs, in one file.

#include <dma/dma.hpp>
#include <dma/matrix/compute_first.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/store_matrix.hpp>
