#pragma once

#include <dma/host/emulation/kernel_error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace dma::host {

/// The counters in global memory that the CTAs of a grid share, and that are zero before it and after it. A CTA that
/// takes no part leaves one of them as it is.
class GridCounters {
 public:
  /// One grid runs as long as this object exists.
  explicit GridCounters(long long ctas) : ctas_left_(ctas), outer_(std::exchange(running(), this)) {}
  GridCounters(const GridCounters&) = delete;
  GridCounters& operator=(const GridCounters&) = delete;
  ~GridCounters() { running() = outer_; }

  /// The grid that runs, null where CTAs run by themselves.
  [[nodiscard]] static GridCounters*& running() {
    thread_local GridCounters* grid = nullptr;
    return grid;
  }

  /// A thread is about to use a counter.
  ///
  /// @param user  the class or the function that counts
  /// @throw KernelError  it is not zero before the grid
  void use(const void* word, std::size_t bytes, const char* user) {
    const Counter counter{bytes, user};
    if (counters_.try_emplace(word, counter).second && value_of(word, bytes) != 0) {
      throw KernelError("dma::" + std::string(user) + ": its counter is " + std::to_string(value_of(word, bytes)) +
                        " before the first CTA counts; set it to zero before the launch, and give each counter to one "
                        "pipeline of one launch at a time");
    }
  }
  /// A CTA has ended.
  ///
  /// @throw PendingAtExit  it was the last one, and a counter is not zero
  void end_cta() {
    if (--ctas_left_ > 0) {
      return;
    }
    for (const auto& [word, counter] : counters_) {
      if (const std::uint64_t left = value_of(word, counter.bytes); left != 0) {
        throw PendingAtExit("dma::" + std::string(counter.user) + ": its counter is " + std::to_string(left) +
                            " after the last CTA and not zero, because a CTA took no part, so that on a GPU the others "
                            "would wait for it or count it later; let every CTA that is counted take part once");
      }
    }
  }

 private:
  struct Counter {
    std::size_t bytes;
    const char* user;
  };

  [[nodiscard]] static std::uint64_t value_of(const void* word, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, word, bytes);
    return value;
  }

  long long ctas_left_;
  GridCounters* outer_;
  std::map<const void*, Counter> counters_;
};

}  // namespace dma::host
