#pragma once

/// What the warps of a CTA did when, from what they recorded at their barriers.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <istream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace draw {

/// A line of a trace's text (dma/trace/trace_text.hpp).
struct Event {
  int cta;
  int warp;
  int pipeline;
  int slot;
  std::string state;  ///< "full" or "empty"
  std::string role;   ///< "dma" or "compute"
  std::string mark;   ///< "begins", "waits", "goes_on" or "arrives"
  long long time;
};

struct Trace {
  std::string name;
  std::string unit;
  int warps = 0;
  std::vector<Event> events{};  ///< of each warp in its order
};

inline constexpr int most_warps = 32;            ///< of a CTA
inline constexpr long long longest = 1LL << 50;  ///< that a CTA lasts: pictures count in doubles
inline constexpr long long latest = 1LL << 62;
inline constexpr int most_ctas = 1 << 20;

/// Refuses what no CTA can have recorded.
inline void expect_possible(const Trace& trace) {
  const auto refuse = [&](const std::string& what) {
    throw std::runtime_error("draw::read_traces: trace " + trace.name + ": " + what);
  };
  if (trace.warps < 1 || trace.warps > most_warps) {
    refuse(std::to_string(trace.warps) + " warps; a CTA has 1 to " + std::to_string(most_warps));
  }
  std::map<int, std::pair<long long, long long>> times;  // of each CTA's first and last event
  for (const Event& event : trace.events) {
    if (event.cta < 0 || event.cta >= most_ctas || event.warp < 0 || event.warp >= trace.warps || event.pipeline < 0 ||
        event.slot < 0 || event.time < 0 || event.time > latest) {
      refuse("an event of CTA " + std::to_string(event.cta) + ", warp " + std::to_string(event.warp) + ", pipeline " +
             std::to_string(event.pipeline) + ", slot " + std::to_string(event.slot) + " at time " +
             std::to_string(event.time) + "; numbers count from 0, warps to that of the first line, times to 2^62");
    }
    auto& [first, last] = times.try_emplace(event.cta, event.time, event.time).first->second;
    first = std::min(first, event.time);
    last = std::max(last, event.time);
    if (last - first > longest) {
      refuse("CTA " + std::to_string(event.cta) + " lasts " + std::to_string(last - first) +
             "; a picture shows at most 2^50");
    }
  }
}

/// @throw std::runtime_error  for text that is not a trace
[[nodiscard]] inline std::vector<Trace> read_traces(std::istream& in) {
  const auto is_one_of = [](const std::string& word, std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  std::vector<Trace> traces;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    if (line.starts_with("trace ")) {
      std::string word;
      Trace trace;
      words >> word >> trace.name >> trace.unit >> trace.warps;
      traces.push_back(trace);
    } else {
      Event event{};
      words >> event.cta >> event.warp >> event.pipeline >> event.slot >> event.state >> event.role >> event.mark >>
          event.time;
      if (traces.empty()) {
        throw std::runtime_error("draw::read_traces: an event before the first line `trace <name> <unit> <warps>`");
      }
      traces.back().events.push_back(event);
    }
    const bool is_event = !traces.empty() && !traces.back().events.empty() && !line.starts_with("trace ");
    const Event* const event = is_event ? &traces.back().events.back() : nullptr;
    const bool has_known_words =
        event == nullptr || (is_one_of(event->state, {"full", "empty"}) && is_one_of(event->role, {"dma", "compute"}) &&
                             is_one_of(event->mark, {"begins", "waits", "goes_on", "arrives"}));
    const bool is_printable = std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!words || !has_known_words || !is_printable) {
      throw std::runtime_error("draw::read_traces: this is not a line of a trace: " + line);
    }
  }
  for (const Trace& trace : traces) {
    expect_possible(trace);
  }
  return traces;
}

/// What a warp does for a while.
enum class Doing {
  computes,  ///< on a slot that it holds
  asks,      ///< a DMA warp that issues what it can before its slot is free
  moves,     ///< a DMA warp between its wait and its signal; in the first round, where it does not wait, since before
  waits,
};

struct Span {
  int cta;
  int warp;
  int pipeline;
  int slot;
  Doing doing;
  std::string state;  ///< what it waits for, or what it makes its slot by moving it
  long long begin;
  long long end;
};

/// One warp's spans, in order. What a compute warp does while it holds no slot is none.
[[nodiscard]] inline std::vector<Span> spans_of_warp(const std::vector<Event>& events) {
  std::vector<Span> spans;
  int held = 0;  // slots
  for (std::size_t i = 1; i < events.size(); ++i) {
    const Event& event = events[i];
    const bool is_dma = event.role == "dma";
    const auto add = [&](Doing doing, const Event& of) {
      if (event.time > events[i - 1].time) {
        const bool has_state = doing == Doing::waits || doing == Doing::moves;
        spans.push_back({event.cta, event.warp, of.pipeline, of.slot, doing, has_state ? event.state : "",
                         events[i - 1].time, event.time});
      }
    };
    if (event.mark == "goes_on") {
      add(Doing::waits, event);
      held += is_dma ? 0 : 1;
    } else if (event.mark == "arrives") {
      add(is_dma ? Doing::moves : Doing::computes, event);
      held -= is_dma ? 0 : 1;
    } else if (event.mark == "waits" && is_dma) {
      // The last waits of a kernel are for slots that are not filled again.
      const bool has_a_tile = std::any_of(events.begin() + static_cast<std::ptrdiff_t>(i), events.end(),
                                          [](const Event& later) { return later.mark == "arrives"; });
      if (has_a_tile) {
        add(Doing::asks, event);
      }
    } else if (event.mark == "waits" && held > 0) {
      add(Doing::computes, events[i - 1]);
    }
  }
  return spans;
}

/// When a CTA's first event is.
[[nodiscard]] inline long long begin_of(const Trace& trace, int cta) {
  long long begin = -1;
  for (const Event& event : trace.events) {
    if (event.cta == cta) {
      begin = begin < 0 ? event.time : std::min(begin, event.time);
    }
  }
  return begin;
}

/// Of one CTA, warp by warp; a CTA's time begins at 0.
[[nodiscard]] inline std::vector<Span> spans_of(const Trace& trace, int cta) {
  const long long begin = begin_of(trace, cta);
  std::vector<Span> spans;
  for (int warp = 0; warp < trace.warps; ++warp) {
    std::vector<Event> events;
    for (Event event : trace.events) {
      if (event.cta == cta && event.warp == warp) {
        event.time -= begin;
        events.push_back(event);
      }
    }
    const std::vector<Span> own = spans_of_warp(events);
    spans.insert(spans.end(), own.begin(), own.end());
  }
  return spans;
}

}  // namespace draw
