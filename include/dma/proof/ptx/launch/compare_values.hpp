#pragma once

#include <dma/proof/ptx/launch/arrays.hpp>
#include <dma/proof/ptx/launch/npy.hpp>
#include <dma/proof/ptx/unknown_bytes.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// The first element of an array that a file has otherwise, in words; empty where there is none. Floating-point numbers
/// may differ by one part in a hundred thousand, and what was not computed differs from nothing.
///
/// @throw std::invalid_argument  there is no such array, or the file does not fit
[[nodiscard]] inline std::string compare_values(Arrays& arrays, const UnknownBytes& unknown, const std::string& name,
                                                const std::string& file) {
  const Array& array = arrays.take({.kind = LaunchArgument::Kind::known_array, .name = name});
  const std::vector<unsigned char> expected = read_npy(file);
  if (expected.size() != array.bytes.size()) {
    throw std::invalid_argument(file + " has " + std::to_string(expected.size()) + " bytes, and " + name + " " +
                                std::to_string(array.bytes.size()) + "; compare it with a file of as many elements");
  }
  const auto bytes = static_cast<std::size_t>(array.type.bytes);
  const auto number = [&](const unsigned char* place) {
    float single = 0;
    double real = 0;
    if (bytes == 4) {
      std::memcpy(&single, place, sizeof single);
      return static_cast<double>(single);
    }
    std::memcpy(&real, place, sizeof real);
    return real;
  };
  for (std::size_t i = 0; i + bytes <= expected.size(); i += bytes) {
    const unsigned char* const is = array.bytes.data() + i;
    const unsigned char* const should = expected.data() + i;
    if (std::memcmp(is, should, bytes) == 0 || unknown.any(is, bytes)) {
      continue;
    }
    const std::string where = "element " + std::to_string(i / bytes) + " of " + name;
    if (!array.type.is_float()) {
      return where + " is not that of " + file;
    }
    const double a = number(is);
    const double b = number(should);
    constexpr double tolerance = 1e-5;
    if (!(std::fabs(a - b) <= tolerance * std::fmax(std::fabs(b), 1))) {
      return where + " is " + std::to_string(a) + ", and " + std::to_string(b) + " in " + file;
    }
  }
  return "";
}

}  // namespace dma::inline v0_1::proof::ptx::detail
