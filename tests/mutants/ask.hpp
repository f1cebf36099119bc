#pragma once

#include "mutants/cases.hpp"
#include "mutants/switch.hpp"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

/// Runs cases with a fault in a process of their own, since it may make a kernel crash or never end.
namespace mutants {

inline constexpr int limit_seconds = 40;  ///< of CPU time for one case; with the switches the longest takes 15

/// Cases by index, in the order to try them in.
using Indices = std::vector<std::size_t>;

/// What the cases say.
struct Answer {
  bool is_found = false;
  std::size_t next = 0;  ///< place of the case after the last one that a process began
  std::string finder;    ///< the name of the case that found it
  std::string text;      ///< what the finder says, or the first accident
};

/// In a process of its own: calls `judge(case)` for one case after another until it returns a text.
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
    switched_on = fault;
    const auto say = [&](char kind, const std::string& text) {
      const std::string line = kind + text + '\n';
      if (write(ends[1], line.data(), line.size()) < 0) {
        _exit(2);
      }
    };
    for (std::size_t i = first; i < which.size(); ++i) {
      say('c', std::to_string(i));
      const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = limit_seconds, .tv_usec = 0}};
      setitimer(ITIMER_PROF, &limit, nullptr);
      const Case& one = cases[which[i]];
      if (const std::string text = judge(one); !text.empty()) {
        say('f', text.substr(0, text.find('\n')));
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
      answer.finder = cases[which[answer.next - 1]].name;
    } else {
      answer.is_found = true;
      answer.text = line.substr(1);
    }
  }
  if (WIFSIGNALED(status)) {
    answer.text = WTERMSIG(status) == SIGPROF ? "does not end" : "crashes";
  }
  return answer;
}

/// Asks these cases; where a process ends early, another continues with the next case.
template <class Judge>
Answer ask_all(const Cases& cases, const Indices& which, int fault, const Judge& judge) {
  Answer accident;
  for (std::size_t first = 0; first < which.size();) {
    const Answer answer = ask(cases, which, first, fault, judge);
    if (answer.is_found) {
      return answer;
    }
    if (accident.text.empty()) {
      accident = answer;
    }
    first = answer.next;
  }
  return accident;
}

inline std::string judge_by_proof(const Case& one) {
  try {
    const dma::proof::Verdict verdict = one.prove();
    // One that ends by its limit of time says how fast the machine is.
    if (verdict.is_proved() || verdict.kind == dma::proof::FindingKind::out_of_time) {
      return "";
    }
    std::ostringstream text;
    text << dma::proof::name_of(verdict.kind) << ", " << verdict.message;
    return text.str();
  } catch (const std::exception& error) {
    return error.what();
  }
}
inline std::string judge_by_launch(const Case& one) {
  try {
    return one.is_right() ? "" : "a wrong result";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace mutants
