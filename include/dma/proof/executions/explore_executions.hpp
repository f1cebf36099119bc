#pragma once

#include <dma/host/deadline.hpp>
#include <dma/host/emulation/memory/emulator_memory.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/proof/executions/grid_program.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/memory/explore.hpp>
#include <dma/proof/memory/result.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/replay/schedule.hpp>
#include <dma/proof/timeline.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// An operation of an execution in words: of a read, which write it sees.
[[nodiscard]] inline std::string text_of(const memory::Done& done, const GridProgram& program) {
  const std::string who = program.name_of(done.name.thread);
  const std::string line = program.line_of(done.name);
  if (done.kind == memory::Operation::Kind::fence) {
    return who + " fences" + line;
  }
  const std::string word = " word " + std::to_string(done.location);
  std::string text = who;
  if (done.reads) {
    text +=
        " reads " + std::to_string(done.read) + " in" + word +
        (done.from.thread < 0 ? ", its first value"
                              : ", which " + program.name_of(done.from.thread) + " wrote" + program.line_of(done.from));
  }
  if (done.writes) {
    text +=
        (done.reads ? ", and writes " : " writes ") + std::to_string(done.written) + (done.reads ? "" : " to" + word);
  }
  return text + line;
}

/// An execution as the order of what its threads did, with who reads whom.
[[nodiscard]] inline Timeline timeline_of(const memory::Fault& fault, const GridProgram& program) {
  Timeline timeline;
  std::map<int, int> agents;
  std::vector<int> steps;  // by operation
  const auto is_of_fault = [&](const memory::OperationName& name) {
    return (name.thread == fault.first.thread && name.operation == fault.first.operation) ||
           (name.thread == fault.second.thread && name.operation == fault.second.operation);
  };
  for (const memory::Done& done : fault.record.operations) {
    const auto [agent, is_new] = agents.try_emplace(done.name.thread, static_cast<int>(agents.size()));
    if (is_new) {
      timeline.agents.push_back(program.name_of(done.name.thread));
    }
    steps.push_back(static_cast<int>(timeline.steps.size()));
    if (done.kind == memory::Operation::Kind::point) {
      continue;
    }
    const int from = fault.record.place_of(done.from);
    timeline.steps.push_back({.agent = agent->second,
                              .text = text_of(done, program),
                              .saw = done.reads && from >= 0 ? steps[static_cast<std::size_t>(from)] : -1,
                              .is_fault = is_of_fault(done.name)});
  }
  return timeline;
}

/// What a fault of an execution is to a verdict.
[[nodiscard]] inline FindingKind kind_of(const memory::Fault& fault, const GridProgram& program) {
  switch (fault.kind) {
    case memory::FaultKind::race:
    case memory::FaultKind::narrow_race:
      return FindingKind::race;
    case memory::FaultKind::narrow_fence:
      return FindingKind::narrow_scope;
    case memory::FaultKind::deadlock:
      return FindingKind::deadlock;
    case memory::FaultKind::failed:
      return program.findings().is_lost || program.words().refused() ? FindingKind::depends_on_schedule
                                                                     : program.failure().error_kind;
    case memory::FaultKind::judged:
      break;
  }
  return program.findings().verdict.kind;
}

/// How far the executions of a grid are explored.
[[nodiscard]] inline memory::Options how_to_explore(const Options& options, const GridProgram& program,
                                                    const host::detail::CtaBody& body) {
  memory::Options how;
  how.narrow_fences = !body.narrow_fences;
  how.resident = program.resident();
  how.any_order = options.any_cta_order;
  how.executions = options.limits.executions;
  how.events = std::max(1000, 8 * options.limits.atomics);  // a loop without an end has more
  for (const memory::Place& place : program.places()) {
    if (options.equal_threads) {
      how.classes.push_back(place.cta);
    } else if (options.equal_ctas) {
      how.units.push_back(program.clusters() == 1 ? place.cta : place.cluster);
      how.classes.push_back(0);
    }
  }
  how.checks_classes = options.equal_threads;
  return how;
}

