#pragma once

#include <dma/host/emulation/line_of.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/executions/asked_operation.hpp>
#include <dma/proof/executions/atomic_words.hpp>
#include <dma/proof/executions/stepped_grid.hpp>
#include <dma/proof/executions/stepped_run.hpp>
#include <dma/proof/executions/stepped_thread.hpp>
#include <dma/proof/grids_in_order.hpp>
#include <dma/proof/judge_recording.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/program.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// A grid as a program of which all executions are explored: its threads are run again as far as an execution says.
class GridProgram final : public memory::Program {
 public:
  /// What is found in the first execution that shows it.
  struct Findings {
    Verdict verdict = {};      ///< of the clocks, or of two executions' outputs
    std::string waiting = {};  ///< who waits for what, where no thread goes on
    std::size_t operations = 0;
    int runs = 0;
    bool did_something = false;
    bool has_standard_atomics = false;
    std::vector<std::vector<std::byte>> outputs = {};  ///< what the first execution left in each of `Options::outputs`
    bool is_lost = false;                              ///< a thread did other things when it was run again
  };

  /// @param grids  of several, of which this is the last; null: there is one
  GridProgram(const Options& options, const host::detail::CtaRun& run, const host::detail::CtaBody& body,
              GridsInOrder* grids)
      : options_(options), run_(run), body_(body), grids_(grids) {}

  // Words and polls that an exploration met first are known from its begin on only in the next one.
  [[nodiscard]] bool has_news() const { return words_known_ != news_of_words() || polls_ != polls_known_; }
  void take_news() {
    words_known_ = news_of_words();
    polls_known_ = polls_;
    stops_at_first_ = true;
  }
  void explore_all() { stops_at_first_ = false; }
  [[nodiscard]] const Findings& findings() const { return findings_; }
  [[nodiscard]] const AtomicWords& words() const { return words_; }
  void forget() {
    grid_.reset();
    findings_ = {};
  }

  [[nodiscard]] std::vector<memory::Place> places() const override {
    std::vector<memory::Place> places;
    for (int thread = 0; thread < ctas() * body_.threads; ++thread) {
      const int cta = thread / body_.threads;
      places.push_back({cta, cta / body_.cluster, 0});
    }
    return places;
  }
  [[nodiscard]] int clusters() const { return ctas() / body_.cluster; }
  /// Clusters that run at a time, whose CTAs begin together; 0 for all.
  [[nodiscard]] int resident() const {
    return options_.resident == 0 ? 0 : std::max(1, options_.resident / body_.cluster);
  }
  [[nodiscard]] memory::Value initial(int location) override { return words_.at(location).initial; }
  void begin() override { findings_ = {}; }
  [[nodiscard]] memory::Step next(int thread, const memory::Replay& replay) override {
    follow(replay);
    memory::Step step;
    if (words_.refused()) {
      step.state = memory::Step::State::failed;
      step.message = why_refused();
      return step;
    }
    if (failed_ == thread || findings_.is_lost) {
      step.state = memory::Step::State::failed;
      step.message = findings_.is_lost ? "a thread does other things when it is run again" : failure_.error;
      return step;
    }
    if (failed_ >= 0) {
      step.state = memory::Step::State::waits;
      return step;
    }
    const SteppedThread& it = grid_->thread(thread);
    if (it.asked()) {
      const Ask& ask = *it.asked();
      step.state = memory::Step::State::operation;
      step.repeats = ask.repeats;
      if (ask.repeats != 0) {
        polls_.insert(ask.instruction.code);
      }
      step.operation =
          graph_operation_of(ask, polls_known_.count(ask.instruction.code) != 0 && ask.instruction.code != nullptr);
      note_place(thread, it.done(), ask);
    } else if (!it.has_ended()) {
      step.state = memory::Step::State::waits;
      step.message = "a barrier";
    }
    return step;
  }
  [[nodiscard]] std::string judge(const memory::Execution& execution) override {
    if (stops_at_first_ && has_news()) {
      return "there is news";
    }
    follow(memory::Replay(execution.graph()));
    if (!execution.has_ended()) {
      findings_.waiting = waiting();
    }
    if (failed_ >= 0 || findings_.is_lost || (!execution.has_ended() && !all_wait_at_barriers())) {
      return "";
    }
    for (int word = 0; word < execution.graph().locations(); ++word) {
      if (const int last = execution.graph().last_write(word); last >= 0) {
        grid_->set_word(word, execution.graph().at(last).value);
      }
    }
    Recording recording = grid_->end();
    has_ended_ = true;
    say_who_reads_whom(recording, execution.graph(), execution.causality().fence_order());
    findings_.operations = std::max(findings_.operations, recording.operations());
    merge(findings_.verdict.rings, recording.rings);
    findings_.did_something = findings_.did_something || recording.does_something();
    findings_.has_standard_atomics = findings_.has_standard_atomics || recording.has_standard_atomics;
    Verdict verdict = judge_by_clocks(recording, {.states = 0, .bytes = options_.limits.bytes});
    if (verdict.is_proved()) {
      verdict = compare_outputs();
    }
    if (verdict.is_proved() && grids_ != nullptr) {
      grids_->add(recording);
      verdict = grids_->judge();
    }
    grid_.reset();
    if (!execution.has_ended()) {
      findings_.waiting = verdict.kind == FindingKind::deadlock ? verdict.message.substr(10) : findings_.waiting;
      return "";
    }
    if (!verdict.is_proved() && findings_.verdict.is_proved()) {
      findings_.verdict = verdict;
    }
    return verdict.is_proved() ? "" : verdict.message;
  }

