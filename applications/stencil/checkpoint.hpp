#pragma once

#include "runner.hpp"

#include <string>

namespace stencil {

/// Writes a wave's state after `step` steps: the planes of the domain in order, so that any number of slabs can load
/// it. The file has its name only when it is complete. Throws where it cannot be written. Of several processes all call
/// it, and one `writes`.
void save_checkpoint(const std::string& path, Wave& wave, const Medium& medium, int step, bool writes = true);

/// Loads a wave that has made no steps, and returns the number of the last step. Throws for a file that is not complete
/// or of another domain.
[[nodiscard]] int load_checkpoint(const std::string& path, Wave& wave, const Medium& medium);

}  // namespace stencil
