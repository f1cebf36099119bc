// Switches the faults on, one by one, and prints who finds each: a proof, a launch whose result is wrong or that
// throws, or an ordinary test. With no fault on, every kernel has to be proved and right.
//
//     run_mutants [<folder of the ordinary tests> [<file of the first finders>]] [--write] [--workers=<number>]
//                 [--results=<file>] [<number of a fault>...]
//
// The finder that the file names is tried first; --write brings the file up to date. Where faults are named, kernels
// that meet none of them are only launched. The work is shared among as many processes as there are processors, or
// --workers. The file of results has each line when it is known, and a run that was interrupted goes on behind its
// lines, unless a program of the folder is newer.
//
// Exits with 1 for a false alarm, for a fault that nothing finds without a reason in the list, for one with a reason
// that something finds, and for a worker that crashed.

#include "mutants/all_faults.hpp"
#include "mutants/ask.hpp"
#include "mutants/cases.hpp"
#include "mutants/first_finders.hpp"
#include "mutants/ordinary_tests.hpp"
#include "mutants/results.hpp"
#include "mutants/switch.hpp"
#include "mutants/workers.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

using mutants::Answer;
using mutants::Cases;
using mutants::Fault;
using mutants::Indices;

constexpr std::size_t most_text = 300;  ///< characters of what a finder says

Cases all_cases() {
  Cases cases;
  mutants::add_loads_by_registers(cases);
  mutants::add_loads_by_async_copies(cases);
  mutants::add_loads_by_bulk_copies(cases);
  mutants::add_stores(cases);
  mutants::add_right_kernels(cases);
  mutants::add_round_trips(cases);
  mutants::add_tensor_round_trips(cases);
  mutants::add_box_round_trips(cases);
  mutants::add_other_kernels(cases);
  mutants::add_matrix_products(cases);
  mutants::add_attention(cases);
  mutants::add_attention_backward(cases);
  mutants::add_roles(cases);
  mutants::add_clusters(cases);
  mutants::add_small_examples(cases);
  mutants::add_large_examples(cases);
  return cases;
}

