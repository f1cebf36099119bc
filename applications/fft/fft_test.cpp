// The transform against its definition in float64 and against its laws, on the emulator.

#include "dma_warp_pass.hpp"
#include "emulator.hpp"
#include "exact.hpp"
#include "kernels.hpp"
#include "runner.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <complex>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using fft::Columns;
using fft::Complex;
using fft::PassShape;
using fft::Transform;
using Exact = std::complex<double>;

constexpr auto sides = Columns::side_by_side;
constexpr auto runs = Columns::runs;
constexpr int sms = 3;

[[nodiscard]] std::vector<Complex> transformed(const Transform& transform, const std::vector<Complex>& x) {
  const fft::Plan plan = fft::make_plan(transform, sms);
  std::vector<Complex> result(static_cast<std::size_t>(plan.out_points()), Complex{7, 7});
  std::vector<Complex> work(static_cast<std::size_t>(plan.work_points()));
  fft::host_runner().run(plan, x.data(), result.data(), work.data());
  return result;
}

/// The same by passes of these shapes, which no plan for a host has.
template <PassShape... chosen>
[[nodiscard]] std::vector<Complex> transformed_by(const Transform& transform, const std::vector<Complex>& x) {
  const fft::Plan plan = fft::make_plan(transform, sms, {chosen...});
  std::vector<Complex> result(x.size());
  std::vector<Complex> work(x.size());
  std::size_t i = 0;
  (([&] {
     const fft::PlannedPass& pass = plan.passes[i++];
     fft::launch_pass<chosen>(pass, fft::problem_of(pass, x.data(), result.data(), work.data()), fft::Emulator{});
   }()),
   ...);
  return result;
}

template <int Radix>
[[nodiscard]] double error_of_butterfly() {
  constexpr int stride = fft::points_a_thread / Radix;
  const std::vector<Complex> x = fft::random_points(fft::points_a_thread);
  Complex results[fft::points_a_thread];
  std::copy(x.begin(), x.end(), results);
  dma::unrolled<stride>([&](auto first) { fft::butterfly<Radix, first, stride>(results); });
  double worst = 0;
  for (int first = 0; first < stride; ++first) {
    Complex points[Radix];
    for (int r = 0; r < Radix; ++r) {
      points[r] = x[static_cast<std::size_t>(first + r * stride)];
    }
    for (int r = 0; r < Radix; ++r) {
      const Complex result = results[first + r * stride];
      worst = std::max(worst, std::abs(fft::exact_result(points, Radix, r, false) - Exact(result.re, result.im)));
    }
  }
  return worst;
}

/// The same by two passes whose tiles DMA warps bring.
template <PassShape first, PassShape last, fft::PaperLoads loads, int dma_warps>
[[nodiscard]] std::vector<Complex> transformed_by_dma_warps(const Transform& transform, const std::vector<Complex>& x) {
  const fft::Plan plan = fft::make_plan(transform, sms, {first, last});
  std::vector<Complex> result(x.size());
  std::vector<Complex> work(x.size());
  const auto launch = [&]<PassShape shape>(const fft::PlannedPass& pass) {
    const fft::DmaWarpPass<shape, fft::PaperPipe<shape, loads, dma_warps>> kernel;
    fft::Emulator{}.launch(kernel, sms, fft::problem_of(pass, x.data(), result.data(), work.data()), pass.tiles);
  };
  launch.template operator()<first>(plan.passes[0]);
  launch.template operator()<last>(plan.passes[1]);
  return result;
}

/// The most different words of one bank that the lanes of an access have, for 32 lanes of 4 bytes or 16 of 8.
[[nodiscard]] std::size_t ways(int threads, int width, const std::function<int(int)>& index) {
  std::size_t worst = 0;
  const int lanes = 32 / width;
  for (int first = 0; first < threads; first += lanes) {
    std::set<int> words[32];
    for (int thread = first; thread < first + lanes; ++thread) {
      for (int w = 0; w < width; ++w) {
        const int word = index(thread) + w;
        words[word % 32].insert(word);
      }
    }
    for (const std::set<int>& bank : words) {
      worst = std::max(worst, bank.size());
    }
  }
  return worst;
}

