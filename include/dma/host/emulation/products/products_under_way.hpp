#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// What the products of one thread into tensor memory read, until the thread knows that they are complete: they arrive
/// at a barrier then, by an instruction behind them.
class ProductsUnderWay {
 public:
  void begin(const void* from, int bytes, const machine::SourceLocation& caller) {
    const auto first = reinterpret_cast<std::uintptr_t>(from);
    reads_.push_back({first, first + static_cast<std::uintptr_t>(bytes), next_++, caller});
  }
  /// The barrier gets an arrival when the products so far are complete.
  void commit(const void* barrier, const machine::Site& site) {
    committed_[barrier] = last_committed_ = next_;
    last_site_ = site;
  }
  /// The thread has waited for a phase of the barrier.
  void wait(const void* barrier) {
    if (reads_.empty()) {
      return;
    }
    if (const auto committed = committed_.find(barrier); committed != committed_.end()) {
      std::erase_if(reads_, [&](const Read& read) { return read.number < committed->second; });
    }
  }

  /// @param slot  whose release it is; the arrival of products alone may release it while they read
  /// @throw KernelError  some of these bytes may still be read
  void expect_over(const void* place, int bytes, const char* what, const machine::Site& slot) {
    if (reads_.empty()) {
      return;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(place);
    const auto reads_here = [&](const Read& read) {
      return read.first < first + static_cast<std::uintptr_t>(bytes) && first < read.last;
    };
    if (last_site_.point == machine::Point::empty && last_site_.storage == slot.storage &&
        last_site_.stage == slot.stage) {
      std::erase_if(reads_, [&](const Read& read) { return read.number < last_committed_ && reads_here(read); });
    }
    if (const auto read = std::find_if(reads_.begin(), reads_.end(), reads_here); read != reads_.end()) {
      throw KernelError(std::string("dma::AsyncReads: ") + what +
                        " while products into tensor memory may still read it" + described(*read) +
                        "; call reads.release_when_read(slot), or release it behind a wait for a barrier where they "
                        "arrive (arrive_when_multiplied)");
    }
  }
  /// @throw PendingAtExit  the thread ends with products that arrive nowhere
  void expect_committed() const {
    if (!reads_.empty() && reads_.back().number >= last_committed_) {
      throw PendingAtExit("dma::AsyncReads: a thread ends with products into tensor memory that arrive at no barrier" +
                          described(reads_.back()) +
                          "; call reads.release_when_read(slot) or barrier.arrive_when_multiplied() behind them");
    }
  }

 private:
  struct Read {
    std::uintptr_t first;
    std::uintptr_t last;
    int number;
    machine::SourceLocation caller;
  };

  [[nodiscard]] static std::string described(const Read& read) {
    const std::string line = source_line(read.caller);
    return line.empty() ? "" : " (" + line + ")";
  }

  std::vector<Read> reads_;
  int next_ = 0;
  std::map<const void*, int> committed_;  ///< by barrier: reads below this number
  int last_committed_ = 0;
  machine::Site last_site_;  ///< of the last commit
};

}  // namespace dma::inline v0_1::host::detail
