#include "halo_only.hpp"
#include "random_array.hpp"
#include "runner.hpp"
#include "tuning.hpp"

#include <dma/host/launch.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

using namespace stencil;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The star's sum in float64, and the largest error of a sum of its terms in any order: one rounding for each of the
/// products and sums.
struct Exact {
  double sum = 0;
  double bound = 0;
};
template <class T, int Radius>
Exact exact(const Field<const T>& u, const Star<T, Radius>& star, int x, int y, int z) {
  Exact result;
  const auto add = [&](int k, int px, int py, int pz) {
    if (px >= 0 && px < u.nx && py >= 0 && py < u.ny && pz >= 0 && pz < u.nz) {
      const double term = static_cast<double>(star.c[k]) * static_cast<double>(u.data[(pz * u.ny + py) * u.pitch + px]);
      result.sum += term;
      result.bound += std::abs(term);
    }
  };
  add(0, x, y, z);
  for (int k = 1; k <= Radius; ++k) {
    for (const int step : {-k, k}) {
      add(k, x + step, y, z);
      add(k, x, y + step, z);
      add(k, x, y, z + step);
    }
  }
  result.bound *= (6 * Radius + 4) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  return result;
}

/// Points that are farther from the exact sum than the bound allows, and touched elements of the padding.
template <class T, int Radius>
int wrong_points(const Field<const T>& u, const Star<T, Radius>& star, const Field<const T>& out) {
  int wrong = 0;
  for (int z = 0; z < u.nz; ++z) {
    for (int y = 0; y < u.ny; ++y) {
      for (int x = 0; x < u.nx; ++x) {
        const Exact expected = exact(u, star, x, y, z);
        const double error = std::abs(static_cast<double>(out.data[out.at(x, y, z)]) - expected.sum);
        wrong += error <= expected.bound ? 0 : 1;  // NaN is wrong too
      }
      for (long long x = u.nx; x < out.pitch; ++x) {
        wrong += out.data[out.at(static_cast<int>(x), y, z)] == 0 ? 0 : 1;
      }
    }
  }
  return wrong;
}

template <class T>
void poison(Array<T>& out) {
  const Field<T> f = out.field();
  for (int z = 0; z < f.nz; ++z) {
    for (int y = 0; y < f.ny; ++y) {
      for (int x = 0; x < f.nx; ++x) {
        f.data[f.at(x, y, z)] = std::numeric_limits<T>::quiet_NaN();
      }
    }
  }
}

template <class Kernel, class T, int Radius, class Epilogue>
void run_march(const Field<const T>& u, const Star<T, Radius>& star, int ctas, const Epilogue& epilogue) {
  const auto map = dma::host::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0));
  const Plan plan = stencil::plan(u.nx, u.ny, u.nz, Radius, Kernel::cols, Kernel::rows, ctas);
  dma::PaceCounter counter{};
  dma::host::launch(Kernel{}, {plan.ctas}, map, u, star, plan.work, &counter, epilogue);
  REQUIRE(counter.word == 0);
}

template <class Kernel, class T, int Radius, class Epilogue>
void run_paper(const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue) {
  dma::host::launch(Kernel{}, {(u.nx + paper_cols - 1) / paper_cols, (u.ny + paper_rows - 1) / paper_rows}, u, star,
                    epilogue);
}

/// Runs of several kernels on one domain, each of which has to write every point.
template <class T, int Radius>
class Domain {
 public:
  Domain(int nx, int ny, int nz) : in_(nx, ny, nz, 7), out_(nx, ny, nz, 8) {}

