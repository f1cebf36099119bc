#pragma once

#include <dma/host/compiled.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/ring_use.hpp>
#include <dma/proof/timeline.hpp>

#include <cstddef>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof {

/// The order of steps that a verdict is about, to be replayed.
struct Schedule;

namespace detail {

/// What a proof claims, and no more.
inline constexpr const char* theorem =
    "for these arguments, this grid and these operations, no schedule has a deadlock, accesses watched memory without "
    "an order, uses a barrier in another generation, or leaves anything pending";
/// The same of a kernel with atomics, whose order is that of the runs.
inline constexpr const char* theorem_with_atomics =
    "for these arguments, this grid, these operations and the orders of atomics in these runs, there is no deadlock, "
    "no "
    "access to watched memory without an order, no use of a barrier in another generation, and nothing left pending";

/// What a verdict may have in `Verdict::not_judged`.
inline constexpr const char* orders_of_atomics = "orders of atomics not explored";
/// Also: the scopes of the standard's atomics, which a host does not see.
inline constexpr const char* scopes_of_standard = "the standard's atomics taken at system scope";
/// Also: a kernel that may begin early loads what it calls constant.
inline constexpr const char* constants_on_trust = "constant sources, taken as written by no grid before";
/// Also: neither inputs nor outputs were named.
inline constexpr const char* bounds_of_arrays = "bounds not judged";
/// Also: no inputs were named.
inline constexpr const char* bounds_of_reads = "bounds of reads not judged";
/// Also: no outputs were named.
inline constexpr const char* bounds_of_writes = "bounds of writes not judged";

/// The memory that no proof of this program watched.
inline constexpr const char* not_watched =
    sees_every_access
        ? "code that is not instrumented, the global side of boxes"
        : "writes by tile[i] that leave the bytes as they were, pointers into a tile that are kept, the body's own "
          "loads and stores through pointers (outputs are compared over the seeds, their bounds are not judged), "
          "shared memory outside pipelines, the standard's atomics";

}  // namespace detail

/// The result of a proof: `theorem` holds of the kernel, or the first fault.
struct Verdict {
  FindingKind kind = FindingKind::none;
  std::string message = {};                       ///< the fault, the agent and the source line
  Timeline timeline = {};                         ///< the shortest schedule that was found, or an execution, by steps
  std::shared_ptr<const Schedule> schedule = {};  ///< the same, for `replay`
  std::string claim = {};                         ///< which executions, or orders of cancellation, were judged
  std::string reservation = {};             ///< what a proof holds for only; empty where it holds for all schedules
  std::set<std::string> not_judged = {};    ///< what a proof leaves open beside its theorem, for its first line
  std::vector<detail::RingUse> rings = {};  ///< the most tiles that a CTA moved through each pipeline
  unsigned seed = 0;                        ///< of the run: `launch` with this seed does the same operations
  long long cancellations = -1;             ///< and with these cancellations, as of `Options`
  std::size_t operations = 0;
  std::size_t states = 0;  ///< of the search
  int runs = 0;
  long executions = 0;  ///< that were explored, of a kernel with atomics
  double seconds = 0;
  bool did_something = false;                 ///< a run moved a tile, met a barrier or wrote what is watched
  bool saw_every_access = sees_every_access;  ///< else those that the library announces (docs/trust/proof.md)

  [[nodiscard]] bool is_proved() const noexcept { return kind == FindingKind::none; }
};

namespace detail {

/// Refuses a proof of runs that did nothing.
inline void expect_something_done(Verdict& verdict) {
  if (verdict.is_proved() && !verdict.did_something) {
    verdict.kind = FindingKind::nothing_done;
    verdict.message =
        "no run moved a tile, met a barrier or wrote what is watched, so that there was nothing to judge; prove the "
        "kernel for arguments with which it works, and name what it writes in dma::proof::Options::outputs";
  }
}

/// A verdict in lines.
[[nodiscard]] inline std::string text_of(const Verdict& verdict) {
  std::string text = std::string(name_of(verdict.kind)) + " (" + std::to_string(verdict.runs) + " runs, " +
                     std::to_string(verdict.operations) + " operations";
  if (verdict.states > 0) {
    text += ", " + std::to_string(verdict.states) + " states";
  }
  text += verdict.saw_every_access ? ", every access seen)" : ", accesses announced)";
  if (!verdict.claim.empty()) {
    text += ", " + verdict.claim;
  }
  if (verdict.is_proved()) {
    for (const std::string& open : verdict.not_judged) {
      text += ", " + open;
    }
  }
  text += '\n';
  if (!verdict.reservation.empty()) {
    text += "only " + verdict.reservation + '\n';
  }
  if (verdict.is_proved()) {
    text += verdict.not_judged.count(orders_of_atomics) == 0 ? theorem : theorem_with_atomics;
    return text + "; not watched: " + not_watched + '\n';
  }
  text += verdict.message + '\n' + verdict.timeline.text();
  if (verdict.executions == 0) {
    text += "  dma::host::launch with seed " + std::to_string(verdict.seed) +
            (verdict.cancellations < 0 ? "" : " and cancellations " + std::to_string(verdict.cancellations)) +
            " repeats the run that was judged\n";
  }
  if (verdict.schedule != nullptr) {
    text += verdict.executions == 0 ? "  dma::proof::replay of this verdict runs the schedule\n"
                                    : "  dma::proof::replay of this verdict runs the execution\n";
  }
  return text;
}

}  // namespace detail

inline std::ostream& operator<<(std::ostream& out, const Verdict& verdict) { return out << detail::text_of(verdict); }

}  // namespace dma::inline v0_1::proof
