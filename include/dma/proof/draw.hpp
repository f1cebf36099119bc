#pragma once

#include <dma/host/svg.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/timeline.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof {

namespace detail {

/// A schedule as a picture: a column for each warp that takes part, a row for each step, its sentence beside it.
class TimelinePicture {
 public:
  TimelinePicture(const Timeline& timeline, int most_steps)
      : timeline_(timeline), rows_(rows_of(static_cast<int>(timeline.steps.size()), most_steps)) {
    for (int agent = 0; agent < static_cast<int>(timeline.agents.size()); ++agent) {
      const auto is_its = [&](const Timeline::Step& step) { return step.agent == agent; };
      if (std::any_of(timeline.steps.begin(), timeline.steps.end(), is_its)) {
        agents_.push_back(agent);
      }
    }
  }

  [[nodiscard]] std::string svg() {
    if (timeline_.steps.empty()) {
      return "";
    }
    draw_columns();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      draw_row(rows_[row], y_of(static_cast<double>(row)));
    }
    double y = y_of(static_cast<double>(rows_.size())) + gap;
    draw_keys(y);
    for (const std::string& pipeline : timeline_.pipelines) {
      y += row_height;
      text(margin, y + baseline, "k", pipeline.size() < longest ? pipeline : pipeline.substr(0, longest - 3) + "...");
    }
    return svg_.page(width_ + margin, y + row_height + margin, "the schedule, step by step");
  }

 private:
  /// Steps from `first` on, in one row where they are more than one.
  struct Row {
    int first;
    int count;
  };

  static constexpr double margin = 12;
  static constexpr double gap = 6;
  static constexpr double column = 26;
  static constexpr double row_height = 18;
  static constexpr double baseline = 4;        ///< of words, below the middle of their row
  static constexpr double letter_width = 7.2;  ///< of most words, so that the picture is wide enough
  static constexpr std::size_t longest = 110;