/// The same of all accesses of the exchange after `Done` points, and of those that follow.
template <PassShape shape, class Layout, int Done, class From, class To>
[[nodiscard]] std::size_t ways_of_exchanges(const From& from, const To& to) {
  if constexpr (Done * fft::points_a_thread >= shape.points) {
    return 1;
  } else {
    constexpr bool is_wide = decltype(from(0))::has_adjacent_columns && decltype(to(0))::has_adjacent_columns;
    constexpr int width = is_wide ? shape.width : 1;
    constexpr int words = shape.rounds == fft::Rounds::points ? 2 : 1;  // of a part
    std::size_t worst = 0;
    for (int m = 0; m < fft::points_a_thread; ++m) {
      for (int i = 0; i < shape.width; i += width) {
        worst = std::max(worst, ways(shape.threads(), words * width, [&](int thread) {
                           const auto share = from(thread);
                           return words * Layout::index(fft::first_result<Done>(share.point_of(i)) + m * Done,
                                                        share.column_of(i));
                         }));
        worst = std::max(worst, ways(shape.threads(), words * width, [&](int thread) {
                           const auto share = to(thread);
                           return words * Layout::index(share.point_of(i) + m * shape.stride(), share.column_of(i));
                         }));
      }
    }
    return std::max(
        worst, ways_of_exchanges<shape, typename fft::Arrangement<shape>::Later, Done * fft::points_a_thread>(to, to));
  }
}
/// The same of the exchange that gives a thread the mirrored results.
template <PassShape shape>
[[nodiscard]] std::size_t ways_of_mirrored() {
  using Tile = fft::Arrangement<shape>;
  std::size_t worst = 0;
  for (const bool is_mirrored : {false, true}) {
    worst = std::max(worst, ways(shape.threads(), 2, [&](int thread) {
                       const auto share = Tile::by_runs(thread);
                       const int point = is_mirrored ? (shape.stride() - share.point) % shape.stride() : share.point;
                       return 2 * (Tile::Mirrored::index(0, share.column) + point);
                     }));
  }
  return worst;
}
template <PassShape shape>
[[nodiscard]] std::size_t ways_of() {
  using Tile = fft::Arrangement<shape>;
  const auto by_sides = [](int thread) { return Tile::by_sides(thread); };
  const auto by_runs = [](int thread) { return Tile::by_runs(thread); };
  if constexpr (shape.untangles != fft::Untangles::nothing) {
    return ways_of_mirrored<shape>();
  } else if constexpr (shape.to == runs) {
    return ways_of_exchanges<shape, typename Tile::First, 1>(by_runs, by_runs);
  } else if constexpr (shape.from == runs) {
    return ways_of_exchanges<shape, typename Tile::First, 1>(by_runs, by_sides);
  } else {
    return ways_of_exchanges<shape, typename Tile::First, 1>(by_sides, by_sides);
  }
}

}  // namespace

TEST_CASE("butterflies of every radix are transforms") {
  CHECK(error_of_butterfly<2>() < 1e-6);
  CHECK(error_of_butterfly<4>() < 1e-6);
  CHECK(error_of_butterfly<8>() < 1e-6);
  CHECK(error_of_butterfly<16>() < 1e-6);
}

TEST_CASE("roots of unity are off by at most about a rounding") {
  double worst = 0;
  for (const int log : {1, 7, 13, 27}) {
    for (unsigned i = 0; i < 2000; ++i) {
      const unsigned k = i * 2654435761U;
      const double angle = -2 * M_PI * std::ldexp(static_cast<double>(k % (1U << log)), -log);
      const Complex w = fft::root_of_unity(k, log);
      worst = std::max(worst, std::abs(std::polar(1.0, angle) - Exact(w.re, w.im)));
    }
  }
  CHECK(worst < 1.2 * 0x1p-24);
}

TEST_CASE("exchanges have no bank conflicts") {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (
        [&] {
          INFO(fft::shapes[I].points << " x " << fft::shapes[I].columns);
          if constexpr (!fft::shapes[I].only_untangles()) {
            CHECK(ways_of<fft::shapes[I]>() == 1);
          }
        }(),
        ...);
  }
  (std::make_index_sequence<std::size(fft::shapes)>{});
}

TEST_CASE("a transform is that of the definition") {
  for (long long n = 128; n <= 1 << 16; n *= 2) {
    const Transform transform{.points = n, .inverse = n % 3 == 1};
    INFO(to_string(fft::make_plan(transform, sms)));
    const std::vector<Complex> x = fft::random_points(n);
    CHECK(fft::error_of(x.data(), transformed(transform, x).data(), n, transform.inverse, 60) < fft::error_bound(n));
  }
}

