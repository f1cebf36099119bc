#include "stencil/random_array.hpp"
#include "stencil/tuning.hpp"

#include <dma/host/launch.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

using namespace stencil;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class Kernel, class T, int Radius>
void run(const Field<const T>& u, const Star<T, Radius>& star, int halo, int ctas, const Field<T>& out) {
  const auto map = dma::host::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0));
  const Plan plan = stencil::plan(u.nx, u.ny, u.nz, halo, Kernel::cols, Kernel::rows, ctas);
  dma::PaceCounter counter{};
  dma::host::launch(Kernel{}, {plan.ctas}, map, u, star, plan.work, &counter, StoreSum<T>{out.data});
  REQUIRE(counter.word == 0);
}

template <class T, int Radius>
using One = March<T, Radius, march_shapes<T, Radius>[0], StoreSum<T>>;

/// The star's sums of a field in float64, and what those of floating-point numbers may be away from them: a rounding
/// for each product and sum, and what the terms themselves are away.
struct Exact {
  std::vector<double> sums;
  std::vector<double> bounds;
};
template <class T, int Radius>
Exact step(const Exact& u, const Star<T, Radius>& star, int nx, int ny, int nz) {
  const auto at = [=](int x, int y, int z) {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(ny) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(nx) +
           static_cast<std::size_t>(x);
  };
  constexpr double rounding = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  Exact result{std::vector<double>(u.sums.size()), std::vector<double>(u.sums.size())};
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        double sum = 0;
        double bound = 0;
        const auto add = [&](int k, int px, int py, int pz) {
          if (px >= 0 && px < nx && py >= 0 && py < ny && pz >= 0 && pz < nz) {
            const auto c = static_cast<double>(star.c[k]);
            const double value = u.sums[at(px, py, pz)];
            sum += c * value;
            bound += std::abs(c) * (u.bounds[at(px, py, pz)] + (6 * Radius + 4) * rounding * std::abs(value));
          }
        };
        add(0, x, y, z);
        for (int k = 1; k <= Radius; ++k) {
          for (const int away : {-k, k}) {
            add(k, x + away, y, z);
            add(k, x, y + away, z);
            add(k, x, y, z + away);
          }
        }
        result.sums[at(x, y, z)] = sum;
        result.bounds[at(x, y, z)] = bound * 1.0001;  // products of roundings
      }
    }
  }
  return result;
}

/// Points of a field that are not what they should be, and touched elements of its padding.
template <class T, class IsRight>
int wrong_points(const Field<const T>& f, const IsRight& is_right) {
  int wrong = 0;
  std::size_t i = 0;
  for (int z = 0; z < f.nz; ++z) {
    for (int y = 0; y < f.ny; ++y) {
      for (int x = 0; x < f.nx; ++x) {
        wrong += is_right(i++, f.data[f.at(x, y, z)]) ? 0 : 1;
      }
      for (long long x = f.nx; x < f.pitch; ++x) {
        wrong += f.data[f.at(static_cast<int>(x), y, z)] == 0 ? 0 : 1;
      }
    }
  }
  return wrong;
}
template <class T>
std::vector<T> values(const Field<const T>& f) {
  std::vector<T> all;
  static_cast<void>(wrong_points(f, [&](std::size_t, T value) {
    all.push_back(value);
    return true;
  }));
  return all;
}
template <class T>
void poison(const Field<T>& f) {
  for (int z = 0; z < f.nz; ++z) {
    for (int y = 0; y < f.ny; ++y) {
      for (int x = 0; x < f.nx; ++x) {
        f.data[f.at(x, y, z)] = std::numeric_limits<T>::quiet_NaN();
      }
    }
  }
}

/// Steps in one pass over a domain, in every shape, beside as many launches of the march, and beside float64.
template <class T, int Radius, int Count>
void expect_steps(int nx, int ny, int nz, int ctas) {
  const auto star = some_star<T, Radius>();
  Array<T> in(nx, ny, nz, 7);
  const std::vector<T> from = values(in.view());
  Exact exact{{from.begin(), from.end()}, std::vector<double>(from.size())};
  Array<T> march = in;
  for (int i = 0; i < Count; ++i) {
    exact = step(exact, star, nx, ny, nz);
    Array<T> next(nx, ny, nz, 9);
    run<One<T, Radius>>(march.view(), star, Radius, ctas, next.field());
    march = next;
  }
  const std::vector<T> expected = values(march.view());

  constexpr auto& shapes = steps_shapes<T, Radius, Count>;
  dma::unrolled<static_cast<int>(shapes.size())>([&](auto shape) {
    CAPTURE(Radius, Count, nx, ny, nz, ctas, sizeof(T), static_cast<int>(shape));
    Array<T> out(nx, ny, nz, 8);
    poison(out.field());
    run<Steps<T, Radius, shapes[shape]>>(in.view(), star, Count * Radius, ctas, out.field());
    REQUIRE(wrong_points(out.view(), [&](std::size_t i, T value) {
              return std::abs(static_cast<double>(value) - exact.sums[i]) <= exact.bounds[i];  // NaN is wrong too
            }) == 0);
    REQUIRE(wrong_points(out.view(), [&](std::size_t i, T value) {
              return std::memcmp(&value, &expected[i], sizeof value) == 0;
            }) == 0);
  });
}

