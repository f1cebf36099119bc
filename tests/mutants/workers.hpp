#pragma once

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <vector>

namespace mutants {

/// Does pieces of work in some processes, which each take the next piece that none has taken.
class Workers {
 public:
  /// Called in a worker for a piece of work; returns lines.
  using Work = std::function<std::string(std::size_t piece)>;
  /// Called in this process for each line, in the order in which they arrive.
  using Take = std::function<void(const std::string& line)>;

  Workers(std::size_t workers, std::size_t pieces, const Work& work) : pieces_(pieces) {
    void* const shared = mmap(nullptr, sizeof *next_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
      fail("mmap");
    }
    next_ = new (shared) std::atomic<std::size_t>(0);
    for (std::size_t i = 0; i < std::min(workers, pieces); ++i) {
      start(work);
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { munmap(next_, sizeof *next_); }

  /// Until every worker has ended. One that crashes leaves its piece without lines, and the others do the rest.
  void wait(const Take& take) {
    std::vector<std::string> begun(workers_.size());
    for (std::size_t open = workers_.size(); open > 0;) {
      if (poll(workers_.data(), workers_.size(), -1) < 0) {
        if (errno == EINTR) {
          continue;
        }
        fail("poll");
      }
      for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (workers_[i].revents != 0 && !read_some(workers_[i].fd, begun[i], take)) {
          close(workers_[i].fd);
          workers_[i].fd = -1;
          --open;
        }
      }
    }
    while (::wait(nullptr) > 0) {
    }
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    std::perror(what);
    std::exit(2);
  }

  void start(const Work& work) {
    int ends[2];
    if (pipe(ends) != 0) {
      fail("pipe");
    }
    std::cout.flush();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) {
      fail("fork");
    }
    if (child == 0) {
      close(ends[0]);
      for (std::size_t piece = 0; (piece = (*next_)++) < pieces_;) {
        write_all(ends[1], work(piece));
      }
      _exit(0);
    }
    close(ends[1]);
    workers_.push_back({.fd = ends[0], .events = POLLIN, .revents = 0});
  }

  static void write_all(int file, const std::string& text) {
    for (std::size_t written = 0; written < text.size();) {
      const ssize_t now = write(file, text.data() + written, text.size() - written);
      if (now <= 0) {
        _exit(2);
      }
      written += static_cast<std::size_t>(now);
    }
  }
  /// False at the end of what a worker says.
  static bool read_some(int file, std::string& begun, const Take& take) {
    char buffer[4096];
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got <= 0) {
      return false;
    }
    begun.append(buffer, static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = begun.find('\n')) != std::string::npos; begun.erase(0, end + 1)) {
      take(begun.substr(0, end));
    }
    return true;
  }

  std::size_t pieces_;
  std::atomic<std::size_t>* next_ = nullptr;  ///< piece, in memory of all workers
  std::vector<pollfd> workers_;
};

}  // namespace mutants
