#include "holes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace {

void needs_device() {
  if (const std::string reason = missing_device(); !reason.empty()) {
    SKIP(reason);
  }
}

}  // namespace

TEST_CASE("a seed delays the same operations again, and another seed others", "[jitter]") {
  needs_device();
  const ReplayResult result = run_replays();
  REQUIRE(result.once.size() > 5);
  REQUIRE(result.once == result.again);
  REQUIRE(result.once != result.other);
  REQUIRE(result.none.empty());
}

TEST_CASE("delays show a hole in a kernel's order within 100 seeds, and no kernel without one fails", "[jitter]") {
  needs_device();
  for (const std::string& name : hole_names()) {
    const HoleResult hole = run_hole(name, 100);
    CAPTURE(name, hole.seeds, hole.wrong_without_delay);
    CHECK(hole.seeds > 0);
    CHECK(hole.wrong_when_mended == 0);
  }
}