TEST_CASE("a transform is linear") {
  for (const long long n : {128LL, 256LL, 512LL, 1024LL, 2048LL, 4096LL, 1LL << 13}) {
    const auto x = fft::random_points(n, 5);
    const auto y = fft::random_points(n, 6);
    const Complex factor{0.75F, -0.5F};
    std::vector<Complex> sum;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum.push_back(x[i] * factor + y[i]);
    }
    const auto of_x = transformed({n}, x);
    const auto of_y = transformed({n}, y);
    const auto of_sum = transformed({n}, sum);
    double worst = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Complex error = of_x[k] * factor + of_y[k] - of_sum[k];
      worst = std::max(worst, std::abs(Exact(error.re, error.im)));
    }
    INFO(n << " points");
    CHECK(worst < 4e-6 * std::sqrt(static_cast<double>(n)));
  }
}

TEST_CASE("real points have half of the results, and a way back") {
  for (const long long n : {256LL, 512LL, 1024LL, 2048LL, 4096LL, 8192LL, 1LL << 14, 1LL << 16}) {
    for (const bool inverse : {false, true}) {
      const Transform transform{.points = n, .inverse = inverse, .numbers = fft::Numbers::real};
      INFO(to_string(fft::make_plan(transform, sms)));
      auto x = fft::random_points(n / 2 + 2);
      x[0].im = 0;
      x[static_cast<std::size_t>(n / 2)].im *= inverse ? 0.0F : 1.0F;
      const auto result = transformed(transform, x);
      const auto points = inverse ? fft::with_conjugates(x.data(), n) : fft::of_reals(x.data(), n);
      const auto results = inverse ? fft::of_reals(result.data(), n) : fft::with_conjugates(result.data(), n);
      CHECK(fft::error_of(points.data(), results.data(), n, inverse, 60) < fft::error_bound(n));
    }
  }
}

TEST_CASE("inputs overlap, as those of a spectrogram") {
  const auto x = fft::random_points(130 + 128);
  const Transform transform{
      .points = 256, .batch = 5, .in_distance = 32, .out_distance = 130, .numbers = fft::Numbers::real};
  const auto results = transformed(transform, x);
  for (int i = 0; i < 5; ++i) {
    const auto points = fft::of_reals(x.data() + i * 32, 256);
    const auto all = fft::with_conjugates(results.data() + i * 130, 256);
    CHECK(fft::error_of(points.data(), all.data(), 256, false, 256) < fft::error_bound(256));
    CHECK(results[static_cast<std::size_t>(i * 130 + 129)].re == 7);
  }
  auto points = x;
  points.resize(5 * 130);
  const fft::Plan in_place = fft::make_plan(
      {.points = 256, .batch = 5, .in_distance = 32, .out_distance = 130, .numbers = fft::Numbers::real}, sms);
  CHECK_THROWS_WITH(fft::host_runner().run(in_place, points.data(), points.data(), nullptr),
                    Catch::Matchers::ContainsSubstring("different distances"));
  const fft::Plan without_gaps = fft::make_plan(
      {.points = 256, .batch = 5, .in_distance = 130, .out_distance = 130, .numbers = fft::Numbers::real}, sms);
  fft::host_runner().run(without_gaps, points.data(), points.data(), nullptr);
  const auto all = fft::with_conjugates(points.data() + 130, 256);
  CHECK(fft::error_of(fft::of_reals(x.data() + 130, 256).data(), all.data(), 256, false, 256) < fft::error_bound(256));
}

TEST_CASE("tiles loaded ahead, and three passes, give the same") {
  const auto x = fft::random_points(2 << 17);
  const auto ahead = transformed_by<PassShape{256, 32, 2, sides, sides, 1, fft::Loads::ahead},
                                    PassShape{512, 16, 2, runs, sides, 1, fft::Loads::ahead}>({1 << 17, 2}, x);
  for (const int at : {0, 1 << 17}) {
    CHECK(fft::error_of(x.data() + at, ahead.data() + at, 1 << 17, false, 20) < fft::error_bound(1 << 17));
  }
  constexpr PassShape column_pass{32, 32};
  const auto in_three = transformed_by<column_pass, column_pass, PassShape{32, 32, 1, runs, sides}>({1 << 15}, x);
  CHECK(fft::error_of(x.data(), in_three.data(), 1 << 15, false, 60) < fft::error_bound(1 << 15));
}

