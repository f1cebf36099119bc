#pragma once

#include <dma/proof/memory/explorer.hpp>
#include <dma/proof/memory/program.hpp>
#include <dma/proof/memory/result.hpp>
#include <dma/proof/memory/symmetric_search.hpp>

#include <utility>

namespace dma::inline v0_1::proof::detail::memory {

/// Explores each execution of a program once; where there are classes of equal threads, each up to their names.
[[nodiscard]] inline Result explore(Program& program, Options options = {}) {
  if (!options.classes.empty()) {
    SymmetricSearch search(program, options);
    Result result = search.run();
    if (search.are_equal() || (options.stops_at_fault && !result.faults.empty())) {
      return result;
    }
    options.seconds -= result.seconds;
  }
  const bool are_unequal = !options.classes.empty();
  Result result = Explorer(program, std::move(options)).run();
  result.are_unequal = are_unequal;
  return result;
}

}  // namespace dma::inline v0_1::proof::detail::memory
