#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host {

/// A picture as SVG: shapes and words, each of a kind that a style says. It reads on a white page and on a black one:
/// its greys stand out from both, and what is on a colour is dark. Its style holds inside the picture alone, in a page
/// too.
///
/// Kinds of all pictures, of which a shape may have several:
///   h r m n k  words: a heading, on the left or in the middle of x, in the middle and on a colour, others
///   g l        lines, thin and thick
///   c0 to c7   colours
class Svg {
 public:
  /// Names of kinds, and what CSS says of each.
  using Style = std::vector<std::pair<std::string, std::string>>;
  static constexpr int colours = 8;

  /// @param more  kinds of this picture
  explicit Svg(Style more = {}) : more_(std::move(more)) {}

  /// @param y  of the line that the letters are on
  void text(double x, double y, std::string_view kind, std::string_view words) {
    add("text", kind, " x=\"" + number(x) + "\" y=\"" + number(y) + "\"", escaped(words));
  }
  /// @param line  SVG's path data: "M0 0h4"
  void path(std::string_view kind, std::string_view line) { add("path", kind, " d=\"" + std::string(line) + "\"", ""); }
  /// @param title  shown under a pointer
  void box(std::string_view kind, double x, double y, double width, double height, std::string_view title = "") {
    add("rect", kind,
        " x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" + number(height) +
            "\"",
        title.empty() ? "" : "<title>" + escaped(title) + "</title>");
  }
  void circle(std::string_view kind, double x, double y, double radius) {
    add("circle", kind, " cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) + "\"", "");
  }
  /// Elements that are written already, `<defs>` for example.
  void raw(std::string_view elements) { body_ += elements; }
  /// CSS that is of no kind: what moves, for example, and for whom it does not.
  void add_css(std::string_view rules) { css_ += rules; }

  [[nodiscard]] static const char* colour(int number) {
    constexpr const char* fills[colours] = {"#8ecae6", "#ffc857", "#95d5a0", "#f4a09a",
                                            "#c8b6e8", "#e6d690", "#7fd1c7", "#f0b3d5"};
    return fills[number];
  }

  /// The whole picture.
  ///
  /// @param label  for readers who do not see it
  [[nodiscard]] std::string page(double width, double height, std::string_view label = "") const {
    const std::string size = number(width) + ' ' + number(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dma\" width=\"" + number(width) + "\" height=\"" +
           number(height) + "\" viewBox=\"0 0 " + size + "\"" +
           (label.empty() ? "" : " role=\"img\" aria-label=\"" + escaped(label) + "\"") + ">\n" + style() + body_ +
           "</svg>\n";
  }

  /// With one digit behind the point, where it is not 0.
  [[nodiscard]] static std::string number(double value) {
    const long long tenths = std::llrint(10 * value);
    const std::string text = (tenths < 0 ? "-" : "") + std::to_string(std::abs(tenths) / 10);
    return tenths % 10 == 0 ? text : text + '.' + std::to_string(std::abs(tenths) % 10);
  }
  /// For `path`: goes to a place without a line.
  [[nodiscard]] static std::string move_to(double x, double y) { return 'M' + number(x) + ' ' + number(y); }

 private:
  void add(std::string_view element, std::string_view kind, const std::string& attributes, const std::string& inside) {
    const std::string name(element);
    body_ += '<' + name + " class=\"" + std::string(kind) + '"' + attributes;
    body_ += inside.empty() ? "/>\n" : '>' + inside + "</" + name + ">\n";
  }
  [[nodiscard]] static std::string escaped(std::string_view words) {
    std::string text;
    for (const char c : words) {
      text += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    }
    return text;
  }
  [[nodiscard]] std::string style() const {
    Style all{{"text", "font:12px sans-serif;fill:#727a84"},
              {".h", "font-weight:bold"},
              {".r", "text-anchor:end;font-size:11px"},
              {".m", "text-anchor:middle;font-size:11px"},
              {".n", "text-anchor:middle;font-size:11px;fill:#16191d"},
              {".g", "stroke:#727a84;stroke-opacity:.75;fill:none;shape-rendering:crispEdges"},
              {".l", "stroke:#727a84;stroke-width:2;fill:none"}};
    for (int i = 0; i < colours; ++i) {
      all.emplace_back(".c" + std::to_string(i), "fill:" + std::string(colour(i)));
    }
    for (const auto& [kind, rule] : more_) {
      all.emplace_back('.' + kind, rule);
    }
    std::string rules;
    for (const auto& [kind, rule] : all) {
      rules += ".dma " + kind + '{' + rule + '}';
    }
    return "<style>" + rules + css_ + "</style>\n";
  }

  Style more_;
  std::string css_;
  std::string body_;
};

}  // namespace dma::inline v0_1::host
