#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/ptx/launch/arrays.hpp>
#include <dma/proof/ptx/launch/entry_named.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/launch_verdict.hpp>
#include <dma/proof/ptx/launch/prove_launches.hpp>
#include <dma/proof/ptx/launch/report.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/superfluous/superfluous.hpp>
#include <dma/proof/ptx/superfluous/sync_sites.hpp>
#include <dma/proof/ptx/superfluous/weaker_forms.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Finds synchronization without which launches are proved as they are with it, with the same outputs.
///
/// A site is left out by a change of the module, one at a time, and all launches are judged again. Those that may be
/// left out are tried together then. Nothing is said where the proof itself leaves something open.
///
/// Cost    a proof of the launches for each site and each weaker form of it
class SuperfluousFinder {
 public:
  /// @param module   exists as long as this object
  /// @param streams  the first one is measured; a claim holds for all of them
  /// @param seconds  for all that is judged
  SuperfluousFinder(const Module& module, std::string text_name, std::vector<Stream> streams, const Options& options,
                    double seconds)
      : module_(module),
        text_name_(std::move(text_name)),
        streams_(std::move(streams)),
        options_(options),
        seconds_(seconds) {}

  /// @throw std::invalid_argument  a launch does not fit its entry
  [[nodiscard]] Superfluous find() {
    if (prove_as_it_is()) {
      collect_sites();
      for (std::size_t number = 0; number < result_.sites.size(); ++number) {
        ask(number);
      }
      try_together();
      say_what_it_rests_on();
    }
    result_.seconds = seconds_now();
    return std::move(result_);
  }

 private:
  using Need = SiteAnswer::Need;
  using Clock = std::chrono::steady_clock;
  /// What is proved of a stream.
  struct Proved {
    std::vector<LaunchVerdict> verdicts = {};
    std::vector<std::vector<unsigned char>> outputs = {};
    std::vector<std::string> not_computed = {};  ///< of each output, in words; empty: nothing
    double seconds = 0;
  };
  /// Sites by their numbers, and what they are then.
  using Changes = std::map<std::size_t, std::string>;

  [[nodiscard]] double seconds_now() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  [[nodiscard]] Proved prove(const Module& module, Stream& stream, bool counts_uses) {
    ++result_.judged;
    if (stream.judge) {
      return {.verdicts = stream.judge(module, stream.lines, counts_uses)};
    }
    Options options = options_;
    if (!counts_uses) {  // the proof as it is has the time that it was given
      options.limits.seconds = std::min(options.limits.seconds, std::max(seconds_ - seconds_now(), 0.1));
    }
    LaunchProver prover(module, text_name_, counts_uses);
    const double begin = seconds_now();
    Proved proved{.verdicts = prover.prove(stream.lines, options)};
    for (const Array& array : prover.arrays().all()) {
      if (array.is_output) {
        proved.outputs.emplace_back(array.bytes.data(), array.bytes.data() + array.bytes.size());
        proved.not_computed.push_back(prover.not_computed_in(array));
      }
    }
    proved.seconds = seconds_now() - begin;
    return proved;
  }

