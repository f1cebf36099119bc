#pragma once

#include <dma/host/emulation/run_watch.hpp>
#include <dma/proof/record/operation_log.hpp>

namespace dma::inline v0_1::proof::detail {

/// A thread's log while a statement uses it: no limit ends the thread before that.
class LogInUse {
 public:
  explicit LogInUse(ThreadLog& log) : log_(log) {}
  [[nodiscard]] ThreadLog* operator->() const { return &log_; }

 private:
  host::detail::RunWatch::Section section_;
  ThreadLog& log_;
};

}  // namespace dma::inline v0_1::proof::detail
