// Faults that are accesses, which a proof has to see.
#include "host/proof/wrong_accesses.hpp"
#include "host/proof/wrong_bounds.hpp"
#include "host/proof/wrong_ctas.hpp"
#include "host/proof/wrong_expect.hpp"
#include "host/proof/wrong_lanes.hpp"
#include "host/proof/wrong_stores.hpp"

#include <catch2/catch_test_macros.hpp>

#if defined(DMA_EVERY_ACCESS)

TEST_CASE("bytes that no thread has written are found, with the line of their access", "[proof][wrong]") {
  wrong::expect_found(wrong::unwritten);
}

TEST_CASE("elements of the slot's tile before are found in a store and in a hand-off", "[proof][wrong]") {
  wrong::expect_found(wrong::stale_stores);
  wrong::expect_found<wrong::Kernel<wrong::NoDma>>(wrong::stale_stores_without_dma_warps);
  wrong::expect_found<wrong::Kernel<wrong::TwoSides>>(wrong::stale_hand_offs);
}

TEST_CASE("races on tiles are found, with the line of an access", "[proof][wrong]") {
  wrong::expect_found(wrong::tile_races);
}

TEST_CASE("accesses outside of an array or of shared memory are found", "[proof][wrong][bounds]") {
  wrong::expect_found(wrong::announced_bounds);
  wrong::expect_found(wrong::seen_bounds);
}

TEST_CASE("races on shared memory of one's own are found", "[proof][wrong]") { wrong::expect_found(wrong::own_memory); }

TEST_CASE("races between lanes of a warp are found", "[proof][wrong]") {
  wrong::expect_found(wrong::lane_races);
  wrong::expect_found<wrong::Kernel<wrong::OneWarp>>(wrong::lane_races);
}

TEST_CASE("lanes that are ordered, or store one value by one instruction, are no race", "[proof][wrong]") {
  wrong::expect_found(wrong::ordered_lanes);
  wrong::expect_found<wrong::Kernel<wrong::OneWarp>>(wrong::ordered_lanes);
}

TEST_CASE("races on global memory are found", "[proof][wrong]") { wrong::expect_found(wrong::global_memory); }

TEST_CASE("sums that bulk copies of several CTAs add are no race", "[proof][wrong]") {
  const wrong::Program sums{"", {wrong::Kind::none}, [](wrong::Thread& t) { wrong::add_tiles(t, 1); }, "", 3};
  CHECK(wrong::complaint(sums, wrong::verdict_on(sums)) == "");
}

TEST_CASE("wrong uses of the last CTA's counter are found", "[proof][wrong]") { wrong::expect_found(wrong::last_ctas); }

TEST_CASE("accesses before the grids before are complete are found", "[proof][wrong]") {
  wrong::expect_found<wrong::Kernel<wrong::Layout, dma::KernelTraits{.programmatic_launch = true}>>(
      wrong::early_starts);
}

#endif
