#pragma once

#include <dma/proof/ptx/launch/shared_names.hpp>
#include <dma/proof/ptx/module.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// The entries of a module, as the source names them.
[[nodiscard]] inline std::string entries_of(const Module& module) {
  std::string all;
  for (const Function& function : module.functions) {
    if (function.is_entry && function.has_body) {
      all += (all.empty() ? "" : ", ") + source_name(function.name);
    }
  }
  return all;
}
/// The entry of a name, as the source has it or as the compiler writes it.
///
/// @throw std::invalid_argument  there is none, or there are several
[[nodiscard]] inline std::string entry_named(const Module& module, const std::string& name) {
  std::vector<std::string> found;
  for (const Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) {
      continue;
    }
    std::string plain = source_name(function.name);
    plain = plain.substr(0, plain.find('('));
    const std::string base = plain.substr(0, plain.find('<'));
    if (function.name == name) {
      return name;
    }
    if (plain == name || base == name || base.ends_with(" " + name) || base.ends_with("::" + name)) {
      found.push_back(function.name);
    }
  }
  if (found.size() != 1) {
    throw std::invalid_argument((found.empty() ? "no entry is named " : "several entries are named ") + name +
                                "; name one of the module: " + entries_of(module));
  }
  return found[0];
}

}  // namespace dma::inline v0_1::proof::ptx::detail
