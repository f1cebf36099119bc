// The kernels on the emulator: every variant, shape and stride against float64, the special values of BLAS, and equal
// results every time.

#include "runner.hpp"
#include "variants.hpp"

#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using sgemv::elements_of;
using sgemv::Op;
using sgemv::Problem;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// A problem with its arrays: small integers, so that every sum is exact, and NaN where a kernel must not read.
struct Case {
  std::vector<float> a, x, y;
  Problem p;

  Case(Op op, int m, int n, int pad, int incx, int incy, float alpha, float beta)
      : a(static_cast<std::size_t>(m + pad) * static_cast<std::size_t>(n), not_a_number), p{op,      m,       n,
                                                                                            alpha,   nullptr, m + pad,
                                                                                            nullptr, incx,    beta,
                                                                                            nullptr, incy} {
    x.assign(elements_of(p.summed(), incx), not_a_number);
    y.assign(elements_of(p.outputs(), incy), not_a_number);
    p.a = a.data();
    p.x = x.data();
    p.y = y.data();
    std::minstd_rand random(7);
    const auto value = [&] { return static_cast<float>(static_cast<int>(random() % 17) - 8); };
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        a[static_cast<std::size_t>(j * p.lda + i)] = value();
      }
    }
    for (int i = 0; i < p.summed(); ++i) {
      x_at(i) = value();
    }
    for (int i = 0; i < p.outputs() && beta != 0; ++i) {
      y_at(i) = value();
    }
  }

  float& x_at(int i) { return x[place(i, p.summed(), p.incx)]; }
  float& y_at(int i) { return y[place(i, p.outputs(), p.incy)]; }
  float& a_at(int i, int j) { return a[static_cast<std::size_t>(j * p.lda + i)]; }

  /// Runs one variant. Returns the number of outputs that differ from float64.
  int count_wrong(const std::string& variant) {
    std::vector<double> expected(static_cast<std::size_t>(p.outputs()));
    for (int o = 0; o < p.outputs(); ++o) {
      double sum = 0;
      for (int s = 0; s < p.summed() && p.alpha != 0; ++s) {
        sum += static_cast<double>(p.op == Op::n ? a_at(o, s) : a_at(s, o)) * x_at(s);
      }
      expected[static_cast<std::size_t>(o)] =
          p.alpha * sum + (p.beta == 0 ? 0.0 : static_cast<double>(p.beta) * y_at(o));
    }
    sgemv::host_runner().load(p);
    sgemv::host_runner().run(variant);
    int wrong = 0;
    for (int o = 0; o < p.outputs(); ++o) {
      wrong += y_at(o) != static_cast<float>(expected[static_cast<std::size_t>(o)]);
    }
    return wrong;
  }

 private:
  [[nodiscard]] static std::size_t place(int i, int count, int stride) {
    return static_cast<std::size_t>(stride > 0 ? i * stride : (count - 1 - i) * -stride);
  }
};

}  // namespace

TEST_CASE("every variant is exact where float32 can be", "[sgemv]") {
  const Op op = GENERATE(Op::n, Op::t);
  const std::string variant =
      GENERATE(Catch::Generators::from_range(std::begin(sgemv::variant_names), std::end(sgemv::variant_names)));
  CAPTURE(variant, op == Op::t);
  REQUIRE(Case(op, 64, 520, 0, 1, 1, 2, 0).count_wrong(variant) == 0);
  REQUIRE(Case(op, 64, 521, 0, 1, 1, 2, 0).count_wrong(variant) == 0);
  REQUIRE(Case(op, 300, 4, 4, 1, 1, 1, -1).count_wrong(variant) == 0);
  REQUIRE(Case(op, 37, 261, 3, 1, 2, 2, 3).count_wrong(variant) == 0);
  REQUIRE(Case(op, 1, 33, 0, -2, 1, 2, 0).count_wrong(variant) == 0);
  REQUIRE(Case(op, 259, 1, 1, 3, -3, 1, 0.5F).count_wrong(variant) == 0);
}

TEST_CASE("the kernel of every shape is right", "[sgemv]") {
  struct Shape {
    int m, n;
  };
  const Op op = GENERATE(Op::n, Op::t);
  const Shape shape =
      GENERATE(Shape{100, 100}, Shape{600, 300}, Shape{700, 1100}, Shape{8, 9000}, Shape{200, 9000}, Shape{2048, 1100},
               Shape{1000, 2000}, Shape{1500, 1300}, Shape{2564, 700}, Shape{3600, 600}, Shape{5200, 520},
               Shape{14340, 516}, Shape{300, 9000}, Shape{4000, 100}, Shape{1536, 1100});
  CAPTURE(shape.m, shape.n, op == Op::t);
  REQUIRE(Case(op, shape.m, shape.n, 0, 1, 1, 1, 0).count_wrong("best") == 0);
}

