#pragma once

#include <dma/proof/ptx/instruction.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Whether a thread that an instruction tells "not yet" goes on to something else that is seen, an access or a
/// synchronization, before it asks again. Otherwise, or where that is not seen from the code, the instruction is a
/// wait.
///
/// @param asks  an instruction whose result is the answer; the code that it is in follows and precedes it
[[nodiscard]] inline bool is_poll(const Instruction& asks, const std::vector<Instruction>& code) {
  constexpr int most_steps = 64;
  std::map<int, std::uint64_t> known{{asks.result, 0}};
  auto at = static_cast<std::size_t>(&asks - code.data()) + 1;
  for (int step = 0; step < most_steps && at < code.size(); ++step, ++at) {
    const Instruction& next = code[at];
    if (next.guard >= 0) {
      const auto guard = known.find(next.guard);
      if (guard == known.end()) {
        return false;
      }
      if ((guard->second != 0) == next.guard_is_negated) {
        continue;
      }
    }
    if (next.kind == Instruction::Kind::branch) {
      if (next.target <= static_cast<int>(&asks - code.data()) && next.target >= 0) {
        return false;  // back to before the question
      }
      at = static_cast<std::size_t>(next.target) - 1;
    } else if (next.kind == Instruction::Kind::value) {
      std::uint64_t values[4] = {};
      bool is_known = next.compute != nullptr && next.sources <= 4;
      for (int i = 0; i < next.sources && is_known; ++i) {
        const Source& source = next.source[static_cast<std::size_t>(i)];
        const auto found = known.find(source.index);
        is_known = source.kind == Source::Kind::number || (source.kind == Source::Kind::reg && found != known.end());
        values[i] = source.kind == Source::Kind::number ? source.bits : is_known ? found->second : 0;
        values[i] = source.is_negated ? (values[i] == 0 ? 1U : 0U) : values[i];
      }
      known.erase(next.result);
      if (is_known) {
        known[next.result] = next.compute(next, values);
      }
    } else if (next.kind != Instruction::Kind::nothing) {
      return true;
    }
  }
  return false;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
