#pragma once

/// Recorded timelines as pictures: an SVG, and lines of text for a terminal.

#include "timeline.hpp"

#include <dma/host/svg.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace draw {

/// Names of a CTA's warps by their roles.
[[nodiscard]] inline std::vector<std::string> warp_names(const Trace& trace, const std::vector<Span>& spans) {
  std::vector<std::string> names;
  for (int warp = 0; warp < trace.warps; ++warp) {
    bool computes = false;
    bool moves = false;
    for (const Span& span : spans) {
      computes = computes || (span.warp == warp && span.doing == Doing::computes);
      moves = moves || (span.warp == warp && span.doing == Doing::moves);
    }
    names.push_back((moves && computes ? "warp " : moves ? "DMA warp " : "compute warp ") + std::to_string(warp));
  }
  return names;
}

[[nodiscard]] inline std::string name_of(const Span& span) {
  const std::string slot = "slot " + std::to_string(span.slot);
  switch (span.doing) {
    case Doing::computes:
      return "computes on " + slot;
    case Doing::asks:
      return "issues loads for " + slot;
    case Doing::moves:
      return "moves " + slot;
    case Doing::waits:
      break;
  }
  return "waits until " + slot + " is " + span.state;
}

/// When the last span of a trace's first CTA ends.
[[nodiscard]] inline long long end_of(const Trace& trace) {
  long long last = 0;
  for (const Span& span : spans_of(trace, 0)) {
    last = std::max(last, span.end);
  }
  return last;
}

/// The first CTA of a trace as text, a line a warp and DMA warps first: a digit is the slot that the warp moves or
/// computes on, `-` loads issued ahead, `.` a wait. No digit is left out, however short its span.
///
/// @param last     the time at the end of a line: the same for all traces that are compared
/// @param columns  of a line, behind the warp's name
[[nodiscard]] inline std::string text_timeline(const Trace& trace, long long last, int columns) {
  const std::vector<Span> spans = spans_of(trace, 0);
  const std::vector<std::string> names = warp_names(trace, spans);
  const auto row_of = [&](int warp) {
    std::string row(static_cast<std::size_t>(columns), ' ');
    for (const bool is_work : {false, true}) {  // over the waits
      for (const Span& span : spans) {
        if (span.warp == warp && is_work == (span.doing == Doing::moves || span.doing == Doing::computes)) {
          const auto begin = std::min(span.begin * columns / std::max(last, 1LL), columns - 1LL);
          const auto end = std::max(span.end * columns / std::max(last, 1LL), begin + (is_work ? 1 : 0));
          const char mark = is_work ? static_cast<char>('0' + span.slot % 10) : span.doing == Doing::waits ? '.' : '-';
          std::fill(row.begin() + begin, row.begin() + end, mark);
        }
      }
    }
    row.erase(row.find_last_not_of(' ') + 1);
    return row;
  };
  std::string text;
  for (const bool dma_rows : {true, false}) {
    for (int warp = 0; warp < trace.warps; ++warp) {
      std::string name = names[static_cast<std::size_t>(warp)];
      if (name.starts_with("DMA") == dma_rows) {
        name.resize(std::max<std::size_t>(name.size(), 16), ' ');
        text += "  " + name + row_of(warp) + '\n';
      }
    }
  }
  return text;
}

/// What a bar says: its slot, or what the warp does with it.
enum class BarText { slot, work };

/// Panels one below another.
class TracePicture {
 public:
  explicit TracePicture(const std::vector<Trace>& traces, BarText bar_text = BarText::slot)
      : traces_(traces), bar_text_(bar_text) {
    for (const Trace& trace : traces) {
      last_ = std::max(last_, end_of(trace));
    }
    for (const Trace& trace : traces) {
      draw_panel(trace);
    }
    draw_axis();
    draw_legend();
  }

  [[nodiscard]] std::string svg() const { return svg_.page(label_width + plot_width + 2 * margin, y_); }

 private:
  static constexpr int margin = 12;
  static constexpr int label_width = 104;
  static constexpr int plot_width = 880;
  static constexpr int row = 20;
  static constexpr int bar = 16;

  [[nodiscard]] double x(long long time) const {
    return margin + label_width + static_cast<double>(time) * plot_width / static_cast<double>(std::max(last_, 1LL));
  }

  void draw_panel(const Trace& trace) {
    const std::vector<Span> spans = spans_of(trace, 0);
    const std::vector<std::string> names = warp_names(trace, spans);
    y_ += 16;
    svg_.text(margin, y_, "h", trace.name);
    y_ += 8;
    // DMA warps first: they come before what is computed.
    for (const bool dma_rows : {true, false}) {
      for (int warp = 0; warp < trace.warps; ++warp) {
        const std::string& name = names[static_cast<std::size_t>(warp)];
        if (name.starts_with("DMA") == dma_rows) {
          svg_.text(margin + label_width - 8, y_ + 12, "r", name);
          draw_bars(spans, warp);
          y_ += row;
        }
      }
    }
    y_ += 10;
  }

  void draw_bars(const std::vector<Span>& spans, int warp) {
    for (const Span& span : spans) {
      if (span.warp == warp) {
        const std::string colour = "bar c" + std::to_string(span.slot % dma::host::Svg::colours);
        const std::string kind = span.doing == Doing::waits ? "wait" : colour;
        const double left = x(span.begin);
        const double width = x(span.end) - left;
        svg_.box(span.doing == Doing::asks ? kind + " pale" : kind, left, y_, width, bar,
                 name_of(span) + ", " + std::to_string(span.begin) + " to " + std::to_string(span.end));
        if (width > 9 && (span.doing == Doing::moves || span.doing == Doing::computes)) {
          const std::string work = span.doing == Doing::moves ? "load" : "compute";
          svg_.text(left + width / 2, y_ + 12, "n", bar_text_ == BarText::work ? work : std::to_string(span.slot));
        }
      }
    }
  }

  void draw_axis() {
    long long step = 1;
    while (last_ / step > 12) {
      step *= last_ / step > 120 ? 10 : last_ / step > 24 && step % 5 != 0 ? 5 : 2;
    }
    std::string lines;
    for (long long time = 0; time <= last_; time += step) {
      lines += dma::host::Svg::move_to(x(time), y_) + "v5";
      svg_.text(x(time), y_ + 17, "m", std::to_string(time));
    }
    svg_.path("g", lines + dma::host::Svg::move_to(x(0), y_) + "H" + dma::host::Svg::number(x(last_)));
    svg_.text(margin, y_ + 17, "k", traces_.empty() ? "" : traces_.front().unit);
    y_ += 28;
  }

  void draw_legend() {
    const std::pair<const char*, const char*> keys[] = {{"bar c0", "moves or computes on slot 0"},
                                                        {"bar c1", "slot 1"},
                                                        {"bar c0 pale", "issues loads ahead"},
                                                        {"wait", "waits"}};
    double left = margin + label_width;
    for (const auto& [kind, words] : keys) {
      svg_.box(kind, left, y_, 22, bar);
      svg_.text(left + 30, y_ + 12, "k", words);
      left += 30 + 6.5 * static_cast<double>(std::string(words).size()) + 24;
    }
    y_ += bar + margin;
  }

  const std::vector<Trace>& traces_;
  BarText bar_text_;
  long long last_ = 0;
  int y_ = 4;
  dma::host::Svg svg_{{{"bar", "stroke:#727a84;stroke-opacity:.6;stroke-width:.6"},
                       {"wait", "fill:#727a84;fill-opacity:.18"},
                       {"pale", "fill-opacity:.4"}}};
};

}  // namespace draw
