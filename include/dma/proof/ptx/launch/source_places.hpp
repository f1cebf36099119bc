#pragma once

#include <dma/proof/ptx/module.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// A line of a file, as a URI.
struct SourcePlace {
  std::string uri;
  int line;

  [[nodiscard]] bool operator==(const SourcePlace&) const = default;
};

/// A path as a URI: relative to the working directory where it is in there.
[[nodiscard]] inline std::string uri_of(const std::string& path) {
  std::filesystem::path place = std::filesystem::path(path).lexically_normal();
  if (place.is_absolute()) {
    const std::filesystem::path near = place.lexically_proximate(std::filesystem::current_path());
    place = near.string().starts_with("..") ? place : near;
  }
  constexpr std::string_view plain = "/._-~";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string uri = place.is_absolute() ? "file://" : "";
  for (const char c : place.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          plain.find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : std::string{'%', digits[byte >> 4U], digits[byte & 15U]};
  }
  return uri;
}

/// Finds the lines of the source that a message names.
class SourcePlaces {
 public:
  /// @param file  with the PTX
  SourcePlaces(const Module& module, const std::string& file) {
    for (const auto& [number, path] : module.files) {
      files_.try_emplace(path.substr(path.rfind('/') + 1), uri_of(path));
    }
    files_.try_emplace(file.substr(file.rfind('/') + 1), uri_of(file));
  }

  /// Each with the calls that were inlined, the outermost first: of "kernel.cu:12 > load.cuh:3" two lines.
  [[nodiscard]] std::vector<std::vector<SourcePlace>> in(const std::string& message) const {
    std::vector<std::vector<SourcePlace>> chains;
    std::size_t behind = std::string::npos;  // the place before
    for (std::size_t colon = message.find(':'); colon != std::string::npos; colon = message.find(':', colon + 1)) {
      const std::size_t end = std::min(message.find_first_not_of("0123456789", colon + 1), message.size());
      const auto* const file = end == colon + 1 ? nullptr : file_before(std::string_view(message).substr(0, colon));
      if (file == nullptr) {
        continue;
      }
      const std::size_t begin = colon - file->first.size();
      const std::string_view between =
          behind == std::string::npos ? "" : std::string_view(message).substr(behind, begin - behind);
      if (between != " > " && between != " > ... > ") {
        chains.emplace_back();
      }
      chains.back().push_back({file->second, std::atoi(message.c_str() + colon + 1)});
      behind = end;
    }
    return chains;
  }

 private:
  /// The longest name of a file that a text ends with.
  [[nodiscard]] const std::pair<const std::string, std::string>* file_before(std::string_view text) const {
    const std::pair<const std::string, std::string>* found = nullptr;
    for (const auto& file : files_) {
      if (!file.first.empty() && text.ends_with(file.first) &&
          (found == nullptr || found->first.size() < file.first.size())) {
        found = &file;
      }
    }
    return found;
  }

  std::map<std::string, std::string> files_;  ///< URIs, by the names in messages
};

}  // namespace dma::inline v0_1::proof::ptx::detail
