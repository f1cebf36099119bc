#include "host/sync/protocol.hpp"

namespace {

/// An engine takes part in the order of calls and in how many slots are held. When a slot is released, and whose turn a
/// tile is, are the ring's: the barriers' tests and a GPU's matrix have those styles.
constexpr auto meets_an_engine = [](streams::Style style) {
  return style != streams::Style::early_release && style != streams::Style::own_turns;
};

/// Copies come to their end at any time between their issue and what waits for them, as the seed has it.
template <class Barrier, class Engine>
int check_engine() {
  int kernels = 0;
  for (const unsigned seed : {0U, 17U}) {
    kernels = check_every_kernel<Barrier, Engine, streams::FewBufferings, meets_an_engine>(seed != 0, seed);
  }
  return kernels;
}

constexpr int styles = 5 * 4 + 2;  // bufferings with DMA warps x styles, and one body for those without

}  // namespace

TEST_CASE("cp.async delivers every tile on phase barriers and on named ones", "[protocol][engines]") {
  REQUIRE(check_engine<dma::CudaBarrier, dma::AsyncCopy<>>() == 4 * styles);
  REQUIRE(check_engine<dma::NamedBarrier, dma::AsyncCopy<>>() == 4 * styles);
}

TEST_CASE("bulk copies deliver every tile, and stores leave a slot before it is filled again", "[protocol][engines]") {
  REQUIRE(check_engine<dma::CudaBarrier, dma::BulkCopy<>>() == 4 * styles);
  REQUIRE(check_engine<dma::NamedBarrier, dma::BulkCopy<>>() == 2 * styles);  // stores only
}
