#pragma once

#include <cstdint>

namespace dma::host {

/// A phase barrier's eight bytes, as the host keeps them: the state of an mbarrier without its transaction count.
///
/// Source  PTX ISA, "Contents of the mbarrier object" and "Phase of the mbarrier object"
struct PhaseWord {
  static constexpr std::uint16_t open_mark = 0x6d62;

  std::uint16_t mark;      ///< `open_mark` while the barrier is one
  std::uint16_t expected;  ///< arrivals that complete a phase
  std::uint16_t pending;   ///< arrivals that this phase still waits for
  std::uint16_t phase;     ///< phases completed, modulo 2^16

  [[nodiscard]] bool is_open() const noexcept { return mark == open_mark; }
  [[nodiscard]] bool has_completed(unsigned parity) const noexcept { return (phase & 1U) != parity; }

  void arrive() noexcept {
    if (--pending == 0) {
      pending = expected;
      ++phase;
    }
  }
};
static_assert(sizeof(PhaseWord) == 8, "dma::host::PhaseWord: has to fit where the GPU keeps an mbarrier");

}  // namespace dma::host
