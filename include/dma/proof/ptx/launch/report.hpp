#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/ptx/launch/prove_launches.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Whether a launch was not judged.
[[nodiscard]] inline bool is_refused(const LaunchVerdict& launch) {
  return !launch.verdict.is_proved() &&
         (!launch.refusal.empty() || proof::detail::name_of_refusal(launch.verdict.kind)[0] != '\0');
}
/// `proved`, `error`, `rule` or `refused`.
[[nodiscard]] inline const char* class_of(const LaunchVerdict& launch) {
  return launch.verdict.is_proved() ? (launch.broken_rules.empty() ? "proved" : "rule")
         : is_refused(launch)       ? "refused"
                                    : "error";
}
/// What the program ends with.
[[nodiscard]] inline int exit_code_of(const LaunchVerdict& launch) {
  return launch.verdict.is_proved() ? (launch.broken_rules.empty() ? 0 : 4) : is_refused(launch) ? 3 : 1;
}

/// Seconds with two digits behind the point.
[[nodiscard]] inline std::string text_of_seconds(double seconds) {
  const std::string digits = std::to_string(100 + std::llrint(100 * seconds) % 100);
  return std::to_string(std::llrint(100 * seconds) / 100) + '.' + digits.substr(1);
}
/// A verdict's lines, but for what concerns the library's own launches. A schedule of many threads is not drawn.
[[nodiscard]] inline std::string text_of(Verdict verdict) {
  constexpr std::size_t most_drawn = 32;
  std::string steps;
  if (verdict.timeline.agents.size() > most_drawn) {
    for (const auto& step : verdict.timeline.steps) {
      steps += "  " + step.text + '\n';
    }
    verdict.timeline = {};
  }
  const std::string all = proof::detail::text_of(verdict);
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end + 1) {
    end = std::min(all.find('\n', begin), all.size());
    const std::string line = all.substr(begin, end - begin);
    if (!line.starts_with("  dma::")) {
      text += line.substr(0, line.find("; not watched:")) + '\n';
    }
  }
  return text + steps;
}
/// A launch's verdict as text.
[[nodiscard]] inline std::string text_of(const LaunchVerdict& launch) {
  std::string text =
      launch.entry + ": " + (launch.refusal.empty() ? text_of(launch.verdict) : "refused: " + launch.refusal + '\n');
  text += "  " + std::to_string(launch.instructions) + " instructions in " + text_of_seconds(launch.verdict.seconds) +
          " s\n";
  for (const std::string& rule : launch.broken_rules) {
    text += "  rule: " + rule + '\n';
  }
  for (const std::string& remark : launch.remarks) {
    text += "  remark: " + remark + '\n';
  }
  if (!launch.not_computed.empty()) {
    text += "  values that were not computed:";
    for (const auto& [opcode, place] : launch.not_computed) {
      text += ' ' + opcode + " (" + place + ')';
    }
    text += '\n';
  }
  return text;
}
/// Verdicts as text.
[[nodiscard]] inline std::string report_of(const std::vector<LaunchVerdict>& launches,
                                           const std::vector<std::string>& differences) {
  std::string text;
  for (const LaunchVerdict& launch : launches) {
    text += text_of(launch);
  }
  for (const std::string& difference : differences) {
    text += difference + '\n';
  }
  return text;
}

/// A text in JSON.
[[nodiscard]] inline std::string json_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += c < 0x10 ? "\\u000" : "\\u001";
      result += "0123456789abcdef"[c % 0x10];
    } else {
      result += c;
    }
  }
  return result + '"';
}
/// Writes verdicts as JSON: a list of launches and one of differences.
///
/// @param more     a member of what else was asked for; empty: nothing
/// @param unknown  what was not computed of the arrays that were asked for
inline void write_json(std::ostream& out, const std::vector<LaunchVerdict>& launches,
                       const std::vector<std::string>& differences, const std::string& more = "",
                       const std::vector<std::string>& unknown = {}) {
  const auto list = [&](const auto& items, const auto& write) {
    out << '[';
    bool is_first = true;
    for (const auto& item : items) {
      out << (is_first ? "" : ", ");
      write(item);
      is_first = false;
    }
    out << ']';
  };
  const auto write_text = [&](const std::string& text) { out << json_text(text); };
  out << "{\"launches\": ";
  list(launches, [&](const LaunchVerdict& launch) {
    const Verdict& verdict = launch.verdict;
    out << "\n  {\"entry\": " << json_text(launch.entry) << ", \"class\": \"" << class_of(launch)
        << "\", \"finding\": " << json_text(name_of(verdict.kind))
        << ",\n   \"message\": " << json_text(launch.refusal.empty() ? verdict.message : launch.refusal)
        << ",\n   \"schedule\": " << json_text(verdict.timeline.text())
        << ",\n   \"only\": " << json_text(verdict.reservation) << ", \"runs\": " << verdict.runs
        << ", \"operations\": " << verdict.operations << ", \"instructions\": " << launch.instructions
        << ", \"seconds\": " << verdict.seconds << ",\n   \"not_judged\": ";
    list(verdict.not_judged, write_text);
    out << ", \"rules\": ";
    list(launch.broken_rules, write_text);
    out << ", \"remarks\": ";
    list(launch.remarks, write_text);
    out << ", \"not_computed\": ";
    list(launch.not_computed, [&](const auto& item) { write_text(item.first + " (" + item.second + ")"); });
    out << ",\n   \"text\": " << json_text(text_of(launch)) << '}';
  });
  out << ",\n \"differences\": ";
  list(differences, write_text);
  out << ", \"unknown\": ";
  list(unknown, write_text);
  out << (more.empty() ? "" : ",\n " + more) << "}\n";
}

}  // namespace dma::inline v0_1::proof::ptx::detail
