#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
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
  explicit CanonicalForm(std::vector<int> classes) : classes_(std::move(classes)) {}

  [[nodiscard]] std::vector<int> of(const Graph& graph) {
    find_places(graph);
    order_threads(graph);
    std::vector<int> form;
    std::vector<int> locations(static_cast<std::size_t>(graph.locations()), -1);
    int named = 0;
    for (const int thread : order_) {
      form.push_back(static_cast<int>(graph.of_thread(thread).size()));
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
  /// Threads of a class in the order of what they did, as far as that tells them apart.
  void order_threads(const Graph& graph) {
    const auto count = static_cast<std::size_t>(graph.threads());
    signs_.assign(count, 0);
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::uint64_t> next(count);
      for (std::size_t thread = 0; thread < count; ++thread) {
        const int own = classes_[thread];
        next[thread] = mix(own < 0 ? thread : 0, graph.of_thread(static_cast<int>(thread)).size());
        for (const int event : graph.of_thread(static_cast<int>(thread))) {
          const Event& it = graph.at(event);
          const bool sees = it.is_read() && it.from >= 0;
          next[thread] = mix(next[thread], sees ? signs_[static_cast<std::size_t>(graph.at(it.from).thread)] : 1);
          next[thread] = mix(next[thread], sees ? static_cast<std::uint64_t>(graph.at(it.from).number) : 2);
          next[thread] = mix(next[thread], static_cast<std::uint64_t>(places_[static_cast<std::size_t>(event)]));
        }
      }
      signs_ = std::move(next);
    }
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int one, int other) {
      const auto a = static_cast<std::size_t>(one);
      const auto b = static_cast<std::size_t>(other);
      const int left = classes_[a] < 0 ? -1 - one : classes_[a];
      const int right = classes_[b] < 0 ? -1 - other : classes_[b];
      return left != right ? left < right : signs_[a] < signs_[b];
    });
    rank_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      rank_[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
    }
  }

  static constexpr int rounds = 3;

  std::vector<int> classes_;
  std::vector<int> places_;  ///< of writes among those of their location, by event
  std::vector<std::uint64_t> signs_;
  std::vector<int> order_;  ///< threads
  std::vector<int> rank_;   ///< by thread
};

}  // namespace dma::inline v0_1::proof::detail::memory
