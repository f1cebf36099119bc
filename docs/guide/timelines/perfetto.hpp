#pragma once

/// A trace in the JSON that Perfetto (ui.perfetto.dev) and Chrome (about:tracing) read: a process a CTA, a thread a
/// warp, a slice for what it does, and arrows along a tile's life. An arrow leads from the slice that loads a tile to
/// what each warp does with it, and from the last release of its slot to the load of the slot's next tile.

#include "timeline.hpp"
#include "trace_picture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace draw {

/// "wait", "issue", "load", "store" or "compute".
[[nodiscard]] inline std::string category_of(const Span& span) {
  switch (span.doing) {
    case Doing::computes:
      return "compute";
    case Doing::asks:
      return "issue";
    case Doing::moves:
      return span.state == "full" ? "load" : "store";
    case Doing::waits:
      break;
  }
  return "wait";
}

/// What a slice is called: a picture has one colour for loads and stores, and calls both moves.
[[nodiscard]] inline std::string slice_name(const Span& span) {
  return span.doing != Doing::moves ? name_of(span) : category_of(span) + "s slot " + std::to_string(span.slot);
}

/// The spans of a tile: of the warps that fill its slot, and of those that use it.
struct Tile {
  std::vector<Span> fills;
  std::vector<Span> uses;      ///< from the wait for full on
  std::vector<Span> releases;  ///< until the slot is released
};
/// (pipeline, slot, tile of the slot)
using TileKey = std::tuple<int, int, int>;

/// The tiles of one CTA. A tile that a warp passes on in no time has no span of that warp.
[[nodiscard]] inline std::map<TileKey, Tile> tiles_of(const Trace& trace, int cta) {
  const long long begin = begin_of(trace, cta);
  std::map<std::tuple<int, bool, long long>, Span> at;  // of a warp, the span that begins or ends at a time
  for (const Span& span : spans_of(trace, cta)) {
    if (span.doing == Doing::computes || span.doing == Doing::moves) {
      at[{span.warp, true, span.begin}] = span;
      at[{span.warp, false, span.end}] = span;
    }
  }
  std::map<TileKey, Tile> tiles;
  std::map<std::tuple<int, int, int>, int> filled, used;  // tiles so far, by warp, pipeline and slot
  for (const Event& event : trace.events) {
    if (event.cta != cta) {
      continue;
    }
    const std::tuple of_warp{event.warp, event.pipeline, event.slot};
    const auto note = [&](int tile, bool begins, std::vector<Span> Tile::*list) {
      const auto span = at.find({event.warp, begins, event.time - begin});
      if (tile > 0 && span != at.end()) {
        (tiles[{event.pipeline, event.slot, tile - 1}].*list).push_back(span->second);
      }
    };
    if (event.mark == "arrives" && event.state == "full") {
      note(++filled[of_warp], false, &Tile::fills);
    } else if (event.mark == "goes_on" && event.state == "full") {
      note(++used[of_warp], true, &Tile::uses);
    } else if (event.mark == "arrives") {
      note(used[of_warp], false, &Tile::releases);
    }
  }
  return tiles;
}

/// The one of them that ends last, null where there is none.
[[nodiscard]] inline const Span* last_of(const std::vector<Span>& spans) {
  const auto last = std::max_element(spans.begin(), spans.end(),
                                     [](const Span& left, const Span& right) { return left.end < right.end; });
  return last == spans.end() ? nullptr : &*last;
}

/// Builds the list of events. Perfetto's microseconds show a thousand cycles, or steps, as one.
class PerfettoEvents {
 public:
  void add(const Trace& trace, int cta) {
    const std::vector<Span> spans = spans_of(trace, cta);
    add_name("process_name", 0, trace.name + ", CTA " + std::to_string(cta));
    const std::vector<std::string> names = warp_names(trace, spans);
    for (int warp = 0; warp < trace.warps; ++warp) {
      add_name("thread_name", warp, names[static_cast<std::size_t>(warp)]);
    }
    for (const Span& span : spans) {
      events_.push_back({{"name", slice_name(span)},
                         {"cat", category_of(span)},
                         {"ph", "X"},
                         {"pid", process_},
                         {"tid", span.warp},
                         {"ts", microseconds(span.begin)},
                         {"dur", microseconds(span.end - span.begin)},
                         {"args", {{"pipeline", span.pipeline}, {"slot", span.slot}}}});
    }
    const std::map<TileKey, Tile> tiles = tiles_of(trace, cta);
    for (const auto& [key, tile] : tiles) {
      const auto [pipeline, slot, number] = key;
      const std::string name = "tile " + std::to_string(number) + " of slot " + std::to_string(slot);
      for (const Span& use : tile.uses) {
        add_arrow(name, last_of(tile.fills), &use);
      }
      if (const auto next = tiles.find({pipeline, slot, number + 1}); next != tiles.end()) {
        add_arrow("slot " + std::to_string(slot) + " is empty", last_of(tile.releases), last_of(next->second.fills));
      }
    }
    ++process_;
  }
  [[nodiscard]] const nlohmann::json& list() const { return events_; }

 private:
  [[nodiscard]] static double microseconds(long long time) { return static_cast<double>(time) / 1000; }

  void add_name(const char* of, int thread, const std::string& name) {
    events_.push_back({{"name", of}, {"ph", "M"}, {"pid", process_}, {"tid", thread}, {"args", {{"name", name}}}});
  }
  /// None where one of the slices is missing.
  void add_arrow(const std::string& name, const Span* from, const Span* to) {
    if (from == nullptr || to == nullptr) {
      return;
    }
    ++arrows_;
    const auto add_end = [&](const char* phase, const Span& span) {
      events_.push_back({{"name", name},
                         {"cat", "tile"},
                         {"ph", phase},
                         {"bp", "e"},
                         {"id", arrows_},
                         {"pid", process_},
                         {"tid", span.warp},
                         {"ts", microseconds(span.begin)}});
    };
    add_end("s", *from);
    add_end("f", *to);
  }

  nlohmann::json events_ = nlohmann::json::array();
  int process_ = 0;
  int arrows_ = 0;
};

[[nodiscard]] inline nlohmann::json perfetto_events(const std::vector<Trace>& traces) {
  PerfettoEvents events;
  for (const Trace& trace : traces) {
    std::set<int> ctas;
    for (const Event& event : trace.events) {
      ctas.insert(event.cta);
    }
    for (const int cta : ctas) {
      events.add(trace, cta);
    }
  }
  return {{"displayTimeUnit", "ns"}, {"traceEvents", events.list()}};
}

}  // namespace draw
