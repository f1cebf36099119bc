#pragma once

/// A recorded CTA as an SVG that moves: its warps and slots change as they did, above the timeline that says when.

#include "timeline.hpp"
#include "trace_picture.hpp"

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
    std::string body = places();
    body += timeline();
    const std::string size = std::to_string(width) + "\" height=\"" + std::to_string(bottom_);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " + std::to_string(width) +
           " " + std::to_string(bottom_) + "\">\n<title>A CTA: its DMA warp fills slots in shared memory while its " +
           "compute warps use the others</title>\n<style>" + style() + keyframes_ + "</style>\n" + body + "</svg>\n";
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
  [[nodiscard]] static std::string text(int x, int y, const char* kind, const std::string& words,
                                        const std::string& more = "") {
    return "<text class=\"" + std::string(kind) + "\" x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" +
           more + ">" + words + "</text>\n";
  }
  [[nodiscard]] static std::string box(int x, int y, int w, int h, const std::string& more) {
    return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" + std::to_string(w) +
           "\" height=\"" + std::to_string(h) + "\"" + more + "/>\n";
  }

  /// Adds an animation of styles that hold from a time on; returns the attribute that uses it.
  std::string animated(const std::vector<std::pair<long long, std::string>>& styles) {
    const std::string name = "k" + std::to_string(animations_++);
    keyframes_ += "@keyframes " + name + "{";
    for (const auto& [time, value] : styles) {
      keyframes_ += at(time) + "{" + value + "}";
    }
    keyframes_ += "}\n";
    return " style=\"animation-name:" + name + "\"";
  }

  /// Global memory, DMA warps, slots and compute warps, from left to right.
  std::string places() {
    const auto changes = slot_changes(spans_);
    const int slots = static_cast<int>(changes.size());
    const int height = std::max(54 * slots, 26 * static_cast<int>(rows_.size() - 1)) - 6;
    std::string out = text(58, 22, "h", "global memory") + text(224, 22, "h", "DMA warps") +
                      text(404, 22, "h", "slots in shared memory") + text(640, 22, "h", "compute warps");
    out += box(14, top, 88, height, " class=\"o\"");
    int y = top;
    int index = 0;
    for (const auto& [slot, list] : changes) {
      out += slot_box(index++, list, y);
      y += 54;
    }
    int moving = top;
    int computing = top;
    for (const int warp : rows_) {
      const bool moves = names_[static_cast<std::size_t>(warp)].starts_with("DMA");
      int& mine = moves ? moving : computing;
      out += warp_box(warp, moves ? 160 : 560, mine, moves ? 128 : 160);
      mine += 26;
    }
    out += "<path class=\"a\" d=\"M104 " + std::to_string(top + 10) + "H152M292 " + std::to_string(top + 10) +
           "H332M480 " + std::to_string(top + 10) + "H552\"/>\n";
    bottom_ = top + height + 26;
    return out;
  }

  std::string slot_box(int index, const std::vector<SlotChange>& list, int y) {
    const std::string colour = "var(--c" + std::to_string(index) + ")";
    std::vector<std::pair<long long, std::string>> fills;
    std::map<int, std::vector<std::pair<long long, std::string>>> words;
    for (const SlotChange& change : list) {
      const bool is_empty = change.state == SlotState::empty;
      fills.emplace_back(change.time, "fill:" + (is_empty ? "none" : colour) +
                                          ";fill-opacity:" + (change.state == SlotState::filling ? ".4" : "1"));
      words[change.tile].emplace_back(change.time, is_empty ? "opacity:0" : "opacity:1");
    }
    std::string out = box(340, y, 132, 48, " class=\"o\"" + animated(fills));
    for (auto& [tile, shown] : words) {
      if (shown.front().first > 0) {
        shown.insert(shown.begin(), {0, "opacity:0"});
      }
      out += text(406, y + 29, "n", "tile " + std::to_string(tile), animated(shown));
    }
    return out;
  }

  std::string warp_box(int warp, int x, int y, int w) {
    std::vector<std::pair<long long, std::string>> fills{{0, "fill:none"}};
    for (const Span& span : spans_) {
      if (span.warp == warp && (span.doing == Doing::moves || span.doing == Doing::computes)) {
        fills.emplace_back(span.begin, "fill:var(--c" + std::to_string(index_of(span)) + ")");
        fills.emplace_back(span.end, "fill:none");
      }
    }
    return box(x, y, w, 20, " class=\"o\"" + animated(fills)) +
           text(x + w / 2, y + 14, "l", names_[static_cast<std::size_t>(warp)]);
  }

  [[nodiscard]] int index_of(const Span& span) const {
    const auto changes = slot_changes(spans_);
    return static_cast<int>(std::distance(changes.begin(), changes.find({span.pipeline, span.slot})));
  }

  std::string timeline() {
    const int begin = bottom_;
    std::string out;
    for (const int warp : rows_) {
      out += text(left - 8, bottom_ + 12, "r", names_[static_cast<std::size_t>(warp)]);
      for (const Span& span : spans_) {
        if (span.warp == warp) {
          const auto x = [&](long long time) { return left + static_cast<int>(time * (right - left) / last_); };
          const bool works = span.doing == Doing::moves || span.doing == Doing::computes;
          const std::string fill = works ? "f" + std::to_string(index_of(span)) : "w";
          out += box(x(span.begin), bottom_, std::max(x(span.end) - x(span.begin), 1), 16, " class=\"" + fill + "\"");
        }
      }
      bottom_ += row;
    }
    out += "<path class=\"t\" d=\"M" + std::to_string(left) + " " + std::to_string(begin - 4) + "v" +
           std::to_string(bottom_ - begin + 4) + "\"/>\n";
    bottom_ += 6;
    return out;
  }

  [[nodiscard]] static std::string style() {
    const std::string time = std::to_string(seconds) + "s";
    return "svg{--c0:#8ecae6;--c1:#ffc857;--c2:#95d5a0;--c3:#f4a09a}text{font:12px sans-serif;fill:#727a84}"
           ".h{font-weight:bold;text-anchor:middle}.n{text-anchor:middle;fill:#16191d;opacity:0}.l{text-anchor:middle;"
           "font-size:11px}.r{text-anchor:end;font-size:11px}.o{fill:none;stroke:#727a84;stroke-width:1.5}"
           ".a{fill:none;stroke:#727a84;stroke-width:2;stroke-dasharray:4 3}.t{stroke:#d1495b;stroke-width:2}"
           ".w{fill:#727a84;fill-opacity:.18}.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}"
           ".f3{fill:var(--c3)}rect,.n{animation:" +
           time + " step-end infinite}.t{animation:t " + time +
           " linear infinite}@media(prefers-reduced-motion:reduce){rect,.n,.t{animation:none}}\n" +
           "@keyframes t{96%,100%{transform:translateX(" + std::to_string(right - left) + "px)}}\n";
  }

  std::vector<Span> spans_;
  std::vector<std::string> names_;
  long long last_;
  std::vector<int> rows_{};
  std::string keyframes_{};
  int animations_ = 0;
  int bottom_ = 0;
};

}  // namespace draw
