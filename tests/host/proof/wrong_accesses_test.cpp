// Faults that are accesses, which a proof has to see.
#include "host/proof/wrong_accesses.hpp"
#include "host/proof/wrong_ctas.hpp"
#include "host/proof/wrong_expect.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

#if defined(DMA_EVERY_ACCESS)

namespace {

/// What a proof does not see. A slot that is stored may be filled in an earlier turn. Between CTAs a proof asks whether
/// a counter was used, and not by which threads.
const std::set<std::string> missed = {
    "the last tile of a store is half filled, over what an earlier one left",
    "the last CTA is asked for without a sync before the counter",
    "global memory is written before the wait for the grids before",
};

}  // namespace

TEST_CASE("bytes that no thread has written are found, with the line of their access", "[proof][wrong]") {
  wrong::expect_found(wrong::unwritten, missed);
}

TEST_CASE("races on tiles are found, with the line of an access", "[proof][wrong]") {
  wrong::expect_found(wrong::tile_races, missed);
}

TEST_CASE("races on shared memory of one's own are found", "[proof][wrong]") {
  wrong::expect_found(wrong::own_memory, missed);
}

TEST_CASE("races on global memory are found", "[proof][wrong]") { wrong::expect_found(wrong::global_memory, missed); }

TEST_CASE("wrong uses of the last CTA's counter are found", "[proof][wrong]") {
  wrong::expect_found(wrong::last_ctas, missed);
}

TEST_CASE("accesses before the grids before are complete are found", "[proof][wrong]") {
  wrong::expect_found<wrong::Kernel<wrong::Layout, dma::KernelTraits{.programmatic_launch = true}>>(wrong::early_starts,
                                                                                                    missed);
}

#endif
