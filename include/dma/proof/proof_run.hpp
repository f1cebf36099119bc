#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/deadline.hpp>
#include <dma/host/emulation/memory/kernel_memory.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/cta_conflicts.hpp>
#include <dma/proof/distinct_recordings.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/grids_in_order.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Records a kernel with several seeds, has each different run of each CTA or cluster judged, and checks that the runs
/// of a CTA are the same.
///
/// A finding of the judge ends it. A difference between runs is reported when all runs are judged: a race is a cause of
/// one, and has a line.
class ProofRun {
 public:
  using Record = std::function<Recording(Index3 block, unsigned seed, bool polls_truly, const Recording* earlier,
                                         std::size_t most_bytes)>;
  using Judge = std::function<Verdict(const Recording&)>;

  /// @param record  runs a CTA
  /// @param grids   of several, of which this is the last, whose order is judged; null: there is one
  ProofRun(const Options& options, const host::detail::KernelMemory& memory, const host::detail::Deadline& deadline,
           Record record, Judge judge, GridsInOrder* grids)
      : options_(options),
        memory_(memory),
        deadline_(deadline),
        record_(std::move(record)),
        judge_(std::move(judge)),
        grids_(grids) {
    for (const host::detail::Output& output : options_.outputs) {
      before_.emplace_back(output.bytes.begin(), output.bytes.end());
    }
  }

  /// Ends at the first atomic access of the kernel's own: executions are to be explored instead.
  void stop_at_atomics() { explores_ = true; }
  [[nodiscard]] bool meets_atomics() const { return meets_atomics_; }

  /// @param cluster  CTAs of each, which are recorded together
  [[nodiscard]] Verdict run(Index3 grid, int cluster) {
    const auto start = std::chrono::steady_clock::now();
    run_all(grid, cluster, false);
    if (meets_atomics_) {
      restore();
      return {};
    }
    // Where the library polls, runs with true answers are another program.
    if (may_poll_) {
      run_all(grid, cluster, true);
    }
    if (may_continue()) {
      cancellations_ = difference_.cancellations;
      take(std::move(difference_), difference_.seed);
    }
    compare_outputs();
    restore();
    expect_something_done(verdict_);
    if (too_many_atomics_ > 0) {
      verdict_.not_judged.insert(
          "since " + std::to_string(too_many_atomics_) + " are more than limits.atomics, " +
          std::to_string(options_.limits.atomics) +
          "; prove a smaller grid, take more orders by more seeds, or raise it where few threads compete");
    }
    if (orders_ != 0 && !has_other_atomics_) {
      verdict_.not_judged.erase(orders_of_atomics);
    }
    if (may_continue()) {
      verdict_.reservation = reservation();
      verdict_.claim =
          orders_ == 0 ? "" : "every order in which its CTAs begin or are cancelled (" + std::to_string(orders_) + ")";
    }
    verdict_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return verdict_;
  }

 private:
  /// Whether a kernel orders its threads by so few atomic accesses that their executions may be explored.
  [[nodiscard]] bool is_explored(const Recording& recording) {
    std::ptrdiff_t atomics = 0;
    for (const auto& operations : recording.threads) {
      atomics += std::count_if(operations.begin(), operations.end(),
                               [](const Operation& operation) { return operation.kind == OperationKind::atomic; });
    }
    const Index3& blocks = recording.blocks;
    atomics *= static_cast<std::ptrdiff_t>(blocks.x) * blocks.y * blocks.z / recording.ctas;
    const bool has_no_end =
        recording.error_kind == FindingKind::spinning || recording.error_kind == FindingKind::out_of_memory;
    const bool are_few = has_no_end || atomics <= options_.limits.atomics;
    if (recording.has_own_atomics && !are_few) {
      too_many_atomics_ = std::max(too_many_atomics_, atomics);
    }
    return recording.has_own_atomics && are_few;
  }
  [[nodiscard]] bool may_continue() const { return verdict_.kind == FindingKind::none; }
  [[nodiscard]] std::string reservation() const {
    std::string inputs;
    const auto add = [&](bool depends, const char* input) {
      inputs += !depends ? "" : (inputs.empty() ? "for " : " and ") + std::string(input);
    };
    add(depends_on_counts_, "the values of counters");
    add(depends_on_responses_ && orders_ == 0, "the responses to requests for CTAs that have not begun");
    add(depends_on_atomics_, "the values of atomics");
    add(depends_on_polls_, "the results of polls");
    return inputs.empty()
               ? inputs
               : inputs + " that these runs read: what a CTA does depends on them, and they depend on the schedule";
  }

