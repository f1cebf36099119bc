// nvcc reads what a test and a proof on a host include, where they are in one file with their kernel.

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>
