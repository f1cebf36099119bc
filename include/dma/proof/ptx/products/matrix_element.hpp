#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// What a register of a lane has of a matrix whose elements are at places that PTX leaves open, as those of `wmma`.
///
/// Such a value decides nothing. A function of elements of one place, of the same function everywhere, is a matrix
/// again.
struct MatrixElement {
  std::uint64_t matrix = 0;  ///< its shape, type and layout
  std::size_t place = 0;     ///< among the lane's registers
  std::uint64_t made = 0;    ///< a hash of what was computed since it was loaded
  bool is_packed = false;    ///< the register has several elements
};

/// A hash, and a value more.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 29;
}
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t hash, std::string_view text) noexcept {
  for (const char letter : text) {
    hash = mixed(hash, static_cast<unsigned char>(letter));
  }
  return hash;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