TEST_CASE("tiles that DMA warps bring give the same") {
  constexpr long long n = 1 << 14;
  const auto x = fft::random_points(2 * n);
  const auto expect_transforms = [&](const Transform& transform, const std::vector<Complex>& results) {
    for (int i = 0; i < transform.batch; ++i) {
      CHECK(fft::error_of(x.data() + i * n, results.data() + i * n, n, transform.inverse, 60) < fft::error_bound(n));
    }
  };
  constexpr PassShape parts{128, 16};
  constexpr PassShape points = fft::by_points({256, 16, 2});
  expect_transforms({n, 2}, transformed_by_dma_warps<parts, fft::last(parts), fft::PaperLoads{16, 4}, 2>({n, 2}, x));
  constexpr fft::PaperLoads read_only{8, 16, dma::LoadCache::read_only};
  const Transform inverse{.points = n, .batch = 2, .inverse = true};
  expect_transforms(inverse, transformed_by_dma_warps<points, fft::last(fft::small_64), read_only, 1>(inverse, x));
}

TEST_CASE("a shifted impulse becomes a rotation, whole where it is at 0") {
  std::vector<Complex> x(2048);
  x[0] = {1, 0};
  for (const Complex result : transformed({2048}, x)) {
    REQUIRE((result.re == 1 && result.im == 0));
  }
  std::swap(x[0], x[5]);
  const auto results = transformed({2048}, x);
  double worst = 0;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Exact expected = std::polar(1.0, -2 * M_PI * 5 * static_cast<double>(k) / 2048);
    worst = std::max(worst, std::abs(expected - Exact(results[k].re, results[k].im)));
  }
  CHECK(worst < 4e-7);
}

TEST_CASE("Parseval's law, and an inverse that leads back") {
  const long long n = 1 << 14;
  const auto x = fft::random_points(n);
  const auto results = transformed({n}, x);
  const auto back = transformed({.points = n, .inverse = true}, results);
  double before = 0;
  double after = 0;
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    before += std::norm(Exact(x[i].re, x[i].im));
    after += std::norm(Exact(results[i].re, results[i].im)) / static_cast<double>(n);
    worst = std::max(worst, std::abs(Exact(x[i].re, x[i].im) - Exact(back[i].re, back[i].im) / static_cast<double>(n)));
  }
  CHECK(std::abs(after / before - 1) < 5e-7);
  CHECK(worst < 3e-6);
}

TEST_CASE("a batch has gaps and a partial last tile, and may be in place") {
  const auto x = fft::random_points(5 * 300, 3);
  const Transform transform{.points = 256, .batch = 5, .in_distance = 300, .out_distance = 258};
  const auto results = transformed(transform, x);
  for (int i = 0; i < 5; ++i) {
    CHECK(fft::error_of(x.data() + i * 300, results.data() + i * 258, 256, false, 256) < fft::error_bound(256));
    CHECK(results[static_cast<std::size_t>(i * 258 + 257)].re == 7);
  }
  for (const long long n : {256LL, 1LL << 14}) {
    const auto before = fft::random_points(n);
    auto in_place = before;
    std::vector<Complex> work(before.size());
    fft::host_runner().run(fft::make_plan({n}, sms), in_place.data(), in_place.data(), work.data());
    CHECK(fft::error_of(before.data(), in_place.data(), n, false, 60) < fft::error_bound(n));
  }
}

TEST_CASE("plans refuse what no pass does") {
  const auto refused = [](const Transform& transform, const char* says) {
    CHECK_THROWS_WITH(fft::make_plan(transform, sms), Catch::Matchers::ContainsSubstring(says));
  };
  refused({1000}, "a power of two, and 1000 were asked for; pad");
  refused({1LL << 28}, "2^7 to 2^27 points");
  refused({.points = 128, .batch = 0}, "make batch positive");
  refused({.points = 128, .numbers = fft::Numbers::real}, "2^8 to 2^27 real points");
  refused({.points = 128, .out_distance = 126}, "make the distance at least 128");
  refused({.points = 256, .out_distance = 128, .numbers = fft::Numbers::real}, "make the distance at least 129");
  refused({.points = 128, .in_distance = -2}, "make the distance positive");
  refused({.points = 128, .out_distance = 129}, "make the distance even");
  std::vector<Complex> points(1 << 14);
  const fft::Plan plan = fft::make_plan({1LL << 14}, sms);
  CHECK_THROWS_WITH(fft::host_runner().run(plan, points.data(), points.data(), nullptr),
                    Catch::Matchers::ContainsSubstring("third array"));
  CHECK_THROWS_WITH(
      fft::host_runner().run(
          fft::make_plan(
              {.points = 256, .batch = 2, .inverse = true, .in_distance = 128, .numbers = fft::Numbers::real}, sms),
          points.data(), points.data(), nullptr),
      Catch::Matchers::ContainsSubstring("their inputs overlap"));
  CHECK(to_string(fft::make_plan({1LL << 22}, 132)).find("2^22 points") == 0);
}
