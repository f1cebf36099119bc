// What the pictures of ideas show, against what a reader is to see in them.

#include "applications/star/star_picture.hpp"
#include "guide/paradigms/paradigms.hpp"
#include "guide/timelines/moving_picture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

using draw::Doing;
using draw::Span;

constexpr draw::Work even{.tiles = 6, .load = 12, .compute = 36, .spread = 0};
constexpr draw::Work uneven{.tiles = 6, .load = 12, .compute = 36, .spread = 3};

/// Steps in which some warp moves a tile and some warp computes.
int steps_of_both(const std::vector<Span>& spans) {
  long long last = 0;
  for (const Span& span : spans) {
    last = std::max(last, span.end);
  }
  int count = 0;
  for (long long step = 0; step < last; ++step) {
    const auto is_doing = [&](Doing doing) {
      return std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
        return span.doing == doing && span.begin <= step && step < span.end;
      });
    };
    count += is_doing(Doing::moves) && is_doing(Doing::computes) ? 1 : 0;
  }
  return count;
}

long long last_time_of(const draw::Trace& trace) {
  long long last = 0;
  for (const draw::Event& event : trace.events) {
    last = std::max(last, event.time);
  }
  return last;
}

TEST_CASE("where all warps load, synchronize and compute, memory rests while they compute") {
  for (const draw::Work& work : {even, uneven}) {
    const draw::Trace trace = draw::load_synchronize_compute(work, 4);
    draw::expect_possible(trace);
    CHECK(steps_of_both(draw::spans_of(trace, 0)) == 0);
    CHECK(last_time_of(trace) == 6 * (12 + 36 / 4));
  }
}

TEST_CASE("where a DMA warp loads, it loads all the time that it has a slot for") {
  const draw::Trace trace = draw::dma_warp_and_compute_warps(even, 4);
  draw::expect_possible(trace);
  // Three compute warps need as long as a load: the last one's computing is all that is not beside another load.
  CHECK(last_time_of(trace) == 6 * 12 + 36 / 3);
  CHECK(steps_of_both(draw::spans_of(trace, 0)) == 5 * 12);
}

TEST_CASE("the moving picture fills, uses and empties each slot in turn, tile by tile") {
  const auto changes = draw::slot_changes(draw::spans_of(draw::dma_warp_and_compute_warps(even, 4), 0));
  REQUIRE(changes.size() == 2);
  for (const auto& [slot, list] : changes) {
    REQUIRE(list.size() == 1 + 3 * 4);  // of six tiles each slot has three
    CHECK(list[0].state == draw::SlotState::empty);
    for (std::size_t i = 1; i < list.size(); ++i) {
      const draw::SlotState states[] = {draw::SlotState::filling, draw::SlotState::full, draw::SlotState::used,
                                        draw::SlotState::empty};
      const int tile = 2 * static_cast<int>((i - 1) / 4) + slot.second;
      CHECK(list[i].state == states[(i - 1) % 4]);
      CHECK(list[i].tile == tile);
      if ((i - 1) % 4 == 0) {
        CHECK(list[i].time == 12 * tile);  // a load after another, of 12 steps each
        CHECK(list[i + 1].time == 12 * (tile + 1));
      }
    }
  }
}

TEST_CASE("a slot is computed on only while it is full, and loaded only while it is empty") {
  const draw::Trace trace = draw::dma_warp_and_compute_warps({.tiles = 9, .load = 5, .compute = 60, .spread = 4}, 4);
  const std::vector<Span> spans = draw::spans_of(trace, 0);
  int compared = 0;
  for (const Span& moves : spans) {
    for (const Span& computes : spans) {
      if (moves.doing == Doing::moves && computes.doing == Doing::computes && moves.slot == computes.slot) {
        CHECK((moves.end <= computes.begin || computes.end <= moves.begin));
        ++compared;
      }
    }
  }
  CHECK(compared > 9);
  CHECK(last_time_of(trace) >= 9 * (60 / 3 - 4));
}

template <int Radius>
void check_star() {
  constexpr int rows = 4;
  constexpr int cols = 6;
  constexpr int first = Radius + 1;
  const draw::LoadedCells cells =
      draw::star_cells<cols, rows, Radius>(rows + 2 * first, cols + 2 * first, first, first);
  for (int r = 0; r < cells.rows(); ++r) {
    for (int c = 0; c < cells.cols(); ++c) {
      bool is_read = false;  // by a star of the block
      for (int i = first; i < first + rows; ++i) {
        for (int j = first; j < first + cols; ++j) {
          is_read = is_read || draw::star_reads(r - i, c - j, Radius);
        }
      }
      const bool is_own = r >= first && r < first + rows && c >= first && c < first + cols;
      INFO("radius " << Radius << ", cell " << r << ", " << c);
      CHECK((cells.at(r, c) == draw::Cell::block) == is_own);
      CHECK((cells.at(r, c) != draw::Cell::outside) == is_read);
    }
  }
}

TEST_CASE("the cells that are loaded are those that the stars of a block read, and no others") {
  check_star<1>();
  check_star<2>();
  check_star<4>();
}

}  // namespace
