// remove_checks <headers> <copy>: the library's headers without all that the checked build and traces are made of, as
// text: the branches under DMA_CHECKED, each precondition, each call of a hook, and the headers that hold nothing else.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view removed_headers[] = {"machine/checked/watch.hpp",
                                                "machine/checked/cta.hpp",
                                                "machine/checked/lanes.hpp",
                                                "machine/checked/message.hpp",
                                                "machine/checked/named_barrier.hpp",
                                                "machine/checked/slots.hpp",
                                                "machine/shared_message.hpp",
                                                "machine/checked/barrier_word.hpp",
                                                "machine/checked/pipeline_end.hpp",
                                                "machine/checked/pipeline_record.hpp",
                                                "machine/checked/waited_time.hpp",
                                                "pipeline/observer.hpp",
                                                "trace/trace.hpp",
                                                "trace/trace_text.hpp",
                                                "machine/gpu/checked_model.hpp",
                                                "machine/gpu/step_hooks.hpp",
                                                "machine/gpu/jitter.hpp",
                                                "machine/gpu/device_log.hpp"};

/// What a line begins with where a statement begins that only checks.
constexpr std::string_view checks[] = {
    "DMA_EXPECTS(",
    "Watch watch(",
    "watch.look(",
    "observer_.",
    "Observer::",
    "Pipeline::Observer::",
    "pipeline.observer_.",
    "using Observer =",
    "Observer observer_;",
    "expect_dma_warp()",
    "machine::name_kernel(",
    "machine::enters(",
    "machine::touched(",
    "begin_step(",
    "machine::begin_step(",
    "begin_named_step(",
    "begin_copy(",
    "begin_multicast(",
    "end_step(",
    "machine::end_step(",
    "log_only(",
    "using Base::observer_;",
    "using Side::observer_;",
    "using typename Base::Observer;",
    "using typename Side::Observer;",
};

/// What may not be left, but where the macros are defined.
constexpr std::string_view traces[] = {"DMA_CHECKED", "DMA_EXPECTS(", "Watch watch", "Observer",         "observer_",
                                       "begin_step(", "end_step(",    "begin_copy(", "begin_multicast(", "log_only("};

bool begins_with_any(std::string_view text, auto&& beginnings) {
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

/// Of the branches under `#if` lines with DMA_CHECKED, those of a build that is not checked.
class Conditionals {
 public:
  /// Whether the line stays.
  bool keeps(std::string_view line) {
    if (line.starts_with("#if")) {
      open(line);
      return is_kept() && !levels_.back().is_decided;
    }
    if (line.starts_with("#elif") || line.starts_with("#else")) {
      Level& level = levels_.back();
      if (level.is_decided) {
        level.keeps = !level.keeps;
        return false;
      }
      // After another condition's branch, one that only the checked build has.
      level.keeps = line.find("DMA_CHECKED") == std::string_view::npos;
      return is_kept();
    }
    if (line.starts_with("#endif")) {
      const bool was_decided = levels_.back().is_decided;
      levels_.pop_back();
      return is_kept() && !was_decided;
    }
    return is_kept();
  }

 private:
  struct Level {
    bool is_decided;  ///< by DMA_CHECKED alone: its lines go
    bool keeps;       ///< the lines of the current branch
  };

  void open(std::string_view line) {
    if (line.find("DMA_CHECKED") == std::string_view::npos) {
      levels_.push_back({false, true});
    } else if (line == "#if DMA_CHECKED" || line == "#if DMA_CHECKED && defined(__CUDA_ARCH__)") {
      levels_.push_back({true, false});
    } else {
      throw std::runtime_error("a condition that is not one of DMA_CHECKED alone: " + std::string(line));
    }
  }
  [[nodiscard]] bool is_kept() const {
    return std::all_of(levels_.begin(), levels_.end(), [](const Level& level) { return level.keeps; });
  }

  std::vector<Level> levels_;
};

/// Where the statement at the beginning of `text` ends, strings and their semicolons included.
std::size_t end_of_statement(std::string_view text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    in_string = in_string != (text[i] == '"');
    if (text[i] == ';' && !in_string) {
      return i + 1;
    }
  }
  throw std::runtime_error("a statement without an end");
}

std::string without_checks(const std::string& text) {
  std::string kept;
  Conditionals conditionals;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(begin, end - 1 - begin);
    if (!conditionals.keeps(line)) {
      begin = end;
    } else if (begins_with_any(without_indent(line), checks)) {
      begin += end_of_statement(std::string_view(text).substr(begin));
    } else {
      const bool includes_removed =
          std::any_of(std::begin(removed_headers), std::end(removed_headers),
                      [&](std::string_view header) { return line == "#include <dma/" + std::string(header) + ">"; });
      kept += includes_removed ? "" : std::string(line) + "\n";
      begin = end;
    }
  }
  return kept;
}

void replace(std::string& text, std::string_view from, std::string_view to_end, std::string_view by) {
  const std::size_t begin = text.find(from);
  if (begin != std::string::npos) {
    text.replace(begin, text.find(to_end, begin) + to_end.size() - begin, by);
  }
}

/// Messages need places and names; without messages both are nothing.
void replace_places(std::string& text) {
  replace(text, "struct Site {", "};",
          "struct Site {\n  template <class... Parts>\n  DMA_HOST_DEVICE constexpr Site(const Parts&...) {}\n};");
  replace(text, "#if defined(__CUDA_ARCH__) && !DMA_CHECKED", "\n", "#if defined(__CUDA_ARCH__)\n");
}

/// The text without what is in quotes: messages may name the macros.
std::string without_messages(std::string_view text) {
  std::string code;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"' || (is_quoted && text[i] == '\n')) {
      is_quoted = !is_quoted;
    } else if (!is_quoted) {
      code += text[i];
    }
  }
  return code;
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void remove_checks(const fs::path& headers, const fs::path& copy) {
  fs::remove_all(copy);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(headers)) {
    const std::string name = fs::relative(entry.path(), headers / "dma").generic_string();
    if (!entry.is_regular_file() || begins_with_any(name, removed_headers)) {
      continue;
    }
    std::string text = read(entry.path());
    if (name != "config.hpp") {
      replace_places(text);
      text = without_checks(text);
      const std::string code = without_messages(text);
      for (const std::string_view trace : traces) {
        if (code.find(trace) != std::string::npos) {
          throw std::runtime_error("'" + std::string(trace) + "' is left in " + name);
        }
      }
    }
    const fs::path place = copy / "dma" / name;
    fs::create_directories(place.parent_path());
    std::ofstream(place) << text;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: remove_checks <headers> <copy>\n");
    return 1;
  }
  remove_checks(argv[1], argv[2]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "remove_checks: %s\n", error.what());
  return 1;
}
