#pragma once

#include <dma/proof/memory/event.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Which operations of others each thread is behind by barriers: what an execution's graph gets of them. An operation
/// is an atomic access or a fence.
///
/// A barrier orders memory. A shuffle does not (PTX ISA, shfl.sync), but what a lane does next may follow from what
/// another one has read.
class KnownOperations {
 public:
  /// A named barrier of a CTA, or the meeting of a warp, of its lanes of a mask, or of a cluster.
  using Barrier = std::tuple<int, int, unsigned>;

  explicit KnownOperations(std::size_t threads)
      : known_(threads, Known{Counts(threads, 0), Counts(threads, 0)}), told_(known_) {}

  /// A thread has done one more.
  void do_one(int thread) {
    Known& known = known_[index(thread)];
    ++known.met[index(thread)];
    ++known.ordered[index(thread)];
  }
  /// What a thread is behind that it has not been told, but its own.
  ///
  /// @param ordered  else what it is behind by shuffles alone
  [[nodiscard]] std::vector<memory::OperationName> take_news(int thread, bool ordered) {
    std::vector<memory::OperationName> news;
    Known& told = told_[index(thread)];
    Counts& before = ordered ? told.ordered : told.met;
    const Counts& now = ordered ? known_[index(thread)].ordered : known_[index(thread)].met;
    for (std::size_t other = 0; other < now.size(); ++other) {
      if (other != index(thread) && now[other] > before[other]) {
        news.push_back({static_cast<int>(other), now[other] - 1});
      }
    }
    join(before, now);
    join(told.met, told.ordered);
    return news;
  }

  /// A thread arrives at a barrier of so many threads. Returns the generation, which it passes when it has waited.
  ///
  /// @param orders  false for a shuffle
  int arrive(const Barrier& barrier, int thread, int threads, bool orders) {
    Meeting& meeting = meetings_[barrier];
    join(meeting.arrived[meeting.generation], known_[index(thread)], orders);
    const int generation = meeting.generation;
    if (++meeting.count == threads) {
      meeting.count = 0;
      ++meeting.generation;
      meeting.arrived.erase(meeting.generation - 2);
    }
    return generation;
  }
  void pass(const Barrier& barrier, int thread, int generation, bool orders) {
    join(known_[index(thread)], meetings_[barrier].arrived[generation], orders);
  }
  // Of a phase barrier, by its word and the number of phases that are complete, modulo 2^8. What is relaxed orders
  // nothing, whatever fences are beside it.
  void arrive(const void* word, unsigned complete, int thread, bool orders) {
    join(phases_[{word, complete % 256}], known_[index(thread)], orders);
    phases_.erase({word, (complete + 2) % 256});
  }
  void pass(const void* word, unsigned complete, int thread, bool orders) {
    join(known_[index(thread)], phases_[{word, (complete + 255) % 256}], orders);
  }

 private:
  /// How many operations of each thread.
  using Counts = std::vector<int>;
  struct Known {
    Counts met;      ///< by barriers and shuffles
    Counts ordered;  ///< by barriers
  };
  struct Meeting {
    int generation = 0;
    int count = 0;
    std::map<int, Known> arrived;  ///< by generation
  };

  [[nodiscard]] static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  static void join(Counts& counts, const Counts& others) {
    counts.resize(std::max(counts.size(), others.size()), 0);
    for (std::size_t i = 0; i < others.size(); ++i) {
      counts[i] = std::max(counts[i], others[i]);
    }
  }
  static void join(Known& known, const Known& others, bool orders) {
    join(known.met, others.met);
    if (orders) {
      join(known.ordered, others.ordered);
    }
  }

  std::vector<Known> known_;
  std::vector<Known> told_;
  std::map<Barrier, Meeting> meetings_;
  std::map<std::pair<const void*, unsigned>, Known> phases_;
};

}  // namespace dma::inline v0_1::proof::detail
