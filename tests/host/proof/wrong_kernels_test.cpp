#include "host/proof/wrong_kernels.hpp"
#include "host/proof/wrong_order.hpp"
#include "host/proof/wrong_protocols.hpp"
#include "host/proof/wrong_sides.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>
#include <vector>

namespace {

/// Programs that a proof cannot tell from right ones yet.
const std::set<std::string> missed = {
    "the lanes of a DMA warp name sources of their own",
    "a tile more is waited for where a racing flag is not yet set",
    "the second warp does more where the first has not finished",
    "warps take tickets of a counter that is no atomic",
    "the CTA that takes the first ticket does something else",
};

template <class Body = wrong::Kernel<wrong::Layout>>
void expect_found(const std::vector<wrong::Program>& programs) {
  for (const wrong::Program& program : programs) {
    if (!missed.contains(program.name)) {
      const dma::host::Verdict verdict = wrong::verdict_on<Body>(program);
      CAPTURE(program.name, verdict);
      CHECK(wrong::complaint(program, verdict) == "");
    }
  }
}

}  // namespace

TEST_CASE("broken protocols are found", "[proof][wrong]") { expect_found(wrong::protocols); }

TEST_CASE("sides that do not fit are found", "[proof][wrong]") { expect_found(wrong::sides); }

TEST_CASE("order that no GPU makes does not hide a fault", "[proof][wrong]") { expect_found(wrong::orders); }

TEST_CASE("parted lanes are found", "[proof][wrong]") { expect_found(wrong::lanes); }

TEST_CASE("kernels that depend on their schedule are not proved", "[proof][wrong]") { expect_found(wrong::schedules); }
