#include "kernels/cudadma_failures.hpp"
#include "kernels/host_runner.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a size that is not a multiple of 4 is moved to its last byte", "[cudadma]") {
  HostRunner runner;
  REQUIRE(failures::sizes_that_are_no_multiple_of_4(runner) == 0);
}

TEST_CASE("an element larger than a step is moved whole, at any alignment", "[cudadma]") {
  HostRunner runner;
  REQUIRE(failures::elements_larger_than_a_step(runner) == 0);
}

TEST_CASE("an element whose size breaks the alignment of the next tile is refused with the rule", "[cudadma]") {
  HostRunner runner;
  using Page = dma::Sequential<failures::Blob<1004>, 1, 16>;
  failures::Case<Page> second_element;
  second_element.add({}, {}, 1004, 0);
  REQUIRE_THROWS_WITH(second_element.wrong_everywhere(runner),
                      ContainsSubstring("not a multiple of the pattern's run_alignment") &&
                          ContainsSubstring("give the pattern a smaller alignment"));
  failures::Case<dma::Sequential<failures::Blob<1004>, 1>> of_natural_alignment;
  of_natural_alignment.add({}, {}, 1004, 0);
  of_natural_alignment.expect(1004, 0, 1004);
  REQUIRE(of_natural_alignment.wrong_everywhere(runner) == 0);
}

TEST_CASE("a tile of no elements moves nothing and counts as a tile", "[cudadma]") {
  HostRunner runner;
  REQUIRE(failures::no_elements(runner) == 0);
}

TEST_CASE("a scatter writes the rows that the indices name, and no others", "[cudadma]") {
  HostRunner runner;
  REQUIRE(failures::scatters(runner) == 0);
}

TEST_CASE("the two sides of a transfer have pitches of their own", "[cudadma]") {
  HostRunner runner;
  REQUIRE(failures::unequal_strides(runner) == 0);
}

TEST_CASE("a DMA group that is larger than the tile moves it once", "[cudadma]") {
  HostRunner runner;
  REQUIRE(failures::groups_larger_than_the_tile(runner) == 0);
}

TEST_CASE("one object moves many tiles, each of another shape", "[cudadma]") {
  HostRunner runner;
  REQUIRE(failures::one_object_over_many_tiles(runner) == 0);
}

TEST_CASE("two objects in one kernel do not interfere", "[cudadma]") {
  HostRunner runner;
  REQUIRE(failures::two_objects_in_one_kernel(runner) == 0);
}
