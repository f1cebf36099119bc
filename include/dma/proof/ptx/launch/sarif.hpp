#pragma once

#include <dma/config.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/ptx/launch/prove_launches.hpp>
#include <dma/proof/ptx/launch/report.hpp>
#include <dma/proof/ptx/launch/source_places.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What SARIF calls a kind of finding: the name of its enumerator.
[[nodiscard]] constexpr const char* rule_id(FindingKind kind) noexcept {
  switch (kind) {
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::race:
      return "race";
    case FindingKind::unfinished_copy:
      return "unfinished_copy";
    case FindingKind::recycled_barrier:
      return "recycled_barrier";
    case FindingKind::arrival_count:
      return "arrival_count";
    case FindingKind::no_waiter:
      return "no_waiter";
    case FindingKind::barrier_not_open:
      return "barrier_not_open";
    case FindingKind::unwritten_bytes:
      return "unwritten_bytes";
    case FindingKind::accessed_barrier:
      return "accessed_barrier";
    case FindingKind::missing_fence:
      return "missing_fence";
    case FindingKind::armed_at_exit:
      return "armed_at_exit";
    case FindingKind::unconverged_lanes:
      return "unconverged_lanes";
    case FindingKind::broken_contract:
      return "broken_contract";
    case FindingKind::different_outputs:
      return "different_outputs";
    case FindingKind::ended_cta:
      return "ended_cta";
    case FindingKind::narrow_scope:
      return "narrow_scope";
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    default:
      return "";
  }
}

/// Writes findings as SARIF 2.1.0, for tools of code review: errors, and broken rules as warnings. What was not judged
/// is a notification.
///
/// Source  OASIS, Static Analysis Results Interchange Format 2.1.0
class Sarif {
 public:
  /// @param file  with the PTX, or the source
  Sarif(const Module& module, const std::string& file) : places_(module, file), file_(uri_of(file)) {}

  void add(const LaunchVerdict& launch) {
    for (const std::string& rule : launch.broken_rules) {
      add(rule_of(rule), "warning", rule, launch.entry);
    }
    if (is_refused(launch)) {
      const std::string& why = launch.refusal.empty() ? launch.verdict.message : launch.refusal;
      notifications_.push_back(
          "{\"level\": \"warning\", \"message\": " + message_of(launch.entry + " was not judged: " + why) +
          ", \"locations\": [" + place_of(first_in(why)) + "}]}");
    } else if (!launch.verdict.is_proved()) {
      add({rule_id(launch.verdict.kind), name_of(launch.verdict.kind)}, "error", launch.verdict.message, launch.entry);
    }
  }
  void add_difference(const std::string& difference) {
    add({"different_value", "a value that differs from the one expected"}, "error", difference, "");
  }
  void write(std::ostream& out) const {
    std::string rules;
    for (const auto& [id, words] : rules_) {
      rules += (rules.empty() ? "" : ", ") + std::string("{\"id\": ") + json_text(id) +
               ", \"shortDescription\": " + message_of(words) + "}";
    }
    out << "{\"version\": \"2.1.0\",\n \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
        << " \"runs\": [{\"tool\": {\"driver\": {\"name\": \"dma-prove\", \"semanticVersion\": \"" << DMA_VERSION_MAJOR
        << '.' << DMA_VERSION_MINOR << '.' << DMA_VERSION_PATCH << "\", \"rules\": [" << rules << "]}},\n"
        << "  \"invocations\": [{\"executionSuccessful\": true, \"toolExecutionNotifications\": ["
        << joined(notifications_) << "]}],\n  \"results\": [" << joined(results_) << "]}]}\n";
  }

 private:
  using Rule = std::pair<std::string, std::string>;  ///< its id, and what it is in words

  [[nodiscard]] static std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) {
      text += (text.empty() ? "\n   " : ",\n   ") + item;
    }
    return text;
  }
  [[nodiscard]] static std::string message_of(const std::string& text) { return "{\"text\": " + json_text(text) + "}"; }
  /// That a message begins with; else that of products and their registers.
  [[nodiscard]] static Rule rule_of(const std::string& message) {
    for (int number = 0; number <= static_cast<int>(FindingKind::out_of_memory); ++number) {
      const auto kind = static_cast<FindingKind>(number);
      if (rule_id(kind)[0] != '\0' && message.starts_with(std::string(name_of(kind)) + ':')) {
        return {rule_id(kind), name_of(kind)};
      }
    }
    return {"unfenced_product", "a product without a wgmma.fence before it"};
  }
  [[nodiscard]] std::vector<SourcePlace> first_in(const std::string& message) const {
    const auto chains = places_.in(message);
    return chains.empty() ? std::vector<SourcePlace>{{file_, 1}} : chains.front();
  }
  /// An object without its end: more members may follow.
  [[nodiscard]] static std::string place_of(const std::vector<SourcePlace>& chain) { return place_of(chain.back()); }
  [[nodiscard]] static std::string place_of(const SourcePlace& place) {
    const std::string region =
        place.line < 1 ? "" : ", \"region\": {\"startLine\": " + std::to_string(place.line) + "}";
    return "{\"physicalLocation\": {\"artifactLocation\": {\"uri\": " + json_text(place.uri) + "}" + region + "}";
  }
  /// The calls that were inlined, the innermost first.
  void add_calls(std::vector<std::string>& related, const std::vector<SourcePlace>& chain, const char* what) const {
    for (std::size_t i = chain.size() - 1; i-- > 0;) {
      add_related(related, chain[i], what);
    }
  }
  static void add_related(std::vector<std::string>& related, const SourcePlace& place, const char* what) {
    related.push_back(place_of(place) + ", \"id\": " + std::to_string(related.size() + 1) +
                      ", \"message\": " + message_of(what) + "}");
  }
  void add(const Rule& rule, const char* level, const std::string& message, const std::string& entry) {
    const auto known = std::find(rules_.begin(), rules_.end(), rule);
    const auto index = known - rules_.begin();
    if (known == rules_.end()) {
      rules_.push_back(rule);
    }
    const std::vector<SourcePlace> first = first_in(message);
    std::vector<std::string> related;
    add_calls(related, first, "the function was inlined here");
    auto chains = places_.in(message);
    for (std::size_t i = 1; i < chains.size(); ++i) {
      add_related(related, chains[i].back(), "the other place of the message");
      add_calls(related, chains[i], "the function of that was inlined here");
    }
    results_.push_back(
        "{\"ruleId\": " + json_text(rule.first) + ", \"ruleIndex\": " + std::to_string(index) + ", \"level\": \"" +
        level + "\", \"message\": " + message_of(entry.empty() ? message : entry + ": " + message) +
        ",\n    \"locations\": [" + place_of(first) + "}],\n    \"relatedLocations\": [" + joined(related) + "]}");
  }

  SourcePlaces places_;
  std::string file_;
  std::vector<Rule> rules_;
  std::vector<std::string> results_;
  std::vector<std::string> notifications_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
