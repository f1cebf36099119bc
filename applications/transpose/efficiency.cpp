#include "efficiency.hpp"

#include "requests.hpp"
#include "steps.hpp"
#include "tiles.hpp"

#include <utility>

namespace transpose {
namespace {

constexpr int side = 64;

template <class T, int... Number>
Efficiency of_step(int number, std::integer_sequence<int, Number...>) {
  Efficiency found{};
  static_cast<void>(
      ((number == Number && (found = efficiency_of<T, MoveDirectly<Number, 32, 32>>(side, side), true)) || ...));
  return found;
}

}  // namespace

Efficiency efficiency_of_step(int number, int element_bytes) {
  constexpr std::make_integer_sequence<int, step_count> numbers{};
  return element_bytes == 4 ? of_step<float>(number, numbers) : of_step<double>(number, numbers);
}

Efficiency efficiency_by_hand(int element_bytes) {
  return element_bytes == 4 ? efficiency_of<float, TransposeByHand<float>>(side, side)
                            : efficiency_of<double, TransposeByHand<double>>(side, side);
}

}  // namespace transpose
