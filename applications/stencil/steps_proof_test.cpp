#include "stencil/random_array.hpp"
#include "stencil/tuning.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace stencil;

// Two tiles side by side, both with points outside the domain, and each in two chunks, which one CTA marches through.
TEST_CASE("steps in one pass are proved for every schedule") {
  const auto prove = []<int Radius, int Count>(dma::Constant<Radius>, dma::Constant<Count>, auto shape) {
    using Kernel = Steps<float, Radius, steps_shapes<float, Radius, Count>[shape]>;
    constexpr int nx = Kernel::cols + 3;
    Array<float> in(nx, 5, 3, 1);
    Array<float> out(nx, 5, 3, 2);
    const auto map =
        dma::host::tensor_map<typename Kernel::Plane>(in.view().data, Kernel::plane_at(in.view(), 0, 0, 0));
    dma::PaceCounter counter{};
    return dma::proof::prove({.outputs = {dma::proof::output(out.memory)}}, Kernel{}, {1}, map, in.view(),
                             some_star<float, Radius>(), partition(nx, 5, 3, Kernel::cols, Kernel::rows, 2), &counter,
                             StoreSum<float>{out.field().data});
  };
  constexpr dma::Constant<1> one;
  constexpr dma::Constant<2> two;
  constexpr dma::Constant<3> three;
  REQUIRE_THAT(prove(one, two, dma::Constant<0>{}), dma::proof::IsProved());
  REQUIRE_THAT(prove(two, two, dma::Constant<0>{}), dma::proof::IsProved());
  REQUIRE_THAT(prove(two, two, one), dma::proof::IsProved());
  REQUIRE_THAT(prove(two, two, two), dma::proof::IsProved());
  REQUIRE_THAT(prove(one, three, dma::Constant<0>{}), dma::proof::IsProved());
}
