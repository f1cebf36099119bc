#pragma once

#include <dma/proof/ptx/launch/shared_names.hpp>
#include <dma/proof/ptx/module.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What is before the parameters of a name of C++, without the blanks between arguments of a template.
[[nodiscard]] inline std::string before_parameters(const std::string& plain) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain.compare(i, anonymous.size(), anonymous) == 0) {
      name += anonymous;
      i += anonymous.size() - 1;
      continue;
    }
    if (plain[i] == '(' && depth == 0) {
      break;
    }
    depth += plain[i] == '<' ? 1 : plain[i] == '>' ? -1 : 0;
    if (plain[i] != ' ' || depth == 0) {
      name += plain[i];
    }
  }
  return name;
}
/// The body of an entry that `dma::launch` has made of one: the first of the template's arguments. Else none.
[[nodiscard]] inline std::string body_of(const std::string& name) {
  constexpr std::string_view entry_of_body = "::detail::run_kernel_body";
  const std::size_t found = name.find(entry_of_body);
  if (found == std::string::npos) {
    return {};
  }
  const std::size_t first = name.find('<', found) + 1;
  std::size_t end = first;
  for (int depth = 0; end < name.size() && (depth > 0 || (name[end] != ',' && name[end] != '>')); ++end) {
    depth += name[end] == '<' ? 1 : name[end] == '>' ? -1 : 0;
  }
  return name.substr(first, end - first);
}
/// An entry's name for a launch: that of its body, or else what the source has before its parameters.
[[nodiscard]] inline std::string short_name(const std::string& compiled) {
  const std::string name = before_parameters(source_name(compiled));
  const std::string body = body_of(name);
  return !body.empty() ? body : name.starts_with("void ") ? name.substr(5) : name;
}
/// The entries of a module, as a launch names them; as the compiler does where it names several so.
[[nodiscard]] inline std::string entries_of(const Module& module) {
  std::vector<std::string> compiled;
  std::vector<std::string> names;
  for (const Function& function : module.functions) {
    if (function.is_entry && function.has_body) {
      compiled.push_back(function.name);
      names.push_back(short_name(function.name));
    }
  }
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_one = std::count(names.begin(), names.end(), names[i]) == 1;
    all += (all.empty() ? "" : ", ") + (is_one ? names[i] : compiled[i]);
  }
  return all;
}
/// The entry of a name, as the source has it, with or without arguments of a template, or as the compiler writes it.
/// The entry of a kernel body has the body's name too.
///
/// @throw std::invalid_argument  there is none, or there are several
[[nodiscard]] inline std::string entry_named(const Module& module, const std::string& name) {
  const std::string wanted = before_parameters(name);
  std::vector<std::string> found;
  for (const Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) {
      continue;
    }
    if (function.name == name) {
      return name;
    }
    const std::string whole = before_parameters(source_name(function.name));
    const std::string body = body_of(whole);
    for (const std::string& plain : {whole, whole.substr(0, whole.find('<')), body, body.substr(0, body.find('<'))}) {
      if (plain == wanted || plain.ends_with(" " + wanted) || plain.ends_with("::" + wanted)) {
        found.push_back(function.name);
        break;
      }
    }
  }
  if (found.size() != 1) {
    throw std::invalid_argument((found.empty() ? "no entry is named " : "several entries are named ") + name +
                                "; name one of the module: " + entries_of(module));
  }
  return found[0];
}

}  // namespace dma::inline v0_1::proof::ptx::detail
