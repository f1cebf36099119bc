// The kernels, which begin early, proved behind each other and between grids that write what they read.

#include "gemm/host.hpp"
#include "writes.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

namespace {

using dma::proof::Grid;
using dma::proof::IsProved;
using gemm::BFloat16;
using gemm::TileShape;

/// C = A B^T, where C has as many elements in a row as A. Two CTAs or two clusters.
template <class Of, int Rows, int Size, int Whole>
struct Product {
  using Kernel = Of;
  static constexpr int rows = Rows;
  static constexpr int size = Size;
  static constexpr int whole = Whole;  ///< tiles that are not divided
};
using Whole = Product<gemm::Gemm<BFloat16, TileShape{128, 64}, 2>, 256, 64, 0>;
using Divided = Product<gemm::Gemm<BFloat16, TileShape{128, 64}, 2>, 128, 128, 1>;
using OfClusters =
    Product<gemm::ClusterGemm<BFloat16, TileShape{.rows = 128, .columns = 64, .down = 2}, 2>, 256, 64, 0>;
using Split = Product<gemm::SplitGemm<BFloat16, TileShape{.rows = 128, .columns = 128, .deep = 2}, 2>, 128, 128, 0>;

template <class Product>
struct Case {
  using Kernel = typename Product::Kernel;
  static constexpr int rows = Product::rows;
  static constexpr int size = Product::size;

  std::vector<BFloat16> a, b, c;
  gemm::Plan plan;
  std::vector<dma::Vector<float>> sums;
  std::vector<dma::ArrivalCounter> arrivals;

  Case()
      : a(std::size_t{rows} * size, BFloat16(1.0F)),
        b(std::size_t{size} * size, BFloat16(1.0F)),
        c(a.size()),
        plan(gemm::make_plan(rows, size, size, 2, Kernel::shape, Product::whole)),
        sums(gemm::sums_of(plan)),
        arrivals(gemm::counters_of(plan)) {}

  [[nodiscard]] auto multiply(const std::vector<BFloat16>& from, std::vector<BFloat16>& to) {
    const gemm::Problem<BFloat16> p{rows, size, size, from.data(), size, b.data(), size, to.data(), size};
    return Grid(Kernel{}, {plan.ctas * Kernel::shape.ctas()}, gemm::host_maps<Kernel>(p), p, plan,
                gemm::Workspace{sums.data(), arrivals.data()});
  }
  [[nodiscard]] dma::proof::Options options() {
    return {.outputs = {dma::proof::output(a, "a"), dma::proof::output(b, "b"), dma::proof::output(c, "c"),
                        dma::proof::output(sums, "sums"), dma::proof::output(arrivals, "arrivals")}};
  }
};

}  // namespace

TEMPLATE_TEST_CASE("products are proved behind each other, each of what the one before writes", "", Whole, Divided,
                   OfClusters, Split) {
  Case<TestType> of;
  CHECK_THAT(dma::proof::prove(of.options(), of.multiply(of.a, of.c), of.multiply(of.c, of.a)), IsProved());
}

TEMPLATE_TEST_CASE("products are proved between grids that write a matrix", "", Whole, Divided, OfClusters, Split) {
  Case<TestType> of;
  const Grid writes(Writes<BFloat16>{}, {1}, of.b.data(), static_cast<int>(of.b.size()), BFloat16(2.0F));
  CHECK_THAT(dma::proof::prove(of.options(), writes, of.multiply(of.a, of.c), writes), IsProved());
}
