#pragma once

#include <dma/proof/ptx/unknown_bytes.hpp>
#include <dma/proof/ptx/values/unknown.hpp>

#include <cstddef>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// The first element of an array that was not computed, how many bytes were not, and by which instruction at which
/// line the first; empty where there is none.
[[nodiscard]] inline std::string not_computed_in(const void* array, std::size_t bytes, std::size_t element_bytes,
                                                 const std::string& name, const UnknownBytes& unknown,
                                                 const UnknownCauses& causes) {
  const std::size_t count = unknown.count(array, bytes);
  if (count == 0) {
    return "";
  }
  const auto* const first = static_cast<const unsigned char*>(array);
  std::size_t at = 0;
  while (!unknown.any(first + at, 1)) {
    ++at;
  }
  return "element " + std::to_string(at / element_bytes) + " of " + name + " was not computed, by " +
         causes.text(unknown.any(first + at, 1)) + ": " + std::to_string(count) + " of " + std::to_string(bytes) +
         " bytes are not known";
}

}  // namespace dma::inline v0_1::proof::ptx::detail
