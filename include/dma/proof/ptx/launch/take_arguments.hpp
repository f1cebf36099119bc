#pragma once

#include <dma/proof/ptx/launch/arrays.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/map_argument.hpp>
#include <dma/proof/ptx/launch/numbers.hpp>
#include <dma/proof/ptx/launch_state.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/ptx/tensor_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// Puts the arguments of launches into the parameters of their entries, and makes the arrays and maps that they name.
class ArgumentTaker {
 public:
  /// @param arrays  exist as long as this object
  explicit ArgumentTaker(Arrays& arrays) : arrays_(arrays) {}

  /// Into the parameters of a launch.
  ///
  /// @throw std::invalid_argument  an argument does not fit its parameter, or there are more or fewer
  void take(const LaunchLine& line, const Program& program, LaunchState& state) {
    const auto& parameters = program.entry_code().function->parameters;
    if (line.arguments.size() != parameters.size()) {
      throw std::invalid_argument(line.entry + " takes " + std::to_string(parameters.size()) + " arguments, and " +
                                  std::to_string(line.arguments.size()) +
                                  " are given; give one for each parameter that --list has");
    }
    state.parameters.resize(static_cast<std::size_t>(program.parameter_bytes));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      unsigned char* const place = state.parameters.data() + program.parameter_places[i];
      take(line.arguments[i], parameters[i], place, static_cast<int>(i));
    }
  }
  /// Tensor maps that are passed by an address.
  [[nodiscard]] std::deque<Array>& maps() noexcept { return maps_; }

 private:
  void take(const LaunchArgument& argument, const Variable& parameter, unsigned char* place, int number) {
    using Kind = LaunchArgument::Kind;
    const std::string which = "argument " + std::to_string(number);
    if (argument.kind == Kind::bytes) {
      const auto bytes = std::min<std::uint64_t>(parameter.bytes, argument.contents.size());
      std::memcpy(place, argument.contents.data(), static_cast<std::size_t>(bytes));
      return;
    }
    if (argument.kind == Kind::map) {
      return take_map(argument, parameter, place, which);
    }
    if (argument.kind == Kind::structure) {
      return take_structure(argument, parameter, place, number);
    }
    if (argument.kind == Kind::number) {
      if (parameter.is_array) {
        throw std::invalid_argument(which + " is a structure of " + std::to_string(parameter.bytes) +
                                    " bytes; give its members, as {s32 1, f32 2.0}");
      }
      const std::string wrong = misfit(argument.number_text, argument.number, parameter.type, argument.type_name);
      if (!wrong.empty()) {
        throw std::invalid_argument(which + ": " + wrong);
      }
      const std::uint64_t bits = bits_of(argument.number, parameter.type, argument.type_name);
      std::memcpy(place, &bits, static_cast<std::size_t>(std::min<std::uint64_t>(parameter.bytes, sizeof bits)));
      return;
    }
    if (parameter.bytes != 8) {
      throw std::invalid_argument(which + " is an array, and its parameter has " + std::to_string(parameter.bytes) +
                                  " bytes, which no address has; give it a number");
    }
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(arrays_.take(argument).bytes.data());
    std::memcpy(place, &address, sizeof address);
  }
  /// Members follow one another, each at its alignment, or are where they say. Other bytes are zeros.
  void take_structure(const LaunchArgument& argument, const Variable& parameter, unsigned char* place, int number) {
    std::size_t offset = 0;
    for (const LaunchArgument& member : argument.members) {
      const bool is_number = member.kind == LaunchArgument::Kind::number;
      const bool is_map = member.kind == LaunchArgument::Kind::map;
      const std::size_t bytes = is_map                                ? TensorMap::bytes
                                : is_number && member.type.bytes != 0 ? static_cast<std::size_t>(member.type.bytes)
                                                                      : sizeof(std::uint64_t);
      const std::size_t alignment = is_map ? TensorMap::alignment : bytes;
      if (member.at && *member.at < offset) {
        throw std::invalid_argument("argument " + std::to_string(number) + " has a member at " +
                                    std::to_string(*member.at) + ", and the one before ends at " +
                                    std::to_string(offset) + "; give the members of its C++ type, in their order");
      }
      offset = member.at ? static_cast<std::size_t>(*member.at) : (offset + alignment - 1) / alignment * alignment;
      if (member.kind == LaunchArgument::Kind::structure || offset + bytes > parameter.bytes) {
        throw std::invalid_argument("argument " + std::to_string(number) +
                                    (member.kind == LaunchArgument::Kind::structure
                                         ? " has a structure in a structure; give its members one after another"
                                         : " has more bytes than its parameter, which has " +
                                               std::to_string(parameter.bytes) +
                                               "; give the members of its C++ type, in their order"));
      }
      take(member, {.type = member.type, .bytes = bytes}, place + offset, number);
      offset += bytes;
    }
  }
  /// By value, or by its address.
  void take_map(const LaunchArgument& argument, const Variable& parameter, unsigned char* place,
                const std::string& which) {
    Array& array = arrays_.take(argument.mapped.at(0));
    const TensorMap map = map_of(argument, array);
    if (const char* const refusal = map.refusal(); refusal != nullptr) {
      throw std::invalid_argument(which + ": " + refusal + "; give it what cuTensorMapEncodeTiled takes");
    }
    if (parameter.bytes == TensorMap::bytes) {
      std::memcpy(place, &map, sizeof map);
      return;
    }
    if (parameter.bytes != 8) {
      throw std::invalid_argument(which + " is a tensor map, and its parameter has " + std::to_string(parameter.bytes) +
                                  " bytes; give a map for an address, or for a structure of 128 bytes");
    }
    maps_.push_back({"a map of " + array.name, false, {Type::Kind::bits, 8}, AlignedBytes(TensorMap::bytes, 128)});
    std::memcpy(maps_.back().bytes.data(), &map, sizeof map);
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(maps_.back().bytes.data());
    std::memcpy(place, &address, sizeof address);
  }

  Arrays& arrays_;
  std::deque<Array> maps_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
