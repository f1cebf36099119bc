// A layer of 4-bit or 8-bit weights on the emulator, beside a loop in double precision, and its proofs.

#include "linear/cases.hpp"
#include "linear/host.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using dma::proof::IsProved;
using linear::BFloat16;
using linear::Case;
using linear::Division;
using linear::Form;
using linear::form_of;
using linear::Half;
using linear::Linear;
using linear::Plan;
using linear::Shape;

namespace {

template <class Element, Form form>
[[nodiscard]] double error_of(const Shape& shape, int ctas) {
  using Kernel = Linear<Element, form>;
  Case<Element> c(shape);
  linear::pack_on_host(Kernel{}, c.rows(), c.w.data());
  linear::multiply_on_host(Kernel{}, c.p, ctas);
  return c.worst_error();
}

/// A layer with what its launch needs, for proofs.
template <class Kernel>
struct Layer {
  Case<typename Kernel::Element> c;
  Plan plan;
  linear::HostWorkspace<Kernel> workspace;

  /// Its tiles of so many units in so many CTAs.
  Layer(const Shape& shape, int units, int ctas)
      : c(shape), plan{Kernel::plan_of(c.p, 1).tiles, units, ctas}, workspace(plan) {
    linear::pack_on_host(Kernel{}, c.rows(), c.w.data());
  }

