#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace dma::inline v0_1::proof::detail {

/// What was in memory before a run wrote there, so that the next run finds it again.
class BytesBefore {
 public:
  BytesBefore() = default;
  BytesBefore(const BytesBefore&) = delete;
  BytesBefore& operator=(const BytesBefore&) = delete;
  ~BytesBefore() { restore(); }

  /// Reads what is to be kept. A thread whose access is outside of the process's memory is left here, before a lock.
  static void probe(const void* place, std::size_t bytes) {
    const auto* const first = static_cast<const volatile unsigned char*>(place);
    static_cast<void>(first[0]);
    static_cast<void>(first[bytes - 1]);
  }
  /// Before a write.
  void keep(const void* place, std::size_t bytes) {
    auto address = reinterpret_cast<std::uintptr_t>(place);
    for (const std::uintptr_t last = address + bytes; address < last; ++address) {
      Line& line = lines_[address / line_bytes];
      const std::uint64_t bit = std::uint64_t{1} << address % line_bytes;
      if ((line.kept & bit) == 0) {
        line.kept |= bit;
        line.bytes[address % line_bytes] = *reinterpret_cast<const unsigned char*>(address);
      }
    }
  }
  void restore() {
    for (const auto& [number, line] : lines_) {
      for (std::size_t byte = 0; byte < line_bytes; ++byte) {
        if ((line.kept >> byte & 1) != 0) {
          *reinterpret_cast<unsigned char*>(number * line_bytes + byte) = line.bytes[byte];
        }
      }
    }
    lines_.clear();
  }
  void forget() { lines_.clear(); }
  [[nodiscard]] bool is_empty() const { return lines_.empty(); }

 private:
  static constexpr std::size_t line_bytes = 64;
  struct Line {
    std::uint64_t kept = 0;
    std::array<unsigned char, line_bytes> bytes;
  };

  std::unordered_map<std::uintptr_t, Line> lines_;
};

}  // namespace dma::inline v0_1::proof::detail
