#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// The asynchronous reads of one thread that it has not waited for, by group: those of tensor cores, which read their
/// operands some time after the instruction was issued.
class ReadsUnderWay {
 public:
  void begin(const void* from, int bytes, const machine::SourceLocation& caller) {
    const auto first = reinterpret_cast<std::uintptr_t>(from);
    reads_.push_back({first, first + static_cast<std::uintptr_t>(bytes), committed_, caller});
  }
  void commit() { ++committed_; }
  /// At most `pending` of the committed groups are in flight.
  void wait(int pending) {
    std::erase_if(reads_, [&](const Read& read) { return read.group < committed_ - pending; });
  }
  [[nodiscard]] bool any() const { return !reads_.empty(); }

  /// @throw KernelError  some of these bytes may still be read
  void expect_over(const void* place, int bytes, const char* what) const {
    const auto first = reinterpret_cast<std::uintptr_t>(place);
    const auto read = std::find_if(reads_.begin(), reads_.end(), [&](const Read& one) {
      return one.first < first + static_cast<std::uintptr_t>(bytes) && first < one.last;
    });
    if (read != reads_.end()) {
      throw KernelError(std::string("dma::AsyncReads: ") + what + " while tensor cores may still read it" +
                        described(*read));
    }
  }
  /// @throw PendingAtExit  the thread ends with reads that it did not wait for
  void expect_none() const {
    if (any()) {
      throw PendingAtExit("dma::AsyncReads: a thread ends while tensor cores may still read a slot" +
                          described(reads_.front()));
    }
  }

 private:
  struct Read {
    std::uintptr_t first;
    std::uintptr_t last;
    int group;
    machine::SourceLocation caller;
  };

  [[nodiscard]] std::string described(const Read& read) const {
    const std::string line = source_line(read.caller);
    const std::string which = line.empty() ? "" : " (" + line + ")";
    if (read.group == committed_) {
      return "; call commit() after the products" + which + ", and wait<0>() before";
    }
    const std::string pending = std::to_string(committed_ - read.group - 1);
    return ", since no wait covers that commit()" + which + "; call wait<" + pending + ">() before, or release later";
  }

  std::vector<Read> reads_;
  int committed_ = 0;
};

}  // namespace dma::inline v0_1::host::detail
