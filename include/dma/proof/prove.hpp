#pragma once

#include <dma/host/launch.hpp>
#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/recorder.hpp>
#include <dma/proof/record/warps.hpp>
#include <dma/proof/replay.hpp>
#include <dma/proof/search/search.hpp>
#include <dma/proof/verdict.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dma::host {

/// How a kernel is recorded before it is judged.
struct ProofOptions {
  unsigned first_seed = 0;  ///< of the runs: `launch` with the same seed makes the same run
  int seeds = 2;            ///< runs that have to do the same operations, and give the same outputs
  /// Global memory that the kernel writes: set back before each run, and compared after it.
  std::vector<std::span<std::byte>> outputs = {};
  SearchLimits limits = {};
};

/// The bytes of an array, as one of `ProofOptions::outputs`.
template <class Range>
[[nodiscard]] std::span<std::byte> output(Range& range) {
  return std::as_writable_bytes(std::span(range));
}

/// One CTA's run, written down.
template <KernelBody Kernel, class... Args>
[[nodiscard]] Recording record(const Kernel& kernel, Index3 block, Index3 blocks, unsigned seed, bool polls_truly,
                               Args... args) {
  Recorder recorder(polls_truly);
  CtaEmulator cta(
      cta_shape<Kernel>(block, blocks),
      [&] {
        KernelCta<Kernel> self;
        kernel(self, args...);
        Recorder::end_thread();
      },
      seed, &recorder);
  try {
    cta.run();
  } catch (const std::exception& error) {
    recorder.recording().error = error.what();
    recorder.recording().is_deadlock = recorder.recording().error.find("deadlock") != std::string::npos;
  }
  return std::move(recorder.recording());
}

/// Records a kernel under several seeds, makes sure that it did the same, and has each CTA's run judged.
class ProofRun {
 public:
  ProofRun(const ProofOptions& options) : options_(options), start_(std::chrono::steady_clock::now()) {
    for (const auto& bytes : options_.outputs) {
      before_.emplace_back(bytes.begin(), bytes.end());
    }
  }

  /// @param record  (block, seed, polls_truly) to a `Recording`
  /// @param judge   a `Recording` to a `Verdict`
  template <class Record, class Judge>
  [[nodiscard]] Verdict run(Index3 grid, const Record& record, const Judge& judge) {
    std::vector<Recording> first;
    bool may_poll = false;
    for (int seed = 0; seed < options_.seeds && may_go_on(); ++seed) {
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
        return may_go_on();
      });
      keep_outputs();
    }
    // A race may show in the outputs too: what the judge finds is the cause.
    for (std::size_t i = 0; i < first.size() && may_go_on(); ++i) {
      take(judge(first[i]), 0);
    }
    // Where the library polls, a run in which it is told the truth is another program.
    for (int seed = 0; may_poll && seed < options_.seeds && may_go_on(); ++seed) {
      restore();
      for_each_block(grid, [&](Index3 block) {
        const Recording now = record(block, options_.first_seed + static_cast<unsigned>(seed), true);
        count(now);
        take(judge(now), seed);
        return may_go_on();
      });
      keep_outputs();
    }
    compare_outputs();
    restore();
    verdict_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return verdict_;
  }

 private:
  [[nodiscard]] bool may_go_on() const { return verdict_.kind == FindingKind::none; }
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
    if (may_go_on() && verdict.kind != FindingKind::none) {
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
                       " is another one under this seed than under the first"},
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
    for (std::size_t run = 1; run < outputs_.size() && may_go_on(); ++run) {
      if (outputs_[run] != outputs_.front()) {
        take({.kind = FindingKind::different_outputs, .message = "an output differs from that of the first seed"},
             static_cast<int>(run) % options_.seeds);
      }
    }
  }

  const ProofOptions& options_;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::vector<std::byte>> before_;
  std::vector<std::vector<std::vector<std::byte>>> outputs_;  ///< of each run
  Verdict verdict_;
};

/// Proves a kernel body for all schedules at once: free of deadlock, of races on tiles, of barriers recycled too early,
/// of copies whose end nobody waited for, of missing proxy fences, and of anything left armed at its end.
///
/// Runs it as `launch` does, and judges what the threads of each CTA did by happens-before, a vector clock a thread.
/// What is not watched is global memory, which `ProofOptions::outputs` compares over the seeds, and shared memory that
/// is not a pipeline's. A kernel whose operations depend on the schedule is refused.
///
/// Cost    a few runs of `launch`
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict prove(const ProofOptions& options, const Kernel& kernel, Index3 grid, Args... args) {
  check_body<Kernel>();
  check_arguments<Kernel>(args...);
  const auto runs = [&](Index3 block, unsigned seed, bool polls_truly) {
    return record(kernel, block, grid, seed, polls_truly, args...);
  };
  return ProofRun(options).run(grid, runs, [&](const Recording& recording) { return judge_by_clocks(recording); });
}
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict prove(const Kernel& kernel, Index3 grid, Args... args) {
  return prove(ProofOptions{}, kernel, grid, args...);
}

/// The same by a search over every schedule of each CTA's warps: for small kernels, and for the shortest schedule that
/// fails. Refuses what does not end within `ProofOptions::limits`.
///
/// Cost    some microseconds a state; thousands of states for a few warps and tiles, millions for many stages
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict explore(const ProofOptions& options, const Kernel& kernel, Index3 grid, Args... args) {
  check_body<Kernel>();
  check_arguments<Kernel>(args...);
  const auto runs = [&](Index3 block, unsigned seed, bool polls_truly) {
    return record(kernel, block, grid, seed, polls_truly, args...);
  };
  return ProofRun(options).run(grid, runs,
                               [&](const Recording& recording) { return judge_by_search(options.limits, recording); });
}
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict explore(const Kernel& kernel, Index3 grid, Args... args) {
  return explore(ProofOptions{}, kernel, grid, args...);
}

/// The first of several verdicts that is not a proof, or all of them together: `judge(tiles)` for 0 tiles to one more
/// than three rounds of a pipeline's slots, after which nothing new can happen.
///
///     dma::host::for_all_trips<Pipe>([&](int tiles) { return dma::host::prove(MyKernel{}, {1}, x, y, tiles); })
template <class Pipe, class Judge>
[[nodiscard]] Verdict for_all_trips(const Judge& judge) {
  Verdict all;
  for (int tiles = 0; tiles <= 3 * Pipe::stages + 1 && all.is_proved(); ++tiles) {
    Verdict verdict = judge(tiles);
    verdict.operations += all.operations;
    verdict.states += all.states;
    verdict.runs += all.runs;
    verdict.seconds += all.seconds;
    all = std::move(verdict);
    if (!all.is_proved()) {
      all.message = "with " + std::to_string(tiles) + " tiles: " + all.message;
    }
  }
  return all;
}

}  // namespace dma::host
