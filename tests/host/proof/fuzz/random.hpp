#pragma once

#include <cstdint>

namespace fuzz {

/// The same numbers for the same seed on any machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_((seed + 1) * 0x9e3779b97f4a7c15ULL) {
    for (int i = 0; i < 3; ++i) {
      static_cast<void>(below(2));
    }
  }
  /// 0 to `bound` - 1.
  [[nodiscard]] int below(int bound) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<int>((state_ >> 11U) % static_cast<std::uint64_t>(bound));
  }
  [[nodiscard]] bool one_in(int n) { return below(n) == 0; }
  template <class T, class... Ts>
  [[nodiscard]] T one_of(T first, Ts... others) {
    const T values[] = {first, others...};
    return values[below(1 + static_cast<int>(sizeof...(Ts)))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace fuzz
