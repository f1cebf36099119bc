// The laws of fibers without a test framework, which a processor of another kind may not have here.
#include "host/host/fiber_laws.hpp"

#include <cstddef>
#include <cstdio>
#include <tuple>
#include <utility>

namespace {

template <class Platform>
int broken_laws(std::size_t number) {
  int broken = 0;
  for (const auto& law : fiber_laws::laws<Platform>) {
    const bool holds = law.holds();
    std::printf("switch %zu: %s: %s\n", number, law.sentence, holds ? "yes" : "NO");
    broken += holds ? 0 : 1;
  }
  return broken;
}

template <std::size_t... I>
int all_broken_laws(std::index_sequence<I...>) {
  return (... + broken_laws<std::tuple_element_t<I, fiber_laws::Platforms>>(I));
}

}  // namespace

int main() { return all_broken_laws(std::make_index_sequence<std::tuple_size_v<fiber_laws::Platforms>>{}); }
