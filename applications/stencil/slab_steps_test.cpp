#include "stencil/host_slabs.hpp"
#include "stencil/random_array.hpp"
#include "stencil/tuning.hpp"

#include <dma/host/launch.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

using namespace stencil;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int ctas = 3;

template <class Kernel, class T, int Radius, class Epilogue>
void launch(const Plan& plan, const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue) {
  const auto map = dma::host::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0));
  dma::PaceCounter counter{};
  dma::host::launch(Kernel{}, {plan.ctas}, map, u, star, plan.work, &counter, epilogue);
  REQUIRE(counter.word == 0);
}

/// How slabs are cut: by their plan, or with ends or without.
enum class Cut { by_plan, ends, chunks };

template <class Kernel>
[[nodiscard]] Plan plan_of(Cut cut, int nx, int ny, int planes) {
  Plan result = steps_plan<Kernel>(nx, ny, planes, ctas);
  if (cut != Cut::by_plan && Kernel::sends != Sends::to_none) {
    const int end = cut == Cut::ends && Kernel::Items::to_above ? Kernel::Items::reach : 0;
    result.work = partition(nx, ny, planes - end, Kernel::cols, Kernel::rows, cut == Cut::ends ? 1 : 2);
    result.work.end = end;
    result.ctas = std::min(ctas, result.work.items());
  }
  return result;
}

/// Passes of two steps over slabs, in one shape, beside twice as many launches of the march over the domain.
template <class T, int Radius, int shape>
void expect_bits_of_one_domain(int nx, int ny, int nz, int count, Cut cut = Cut::by_plan) {
  constexpr int passes = 3;
  CAPTURE(Radius, shape, nx, ny, nz, count, static_cast<int>(cut), sizeof(T));
  const auto star = some_star<T, Radius>();
  Array<T> domain(nx, ny, nz, 5);
  HostSlabs slabs(domain.view(), 2 * Radius, count);
  HostCopy exchange(slabs.slabs());
  for (int i = 0; i < passes; ++i) {
    slabs.step(exchange, [&]<class Epilogue>(const Field<const T>& u, const Slab& slab, const Epilogue& epilogue) {
      using Kernel = Steps<T, Radius, steps_shapes<T, Radius, 2>[shape], Epilogue>;
      launch<Kernel>(plan_of<Kernel>(cut, u.nx, u.ny, slab.planes()), u, star, epilogue);
    });
  }
  for (int i = 0; i < 2 * passes; ++i) {
    using Kernel = March<T, Radius, march_shapes<T, Radius>[0], StoreSum<T>>;
    Array<T> next(nx, ny, nz, 6);
    launch<Kernel>(plan(nx, ny, nz, Radius, Kernel::cols, Kernel::rows, ctas), domain.view(), star,
                   StoreSum<T>{next.field().data});
    domain = next;
  }
  int wrong = 0;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        const T expected = domain.view().data[domain.view().at(x, y, z)];
        const T value = slabs.at(x, y, z);
        wrong += std::memcmp(&value, &expected, sizeof value) == 0 ? 0 : 1;
      }
    }
  }
  REQUIRE(wrong == 0);
}

/// The planes that each CTA loads for its items, which cover each plane of each column once.
template <Sends sends, int Reach>
std::vector<int> loads_of_ctas(const Partition& work, int first_plane, int grid) {
  using Items = SlabItems<sends, Reach>;
  const int planes = work.nz + work.end;
  std::vector<int> writers(static_cast<std::size_t>(work.columns() * planes));
  std::vector<int> loads(static_cast<std::size_t>(grid));
  int finished[ends] = {};
  const Items items{work, first_plane};
  for (int cta = 0; cta < grid; ++cta) {
    bool has_chunks = false;
    items.for_each(cta, grid, [&](const Item& item) {
      const int column = item.y / work.tile_rows * work.columns_x + item.x / work.tile_cols;
      for (int z = item.first; z < item.last; ++z) {
        ++writers[static_cast<std::size_t>(column * planes + z - first_plane)];
      }
      loads[static_cast<std::size_t>(cta)] += item.last - item.first + 2 * Reach;
      const int plane = items.finishing_plane(item);
      if (plane < item.last) {
        const End end = items.finished_end(item);
        ++finished[static_cast<int>(end)];
        REQUIRE(plane == first_plane + (end == End::below ? Reach : planes) - 1);
        REQUIRE(item.first <= (end == End::below ? first_plane : first_plane + planes - Reach));
        REQUIRE((end == End::below || !has_chunks));
      }
      has_chunks = has_chunks || item.last < first_plane + planes;
    });
  }
  REQUIRE(std::all_of(writers.begin(), writers.end(), [](int n) { return n == 1; }));
  REQUIRE(finished[0] == (Items::to_below ? work.columns() : 0));
  REQUIRE(finished[1] == (Items::to_above ? work.columns() : 0));
  return loads;
}

}  // namespace

