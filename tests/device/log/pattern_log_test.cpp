// Apart from the other lists: the examples of patterns have names of their own for the same things.

#include "host.hpp"
#include "logged.hpp"
#include "pattern_kernels.hpp"

#include <catch2/catch_test_macros.hpp>

TEST_CASE("a GPU's threads do what the host has recorded: patterns", "[log]") {
  logged::compare<logged::Patterns>(run_patterns, 21);
}
