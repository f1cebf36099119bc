// Switches the faults on, one by one, and prints who finds each: a proof, a launch whose result is wrong or that
// throws, or an ordinary test. With no fault on, every kernel has to be proved and right.
//
//     run_mutants [<folder of the ordinary tests>] [<number of a fault>...]
//
// Exits with 1 for a false alarm, for a fault that nothing finds, and for an equivalent one that something finds.

#include "mutants/all_faults.hpp"
#include "mutants/cases.hpp"
#include "mutants/switch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using mutants::Case;
using mutants::Cases;
using mutants::Fault;

constexpr unsigned limit_seconds = 20;        ///< for one case, which takes a fraction of a second
constexpr std::size_t most_text = 300;        ///< characters of what a finder says
constexpr unsigned test_limit_seconds = 120;  ///< for an ordinary test

Cases all_cases() {
  Cases cases;
  mutants::add_loads_by_registers(cases);
  mutants::add_loads_by_async_copies(cases);
  mutants::add_loads_by_bulk_copies(cases);
  mutants::add_stores(cases);
  mutants::add_round_trips(cases);
  mutants::add_tensor_round_trips(cases);
  mutants::add_other_kernels(cases);
  mutants::add_small_examples(cases);
  mutants::add_large_examples(cases);
  return cases;
}

/// Cases by index.
using Indices = std::vector<std::size_t>;

/// What a process of its own says of the cases from `first` on.
struct Answer {
  bool is_found = false;
  std::size_t next = 0;  ///< place of the case after the last one that the process began
  std::string text;
};

/// In a process of its own, since a fault may make a kernel crash or never end: calls `judge(case)` for one case after
/// another until it returns a text.
template <class Judge>
Answer ask(const Cases& cases, const Indices& which, std::size_t first, int fault, const Judge& judge) {
  int ends[2];
  if (pipe(ends) != 0) {
    std::perror("pipe");
    std::exit(2);
  }
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    mutants::switched_on = fault;
    const auto say = [&](char kind, const std::string& text) {
      const std::string line = kind + text + '\n';
      if (write(ends[1], line.data(), line.size()) < 0) {
        _exit(2);
      }
    };
    for (std::size_t i = first; i < which.size(); ++i) {
      say('c', std::to_string(i));
      alarm(limit_seconds);
      const Case& one = cases[which[i]];
      if (const std::string text = judge(one); !text.empty()) {
        say('f', one.name + ": " + text.substr(0, text.find('\n')));
        break;
      }
    }
    _exit(0);
  }
  close(ends[1]);
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Answer answer;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == 'c') {
      answer.next = std::stoul(line.substr(1)) + 1;
    } else {
      answer.is_found = true;
      answer.text = line.substr(1);
    }
  }
  if (WIFSIGNALED(status)) {
    answer.text = cases[which[answer.next - 1]].name + (WTERMSIG(status) == SIGALRM ? ": does not end" : ": crashes");
  }
  return answer;
}