  void note_atomics(const Recording& now) {
    has_other_atomics_ = has_other_atomics_ || now.has_other_atomics();
    if (now.has_atomics()) {
      verdict_.not_judged.insert(orders_of_atomics);
    }
    if (now.has_standard_atomics) {
      verdict_.not_judged.insert(scopes_of_standard);
    }
  }
  void run_all(Index3 grid, int cluster, bool polls_truly) {
    recordings_.clear();
    kept_bytes_ = 0;
    cancellations_ = options_.cancellations;
    for (int run = 0; run < options_.seeds && may_continue(); ++run) {
      run_grid(grid, cluster, polls_truly, run);
      if (meets_atomics_) {
        return;
      }
    }
    if (asks_for_clusters_ && cancellations_ < 0) {
      run_every_order(grid, cluster, polls_truly);
    }
  }
  /// Each order in which the clusters of a grid begin and are cancelled, by the first seed: where these are few, and in
  /// a quarter of the seconds.
  void run_every_order(Index3 grid, int cluster, bool polls_truly) {
    orders_ = 0;
    const int clusters = grid.x / cluster * grid.y * grid.z;
    if (host::detail::PendingClusters::orders_of(clusters, options_.limits.executions) > options_.limits.executions) {
      return;
    }
    long orders = 0;
    cancellations_ = 0;
    while (cancellations_ >= 0 && may_continue() && !meets_atomics_) {
      if (orders++ == options_.limits.executions || deadline_.seconds_left() < 0.75 * options_.limits.seconds) {
        return;
      }
      const host::detail::PendingClusters pending = run_grid(grid, cluster, polls_truly, 0);
      if (!pending.has_digits_left()) {
        return;
      }
      cancellations_ = pending.next_number();
    }
    orders_ = orders;
  }
  host::detail::PendingClusters run_grid(Index3 grid, int cluster, bool polls_truly, int run) {
    const unsigned seed = options_.first_seed + static_cast<unsigned>(run);
    restore();
    CtaConflicts conflicts;
    std::vector<const Recording*> repeated;
    bool any_is_new = false;
    const auto record = [&](Index3 block) {
      DistinctRecordings& earlier = recordings_[block];
      Recording now = record_(block, seed, polls_truly, earlier.first(), options_.limits.bytes - kept_bytes_);
      ++verdict_.runs;
      merge(verdict_.rings, now.rings);
      may_poll_ = may_poll_ || now.may_poll;
      asks_for_clusters_ = asks_for_clusters_ || now.requests != 0;
      // What repeats an earlier run was not written down.
      verdict_.did_something = verdict_.did_something || now.does_something();
      meets_atomics_ = explores_ && is_explored(now);
      if (meets_atomics_) {
        return false;
      }
      note_atomics(now);
      if (now.repeats_earlier) {
        repeated.push_back(earlier.first());
        verdict_.operations += earlier.first()->operations();
      } else {
        any_is_new = true;
        verdict_.operations += now.operations();
        if constexpr (sees_every_access) {
          add_accesses(conflicts, now);
        }
        if (now.error_kind == FindingKind::out_of_memory) {
          take({.kind = now.error_kind, .message = now.error}, seed);
        } else if (now.error_kind != FindingKind::out_of_time) {
          judge(earlier, std::move(now), seed);
        }
      }
      check_time(run);
      return may_continue();
    };
    host::detail::PendingClusters pending = host::detail::for_each_block(grid, seed, record, cluster, cancellations_);
    if (meets_atomics_) {
      return pending;
    }
    // Where all CTAs do what they did, they access the same bytes.
    if (sees_every_access && any_is_new) {
      for (const Recording* const cta : repeated) {
        conflicts.add(*cta);
      }
      take(conflicts.judge(), seed);
      take(grids_ == nullptr ? Verdict{} : grids_->judge(), seed);
    }
    keep_outputs(seed);
    return pending;
  }
  void add_accesses(CtaConflicts& conflicts, const Recording& now) {
    conflicts.add(now);
    if (grids_ != nullptr) {
      grids_->add(now);
    }
  }
  void judge(DistinctRecordings& earlier, Recording now, unsigned seed) {
    const RunKey key(now);
    if (earlier.is_new(key)) {
      Verdict verdict = judge_(now);
      if (verdict.kind == FindingKind::out_of_time) {
        return;  // check_time() says so.
      }
      take(std::move(verdict), seed);
    }
    if (!now.error.empty() || !may_continue()) {
      return;
    }
    bool& depends = now.requests != 0 ? depends_on_responses_ : depends_on_counts_;
    depends = depends || earlier.differs_by_counts(key);
    depends_on_polls_ = depends_on_polls_ || earlier.differs_by_answers(key);
    depends_on_atomics_ = depends_on_atomics_ || earlier.differs_by_atomics(key);
    if (difference_.is_proved()) {
      difference_.message = earlier.difference(key, now);
      if (!difference_.message.empty()) {
        difference_.kind = FindingKind::depends_on_schedule;
        difference_.seed = seed;
        difference_.cancellations = cancellations_;
      }
    }
    kept_bytes_ += earlier.first() == nullptr ? now.memory_bytes : 0;
    earlier.add(key, std::move(now));
  }
  void take(Verdict verdict, unsigned seed) {
    verdict_.states += verdict.states;
    if (may_continue() && !verdict.is_proved()) {
      verdict_.kind = verdict.kind;
      verdict_.message = std::move(verdict.message);
      verdict_.timeline = std::move(verdict.timeline);
      verdict_.schedule = std::move(verdict.schedule);
      verdict_.seed = seed;
      verdict_.cancellations = cancellations_;
    }
  }
  void check_time(int run) {
    if (may_continue() && deadline_.has_passed()) {
      take({.kind = FindingKind::out_of_time,
            .message = "dma::proof::Options::limits.seconds ended in run " + std::to_string(run + 1) + " of " +
                       std::to_string(options_.seeds) + ", after " + std::to_string(verdict_.runs) +
                       " CTAs in which nothing was found; give it more seconds, fewer seeds or less work"},
           options_.first_seed + static_cast<unsigned>(run));
    }
  }

