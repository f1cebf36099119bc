#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dma::inline v0_1::machine {

/// The text between "Type = " and the closing bracket of `type_name`'s sentence (dma/machine/site.hpp), as a program
/// writes it: without the inline namespace of the version.
[[nodiscard]] inline std::string readable(std::string_view sentence) {
  constexpr std::string_view before = "Type = ";
  const std::size_t start = sentence.find(before);
  std::string name(start == std::string_view::npos
                       ? sentence
                       : sentence.substr(start + before.size(), sentence.rfind(']') - start - before.size()));
  constexpr std::string_view version = "v0_1::";
  for (std::size_t at = name.find(version); at != std::string::npos; at = name.find(version, at)) {
    name.erase(at, version.size());
  }
  return name;
}

}  // namespace dma::inline v0_1::machine
