#pragma once

#include <dma/proof/record/first_difference.hpp>
#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Two runs of a CTA with equal keys did the same.
struct RunKey {
  struct Inputs {
    std::uint64_t counts = 0;   ///< a hash of what its threads read from counters
    std::uint64_t answers = 0;  ///< a hash of the results of their polls
    std::uint64_t found = 0;    ///< a hash of what their atomic accesses found

    friend bool operator<(const Inputs& left, const Inputs& right) {
      return std::tie(left.counts, left.answers, left.found) < std::tie(right.counts, right.answers, right.found);
    }
  };

  Inputs inputs;
  std::uint64_t operations = 0;  ///< a hash of what they did
  std::uint64_t order = 0;       ///< a hash of the order of their atomic accesses

  explicit RunKey(const Recording& recording) {
    std::vector<std::uint64_t> ranges;
    for (int list = 0; list < recording.ranges->size(); ++list) {
      std::uint64_t hash = 0;
      for (const ByteRange& range : (*recording.ranges)[list]) {
        hash = mix(mix(hash, range.first), range.last);
      }
      ranges.push_back(hash);
    }
    for (std::size_t thread = 0; thread < recording.threads.size(); ++thread) {
      operations = mix(operations, recording.threads[thread].size());
      for (const Operation& operation : recording.threads[thread]) {
        operations = mix(operations, static_cast<std::uint64_t>(operation.kind));
        operations = mix(operations, operation.barrier);
        operations = mix(operations, operation.count);
        operations = mix(operations, ranges[static_cast<std::size_t>(operation.reads)]);
        operations = mix(operations, ranges[static_cast<std::size_t>(operation.writes)]);
        operations = mix(operations, static_cast<int>(operation.scope));
        order = mix(order, operation.from);
        order = mix(order, operation.write);
      }
      if (!recording.global.empty()) {
        for (const GlobalAccess& access : recording.global[thread]) {
          if (access.writes) {
            operations = mix(operations, access.operation);
            operations = mix(mix(operations, access.bytes.first), access.bytes.last);
          }
        }
      }
      inputs.counts = mix_all(inputs.counts, recording.counts[thread]);
      inputs.answers = mix_all(inputs.answers, recording.answers[thread]);
      inputs.found = mix_all(inputs.found, recording.found[thread]);
    }
    operations = mix(operations, std::hash<std::string>{}(recording.error));
    operations = mix(operations, recording.polls_by_itself ? 1 : 0);
  }

 private:
  template <class Integer>
  [[nodiscard]] static std::uint64_t mix(std::uint64_t hash, Integer value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 32U);
  }
  template <class List>
  [[nodiscard]] static std::uint64_t mix_all(std::uint64_t hash, const List& list) {
    hash = mix(hash, list.size());
    for (const std::uint64_t value : list) {
      hash = mix(hash, value);
    }
    return hash;
  }
};

/// The different runs of one CTA. Where its threads read equal values from counters, polls and atomics, it has to do
/// the same under every schedule; with other values it is another program.
class DistinctRecordings {
 public:
  /// One that later runs may repeat; null where there is none yet.
  [[nodiscard]] const Recording* first() const { return by_inputs_.empty() ? nullptr : &first_; }
  /// Whether no earlier run did the same.
  [[nodiscard]] bool is_new(const RunKey& key) { return known_.insert({key.operations, key.order}).second; }
  /// Whether an earlier run did something else and read other values from counters.
  [[nodiscard]] bool differs_by_counts(const RunKey& key) const {
    return differs_by(key, [&](const RunKey::Inputs& earlier) { return earlier.counts != key.inputs.counts; });
  }
  /// The same for other results of polls.
  [[nodiscard]] bool differs_by_answers(const RunKey& key) const {
    return differs_by(key, [&](const RunKey::Inputs& earlier) { return earlier.answers != key.inputs.answers; });
  }
  /// The same for what atomic accesses found, with equal values of counters, which are atomics too.
  [[nodiscard]] bool differs_by_atomics(const RunKey& key) const {
    return differs_by(key, [&](const RunKey::Inputs& earlier) {
      return earlier.found != key.inputs.found && earlier.counts == key.inputs.counts;
    });
  }
  /// How a run differs from an earlier one with equal inputs, in words; empty where it does not.
  [[nodiscard]] std::string difference(const RunKey& key, const Recording& now) const {
    const auto earlier = by_inputs_.find(key.inputs);
    if (earlier == by_inputs_.end() ? !differs_by_length_only(now) : earlier->second == key.operations) {
      return "";
    }
    const auto [thread, operation] = first_difference(first_, now);
    if (thread < 0) {
      return "a thread's operations are not the same with this seed as with another, although it read the same counts";
    }
    return "operation " + std::to_string(operation) + " of thread " + std::to_string(thread) +
           " is not the same with this seed as with the first";
  }
  void add(const RunKey& key, Recording recording) {
    if (by_inputs_.empty()) {
      first_ = std::move(recording);
    }
    by_inputs_.try_emplace(key.inputs, key.operations);
  }

 private:
  template <class Differ>
  [[nodiscard]] bool differs_by(const RunKey& key, const Differ& differ) const {
    return std::any_of(by_inputs_.begin(), by_inputs_.end(),
                       [&](const auto& earlier) { return earlier.second != key.operations && differ(earlier.first); });
  }
  /// Whether each thread read what it read in the first run, but more or less of it: no value explains that.
  [[nodiscard]] bool differs_by_length_only(const Recording& now) const {
    const auto is_prefix = [](const auto& a, const auto& b) {
      return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
    };
    for (std::size_t thread = 0; thread < first_.threads.size(); ++thread) {
      if (!is_prefix(first_.counts[thread], now.counts[thread]) ||
          !is_prefix(first_.answers[thread], now.answers[thread]) ||
          !is_prefix(first_.found[thread], now.found[thread])) {
        return false;
      }
    }
    return !by_inputs_.empty();
  }

  Recording first_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> known_;  ///< operations and orders that were judged
  std::map<RunKey::Inputs, std::uint64_t> by_inputs_;        ///< operations
};

}  // namespace dma::inline v0_1::proof::detail
