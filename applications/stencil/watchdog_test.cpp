#include "watchdog.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace {

struct Ended {
  int code;  ///< -1 where a signal ended it
  std::string said;
};

/// A process that does `work`, and what it wrote to its standard error.
template <class Work>
Ended ended(const Work& work) {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    work();
    _exit(0);
  }
  close(pipe_ends[1]);
  Ended result{-1, ""};
  char next = 0;
  while (read(pipe_ends[0], &next, 1) == 1) {
    result.said += next;
  }
  close(pipe_ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

TEST_CASE("a call that does not return ends the process with a sentence") {
  const Ended process = ended([] {
    stencil::Watchdog dog(0.1, "a neighbour is lost");
    const stencil::Watchdog::Watched watched(dog);
    std::this_thread::sleep_for(20s);
  });
  CHECK(process.code == 1);
  CHECK(process.said == "a neighbour is lost\n");
}

TEST_CASE("calls that return in time, and the time between them, do not") {
  const Ended process = ended([] {
    stencil::Watchdog dog(0.5, "a neighbour is lost");
    for (int i = 0; i < 2; ++i) {
      const stencil::Watchdog::Watched watched(dog);
      std::this_thread::sleep_for(300ms);
    }
    std::this_thread::sleep_for(600ms);
  });
  CHECK(process.code == 0);
  CHECK(process.said.empty());
}

}  // namespace