  /// The march that the program chooses, which is compiled with it.
  void expect_chosen_march() {
    const std::vector<T> coefficients(star_.c, star_.c + Radius + 1);
    expect_right([&] { host_runner().march(in_.view(), coefficients, out_.field()); });
  }
  void expect_every_march() {
    dma::unrolled<static_cast<int>(march_shapes<T, Radius>.size())>([&](auto shape) {
      using Kernel = March<T, Radius, march_shapes<T, Radius>[shape], StoreSum<T>>;
      expect_right([&] { run_march<Kernel>(in_.view(), star_, 3, store()); });
    });
  }
  void expect_paper_kernels() {
    expect_right([&] { run_paper<HaloOnlySingle<T, Radius, StoreSum<T>>>(in_.view(), star_, store()); });
    expect_right([&] { run_paper<HaloOnlyDouble<T, Radius, StoreSum<T>>>(in_.view(), star_, store()); });
    expect_right([&] { run_paper<HaloOnlyManual<T, Radius, StoreSum<T>>>(in_.view(), star_, store()); });
    expect_right([&] { run_paper<BlockHaloSingle<T, Radius, StoreSum<T>>>(in_.view(), star_, store()); });
  }

 private:
  template <class Run>
  void expect_right(const Run& run) {
    CAPTURE(Radius, in_.nx, in_.ny, in_.nz, sizeof(T));
    poison(out_);
    run();
    REQUIRE(wrong_points(in_.view(), star_, out_.view()) == 0);
  }
  [[nodiscard]] StoreSum<T> store() { return {out_.field().data}; }

  Array<T> in_;
  Array<T> out_;
  Star<T, Radius> star_ = some_star<T, Radius>();
};

}  // namespace

TEST_CASE("a partition gives every point to one item") {
  for (const int nx : {1, 31, 128, 200}) {
    for (const int ny : {1, 32, 33, 100}) {
      for (const int nz : {1, 7, 64}) {
        for (const int chunks : {1, 2, 5, 9}) {
          CAPTURE(nx, ny, nz, chunks);
          const Partition work = partition(nx, ny, nz, 128, 32, chunks);
          std::vector<int> owners(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny * nz));
          for (int i = 0; i < work.items(); ++i) {
            const Item item = work.item(i);
            REQUIRE(item.first < item.last);
            REQUIRE(item.last - item.first <= nz / work.chunks + 1);
            for (int z = item.first; z < item.last; ++z) {
              for (int y = item.y; y < item.y + 32 && y < ny; ++y) {
                for (int x = item.x; x < item.x + 128 && x < nx; ++x) {
                  ++owners[(static_cast<std::size_t>(z) * static_cast<std::size_t>(ny) + static_cast<std::size_t>(y)) *
                               static_cast<std::size_t>(nx) +
                           static_cast<std::size_t>(x)];
                }
              }
            }
          }
          for (const int count : owners) {
            REQUIRE(count == 1);
          }
        }
      }
    }
  }
}

TEST_CASE("a plan keeps the CTAs equally busy") {
  for (const auto& n : {std::array{512, 512, 512}, {640, 640, 400}, {800, 800, 200}, {333, 217, 101}, {1, 1, 1}}) {
    const Plan plan = stencil::plan(n[0], n[1], n[2], 4, 128, 32, 132);
    const int rounds = (plan.work.items() + 131) / 132;
    REQUIRE(plan.ctas <= 132);
    REQUIRE(plan.ctas * rounds >= plan.work.items());
    REQUIRE(plan.ctas * rounds < plan.work.items() + rounds);
  }
}

TEMPLATE_TEST_CASE("the march is within its bound of float64, for every radius", "", float, double) {
  [&]<int... radii>(std::integer_sequence<int, radii...>) {
    (Domain<TestType, radii + 1>(37, 19, 9).expect_chosen_march(), ...);
  }
  (std::make_integer_sequence<int, 8>{});
}

// The least radius, the paper's and the greatest: what lies between differs in a loop's end. A GPU has them all.
TEST_CASE("the paper's kernels are within their bound of float64, at three radii") {
  Domain<float, 1>(37, 19, 9).expect_paper_kernels();
  Domain<float, 4>(37, 19, 9).expect_paper_kernels();
  Domain<float, 8>(37, 19, 9).expect_paper_kernels();
  Domain<double, 1>(37, 19, 9).expect_paper_kernels();
  Domain<double, 8>(37, 19, 9).expect_paper_kernels();
}

