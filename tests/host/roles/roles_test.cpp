#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <exception>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

template <class WarpLayout, int Functions>
struct CountsRoles {
  using Layout = WarpLayout;

  void operator()(const dma::KernelCta<CountsRoles>& cta, int* role_of_thread) const {
    const auto note = [&](int role) { return [&cta, role_of_thread, role] { role_of_thread[cta.thread()] += role; }; };
    if constexpr (Functions == 1) {
      cta.take_roles(note(1), note(10));
    } else if constexpr (Functions == 2) {
      cta.take_roles(note(1), note(10), note(100));
    } else {
      cta.take_roles(note(1), note(2), note(10), note(100));
    }
  }
};

template <class Layout, int Functions>
void expect_roles(int of_first_group, int of_second_group, int of_second_compute_group = 1) {
  std::vector<int> role_of_thread(Layout::threads);
  dma::host::launch(CountsRoles<Layout, Functions>{}, {1}, role_of_thread.data());
  for (int thread = 0; thread < Layout::threads; ++thread) {
    const int group = Layout::group_of_warp(thread / 32);
    const int expected = Layout::is_idle(thread / 32)                                ? 0
                         : group < 0 && thread / 32 < Layout::compute_group_warps(0) ? 1
                         : group < 0                                                 ? of_second_compute_group
                         : group == 0                                                ? of_first_group
                                                                                     : of_second_group;
    REQUIRE(role_of_thread[static_cast<unsigned>(thread)] == expected);
  }
}

using Budgeted = dma::WarpLayout<dma::Compute<4, dma::Registers{216}>, dma::Dma<4, dma::Registers{32}>>;
using Tile = dma::Sequential<float, 64>;
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Budgeted>>;

enum class Way { by_roles, by_roles_twice, forgotten };

struct Copies {
  using Layout = Budgeted;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(const dma::KernelCta<Copies>& cta, const float* in, float* out, Way way) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto compute = [&] {
      const auto handle = pipe.as_compute();
      for (int t = 0; t < 2; ++t) {
        const auto tile = handle.wait();
        for (int i = handle.rank(); i < tile.size(); i += handle.size()) {
          out[t * Tile::count + i] = tile[i];
        }
      }
    };
    const auto load = [&] {
      const auto handle = pipe.as_dma();
      for (int t = 0; t < 2; ++t) {
        handle.load(in + t * Tile::count);
      }
    };
    if (way == Way::forgotten) {
      if (pipe.is_dma()) {
        load();
      } else {
        compute();
      }
    } else {
      cta.take_roles(compute, load);
      if (way == Way::by_roles_twice) {
        cta.take_roles(compute, load);
      }
    }
  }
};

std::string message_of(Way way, const std::vector<float>& in, std::vector<float>& out) {
  try {
    dma::host::launch(Copies{}, {1}, in.data(), out.data(), way);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("each role's function runs once in each of its threads", "[layout][registers]") {
  using dma::Compute, dma::Dma, dma::Registers, dma::WarpLayout;
  expect_roles<WarpLayout<Compute<2>, Dma<1>>, 1>(10, 10);
  expect_roles<WarpLayout<Compute<2>, Dma<1>, Dma<2>>, 1>(10, 10);
  expect_roles<WarpLayout<Compute<2>, Dma<1>, Dma<2>>, 2>(10, 100);
  expect_roles<WarpLayout<Compute<4, Registers{200}>, Dma<4, Registers{40}>, Dma<4, Registers{24}>>, 2>(10, 100);
  expect_roles<WarpLayout<Compute<4, Registers{200}>, Dma<4, Registers{40}>, Dma<4, Registers{40}>>, 1>(10, 10);
  expect_roles<WarpLayout<Compute<2>, Compute<1>, Dma<1>, Dma<2>>, 1>(10, 10);
  expect_roles<WarpLayout<Compute<2>, Compute<1>, Dma<1>, Dma<2>>, 2>(10, 100);
  expect_roles<WarpLayout<Compute<2>, Compute<1>, Dma<1>, Dma<2>>, 3>(10, 100, 2);
  expect_roles<WarpLayout<Compute<2>, Compute<1>, Dma<1>>, 2>(100, 100, 10);
  expect_roles<WarpLayout<Compute<2>, Compute<1>>, 1>(0, 0, 10);
}

TEST_CASE("roles that share a warpgroup take its registers once, idle warps with them", "[layout][registers]") {
  using dma::Compute, dma::Dma, dma::Registers, dma::WarpLayout;
  using Loader = Dma<1, Registers{40}>;
  expect_roles<WarpLayout<Compute<8, Registers{216}>, Loader, Loader>, 2>(10, 100);
  expect_roles<WarpLayout<Compute<8, Registers{216}>, Loader, Loader>, 1>(10, 10);
  expect_roles<WarpLayout<Compute<2, Registers{200}>, Loader, Dma<2, Registers{24}>>, 2>(10, 100);
  expect_roles<WarpLayout<Compute<4, Registers{216}>, Compute<2, Registers{216}>, Loader, Loader>, 3>(10, 100, 2);
}

TEST_CASE("roles with register budgets stream tiles", "[layout][registers]") {
  std::vector<float> in(2 * Tile::count);
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
  }
  std::vector<float> out(in.size());
  REQUIRE(message_of(Way::by_roles, in, out).empty());
  REQUIRE(out == in);
}

TEST_CASE("a host reports register budgets that are not set, or set twice", "[layout][registers]") {
  const std::vector<float> in(2 * Tile::count);
  std::vector<float> out(in.size());
  REQUIRE_THAT(message_of(Way::forgotten, in, out), ContainsSubstring("this warp has not taken its role's"));
  REQUIRE_THAT(message_of(Way::by_roles_twice, in, out), ContainsSubstring("acquires its role's registers once"));
}
