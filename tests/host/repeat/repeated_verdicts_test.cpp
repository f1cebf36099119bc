// A verdict depends on the program, its arguments and its seeds alone: not on addresses, on the machine's load or on
// the memory that a process may have.
#include "host/repeat/verdicts.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <string>

namespace {

constexpr int verdicts_fd = 3;

TEST_CASE("the verdicts of a process are written to descriptor 3", "[.]") {
  std::ostringstream text;
  repeat::print_all(text);
  const std::string all = text.str();
  for (std::size_t at = 0; at < all.size();) {
    const ssize_t written = write(verdicts_fd, all.data() + at, all.size() - at);
    REQUIRE(written > 0);
    at += static_cast<std::size_t>(written);
  }
}

/// A process that runs the test above, with addresses of its own.
class Process {
 public:
  /// @param megabytes  of addresses that it may have; 0: no limit
  explicit Process(unsigned megabytes) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    id_ = fork();
    REQUIRE(id_ >= 0);
    if (id_ == 0) {
      run(ends, megabytes);
    }
    close(ends[1]);
    read_ = ends[0];
  }
  /// What it wrote, when it has ended.
  [[nodiscard]] std::string text() {
    std::string text;
    char part[4096];
    for (ssize_t bytes = 0; (bytes = read(read_, part, sizeof part)) > 0;) {
      text.append(part, static_cast<std::size_t>(bytes));
    }
    close(read_);
    int status = 0;
    waitpid(id_, &status, 0);
    return status == 0 ? text : text + "ended with status " + std::to_string(status) + '\n';
  }

 private:
  [[noreturn]] static void run(const int (&ends)[2], unsigned megabytes) {
    close(ends[0]);
    dup2(ends[1], verdicts_fd);
    if (megabytes != 0) {
      const rlim_t bytes = rlim_t{megabytes} << 20;
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_AS, &limit);
    }
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    execl("/proc/self/exe", "proofs", "the verdicts of a process are written to descriptor 3", nullptr);
    _exit(127);
  }

  pid_t id_;
  int read_;
};

/// A process that keeps a core busy.
class Load {
 public:
  Load() : id_(fork()) {
    if (id_ == 0) {
      while (true) {
        asm volatile("");
      }
    }
  }
  ~Load() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  pid_t id_;
};

#if defined(__SANITIZE_ADDRESS__) || (defined(__SANITIZE_THREAD__) && !defined(DMA_EVERY_ACCESS))
constexpr bool can_limit_memory = false;  // The sanitizers reserve terabytes.
#else
constexpr bool can_limit_memory = true;
#endif

TEST_CASE("200 processes give the same verdicts beside a load, some with little memory", "[proof][repeat]") {
  constexpr int processes = 200;
  constexpr std::size_t at_once = 4;
  const Load load;
  std::deque<Process> running;
  std::string first;
  for (int begun = 0, ended = 0; ended < processes;) {
    if (begun < processes && running.size() < at_once) {
      constexpr unsigned limits[] = {0, 400, 4000};
      running.emplace_back(can_limit_memory ? limits[begun % 3] : 0);
      ++begun;
      continue;
    }
    const std::string text = running.front().text();
    running.pop_front();
    CAPTURE(ended);
    if (ended++ == 0) {
      first = text;
      REQUIRE(std::count(text.begin(), text.end(), '\n') > 40);
      REQUIRE(text.find("ended with status") == std::string::npos);
    }
    REQUIRE(text == first);
  }
}

}  // namespace
