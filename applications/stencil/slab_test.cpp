#include "host_slabs.hpp"
#include "random_array.hpp"
#include "tuning.hpp"

#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

using namespace stencil;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int radius = 2;
constexpr int ctas = 3;
constexpr MarchShape shape = march_shapes<float, radius>[0];

constexpr auto march = []<class Epilogue>(const Field<const float>& u, const Slab& slab, const Epilogue& epilogue) {
  using Kernel = March<float, radius, shape, Epilogue>;
  const Plan plan =
      stencil::plan(u.nx, u.ny, slab.planes(), radius, Kernel::cols, Kernel::rows, ctas, sends_of<Epilogue>);
  const auto map = dma::host::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0));
  dma::PaceCounter counter{};
  dma::host::launch(Kernel{}, {plan.ctas}, map, u, some_star<float, radius>(), plan.work, &counter, epilogue);
  REQUIRE(counter.word == 0);
};

/// One step in float64 of a field and of the bound of its error: the errors of the points around, and one rounding for
/// each product and sum.
struct Bounded {
  int nx, ny, nz;
  std::vector<double> value;
  std::vector<double> error;

  [[nodiscard]] std::size_t at(int x, int y, int z) const { return static_cast<std::size_t>((z * ny + y) * nx + x); }
  void step() {
    const auto star = some_star<float, radius>();
    Bounded next{nx, ny, nz, std::vector<double>(value.size()), std::vector<double>(value.size())};
    constexpr double rounding = static_cast<double>(std::numeric_limits<float>::epsilon()) / 2;
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          double sum = 0;
          double size = 0;
          double error_of_terms = 0;
          const auto add = [&](int k, int px, int py, int pz) {
            if (px >= 0 && px < nx && py >= 0 && py < ny && pz >= 0 && pz < nz) {
              const double c = static_cast<double>(star.c[k]);
              sum += c * value[at(px, py, pz)];
              size += std::abs(c) * (std::abs(value[at(px, py, pz)]) + error[at(px, py, pz)]);
              error_of_terms += std::abs(c) * error[at(px, py, pz)];
            }
          };
          add(0, x, y, z);
          for (int k = 1; k <= radius; ++k) {
            for (const int d : {-k, k}) {
              add(k, x + d, y, z);
              add(k, x, y + d, z);
              add(k, x, y, z + d);
            }
          }
          next.value[at(x, y, z)] = sum;
          next.error[at(x, y, z)] = error_of_terms + (6 * radius + 4) * rounding * size;
        }
      }
    }
    *this = next;
  }
};

}  // namespace

TEST_CASE("slabs divide a domain and keep their neighbours' planes beside their own") {
  for (const int nz : {2, 9, 23, 24}) {
    for (int count = 1; count <= 5 && nz / count >= radius; ++count) {
      int next = 0;
      for (int i = 0; i < count; ++i) {
        const Slab s = slab(nz, radius, i, count);
        CAPTURE(nz, count, i);
        REQUIRE(s.first == next);
        REQUIRE((s.planes() == nz / count || s.planes() == nz / count + 1));
        REQUIRE(s.depth() == s.planes() + (i > 0 ? radius : 0) + (i + 1 < count ? radius : 0));
        if (s.has(End::above)) {
          const Slab above = slab(nz, radius, i + 1, count);
          REQUIRE(s.sent(End::above) - s.local(0) == above.received(End::below) - above.local(0));
          REQUIRE(s.received(End::above) - s.local(0) == above.sent(End::below) - above.local(0));
        }
        next = s.last;
      }
      REQUIRE(next == nz);
    }
  }
  REQUIRE_THROWS_WITH(slab(9, radius, 0, 5),
                      ContainsSubstring("9 planes in 5 slabs") && ContainsSubstring("at most 4"));
}

