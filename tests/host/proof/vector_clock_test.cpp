// Clocks that share the numbers of what they know alike, beside lists of their own.
#include <dma/proof/clocks/vector_clock.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using dma::proof::detail::VectorClock;

constexpr std::size_t size = 4 * VectorClock::block;

/// A clock, and what it should be.
struct Both {
  VectorClock clock{size};
  std::vector<std::uint32_t> numbers = std::vector<std::uint32_t>(size, 0);

  [[nodiscard]] bool are_same() const {
    bool same = clock.size() == numbers.size();
    for (std::size_t i = 0; i < size; ++i) {
      same = same && clock[i] == numbers[i];
    }
    return same;
  }
  void raise(std::size_t to, const Both& other, std::size_t from, std::size_t count) {
    clock.raise(to, other.clock, from, count);
    for (std::size_t i = 0; i < count; ++i) {
      numbers[to + i] = std::max(numbers[to + i], other.numbers[from + i]);
    }
  }
};

}  // namespace

TEST_CASE("clocks: what agents know alike is theirs to change alone") {
  std::mt19937 random(7);  // NOLINT: the same in each run
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  std::array<Both, 6> clocks;
  bool are_same = true;
  for (int step = 0; step < 20'000; ++step) {
    Both& one = clocks[below(clocks.size())];
    const Both& other = clocks[below(clocks.size())];
    const std::size_t component = below(size);
    switch (below(8)) {
      case 0:
        one.clock.forget(component);
        one.numbers[component] = 0;
        break;
      case 1:
        one.clock.join(other.clock);
        one.raise(0, other, 0, size);
        break;
      case 2:
        one.raise(below(2) * 2 * VectorClock::block, other, below(2) * 2 * VectorClock::block, 2 * VectorClock::block);
        break;
      case 3:
        one = Both(other);
        break;
      case 4:
        if (below(20) == 0) {
          one.clock.clear();
          one.numbers.assign(size, 0);
        }
        break;
      default: {
        const auto value = static_cast<std::uint32_t>(below(1000));
        one.clock.raise(component, value);
        one.numbers[component] = std::max(one.numbers[component], value);
      }
    }
    are_same = are_same && std::all_of(clocks.begin(), clocks.end(), [](const Both& each) { return each.are_same(); });
  }
  CHECK(are_same);
}

TEST_CASE("clocks: a clock of nothing learns all that another one knows") {
  VectorClock none;
  VectorClock known(size);
  known.raise(size - 1, 3);
  none.join(known);
  CHECK(none.size() == size);
  CHECK(none[size - 1] == 3);
  CHECK(none[0] == 0);
}
