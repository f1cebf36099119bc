#pragma once

/// Recorded timelines as pictures: an SVG, and lines of text for a terminal.

#include "timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
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

/// Panels one below another. The greys stand out from white and from black alike; text on a colour is dark.
class TracePicture {
 public:
  explicit TracePicture(const std::vector<Trace>& traces, BarText bar_text = BarText::slot)
      : traces_(traces), bar_text_(bar_text) {
    for (const Trace& trace : traces) {
      last_ = std::max(last_, end_of(trace));
    }
  }

  [[nodiscard]] std::string svg() {
    std::string body;
    for (const Trace& trace : traces_) {
      body += panel(trace);
    }
    body += axis();
    body += legend();
    const std::string size =
        std::to_string(label_width + plot_width + 2 * margin) + "\" height=\"" + std::to_string(y_);
    const std::string box = std::to_string(label_width + plot_width + 2 * margin) + " " + std::to_string(y_);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " + box + "\">\n" + style() +
           body + "</svg>\n";
  }

 private:
  static constexpr int margin = 12;
  static constexpr int label_width = 104;
  static constexpr int plot_width = 880;
  static constexpr int row = 20;
  static constexpr int bar = 16;
  static constexpr int colours = 8;

  [[nodiscard]] double x(long long time) const {
    return margin + label_width + static_cast<double>(time) * plot_width / static_cast<double>(std::max(last_, 1LL));
  }

  std::string panel(const Trace& trace) {
    const std::vector<Span> spans = spans_of(trace, 0);
    const std::vector<std::string> names = warp_names(trace, spans);
    y_ += 16;
    std::string out = text(margin, y_, "h", trace.name);
    y_ += 8;
    // DMA warps first: they come before what is computed.
    for (const bool dma_rows : {true, false}) {
      for (int warp = 0; warp < trace.warps; ++warp) {
        const std::string& name = names[static_cast<std::size_t>(warp)];
        if (name.starts_with("DMA") == dma_rows) {
          out += text(margin + label_width - 8, y_ + 12, "r", name) + bars(spans, warp);
          y_ += row;
        }
      }
    }
    y_ += 10;
    return out;
  }

  [[nodiscard]] std::string bars(const std::vector<Span>& spans, int warp) const {
    std::string out;
    for (const Span& span : spans) {
      if (span.warp == warp) {
        std::string kind = span.doing == Doing::waits ? "w" : "c";
        if (span.doing != Doing::waits) {
          kind += std::to_string(span.slot % colours);
        }
        kind += span.doing == Doing::asks ? " a" : "";
        const double left = x(span.begin);
        const double width = x(span.end) - left;
        out += "<rect class=\"" + kind + "\" x=\"" + number(left) + "\" y=\"" + std::to_string(y_) + "\" width=\"" +
               number(width) + "\" height=\"" + std::to_string(bar) + "\"><title>" + name_of(span) + ", " +
               std::to_string(span.begin) + " to " + std::to_string(span.end) + "</title></rect>\n";
        if (width > 9 && (span.doing == Doing::moves || span.doing == Doing::computes)) {
          const std::string work = span.doing == Doing::moves ? "load" : "compute";
          out += text(left + width / 2, y_ + 12, "n", bar_text_ == BarText::work ? work : std::to_string(span.slot));
        }
      }
    }
    return out;
  }

  std::string axis() {
    long long step = 1;
    while (last_ / step > 12) {
      step *= last_ / step > 120 ? 10 : last_ / step > 24 && step % 5 != 0 ? 5 : 2;
    }
    std::string lines = "<path class=\"g\" d=\"";
    std::string words;
    for (long long time = 0; time <= last_; time += step) {
      lines += std::string("M") + number(x(time)) + " " + std::to_string(y_) + "v5";
      words += text(x(time), y_ + 17, "m", std::to_string(time));
    }
    lines += std::string("M") + number(x(0)) + " " + std::to_string(y_) + "H" + number(x(last_)) + "\"/>\n";
    words += text(margin, y_ + 17, "k", traces_.empty() ? "" : traces_.front().unit);
    y_ += 28;
    return lines + words;
  }

  std::string legend() {
    const std::pair<const char*, const char*> keys[] = {
        {"c0", "moves or computes on slot 0"}, {"c1", "slot 1"}, {"c0 a", "issues loads ahead"}, {"w", "waits"}};
    std::string out;
    double left = margin + label_width;
    for (const auto& [kind, words] : keys) {
      out += "<rect class=\"" + std::string(kind) + "\" x=\"" + number(left) + "\" y=\"" + std::to_string(y_) +
             "\" width=\"22\" height=\"" + std::to_string(bar) + "\"/>\n";
      out += text(left + 30, y_ + 12, "k", words);
      left += 30 + 6.5 * static_cast<double>(std::string(words).size()) + 24;
    }
    y_ += bar + margin;
    return out;
  }

  /// A kernel's name may be a template's.
  [[nodiscard]] static std::string escaped(const std::string& words) {
    std::string text;
    for (const char c : words) {
      text += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    }
    return text;
  }
  [[nodiscard]] static std::string number(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.1f", value);
    return digits;
  }
  [[nodiscard]] static std::string text(double left, int baseline, const char* kind, const std::string& words) {
    return "<text class=\"" + std::string(kind) + "\" x=\"" + number(left) + "\" y=\"" + std::to_string(baseline) +
           "\">" + escaped(words) + "</text>\n";
  }
  [[nodiscard]] static std::string style() {
    return "<style>text{font:12px sans-serif;fill:#727a84}.h{font-weight:bold}.r{text-anchor:end;font-size:11px}"
           ".m{text-anchor:middle;font-size:10px}.n{text-anchor:middle;font-size:10px;fill:#16191d}"
           "rect{stroke:#727a84;stroke-opacity:.6;stroke-width:.6}.w{fill:#727a84;fill-opacity:.18;stroke:none}"
           ".a{fill-opacity:.4}.g{stroke:#727a84;fill:none}"
           ".c0{fill:#8ecae6}.c1{fill:#ffc857}.c2{fill:#95d5a0}.c3{fill:#f4a09a}"
           ".c4{fill:#c8b6e8}.c5{fill:#e6d690}.c6{fill:#7fd1c7}.c7{fill:#f0b3d5}</style>\n";
  }

  const std::vector<Trace>& traces_;
  BarText bar_text_;
  long long last_ = 0;
  int y_ = 4;
};

}  // namespace draw