TEST_CASE("a sum in parts resets its workspace for the next launch", "[sgemv]") {
  const Op op = GENERATE(Op::n, Op::t);
  Case wide(op, op == Op::n ? 200 : 9000, op == Op::n ? 9000 : 12, 0, 1, 1, 1, 0);
  for (std::size_t i = 0; i < wide.a.size(); ++i) {
    wide.a[i] = 1 / (static_cast<float>(i % 1013) + 0.7F);
  }
  const sgemv::WorkspaceSize size = sgemv::workspace_of("best", wide.p);
  REQUIRE(size.partial_sums > 0);
  std::vector<double> partial(size.partial_sums);
  std::vector<dma::ArrivalCounter> arrivals(size.counters);
  const auto run = [&] {
    const sgemv::Workspace workspace{partial.data(), arrivals.data()};
    sgemv::with_kernel("best", wide.p, [&](const auto& kernel, const sgemv::Plan& plan) {
      dma::host::launch(kernel, plan.grid(), wide.p, workspace);
    });
    for (const dma::ArrivalCounter& counter : arrivals) {
      REQUIRE(counter.arrived == 0);
    }
  };
  run();
  const std::vector<float> first = std::exchange(wide.y, std::vector<float>(wide.y.size(), not_a_number));
  wide.p.y = wide.y.data();
  run();
  REQUIRE(wide.y == first);
}

TEST_CASE("special values propagate as in BLAS", "[sgemv]") {
  const Op op = GENERATE(Op::n, Op::t);
  const std::string variant = GENERATE("vec-manual", "both-single", "best");
  CAPTURE(variant, op == Op::t);

  Case no_alpha(op, 40, 40, 0, 1, 1, 0, 2);
  for (float& element : no_alpha.a) {
    element = not_a_number;  // not read
  }
  const std::vector<float> before = no_alpha.y;
  sgemv::host_runner().load(no_alpha.p);
  sgemv::host_runner().run(variant);
  for (std::size_t i = 0; i < before.size(); ++i) {
    REQUIRE(no_alpha.y[i] == 2 * before[i]);
  }

  Case nothing(op, 40, 40, 0, 1, 1, 0, 0);
  sgemv::host_runner().load(nothing.p);
  sgemv::host_runner().run(variant);
  REQUIRE(nothing.y == std::vector<float>(40, 0.0F));

  for (const int m : {41, 44}) {  // narrow accesses, and wide ones
    Case special(op, m, 300, m % 4 == 0 ? 4 : 3, 1, 1, 1, 0);
    special.a_at(5, 17) = not_a_number;
    special.a_at(7, 11) = infinity;
    special.x_at(op == Op::n ? 11 : 7) = 2;
    sgemv::host_runner().load(special.p);
    sgemv::host_runner().run(variant);
    for (int o = 0; o < special.p.outputs(); ++o) {
      REQUIRE(std::isnan(special.y_at(o)) == (o == (op == Op::n ? 5 : 17)));
      REQUIRE(std::isinf(special.y_at(o)) == (o == (op == Op::n ? 7 : 11)));
    }
  }
}

TEST_CASE("invalid arguments are refused as in BLAS, and empty problems do nothing", "[sgemv]") {
  const auto run = [](const Problem& p) {
    sgemv::host_runner().load(p);
    sgemv::host_runner().run("best");
  };
  Case good(Op::n, 8, 8, 0, 1, 1, 1, 1);
  const std::vector<float> y = good.y;
  Problem p = good.p;
  p.n = 0;
  run(p);
  REQUIRE(good.y == y);
  p = good.p;
  p.alpha = 0;
  run(p);
  REQUIRE(good.y == y);

  p = good.p;
  p.lda = 7;
  REQUIRE_THROWS_WITH(sgemv::workspace_of("best", p),
                      "sgemv: lda is from one column to the next; give at least m, and at least 1");
  p = good.p;
  p.incx = 0;
  REQUIRE_THROWS_WITH(sgemv::workspace_of("best", p),
                      "sgemv: incx and incy are from one element to the next; give none that is 0");
  p = good.p;
  p.m = -1;
  REQUIRE_THROWS_WITH(sgemv::workspace_of("best", p),
                      "sgemv: m and n are numbers of rows and columns; give none below 0");
}
