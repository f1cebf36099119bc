#include "holes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

void needs_kernels() {
  if (hole_names().empty()) {
    SKIP(missing_device());
  }
}

/// Runs `body` in a process of its own, whose CUDA ends where the checked build stops a kernel. Skips without a GPU.
template <class Body>
auto in_a_child(const Body& body) {
  using Result = decltype(body());
  static_assert(std::is_trivially_copyable_v<Result>);
  constexpr int has_no_device = 4;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (!missing_device().empty()) {
      _exit(has_no_device);
    }
    const Result result = body();
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  Result result{};
  const bool is_read = read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == has_no_device) {
    SKIP("no CUDA device");
  }
  REQUIRE(is_read);
  return result;
}

}  // namespace

// Alone: it tells delays by time, and another process's turn on the GPU is as long as a delay.
TEST_CASE("a seed delays the same operations again, and another seed others", "[jitter][alone]") {
  needs_kernels();
  struct Counts {
    std::size_t once, again_otherwise, other_otherwise, none;
  };
  const Counts counts = in_a_child([] {
    const ReplayResult result = run_replays();
    return Counts{result.once.size(), result.once == result.again ? 0U : 1U, result.once == result.other ? 0U : 1U,
                  result.none.size()};
  });
  REQUIRE(counts.once > 5);
  REQUIRE(counts.again_otherwise == 0);
  REQUIRE(counts.other_otherwise == 1);
  REQUIRE(counts.none == 0);
}

TEST_CASE("delays show a hole in a kernel's order within 40 seeds, and no kernel without one fails",
          "[jitter][alone]") {
  needs_kernels();
  for (const std::string& name : hole_names()) {
    const HoleResult hole = in_a_child([&] { return run_hole(name, 40); });
    CAPTURE(name, hole.seeds, hole.wrong_without_delay);
    CHECK((hole.is_stopped || hole.wrong_elements > 0));
    CHECK(hole.wrong_when_mended == 0);
  }
}

TEST_CASE("a kernel whose lanes part over short tiles ends, and is right, under delays", "[jitter]") {
  needs_kernels();
  REQUIRE(in_a_child([] { return wrong_of_short_tiles(4); }) == 0);
}
