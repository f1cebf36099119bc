#include "host/proof/wrong_ctas.hpp"
#include "host/proof/wrong_expect.hpp"
#include "host/proof/wrong_order.hpp"
#include "host/proof/wrong_protocols.hpp"
#include "host/proof/wrong_reads.hpp"
#include "host/proof/wrong_sides.hpp"

#include <catch2/catch_test_macros.hpp>

TEST_CASE("broken protocols are found", "[proof][wrong]") { wrong::expect_found(wrong::protocols); }

TEST_CASE("sides that do not fit are found", "[proof][wrong]") { wrong::expect_found(wrong::sides); }

TEST_CASE("slots that tensor cores still read are found", "[proof][wrong][reads]") {
  wrong::expect_found<wrong::Kernel<wrong::Group>>(wrong::async_reads);
}

TEST_CASE("order that no GPU makes does not hide a fault", "[proof][wrong]") { wrong::expect_found(wrong::orders); }

TEST_CASE("parted lanes are found", "[proof][wrong]") { wrong::expect_found(wrong::lanes); }

TEST_CASE("kernels that depend on their schedule are not proved", "[proof][wrong]") {
  wrong::expect_found(wrong::schedules);
}

TEST_CASE("CTAs that do not keep pace as they must are found", "[proof][wrong]") {
  wrong::expect_found<wrong::Kernel<wrong::Layout, dma::KernelTraits{.cooperative = true}>>(wrong::paces);
}

TEST_CASE("kernels that spin are refused and do not hang", "[proof][wrong]") {
  dma::proof::Options options;
  options.limits.seconds = 0.1;
  for (const wrong::Program& program : wrong::spins) {
    const dma::proof::Verdict verdict = wrong::verdict_on(program, options);
    CAPTURE(program.name, verdict);
    CHECK(wrong::complaint(program, verdict) == "");
  }
}