TEST_CASE("the ends that neighbours wait for are marched from first") {
  const auto legs = [](auto sends, int chunks) {
    const Partition work = partition(10, 5, 24, 4, 4, chunks);
    std::vector<int> owners(24 * 6);
    for (int i = 0; i < work.items(); ++i) {
      const Leg l = leg<decltype(sends)::value>(work, i);
      const bool at_low = l.item.first == 0 && (sends() == Sends::to_below || sends() == Sends::to_both);
      const bool at_high = l.item.last == 24 && (sends() == Sends::to_above || sends() == Sends::to_both);
      CAPTURE(chunks, i, l.item.first, l.item.last);
      REQUIRE(l.is_at_end == (at_low || at_high));
      REQUIRE((!l.is_at_end || l.is_up == at_low));
      REQUIRE((!l.is_at_end || i < work.columns() * (sends() == Sends::to_both ? 2 : 1)));
      for (int z = l.item.first; z < l.item.last; ++z) {
        ++owners[static_cast<std::size_t>((z * 2 + l.item.y / 4) * 3 + l.item.x / 4)];
      }
    }
    for (const int count : owners) {
      REQUIRE(count == 1);
    }
  };
  for (const int chunks : {1, 2, 3, 5}) {
    legs(std::integral_constant<Sends, Sends::to_none>{}, chunks);
    legs(std::integral_constant<Sends, Sends::to_below>{}, chunks);
    legs(std::integral_constant<Sends, Sends::to_above>{}, chunks);
    legs(std::integral_constant<Sends, Sends::to_both>{}, chunks);
  }
}

// The first slab marches upwards where one slab does: it adds in the same order.
TEST_CASE("one to five slabs are one domain, within the bound of float64, and bitwise where they march upwards") {
  constexpr int steps = 3;
  for (const auto& n : {std::array{37, 9, 23}, {45, 70, 13}, {131, 5, 10}}) {
    Array<float> domain(n[0], n[1], n[2], 5);
    Bounded exact{n[0], n[1], n[2], {}, std::vector<double>(static_cast<std::size_t>(n[0] * n[1] * n[2]))};
    for (int z = 0; z < n[2]; ++z) {
      for (int y = 0; y < n[1]; ++y) {
        for (int x = 0; x < n[0]; ++x) {
          exact.value.push_back(static_cast<double>(domain.view().data[domain.view().at(x, y, z)]));
        }
      }
    }
    for (int i = 0; i < steps; ++i) {
      exact.step();
    }
    HostSlabs one(domain.view(), radius, 1);
    HostCopy to_none(one.slabs());
    for (int i = 0; i < steps; ++i) {
      one.step(to_none, march);
    }
    for (int count = 2; count <= 5; ++count) {
      HostSlabs several(domain.view(), radius, count);
      HostCopy exchange(several.slabs());
      int wrong = 0;
      int different_above = 0;
      for (int i = 0; i < steps; ++i) {
        several.step(exchange, march);
      }
      for (int z = 0; z < n[2]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
          for (int x = 0; x < n[0]; ++x) {
            const float value = several.at(x, y, z);
            const std::size_t at = exact.at(x, y, z);
            wrong += std::abs(static_cast<double>(value) - exact.value[at]) <= exact.error[at] ? 0 : 1;
            // What a step reads of the slabs that march downwards differs: these planes are too far above.
            const bool is_far = z >= several.slabs().back().first + steps * radius;
            different_above += is_far && value != one.at(x, y, z) ? 1 : 0;
          }
        }
      }
      CAPTURE(n[0], n[1], n[2], count);
      REQUIRE(wrong == 0);
      REQUIRE(different_above == 0);
    }
  }
}

TEST_CASE("a chunk that is thinner than its neighbour needs, and missing counters, are refused") {
  using Epilogue = SlabEpilogue<StoreSum<float>, Sends::to_above, RaiseFlag>;
  using Kernel = March<float, radius, shape, Epilogue>;
  Array<float> in(9, 5, 8, 1);
  const auto map = dma::host::tensor_map<Kernel::Plane>(in.view().data, Kernel::plane_at(in.view(), 0, 0, 0));
  dma::PaceCounter counter{};
  dma::ArrivalCounter finished[ends]{};
  const auto run = [&](int chunks, dma::ArrivalCounter* counters) {
    dma::host::launch(Kernel{}, {1}, map, in.view(), some_star<float, radius>(),
                      partition(9, 5, 6, Kernel::cols, Kernel::rows, chunks), &counter,
                      Epilogue{{nullptr}, 0, counters, {nullptr, 1}});
  };
  REQUIRE_THROWS_WITH(run(6, finished), ContainsSubstring("chunks of 1 planes never finish the 2"));
  REQUIRE_THROWS_WITH(run(1, nullptr), ContainsSubstring("give two dma::ArrivalCounters that are zero"));
}
