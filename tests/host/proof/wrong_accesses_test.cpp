// Faults that are accesses, which only a proof that sees every access can find.
#include "host/proof/wrong_accesses.hpp"
#include "host/proof/wrong_ctas.hpp"
#include "host/proof/wrong_kernels.hpp"

#include <catch2/catch_test_macros.hpp>

#if defined(DMA_EVERY_ACCESS)

namespace {

using wrong::expect_found;

}  // namespace

TEST_CASE("races on tiles are found, with their line", "[proof][wrong]") { expect_found(wrong::tile_races); }

TEST_CASE("races on shared memory of one's own are found", "[proof][wrong]") { expect_found(wrong::own_memory); }

TEST_CASE("races on global memory are found", "[proof][wrong]") { expect_found(wrong::global_memory); }

TEST_CASE("wrong uses of the last CTA are found", "[proof][wrong]") { expect_found(wrong::last_ctas); }

#endif
