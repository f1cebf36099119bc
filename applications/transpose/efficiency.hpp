#pragma once

namespace transpose {

/// Bytes that a kernel's warps ask for, as a share of the 32-byte sectors that they touch.
struct Efficiency {
  double load;
  double store;
};

/// The efficiency of step `number` in 32 x 32 threads, for elements of 4 or 8 bytes. Computed by the emulator from the
/// elements that the kernel body accesses.
[[nodiscard]] Efficiency efficiency_of_step(int number, int element_bytes);

/// The same of the padded tile by hand.
[[nodiscard]] Efficiency efficiency_by_hand(int element_bytes);

}  // namespace transpose
