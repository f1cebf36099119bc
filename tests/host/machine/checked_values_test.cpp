#include <dma/machine/checked/pipeline_end.hpp>
#include <dma/machine/checked/waited_time.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using dma::machine::PipelineEnd;
using dma::machine::WaitedTime;

namespace {

constexpr unsigned second_ns = 1'000'000'000;

/// What a wait of `looks` looks has taken, `step_ns` apart on a clock that begins at `start_ns`.
unsigned long long waited(unsigned start_ns, unsigned step_ns, unsigned looks) {
  WaitedTime time;
  for (unsigned i = 0; i < looks; ++i) {
    time.add(start_ns + i * step_ns);
  }
  return time.total_ns;
}

}  // namespace

TEST_CASE("a wait takes as long as the clock says, which begins again every 4.3 s", "[sync]") {
  const unsigned start_ns = GENERATE(1U, 3'000'000'000U, 0xffff'fff0U);
  REQUIRE(waited(start_ns, 0, 1) == 0);
  REQUIRE(waited(start_ns, 32, 1001) == 32'000);
  REQUIRE(waited(start_ns, second_ns / 10, 101) == 10ULL * second_ns);
}

TEST_CASE("time between two looks in which other work had the GPU is no wait", "[sync]") {
  WaitedTime time;
  time.add(7);
  time.add(7 + 3 * second_ns);
  REQUIRE(time.total_ns < second_ns / 4);
  time.add(8 + 3 * second_ns);
  REQUIRE(time.total_ns == WaitedTime::longest_step_ns + 1);
}

TEST_CASE("a clock that goes back ends no wait", "[sync]") {
  WaitedTime time;
  time.add(second_ns);
  time.add(second_ns - 32);
  REQUIRE(time.total_ns < second_ns / 4);
}

TEST_CASE("ends of pipelines are in order, also where their numbers begin again", "[sync]") {
  const unsigned number = GENERATE(0U, 1U, PipelineEnd::numbers - 1, PipelineEnd::numbers + 5);
  const unsigned ahead = GENERATE(1U, 2U, PipelineEnd::numbers / 2 - 1);
  const PipelineEnd first = PipelineEnd::of(number, 0xfff);
  const PipelineEnd later = PipelineEnd::of(number + ahead, 0);
  REQUIRE(first.tile() == 0xfff);
  REQUIRE(later.is_after(first));
  REQUIRE_FALSE(first.is_after(later));
  REQUIRE_FALSE(first.is_after(PipelineEnd::of(number, 3)));
}
