#pragma once

#include <dma/proof/ptx/program.hpp>

#include <cxxabi.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// The name at the end of a mangled one of what is in a function, as `tile` of _ZZ7reversePfE4tile_0; empty where it
/// has none.
[[nodiscard]] inline std::string local_name(const std::string& name) {
  for (std::size_t at = name.rfind('E'); at != std::string::npos && at > 0; at = name.rfind('E', at - 1)) {
    std::size_t length = 0;
    const auto [behind, error] = std::from_chars(name.data() + at + 1, name.data() + name.size(), length);
    const auto begin = static_cast<std::size_t>(behind - name.data());
    if (error == std::errc{} && length <= name.size() - begin &&
        (length == name.size() - begin || name[begin + length] == '_')) {
      return name.substr(begin, length);
    }
  }
  return "";
}
/// The names in a mangled one, each behind its length, as of _ZN7cutlass13device_kernelI...: without the arguments of
/// templates and functions. What it was given where there are none.
[[nodiscard]] inline std::string scoped_name(const std::string& name) {
  if (name.starts_with("_ZZ")) {
    return local_name(name);
  }
  std::string plain;
  std::size_t at = name[2] == 'N' ? 3 : 2;
  while (at < name.size() && name[at] >= '0' && name[at] <= '9') {
    std::size_t length = 0;
    const auto [behind, error] = std::from_chars(name.data() + at, name.data() + name.size(), length);
    at = static_cast<std::size_t>(behind - name.data());
    if (error != std::errc{} || length > name.size() - at) {
      return name;
    }
    plain += (plain.empty() ? "" : "::") + name.substr(at, length);
    at += length;
  }
  return plain.empty() ? name : plain;
}
/// The name in the source of what the compiler names in its own way, without the arguments of templates where these
/// are written as no other compiler does.
[[nodiscard]] inline std::string source_name(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string plain = status == 0 ? text : "";
  std::free(text);
  return status == 0 ? plain : name.starts_with("_Z") ? scoped_name(name) : name;
}

/// The variables in a CTA's shared memory, for messages that name its bytes.
class SharedNames {
 public:
  explicit SharedNames(const Program& program) {
    for (const auto& [number, place] : program.shared_places) {
      const Variable& variable = program.module->variables[static_cast<std::size_t>(number)];
      add(variable, place);
    }
    const Code& entry = program.entry_code();
    for (std::size_t i = 0; i < entry.places.size() && i < entry.function->variables.size(); ++i) {
      if (entry.places[i].kind == Source::Kind::shared) {
        add(entry.function->variables[i], entry.places[i].bits);
      }
    }
  }

  /// The message with "bytes 4 to 7 of tile" in place of those of the CTA's shared memory.
  [[nodiscard]] std::string in(const std::string& message) const {
    static constexpr std::string_view of_all = " of the kernel's own shared memory";
    std::string result;
    std::size_t at = 0;
    for (std::size_t found = message.find(of_all); found != std::string::npos; found = message.find(of_all, at)) {
      const std::size_t begin = message.rfind("byte", found);
      const std::string named =
          begin == std::string::npos || begin < at ? "" : named_bytes(message.substr(begin, found - begin));
      result += named.empty() ? message.substr(at, found + of_all.size() - at) : message.substr(at, begin - at) + named;
      at = found + of_all.size();
    }
    return result + message.substr(at);
  }

 private:
  struct Named {
    std::string name;
    std::uint64_t first;
    std::uint64_t bytes;
  };

  void add(const Variable& variable, std::uint64_t place) {
    std::string name = source_name(variable.name);
    if (const std::size_t scope = name.rfind("::"); scope != std::string::npos) {
      name = name.substr(scope + 2);
    }
    if (!variable.is_extern && variable.bytes != 0) {
      names_.push_back({std::move(name), place, variable.bytes});
    }
  }
  /// @param bytes  "bytes 4 to 7", or "byte 4"
  [[nodiscard]] std::string named_bytes(const std::string& bytes) const {
    const std::size_t digit = bytes.find_first_of("0123456789");
    if (digit == std::string::npos) {
      return "";
    }
    const std::uint64_t first = std::strtoull(bytes.c_str() + digit, nullptr, 10);
    const std::size_t to = bytes.find(" to ");
    for (const Named& it : names_) {
      if (first >= it.first && first < it.first + it.bytes) {
        const std::uint64_t last = to == std::string::npos ? first : std::strtoull(bytes.c_str() + to + 4, nullptr, 10);
        return bytes.substr(0, digit) + std::to_string(first - it.first) +
               (to == std::string::npos ? "" : " to " + std::to_string(last - it.first)) + " of " + it.name;
      }
    }
    return "";
  }

  std::vector<Named> names_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
