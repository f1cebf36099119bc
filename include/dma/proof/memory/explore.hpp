#pragma once

#include <dma/proof/memory/explorer.hpp>
#include <dma/proof/memory/program.hpp>
#include <dma/proof/memory/result.hpp>
#include <dma/proof/memory/symmetric_search.hpp>

#include <utility>

namespace dma::inline v0_1::proof::detail::memory {

/// Explores each execution of a program once; where there are classes of equal threads, each up to their names.
[[nodiscard]] inline Result explore(Program& program, Options options = {}) {
  return options.classes.empty() ? Explorer(program, std::move(options)).run()
                                 : SymmetricSearch(program, std::move(options)).run();
}

}  // namespace dma::inline v0_1::proof::detail::memory
