#include "host/proof/memory/litmus_shapes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <iomanip>
#include <iostream>

namespace {

using namespace memory_tests::litmus;

/// What a CTA has no narrower scope for is left out there.
void check(const Where& where, bool has_narrow) {
  for (const Shape& shape : shapes) {
    for (const Form& form : forms) {
      if (form.is_narrow && !has_narrow) {
        continue;
      }
      INFO(shape.name << ", " << form.name << ", " << where.name);
      const Found found = explore_shape(shape, form, where);
      REQUIRE(found.is_complete);
      CHECK(found.is_weak == (is_allowed(shape, form) && !shape.is_load_buffering));
    }
  }
}

}  // namespace

TEST_CASE("a litmus test has the outcomes that PTX allows, but for load buffering", "[memory]") {
  for (const Where& where : wheres) {
    check(where, true);
  }
  check(in_a_cta, false);
}

TEST_CASE("the table of litmus tests", "[.memory-table]") {
  for (const Where& where : wheres) {
    std::cout << where.name << '\n';
    for (const Shape& shape : shapes) {
      std::cout << std::setw(5) << shape.name;
      for (const Form& form : forms) {
        const Found found = explore_shape(shape, form, where);
        std::cout << " | " << (is_allowed(shape, form) ? "allowed" : "never") << '/'
                  << (found.is_weak ? "found" : "never") << ' ' << found.executions;
      }
      std::cout << '\n';
    }
  }
}