/// Which limit ended an exploration, and what to do.
[[nodiscard]] inline std::string end_by(const std::string& limit) {
  constexpr const char* remedy =
      " ended it; raise it, prove a smaller grid, or take the orders of atomics that runs have: limits.atomics = 1";
  return limit == "executions" ? std::string("dma::proof::Options::limits.executions") + remedy
         : limit == "seconds"  ? std::string("a quarter of dma::proof::Options::limits.seconds") + remedy
                               : "the limit of " + limit + " ended it";
}

/// Explores until what an exploration met first is known from its begin on.
///
/// @param runs  gets how often the grid was run
[[nodiscard]] inline memory::Result explore_again(const Options& options, GridProgram& program,
                                                  const host::detail::CtaBody& body,
                                                  const host::detail::Deadline& deadline, int& runs) {
  memory::Options how = how_to_explore(options, program, body);
  memory::Result result;
  constexpr int most_tries = 8;
  for (int tries = 0; tries < most_tries; ++tries) {
    program.take_news();
    if (tries + 1 == most_tries) {
      program.explore_all();
    }
    program.forget();
    // Threads that poll are left to the end where they are known as such, so that the first one is short.
    how.seconds = std::min(deadline.seconds_left(), options.limits.seconds / (tries == 0 ? 32 : 4));
    result = memory::explore(program, how);
    runs += program.findings().runs;
    if (!program.has_news() && (tries != 0 || result.limit != "seconds")) {
      break;
    }
  }
  return result;
}

/// Explores all executions of a grid whose CTAs run together, and judges each. Without one that ends and without a
/// fault the verdict has no executions, and claims nothing.
///
/// Cold, so that the compiler lays out the code of a recorded thread's step without it: a proof that explores nothing
/// has a third fewer misses of the first instruction cache.
///
/// @param left  gets what an execution leaves in each output; null: it is not wanted
[[nodiscard, gnu::cold]] inline Verdict explore_executions(const Options& options, const host::detail::CtaRun& run,
                                                           const host::detail::CtaBody& body,
                                                           const host::detail::Deadline& deadline, GridsInOrder* grids,
                                                           std::vector<std::vector<std::byte>>* left) {
  const host::detail::EmulatorMemory::Allocations allocations;
  GridProgram program(options, run, body, grids);
  int runs = 0;
  const memory::Result result = explore_again(options, program, body, deadline, runs);
  const GridProgram::Findings& found = program.findings();
  Verdict verdict;
  verdict.runs = runs;
  verdict.operations = found.operations;
  verdict.rings = found.verdict.rings;
  verdict.did_something = true;
  verdict.seconds = result.seconds;
  verdict.executions = result.executions;
  verdict.claim = result.faults.empty() ? result.claim() : "";
  if (left != nullptr && result.faults.empty()) {
    *left = found.outputs;
  }
  if (found.has_standard_atomics) {
    verdict.not_judged.insert(scopes_of_standard);
  }
  if (!result.faults.empty()) {
    const memory::Fault& fault = result.faults.front();
    verdict.kind = kind_of(fault, program);
    verdict.message = std::string(name_of(verdict.kind)) + ": ";
    if (fault.kind == memory::FaultKind::deadlock) {
      verdict.message += found.waiting;
    } else if (fault.kind == memory::FaultKind::judged || fault.kind == memory::FaultKind::failed) {
      verdict.message = fault.message;
    } else {
      if (fault.first.thread >= 0) {
        verdict.message += program.name_of(fault.first.thread) + program.line_of(fault.first);
      }
      if (fault.second.thread >= 0) {
        verdict.message += " and " + program.name_of(fault.second.thread) + program.line_of(fault.second);
      }
      verdict.message += (fault.first.thread >= 0 ? ": " : "") + fault.message;
    }
    verdict.timeline = timeline_of(fault, program);
    if (verdict.kind != FindingKind::depends_on_schedule) {
      verdict.schedule =
          std::make_shared<const Schedule>(run.grid, body.threads, fault.record, program.words().ranges());
    }
  } else if (!result.is_complete) {
    const std::string end = end_by(result.limit);
    verdict.reservation = "for " + result.claim() + ": " + end;
    if (result.executions == 0) {
      verdict.not_judged.insert("of executions none: " + end);
    }
  }
  return verdict;
}

}  // namespace dma::inline v0_1::proof::detail
