// A layer of 8-bit numbers with scales of blocks on the emulator, beside a loop in double precision, and its proofs.

#include "linear/fp8/cases.hpp"
#include "linear/fp8/linear.hpp"
#include "linear/host.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using dma::proof::IsProved;
using linear::Division;
using linear::HostWorkspace;
using linear::Plan;
using linear::fp8::Case;
using linear::fp8::Form;
using linear::fp8::form_of;
using linear::fp8::Problem;
using linear::fp8::ScaledLinear;
using linear::fp8::Shape;

namespace {

template <Form form>
[[nodiscard]] double error_of(const Shape& shape, int ctas) {
  Case c(shape);
  linear::multiply_on_host(ScaledLinear<form>{}, c.p, ctas);
  return c.worst_error();
}

/// A layer with what its launch needs, for proofs.
template <class Kernel>
struct Layer {
  Case c;
  Plan plan;
  HostWorkspace<Kernel> workspace;

  /// Its tiles of so many units in so many CTAs.
  Layer(const Shape& shape, int units, int ctas)
      : c(shape), plan{Kernel::plan_of(c.p, 1).tiles, units, ctas}, workspace(plan) {}

  [[nodiscard]] dma::proof::Options options() {
    return {.outputs = {dma::proof::output(c.y), dma::proof::output(c.x), dma::proof::output(c.w),
                        dma::proof::output(c.x_scales), dma::proof::output(workspace.sums),
                        dma::proof::output(workspace.arrivals)},
            .has_other_arrays = true};
  }
  [[nodiscard]] auto grid() {
    return dma::proof::Grid(Kernel{}, {plan.ctas}, linear::host_maps<Kernel>(c.p), c.p, plan, workspace.view());
  }
  [[nodiscard]] dma::proof::Verdict verdict() {
    return dma::proof::prove(options(), Kernel{}, {plan.ctas}, linear::host_maps<Kernel>(c.p), c.p, plan,
                             workspace.view());
  }
};

// Few slots, so that a proof meets their second round soon.
using Narrow = ScaledLinear<Form{.columns = 8, .row_groups = 1, .slots = 2}>;
using Wide = ScaledLinear<Form{.columns = 40, .row_groups = 2, .slots = 2, .registers = 112}>;
using Paired = ScaledLinear<Form{.columns = 8, .row_groups = 2, .slots = 2, .cluster = 2}>;

/// Writes an array, and lets the next grid start before.
template <class Element>
struct FillBefore {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<FillBefore>& cta, Element* array, int count) const {
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    for (int i = cta.lane(); i < count; i += 32) {
      array[i] = {};
    }
  }
};

}  // namespace

TEST_CASE("the kernel of 8-bit numbers is the one that takes the least time", "[linear_fp8]") {
  const auto division_of = [](int m, int n, int k) {
    const Problem p{m, n, k, nullptr, k, nullptr, 0, 0, nullptr, k, nullptr, nullptr, n};
    std::string division;
    linear::fp8::with_kernel(p, 132, [&]<class Kernel>(const Kernel&) {
      CHECK(Kernel::form.columns >= m);
      CHECK(sizeof(typename Kernel::Shared) <= 227 * 1024);
      division = std::to_string(Kernel::tile_rows) + " rows by " + std::to_string(Kernel::form.cluster);
    });
    return division;
  };
  CHECK(division_of(1, 4096, 4096) == "64 rows by 2");
  CHECK(division_of(64, 4096, 4096) == "64 rows by 2");
  CHECK(division_of(8, 14336, 4096) == "128 rows by 1");
  CHECK(division_of(17, 8192, 28672) == "128 rows by 2");
  CHECK(division_of(48, 28672, 8192) == "128 rows by 1");
}

TEST_CASE("a layer of 8-bit numbers is that of a loop, whatever its shape", "[linear_fp8]") {
  CHECK(error_of<Narrow::form>({1, 128, 512}, 1) <= 1);
  CHECK(error_of<Narrow::form>({8, 300, 1168, true}, 5) <= 1);
  CHECK(error_of<Narrow::form>({5, 1, 16}, 132) <= 1);
  CHECK(error_of<Wide::form>({40, 130, 2048}, 5) <= 1);
  CHECK(error_of<Wide::form>({33, 400, 528, true}, 2) <= 1);
  CHECK(error_of<Wide::form>({34, 130, 256 * 9}, 2) <= 1);  // more units than scales are loaded ahead
  CHECK(error_of<Narrow::form>({3, 64, 512 * 17, true}, 1) <= 1);
  CHECK(error_of<form_of(64)>({64, 260, 400}, 3) <= 1);
}

