#include <dma/buffering/multi_buffer.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/pipeline/copy_limit.hpp>
#include <dma/pipeline/cursor.hpp>
#include <dma/pipeline/store_window.hpp>
#include <dma/roles/warp_layout.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

TEST_CASE("the k-th tile is in stage k mod stages and generation k / stages", "[cursor]") {
  for (int stages = 1; stages <= 16; ++stages) {
    dma::detail::Cursor cursor;
    for (int k = 0; k < 200; ++k) {
      REQUIRE(cursor.stage == k % stages);
      REQUIRE(cursor.parity == static_cast<unsigned>(k / stages % 2));
      REQUIRE(cursor.wrapped == (k >= stages));
      cursor.advance(stages);
    }
  }
}

TEST_CASE("a cursor tells the stage and parity of a tile before it", "[cursor]") {
  for (int stages = 1; stages <= 7; ++stages) {
    dma::detail::Cursor cursor;
    for (int k = 0; k < 40; ++k) {
      for (int tiles = 1; tiles <= stages; ++tiles) {
        REQUIRE(cursor.follows(tiles) == (k >= tiles));
        if (k >= tiles) {
          const dma::detail::Cursor earlier = cursor.before(stages, tiles);
          REQUIRE(earlier.stage == (k - tiles) % stages);
          REQUIRE(earlier.parity == static_cast<unsigned>((k - tiles) / stages % 2));
        }
      }
      cursor.advance(stages);
    }
  }
}

TEST_CASE("advancing by n tiles is advancing n times by one", "[cursor]") {
  for (int stages = 1; stages <= 7; ++stages) {
    dma::detail::Cursor start;
    for (int before = 0; before < 3 * stages; ++before) {
      for (int tiles = 0; tiles < 40; ++tiles) {
        dma::detail::Cursor at_once = start;
        at_once.advance(stages, tiles);
        dma::detail::Cursor one_by_one = start;
        for (int i = 0; i < tiles; ++i) {
          one_by_one.advance(stages);
        }
        REQUIRE(at_once == one_by_one);
      }
      start.advance(stages);
    }
  }
}

namespace {

template <int ComputeWarps, auto Stages, int Groups = 1>
consteval int stages_of(int slot_bytes, int most_stages = 1000) {
  using Warps = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<1>, dma::Dma<1>>;
  return dma::MultiBuffer<Warps, Stages, dma::DmaGroups{.count = Groups}>::stages_for(slot_bytes, most_stages);
}

}  // namespace

TEST_CASE("automatic stages are 2 to 12 and hold 40 KB", "[stages]") {
  constexpr dma::AutomaticStages automatic{};
  STATIC_REQUIRE(stages_of<4, automatic>(4096) == 10);
  STATIC_REQUIRE(stages_of<16, automatic>(4096) == 10);
  STATIC_REQUIRE(stages_of<1, automatic>(4096) == 10);
  STATIC_REQUIRE(stages_of<1, automatic>(512) == 12);  // the most
  STATIC_REQUIRE(stages_of<8, automatic>(8192) == 5);
  STATIC_REQUIRE(stages_of<8, automatic>(8208) == 5);
  STATIC_REQUIRE(stages_of<8, automatic>(16384) == 3);
  STATIC_REQUIRE(stages_of<8, automatic>(20480) == 3);
  STATIC_REQUIRE(stages_of<8, automatic>(24576) == 3);
  STATIC_REQUIRE(stages_of<8, automatic>(37 * 1024) == 3);  // an SM holds two such CTAs
  STATIC_REQUIRE(stages_of<8, automatic>(37 * 1024 + 16) == 2);
  STATIC_REQUIRE(stages_of<8, automatic>(100 * 1024) == 2);  // the fewest
  STATIC_REQUIRE(stages_of<4, automatic>(4096, 7) == 7);     // as many as have barriers
  STATIC_REQUIRE(stages_of<4, automatic, 2>(8192) == 6);
  STATIC_REQUIRE(stages_of<4, automatic, 2>(8192, 5) == 4);
  STATIC_REQUIRE(stages_of<1, 5>(4096) == 5);
}

TEST_CASE("the CTAs of an SM share out 96 KB in flight where their number is given", "[stages]") {
  constexpr auto of_an_sm = [](int ctas) { return dma::AutomaticStages{.ctas_an_sm = ctas}; };
  STATIC_REQUIRE(stages_of<8, of_an_sm(1)>(4096) == 10);  // no more than without the number
  STATIC_REQUIRE(stages_of<8, of_an_sm(2)>(16384) == 3);
  STATIC_REQUIRE(stages_of<8, of_an_sm(3)>(12288) == 3);  // 32 KB, to the nearest
  STATIC_REQUIRE(stages_of<8, of_an_sm(4)>(4096) == 6);
  STATIC_REQUIRE(stages_of<1, of_an_sm(16)>(4096) == 2);
  STATIC_REQUIRE(stages_of<1, of_an_sm(32)>(4096) == 1);
  STATIC_REQUIRE(stages_of<1, of_an_sm(32), 2>(4096) == 2);
}

