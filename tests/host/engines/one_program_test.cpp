// The host runs the lines that a GPU runs: lanes exchange what they have looked up, many CTAs limit their copies.

#include "kernels/box_list.hpp"

#include <dma/dma.hpp>
#include <dma/host/emulation/single_group_emulator.hpp>
#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace {

/// A lane that looks up a row of the gather.
struct Lookup {
  int lane;
  int run;
};
std::vector<Lookup> lookups;

/// Rows of 16 bytes at positions that are read, in reverse order.
struct Reversed {
  using Element = int;
  static constexpr int rows = 64;
  static constexpr int tile_bytes = rows * 16;
  static constexpr int max_run_count = rows;
  static constexpr int max_run_bytes = 16;
  static constexpr int run_alignment = 16;
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true, .is_indexed = true};

  [[nodiscard]] constexpr bool is_full() const { return true; }
  [[nodiscard]] constexpr int size() const { return rows * 4; }
  [[nodiscard]] constexpr int run_count() const { return rows; }
  [[nodiscard]] constexpr dma::Run run_at(int run) const {
    if (!std::is_constant_evaluated()) {
      lookups.push_back({dma::machine::thread_rank() % 32, run});
    }
    return {(rows - 1 - run) * 16LL, run * 16, 16};
  }
};

template <class Engine>
struct Gathers {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Reversed, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<Gathers>& cta, const int* in, int* out) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
    } else {
      const auto compute = pipe.as_compute();
      const auto slot = compute.wait();
      for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
        out[i] = slot[i];
      }
    }
  }
};

/// 32 CTAs fit an SM, with two tiles of 4 KB each: more copies than an SM takes well.
struct ManyCtas {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<int, 1024>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::BulkCopy<>>;
  static constexpr int ctas = 40;
  static constexpr int tiles = 5;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<ManyCtas>& cta, const int* in, int* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles * ctas), [&](const auto& dma, int t) { dma.load(in + t % 7 * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          if (compute.rank() == 0) {
            out[t] = tile[t % Tile::count];
          }
        });
  }
};

/// Lane i of each warp copies the byte that lane `i ^ 1` has read.
struct SwapsLanes {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::EngineTraits traits{.name = "SwapsLanes"};

  template <class Pattern, int Threads, class Slot>
  static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    slot.wait_until_empty();
    for (int run = 0; run < pattern.run_count(); ++run) {
      const dma::Run at = pattern.run_at(run);
      for (int first = 0; first < at.bytes; first += Threads) {
        const int byte = first + thread;
        const int read = byte < at.bytes ? source[at.global + byte] : 0;
        const int other = dma::machine::shuffle(read, thread % 32 ^ 1);
        dma::machine::sync_warp();
        const int back = dma::machine::shuffle(other, thread % 32 ^ 1);
        if (byte < at.bytes) {
          slot.data()[at.shared + byte] = static_cast<unsigned char>(back);
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("each lane of a bulk gather looks up rows of its own", "[one_program]") {
  std::vector<int> in(Reversed::rows * 4);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<int>(i);
  }
  std::vector<int> out(in.size());
  lookups.clear();
  dma::host::launch(Gathers<dma::BulkCopy<>>{}, {1}, in.data(), out.data());
  for (std::size_t i = 0; i < out.size(); ++i) {
    REQUIRE(out[i] == static_cast<int>((63 - i / 4) * 4 + i % 4));
  }
  // Before the wait for the slot, lane i reads rows i and i + 32.
  REQUIRE(lookups.size() >= 64);
  for (int row = 0; row < 64; ++row) {
    REQUIRE(std::any_of(lookups.begin(), lookups.begin() + 64,
                        [&](const Lookup& lookup) { return lookup.run == row && lookup.lane == row % 32; }));
  }
}

TEST_CASE("a list of 36 boxes arrives whole, and is proved", "[one_program]") {
  const std::vector<int> memory = box_list::memory();
  const std::vector<int> table = box_list::page_table();
  const box_list::Tile tile = box_list::tile_of(table.data());
  const auto map = dma::host::tensor_map(memory.data(), tile);
  std::vector<int> out(box_list::out_ints, -1);
  dma::host::launch(box_list::Body{}, {box_list::sequences}, map, tile, out.data());
  REQUIRE(box_list::count_wrong(out) == 0);
  REQUIRE_THAT(dma::proof::prove({.outputs = {dma::proof::output(out)}}, box_list::Body{}, {box_list::sequences}, map,
                                 tile, out.data()),
               dma::proof::IsProved());
}

TEST_CASE("many CTAs of an SM limit their copies on a host too", "[one_program]") {
  REQUIRE(
      dma::detail::are_too_many_copies(32, 1, ManyCtas::Pipe::stages, ManyCtas::Tile::tile_bytes, dma::Thresholds{}));
  std::vector<int> in(7 * ManyCtas::Tile::count);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<int>(i * 3);
  }
  std::vector<int> out(ManyCtas::tiles * ManyCtas::ctas);
  dma::host::launch(ManyCtas{}, {ManyCtas::ctas}, in.data(), out.data());
  for (int t = 0; t < ManyCtas::tiles * ManyCtas::ctas; ++t) {
    REQUIRE(out[static_cast<std::size_t>(t)] == 3 * (t % 7 * 1024 + t % 1024));
  }
  REQUIRE_THAT(
      dma::proof::prove({.outputs = {dma::proof::output(out)}}, ManyCtas{}, {ManyCtas::ctas}, in.data(), out.data()),
      dma::proof::IsProved());
}

TEST_CASE("an engine whose lanes shuffle keeps the law of engines", "[one_program]") {
  REQUIRE(dma::host::broken_law<SwapsLanes>(dma::Strided<float, 12, 5>{64}) == "");
}

TEST_CASE("a group's lanes that do not all shuffle are an error", "[one_program]") {
  dma::host::detail::SingleGroupEmulator group;
  REQUIRE_THROWS_WITH(group.run(64,
                                [](int thread) {
                                  if (thread % 32 != 7) {
                                    dma::machine::sync_warp();
                                  }
                                }),
                      Catch::Matchers::ContainsSubstring("others have ended"));
  int later = 0;
  REQUIRE_THROWS_AS(group.run(32,
                              [&](int thread) {
                                if (thread == 3) {
                                  throw std::runtime_error("lane 3");
                                }
                                dma::machine::sync_warp();
                                ++later;
                              }),
                    std::runtime_error);
  REQUIRE(later == 0);
  group.run(64, [&](int thread) { later += dma::machine::shuffle(thread, 5) == thread / 32 * 32 + 5 ? 1 : 0; });
  REQUIRE(later == 64);
}
