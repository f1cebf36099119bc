#pragma once

#include <dma/machine/readable.hpp>
#include <dma/machine/site.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// "kernel.cpp:45", or nothing for a call whose line is not known.
[[nodiscard]] inline std::string source_line(const machine::SourceLocation& caller) {
  const std::string_view file = caller.file();
  return caller.line() == 0 ? "" : std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(caller.line());
}

/// The pipelines of a CTA by letter, in the order of their construction. Messages name a pipeline by its letter, since
/// several may be of one type.
class PipelineLetters {
 public:
  /// A pipeline is constructed. One that is constructed again, of the same type in the same storage, keeps its letter.
  ///
  /// @param shared  the CTA's shared memory
  void add(const machine::Site& pipeline, const void* shared) {
    pipelines_[number_of(pipeline)].shared_offset =
        static_cast<const char*>(pipeline.storage) - static_cast<const char*>(shared);
  }

  /// "pipeline A", which the legend then explains.
  [[nodiscard]] std::string name_of(const machine::Site& site) {
    const std::size_t number = number_of(site);
    named_.insert(number);
    return "pipeline " + letter(number);
  }
  /// "slot 1 of pipeline A", as far as the site has them.
  [[nodiscard]] std::string place_of(const machine::Site& site) {
    const bool has_pipeline = *site.pipeline != '\0';
    std::string text = site.stage >= 0 ? "slot " + std::to_string(site.stage) : "";
    if (has_pipeline) {
      text += (text.empty() ? "" : " of ") + name_of(site);
    }
    return text;
  }
  /// A line for each pipeline that was named: its letter, type and storage.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const std::size_t number : named_) {
      const Pipeline& pipeline = pipelines_[number];
      std::string line = "pipeline " + letter(number) + ": " + machine::readable(pipeline.type);
      if (pipeline.shared_offset >= 0) {
        line += ", at byte " + std::to_string(pipeline.shared_offset) + " of shared memory";
      }
      all.push_back(std::move(line));
    }
    return all;
  }
  /// These lines behind a message.
  [[nodiscard]] std::string legend() const {
    std::string text;
    for (const std::string& line : lines()) {
      text += "\n  " + line;
    }
    return text;
  }

 private:
  struct Pipeline {
    std::string_view type;
    const void* storage;
    std::ptrdiff_t shared_offset = -1;
  };

  [[nodiscard]] static std::string letter(std::size_t number) {
    constexpr std::size_t letters = 26;
    return static_cast<char>('A' + number % letters) + (number < letters ? "" : std::to_string(number / letters));
  }
  [[nodiscard]] std::size_t number_of(const machine::Site& site) {
    std::size_t number = 0;
    while (number < pipelines_.size() &&
           (pipelines_[number].storage != site.storage || pipelines_[number].type != site.pipeline)) {
      ++number;
    }
    if (number == pipelines_.size()) {
      pipelines_.push_back({site.pipeline, site.storage});
    }
    return number;
  }

  std::vector<Pipeline> pipelines_;
  std::set<std::size_t> named_;
};

}  // namespace dma::inline v0_1::host::detail
