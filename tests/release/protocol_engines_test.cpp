#include "host/sync/protocol.hpp"

namespace {

template <class Barrier, class Engine>
int check_in_order_and_at_random() {
  check_engine<Barrier, Engine, streams::FewBufferings>(false, 0);
  return check_engine<Barrier, Engine, streams::FewBufferings>(true, 17);
}

constexpr int styles = 5 * 4 + 2;  // bufferings with DMA warps x styles, and one body for those without

}  // namespace

TEST_CASE("cp.async delivers every tile on phase barriers and on named ones", "[protocol][engines]") {
  REQUIRE(check_in_order_and_at_random<dma::CudaBarrier, dma::AsyncCopy<>>() == 4 * styles);
  REQUIRE(check_in_order_and_at_random<dma::NamedBarrier, dma::AsyncCopy<>>() == 4 * styles);
}

TEST_CASE("bulk copies deliver every tile, and stores leave a slot before it is filled again", "[protocol][engines]") {
  REQUIRE(check_in_order_and_at_random<dma::CudaBarrier, dma::BulkCopy<>>() == 4 * styles);
  REQUIRE(check_in_order_and_at_random<dma::NamedBarrier, dma::BulkCopy<>>() == 2 * styles);  // stores only
}