  /// "thread 0 of CTA 1".
  [[nodiscard]] std::string name_of(int thread) const {
    return "thread " + std::to_string(thread % body_.threads) +
           (ctas() == 1 ? "" : " of CTA " + std::to_string(thread / body_.threads));
  }
  /// The line of an operation, in brackets.
  [[nodiscard]] std::string line_of(const memory::OperationName& name) const {
    const auto& places = places_of_.at(static_cast<std::size_t>(name.thread));
    if (static_cast<std::size_t>(name.operation) >= places.size()) {
      return "";
    }
    const auto& [code, caller] = places[static_cast<std::size_t>(name.operation)];
    return host::detail::line_of(code, caller);
  }
  [[nodiscard]] const Recording& failure() const { return failure_; }

 private:
  /// Of words of several sizes in one place the memory model says little (PTX ISA, "Mixed-size Data-Races"); a copy is
  /// no operation of an execution.
  [[nodiscard]] std::string why_refused() const {
    using Why = AtomicWords::Refused::Why;
    const AtomicWords::Refused& it = *words_.refused();
    const AtomicWords::Word& word = words_.at(it.word);
    const auto bytes_of = [](const ByteRange& range) { return std::to_string(SteppedRun::size_of(range)) + " bytes"; };
    const auto line_of = [](const AtomicWords::Access& at) { return host::detail::line_of(at.code, at.caller); };
    const std::string who = name_of(it.access.thread);
    const std::string of_word = " the " + bytes_of(word.range) + " that " + name_of(word.first.thread) +
                                " accesses atomically" + line_of(word.first) + ": executions are explored where ";
    const std::string or_runs = ", or take the orders of atomics that runs have: limits.atomics = 1";
    if (it.why == Why::has_other_size) {
      return who + " accesses " + bytes_of(it.bytes) + " atomically" + line_of(it.access) +
             ", of which some are among" + of_word + "each word has one size; access it as one word everywhere" +
             or_runs;
    }
    const std::string threads_alone = "threads alone write such words; store them by ordinary accesses" + or_runs;
    return it.why == Why::is_copied_into
               ? who + " copies" + line_of(it.access) + " into" + of_word + threads_alone
               : who + " finds" + line_of(it.access) + " another first value than in another execution in" + of_word +
                     threads_alone;
  }
  /// Whether no thread waits for a word or to begin: then the clocks say who waits where.
  [[nodiscard]] bool all_wait_at_barriers() const {
    bool all = grid_.has_value();
    for (int thread = 0; all && thread < grid_->threads(); ++thread) {
      all = !grid_->thread(thread).asked();
    }
    return all;
  }
  /// Who waits for what, where no thread goes on.
  [[nodiscard]] std::string waiting() const {
    std::string text;
    int at_barriers = 0;
    std::set<int> not_begun;
    for (int thread = 0; grid_ && thread < grid_->threads(); ++thread) {
      const SteppedThread& it = grid_->thread(thread);
      if (it.has_ended()) {
        continue;
      }
      if (!it.asked()) {
        ++at_barriers;
      } else if (it.asked()->repeats != 0) {
        text += (text.empty() ? "" : ", ") + name_of(thread) + " polls" +
                host::detail::line_of(it.asked()->code, it.asked()->caller);
      } else {
        not_begun.insert(thread / body_.threads);
      }
    }
    text += text.empty() ? "threads wait at barriers for each other" : " a value that no thread changes";
    if (at_barriers != 0) {
      text += "; " + std::to_string(at_barriers) + " threads wait at barriers";
    }
    if (!not_begun.empty()) {
      const std::string of_cluster = body_.cluster == 1 ? "" : " of clusters of " + std::to_string(body_.cluster);
      text += "; CTA " + std::to_string(*not_begun.begin()) + " has not begun, since " +
              std::to_string(resident() * body_.cluster) + " CTAs" + of_cluster + " run at a time" +
              (options_.any_cta_order ? " and begin in any order: let each take its number from a counter when it "
                                        "begins (dma::TileQueue), or launch"
                                      : ": launch") +
              (of_cluster.empty()
                   ? " as many as the GPU holds, with 'static constexpr dma::KernelTraits traits{.cooperative = true};'"
                   : " as many as the GPU holds: dma::occupancy<Kernel, Args...>().ctas");
    }
    return text;
  }
  [[nodiscard]] int news_of_words() const { return words_.count() + words_.changed(); }
  [[nodiscard]] int ctas() const { return run_.grid.x * run_.grid.y * run_.grid.z; }