/// Where threads of a step that follow one another read and store: places of 16 bytes.
template <class Kernel, int s>
int shared_bank_conflicts() {
  constexpr auto& rows = Kernel::in_rows;
  int conflicts = 0;
  for (int first = 0; first + 8 <= rows.threads[s] * 3; first += 8) {  // eight threads make one access
    bool is_read[8] = {};
    for (int thread = first; thread < first + 8; ++thread) {
      const int vector = thread % rows.threads[s];
      const int row = thread / rows.threads[s] * Kernel::template points<s>;
      if (vector < rows.vectors[s]) {
        bool& bank = is_read[(row * rows.pitch[s] + vector) % 8];
        conflicts += bank ? 1 : 0;
        bank = true;
      }
    }
  }
  return conflicts;
}

}  // namespace

TEMPLATE_TEST_CASE("steps in one pass have the bits of as many launches of the march", "", float, double) {
  expect_steps<TestType, 1, 2>(37, 19, 9, 3);
  expect_steps<TestType, 2, 2>(37, 19, 9, 3);
  expect_steps<TestType, 1, 3>(37, 19, 9, 3);
}

TEMPLATE_TEST_CASE("steps in one pass, any extents", "", float, double) {
  constexpr int extents[][3] = {{1, 1, 1}, {3, 1, 40}, {128, 32, 3}, {129, 33, 2}, {64, 48, 2}, {31, 70, 4}};
  for (const auto& n : extents) {
    expect_steps<TestType, 1, 2>(n[0], n[1], n[2], 3);
    expect_steps<TestType, 2, 2>(n[0], n[1], n[2], 1);
    expect_steps<TestType, 1, 3>(n[0], n[1], n[2], 2);
  }
}

TEST_CASE("two steps of radius 3 in one pass have the bits of two launches of the march") {
  expect_steps<float, 3, 2>(37, 19, 9, 3);
  expect_steps<float, 3, 2>(1, 1, 1, 3);
  expect_steps<float, 3, 2>(129, 33, 2, 1);
  expect_steps<float, 3, 2>(31, 50, 8, 3);
}

TEST_CASE("steps are one pass where that is faster, and launches of the march elsewhere") {
  const auto is_one_pass_of = []<class T, int Radius, int Count>(T, dma::Constant<Radius>, dma::Constant<Count>, int nx,
                                                                 int ny, int nz) {
    return with_steps<T, Radius, Count>({nullptr, nx, ny, nz, Field<T>::padded(nx)}, 132,
                                        [](const auto&, const Plan& plan) { REQUIRE(plan.ctas <= 132); });
  };
  const auto is_one_pass = [&](auto radius, auto count, int nx, int ny, int nz) {
    return is_one_pass_of(float{}, radius, count, nx, ny, nz);
  };
  constexpr dma::Constant<1> one;
  constexpr dma::Constant<2> two;
  constexpr dma::Constant<3> three;
  REQUIRE(is_one_pass(one, two, 512, 512, 512));
  REQUIRE(is_one_pass(two, two, 512, 512, 512));
  REQUIRE(is_one_pass(one, three, 512, 512, 512));
  REQUIRE(is_one_pass(two, two, 37, 19, 9));
  REQUIRE(!is_one_pass(two, two, 128, 32 * 132, 1));  // a tile each for the march, and two of a third less
  REQUIRE(is_one_pass(three, two, 512, 512, 512));
  REQUIRE(!is_one_pass_of(double{}, three, two, 512, 512, 512));
  REQUIRE(!is_one_pass(dma::Constant<4>{}, two, 512, 512, 512));
  REQUIRE(!is_one_pass(two, three, 512, 512, 512));
}

TEST_CASE("steps one by one end in the output, by way of the other array") {
  for (const int count : {1, 2, 3}) {
    CAPTURE(count);
    float memory[3] = {};  // input, between, output
    std::vector<const float*> from;
    std::vector<float*> to;
    step_by_step(count, Field<const float>{memory, 1, 1, 1, 1}, memory + 1, memory + 2,
                 [&](const Field<const float>& u, float* next) {
                   from.push_back(u.data);
                   to.push_back(next);
                 });
    REQUIRE(from.front() == memory);
    REQUIRE(to.back() == memory + 2);
    REQUIRE(std::vector<const float*>(from.begin() + 1, from.end()) ==
            std::vector<const float*>(to.begin(), to.end() - 1));
    REQUIRE(to.size() == static_cast<std::size_t>(count));
  }
}