TEMPLATE_TEST_CASE("any extents will do", "", float, double) {
  constexpr int extents[][3] = {{1, 1, 1},    {3, 1, 40},  {37, 19, 9}, {128, 32, 3},
                                {129, 33, 2}, {260, 5, 6}, {31, 70, 11}};
  for (const auto& n : extents) {
    Domain<TestType, radius> domain(n[0], n[1], n[2]);
    domain.expect_every_march();
    domain.expect_paper_kernels();
  }
}

TEMPLATE_TEST_CASE("a step of the wave goes over the state before", "", float, double) {
  Array<TestType> now(45, 21, 13, 1);
  Array<TestType> before(45, 21, 13, 2);
  Array<TestType> kept = before;
  const auto star = some_star<TestType, radius>();
  const StepWave<TestType> step{now.field().data, before.field().data, TestType(0.05), TestType(0.16), 5};
  with_march<TestType, radius, StepWave<TestType>>(
      now.view(), 3, [&](auto kernel, const Plan&) { run_march<decltype(kernel)>(now.view(), star, 3, step); });
  const double epsilon = static_cast<double>(std::numeric_limits<TestType>::epsilon());
  int wrong = 0;
  for (int z = 0; z < 13; ++z) {
    for (int y = 0; y < 21; ++y) {
      for (int x = 0; x < 45; ++x) {
        const long long at = now.view().at(x, y, z);
        const Exact laplacian = exact(now.view(), star, x, y, z);
        const double factor = static_cast<double>(z < 5 ? step.upper : step.lower);
        const double twice = 2.0 * static_cast<double>(now.view().data[at]);
        const double last = static_cast<double>(kept.view().data[at]);
        const double expected = twice - last + factor * laplacian.sum;
        // Three more operations, each of which rounds once.
        const double bound = factor * laplacian.bound +
                             2 * epsilon * (std::abs(twice) + std::abs(last) + std::abs(factor * laplacian.sum));
        const double error = std::abs(static_cast<double>(before.view().data[at]) - expected);
        wrong += error <= bound ? 0 : 1;
      }
    }
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("steps of the program have the bits of as many of its marches, at every radius") {
  for (int radius = 1; radius <= 8; ++radius) {
    std::vector<float> coefficients;
    for (int k = 0; k <= radius; ++k) {
      coefficients.push_back((k % 2 == 0 ? -1.0F : 1.0F) / (static_cast<float>(k) + 1.5F));
    }
    Array<float> in(37, 19, 9, 1);
    Array<float> expected(37, 19, 9, 2);
    host_runner().march(in.view(), coefficients, expected.field());
    for (const int count : {2, 3}) {
      CAPTURE(radius, count);
      Array<float> next(37, 19, 9, 3);
      host_runner().march(expected.view(), coefficients, next.field());
      expected = next;
      Array<float> at_once(37, 19, 9, 4);
      poison(at_once);
      host_runner().steps(in.view(), coefficients, count, at_once.field());
      REQUIRE(std::memcmp(at_once.memory.data(), expected.memory.data(), expected.memory.size() * sizeof(Vec<float>)) ==
              0);
    }
  }
}

TEST_CASE("a partition for other tiles and a missing counter are refused") {
  using Kernel = March<float, 4, march_shapes<float, 4>[1], StoreSum<float>>;
  Array<float> in(9, 5, 3, 1);
  const auto map = dma::host::tensor_map<Kernel::Plane>(in.view().data, Kernel::plane_at(in.view(), 0, 0, 0));
  dma::PaceCounter counter{};
  const auto run = [&](int tile_rows, dma::PaceCounter* pace_counter) {
    dma::host::launch(Kernel{}, {1}, map, in.view(), some_star<float, 4>(),
                      partition(9, 5, 3, Kernel::cols, tile_rows, 1), pace_counter, StoreSum<float>{nullptr});
  };
  REQUIRE_THROWS_WITH(run(40, &counter), ContainsSubstring("tiles of 128 x 40 points and the kernel has 128 x 32"));
  REQUIRE_THROWS_WITH(run(32, nullptr), ContainsSubstring("give a dma::PaceCounter that is zero"));
}
