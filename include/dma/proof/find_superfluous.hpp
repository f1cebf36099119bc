#pragma once

#include <dma/proof/ptx/superfluous/find_superfluous.hpp>
#include <dma/proof/ptx/superfluous/superfluous_report.hpp>
#include <dma/proof/ptx_kernel.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof {

/// Synchronization without which a proof is one as well.
struct SuperfluousSync {
  std::vector<std::string> lines = {};  ///< "reverse.cu:6 bar.sync", or "... as ..." with a weaker opcode
  std::string no_claim = {};            ///< why nothing is said; empty: something is
  std::string text = {};                ///< of all synchronization, as `dma-prove --superfluous` prints it
};

/// Names each fence, barrier and wait of a kernel, each order and scope, without which `judge` proves it as well.
///
///     const auto found = find_superfluous(kernel, [&](const PtxKernel& changed) {
///       return for_all_trips<Ring>([&](int tiles) { return prove(options, changed, {2, 1, 1}, x.data(), tiles); });
///     });
///     CHECK(found.lines.empty());
///
/// A claim holds for what `judge` asks: all trips, where that is `for_all_trips`.
///
/// @param judge    gives the Verdict of a kernel: calls `prove` with it, as often as it wants
/// @param seconds  for all; what was not asked by then is in the text
/// @throw  what `judge` throws
///
/// Cost    a call of `judge` for each line that synchronizes and each weaker form of it
template <class Judge>
[[nodiscard]] SuperfluousSync find_superfluous(const PtxKernel& kernel, const Judge& judge, double seconds = 600) {
  namespace own = ptx::detail;
  own::Stream stream{.text = "the function that judges", .lines = {}};
  stream.judge = [&](const own::Module& module, std::vector<own::LaunchLine>& lines, bool counts_uses) {
    own::KernelUse use;
    const bool is_as_it_is = &module == &kernel.module();
    const Verdict verdict =
        judge(kernel.in(is_as_it_is ? kernel.shared_module() : std::make_shared<const own::Module>(module), use));
    // What the function makes of the verdicts decides: with no trips nothing may be done. A broken rule is one anyway.
    own::LaunchVerdict all{.entry = kernel.text_name(), .verdict = verdict};
    std::erase_if(all.verdict.not_judged, [](const std::string& text) { return text.starts_with("but for a rule: "); });
    for (const own::LaunchVerdict& each : use.verdicts) {
      all.broken_rules.insert(all.broken_rules.end(), each.broken_rules.begin(), each.broken_rules.end());
      all.refusal = all.refusal.empty() ? each.refusal : all.refusal;
      all.instructions_of_run += each.instructions_of_run;
      for (const auto& [statement, uses] : each.uses) {
        all.uses[statement].executions += uses.executions;
        all.uses[statement].most_of_thread = std::max(all.uses[statement].most_of_thread, uses.most_of_thread);
      }
    }
    if (counts_uses) {
      lines = std::move(use.lines);
    }
    return std::vector{std::move(all)};
  };
  std::vector<own::Stream> streams;
  streams.push_back(std::move(stream));
  const own::Superfluous found =
      own::SuperfluousFinder(kernel.module(), kernel.text_name(), std::move(streams), {}, seconds).find();
  SuperfluousSync result{.no_claim = found.no_claim};
  for (const own::SiteAnswer& answer : found.sites) {
    if (answer.need == own::SiteAnswer::Need::superfluous || answer.need == own::SiteAnswer::Need::weaker) {
      result.lines.push_back(answer.site.place + " " + answer.site.opcode +
                             (answer.form.empty() ? "" : " as " + answer.form));
    }
  }
  std::ostringstream text;
  own::write_superfluous(text, found);
  result.text = text.str();
  return result;
}

}  // namespace dma::inline v0_1::proof
