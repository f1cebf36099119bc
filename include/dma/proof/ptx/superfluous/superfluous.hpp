#pragma once

#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/launch_verdict.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/superfluous/sync_sites.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What is said of a site.
struct SiteAnswer {
  enum class Need : unsigned char {
    superfluous,  ///< all is right without it
    weaker,       ///< all is right with `form` in its place
    needed,
    not_run,    ///< no thread executes it
    not_asked,  ///< these launches cannot tell
    not_judged  ///< without it the judges do not come to an end
  };

  SyncSite site;
  Need need = Need::not_asked;
  std::string form = {};             ///< an opcode; empty: it is left out
  std::string why = {};              ///< of one that is not superfluous
  bool is_alone = false;             ///< it is needed once those before it are gone
  std::uint64_t executions = 0;      ///< by all threads of the first launches
  std::uint64_t most_of_thread = 0;  ///< of any launches
};

/// Which synchronization of launches is superfluous, and what that rests on.
struct Superfluous {
  std::string no_claim = {};  ///< why nothing is said; empty: something is
  std::vector<SiteAnswer> sites = {};
  std::vector<std::string> rests_on = {};
  std::uint64_t instructions = 0;  ///< of all threads of the first launches
  int judged = 0;                  ///< times that launches were judged
  double seconds = 0;

  /// The instructions of those launches that are not executed where all goes that may go together.
  [[nodiscard]] std::uint64_t saved() const {
    std::uint64_t all = 0;
    for (const SiteAnswer& answer : sites) {
      all += answer.need == SiteAnswer::Need::superfluous && !answer.is_alone ? answer.executions : 0;
    }
    return all;
  }
};

/// Launches of a stream, as they are given, or a proof that makes its own.
struct Stream {
  /// Judges with a module, and fills in the launches; counts uses where these are wanted.
  using Judge = std::function<std::vector<LaunchVerdict>(const Module&, std::vector<LaunchLine>&, bool counts_uses)>;

  std::string text;
  std::vector<LaunchLine> lines;
  Judge judge = {};  ///< empty: `lines` are judged
};

}  // namespace dma::inline v0_1::proof::ptx::detail
