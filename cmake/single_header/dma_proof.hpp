/// The emulator, the laws of patterns and the proofs, in one file beside dma.hpp.

#include "dma.hpp"

#include <dma/host/engine_laws.hpp>
#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>
#include <dma/proof/draw.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/replay.hpp>

#if __has_include(<catch2/matchers/catch_matchers_templated.hpp>) && !defined(__CUDACC__)
#include <dma/proof/catch2.hpp>
#endif
