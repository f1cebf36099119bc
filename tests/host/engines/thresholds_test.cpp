// The defaults' thresholds as a value: of the GPU that is named, or of a selector of the user's own.

#include <dma/dma.hpp>
#include <dma/explain/print.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>
#include <string>
#include <type_traits>

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 1024>;
using Rows = dma::Strided<float, 256, 16>;
template <class Pattern, class Buffering>
using Engine = typename dma::DmaPipeline<Pattern, Buffering>::Engine;

/// Prefers bulk copies wherever there are any.
struct Bulk {
  constexpr dma::Thresholds operator()(dma::GpuClass) const {
    return {.measured_on = "a simulator", .shortest_bulk_load_run = 512, .longest_async_tile = 0};
  }
};

template <class Buffering>
std::string explained() {
  std::ostringstream text;
  text << dma::explain<dma::DmaPipeline<Tile, Buffering>>();
  return text.str();
}

}  // namespace

TEST_CASE("a selector in the buffering replaces the thresholds of the defaults", "[engines][thresholds]") {
  using Usual = dma::MultiBuffer<Warps>;
  using Own = dma::Tuned<Bulk, Usual>;
  STATIC_REQUIRE(std::is_same_v<Engine<Tile, Usual>, dma::AsyncCopy<>>);
  STATIC_REQUIRE(std::is_same_v<Engine<Tile, Own>, dma::BulkCopy<>>);
  STATIC_REQUIRE(std::is_same_v<Engine<Rows, Usual>, dma::AsyncCopy<>>);
  STATIC_REQUIRE(std::is_same_v<Engine<Rows, Own>, dma::BulkCopy<>>);
}

TEST_CASE("automatic stages hold the bytes in flight of the thresholds", "[engines][thresholds]") {
  struct Few {
    constexpr dma::Thresholds operator()(dma::GpuClass) const { return {.bytes_in_flight_of_one_cta = 16 * 1024}; }
  };
  using Pipe = dma::DmaPipeline<Tile, dma::Tuned<Few, dma::MultiBuffer<Warps>>>;
  STATIC_REQUIRE(Pipe::stages == 16 * 1024 / Tile::tile_bytes);
  STATIC_REQUIRE(dma::DmaPipeline<Tile, dma::MultiBuffer<Warps>>::stages == 40 * 1024 / Tile::tile_bytes);
  // A number that a kernel names stays.
  STATIC_REQUIRE(dma::DmaPipeline<Tile, dma::Tuned<Few, dma::MultiBuffer<Warps, 3>>>::stages == 3);
}

TEST_CASE("a selector sees the GPU's class", "[engines][thresholds]") {
  struct Echo {
    constexpr dma::Thresholds operator()(dma::GpuClass gpu) const {
      return {.bytes_in_flight_of_one_cta = gpu.bandwidth, .bytes_in_flight_an_sm = gpu.architecture};
    }
  };
  // A host compiler knows no architecture; 4800 GB/s are an H200's.
  constexpr dma::Thresholds seen = dma::Tuned<Echo, dma::MultiBuffer<Warps>>::thresholds;
  STATIC_REQUIRE(seen.bytes_in_flight_of_one_cta == 4800);
  STATIC_REQUIRE(seen.bytes_in_flight_an_sm == 900);
}

TEST_CASE("an SM of less shared memory has room for the slots of the defaults", "[engines][thresholds]") {
  // Guide, Technical Specifications per Compute Capability: KB of shared memory and most CTAs of an SM.
  const struct {
    int architecture, kilobytes, ctas;
  } sms[] = {{800, 164, 32},  {860, 100, 16},  {890, 100, 24},  {900, 228, 32},
             {1000, 228, 32}, {1030, 228, 32}, {1100, 228, 24}, {1200, 100, 24}};
  for (const auto& sm : sms) {
    CAPTURE(sm.architecture);
    const dma::Thresholds by = dma::detail::MeasuredThresholds{}({.architecture = sm.architecture});
    const int all = sm.kilobytes * 1024;
    // Twice three stages of the longest slot, their barriers and the system's kilobyte; a fourth KB would be too much.
    CHECK(2 * (3 * (by.longest_slot_of_three_stages + 2 * 8) + 1024) <= all);
    CHECK(2 * (3 * (by.longest_slot_of_three_stages + 1024) + 2 * 1024) > all);
    CHECK(by.bytes_in_flight_an_sm + sm.ctas * 1024 <= all);
    CHECK(by.bytes_in_flight_an_sm >= 64 * 1024);
    CHECK((std::string(by.measured_on) == "NVIDIA H200") == (sm.architecture == 900));
  }
  // On an H200 as in the trials.
  const dma::Thresholds usual = dma::detail::MeasuredThresholds{}({});
  CHECK(usual.longest_slot_of_three_stages == 37 * 1024);
  CHECK(usual.bytes_in_flight_an_sm == 96 * 1024);
}

TEST_CASE("explain names the GPU whose thresholds chose", "[engines][thresholds]") {
  using Catch::Matchers::ContainsSubstring;
  REQUIRE_THAT(explained<dma::MultiBuffer<Warps>>(), ContainsSubstring("thresholds           of NVIDIA H200"));
  REQUIRE_THAT((explained<dma::Tuned<Bulk, dma::MultiBuffer<Warps>>>()),
               ContainsSubstring("thresholds           of a simulator"));
}
