#pragma once

#include <cstdio>
#include <string>

namespace dma::inline v0_1::tuning {

/// What a launch has to move: each byte of global memory that the kernel needs, and each that it leaves, once. Declared
/// by the kernel's author; the hardware may move more.
struct DeclaredBytes {
  double read = 0;
  double written = 0;

  [[nodiscard]] constexpr double total() const noexcept { return read + written; }
};

/// What a kernel's bandwidth is compared with, in bytes a second; 0 where it is not known.
struct BandwidthCeilings {
  double theoretical = 0;  ///< of the memory's clock and the width of its bus
  double copy = 0;         ///< of `cudaMemcpy` from device to device, read and written
};

/// The effective bandwidth of one kernel: (bytes read + bytes written) / time.
struct BandwidthReport {
  std::string kernel;
  DeclaredBytes bytes;
  double seconds = 0;  ///< of a launch
  BandwidthCeilings ceilings;

  [[nodiscard]] double bytes_per_second() const { return bytes.total() / seconds; }
  [[nodiscard]] double share_of_theoretical() const { return bytes_per_second() / ceilings.theoretical; }
  [[nodiscard]] double share_of_copy() const { return bytes_per_second() / ceilings.copy; }

  /// One line, without its end. Shares of ceilings that are not known are left out.
  [[nodiscard]] std::string to_text() const {
    char part[160];
    std::snprintf(part, sizeof part, "%-24s %9.2f MB read %9.2f MB written %10.2f us %7.1f GB/s", kernel.c_str(),
                  bytes.read * 1e-6, bytes.written * 1e-6, seconds * 1e6, bytes_per_second() * 1e-9);
    std::string text = part;
    const auto add_share = [&](double ceiling, const char* of) {
      if (ceiling > 0) {
        std::snprintf(part, sizeof part, " %6.1f%% of %s", 100 * bytes_per_second() / ceiling, of);
        text += part;
      }
    };
    add_share(ceilings.theoretical, "the theoretical bandwidth");
    add_share(ceilings.copy, "cudaMemcpy");
    return text;
  }
};

}  // namespace dma::inline v0_1::tuning
