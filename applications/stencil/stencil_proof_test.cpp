#include "copy_end.hpp"
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
  REQUIRE_THAT(dma::proof::prove({.outputs = {dma::proof::output(out.memory)}}, Kernel{}, {1}, map, in.view(), star,
                                 work, &counter, StoreSum<float>{out.field().data}),
               dma::proof::IsProved());
}

TEST_CASE("halo-only and block-halo are proved for every schedule") {
  constexpr int radius = 1;
  Array<float> in(9, 5, 3, 1);
  Array<float> out(9, 5, 3, 2);
  const auto prove = [&](const auto& kernel) {
    return dma::proof::prove({.outputs = {dma::proof::output(out.memory)}}, kernel, {1}, in.view(),
                             some_star<float, radius>(), StoreSum<float>{out.field().data});
  };
  REQUIRE_THAT(prove(HaloOnlySingle<float, radius, StoreSum<float>>{}), dma::proof::IsProved());
  REQUIRE_THAT(prove(HaloOnlyManual<float, radius, StoreSum<float>>{}), dma::proof::IsProved());
  REQUIRE_THAT(prove(HaloOnlyDouble<float, radius, StoreSum<float>>{}), dma::proof::IsProved());
  REQUIRE_THAT(prove(BlockHaloSingle<float, radius, StoreSum<float>>{}), dma::proof::IsProved());
}

TEST_CASE("an end's planes are all written before they are sent, under every schedule of two CTAs") {
  constexpr int radius = 1;
  const auto prove = [&]<Sends sends>() {
    using Epilogue = SlabEpilogue<StoreSum<float>, sends, CopyEnd>;
    using Kernel = March<float, radius, march_shapes<float, radius>[0], Epilogue>;
    const Slab middle{1, 3, 3, 6, radius};
    Array<float> in(9, 33, middle.depth(), 1);  // two columns
    Array<float> out(9, 33, middle.depth(), 2);
    Array<float> sent(9, 33, 2, 3);
    const Field<float> f = out.field();
    const CopyEnd copy{{f.data + f.at(0, 0, middle.sent(End::below)), f.data + f.at(0, 0, middle.sent(End::above))},
                       {sent.field().data, sent.field().data + f.plane_pitch()},
                       static_cast<int>(f.plane_pitch())};
    const auto map =
        dma::host::tensor_map<typename Kernel::Plane>(in.view().data, Kernel::plane_at(in.view(), 0, 0, 0));
    const Partition work = partition(9, 33, middle.planes(), Kernel::cols, Kernel::rows, 1);
    dma::PaceCounter counter{};
    dma::ArrivalCounter finished[ends]{};
    return dma::proof::prove({.outputs = {dma::proof::output(out.memory), dma::proof::output(sent.memory)}}, Kernel{},
                             {2}, map, in.view(), some_star<float, radius>(), work, &counter,
                             Epilogue{{f.data}, middle.below(), finished, copy});
  };
  REQUIRE_THAT(prove.operator()<Sends::to_above>(), dma::proof::IsProved());
  REQUIRE_THAT(prove.operator()<Sends::to_both>(), dma::proof::IsProved());
}
