#pragma once

/// Level 2: four slots, so that blocks are loaded while others are multiplied.

#include "one_slot.hpp"

namespace gemm::levels {

/// One word of level 1: its buffering.
template <int columns = 256>
using FourSlots = OneSlot<columns, 4>;

}  // namespace gemm::levels
