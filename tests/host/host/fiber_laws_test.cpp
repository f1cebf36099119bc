#include "host/host/fiber_laws.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

TEMPLATE_LIST_TEST_CASE("fibers keep their laws", "[host]", fiber_laws::Platforms) {
  for (const auto& law : fiber_laws::laws<TestType>) {
    INFO(law.sentence);
    CHECK(law.holds());
  }
}
