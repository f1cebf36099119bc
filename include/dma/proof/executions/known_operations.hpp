#pragma once

#include <dma/proof/memory/event.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Which operations of others each thread is ordered after by barriers: what an execution's graph gets of them. An
/// operation is an atomic access or a fence.
class KnownOperations {
 public:
  /// How many operations of each thread.
  using Counts = std::vector<int>;
  /// A named barrier of a CTA, or the meeting of a warp, of its lanes of a mask, or of a cluster.
  using Barrier = std::tuple<int, int, unsigned>;

  explicit KnownOperations(std::size_t threads) : known_(threads, Counts(threads, 0)), told_(known_) {}

  /// A thread has done one more.
  void do_one(int thread) { ++known_[index(thread)][index(thread)]; }
  /// What a thread has come to know since it was asked last, but its own.
  [[nodiscard]] std::vector<memory::OperationName> take_news(int thread) {
    std::vector<memory::OperationName> news;
    Counts& told = told_[index(thread)];
    const Counts& known = known_[index(thread)];
    for (std::size_t other = 0; other < known.size(); ++other) {
      if (other != index(thread) && known[other] > told[other]) {
        news.push_back({static_cast<int>(other), known[other] - 1});
      }
    }
    told = known;
    return news;
  }

  /// A thread arrives at a barrier of so many threads. Returns the generation, which it passes when it has waited.
  int arrive(const Barrier& barrier, int thread, int threads) {
    Meeting& meeting = meetings_[barrier];
    join(meeting.arrived[meeting.generation], known_[index(thread)]);
    const int generation = meeting.generation;
    if (++meeting.count == threads) {
      meeting.count = 0;
      ++meeting.generation;
      meeting.arrived.erase(meeting.generation - 2);
    }
    return generation;
  }
  void pass(const Barrier& barrier, int thread, int generation) {
    join(known_[index(thread)], meetings_[barrier].arrived[generation]);
  }
  // Of a phase barrier, by its word and the number of phases that are complete, modulo 2^8.
  void arrive(const void* word, unsigned complete, int thread) {
    join(phases_[{word, complete % 256}], known_[index(thread)]);
    phases_.erase({word, (complete + 2) % 256});
  }
  void pass(const void* word, unsigned complete, int thread) {
    join(known_[index(thread)], phases_[{word, (complete + 255) % 256}]);
  }

 private:
  struct Meeting {
    int generation = 0;
    int count = 0;
    std::map<int, Counts> arrived;  ///< by generation
  };

  [[nodiscard]] static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  static void join(Counts& counts, const Counts& others) {
    counts.resize(std::max(counts.size(), others.size()), 0);
    for (std::size_t i = 0; i < others.size(); ++i) {
      counts[i] = std::max(counts[i], others[i]);
    }
  }

  std::vector<Counts> known_;
  std::vector<Counts> told_;
  std::map<Barrier, Meeting> meetings_;
  std::map<std::pair<const void*, unsigned>, Counts> phases_;
};

}  // namespace dma::inline v0_1::proof::detail