/// Seconds of the processor, of this process and of those that it waited for.
double cpu_seconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage use{};
    getrusage(who, &use);
    for (const timeval& time : {use.ru_utime, use.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return seconds;
}

std::string group_of(const Fault& fault) {
  const std::string file = fault.edits.front().file;
  const auto begins_with = [&](const char* folder) { return file.rfind(folder, 0) == 0; };
  if (begins_with("proof/") || begins_with("host/")) {
    return "prover";
  }
  return begins_with("examples/") || begins_with("applications/") ? "examples" : "library";
}
/// Whether it is a fault of what judges kernels, so that only known answers can find it.
bool is_of_prover(const Fault& fault) { return group_of(fault) == "prover"; }

/// Who finds a fault, and what they say.
struct Finder {
  const char* who;
  std::string name;  ///< of the kernel or the test
  std::string text = "";
};

/// A line of results, its parts by tabulators.
using Parts = std::vector<std::string>;

std::string line_of(const Parts& parts) {
  std::string line;
  for (const std::string& part : parts) {
    line += line.empty() ? "" : "\t";
    std::replace_copy_if(
        part.begin(), part.end(), std::back_inserter(line), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  }
  return line;
}
Parts parts_of(const std::string& line) {
  Parts parts(1);
  for (const char c : line) {
    if (c == '\t') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The command line.
struct Options {
  std::string tests;          ///< folder
  std::string first_finders;  ///< file
  std::string results;        ///< file
  bool writes = false;        ///< the file of the first finders
  std::size_t workers = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::size_t> numbers = {};  ///< of the faults to try; all where there are none
};

/// A worker says these lines, which the file of results has too:
///
///     kernel       number  seconds  number of a fault that it meets...     none where it is not right
///     a fault's number     who finds it  seconds  name  name of the finder  what the finder says
///     FALSE ALARM  name    text
class Run {
 public:
  explicit Run(Options options)
      : options_(std::move(options)),
        results_(options_.results.empty() ? mutants::Results() : mutants::Results(options_.results, options_.tests)),
        tests_(options_.tests),
        first_finders_(options_.first_finders),
        cases_(all_cases()) {
    if (options_.numbers.empty()) {
      options_.numbers.resize(faults_.size());
      std::iota(options_.numbers.begin(), options_.numbers.end(), std::size_t{1});
    }
    for (const std::string& line : results_.before()) {
      take(line);
    }
  }

  /// Every kernel with no fault on. Notes which of these faults' places it meets, and what it costs. A kernel whose
  /// launch meets none of them is not proved.
  void check_cases() {
    const std::vector<std::size_t>& numbers = options_.numbers;
    const bool proves_all = std::any_of(numbers.begin(), numbers.end(),
                                        [&](std::size_t number) { return is_of_prover(faults_[number - 1]); });
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (cost_[i] < 0) {
        open.push_back(i);
      }
    }
    mutants::Workers(options_.workers, open.size(), [&](std::size_t i) {
      return check_case(open[i], proves_all);
    }).wait([&](const std::string& line) { take_new(line); });
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (cost_[i] < 0) {
        take_new(line_of({false_alarm, cases_[i].name, "crashes"}));
      }
    }
    for (Indices& which : which_) {
      std::sort(which.begin(), which.end(),
                [&](std::size_t a, std::size_t b) { return cost_[a] != cost_[b] ? cost_[a] < cost_[b] : a < b; });
    }
    std::cout << cases_.size() << " kernels, " << false_alarms_ << " false alarms with no fault on, " << cpu_seconds()
              << " s of CPU time\n";
  }

  void check_faults() {
    std::vector<std::size_t> open;
    for (const std::size_t number : options_.numbers) {
      if (!is_asked_[number]) {
        open.push_back(number);
      }
    }
    mutants::Workers(options_.workers, open.size(), [&](std::size_t i) {
      return check_fault(open[i]);
    }).wait([&](const std::string& line) { take_new(line); });
    for (const std::size_t number : open) {
      if (!is_asked_[number]) {
        take_new(
            line_of({std::to_string(number), "not asked", "", faults_[number - 1].name, "", "the worker crashed"}));
      }
    }
    print_counts();
    std::cout << options_.numbers.size() << " faults, " << others_.size() << " not as the list says, " << false_alarms_
              << " false alarms, " << cpu_seconds() << " s of CPU time\n";
    for (const std::string& line : others_) {
      std::cout << line << '\n';
    }
    results_.end();
    if (options_.writes) {
      first_finders_.write(options_.first_finders, faults_);
    }
  }

  /// Whether all is as the list of faults says.
  [[nodiscard]] bool is_good() const { return false_alarms_ == 0 && others_.empty(); }

 private:
  static constexpr const char* false_alarm = "FALSE ALARM";

  /// In a worker: the lines of a kernel.
  [[nodiscard]] std::string check_case(std::size_t i, bool proves_all) const {
    const std::vector<std::size_t>& numbers = options_.numbers;
    std::string lines;
    const auto passes = [&](std::string (*judge)(const mutants::Case&)) {
      const std::string text = judge(cases_[i]);
      if (!text.empty()) {
        lines += line_of({false_alarm, cases_[i].name, text}) + '\n';
      }
      return text.empty();
    };
    std::fill(std::begin(mutants::was_met), std::end(mutants::was_met), false);
    const double start = cpu_seconds();
    bool is_right = passes(mutants::judge_by_launch);
    if (proves_all ||
        std::any_of(numbers.begin(), numbers.end(), [](std::size_t number) { return mutants::was_met[number]; })) {
      is_right = passes(mutants::judge_by_proof) && is_right;
    }
    Parts parts = {"kernel", std::to_string(i), std::to_string(cpu_seconds() - start)};
    for (std::size_t fault = 1; fault < which_.size(); ++fault) {
      if (mutants::was_met[fault] && is_right) {
        parts.push_back(std::to_string(fault));
      }
    }
    return lines + line_of(parts) + '\n';
  }
  /// In a worker: the lines of a fault.
  std::string check_fault(std::size_t number) {
    const Fault& fault = faults_[number - 1];
    const double start = cpu_seconds();
    const Finder finder = find(fault, number);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f s", cpu_seconds() - start);
    std::string lines;
    for (const std::string& name : tests_.take_false_alarms()) {
      lines += line_of({false_alarm, name, "fails with no fault on"}) + '\n';
    }
    return lines +
           line_of({std::to_string(number), finder.who, seconds, fault.name, finder.name,
                    finder.text.substr(0, most_text)}) +
           '\n';
  }

  void take_new(const std::string& line) {
    results_.add(line);
    take(line);
  }
  void take(const std::string& line) {
    const Parts parts = parts_of(line);
    if (parts[0] == "kernel") {
      const std::size_t i = std::stoul(parts.at(1));
      cost_.at(i) = std::stod(parts.at(2));
      for (std::size_t part = 3; part < parts.size(); ++part) {
        which_.at(std::stoul(parts[part])).push_back(i);
      }
      return;
    }
    std::cout << line << std::endl;
    if (parts[0] == false_alarm) {
      ++false_alarms_;
      return;
    }
    const std::size_t number = std::stoul(parts[0]);
    const Fault& fault = faults_.at(number - 1);
    const std::string& who = parts.at(1);
    is_asked_[number] = true;
    ++found_by_[group_of(fault)][who];
    ++found_in_file_[fault.edits.front().file][who];
    first_finders_.note(fault.name, parts.at(4));
    if (who == "survives" || who == "not asked" || (*fault.equivalent != '\0') != (who == "equivalent") ||
        (*fault.unseen != '\0') != (who == "not found")) {
      others_.push_back(line);
    }
  }

  void print_counts() const {
    for (const Counts* counts : {&found_in_file_, &found_by_}) {
      for (const auto& [place, finders] : *counts) {
        std::cout << place << ':';
        for (const auto& [who, how_many] : finders) {
          std::cout << ' ' << who << ' ' << how_many << ';';
        }
        std::cout << '\n';
      }
    }
  }

  /// Whether a test found it before, so that it is tried before the kernels.
  [[nodiscard]] bool is_name_of_test(const std::string& finder) const {
    return !finder.empty() &&
           std::none_of(cases_.begin(), cases_.end(), [&](const mutants::Case& one) { return one.name == finder; });
  }

  Finder find(const Fault& fault, std::size_t number) {
    const std::string first = first_finders_.of(fault.name);
    const int switched_on = static_cast<int>(number);
    const bool begins_with_test = is_of_prover(fault) || is_name_of_test(first);
    if (begins_with_test) {
      if (std::string test = tests_.find(fault.test, switched_on, first); !test.empty()) {
        return {"test", std::move(test)};
      }
    }
    Indices which = which_[number];
    std::stable_partition(which.begin(), which.end(), [&](std::size_t i) { return cases_[i].name == first; });
    const Answer proof = ask_all(cases_, which, switched_on, mutants::judge_by_proof);
    if (proof.is_found) {
      return {"prove", proof.finder, proof.text};
    }
    const Answer launch = ask_all(cases_, which, switched_on, mutants::judge_by_launch);
    if (launch.is_found) {
      return {"launch", launch.finder, launch.text};
    }
    if (const Answer& accident = proof.text.empty() ? launch : proof; !accident.text.empty()) {
      return {"crash", accident.finder, accident.text};
    }
    if (!begins_with_test) {
      if (std::string test = tests_.find(fault.test, switched_on, first); !test.empty()) {
        return {"test", std::move(test)};
      }
    }
    if (*fault.equivalent != '\0') {
      return {"equivalent", "", fault.equivalent};
    }
    if (*fault.unseen != '\0') {
      return {"not found", "", fault.unseen};
    }
    return {"survives", "", which.empty() ? "no kernel meets it" : "nothing shows in the kernels that meet it"};
  }

  Options options_;
  mutants::Results results_;
  mutants::OrdinaryTests tests_;
  mutants::FirstFinders first_finders_;
  const Cases cases_;
  const mutants::Faults faults_ = mutants::all_faults();
  std::vector<double> cost_ = std::vector<double>(cases_.size(), -1);          ///< seconds of a case; -1: not known yet
  std::vector<Indices> which_ = std::vector<Indices>(faults_.size() + 1);      ///< the right cases that meet each fault
  std::vector<bool> is_asked_ = std::vector<bool>(faults_.size() + 1, false);  ///< by number
  int false_alarms_ = 0;
  std::vector<std::string> others_;                                  ///< lines of faults that are not as the list says
  using Counts = std::map<std::string, std::map<std::string, int>>;  ///< of faults, by place and by who finds them
  Counts found_by_;                                                  ///< by group
  Counts found_in_file_;
};

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> places;
  Options options;
  const auto value_of = [](const std::string& argument, const std::string& name) {
    return argument.rfind(name, 0) == 0 ? argument.substr(name.size()) : "";
  };
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--write") {
      options.writes = true;
    } else if (const std::string workers = value_of(argument, "--workers="); !workers.empty()) {
      options.workers = std::stoul(workers);
    } else if (const std::string results = value_of(argument, "--results="); !results.empty()) {
      options.results = results;
    } else if (!argument.empty() &&
               std::all_of(argument.begin(), argument.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
      options.numbers.push_back(std::stoul(argument));
    } else {
      places.push_back(argument);
    }
  }
  places.resize(2);
  options.tests = places[0];
  options.first_finders = places[1];
  Run run(std::move(options));
  run.check_cases();
  run.check_faults();
  return run.is_good() ? 0 : 1;
}
