#pragma once

#include "arrays.hpp"

#include <dma/host/run_cta.hpp>
#include <dma/machine/index3.hpp>

#include <ostream>

namespace by_ptx {

/// Runs each CTA of a grid, or each cluster, and writes down what its threads did (`Listing`). It is compiled without
/// instrumentation, as the emulator is.
void write_recordings(std::ostream& out, const dma::host::detail::CtaBody& body, dma::Index3 grid,
                      const Arrays& arrays);

}  // namespace by_ptx