  /// False: nothing can be said.
  [[nodiscard]] bool prove_as_it_is() {
    for (Stream& stream : streams_) {
      before_.push_back(prove(module_, stream, true));
      result_.no_claim = open_in(before_.back().verdicts);
      if (!result_.no_claim.empty()) {
        return false;
      }
      add_uses(before_.back(), before_.size() == 1);
    }
    for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
      by_cost_.push_back(stream);
    }
    std::stable_sort(by_cost_.begin(), by_cost_.end(), [&](std::size_t left, std::size_t right) {
      return before_[left].seconds < before_[right].seconds;
    });
    return true;
  }
  /// What a proof leaves open that a claim would rest on.
  [[nodiscard]] static std::string open_in(const std::vector<LaunchVerdict>& verdicts) {
    for (const LaunchVerdict& launch : verdicts) {
      const std::string which = launch.entry + ": ";
      if (!launch.verdict.is_proved()) {
        return which + "it is not proved as it is";
      }
      if (!launch.broken_rules.empty()) {
        return which + "it breaks a rule as it is";
      }
      if (!launch.verdict.reservation.empty()) {
        return which + "it is proved only " + launch.verdict.reservation;
      }
      for (const std::string& open : launch.verdict.not_judged) {
        if (open != proof::detail::bounds_of_arrays && open != proof::detail::bounds_of_reads &&
            open != proof::detail::bounds_of_writes) {
          return which + "the proof leaves open: " + open;
        }
      }
    }
    return "";
  }
  void add_uses(const Proved& proved, bool is_first) {
    for (const LaunchVerdict& launch : proved.verdicts) {
      result_.instructions += is_first ? launch.instructions_of_run : 0;
      for (const auto& [statement, uses] : launch.uses) {
        LaunchState::Uses& all = uses_[statement];
        all.executions += is_first ? uses.executions : 0;
        all.most_of_thread = std::max(all.most_of_thread, uses.most_of_thread);
      }
    }
  }

  /// Those that are executed most come first.
  void collect_sites() {
    std::set<std::string> entries;
    for (const Stream& stream : streams_) {
      for (const LaunchLine& line : stream.lines) {
        entries.insert(entry_named(module_, line.entry));
      }
    }
    for (SyncSite& site : SyncSites(module_, text_name_).of(entries)) {
      SiteAnswer answer{.site = std::move(site)};
      for (const StatementNumber& number : answer.site.statements) {
        const LaunchState::Uses& uses = uses_[&statement(number)];
        answer.executions += uses.executions;
        answer.most_of_thread = std::max(answer.most_of_thread, uses.most_of_thread);
      }
      result_.sites.push_back(std::move(answer));
    }
    std::stable_sort(result_.sites.begin(), result_.sites.end(), [](const SiteAnswer& left, const SiteAnswer& right) {
      return left.executions > right.executions;
    });
  }
  [[nodiscard]] const Statement& statement(const StatementNumber& number) const {
    return module_.functions[number.function].statements[number.statement];
  }

  void ask(std::size_t number) {
    SiteAnswer& answer = result_.sites[number];
    if (answer.most_of_thread == 0) {
      answer.need = Need::not_run;
      return;
    }
    answer.why = cannot_tell(answer.site);
    if (!answer.why.empty()) {
      return;
    }
    if (answer.site.kind != SyncKind::access && is_right_with(number, "")) {
      answer.need = Need::superfluous;
      return;
    }
    Statement weakest = statement(answer.site.statements[0]);
    const bool may_be_narrower = has_clusters(answer.site);
    for (const bool is_scope : {false, true}) {
      for (const std::string& form : is_scope ? narrower_scopes(weakest, may_be_narrower) : weaker_orders(weakest)) {
        if (is_right_with(number, form)) {
          weakest.opcode = form;
          break;
        }
      }
    }
    if (weakest.opcode != answer.site.opcode) {
      answer.need = Need::weaker;
      answer.form = weakest.opcode;
    }
  }
  /// Asks with one site changed, and notes why not.
  [[nodiscard]] bool is_right_with(std::size_t number, const std::string& form) {
    SiteAnswer& answer = result_.sites[number];
    if (seconds_now() > seconds_) {
      answer.need = Need::not_asked;
      answer.why = "the time was over";
      return false;
    }
    const auto [need, why] = need_with({{number, form}});
    const bool is_first = answer.why.empty();
    if (need != Need::superfluous && is_first) {
      answer.need = need;
      answer.why = why;
    }
    return need == Need::superfluous;
  }

  /// Of launches that have a site: whether their CTAs, their clusters and their order can show that it is needed.
  [[nodiscard]] std::string cannot_tell(const SyncSite& site) const {
    const NamedScope scope = scope_of(statement(site.statements[0]));
    const bool is_of_memory = site.kind == SyncKind::fence || site.kind == SyncKind::access;
    if (is_of_memory && scope.width != cluster_width && scope.width != 0 && !has_several_ctas(site)) {
      return "there is one CTA, and its scope is wider";
    }
    const bool is_of_cluster = (is_of_memory || site.kind == SyncKind::phase_wait) && scope.width == cluster_width;
    if ((is_of_cluster || site.kind == SyncKind::cluster_arrival) && !has_clusters(site)) {
      return "there is one CTA in a cluster";
    }
    if (site.kind == SyncKind::cluster_arrival &&
        std::none_of(site.statements.begin(), site.statements.end(), [&](const StatementNumber& number) {
          return sync_kind_of(statement(number)) == SyncKind::cluster_wait;
        })) {
      return "arrivals and waits do not alternate in the code";
    }
    if (site.kind == SyncKind::grid_wait && !starts_early(site)) {
      return "no programmatic launch behind another one has it";
    }
    return "";
  }
  template <class Holds>
  [[nodiscard]] bool any_launch(const SyncSite& site, const Holds& holds) const {
    return std::any_of(streams_.begin(), streams_.end(), [&](const Stream& stream) {
      for (std::size_t i = 0; i < stream.lines.size(); ++i) {
        if (site.entries.count(entry_named(module_, stream.lines[i].entry)) != 0 && holds(stream.lines[i], i)) {
          return true;
        }
      }
      return false;
    });
  }
  [[nodiscard]] bool has_several_ctas(const SyncSite& site) const {
    return any_launch(site,
                      [](const LaunchLine& line, std::size_t) { return line.grid.x * line.grid.y * line.grid.z > 1; });
  }
  [[nodiscard]] bool has_clusters(const SyncSite& site) const {
    return any_launch(site, [&](const LaunchLine& line, std::size_t) {
      const std::string entry = entry_named(module_, line.entry);
      const auto& named = module_.functions[static_cast<std::size_t>(module_.function_of.at(entry))].cluster;
      return line.cluster.x * line.cluster.y * line.cluster.z > 1 || named[0] > 1 || named[1] > 1 || named[2] > 1;
    });
  }
  [[nodiscard]] bool starts_early(const SyncSite& site) const {
    return any_launch(site,
                      [](const LaunchLine& line, std::size_t number) { return line.is_programmatic && number > 0; });
  }

  /// Judges all launches with changes: `superfluous`, `needed` or `not_judged`, and why.
  [[nodiscard]] std::pair<Need, std::string> need_with(const Changes& changes) {
    Module module = module_;
    for (const auto& [number, form] : changes) {
      const SyncSite& site = result_.sites[number].site;
      for (const StatementNumber& at : site.statements) {
        weaken(module.functions[at.function].statements[at.statement], form);
      }
    }
    for (const std::size_t stream : by_cost_) {
      const Proved with = prove(module, streams_[stream], false);
      for (const LaunchVerdict& launch : with.verdicts) {
        if (!launch.verdict.is_proved() || !launch.broken_rules.empty()) {
          return need_of(launch);
        }
      }
      const std::string open = open_in(with.verdicts);
      if (!open.empty()) {
        return {Need::not_judged, open};
      }
      if (with.outputs != before_[stream].outputs) {
        return {Need::needed, "other outputs"};
      }
    }
    return {Need::superfluous, ""};
  }
  [[nodiscard]] static std::pair<Need, std::string> need_of(const LaunchVerdict& launch) {
    if (is_refused(launch)) {
      return {Need::not_judged, launch.refusal.empty() ? name_of(launch.verdict.kind) : launch.refusal};
    }
    const std::string& message =
        launch.verdict.is_proved() ? launch.broken_rules.front() : std::string(name_of(launch.verdict.kind));
    return {Need::needed, (launch.verdict.is_proved() ? "rule: " : "") + message.substr(0, message.find(": "))};
  }

  /// Those that may be left out at once. One that may not be, behind those before it, is alone.
  void try_together() {
    Changes all;
    for (std::size_t number = 0; number < result_.sites.size(); ++number) {
      const SiteAnswer& answer = result_.sites[number];
      if (answer.need == Need::superfluous || answer.need == Need::weaker) {
        all[number] = answer.form;
      }
    }
    if (all.size() < 2 || (seconds_now() < seconds_ && need_with(all).first == Need::superfluous)) {
      return;
    }
    Changes together;
    for (const auto& [number, form] : all) {
      Changes with = together;
      with[number] = form;
      if (together.empty() || (seconds_now() < seconds_ && need_with(with).first == Need::superfluous)) {
        together = std::move(with);
      } else {
        result_.sites[number].is_alone = true;
      }
    }
  }

  void say_what_it_rests_on() {
    for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
      int runs = 0;
      long executions = 0;
      for (const LaunchVerdict& launch : before_[stream].verdicts) {
        runs += launch.verdict.runs;
        executions += launch.verdict.executions;
      }
      result_.rests_on.push_back(streams_[stream].text + " (" + std::to_string(runs) + " runs" +
                                 (executions > 0 ? ", " + std::to_string(executions) + " executions" : "") + ")");
      for (const std::string& what : before_[stream].not_computed) {
        if (!what.empty()) {
          result_.rests_on.push_back("outputs that were compared where they are known: " + what);
        }
      }
    }
    const auto is_said = [&](const auto& of) {
      return std::any_of(result_.sites.begin(), result_.sites.end(), [&](const SiteAnswer& answer) {
        return (answer.need == Need::superfluous || answer.need == Need::weaker) && of(answer.site);
      });
    };
    if (streams_.size() == 1 && !streams_[0].judge) {
      result_.rests_on.push_back("the trips of that launch alone: give longer ones by --also");
    }
    if (is_said([](const SyncSite& site) { return site.kind == SyncKind::warp_barrier; })) {
      result_.rests_on.push_back(
          "lanes that come together without bar.warp.sync where an .aligned instruction wants it");
    }
    if (std::any_of(result_.sites.begin(), result_.sites.end(), [](const SiteAnswer& answer) {
          return answer.need == Need::weaker && answer.site.kind == SyncKind::phase_wait;
        })) {
      result_.rests_on.push_back(
          "a wait of the CTA's scope for bytes that another CTA sends, as for those of a multicast");
    }
    if (is_said([&](const SyncSite& site) { return scope_of(statement(site.statements[0])).width == system_width; })) {
      result_.rests_on.push_back("no host and no other GPU that accesses the memory meanwhile");
    }
  }

  const Module& module_;
  std::string text_name_;
  std::vector<Stream> streams_;
  Options options_;
  double seconds_;
  Clock::time_point begin_ = Clock::now();
  std::vector<Proved> before_;        ///< of each stream
  std::vector<std::size_t> by_cost_;  ///< streams, the cheapest first
  std::map<const Statement*, LaunchState::Uses> uses_;
  Superfluous result_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
