#pragma once

#include "host/proof/wrong_kernels.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>
#include <vector>

namespace wrong {

/// @param missed  programs that a proof does not tell from right ones; docs/proof.md says of each why
template <class Body = Kernel<Layout>>
void expect_found(const std::vector<Program>& programs, const std::set<std::string>& missed) {
  for (const Program& program : programs) {
    if (!missed.contains(program.name)) {
      const dma::host::Verdict verdict = verdict_on<Body>(program);
      CAPTURE(program.name, verdict);
      CHECK(complaint(program, verdict) == "");
    }
  }
}

}  // namespace wrong
