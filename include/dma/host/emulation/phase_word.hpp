#pragma once

#include <cstdint>

namespace dma::host {

/// A phase barrier on the host: the state of an mbarrier, in the same eight bytes.
///
/// Source  PTX ISA, "Contents of the mbarrier object" and "Phase of the mbarrier object"
struct PhaseWord {
  static constexpr std::uint8_t open_mark = 0x6d;
  static constexpr std::uint8_t unawaited_mark = 0x6e;
  static constexpr int unit_bytes = 16;        ///< bulk copies move multiples of it
  static constexpr int address_alignment = 8;  ///< of an mbarrier

  std::uint8_t mark;       ///< one of the two while the barrier is open; `unawaited_mark` from a phase's end to a wait
  std::uint8_t phase;      ///< phases completed, modulo 2^8
  std::uint16_t expected;  ///< arrivals that complete a phase
  std::uint16_t pending;   ///< arrivals that this phase needs still, those of asynchronous copies included
  std::int16_t units;      ///< of `unit_bytes`, still to come; below 0 where copies complete before they are expected

  [[nodiscard]] bool is_open() const noexcept { return mark == open_mark || is_unawaited(); }
  /// Whether no thread has waited for the latest complete phase.
  [[nodiscard]] bool is_unawaited() const noexcept { return mark == unawaited_mark; }
  [[nodiscard]] bool is_armed() const noexcept { return pending != expected || units != 0; }
  [[nodiscard]] bool has_completed(unsigned parity) const noexcept { return (phase & 1U) != parity; }

  /// A wait for the latest complete phase returns.
  void pass() noexcept { mark = is_open() ? open_mark : mark; }
  void arrive() noexcept {
    --pending;
    complete_if_done();
  }
  /// @param bytes  to come; below 0: that have come
  void expect(int bytes) noexcept {
    units = static_cast<std::int16_t>(units + bytes / unit_bytes);
    complete_if_done();
  }

 private:
  void complete_if_done() noexcept {
    if (pending == 0 && units == 0) {
      pending = expected;
      ++phase;
      mark = unawaited_mark;
    }
  }
};
static_assert(sizeof(PhaseWord) == 8, "dma::host::PhaseWord: must fit where the GPU keeps an mbarrier");

}  // namespace dma::host
