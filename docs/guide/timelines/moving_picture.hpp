#pragma once

/// A recorded CTA as an SVG that moves: its warps and slots change as they did, above the timeline that says when.

#include "timeline.hpp"
#include "trace_picture.hpp"

#include <dma/host/svg.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace draw {

/// Where a slot is in its round.
enum class SlotState { empty, filling, full, used };

/// From when on a slot is in a state, with the number of its tile in the pipeline.
struct SlotChange {
  long long time;
  SlotState state;
  int tile;
};

using SlotOf = std::pair<int, int>;  ///< a pipeline and a stage of it

/// What happens to each slot of a trace's first CTA, in order. A slot is filled from the first DMA warp's move on until
/// the last one's end, and used until the last compute warp releases it.
[[nodiscard]] inline std::map<SlotOf, std::vector<SlotChange>> slot_changes(const std::vector<Span>& spans) {
  std::map<SlotOf, std::vector<Span>> of_slot;
  for (const Span& span : spans) {
    if (span.doing == Doing::moves || span.doing == Doing::computes) {
      of_slot[{span.pipeline, span.slot}].push_back(span);
    }
  }
  std::map<SlotOf, std::vector<SlotChange>> changes;
  const int stages = static_cast<int>(of_slot.size());
  for (auto& [slot, here] : of_slot) {
    std::stable_sort(here.begin(), here.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    std::vector<SlotChange>& list = changes[slot];
    int tile = static_cast<int>(std::distance(of_slot.begin(), of_slot.find(slot)));
    list.push_back({0, SlotState::empty, tile});
    for (std::size_t i = 0; i < here.size();) {
      const Doing doing = here[i].doing;
      const long long begin = here[i].begin;
      long long end = begin;
      for (; i < here.size() && here[i].doing == doing; ++i) {
        end = std::max(end, here[i].end);
      }
      const bool fills = doing == Doing::moves;
      list.push_back({begin, fills ? SlotState::filling : SlotState::used, tile});
      list.push_back({end, fills ? SlotState::full : SlotState::empty, tile});
      tile += fills ? 0 : stages;
    }
  }
  return changes;
}

/// Whether a trace is small enough for this picture.
[[nodiscard]] inline bool can_move(const Trace& trace) {
  const std::size_t slots = slot_changes(spans_of(trace, 0)).size();
  return trace.warps <= 8 && slots > 0 && slots <= 4;
}

/// The first CTA of a trace that `can_move`. Where a reader wants no motion, the timeline stands still.
class MovingPicture {
 public:
  explicit MovingPicture(const Trace& trace)
      : spans_(spans_of(trace, 0)), names_(warp_names(trace, spans_)), last_(std::max(end_of(trace), 1LL)) {
    for (const bool dma_rows : {true, false}) {
      for (int warp = 0; warp < trace.warps; ++warp) {
        if (names_[static_cast<std::size_t>(warp)].starts_with("DMA") == dma_rows) {
          rows_.push_back(warp);
        }
      }
    }
  }

  [[nodiscard]] std::string svg() {
    draw_places();
    draw_timeline();
    const std::string time = std::to_string(seconds) + "s";
    svg_.add_css("@keyframes now{96%,100%{transform:translateX(" + std::to_string(right - left) +
                 "px)}}.dma .moves{animation:" + time + " step-end infinite}.dma .now{animation:now " + time +
                 " linear infinite}" + names_of_animations_ +
                 "@media(prefers-reduced-motion:reduce){.dma .moves,.dma .now{animation:none}}");
    return svg_.page(width, bottom_,
                     "A CTA: its DMA warp fills slots in shared memory while its compute warps use the others");
  }

 private:
  static constexpr int width = 760;
  static constexpr int seconds = 16;
  static constexpr int left = 112;  ///< of the timeline
  static constexpr int right = 748;
  static constexpr int top = 34;  ///< of the warps and slots
  static constexpr int row = 20;

  /// A share of the animation, in percent: the end is held for a moment.
  [[nodiscard]] std::string at(long long time) const {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.2f%%", 96.0 * static_cast<double>(time) / static_cast<double>(last_));
    return digits;
  }
  /// Adds an animation of styles that hold from a time on; returns the kinds that move by it.
  std::string animated(const std::vector<std::pair<long long, std::string>>& styles) {
    const std::string name = "k" + std::to_string(animations_++);
    std::string frames;
    for (const auto& [time, value] : styles) {
      frames += at(time) + "{" + value + "}";
    }
    svg_.add_css("@keyframes " + name + "{" + frames + "}\n");
    names_of_animations_ += ".dma ." + name + "{animation-name:" + name + "}";
    return " moves " + name;
  }

  /// Global memory, DMA warps, slots and compute warps, from left to right.
  void draw_places() {
    const auto changes = slot_changes(spans_);
    const int slots = static_cast<int>(changes.size());
    const int height = std::max(54 * slots, 26 * static_cast<int>(rows_.size() - 1)) - 6;
    const std::pair<int, const char*> headings[] = {
        {58, "global memory"}, {224, "DMA warps"}, {404, "slots in shared memory"}, {640, "compute warps"}};
    for (const auto& [x, words] : headings) {
      svg_.text(x, 22, "h middle", words);
    }
    svg_.box("place", 14, top, 88, height);
    int y = top;
    int index = 0;
    for (const auto& [slot, list] : changes) {
      draw_slot(index++, list, y);
      y += 54;
    }
    int moving = top;
    int computing = top;
    for (const int warp : rows_) {
      const bool moves = names_[static_cast<std::size_t>(warp)].starts_with("DMA");
      int& mine = moves ? moving : computing;
      draw_warp(warp, moves ? 160 : 560, mine, moves ? 128 : 160);
      mine += 26;
    }
    const std::string middle = std::to_string(top + 10);
    svg_.path("l ways", "M104 " + middle + "H152M292 " + middle + "H332M480 " + middle + "H552");
    bottom_ = top + height + 26;
  }

  void draw_slot(int index, const std::vector<SlotChange>& list, int y) {
    std::vector<std::pair<long long, std::string>> fills;
    std::map<int, std::vector<std::pair<long long, std::string>>> words;
    for (const SlotChange& change : list) {
      const bool is_empty = change.state == SlotState::empty;
      fills.emplace_back(change.time, "fill:" + std::string(is_empty ? "none" : dma::host::Svg::colour(index)) +
                                          ";fill-opacity:" + (change.state == SlotState::filling ? ".4" : "1"));
      words[change.tile].emplace_back(change.time, is_empty ? "opacity:0" : "opacity:1");
    }
    svg_.box("place" + animated(fills), 340, y, 132, 48);
    for (auto& [tile, shown] : words) {
      if (shown.front().first > 0) {
        shown.insert(shown.begin(), {0, "opacity:0"});
      }
      svg_.text(406, y + 29, "n tile" + animated(shown), "tile " + std::to_string(tile));
    }
  }

  void draw_warp(int warp, int x, int y, int w) {
    std::vector<std::pair<long long, std::string>> fills{{0, "fill:none"}};
    for (const Span& span : spans_) {
      if (span.warp == warp && (span.doing == Doing::moves || span.doing == Doing::computes)) {
        fills.emplace_back(span.begin, "fill:" + std::string(dma::host::Svg::colour(index_of(span))));
        fills.emplace_back(span.end, "fill:none");
      }
    }
    svg_.box("place" + animated(fills), x, y, w, 20);
    svg_.text(x + w / 2, y + 14, "m", names_[static_cast<std::size_t>(warp)]);
  }

  [[nodiscard]] int index_of(const Span& span) const {
    const auto changes = slot_changes(spans_);
    return static_cast<int>(std::distance(changes.begin(), changes.find({span.pipeline, span.slot})));
  }

  void draw_timeline() {
    const int begin = bottom_;
    for (const int warp : rows_) {
      svg_.text(left - 8, bottom_ + 12, "r", names_[static_cast<std::size_t>(warp)]);
      for (const Span& span : spans_) {
        if (span.warp == warp) {
          const auto x = [&](long long time) { return left + static_cast<int>(time * (right - left) / last_); };
          const bool works = span.doing == Doing::moves || span.doing == Doing::computes;
          svg_.box(works ? "c" + std::to_string(index_of(span)) : "wait", x(span.begin), bottom_,
                   std::max(x(span.end) - x(span.begin), 1), 16);
        }
      }
      bottom_ += row;
    }
    svg_.path("now", dma::host::Svg::move_to(left, begin - 4) + "v" + std::to_string(bottom_ - begin + 4));
    bottom_ += 6;
  }

  std::vector<Span> spans_;
  std::vector<std::string> names_;
  long long last_;
  std::vector<int> rows_{};
  std::string names_of_animations_{};  ///< behind the animation that each of them is of
  int animations_ = 0;
  int bottom_ = 0;
  dma::host::Svg svg_{{{"middle", "text-anchor:middle"},
                       {"place", "fill:none;stroke:#727a84;stroke-width:1.5"},
                       {"tile", "font-size:12px;opacity:0"},
                       {"ways", "stroke-dasharray:4 3"},
                       {"wait", "fill:#727a84;fill-opacity:.18"},
                       {"now", "stroke:#d1495b;stroke-width:2"}}};
};

}  // namespace draw
