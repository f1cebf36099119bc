// Switches the faults on, one by one, and prints who finds each: a proof, a launch whose result is wrong or that
// throws, or an ordinary test. With no fault on, every kernel has to be proved and right.
//
//     run_mutants [<folder of the ordinary tests> [<file of the first finders>]] [--write] [<number of a fault>...]
//
// The finder that the file names is tried first; --write brings the file up to date. Where faults are named, kernels
// that meet none of them are only launched. Exits with 1 for a false alarm, for a fault that nothing finds without a
// reason in the list, and for one with a reason that something finds.

#include "mutants/all_faults.hpp"
#include "mutants/ask.hpp"
#include "mutants/cases.hpp"
#include "mutants/first_finders.hpp"
#include "mutants/ordinary_tests.hpp"
#include "mutants/switch.hpp"

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

class Run {
 public:
  Run(const std::string& tests, const std::string& first_finders)
      : tests_(tests), first_finders_(first_finders), cases_(all_cases()) {}

  /// Every kernel with no fault on. Notes which of these faults' places it meets, and what it costs. A kernel whose
  /// launch meets none of them is not proved.
  void check_cases(const std::vector<std::size_t>& numbers) {
    const bool proves_all = std::any_of(numbers.begin(), numbers.end(),
                                        [&](std::size_t number) { return is_of_prover(faults_[number - 1]); });
    std::vector<double> cost(cases_.size());
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      std::fill(std::begin(mutants::was_met), std::end(mutants::was_met), false);
      const double start = cpu_seconds();
      bool is_right = passes(mutants::judge_by_launch, cases_[i]);
      if (proves_all ||
          std::any_of(numbers.begin(), numbers.end(), [](std::size_t number) { return mutants::was_met[number]; })) {
        is_right = passes(mutants::judge_by_proof, cases_[i]) && is_right;
      }
      cost[i] = cpu_seconds() - start;
      false_alarms_ += is_right ? 0 : 1;
      for (std::size_t fault = 1; fault < which_.size(); ++fault) {
        if (mutants::was_met[fault] && is_right) {
          which_[fault].push_back(i);
        }
      }
    }
    for (Indices& which : which_) {
      std::stable_sort(which.begin(), which.end(), [&](std::size_t a, std::size_t b) { return cost[a] < cost[b]; });
    }
    std::cout << cases_.size() << " kernels, " << false_alarms_ << " false alarms with no fault on, " << cpu_seconds()
              << " s\n";
  }

  /// False where the finder is not as the list of faults says.
  bool check_fault(std::size_t number) {
    const Fault& fault = faults_[number - 1];
    const double start = cpu_seconds();
    const Finder finder = find(fault, number);
    std::printf("%zu\t%s\t%.2f s\t%s\t| %s%s%s\n", number, finder.who, cpu_seconds() - start, fault.name,
                finder.name.c_str(), finder.text.empty() || finder.name.empty() ? "" : ": ",
                finder.text.substr(0, most_text).c_str());
    std::fflush(stdout);
    ++found_by_[group_of(fault)][finder.who];
    ++found_in_file_[fault.edits.front().file][finder.who];
    first_finders_.note(fault.name, finder.name);
    const std::string who = finder.who;
    return who != "survives" && (*fault.equivalent != '\0') == (who == "equivalent") &&
           (*fault.unseen != '\0') == (who == "not found");
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
  void write_first_finders(const std::string& path) const { first_finders_.write(path, faults_); }

  [[nodiscard]] std::size_t faults() const { return faults_.size(); }
  [[nodiscard]] bool has_false_alarms() const { return false_alarms_ != 0 || !tests_.are_good(); }

 private:
  static bool passes(std::string (*judge)(const mutants::Case&), const mutants::Case& one) {
    const std::string text = judge(one);
    if (!text.empty()) {
      std::cout << "FALSE ALARM: " << one.name << ": " << text << '\n';
    }
    return text.empty();
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

  mutants::OrdinaryTests tests_;
  mutants::FirstFinders first_finders_;
  const Cases cases_;
  const mutants::Faults faults_ = mutants::all_faults();
  std::vector<Indices> which_ = std::vector<Indices>(faults_.size() + 1);  ///< the right cases that meet each fault
  int false_alarms_ = 0;
  using Counts = std::map<std::string, std::map<std::string, int>>;  ///< of faults, by place and by who finds them
  Counts found_by_;                                                  ///< by group
  Counts found_in_file_;
};

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> places;
  std::vector<std::size_t> numbers;
  bool writes = false;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--write") {
      writes = true;
    } else if (!argument.empty() &&
               std::all_of(argument.begin(), argument.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
      numbers.push_back(std::stoul(argument));
    } else {
      places.push_back(argument);
    }
  }
  places.resize(2);
  Run run(places[0], places[1]);
  if (numbers.empty()) {
    numbers.resize(run.faults());
    std::iota(numbers.begin(), numbers.end(), std::size_t{1});
  }
  run.check_cases(numbers);
  bool is_good = true;
  for (const std::size_t number : numbers) {
    is_good = run.check_fault(number) && is_good;
  }
  run.print_counts();
  std::cout << numbers.size() << " faults, " << cpu_seconds() << " s of CPU time\n";
  if (writes) {
    run.write_first_finders(places[1]);
  }
  return is_good && !run.has_false_alarms() ? 0 : 1;
}
