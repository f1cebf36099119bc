#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Whether a value is not known and, where it is not, why: a number of `UnknownCauses`.
class Unknown {
 public:
  constexpr Unknown() noexcept = default;
  constexpr explicit Unknown(std::uint16_t cause) noexcept : cause_(cause) {}

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return cause_ != 0; }
  [[nodiscard]] constexpr std::uint16_t cause() const noexcept { return cause_; }
  /// Of what is made of both: the first cause.
  [[nodiscard]] friend Unknown operator|(Unknown one, Unknown other) noexcept { return one ? one : other; }
  [[nodiscard]] friend constexpr bool operator==(Unknown one, Unknown other) noexcept = default;

 private:
  std::uint16_t cause_ = 0;
};

/// Of a register that was not written.
inline constexpr Unknown unwritten_register{1};
/// Of a register that has an element of a matrix.
inline constexpr Unknown element_of_matrix{2};
/// Of shared memory that was not written.
inline constexpr Unknown unwritten_shared{3};
/// Of a special register that has no value here.
inline constexpr Unknown unset_special{4};
/// Of what depends on the place of an element of a matrix.
inline constexpr Unknown made_of_element{5};

/// Why values are not known, in words.
class UnknownCauses {
 public:
  /// What an instruction does not compute.
  ///
  /// @param instruction  exists as long as this object
  /// @param text         gives its words
  template <class Text>
  [[nodiscard]] Unknown of(const void* instruction, const Text& text) {
    const auto [known, is_new] = numbers_.try_emplace(instruction);
    if (is_new) {
      constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
      if (texts_.size() < most) {
        texts_.push_back(text());
      }
      known->second = Unknown(static_cast<std::uint16_t>(texts_.size()));
    }
    return known->second;
  }
  [[nodiscard]] const std::string& text(Unknown why) const { return texts_.at(why.cause() - std::size_t{1}); }

 private:
  std::map<const void*, Unknown> numbers_;
  std::vector<std::string> texts_{"a register that was not written", "an element of wmma, whose place PTX leaves open",
                                  "shared memory that was not written", "a special register that has no value here",
                                  "an element of wmma, whose place PTX leaves open"};
};

}  // namespace dma::inline v0_1::proof::ptx::detail
