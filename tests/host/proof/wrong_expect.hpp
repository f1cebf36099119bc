#pragma once

#include "host/proof/wrong_kernels.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace wrong {

template <class Body = Kernel<Layout>>
void expect_found(const std::vector<Program>& programs) {
  for (const Program& program : programs) {
    const dma::proof::Verdict verdict = verdict_on<Body>(program);
    CAPTURE(program.name, verdict);
    CHECK(complaint(program, verdict) == "");
  }
}

}  // namespace wrong
