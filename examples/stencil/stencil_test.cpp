#include "halo_only.hpp"
#include "tuning.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

using namespace stencil;
using Catch::Matchers::ContainsSubstring;

namespace {

/// An array with its memory. Values in [-1, 1), zero in the padding.
template <class T>
struct Array {
  std::vector<Vec<T>> memory;
  int nx, ny, nz;

  Array(int nx_, int ny_, int nz_, unsigned seed) : nx(nx_), ny(ny_), nz(nz_) {
    memory.resize(static_cast<std::size_t>(Field<T>::padded(nx) * ny * nz) / Vec<T>::width);
    std::minstd_rand random(seed);
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          field().data[field().at(x, y, z)] = static_cast<T>(static_cast<double>(random() % 65536) / 32768 - 1);
        }
      }
    }
  }
  [[nodiscard]] Field<T> field() {
    return {memory.empty() ? nullptr : memory.front().v, nx, ny, nz, Field<T>::padded(nx)};
  }
  [[nodiscard]] Field<const T> view() {
    const Field<T> f = field();
    return {f.data, nx, ny, nz, f.pitch};
  }
};

template <class T, int Radius>
Star<T, Radius> some_star() {
  Star<T, Radius> star{};
  for (int k = 0; k <= Radius; ++k) {
    star.c[k] = static_cast<T>((k % 2 == 0 ? -1.0 : 1.0) / (k + 1.5));
  }
  return star;
}

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

/// Every kernel, on one domain.
template <class T, int Radius>
void expect_right(int nx, int ny, int nz) {
  CAPTURE(Radius, nx, ny, nz, sizeof(T));
  Array<T> in(nx, ny, nz, 7);
  Array<T> out(nx, ny, nz, 8);
  const auto star = some_star<T, Radius>();
  const StoreSum<T> store{out.field().data};
  const auto wrong = [&] {
    const int count = wrong_points(in.view(), star, out.view());
    poison(out);
    return count;
  };
  poison(out);
  dma::unrolled<static_cast<int>(march_shapes<T, Radius>.size())>([&](auto shape) {
    run_march<March<T, Radius, march_shapes<T, Radius>[shape], StoreSum<T>>>(in.view(), star, 3, store);
    REQUIRE(wrong() == 0);
  });
  run_paper<HaloOnlySingle<T, Radius, StoreSum<T>>>(in.view(), star, store);
  REQUIRE(wrong() == 0);
  run_paper<HaloOnlyDouble<T, Radius, StoreSum<T>>>(in.view(), star, store);
  REQUIRE(wrong() == 0);
  run_paper<HaloOnlyManual<T, Radius, StoreSum<T>>>(in.view(), star, store);
  REQUIRE(wrong() == 0);
  run_paper<BlockHaloSingle<T, Radius, StoreSum<T>>>(in.view(), star, store);
  REQUIRE(wrong() == 0);
}

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

TEMPLATE_TEST_CASE("every kernel is within its bound of float64, for every radius", "", float, double) {
  [&]<int... radii>(std::integer_sequence<int, radii...>) { (expect_right<TestType, radii + 1>(37, 19, 9), ...); }
  (std::make_integer_sequence<int, 8>{});
}

TEMPLATE_TEST_CASE("any extents will do", "", float, double) {
  constexpr int extents[][3] = {{1, 1, 1}, {3, 1, 40}, {128, 32, 3}, {129, 33, 2}, {260, 5, 6}, {31, 70, 11}};
  for (const auto& n : extents) {
    expect_right<TestType, 4>(n[0], n[1], n[2]);
  }
}

TEMPLATE_TEST_CASE("a step of the wave goes over the state before", "", float, double) {
  constexpr int radius = 4;
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
