// The kernels, which begin early, proved behind each other and between grids that write what they read.

#include "sgemv/variants.hpp"
#include "writes.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <vector>

namespace {

using dma::proof::Grid;
using dma::proof::IsProved;
using sgemv::Access;
using sgemv::Op;
using sgemv::Problem;
using sgemv::Tile;

using Direct = sgemv::Direct<Op::n, Tile{16, 128}, 4, Access{}>;
using DirectOfTransposed = sgemv::Direct<Op::t, Tile{128, 16}, 4, Access{}>;
using Vec = sgemv::Vec<Op::n, Tile{32, 64}, dma::MultiBuffer<sgemv::VecWarps, 2>, Access{}>;
using DirectOfConstant = sgemv::Direct<Op::n, Tile{16, 128}, 4, Access{.a_is_constant = true}>;
using BothOfConstant = sgemv::Both<Op::n, Tile{32, 64}, sgemv::Streamed<4, 2>, Access{.a_is_constant = true}>;
using Both = sgemv::Both<Op::n, Tile{32, 64}, sgemv::Streamed<4, 2>, Access{}>;

/// A of `size` rows and columns with x and y, whose sums are divided into `parts`.
struct Case {
  static constexpr int size = 128;
  std::vector<float> a, x, y;
  std::vector<double> partial;
  std::vector<dma::ArrivalCounter> arrivals;
  sgemv::Plan plan;

  Case(Op op, int outputs, int parts)
      : a(std::size_t{size} * size, 1.0F),
        x(size, 1.0F),
        y(size, 1.0F),
        partial(static_cast<std::size_t>(parts) * size),
        arrivals(size),
        plan{size / outputs, parts},
        op_(op) {}

  [[nodiscard]] sgemv::Workspace workspace() { return {partial.data(), arrivals.data()}; }
  [[nodiscard]] Problem y_of_x() { return {op_, size, size, 2, a.data(), size, x.data(), 1, 0.5F, y.data(), 1}; }
  [[nodiscard]] Problem x_of_y() { return {op_, size, size, 2, a.data(), size, y.data(), 1, 0.5F, x.data(), 1}; }
  [[nodiscard]] dma::proof::Options options() {
    return {.outputs = {dma::proof::output(a, "a"), dma::proof::output(x, "x"), dma::proof::output(y, "y"),
                        dma::proof::output(partial, "partial"), dma::proof::output(arrivals, "arrivals")}};
  }

 private:
  Op op_;
};

}  // namespace

TEMPLATE_TEST_CASE("products are proved behind each other, each of what the one before writes", "", Direct,
                   DirectOfTransposed, Vec, Both, DirectOfConstant, BothOfConstant) {
  for (const int parts : {1, 2}) {
    Case of(std::is_same_v<TestType, DirectOfTransposed> ? Op::t : Op::n, TestType::outputs, parts);
    CAPTURE(parts);
    CHECK_THAT(dma::proof::prove(of.options(), Grid(TestType{}, of.plan.grid(), of.y_of_x(), of.workspace()),
                                 Grid(TestType{}, of.plan.grid(), of.x_of_y(), of.workspace())),
               IsProved());
  }
}

TEMPLATE_TEST_CASE("products are proved between grids that write their matrix", "", Direct, DirectOfTransposed, Vec,
                   Both) {
  Case of(std::is_same_v<TestType, DirectOfTransposed> ? Op::t : Op::n, TestType::outputs, 1);
  const Grid writes(Writes<float>{}, {1}, of.a.data(), Case::size * Case::size, 3.0F);
  CHECK_THAT(
      dma::proof::prove(of.options(), writes, Grid(TestType{}, of.plan.grid(), of.y_of_x(), of.workspace()), writes),
      IsProved());
}

TEMPLATE_TEST_CASE("a matrix that is called constant is no grid's output", "", DirectOfConstant, BothOfConstant) {
  Case of(Op::n, TestType::outputs, 1);
  const auto verdict =
      dma::proof::prove(of.options(), Grid(Writes<float>{}, {1}, of.a.data(), Case::size * Case::size, 3.0F),
                        Grid(TestType{}, of.plan.grid(), of.y_of_x(), of.workspace()));
  CHECK_THAT(verdict, dma::proof::FailsBy(dma::proof::FindingKind::race));
  CHECK_THAT(verdict.message, Catch::Matchers::ContainsSubstring("of a, while thread"));
}

TEST_CASE("a product by no matrix is proved behind itself and between grids that write y") {
  Case of(Op::n, 1, 1);
  const Grid writes(Writes<float>{}, {1}, of.y.data(), Case::size, 3.0F);
  const Grid scales(sgemv::ScaleY{}, {1}, of.y_of_x(), of.workspace());
  CHECK_THAT(dma::proof::prove(of.options(), writes, scales, scales, writes), IsProved());
}
