#pragma once

/// Ends a process that waits for a lost neighbour inside a call that does not return.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <unistd.h>

namespace stencil {

/// A thread that ends the process with a sentence and exit code 1 where a watched call takes more than so many seconds.
/// Not by an exception: the thread in that call cannot be unwound.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  Watchdog(double seconds, std::string sentence)
      : limit_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        sentence_(std::move(sentence) + '\n'),
        thread_([this] { watch(); }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    done_.notify_one();
    thread_.join();
  }

  /// Watches the calls in its scope. One at a time.
  class Watched {
   public:
    explicit Watched(Watchdog& dog) : dog_(dog) { dog_.deadline_ = Clock::now() + dog_.limit_; }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { dog_.deadline_ = never; }

   private:
    Watchdog& dog_;
  };

 private:
  static constexpr Clock::time_point never = Clock::time_point::max();
  static constexpr std::chrono::milliseconds period{50};

  void watch() {
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, period, [this] { return is_done_; })) {
      if (Clock::now() > deadline_.load()) {
        // No stdio, whose lock the other thread may have.
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence_.data(), sentence_.size());
        ::_exit(1);
      }
    }
  }

  Clock::duration limit_;
  std::string sentence_;
  std::atomic<Clock::time_point> deadline_{never};
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace stencil
