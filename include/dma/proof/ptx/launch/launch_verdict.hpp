#pragma once

#include <dma/proof/ptx/launch_state.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/verdict.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What is said of a launch.
struct LaunchVerdict {
  std::string entry;
  Verdict verdict;
  std::map<std::string, std::string> not_computed = {};  ///< opcodes, and where the first of each is
  std::uint64_t instructions = 0;
  std::string refusal = {};                    ///< why it was not judged; empty: it was
  std::vector<std::string> broken_rules = {};  ///< which published code breaks too
  std::vector<std::string> remarks = {};       ///< of what may be meant otherwise
  /// Of a run behind the proof, where they are counted.
  std::map<const Statement*, LaunchState::Uses> uses = {};
  std::uint64_t instructions_of_run = 0;  ///< likewise
};

}  // namespace dma::inline v0_1::proof::ptx::detail
