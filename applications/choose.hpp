#pragma once

#include <cstdio>
#include <string>

/// The machine that `--on` names: "gpu", "host", or "auto" for the GPU where there is one and else the host. Null,
/// after a message with the reason, where a GPU is asked for and there is none.
///
/// @param device  returns the GPU, or null and the reason
template <class Runner>
[[nodiscard]] Runner* choose(const std::string& on, Runner* (*device)(std::string& reason), Runner& host) {
  std::string reason;
  Runner* const gpu = on == "host" ? nullptr : device(reason);
  if (gpu != nullptr) {
    return gpu;
  }
  if (on == "gpu") {
    std::printf("skipped: %s\n", reason.c_str());
    return nullptr;
  }
  if (on == "auto") {
    std::printf("no GPU here (%s)\n", reason.c_str());
  }
  return &host;
}
