#pragma once

#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/search/search.hpp>

#include "host/proof/small_programs.hpp"

/// What each judge finds in a program.
namespace small {

using dma::proof::FindingKind;

inline FindingKind by_clocks(const Program& program) { return dma::proof::detail::ClockJudge(program).judge().kind; }
inline FindingKind by_search(const Program& program) { return dma::proof::detail::Search(program).judge().kind; }

/// The kind that the clocks find, where the search finds something wrong exactly when they do.
inline FindingKind by_both(const Program& program) {
  const FindingKind kind = by_clocks(program);
  const bool agree = (by_search(program) == FindingKind::none) == (kind == FindingKind::none);
  return agree ? kind : FindingKind::too_many_states;
}

}  // namespace small
