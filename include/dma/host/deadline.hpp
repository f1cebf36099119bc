#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dma::inline v0_1::host::detail {

/// The time at which work ends that has not ended by itself.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e8)))) {}

  [[nodiscard]] double seconds_left() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }
  [[nodiscard]] bool has_passed() const { return Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point end_;
};

/// When the run of a CTA ends that does not end by itself.
struct RunLimits {
  double spin_seconds = 5;                ///< of CPU time that a thread may run without a wait of the library
  const Deadline* deadline = nullptr;     ///< null: none
  std::size_t recorded_bytes = SIZE_MAX;  ///< that a recording may take
};

}  // namespace dma::inline v0_1::host::detail
