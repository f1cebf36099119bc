// The emulator and the judges for programs whose units are compiled with DMA_EMULATOR_APART.
#define DMA_EMULATOR_HERE

#include <dma/host/launch.hpp>
#include <dma/host/run_group.hpp>
#include <dma/proof/judge_grid.hpp>
#include <dma/proof/replay.hpp>
