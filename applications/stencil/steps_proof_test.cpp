#include "stencil/copy_end.hpp"
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
  REQUIRE_THAT(prove(three, two, dma::Constant<0>{}), dma::proof::IsProved());
  REQUIRE_THAT(prove(three, two, one), dma::proof::IsProved());
  REQUIRE_THAT(prove(one, three, dma::Constant<0>{}), dma::proof::IsProved());
}

// Two columns of a slab with planes of neighbours on both sides.
TEST_CASE(
    "an end's planes of steps in one pass are all written before they are sent, under every schedule of two CTAs") {
  const auto prove = []<Sends sends>(int end, int chunks) {
    using Epilogue = SlabEpilogue<StoreSum<float>, sends, CopyEnd>;
    using Kernel = Steps<float, 1, steps_shapes<float, 1, 2>[0], Epilogue>;
    constexpr int reach = Kernel::Items::reach;
    const Slab middle{1, 3, 6, 13, reach};
    Array<float> in(9, 33, middle.depth(), 1);
    Array<float> out(9, 33, middle.depth(), 2);
    Array<float> sent(9, 33, 2 * reach, 3);
    const Field<float> f = out.field();
    const Field<float> to = sent.field();
    const CopyEnd copy{{f.data + f.at(0, 0, middle.sent(End::below)), f.data + f.at(0, 0, middle.sent(End::above))},
                       {to.data, to.data + to.at(0, 0, reach)},
                       static_cast<int>(f.plane_pitch() * reach)};
    const auto map =
        dma::host::tensor_map<typename Kernel::Plane>(in.view().data, Kernel::plane_at(in.view(), 0, 0, 0));
    Partition work = partition(9, 33, middle.planes() - end, Kernel::cols, Kernel::rows, chunks);
    work.end = end;
    dma::PaceCounter counter{};
    dma::ArrivalCounter finished[ends]{};
    return dma::proof::prove({.outputs = {dma::proof::output(out.memory), dma::proof::output(sent.memory)}}, Kernel{},
                             {2}, map, in.view(), some_star<float, 1>(), work, &counter,
                             Epilogue{{f.data}, middle.below(), finished, copy});
  };
  REQUIRE_THAT(prove.operator()<Sends::to_below>(0, 1), dma::proof::IsProved());
  REQUIRE_THAT(prove.operator()<Sends::to_above>(2, 1), dma::proof::IsProved());
  REQUIRE_THAT(prove.operator()<Sends::to_both>(2, 1), dma::proof::IsProved());
  REQUIRE_THAT(prove.operator()<Sends::to_both>(0, 2), dma::proof::IsProved());
}
