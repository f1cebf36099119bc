#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// The values of an array in NumPy's format.
///
/// @throw std::invalid_argument  the file cannot be read, is no such file, or has its columns first
[[nodiscard]] inline std::vector<unsigned char> read_npy(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  const std::vector<unsigned char> all{std::istreambuf_iterator<char>(input), {}};
  const std::string magic = "\x93NUMPY";
  const bool has_magic = all.size() > 12 && std::string(all.begin(), all.begin() + 6) == magic;
  if (!input.is_open() || !has_magic) {
    throw std::invalid_argument(file + (input.is_open() ? " is no .npy file" : " cannot be read"));
  }
  const std::size_t header = all[6] == 1 ? 10U + all[8] + 256U * all[9]
                                         : 12U + all[8] + 256U * all[9] + 65536U * all[10] + 16777216U * all[11];
  const std::string text(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(header, all.size())));
  if (header > all.size() || text.find("'fortran_order': True") != std::string::npos) {
    throw std::invalid_argument(file + (header > all.size() ? " ends in its header" : " has its columns first"));
  }
  return {all.begin() + static_cast<std::ptrdiff_t>(header), all.end()};
}

}  // namespace dma::inline v0_1::proof::ptx::detail
