#pragma once

#include <dma/proof/ptx/module.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// The values of an array in NumPy's format.
///
/// @throw std::invalid_argument  the file cannot be read, is no such file, or has its columns first
[[nodiscard]] inline std::vector<unsigned char> read_npy(const std::string& file) {
  std::vector<unsigned char> all;
  std::FILE* const input = std::fopen(file.c_str(), "rb");
  for (std::size_t read = input != nullptr ? 1 : 0; read != 0;) {
    unsigned char part[4096];
    read = std::fread(part, 1, sizeof part, input);
    all.insert(all.end(), part, part + read);
  }
  if (input != nullptr) {
    std::fclose(input);
  }
  const std::string magic = "\x93NUMPY";
  const bool has_magic = all.size() > 12 && std::string(all.begin(), all.begin() + 6) == magic;
  if (input == nullptr || !has_magic) {
    throw std::invalid_argument(file + (input != nullptr ? " is no .npy file; write it by numpy.save"
                                                         : " cannot be read; name a file that is there"));
  }
  const std::size_t header = all[6] == 1 ? 10U + all[8] + 256U * all[9]
                                         : 12U + all[8] + 256U * all[9] + 65536U * all[10] + 16777216U * all[11];
  const std::string text(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(header, all.size())));
  if (header > all.size() || text.find("'fortran_order': True") != std::string::npos) {
    throw std::invalid_argument(file + (header > all.size() ? " ends in its header; write it again"
                                                            : " has its columns first; write its rows first, as "
                                                              "numpy.ascontiguousarray has them"));
  }
  return {all.begin() + static_cast<std::ptrdiff_t>(header), all.end()};
}

/// Writes values as an array of one axis in NumPy's format; of a type that NumPy has not, their bits.
///
/// @param is_f16  they are of `f16`, which NumPy has; of other two-byte floats it has none
/// @throw std::invalid_argument  the file cannot be written
inline void write_npy(const std::string& file, const Type& type, bool is_f16, std::span<const unsigned char> values) {
  using Kind = Type::Kind;
  const char kind = type.bytes > 8                      ? 'V'
                    : type.is_float() || is_f16         ? 'f'
                    : type.kind == Kind::signed_integer ? 'i'
                                                        : 'u';
  const auto bytes = static_cast<std::size_t>(type.bytes);
  std::string header = std::string("{'descr': '<") + kind + std::to_string(bytes) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(values.size() / bytes) + ",), }";
  constexpr std::size_t line = 64;  // the values begin at a multiple of it
  header.append(2 * line - 11 - header.size(), ' ');
  std::ofstream output(file, std::ios::binary);
  output << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size() + 1) << '\0' << header << '\n';
  output.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size()));
  output.flush();
  if (!output) {
    throw std::invalid_argument(file + " cannot be written; name a file of a folder that can be written to");
  }
}

}  // namespace dma::inline v0_1::proof::ptx::detail
