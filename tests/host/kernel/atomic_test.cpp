#include "kernels/atomics.hpp"

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>
#include <vector>

namespace {

enum class Wrong { load, store, fence };

template <Wrong what>
struct WrongOrder {
  using Layout = dma::WarpLayout<dma::Compute<1>>;

  void operator()(dma::KernelCta<WrongOrder>&, int* word) const {
    const dma::atomic_ref<int, dma::Scope::gpu> ref(*word);
    if constexpr (what == Wrong::load) {
      static_cast<void>(ref.load(dma::Order::release));
    } else if constexpr (what == Wrong::store) {
      ref.store(1, dma::Order::acquire);
    } else {
      dma::fence<dma::Scope::gpu>(dma::Order::relaxed);
    }
  }
};

template <Wrong what>
void launch() {
  int word = 0;
  dma::host::launch(WrongOrder<what>{}, {1}, &word);
}

}  // namespace

TEST_CASE("each atomic access returns the value before, and leaves what it says", "[launch][atomics]") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    atomics::Words words{};
    dma::host::launch({.seed = seed}, atomics::Body{}, {atomics::ctas}, &words);
    REQUIRE(atomics::count_wrong(words) == 0);
  }
}

TEST_CASE("an atomic access with an order that it cannot have is refused", "[launch][atomics]") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  REQUIRE_THROWS_MATCHES(launch<Wrong::load>(), std::logic_error,
                         MessageMatches(ContainsSubstring("a load does not release")));
  REQUIRE_THROWS_MATCHES(launch<Wrong::store>(), std::logic_error,
                         MessageMatches(ContainsSubstring("a store does not acquire")));
  REQUIRE_THROWS_MATCHES(launch<Wrong::fence>(), std::logic_error,
                         MessageMatches(ContainsSubstring("Order::relaxed orders nothing")));
}
