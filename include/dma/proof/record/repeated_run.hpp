#pragma once

#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Follows the threads of a CTA along an earlier run, whose recording says what each does next. Most runs do the same
/// as the first, and need no recording of their own.
class RepeatedRun {
 public:
  explicit RepeatedRun(const Recording& earlier) : earlier_(earlier), next_(earlier.threads.size()) {}

  /// Whether a thread's next operation is this one. Source lines are not compared.
  ///
  /// @param shared  its bytes of shared memory, tidy
  [[nodiscard]] bool repeats(std::size_t thread, const Operation& operation, const Accesses& shared,
                             const Accesses& global) {
    Next& next = next_[thread];
    const auto& operations = earlier_.threads[thread];
    if (next.operation == operations.size()) {
      return false;
    }
    const Operation& earlier = operations[next.operation];
    if (earlier.kind != operation.kind || earlier.barrier != operation.barrier || earlier.count != operation.count ||
        earlier.adds != operation.adds || earlier.ordered != operation.ordered ||
        earlier.is_relaxed != operation.is_relaxed || !is_list(earlier.reads, shared.reads) ||
        !is_list(earlier.writes, shared.writes) || !repeats_global(thread, static_cast<int>(next.operation), global)) {
      return false;
    }
    ++next.operation;
    prefetch(operations, next.operation);
    return true;
  }
  /// The same for one that accesses global memory alone.
  [[nodiscard]] bool repeats_apart(std::size_t thread, const Accesses& global) {
    Next& next = next_[thread];
    const auto& apart = earlier_.apart[thread];
    if (next.apart == apart.size() || apart[next.apart].before != next.operation ||
        !repeats_global(thread, ~static_cast<int>(next.apart), global)) {
      return false;
    }
    ++next.apart;
    prefetch(apart, next.apart);
    return true;
  }
  /// Whether each thread has done all that it did in the earlier run.
  [[nodiscard]] bool is_complete() const {
    for (std::size_t thread = 0; thread < next_.size(); ++thread) {
      if (next_[thread].operation != earlier_.threads[thread].size() ||
          (!earlier_.apart.empty() && next_[thread].apart != earlier_.apart[thread].size())) {
        return false;
      }
    }
    return true;
  }
  /// Copies what the threads have done so far.
  void copy_to(Recording& recording) const {
    recording.places = earlier_.places;
    recording.seen = earlier_.seen;
    for (std::size_t thread = 0; thread < next_.size(); ++thread) {
      copy(earlier_.threads, recording.threads, thread, next_[thread].operation);
      copy(earlier_.apart, recording.apart, thread, next_[thread].apart);
      copy(earlier_.global, recording.global, thread, next_[thread].global);
    }
  }

 private:
  struct Next {
    std::size_t operation = 0;
    std::size_t apart = 0;
    std::size_t global = 0;
  };

  [[nodiscard]] bool is_list(int number, const ByteRanges& ranges) const {
    return number == 0 ? ranges.empty() : (*earlier_.ranges)[number] == ranges;
  }
  /// Most operations access no global memory.
  [[nodiscard, gnu::always_inline]] bool repeats_global(std::size_t thread, int operation, const Accesses& now) {
    return (next_[thread].global == earlier_.global[thread].size() && now.is_empty()) ||
           repeats_accesses(thread, operation, now);
  }
  [[nodiscard, gnu::noinline]] bool repeats_accesses(std::size_t thread, int operation, const Accesses& now) {
    std::size_t at = next_[thread].global;
    const auto& accesses = earlier_.global[thread];
    for (const ByteRanges* const ranges : {&now.reads, &now.writes}) {
      for (const ByteRange& range : *ranges) {
        if (at == accesses.size() || !(accesses[at] == GlobalAccess{range, operation, ranges == &now.writes})) {
          return false;
        }
        ++at;
      }
    }
    if (at < accesses.size() && accesses[at].operation == operation) {
      return false;
    }
    next_[thread].global = at;
    prefetch(accesses, at);
    return true;
  }
  /// There are too many lists for the hardware to follow, so that each element came from memory.
  template <class List>
  static void prefetch(const List& list, std::size_t next) {
    constexpr std::size_t ahead = 256 / sizeof list[0];
    if (next + ahead < list.size()) {
      __builtin_prefetch(&list[next + ahead]);
    }
  }
  template <class Lists>
  static void copy(const Lists& from, Lists& to, std::size_t thread, std::size_t count) {
    to[thread].assign(from[thread].begin(), from[thread].begin() + static_cast<std::ptrdiff_t>(count));
  }

  const Recording& earlier_;
  std::vector<Next> next_;  ///< of each thread
};

}  // namespace dma::inline v0_1::proof::detail