TEST_CASE("steps in one pass have the shape that suits a domain") {
  const auto rows_of = []<int Radius>(dma::Constant<Radius>, int nx, int ny, int nz) {
    int rows = 0;
    REQUIRE(with_steps<float, Radius, 2>({nullptr, nx, ny, nz, Field<float>::padded(nx)}, 132,
                                         [&](const auto& kernel, const Plan&) { rows = kernel.rows; }));
    return rows;
  };
  const auto rows_of_tile = [&](int nx, int ny, int nz) { return rows_of(dma::Constant<2>{}, nx, ny, nz); };
  REQUIRE(rows_of_tile(512, 512, 512) == 24);
  REQUIRE(rows_of_tile(800, 800, 200) == 30);  // 8 x 27 tiles of 100 x 30, five rounds of a third
  REQUIRE(rows_of_tile(640, 640, 400) == 40);  // 8 x 16 tiles of 80 x 40, one round of 132
  constexpr dma::Constant<3> three;
  REQUIRE(rows_of(three, 512, 512, 512) == 21);  // 5 x 25 tiles of 104 x 21, one round
  REQUIRE(rows_of(three, 800, 800, 200) == 20);  // 8 x 40 tiles of 100 x 20, five rounds of a half
  REQUIRE(rows_of(three, 640, 640, 400) == 15);  // 5 x 43 tiles of 128 x 15, five rounds of a third
  REQUIRE(rows_of(three, 1024, 1024, 512) == 21);
}

TEST_CASE("rows of threads in one pass follow one another without bank conflicts") {
  using Wide = Steps<float, 1, steps_shapes<float, 1, 2>[0]>;
  REQUIRE(shared_bank_conflicts<Wide, 0>() == 0);
  REQUIRE(shared_bank_conflicts<Wide, 1>() == 0);
  using Low = Steps<float, 2, steps_shapes<float, 2, 2>[0]>;
  REQUIRE(shared_bank_conflicts<Low, 0>() == 0);
  REQUIRE(shared_bank_conflicts<Low, 1>() == 0);
  using Narrow = Steps<float, 2, steps_shapes<float, 2, 2>[1]>;
  REQUIRE(shared_bank_conflicts<Narrow, 0>() == 0);
  REQUIRE(shared_bank_conflicts<Narrow, 1>() == 0);
  REQUIRE(Narrow::in_rows.threads[0] == 28);  // one more than a row has vectors
  using Three = Steps<float, 1, steps_shapes<float, 1, 3>[0]>;
  REQUIRE(shared_bank_conflicts<Three, 0>() == 0);
  REQUIRE(shared_bank_conflicts<Three, 1>() == 0);
  REQUIRE(shared_bank_conflicts<Three, 2>() == 0);
  REQUIRE(Three::left == 1);  // planes begin within a sector: those that begin before one have conflicts
  REQUIRE(Wide::left == 2);
}

TEST_CASE("steps in one pass refuse a partition for other tiles and a missing counter") {
  using Kernel = Steps<float, 1, steps_shapes<float, 1, 2>[0]>;
  Array<float> in(9, 5, 3, 1);
  const auto map = dma::host::tensor_map<Kernel::Plane>(in.view().data, Kernel::plane_at(in.view(), 0, 0, 0));
  dma::PaceCounter counter{};
  const auto launch = [&](int tile_rows, dma::PaceCounter* pace_counter) {
    dma::host::launch(Kernel{}, {1}, map, in.view(), some_star<float, 1>(),
                      partition(9, 5, 3, Kernel::cols, tile_rows, 1), pace_counter, StoreSum<float>{nullptr});
  };
  REQUIRE_THROWS_WITH(launch(40, &counter), ContainsSubstring("tiles of 128 x 40 points and the kernel has 128 x 32"));
  REQUIRE_THROWS_WITH(launch(32, nullptr), ContainsSubstring("give a dma::PaceCounter that is zero"));
}

TEST_CASE("a partition cuts planes evenly, whatever their number") {
  for (const int nz : {1, 7, 64, 2147483647}) {
    for (const int chunks : {1, 2, 3, 16}) {
      const Partition work = partition(8, 8, nz, 8, 8, chunks);
      for (int i = 0; i < work.items(); ++i) {
        REQUIRE(work.item(i).first == static_cast<long long>(nz) * i / work.chunks);
        REQUIRE(work.item(i).last == static_cast<long long>(nz) * (i + 1) / work.chunks);
      }
    }
  }
}
