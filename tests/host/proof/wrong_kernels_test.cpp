#include "host/proof/wrong_ctas.hpp"
#include "host/proof/wrong_expect.hpp"
#include "host/proof/wrong_order.hpp"
#include "host/proof/wrong_protocols.hpp"
#include "host/proof/wrong_sides.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>
#include <vector>

namespace {

/// A GPU takes the source of the lane that it elects, and so does a host.
const std::set<std::string> missed = {"the lanes of a DMA warp name sources of their own"};

}  // namespace

TEST_CASE("broken protocols are found", "[proof][wrong]") { wrong::expect_found(wrong::protocols, missed); }

TEST_CASE("sides that do not fit are found", "[proof][wrong]") { wrong::expect_found(wrong::sides, missed); }

TEST_CASE("order that no GPU makes does not hide a fault", "[proof][wrong]") {
  wrong::expect_found(wrong::orders, missed);
}

TEST_CASE("parted lanes are found", "[proof][wrong]") { wrong::expect_found(wrong::lanes, missed); }

TEST_CASE("kernels that depend on their schedule are not proved", "[proof][wrong]") {
  wrong::expect_found(wrong::schedules, missed);
}

TEST_CASE("CTAs that do not keep pace as they must are found", "[proof][wrong]") {
  wrong::expect_found<wrong::Kernel<wrong::Layout, dma::KernelTraits{.cooperative = true}>>(wrong::paces, missed);
}