std::string judge_by_proof(const Case& one) {
  try {
    const dma::host::Verdict verdict = one.prove();
    if (verdict.is_proved()) {
      return "";
    }
    std::ostringstream text;
    text << dma::host::name_of(verdict.kind) << ", " << verdict.message;
    return text.str();
  } catch (const std::exception& error) {
    return error.what();
  }
}
std::string judge_by_launch(const Case& one) {
  try {
    return one.is_right() ? "" : "a wrong result";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Asks about these cases; where a process ends early, another goes on with the next case.
template <class Judge>
Answer ask_all(const Cases& cases, const Indices& which, int fault, const Judge& judge) {
  Answer all;
  std::string accident;
  for (std::size_t first = 0; first < which.size() && !all.is_found;) {
    const Answer answer = ask(cases, which, first, fault, judge);
    all.is_found = answer.is_found;
    accident = accident.empty() ? answer.text : accident;
    all.text = answer.text;
    first = answer.next;
  }
  if (!all.is_found) {
    all.text = accident;
  }
  return all;
}

/// Who finds a fault, and what they say.
struct Finder {
  const char* who;
  std::string text;
};

/// Whether the fault's ordinary test fails.
bool test_finds(const Fault& fault, int number, const std::string& tests) {
  const std::string test = fault.test;
  const std::size_t end = std::min(test.find(' '), test.size());
  const std::string which = end == test.size() ? "" : " '" + test.substr(end + 1) + "'";
  const std::string command = "DMA_MUTANT=" + std::to_string(number) + " timeout " +
                              std::to_string(test_limit_seconds) + " '" + tests + "/mutants_" + test.substr(0, end) +
                              "'" + which + " --abort > /dev/null 2>&1";
  return !test.empty() && !tests.empty() && std::system(command.c_str()) != 0;
}
std::string group_of(const Fault& fault) {
  const std::string file = fault.edits.front().file;
  const auto begins_with = [&](const char* folder) { return file.rfind(folder, 0) == 0; };
  return begins_with("proof/") || begins_with("host/") ? "prover" : begins_with("examples/") ? "examples" : "library";
}
/// Whether it is a fault of what judges kernels, so that only known answers can find it.
bool is_of_prover(const Fault& fault) { return group_of(fault) == "prover"; }

/// @param which  the cases that meet the fault's place
Finder find(const Cases& cases, const Indices& which, const Fault& fault, int number, const std::string& tests) {
  if (is_of_prover(fault) && test_finds(fault, number, tests)) {
    return {"test", fault.test};
  }
  const Answer proof = ask_all(cases, which, number, judge_by_proof);
  if (proof.is_found) {
    return {"prove", proof.text};
  }
  const Answer launch = ask_all(cases, which, number, judge_by_launch);
  if (launch.is_found) {
    return {"launch", launch.text};
  }
  if (!proof.text.empty() || !launch.text.empty()) {
    return {"crash", proof.text.empty() ? launch.text : proof.text};
  }
  if (!is_of_prover(fault) && test_finds(fault, number, tests)) {
    return {"test", fault.test};
  }
  if (*fault.equivalent != '\0') {
    return {"equivalent", fault.equivalent};
  }
  return {"survives", which.empty() ? "no kernel meets it" : "nothing shows in the kernels that meet it"};
}

}  // namespace

int main(int count, char** arguments) {
  const auto start = std::chrono::steady_clock::now();
  const std::string tests = count > 1 ? arguments[1] : "";
  std::vector<std::size_t> numbers;
  for (int i = 2; i < count; ++i) {
    numbers.push_back(std::stoul(arguments[i]));
  }
  const Cases cases = all_cases();
  const mutants::Faults faults = mutants::all_faults();
  bool is_good = true;

  int false_alarms = 0;
  std::vector<Indices> which(faults.size() + 1);  // the right cases that meet each fault's place
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::fill(std::begin(mutants::was_met), std::end(mutants::was_met), false);
    const int before = false_alarms;
    for (const auto& judge : {judge_by_proof, judge_by_launch}) {
      if (const std::string text = judge(cases[i]); !text.empty()) {
        std::cout << "FALSE ALARM: " << cases[i].name << ": " << text << '\n';
        ++false_alarms;
      }
    }
    for (std::size_t fault = 1; fault < which.size(); ++fault) {
      if (mutants::was_met[fault] && false_alarms == before) {
        which[fault].push_back(i);
      }
    }
  }
  std::cout << cases.size() << " kernels, " << false_alarms << " false alarms with no fault on\n";

  if (numbers.empty()) {
    for (std::size_t number = 1; number <= faults.size(); ++number) {
      numbers.push_back(number);
    }
  }
  std::map<std::string, std::map<std::string, int>> found_by;
  for (const std::size_t number : numbers) {
    const Fault& fault = faults[number - 1];
    const Finder finder = find(cases, which[number], fault, static_cast<int>(number), tests);
    const bool is_equivalent = *fault.equivalent != '\0';
    is_good =
        is_good && finder.who != std::string("survives") && is_equivalent == (finder.who == std::string("equivalent"));
    ++found_by[group_of(fault)][finder.who];
    std::cout << number << '\t' << finder.who << '\t' << fault.name << "\t| " << finder.text.substr(0, most_text)
              << std::endl;
  }
  for (const auto& [group, finders] : found_by) {
    std::cout << group << ':';
    for (const auto& [who, how_many] : finders) {
      std::cout << ' ' << who << ' ' << how_many << ';';
    }
    std::cout << '\n';
  }
  std::cout << numbers.size() << " faults in "
            << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << " s\n";
  return is_good && false_alarms == 0 ? 0 : 1;
}
