#pragma once

#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/npy.hpp>
#include <dma/proof/ptx/launch/numbers.hpp>
#include <dma/proof/ptx/program.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// An array of a launch, in memory.
struct Array {
  std::string name;
  bool is_output = false;
  Type type;
  AlignedBytes bytes;
  bool is_f16 = false;
};

/// Makes the arrays of launches, and finds them by name.
class Arrays {
 public:
  /// @throw std::invalid_argument  the array is not known, or is there already
  [[nodiscard]] Array& take(const LaunchArgument& argument) {
    for (Array& array : arrays_) {
      if (!argument.name.empty() && array.name == argument.name) {
        if (argument.kind == LaunchArgument::Kind::array) {
          throw std::invalid_argument(
              "the array " + argument.name +
              " is there twice; give one of both another name, or the name alone for the same array");
        }
        array.is_output = array.is_output || argument.is_output;
        return array;
      }
    }
    if (argument.kind != LaunchArgument::Kind::array) {
      throw std::invalid_argument("no array is named " + argument.name + "; give its type and size, as in " +
                                  argument.name + ": f32[1024]");
    }
    const std::size_t bytes = static_cast<std::size_t>(argument.count) * static_cast<std::size_t>(argument.type.bytes);
    arrays_.push_back({argument.name.empty() ? "array " + std::to_string(arrays_.size()) : argument.name,
                       argument.is_output, argument.type, AlignedBytes(bytes, 256), argument.type_name == "f16"});
    Array& taken = arrays_.back();
    fill(taken, argument);
    return taken;
  }
  [[nodiscard]] std::deque<Array>& all() noexcept { return arrays_; }

 private:
  void fill_by_addresses(Array& array, const LaunchArgument& argument) {
    std::vector<std::uint64_t> addresses;
    for (const LaunchArgument& member : argument.members) {
      const bool is_array =
          member.kind == LaunchArgument::Kind::array || member.kind == LaunchArgument::Kind::known_array;
      if (!is_array || argument.type.bytes != 8 || addresses.size() == argument.count) {
        throw std::invalid_argument("the array " + argument.name +
                                    " has other members than an array for each element of 8 bytes; give it as many "
                                    "arrays, as p: u64[2] = {x, y}");
      }
      addresses.push_back(reinterpret_cast<std::uintptr_t>(take(member).bytes.data()));
    }
    std::memcpy(array.bytes.data(), addresses.data(), addresses.size() * sizeof(std::uint64_t));
  }
  /// Random numbers are from -1 to 1, of integers from 0 to 99; the same in each run.
  void fill(Array& array, const LaunchArgument& argument) {
    if (argument.is_file) {
      const std::vector<unsigned char> values = read_npy(argument.contents);
      if (values.size() != array.bytes.size()) {
        throw std::invalid_argument(argument.contents + " has " + std::to_string(values.size()) + " bytes, and " +
                                    array.name + " " + std::to_string(array.bytes.size()) +
                                    "; give the array as many elements as the file has");
      }
      std::memcpy(array.bytes.data(), values.data(), values.size());
      return;
    }
    if (!argument.members.empty()) {
      return fill_by_addresses(array, argument);
    }
    if (argument.contents == "zeros") {
      return;
    }
    if (argument.contents.empty()) {
      const std::string wrong = misfit(argument.number_text, argument.number, argument.type, argument.type_name);
      if (!wrong.empty()) {
        throw std::invalid_argument("the array " + array.name + ": " + wrong);
      }
    }
    const auto bytes = static_cast<std::size_t>(argument.type.bytes);
    const bool has_reals = argument.type.is_float() || argument.type.kind == Type::Kind::other;
    for (std::size_t i = 0; i < argument.count; ++i) {
      Number number = argument.number;
      if (argument.contents == "random") {
        const double unit = static_cast<double>(random_() % 4096) / 2048 - 1;
        number =
            has_reals ? Number{std::bit_cast<std::uint64_t>(unit), false, true} : Number{random_() % 100, false, false};
      } else if (argument.contents == "iota") {
        number = {i, false, false};
      }
      const std::uint64_t bits = bits_of(number, argument.type, argument.type_name);
      std::memcpy(array.bytes.data() + i * bytes, &bits, std::min<std::size_t>(bytes, sizeof bits));
    }
  }
  std::deque<Array> arrays_;
  std::mt19937 random_{1};
};

}  // namespace dma::inline v0_1::proof::ptx::detail
