#include "host/proof/right_kernels.hpp"

#include "kernels/right_ctas.hpp"
#include "kernels/right_memory.hpp"
#include "kernels/right_pipelines.hpp"
#include "kernels/right_queues.hpp"
#include "kernels/right_roles.hpp"
#include "kernels/right_shapes.hpp"
#include "kernels/right_warps.hpp"

TEST_CASE("kernels of several pipelines are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Pipelines{});
}

TEST_CASE("kernels of every form of role are right and proved", "[proof][right][groups]") {
  right::run_and_prove_all(right::Roles{});
}

TEST_CASE("kernels of unusual warps are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::WarpCases{});
  right::run_and_prove_all(right::SyncsApart{});
}

TEST_CASE("kernels whose CTAs work together are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Ctas{});
  right::run_and_prove_all(right::Queues{});
  right::run_and_prove_all(right::Pending{});
}

TEST_CASE("kernels of unusual patterns are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::Shapes{});
}

TEST_CASE("kernels that read global memory that they write are right and proved", "[proof][right]") {
  right::run_and_prove_all(right::MemoryCases{});
}