TEMPLATE_TEST_CASE("two steps at once over slabs have the bits of one domain", "", float, double) {
  for (const int count : {1, 2, 3, 4}) {
    for (const Cut cut : {Cut::by_plan, Cut::ends, Cut::chunks}) {
      expect_bits_of_one_domain<TestType, 1, 0>(37, 9, 24, count, cut);
      expect_bits_of_one_domain<TestType, 2, 0>(37, 9, 35, count, cut);
    }
  }
  expect_bits_of_one_domain<TestType, 1, 0>(131, 70, 13, 3);
  expect_bits_of_one_domain<TestType, 2, 1>(131, 45, 25, 3);
  expect_bits_of_one_domain<TestType, 2, 2>(83, 61, 25, 3);
}

TEST_CASE("what the slab above waits for is made first, and where it is an end, by the CTAs with shorter chunks") {
  for (const int chunks : {2, 3}) {
    Partition work = partition(10, 5, 60, 4, 4, chunks);  // 6 columns
    CAPTURE(chunks);
    for (const int end : {0, 2}) {
      work.end = end;
      for (const int grid : {1, 4, 6 * chunks}) {
        loads_of_ctas<Sends::to_above, 2>(work, 0, grid);
        loads_of_ctas<Sends::to_both, 2>(work, 2, grid);
      }
    }
    for (const auto& loads : {loads_of_ctas<Sends::to_above, 2>(work, 0, 6 * chunks),
                              loads_of_ctas<Sends::to_both, 2>(work, 2, 6 * chunks)}) {
      const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
      REQUIRE(*most - *least <= 1);
    }
    work.end = 0;
    loads_of_ctas<Sends::to_none, 2>(work, 0, 5);
    loads_of_ctas<Sends::to_below, 2>(work, 2, 5);
  }
}

TEST_CASE(
    "the plan of a slab has chunks as thick as what its neighbours wait for, and no CTA loads more than it says") {
  const auto expect_plan = []<Sends sends>(int nx, int ny, int planes) {
    using Store = SlabEpilogue<StoreSum<float>, sends, RaiseFlag>;
    with_slab_steps<float, 2, 2, Store>(nx, ny, planes, 132, [&]<class Kernel>(const Kernel&, const Plan& plan) {
      REQUIRE(plan.work.nz + plan.work.end == planes);
      REQUIRE(plan.ctas <= 132);
      const auto loads = loads_of_ctas<sends, 4>(plan.work, 4, plan.ctas);
      REQUIRE(1LL * *std::max_element(loads.begin(), loads.end()) * Kernel::cols * Kernel::rows * Kernel::cost / 100 <=
              plan.cost);
    });
  };
  for (const int planes : {8, 9, 23, 100, 256}) {
    CAPTURE(planes);
    expect_plan.operator()<Sends::to_below>(512, 512, planes);
    expect_plan.operator()<Sends::to_above>(512, 512, planes);
    expect_plan.operator()<Sends::to_both>(512, 512, planes);
    expect_plan.operator()<Sends::to_both>(800, 800, planes);
  }
}

TEST_CASE("what the slab above waits for is in whole chunks where CTAs make several") {
  using Above = SlabEpilogue<StoreSum<float>, Sends::to_above, RaiseFlag>;
  const auto end_of_plan = []<int Radius>(dma::Constant<Radius>, int nx, int ny, int planes) {
    int end = -1;
    with_slab_steps<float, Radius, 2, Above>(nx, ny, planes, 132,
                                             [&](const auto&, const Plan& plan) { end = plan.work.end; });
    return end;
  };
  REQUIRE(end_of_plan(dma::Constant<1>{}, 512, 512, 256) == 2);  // 64 columns of 128 x 32, two chunks, one round
  REQUIRE(end_of_plan(dma::Constant<2>{}, 512, 512, 256) == 0);  // 88 columns of 128 x 24, three chunks, two rounds
  REQUIRE(end_of_plan(dma::Constant<2>{}, 800, 800, 100) == 0);
  REQUIRE_THROWS_WITH(end_of_plan(dma::Constant<1>{}, 512, 512, 3),
                      ContainsSubstring("3 planes of a slab") && ContainsSubstring("needs 4"));
}

TEST_CASE("steps at once over a slab refuse chunks that are too thin, and missing counters") {
  using Epilogue = SlabEpilogue<StoreSum<float>, Sends::to_both, RaiseFlag>;
  using Kernel = Steps<float, 1, steps_shapes<float, 1, 2>[0], Epilogue>;
  Array<float> in(9, 5, 12, 1);
  const auto map = dma::host::tensor_map<Kernel::Plane>(in.view().data, Kernel::plane_at(in.view(), 0, 0, 0));
  dma::PaceCounter counter{};
  dma::ArrivalCounter finished[ends]{};
  const auto run = [&](int chunks, dma::ArrivalCounter* counters) {
    dma::host::launch(Kernel{}, {1}, map, in.view(), some_star<float, 1>(),
                      partition(9, 5, 6, Kernel::cols, Kernel::rows, chunks), &counter,
                      Epilogue{{nullptr}, 2, counters, {nullptr, 1}});
  };
  REQUIRE_THROWS_WITH(run(6, finished), ContainsSubstring("do not have the 2 planes that each neighbour waits for"));
  REQUIRE_THROWS_WITH(run(1, finished), ContainsSubstring("do not have the 2 planes that each neighbour waits for"));
  REQUIRE_THROWS_WITH(run(2, nullptr), ContainsSubstring("give two dma::ArrivalCounters that are zero"));
}
