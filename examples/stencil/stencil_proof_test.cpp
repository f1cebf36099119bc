#include "halo_only.hpp"
#include "random_array.hpp"
#include "tuning.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace stencil;

TEST_CASE("the march is proved for every schedule") {
  constexpr int radius = 1;
  Array<float> in(9, 5, 3, 1);
  Array<float> out(9, 5, 3, 2);
  using Kernel = March<float, radius, march_shapes<float, radius>[0], StoreSum<float>>;
  const auto star = some_star<float, radius>();
  const auto map = dma::host::tensor_map<Kernel::Plane>(in.view().data, Kernel::plane_at(in.view(), 0, 0, 0));
  const Partition work = partition(9, 5, 3, Kernel::cols, Kernel::rows, 1);
  dma::PaceCounter counter{};
  REQUIRE_THAT(dma::host::prove({.outputs = {dma::host::output(out.memory)}}, Kernel{}, {1}, map, in.view(), star, work,
                                &counter, StoreSum<float>{out.field().data}),
               dma::host::IsProved());
}

TEST_CASE("halo-only and block-halo are proved for every schedule") {
  constexpr int radius = 1;
  Array<float> in(9, 5, 3, 1);
  Array<float> out(9, 5, 3, 2);
  const auto prove = [&](const auto& kernel) {
    return dma::host::prove({.outputs = {dma::host::output(out.memory)}}, kernel, {1}, in.view(),
                            some_star<float, radius>(), StoreSum<float>{out.field().data});
  };
  REQUIRE_THAT(prove(HaloOnlySingle<float, radius, StoreSum<float>>{}), dma::host::IsProved());
  REQUIRE_THAT(prove(HaloOnlyManual<float, radius, StoreSum<float>>{}), dma::host::IsProved());
  REQUIRE_THAT(prove(HaloOnlyDouble<float, radius, StoreSum<float>>{}), dma::host::IsProved());
  REQUIRE_THAT(prove(BlockHaloSingle<float, radius, StoreSum<float>>{}), dma::host::IsProved());
}