  /// The first steps and the last, which end in the fault, with a row for all between them.
  [[nodiscard]] static std::vector<Row> rows_of(int steps, int most_steps) {
    const int begin = steps <= most_steps ? steps : most_steps / 4;
    const int end = steps <= most_steps ? 0 : most_steps - 1 - begin;
    std::vector<Row> rows;
    for (int step = 0; step < begin; ++step) {
      rows.push_back({step, 1});
    }
    if (begin + end < steps) {
      rows.push_back({begin, steps - begin - end});
    }
    for (int step = steps - end; step < steps; ++step) {
      rows.push_back({step, 1});
    }
    return rows;
  }
  [[nodiscard]] const Timeline::Step& step(int index) const { return timeline_.steps[static_cast<std::size_t>(index)]; }
  [[nodiscard]] static double y_of(double row) { return margin + 1.5 * row_height + row * row_height; }
  [[nodiscard]] double x_of(int agent) const {
    const auto place = std::find(agents_.begin(), agents_.end(), agent) - agents_.begin();
    return margin + column / 2 + static_cast<double>(place) * column;
  }
  [[nodiscard]] double x_of_text() const { return margin + static_cast<double>(agents_.size()) * column + gap; }
  /// The row that a step is in.
  [[nodiscard]] double row_of(int index) const {
    const auto row =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& each) { return index < each.first + each.count; });
    return static_cast<double>(row - rows_.begin());
  }
  void text(double x, double y, const std::string& kind, const std::string& words) {
    width_ = std::max(width_, x + letter_width * static_cast<double>(words.size()));
    svg_.text(x, y, kind, words);
  }

  /// The number of a warp; of "thread 3 of CTA 1", 1.3.
  [[nodiscard]] static std::string short_name(const std::string& name) {
    const auto word_behind = [&](const std::string& words) {
      const std::size_t at = name.find(words) + words.size();
      return name.substr(at, name.find(' ', at) - at);
    };
    const std::string cta = " of CTA ";
    return (name.find(cta) == std::string::npos ? "" : word_behind(cta) + '.') + word_behind(" ");
  }
  void draw_columns() {
    std::string lines;
    const double end = y_of(static_cast<double>(rows_.size()) - 0.5);
    for (const int agent : agents_) {
      const std::string& name = timeline_.agents[static_cast<std::size_t>(agent)];
      svg_.text(x_of(agent), margin + baseline, "m", short_name(name));
      lines += host::Svg::move_to(x_of(agent), margin + row_height / 2) + 'V' + host::Svg::number(end);
    }
    const std::string& name = timeline_.agents.front();
    text(x_of_text(), margin + baseline, "k", name.substr(0, name.find(' ')) + (agents_.size() > 1 ? "s" : ""));
    svg_.path("g", lines);
    // What a copy takes, beside its warp's line.
    for (const Timeline::Step& each : timeline_.steps) {
      if (each.began >= 0) {
        const auto index = static_cast<int>(&each - timeline_.steps.data());
        svg_.path("flight", host::Svg::move_to(x_of(each.agent), y_of(row_of(each.began))) + 'V' +
                                host::Svg::number(y_of(row_of(index))));
      }
    }
    draw_reads();
  }
  /// From the write to the read that sees it.
  void draw_reads() {
    for (const Timeline::Step& each : timeline_.steps) {
      if (each.saw >= 0) {
        const auto index = static_cast<int>(&each - timeline_.steps.data());
        svg_.path("saw", host::Svg::move_to(x_of(step(each.saw).agent), y_of(row_of(each.saw))) + 'L' +
                             host::Svg::number(x_of(each.agent)) + ' ' + host::Svg::number(y_of(row_of(index))));
      }
    }
  }
  void draw_row(const Row& row, double y) {
    if (row.count > 1) {
      text(x_of_text(), y + baseline, "k fold", "... " + std::to_string(row.count) + " steps ...");
      return;
    }
    const Timeline::Step& each = step(row.first);
    svg_.path("lead", host::Svg::move_to(x_of(each.agent), y) + 'H' + host::Svg::number(x_of_text() - 3));
    draw_mark(each.mark, x_of(each.agent), y);
    text(x_of_text(), y + baseline, each.is_fault ? "k fault" : "k", each.text);
  }
  void draw_mark(Timeline::Mark mark, double x, double y) {
    switch (mark) {
      case Timeline::Mark::acts:
        return svg_.circle("dot c0", x, y, 5);
      case Timeline::Mark::waits:
        return svg_.circle("dot c1", x, y, 5);
      case Timeline::Mark::copies:
        return svg_.circle("dot c2", x, y, 5);
      case Timeline::Mark::ends_copy:
        return svg_.circle("end", x, y, 4);
      case Timeline::Mark::cannot_continue:
        return svg_.path("cross", host::Svg::move_to(x - 5, y - 5) + "l10 10m0 -10l-10 10");
    }
  }
  void draw_keys(double y) {
    const std::pair<Timeline::Mark, const char*> keys[] = {{Timeline::Mark::acts, "arrives, accesses"},
                                                           {Timeline::Mark::waits, "has waited"},
                                                           {Timeline::Mark::copies, "copies"},
                                                           {Timeline::Mark::ends_copy, "its copy ends"},
                                                           {Timeline::Mark::cannot_continue, "cannot continue"}};
    double x = margin + column / 2;
    for (const auto& [mark, words] : keys) {
      const auto is_its = [mark = mark](const Timeline::Step& each) { return each.mark == mark; };
      if (std::any_of(timeline_.steps.begin(), timeline_.steps.end(), is_its)) {
        draw_mark(mark, x, y);
        text(x + 12, y + baseline, "k", words);
        x += 12 + letter_width * static_cast<double>(std::string(words).size()) + 24;
      }
    }
  }

  const Timeline& timeline_;
  std::vector<Row> rows_;
  std::vector<int> agents_;  ///< that have steps
  double width_ = 0;
  host::Svg svg_{{{"dot", "stroke:#727a84;stroke-width:.6"},
                  {"end", "fill:#95d5a0;fill-opacity:.3;stroke:#3f9b57;stroke-width:2"},
                  {"flight", "stroke:#95d5a0;stroke-width:4;fill:none"},
                  {"saw", "stroke:#3b76c4;stroke-width:1.5;stroke-dasharray:4 2;fill:none"},
                  {"lead", "stroke:#727a84;stroke-opacity:.25;fill:none"},
                  {"cross", "stroke:#d1383d;stroke-width:3;fill:none"},
                  {"fold", "font-style:italic"},
                  {"fault", "fill:#d1383d;font-weight:bold"}}};
};

}  // namespace detail

/// A verdict's schedule as a picture in SVG; empty where it has none.
///
/// @param most_steps  rows; of a longer schedule the steps between the first and the last are one row
[[nodiscard]] inline std::string draw(const Verdict& verdict, int most_steps = 24) {
  return detail::TimelinePicture(verdict.timeline, most_steps).svg();
}

}  // namespace dma::inline v0_1::proof
