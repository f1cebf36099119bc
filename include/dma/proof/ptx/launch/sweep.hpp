#pragma once

#include <dma/proof/ptx/launch/prove_launches.hpp>
#include <dma/proof/ptx/launch/report.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// A name of a launch, `$tiles`, and the values that it takes one after another.
struct Sweep {
  std::string name;
  std::vector<long long> values = {};
};

/// The most values of a sweep, and the most launches of several.
inline constexpr std::size_t most_swept = 10'000;

/// Whether a name may have it.
[[nodiscard]] constexpr bool is_of_name(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
/// A sweep as it is written: `tiles=0..12`, `tiles=0..64:8`, `tiles=1,2,4..8`.
///
/// @throw std::invalid_argument  it is written otherwise
[[nodiscard]] inline Sweep sweep_of(const std::string& text) {
  const auto refuse = [&] {
    throw std::invalid_argument("--sweep is '" + text +
                                "', which is no name with values; write tiles=0..12, tiles=0..64:8 or tiles=1,2,4");
  };
  std::string_view rest = text;
  const auto read_number = [&] {
    long long number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{}) {
      refuse();
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return number;
  };
  const auto takes = [&](std::string_view sign) {
    const bool is_there = rest.starts_with(sign);
    rest.remove_prefix(is_there ? sign.size() : 0);
    return is_there;
  };
  Sweep sweep{.name = text.substr(0, text.find('='))};
  rest.remove_prefix(std::min(sweep.name.size(), rest.size()));
  const bool is_name = !sweep.name.empty() && std::all_of(sweep.name.begin(), sweep.name.end(), is_of_name);
  if (!is_name || !takes("=")) {
    refuse();
  }
  do {
    const long long first = read_number();
    const long long last = takes("..") ? read_number() : first;
    const long long step = takes(":") ? read_number() : 1;
    if (step < 1 || last < first || (last - first) / step >= static_cast<long long>(most_swept - sweep.values.size())) {
      refuse();
    }
    for (long long value = first; value <= last; value += step) {
      sweep.values.push_back(value);
    }
  } while (takes(","));
  if (!rest.empty()) {
    refuse();
  }
  return sweep;
}

/// A value for each name.
using SweptValues = std::vector<std::pair<std::string, long long>>;

/// Every choice of values, of the last name first.
[[nodiscard]] inline std::vector<SweptValues> choices_of(const std::vector<Sweep>& sweeps) {
  std::vector<SweptValues> choices{{}};
  for (const Sweep& sweep : sweeps) {
    if (choices.size() * sweep.values.size() > most_swept) {
      throw std::invalid_argument("the values of all --sweep are more than " + std::to_string(most_swept) +
                                  " launches; give fewer");
    }
    std::vector<SweptValues> longer;
    for (const SweptValues& choice : choices) {
      for (const long long value : sweep.values) {
        longer.push_back(choice);
        longer.back().emplace_back(sweep.name, value);
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

/// Launches with values in place of names.
///
/// @throw std::invalid_argument  they have a name without values, or values a name that they have not
[[nodiscard]] inline std::string put_values(const std::string& launches, const SweptValues& values) {
  std::string text;
  std::vector<std::string> used;
  for (std::size_t at = 0; at < launches.size();) {
    if (launches[at] != '$' || (at > 0 && is_of_name(launches[at - 1]))) {
      text += launches[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < launches.size() && is_of_name(launches[end])) {
      ++end;
    }
    const std::string name = launches.substr(at + 1, end - at - 1);
    const auto value = std::find_if(values.begin(), values.end(), [&](const auto& it) { return it.first == name; });
    if (value == values.end()) {
      throw std::invalid_argument("a launch has $" + name + ", which has no values; give them as --sweep " + name +
                                  "=0..12");
    }
    text += std::to_string(value->second);
    used.push_back(name);
    at = end;
  }
  for (const auto& [name, value] : values) {
    if (std::find(used.begin(), used.end(), name) == used.end()) {
      throw std::invalid_argument("no launch has $" + name + "; write it where the values of --sweep " + name +
                                  " are to be");
    }
  }
  return text;
}

/// What is said of one choice of values.
struct SweptVerdict {
  SweptValues values;
  std::string launches;
  std::vector<LaunchVerdict> verdicts;

  /// That decides: of the last launch that was judged.
  [[nodiscard]] const LaunchVerdict& last() const { return verdicts.back(); }
  /// As with 0 tiles, of which nothing is to be proved.
  [[nodiscard]] bool did_nothing() const { return last().verdict.kind == FindingKind::nothing_done; }
  [[nodiscard]] std::string class_name() const { return did_nothing() ? "nothing done" : class_of(last()); }
  /// What a proof is limited to; empty where it is of all schedules.
  [[nodiscard]] const std::string& only() const { return last().verdict.reservation; }
  /// "tiles = 3, grid = 2".
  [[nodiscard]] std::string text_of_values() const {
    std::string text;
    for (const auto& [name, value] : values) {
      text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    }
    return text;
  }
};

/// The verdict that is reported: the first error, else the first that was refused, else the first that broke a rule,
/// else the first proof that is limited, else the last one. Values with which nothing was done are no failure, unless
/// all are.
[[nodiscard]] inline const SweptVerdict& decisive(const std::vector<SweptVerdict>& swept) {
  for (const int code : {1, 3, 4}) {
    for (const SweptVerdict& it : swept) {
      if (!it.did_nothing() && exit_code_of(it.last()) == code) {
        return it;
      }
    }
  }
  const auto limited =
      std::find_if(swept.begin(), swept.end(), [](const SweptVerdict& it) { return !it.only().empty(); });
  if (limited != swept.end()) {
    return *limited;
  }
  const auto done =
      std::find_if(swept.rbegin(), swept.rend(), [](const SweptVerdict& it) { return !it.did_nothing(); });
  return done != swept.rend() ? *done : swept.back();
}

/// Writes a line for each choice of values, and the report of the decisive one.
inline void write_sweep(std::ostream& out, const std::vector<SweptVerdict>& swept) {
  for (const SweptVerdict& it : swept) {
    const std::string name = name_of(it.last().verdict.kind);
    out << it.text_of_values() << ": " << (it.class_name() == "error" ? name : it.class_name())
        << (it.only().empty() ? "" : ", only " + it.only()) << '\n';
  }
  const SweptVerdict& one = decisive(swept);
  out << "with " << one.text_of_values() << ", " << one.launches << '\n';
  out << report_of(one.verdicts, {});
}
/// The same as JSON: a table of all choices, and the launches of the decisive one.
[[nodiscard]] inline std::string json_of(const std::vector<SweptVerdict>& swept) {
  std::string table;
  for (const SweptVerdict& it : swept) {
    std::string values;
    for (const auto& [name, value] : it.values) {
      values += (values.empty() ? "" : ", ") + json_text(name) + ": " + std::to_string(value);
    }
    table += (table.empty() ? "[" : ",") + std::string("\n  {\"values\": {") + values +
             "}, \"launch\": " + json_text(it.launches) + ", \"class\": " + json_text(it.class_name()) +
             ", \"finding\": " + json_text(name_of(it.last().verdict.kind)) + ", \"only\": " + json_text(it.only()) +
             "}";
  }
  return table + "]";
}

}  // namespace dma::inline v0_1::proof::ptx::detail
