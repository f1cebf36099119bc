#pragma once

#include <dma/proof/ptx/instruction.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What two ways behind a branch do until they meet.
struct Region {
  int join = -1;                  ///< the instruction where they meet; -1: they have an effect, or do not meet
  std::vector<int> results = {};  ///< registers that they write
};

/// Finds where the ways behind a branch meet again, where nothing in between has an effect.
class RegionFinder {
 public:
  explicit RegionFinder(const std::vector<Instruction>& code) : code_(code) {}

  [[nodiscard]] Region behind(int branch) const {
    const Instruction& instruction = code_[static_cast<std::size_t>(branch)];
    // The join is reached from both ways, whatever they do: the first one for which that is so.
    const std::vector<int> ways = reachable(branch + 1, -1);
    const std::vector<int> others = reachable(instruction.target, -1);
    std::vector<int> both;
    std::set_intersection(ways.begin(), ways.end(), others.begin(), others.end(), std::back_inserter(both));
    both.resize(std::min<std::size_t>(both.size(), most_joins));
    for (const int join : both) {
      Region region{.join = join};
      if (take(branch + 1, join, region) && take(instruction.target, join, region)) {
        return region;
      }
    }
    return {};
  }

 private:
  static constexpr std::size_t most_joins = 256;

  /// The instructions that may follow, in their order.
  [[nodiscard]] std::vector<int> reachable(int first, int end) const {
    std::vector<bool> seen(code_.size(), false);
    std::vector<int> found;
    std::vector<int> open{first};
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      if (at == end || at < 0 || static_cast<std::size_t>(at) >= code_.size() || seen[static_cast<std::size_t>(at)]) {
        continue;
      }
      seen[static_cast<std::size_t>(at)] = true;
      found.push_back(at);
      const Instruction& instruction = code_[static_cast<std::size_t>(at)];
      const bool is_always = instruction.guard < 0;
      if (instruction.kind == Instruction::Kind::branch) {
        open.push_back(instruction.target);
      }
      if (!is_always ||
          (instruction.kind != Instruction::Kind::branch && instruction.kind != Instruction::Kind::leave)) {
        open.push_back(at + 1);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  /// Adds what a way does up to the join. False where it has an effect, or may leave otherwise.
  [[nodiscard]] bool take(int first, int join, Region& region) const {
    for (const int at : reachable(first, join)) {
      const Instruction& instruction = code_[static_cast<std::size_t>(at)];
      if (instruction.has_effect()) {
        return false;
      }
      region.results.push_back(instruction.result);
      region.results.push_back(instruction.second_result);
      region.results.insert(region.results.end(), instruction.results.begin(), instruction.results.end());
    }
    return true;
  }

  const std::vector<Instruction>& code_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