  [[nodiscard]] dma::proof::Options options() {
    return {.outputs = {dma::proof::output(c.y), dma::proof::output(c.x), dma::proof::output(workspace.sums),
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
using Narrow = Linear<BFloat16, Form{.columns = 8, .group = 128, .has_zeros = false, .row_groups = 1, .slots = 2}>;
using Wide =
    Linear<Half, Form{.columns = 40, .group = 64, .has_zeros = true, .row_groups = 2, .slots = 2, .registers = 112}>;
using Paired =
    Linear<BFloat16, Form{.columns = 8, .group = 128, .has_zeros = false, .row_groups = 2, .slots = 2, .cluster = 2}>;
using PairedLate =
    Linear<Half, Form{.columns = 24, .group = 64, .has_zeros = true, .row_groups = 1, .slots = 4, .cluster = 2}>;
// Numbers of 8 bits. Blocks of four warpgroups along k are two boxes.
using Bytes =
    Linear<BFloat16, Form{.columns = 8, .group = 128, .has_zeros = false, .row_groups = 1, .slots = 2, .bits = 8}>;
using PairedBytes =
    Linear<BFloat16,
           Form{.columns = 16, .group = 64, .has_zeros = true, .row_groups = 2, .slots = 4, .cluster = 2, .bits = 8}>;

/// Whether an operand has each number less the zero of its row, for all numbers and zeros of so many bits.
template <class Element, int bits>
[[nodiscard]] bool are_exact() {
  constexpr int count = 1 << bits;
  constexpr int of_word = 32 / bits;
  using Base = linear::OnBase<Element, bits>;
  const auto element_of = [](int zero) { return linear::twice(static_cast<Element>(Base::zero_of(zero))); };
  bool all = element_of(count / 2) == Base::middle;
  for (int first = 0; first < count * count; ++first) {
    const int zeros[] = {first / count, count - 1 - first / count};
    int numbers[8];
    std::uint32_t words[bits / 4] = {};
    for (int i = 0; i < 8; ++i) {
      numbers[i] = (first + 37 * i) % count;
      words[i / of_word] |= static_cast<std::uint32_t>(numbers[i]) << linear::Operand<bits>::bit_of(i % of_word);
    }
    dma::MatrixFragment<Element> operand;
    linear::unpack<bits>(operand, words, {element_of(zeros[0]), element_of(zeros[1])});
    for (int i = 0; i < 8; ++i) {
      const float value = dma::machine::HalfFloat<Element>::to_float(
          static_cast<std::uint16_t>(operand.packed()[i / 2] >> 16 * (i % 2)));
      const bool is_second_row = decltype(operand)::Places::row_of(0, i) == 8;
      all = all && value / Base::unit == static_cast<float>(numbers[i] - zeros[is_second_row ? 1 : 0]);
    }
  }
  return all;
}

/// Writes X, and lets the next grid start before.
struct Fill {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Fill>& cta, BFloat16* x, int count) const {
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    for (int i = cta.lane(); i < count; i += 32) {
      x[i] = static_cast<BFloat16>(1.0F);
    }
  }
};

}  // namespace

TEST_CASE("shares are even where that takes less time", "[linear]") {
  CHECK(linear::make_plan(64, 8, 132).ctas == 128);   // two for each tile
  CHECK(linear::make_plan(224, 8, 132).ctas == 112);  // two tiles for each
  CHECK(linear::make_plan(128, 56, 132).ctas == 128);
  CHECK(linear::make_plan(136, 56, 132).ctas == 132);  // 58 and a cut, for 112 in 68 CTAs
  CHECK(linear::make_plan(1, 1, 132).ctas == 1);
}

TEST_CASE("the kernel is the one that takes the least time", "[linear]") {
  const auto division_of = [](int m, int n, int k) {
    const linear::Problem<BFloat16> p{m, n, k, 128, false, nullptr, k, nullptr, nullptr, n};
    std::string division;
    linear::with_kernel<BFloat16, 128, false>(p, 132, [&]<class Kernel>(const Kernel&) {
      CHECK(Kernel::form.columns >= m);
      division = std::to_string(Kernel::tile_rows) + " rows by " + std::to_string(Kernel::form.cluster);
    });
    return division;
  };
  CHECK(division_of(1, 4096, 4096) == "64 rows by 2");
  CHECK(division_of(64, 4096, 4096) == "64 rows by 2");
  CHECK(division_of(8, 14336, 4096) == "128 rows by 1");
  CHECK(division_of(16, 8192, 28672) == "64 rows by 1");
  CHECK(division_of(17, 8192, 28672) == "128 rows by 2");  // all clusters at once
  CHECK(division_of(64, 28672, 8192) == "128 rows by 1");
}

TEST_CASE("slots fit into an SM", "[linear]") {
  constexpr int most_bytes = 227 * 1024;
  CHECK(sizeof(Linear<BFloat16, form_of(8, 64, true)>::Shared) <= most_bytes);
  CHECK(sizeof(Linear<BFloat16, form_of(64)>::Shared) <= most_bytes);
  CHECK(sizeof(Linear<BFloat16, form_of(16, 128, false, Division::narrow_parts)>::Shared) <= most_bytes);
  CHECK(sizeof(Linear<BFloat16, form_of(32, 128, true, Division::narrow_pairs)>::Shared) <= most_bytes);
  CHECK(sizeof(Linear<BFloat16, form_of(64, 128, false, Division::narrow_pairs)>::Shared) <= most_bytes);
  CHECK(sizeof(Linear<BFloat16, form_of(48, 64, true, Division::pairs)>::Shared) <= most_bytes);
  CHECK(sizeof(Linear<BFloat16, form_of(8, 64, true, Division::parts, 8)>::Shared) <= most_bytes);
  CHECK(sizeof(Linear<BFloat16, form_of(64, 64, true, Division::narrow_pairs, 8)>::Shared) <= most_bytes);
}

TEST_CASE("numbers less their zeros are exact", "[linear]") {
  CHECK(are_exact<BFloat16, 4>());
  CHECK(are_exact<BFloat16, 8>());
  CHECK(are_exact<Half, 4>());
  CHECK(are_exact<Half, 8>());
}

TEST_CASE("a layer is that of a loop, whatever its shape", "[linear]") {
  CHECK(error_of<BFloat16, form_of(8)>({1, 128, 256}, 1) <= 1);
  CHECK(error_of<BFloat16, form_of(8)>({8, 100, 1152}, 3) <= 1);
  CHECK(error_of<BFloat16, form_of(16)>({11, 130, 2048}, 5) <= 1);
  CHECK(error_of<BFloat16, form_of(16, 128, false, Division::narrow_parts)>({11, 130, 2048}, 5) <= 1);
  CHECK(error_of<BFloat16, form_of(32)>({32, 130, 768}, 4) <= 1);
  CHECK(error_of<BFloat16, form_of(48)>({33, 256, 384}, 2) <= 1);
  CHECK(error_of<BFloat16, form_of(64)>({64, 300, 384}, 4) <= 1);
  CHECK(error_of<BFloat16, form_of(8)>({1, 1, 128}, 132) <= 1);
}

TEST_CASE("groups have zeros, or 64 numbers", "[linear]") {
  CHECK(error_of<BFloat16, form_of(8, 128, true)>({5, 70, 640, 128, true}, 3) <= 1);
  CHECK(error_of<BFloat16, form_of(64, 64, true)>({50, 70, 448, 64, true}, 2) <= 1);
  CHECK(error_of<Half, form_of(16, 64)>({16, 130, 192, 64}, 2) <= 1);
  CHECK(error_of<Half, form_of(32, 128, true)>({20, 70, 1280, 128, true}, 3) <= 1);
}

TEST_CASE("numbers have 8 bits", "[linear]") {
  CHECK(error_of<BFloat16, Bytes::form>({8, 100, 512 * 5 + 256, 128, false, 8}, 2) <= 1);
  CHECK(error_of<BFloat16, Bytes::form>({3, 1, 128, 128, false, 8}, 1) <= 1);
  CHECK(error_of<BFloat16, PairedBytes::form>({13, 200, 256 * 5 + 64, 64, true, 8}, 132) <= 1);
  CHECK(error_of<Half, form_of(16, 128, true, Division::parts, 8)>({16, 130, 768, 128, true, 8}, 3) <= 1);
}

TEST_CASE("a tile that many CTAs share is added up", "[linear]") {
  CHECK(error_of<BFloat16, form_of(8)>({8, 128, 256 * 19}, 19) <= 1);
  CHECK(error_of<BFloat16, form_of(64)>({64, 64, 512 * 3}, 3) <= 1);
}

TEST_CASE("a tile that a cluster shares is added up", "[linear]") {
  CHECK(error_of<BFloat16, Paired::form>({8, 300, 256 * 7}, 1) <= 1);
  CHECK(error_of<BFloat16, Paired::form>({5, 100, 128}, 1) <= 1);  // one CTA has nothing of it
  CHECK(error_of<Half, PairedLate::form>({19, 70, 512 * 2, 64, true}, 132) <= 1);
}

TEST_CASE("what no kernel takes is refused", "[linear]") {
  using Kernel = Linear<BFloat16, form_of(16)>;
  Case<BFloat16> right({12, 64, 512});
  const auto refused = [&](auto change, const std::string& message) {
    linear::Problem<BFloat16> p = right.p;
    change(p);
    CHECK_THROWS_MATCHES(linear::multiply_on_host(Kernel{}, p, 1), std::invalid_argument,
                         MessageMatches(ContainsSubstring(message)));
  };
  refused([](auto& p) { p.m = 0; }, "give m from 1 to 64");
  refused([](auto& p) { p.m = 65; }, "give m from 1 to 64");
  refused([](auto& p) { p.n = p.k = 1 << 19; }, "W has 524288 x 524288 numbers; divide its rows");
  refused([](auto& p) { p.k = 500; }, "k a multiple of the group's 128");
  refused([](auto& p) { p.group = 32; }, "give groups of 64 or 128");
  refused([](auto& p) { p.bits = 5; }, "numbers have 5 bits; give numbers of 4 or 8");
  refused([](auto& p) { p.bits = 8; },
          "groups of 128 numbers of 8 bits without zeros, and this kernel takes up to 16 rows "
          "and groups of 128 numbers of 4 bits without zeros; use another form");
  refused([](auto& p) { p.m = 17; },
          "17 rows of X and groups of 128 numbers of 4 bits without zeros, and this kernel takes up to 16");
  refused([](auto& p) { p.has_zeros = true; }, "use another form");
  refused([](auto& p) { p.group = 64; }, "use another form");
  refused([](auto& p) { ++p.x; }, "no multiple of 16 bytes");
  refused([](auto& p) { p.w = nullptr; }, "X or W begins at an address that is null");
  refused([](auto& p) { p.ldx = 516; }, "make the distance a multiple of 8");
  refused([](auto& p) { p.ldy = 63; }, "Y is null, or its rows are 63 elements apart");
}

TEST_CASE("weights that are not packed so are refused", "[linear]") {
  const Case<BFloat16> right({1, 64, 256});
  std::vector<BFloat16> packed(right.w.size());
  const auto refused = [&](auto change, const std::string& message) {
    linear::Rows<BFloat16> rows = right.rows();
    change(rows);
    CHECK_THROWS_MATCHES(linear::pack_on_host(Narrow{}, rows, packed.data()), std::invalid_argument,
                         MessageMatches(ContainsSubstring(message)));
  };
  refused([](auto& rows) { rows.k = 200; }, "64 x 200 numbers in groups of 128");
  refused([](auto& rows) { rows.n = 0; }, "give at least one row");
  refused([](auto& rows) { rows.scales = nullptr; }, "the numbers or the scales are null");
  refused([](auto& rows) { rows.zeros = rows.numbers; }, "zeros for weights without");
}

TEST_CASE("any number of slots is proved for every schedule", "[linear]") {
  CHECK_THAT(dma::proof::for_all_trips<Narrow::Weights>([](int units) {
               return Layer<Narrow>({3, 64, 512 * std::max(units, 1)}, units, 1).verdict();
             }),
             IsProved());
}

TEST_CASE("any number of slots of 8-bit numbers is proved for every schedule", "[linear]") {
  CHECK_THAT(dma::proof::for_all_trips<Bytes::Weights>([](int units) {
               return Layer<Bytes>({3, 64, 512 * std::max(units, 1), 128, false, 8}, units, 1).verdict();
             }),
             IsProved());
  CHECK_THAT(Layer<PairedBytes>({16, 200, 256 * 5, 64, true, 8}, 5, 4).verdict(), IsProved());
}

TEST_CASE("tiles that CTAs share are proved for every schedule", "[linear]") {
  CHECK_THAT(Layer<Narrow>({8, 100, 512 * 3}, 3, 3).verdict(), IsProved());
  CHECK_THAT(Layer<Narrow>({8, 100, 512}, 1, 1).verdict(), IsProved());  // two whole ones of a CTA
  CHECK_THAT(Layer<Wide>({33, 100, 512, 64, true}, 2, 2).verdict(), IsProved());
}

TEST_CASE("tiles that clusters share are proved for every schedule", "[linear]") {
  CHECK_THAT(Layer<Paired>({3, 200, 256 * 5}, 5, 4).verdict(), IsProved());
  CHECK_THAT(Layer<Paired>({8, 100, 256}, 2, 2).verdict(), IsProved());  // one has nothing but zeros
  CHECK_THAT(Layer<PairedLate>({17, 60, 512 * 3, 64, true}, 3, 2).verdict(), IsProved());
}

TEST_CASE("weights are loaded while the grid before runs", "[linear]") {
  if (!dma::proof::sees_every_access) {
    SKIP("grids are judged together where a proof sees every access");
  }
  Layer<Narrow> behind_x({2, 64, 512}, 1, 1);
  const dma::proof::Grid fill(Fill{}, {1}, behind_x.c.x.data(), static_cast<int>(behind_x.c.x.size()));
  CHECK_THAT(dma::proof::prove(behind_x.options(), fill, behind_x.grid()), IsProved());
  const auto behind_packing = []<class Kernel>(Layer<Kernel> layer) {
    const dma::proof::Grid pack(linear::Pack<BFloat16, 128, false>{}, {4}, layer.c.rows(), layer.c.w.data());
    return dma::proof::prove(layer.options(), pack, layer.grid());
  };
  CHECK_THAT(behind_packing(Layer<Linear<BFloat16, Narrow::form.behind_weights()>>({2, 64, 512}, 1, 1)), IsProved());
  CHECK_FALSE(behind_packing(Layer<Narrow>({2, 64, 512}, 1, 1)).is_proved());
  Layer<Paired> cluster({2, 64, 512}, 2, 2);
  const dma::proof::Grid fill_more(Fill{}, {1}, cluster.c.x.data(), static_cast<int>(cluster.c.x.size()));
  CHECK_THAT(dma::proof::prove(cluster.options(), fill_more, cluster.grid()), IsProved());
  Layer<Narrow> behind_itself({2, 64, 1024}, 2, 2);
  CHECK_THAT(dma::proof::prove(behind_itself.options(), behind_itself.grid(), behind_itself.grid()), IsProved());
}
