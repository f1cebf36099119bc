#pragma once

#include "host/proof/fuzz/program.hpp"
#include "host/proof/fuzz/random.hpp"
#include "host/proof/fuzz/tiles.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fuzz {

/// A change of one step, as a mistake makes it.
enum class Edit : unsigned char { left_out, swapped, done_twice, moved, other_lanes, other_place, other_number };
inline constexpr std::array edit_names{"left out",    "swapped",     "done twice",  "moved",
                                       "other lanes", "other place", "other number"};

/// Changes whose places, numbers or lanes a step has.
inline void change(Step& step, Edit edit, Random& random) {
  if (edit == Edit::other_place) {
    step.block = random.below(step.memory == Memory::global ? global_blocks : shared_blocks);
    step.element = random.one_of(Element::its_own, Element::its_neighbours, Element::first, Element::second);
  } else if (step.op == Op::sync_named || step.op == Op::arrive_named) {
    (random.one_in(2) ? step.count : step.barrier) = 1 + random.below(named_barriers - 1);
  } else if (random.one_in(2)) {
    step.barrier = random.below(phase_barriers);
  } else if (step.op == Op::open || step.op == Op::expect) {
    step.count = 1 + random.below(2);
  } else {
    step.count ^= 1;
  }
}
inline void change(TileStep& step, Edit edit, Random& random) {
  if (edit == Edit::other_place) {
    step.element = random.one_of(Element::its_own, Element::its_neighbours, Element::first, Element::second);
  } else {
    step.back ^= 1;
  }
}

/// Makes a change at random.
///
/// @param first  of a warp's steps, that may be changed
template <class AnyStep>
Edit change(std::vector<std::vector<AnyStep>>& warps, int first, Random& random) {
  auto& steps = warps[static_cast<std::size_t>(random.below(static_cast<int>(warps.size())))];
  const auto edit = static_cast<Edit>(random.below(static_cast<int>(edit_names.size())));
  const int count = static_cast<int>(steps.size()) - first;
  if (count < 1) {
    return edit;
  }
  const auto at = steps.begin() + first + random.below(count);
  const AnyStep step = *at;
  switch (edit) {
    case Edit::left_out:
      steps.erase(at);
      break;
    case Edit::swapped:
      if (at + 1 != steps.end()) {
        std::swap(*at, *(at + 1));
      }
      break;
    case Edit::done_twice:
      steps.insert(at, step);
      break;
    case Edit::moved:
      steps.erase(at);
      steps.insert(steps.begin() + first + random.below(count), step);
      break;
    case Edit::other_lanes:
      at->lanes = random.one_of(Lanes::all, Lanes::lane0, Lanes::lane1);
      break;
    case Edit::other_place:
    case Edit::other_number:
      change(*at, edit, random);
      break;
  }
  return edit;
}
/// One change or two; says which was the last.
template <class AnyProgram>
const char* change(AnyProgram& program, int first, Random& random) {
  Edit edit = change(program.steps, first, random);
  if (random.one_in(2)) {
    edit = change(program.steps, first, random);
  }
  return edit_names[static_cast<std::size_t>(edit)];
}

}  // namespace fuzz