TEST_CASE("a tile of 8-bit numbers that CTAs share is added up", "[linear_fp8]") {
  CHECK(error_of<Narrow::form>({8, 64, 512 * 7}, 7) <= 1);
  CHECK(error_of<Paired::form>({8, 300, 256 * 7, true}, 1) <= 1);
  CHECK(error_of<Paired::form>({5, 100, 112}, 1) <= 1);  // one CTA has nothing of it
}

TEST_CASE("8-bit layers that no kernel takes are refused", "[linear_fp8]") {
  Case right({7, 64, 512});
  const auto refused = [&](auto change, const std::string& message) {
    Problem p = right.p;
    change(p);
    CHECK_THROWS_MATCHES(linear::multiply_on_host(Narrow{}, p, 1), std::invalid_argument,
                         MessageMatches(ContainsSubstring(message)));
  };
  refused([](auto& p) { p.m = 0; }, "give m from 1 to 64");
  refused([](auto& p) { p.m = 65; }, "give m from 1 to 64");
  refused([](auto& p) { p.n = p.k = 1 << 19; }, "W has 524288 x 524288 numbers; divide its rows");
  refused([](auto& p) { p.k = 504; }, "k a multiple of 16");
  refused([](auto& p) { p.m = 9; }, "9 rows of X, and this kernel takes up to 8");
  refused([](auto& p) { ++p.x; }, "no multiple of 16 bytes");
  refused([](auto& p) { p.w = nullptr; }, "X or W begins at an address that is null");
  refused([](auto& p) { p.ldx = 500; }, "make the distances multiples of 16");
  refused([](auto& p) { p.ldw = 496; }, "make the distances multiples of 16");
  refused([](auto& p) { p.x_scales = nullptr; }, "the scales of X or W are null");
  refused([](auto& p) { p.ldy = 63; }, "Y is null, or its rows are 63 elements apart");
}

TEST_CASE("any number of slots of 8-bit numbers is proved for every schedule", "[linear_fp8]") {
  CHECK_THAT(dma::proof::for_all_trips<Narrow::Weights>([](int units) {
               return Layer<Narrow>({3, 64, 512 * std::max(units, 1)}, units, 1).verdict();
             }),
             IsProved());
}

TEST_CASE("tiles of 8-bit numbers that CTAs share are proved for every schedule", "[linear_fp8]") {
  CHECK_THAT(Layer<Narrow>({8, 100, 512 * 3}, 3, 3).verdict(), IsProved());
  CHECK_THAT(Layer<Wide>({33, 100, 512}, 2, 2).verdict(), IsProved());
  CHECK_THAT(Layer<Paired>({8, 200, 256 * 7}, 7, 4).verdict(), IsProved());
}

TEST_CASE("8-bit weights are loaded while the grid before runs", "[linear_fp8]") {
  if (!dma::proof::sees_every_access) {
    SKIP("grids are judged together where a proof sees every access");
  }
  const auto behind_writer = []<class Kernel, class Element>(Layer<Kernel> layer, std::vector<Element> Case::*array) {
    std::vector<Element>& written = layer.c.*array;
    const dma::proof::Grid fill(FillBefore<Element>{}, {1}, written.data(), static_cast<int>(written.size()));
    return dma::proof::prove(layer.options(), fill, layer.grid());
  };
  const Shape shape{2, 64, 512};
  CHECK_THAT(behind_writer(Layer<Narrow>(shape, 1, 1), &Case::x), IsProved());
  CHECK_THAT(behind_writer(Layer<Narrow>(shape, 1, 1), &Case::x_scales), IsProved());
  CHECK_FALSE(behind_writer(Layer<Narrow>(shape, 1, 1), &Case::w).is_proved());
  CHECK_THAT(behind_writer(Layer<ScaledLinear<Narrow::form.behind_weights()>>(shape, 1, 1), &Case::w), IsProved());
  CHECK_THAT(behind_writer(Layer<Paired>(shape, 2, 2), &Case::x), IsProved());
  Layer<Narrow> behind_itself({2, 64, 1024}, 2, 2);
  CHECK_THAT(dma::proof::prove(behind_itself.options(), behind_itself.grid(), behind_itself.grid()), IsProved());
}
