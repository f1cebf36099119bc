#pragma once

#include <cstdint>

namespace dma::inline v0_1::host::detail {

/// A phase barrier on the host: the state of an mbarrier, in the same eight bytes.
///
/// Source  PTX ISA, "Contents of the mbarrier object" and "Phase of the mbarrier object"
struct PhaseWord {
  static constexpr std::uint64_t open_mark = 0x6d;
  static constexpr std::uint64_t unawaited_mark = 0x6e;
  static constexpr int address_alignment = 8;  ///< of an mbarrier
  static constexpr unsigned bytes_mask = (1U << 21) - 1;
  static constexpr int most_arrivals = (1 << 14) - 1;

  std::uint64_t mark : 8;   ///< one of the two while the barrier is open; `unawaited_mark` from a phase's end to a wait
  std::uint64_t phase : 7;  ///< phases completed, modulo 2^7
  std::uint64_t expected : 14;  ///< arrivals that complete a phase
  std::uint64_t pending : 14;   ///< arrivals that this phase needs still, those of asynchronous copies included
  std::uint64_t bytes : 21;     ///< still to come, modulo 2^21

  [[nodiscard]] bool is_open() const noexcept { return mark == open_mark || is_unawaited(); }
  /// Whether no thread has waited for the latest complete phase.
  [[nodiscard]] bool is_unawaited() const noexcept { return mark == unawaited_mark; }
  [[nodiscard]] bool is_armed() const noexcept { return pending != expected || bytes != 0; }
  [[nodiscard]] bool has_completed(unsigned parity) const noexcept { return (phase & 1U) != parity; }

  void open(int arrivals) noexcept {
    mark = open_mark;
    phase = 0;
    expected = pending = static_cast<unsigned>(arrivals) & most_arrivals;
    bytes = 0;
  }
  /// Bytes to come; below 0 where copies completed before they were expected.
  [[nodiscard]] int bytes_to_come() const noexcept {
    const int count = static_cast<int>(bytes);
    return count > static_cast<int>(bytes_mask / 2) ? count - static_cast<int>(bytes_mask) - 1 : count;
  }
  /// A wait for the latest complete phase returns.
  void pass() noexcept {
    if (is_open()) {
      mark = open_mark;
    }
  }
  /// @param drops  those of later phases are one fewer
  void arrive(bool drops = false) noexcept {
    if (drops) {
      --expected;
    }
    --pending;
    complete_if_done();
  }
  /// @param more  bytes to come; below 0: that have come
  void expect(int more) noexcept {
    bytes = (bytes + static_cast<unsigned>(more)) & bytes_mask;
    complete_if_done();
  }

 private:
  void complete_if_done() noexcept {
    if (pending == 0 && bytes == 0) {
      pending = expected;
      ++phase;
      mark = unawaited_mark;
    }
  }
};
static_assert(sizeof(PhaseWord) == 8,
              "dma::host: a PhaseWord must fit where the GPU keeps an mbarrier; let its members take 8 bytes");

}  // namespace dma::inline v0_1::host::detail