TEST_CASE("the CTAs of an SM share out the bytes in flight that are named, to the nearest stage", "[stages]") {
  constexpr auto of_64_kb = [](int ctas) {
    return dma::AutomaticStages{.ctas_an_sm = ctas, .bytes_in_flight = 64 * 1024};
  };
  STATIC_REQUIRE(stages_of<8, of_64_kb(1)>(8192) == 8);
  STATIC_REQUIRE(stages_of<8, of_64_kb(2)>(8192) == 4);
  STATIC_REQUIRE(stages_of<8, of_64_kb(3)>(8192) == 3);   // 21.3 KB
  STATIC_REQUIRE(stages_of<8, of_64_kb(16)>(8192) == 1);  // half a slot
  STATIC_REQUIRE(stages_of<8, of_64_kb(1)>(4096) == 12);  // the most
  STATIC_REQUIRE(stages_of<8, of_64_kb(1), 2>(8192, 7) == 6);
}

TEST_CASE("bulk copies are too many where they slow an SM's copy engine down", "[buffering]") {
  // Measured on an H200 of 132 SMs: CTAs an SM, slots of a CTA, bytes of a slot.
  constexpr int sms = 132;
  const auto are_too_many = [](int ctas, int slots, int bytes) {
    return dma::detail::are_too_many_copies(ctas * sms, sms, slots, bytes, dma::Thresholds{});
  };
  CHECK(are_too_many(24, 2, 4096));
  CHECK(are_too_many(24, 4, 2048));
  CHECK(are_too_many(32, 2, 2048));
  CHECK(are_too_many(13, 4, 4096));
  CHECK(are_too_many(6, 16, 2048));
  CHECK(are_too_many(32, 4, 1024));
  CHECK(are_too_many(8, 16, 1024));
  CHECK_FALSE(are_too_many(32, 1, 4096));
  CHECK_FALSE(are_too_many(16, 2, 4096));
  CHECK_FALSE(are_too_many(5, 11, 4096));
  CHECK_FALSE(are_too_many(4, 16, 2048));
  CHECK_FALSE(are_too_many(13, 2, 8192));
  CHECK_FALSE(are_too_many(32, 2, 1024));
  CHECK_FALSE(are_too_many(8, 8, 1024));
  CHECK_FALSE(are_too_many(32, 4, 512));
}

namespace {

/// The part of a ring that a window of bulk stores sees. The slot at the cursor becomes full once `releases_until_full`
/// others were released.
struct StoreRing {
  static constexpr int stages = 8;
  static constexpr int groups = 2;

  dma::detail::Cursor cursor = {};
  int releases_until_full = 0;
  std::vector<int>* released = nullptr;  ///< slots, in order; of lane 0

  [[nodiscard]] bool moves() const { return true; }
  [[nodiscard]] int tiles_until_mine() const { return 0; }
  [[nodiscard]] const dma::detail::Cursor& dma_cursor() const { return cursor; }
  [[nodiscard]] bool is_full(const dma::detail::Cursor&) const {
    return static_cast<int>(released->size()) >= releases_until_full;
  }
  template <dma::Lanes lanes>
  void signal_empty(int stage) const {
    dma::machine::sync_warp();  // All lanes decide before any of them changes what they decide by.
    if (dma::machine::thread_rank() == 0) {
      released->push_back(stage);
    }
    dma::machine::sync_warp();
  }
};

/// Stores tiles 0, 2, ... of one group, one more than may be in flight, then waits for the next to be full and ends.
template <int InFlight>
struct StoresOfOneGroup {
  using Layout = dma::WarpLayout<dma::Compute<1>>;

  void operator()(dma::KernelCta<StoresOfOneGroup>&, StoreRing ring, int& released_before_the_wait) const {
    dma::detail::StoreWindow<StoreRing, InFlight> window;
    for (int i = 0; i <= InFlight; ++i) {
      window.add(ring);
      ring.cursor.advance(StoreRing::stages, StoreRing::groups);
    }
    window.finish_unless_full(ring);
    if (dma::machine::thread_rank() == 0) {
      released_before_the_wait = static_cast<int>(ring.released->size());
    }
    window.finish(ring);
  }
};

template <int InFlight>
void check_releases() {
  for (int needed = 0; needed <= InFlight + 2; ++needed) {
    CAPTURE(InFlight, needed);
    std::vector<int> released;
    StoreRing ring{.releases_until_full = needed, .released = &released};
    int before_the_wait = 0;
    dma::host::detail::run_cta({.block = {0, 0, 0}, .grid = {1}},
                               dma::host::detail::cta_body(StoresOfOneGroup<InFlight>{}, ring, before_the_wait));
    // The first is released by the last store.
    CHECK(before_the_wait == (needed <= 1 ? 1 : InFlight + 1));
    std::sort(released.begin(), released.end());
    std::vector<int> stored(InFlight + 1);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      stored[i] = StoreRing::groups * static_cast<int>(i);
    }
    CHECK(released == stored);
  }
}

}  // namespace

TEST_CASE("a store releases the slots of pending ones before it waits, and only then", "[buffering]") {
  check_releases<1>();
  check_releases<3>();
}
