#pragma once

#include <stdexcept>

namespace stencil {

/// A neighbour's planes do not come. The process can only end: its streams wait for them.
struct LostNeighbour : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace stencil