  void restore() {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      std::copy(before_[i].begin(), before_[i].end(), options_.outputs[i].bytes.begin());
    }
  }
  void keep_outputs(unsigned seed) {
    outputs_.push_back({seed, cancellations_, {}});
    for (const host::detail::Output& output : options_.outputs) {
      outputs_.back().bytes.emplace_back(output.bytes.begin(), output.bytes.end());
    }
    verdict_.did_something = verdict_.did_something || outputs_.back().bytes != before_;
    if (outputs_.size() > 1 && outputs_.back().bytes == outputs_.front().bytes) {
      outputs_.pop_back();
    }
  }
  void compare_outputs() {
    for (std::size_t run = 1; run < outputs_.size() && may_continue(); ++run) {
      for (std::size_t i = 0; i < options_.outputs.size() && may_continue(); ++i) {
        const auto& now = outputs_[run].bytes[i];
        const auto [first, other] = std::mismatch(now.begin(), now.end(), outputs_.front().bytes[i].begin());
        if (first != now.end()) {
          cancellations_ = outputs_[run].cancellations;
          take({.kind = FindingKind::different_outputs,
                .message = memory_.name_of(address_of(i, first - now.begin()), 1) + " is not the same with seed " +
                           outputs_[run].name() + " as with seed " + outputs_.front().name() +
                           (sees_every_access ? "" : "; judge every access to see by which")},
               outputs_[run].seed);
        }
      }
    }
  }

  [[nodiscard]] std::uintptr_t address_of(std::size_t output, std::ptrdiff_t byte) const {
    return reinterpret_cast<std::uintptr_t>(options_.outputs[output].bytes.data() + byte);
  }

  struct IsBefore {
    [[nodiscard]] bool operator()(Index3 a, Index3 b) const {
      return a.z != b.z ? a.z < b.z : a.y != b.y ? a.y < b.y : a.x < b.x;
    }
  };
  struct Outputs {
    unsigned seed;
    long long cancellations;
    std::vector<std::vector<std::byte>> bytes;  ///< of each output

    [[nodiscard]] std::string name() const {
      return std::to_string(seed) + (cancellations < 0 ? "" : " and cancellations " + std::to_string(cancellations));
    }
  };

  const Options& options_;
  const host::detail::KernelMemory& memory_;
  const host::detail::Deadline& deadline_;
  Record record_;
  Judge judge_;
  GridsInOrder* grids_;                         ///< null: there is one
  std::vector<std::vector<std::byte>> before_;  ///< the bytes of each output
  std::vector<Outputs> outputs_;                ///< of each run
  std::map<Index3, DistinctRecordings, IsBefore> recordings_;
  std::size_t kept_bytes_ = 0;  ///< of recordings, those of the first run of each CTA
  bool asks_for_clusters_ = false;
  bool has_other_atomics_ = false;  ///< whose orders are those of the runs
  long long cancellations_ = -1;    ///< of the run
  long orders_ = 0;                 ///< in which clusters begin and are cancelled, where all of them were run
  bool may_poll_ = false;
  bool explores_ = false;
  std::ptrdiff_t too_many_atomics_ = 0;  ///< for their executions to be explored
  bool meets_atomics_ = false;
  // Two runs of a CTA differ by what it read from counters, by what its atomics found, or by the results of polls.
  bool depends_on_counts_ = false;
  bool depends_on_responses_ = false;
  bool depends_on_atomics_ = false;
  bool depends_on_polls_ = false;
  Verdict difference_;  ///< between two runs
  Verdict verdict_;
};

}  // namespace dma::inline v0_1::proof::detail
