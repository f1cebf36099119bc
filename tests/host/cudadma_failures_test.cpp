#include "kernels/cudadma_failures.hpp"
#include "kernels/host_runner.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a size that is not a multiple of 4 is moved to its last byte", "[cudadma]") {
  HostMachine machine;
  REQUIRE(failures::sizes_that_are_no_multiple_of_4(machine) == 0);
}

TEST_CASE("an element larger than a step is moved whole, whatever its size leaves of the alignment", "[cudadma]") {
  HostMachine machine;
  REQUIRE(failures::elements_larger_than_a_step(machine) == 0);
}

TEST_CASE("an element whose size breaks the alignment of the next tile is refused with the rule", "[cudadma]") {
  HostMachine machine;
  using Page = dma::Sequential<failures::Blob<1004>, 1, 16>;
  failures::Case<Page> second_element;
  second_element.add({}, {}, 1004, 0);
  REQUIRE_THROWS_WITH(second_element.wrong_everywhere(machine),
                      ContainsSubstring("not a multiple of the pattern's run_alignment") &&
                          ContainsSubstring("give the pattern a smaller alignment"));
  failures::Case<dma::Sequential<failures::Blob<1004>, 1>> of_natural_alignment;
  of_natural_alignment.add({}, {}, 1004, 0);
  of_natural_alignment.expect(1004, 0, 1004);
  REQUIRE(of_natural_alignment.wrong_everywhere(machine) == 0);
}

TEST_CASE("a tile of no elements moves nothing and counts as a tile", "[cudadma]") {
  HostMachine machine;
  REQUIRE(failures::no_elements(machine) == 0);
}

TEST_CASE("a scatter writes the rows that the indices name, and no others", "[cudadma]") {
  HostMachine machine;
  REQUIRE(failures::scatters(machine) == 0);
}

TEST_CASE("the two sides of a transfer have pitches of their own", "[cudadma]") {
  HostMachine machine;
  REQUIRE(failures::unequal_strides(machine) == 0);
}

TEST_CASE("a DMA group that is larger than the tile moves it once", "[cudadma]") {
  HostMachine machine;
  REQUIRE(failures::groups_larger_than_the_tile(machine) == 0);
}

TEST_CASE("one object moves many tiles, each of another shape", "[cudadma]") {
  HostMachine machine;
  REQUIRE(failures::one_object_over_many_tiles(machine) == 0);
}

TEST_CASE("two objects in one kernel do not meet", "[cudadma]") {
  HostMachine machine;
  REQUIRE(failures::two_objects_in_one_kernel(machine) == 0);
}
