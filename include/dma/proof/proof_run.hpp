#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/cta_conflicts.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dma::host {

/// Records a kernel with several seeds, checks that each run does the same, and has the run of each CTA judged.
class ProofRun {
 public:
  explicit ProofRun(const ProofOptions& options) : options_(options), start_(std::chrono::steady_clock::now()) {
    for (const auto& bytes : options_.outputs) {
      before_.emplace_back(bytes.begin(), bytes.end());
    }
  }

  /// @param record  `Recording(block, seed, polls_truly)`: runs a CTA
  /// @param judge   `Verdict(recording)`
  template <class Record, class Judge>
  [[nodiscard]] Verdict run(Index3 grid, const Record& record, const Judge& judge) {
    std::vector<Recording> first;
    bool may_poll = false;
    for (int seed = 0; seed < options_.seeds && may_continue(); ++seed) {
      restore();
      std::size_t index = 0;
      for_each_block(grid, [&](Index3 block) {
        Recording now = record(block, options_.first_seed + static_cast<unsigned>(seed), false);
        count(now);
        may_poll = may_poll || now.may_poll;
        if (!now.error.empty()) {
          take(judge(now), seed);
        } else if (seed == 0) {
          first.push_back(std::move(now));
        } else {
          compare(first[index++], now, seed);
        }
        return may_continue();
      });
      keep_outputs();
    }
    // Before outputs are compared: a race may show in them too, and the judge finds the cause.
    for (std::size_t i = 0; i < first.size() && may_continue(); ++i) {
      take(judge(first[i]), 0);
    }
    if constexpr (sees_every_access) {
      if (may_continue()) {
        CtaConflicts conflicts;
        for (const Recording& recording : first) {
          conflicts.add(recording);
        }
        take(conflicts.judge(), 0);
      }
    }
    // Where the library polls, runs with true answers are another program.
    for (int seed = 0; may_poll && seed < options_.seeds && may_continue(); ++seed) {
      restore();
      for_each_block(grid, [&](Index3 block) {
        const Recording now = record(block, options_.first_seed + static_cast<unsigned>(seed), true);
        count(now);
        take(judge(now), seed);
        return may_continue();
      });
      keep_outputs();
    }
    compare_outputs();
    restore();
    verdict_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return verdict_;
  }

 private:
  [[nodiscard]] bool may_continue() const { return verdict_.kind == FindingKind::none; }
  void restore() {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      std::copy(before_[i].begin(), before_[i].end(), options_.outputs[i].begin());
    }
  }
  void count(const Recording& recording) {
    ++verdict_.runs;
    verdict_.operations += recording.operations();
  }
  void take(Verdict verdict, int seed) {
    verdict_.states += verdict.states;
    if (may_continue() && verdict.kind != FindingKind::none) {
      verdict_.kind = verdict.kind;
      verdict_.message = std::move(verdict.message);
      verdict_.timeline = std::move(verdict.timeline);
      verdict_.schedule = std::move(verdict.schedule);
      verdict_.seed = options_.first_seed + static_cast<unsigned>(seed);
    }
  }
  void compare(const Recording& first, const Recording& now, int seed) {
    const auto [thread, operation] = first_difference(first, now);
    if (thread >= 0) {
      take({.kind = FindingKind::depends_on_schedule,
            .message = "operation " + std::to_string(operation) + " of thread " + std::to_string(thread) +
                       " is not the same with this seed as with the first"},
           seed);
    }
  }
  void keep_outputs() {
    outputs_.emplace_back();
    for (const auto& bytes : options_.outputs) {
      outputs_.back().emplace_back(bytes.begin(), bytes.end());
    }
  }
  void compare_outputs() {
    for (std::size_t run = 1; run < outputs_.size() && may_continue(); ++run) {
      if (outputs_[run] != outputs_.front()) {
        take({.kind = FindingKind::different_outputs, .message = "an output differs from that of the first seed"},
             static_cast<int>(run) % options_.seeds);
      }
    }
  }

  const ProofOptions& options_;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::vector<std::byte>> before_;                ///< the bytes of each output
  std::vector<std::vector<std::vector<std::byte>>> outputs_;  ///< of each run
  Verdict verdict_;
};

}  // namespace dma::host