  /// Runs the grid as far as the execution goes, from its begin where it has done other things.
  void follow(const memory::Replay& replay) {
    const std::uint64_t key = key_of(replay.graph());
    if (grid_ && !has_ended_ && key == key_) {
      return;
    }
    key_ = key;
    std::vector<std::vector<memory::Value>> values;
    for (int thread = 0; thread < replay.graph().threads(); ++thread) {
      values.push_back(replay.values(thread));
    }
    if (!goes_on_with(values)) {
      begin_again(values.size());
    }
    for (const memory::OperationName& name : replay.in_order()) {
      auto& done = done_[static_cast<std::size_t>(name.thread)];
      if (static_cast<std::size_t>(name.operation) < done.size() || failed_ >= 0) {
        continue;
      }
      if (!grid_->thread(name.thread).asked()) {
        findings_.is_lost = true;
        return;
      }
      done.push_back(values[static_cast<std::size_t>(name.thread)][done.size()]);
      grid_->grant(name.thread, done.back());
      expect_no_failure(name.thread);
    }
  }
  [[nodiscard]] bool goes_on_with(const std::vector<std::vector<memory::Value>>& values) const {
    if (!grid_ || has_ended_ || failed_ >= 0) {
      return false;
    }
    for (std::size_t thread = 0; thread < values.size(); ++thread) {
      if (done_[thread].size() > values[thread].size() ||
          !std::equal(done_[thread].begin(), done_[thread].end(), values[thread].begin())) {
        return false;
      }
    }
    return true;
  }
  void begin_again(std::size_t threads) {
    grid_.reset();
    ++findings_.runs;
    has_ended_ = false;
    failed_ = -1;
    done_.assign(threads, {});
    places_of_.resize(threads);
    grid_.emplace(words_, run_, body_);
    expect_no_failure(0);
  }
  void expect_no_failure(int thread) {
    if (grid_->has_failed()) {
      failure_ = grid_->end();
      failed_ = thread;
    }
  }
  [[nodiscard]] static std::uint64_t key_of(const memory::Graph& graph) {
    std::uint64_t key = 14695981039346656037ULL;
    const auto mix = [&](std::uint64_t value) { key = (key ^ value) * 1099511628211ULL; };
    for (int event = 0; event < graph.size(); ++event) {
      const memory::Event& it = graph.at(event);
      mix(static_cast<std::uint64_t>(it.thread));
      mix(static_cast<std::uint64_t>(it.kind));
      mix(it.value);
      mix(static_cast<std::uint64_t>(it.from + 1));
    }
    return key;
  }
  void note_place(int thread, int operation, const Ask& ask) {
    auto& places = places_of_[static_cast<std::size_t>(thread)];
    places.resize(std::max(places.size(), static_cast<std::size_t>(operation) + 1));
    places[static_cast<std::size_t>(operation)] = {ask.code, ask.caller};
  }
  /// Each atomic access has the write that it reads in the execution, and its own. Their numbers are those of events.
  static void say_who_reads_whom(Recording& recording, const memory::Graph& graph,
                                 const std::vector<std::pair<int, int>>& fence_order) {
    std::vector<std::size_t> places(static_cast<std::size_t>(graph.size()));
    const auto number_of = [&](int write) {
      return write < 0 || graph.at(write).order == memory::Order::weak ? 0 : write + 1;
    };
    for (int thread = 0; thread < graph.threads(); ++thread) {
      auto& operations = recording.threads[static_cast<std::size_t>(thread)];
      auto recorded = operations.begin();
      for (const int event : graph.of_thread(thread)) {
        const memory::Event& it = graph.at(event);
        if (!it.is_strong()) {
          continue;
        }
        const bool is_second_half = it.is_write() && it.is_change && !it.is_sum;
        if (!is_second_half) {
          recorded = std::find_if(recorded, operations.end(), [](const Operation& operation) {
            return operation.kind == OperationKind::atomic || operation.kind == OperationKind::fence_threads;
          });
          if (recorded == operations.end()) {
            break;
          }
          recorded->from = it.is_read() || it.is_sum ? number_of(it.from) : -1;
          recorded->write = 0;
          if (it.is_read() && it.is_change && !it.writes) {  // a compare that fails
            recorded->reads = std::exchange(recorded->writes, 0);
          }
          places[static_cast<std::size_t>(event)] = static_cast<std::size_t>(recorded - operations.begin());
          ++recorded;
        }
        if (it.is_write()) {
          std::prev(recorded)->write = event + 1;
        }
      }
    }
    for (const auto& [first, last] : fence_order) {
      recording.ordered_fences.push_back(
          {static_cast<std::size_t>(graph.at(first).thread), places[static_cast<std::size_t>(first)],
           static_cast<std::size_t>(graph.at(last).thread), places[static_cast<std::size_t>(last)]});
    }
  }
  [[nodiscard]] Verdict compare_outputs() {
    std::vector<std::vector<std::byte>> now;
    for (const host::detail::Output& output : options_.outputs) {
      now.emplace_back(output.bytes.begin(), output.bytes.end());
    }
    if (findings_.outputs.empty()) {
      findings_.outputs = std::move(now);
      return {};
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto [first, other] = std::mismatch(now[i].begin(), now[i].end(), findings_.outputs[i].begin());
      if (first != now[i].end()) {
        const auto address =
            reinterpret_cast<std::uintptr_t>(options_.outputs[i].bytes.data() + (first - now[i].begin()));
        return {.kind = FindingKind::different_outputs,
                .message = run_.memory->name_of(address, 1) + " is not the same in two executions"};
      }
    }
    return {};
  }

  const Options& options_;
  host::detail::CtaRun run_;
  const host::detail::CtaBody& body_;
  GridsInOrder* grids_;  ///< whose order is judged; null: there is one
  AtomicWords words_;
  int words_known_ = 0;
  std::set<const void*> polls_, polls_known_;  ///< codes of reads that have polled
  bool stops_at_first_ = true;
  std::optional<SteppedGrid> grid_;
  std::uint64_t key_ = 0;  ///< of the execution that the run is at
  bool has_ended_ = false;
  int failed_ = -1;  ///< the thread that went on last, where one has failed
  Recording failure_;
  std::vector<std::vector<memory::Value>> done_;  ///< of each thread: what its operations found in this run
  std::vector<std::vector<std::pair<const void*, machine::SourceLocation>>> places_of_;
  Findings findings_;
};

}  // namespace dma::inline v0_1::proof::detail
