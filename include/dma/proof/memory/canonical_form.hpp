#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// A graph in numbers that do not depend on the names of equal threads, nor on the order in which it was built: how
/// many events each thread has, which write each read sees, and the order of the writes.
///
/// Equal forms are of graphs that differ by an exchange of such threads. Graphs that do may have different forms, where
/// their threads are hard to tell apart; they are then explored twice.
class CanonicalForm {
 public:
  /// @param classes  `Options::classes`
  /// @param units    `Options::units`
  CanonicalForm(std::vector<int> classes, std::vector<int> units) : classes_(std::move(classes)) {
    for (std::size_t thread = 0; thread < classes_.size(); ++thread) {
      const std::size_t unit = units.empty() ? thread : static_cast<std::size_t>(units[thread]);
      members_.resize(std::max(members_.size(), unit + 1));
      members_[unit].push_back(static_cast<int>(thread));
    }
  }

  /// @param begun  of each thread whether its CTA has begun: a part of the form; empty where the graph says all
  [[nodiscard]] std::vector<int> of(const Graph& graph, const std::vector<bool>& begun) {
    find_places(graph);
    order_threads(graph, begun);
    std::vector<int> form;
    std::vector<int> locations(static_cast<std::size_t>(graph.locations()), -1);
    int named = 0;
    for (const int thread : order_) {
      form.push_back(static_cast<int>(graph.of_thread(thread).size()));
      if (!begun.empty()) {
        form.push_back(begun[static_cast<std::size_t>(thread)] ? 1 : 0);
      }
      for (const int event : graph.of_thread(thread)) {
        const Event& it = graph.at(event);
        if (it.is_read()) {
          form.push_back(it.from < 0 ? -1 : rank_[static_cast<std::size_t>(graph.at(it.from).thread)]);
          form.push_back(it.from < 0 ? -1 : graph.at(it.from).number);
        } else if (it.is_write() && !it.is_sum) {
          int& name = locations[static_cast<std::size_t>(it.location)];
          name = name < 0 ? named++ : name;
          form.push_back(name);
          form.push_back(places_[static_cast<std::size_t>(event)]);
        }
      }
    }
    return form;
  }

 private:
  void find_places(const Graph& graph) {
    places_.assign(static_cast<std::size_t>(graph.size()), 0);
    for (int location = 0; location < graph.locations(); ++location) {
      int place = 0;
      for (const int write : graph.writes(location)) {
        places_[static_cast<std::size_t>(write)] = place;
        place += graph.at(write).is_sum ? 0 : 1;
      }
    }
  }
  static std::uint64_t mix(std::uint64_t one, std::uint64_t other) {
    const std::uint64_t mixed = (one ^ (other + 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
    return mixed ^ (mixed >> 32U);
  }
  [[nodiscard]] int class_of(std::size_t unit) const { return classes_[static_cast<std::size_t>(members_[unit][0])]; }
  /// What a thread did, as a number.
  [[nodiscard]] std::uint64_t sign_of(const Graph& graph, int thread, std::uint64_t first) const {
    std::uint64_t sign = mix(first, graph.of_thread(thread).size());
    for (const int event : graph.of_thread(thread)) {
      const Event& it = graph.at(event);
      const bool sees = it.is_read() && it.from >= 0;
      sign = mix(sign, sees ? signs_[static_cast<std::size_t>(graph.at(it.from).thread)] : 1);
      sign = mix(sign, sees ? static_cast<std::uint64_t>(graph.at(it.from).number) : 2);
      sign = mix(sign, static_cast<std::uint64_t>(places_[static_cast<std::size_t>(event)]));
    }
    return sign;
  }
  /// Units of a class in the order of what their threads did, as far as that tells them apart.
  void order_threads(const Graph& graph, const std::vector<bool>& begun) {
    const auto count = static_cast<std::size_t>(graph.threads());
    signs_.assign(count, 0);
    std::vector<std::uint64_t> of_units(members_.size());
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::uint64_t> next(count);
      for (std::size_t unit = 0; unit < members_.size(); ++unit) {
        of_units[unit] = class_of(unit) < 0 ? unit : 0;
        for (const int thread : members_[unit]) {
          of_units[unit] = mix(of_units[unit], sign_of(graph, thread, of_units[unit]));
          of_units[unit] =
              begun.empty() ? of_units[unit] : mix(of_units[unit], begun[static_cast<std::size_t>(thread)] ? 1 : 0);
          next[static_cast<std::size_t>(thread)] = of_units[unit];
        }
      }
      signs_ = std::move(next);
    }
    std::vector<std::size_t> units(members_.size());
    std::iota(units.begin(), units.end(), std::size_t{0});
    const auto key_of = [&](std::size_t unit) {
      return std::tuple(class_of(unit) < 0 ? -1 - static_cast<int>(unit) : class_of(unit), of_units[unit], unit);
    };
    std::sort(units.begin(), units.end(), [&](auto one, auto other) { return key_of(one) < key_of(other); });
    order_.clear();
    rank_.resize(count);
    for (const std::size_t unit : units) {
      for (const int thread : members_[unit]) {
        rank_[static_cast<std::size_t>(thread)] = static_cast<int>(order_.size());
        order_.push_back(thread);
      }
    }
  }

  static constexpr int rounds = 3;

  std::vector<int> classes_;
  std::vector<std::vector<int>> members_;  ///< threads, by unit
  std::vector<int> places_;                ///< of writes among those of their location, by event
  std::vector<std::uint64_t> signs_;
  std::vector<int> order_;  ///< threads
  std::vector<int> rank_;   ///< by thread
};

}  // namespace dma::inline v0_1::proof::detail::memory
