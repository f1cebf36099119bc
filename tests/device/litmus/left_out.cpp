#include <catch2/catch_test_macros.hpp>

// Instead of the tests, where the kernels were compiled to PTX only.

TEST_CASE("litmus tests on the GPU", "[litmus]") {
  SKIP("this program was built where there is no GPU, without its kernels: configure with -D DMA_DEVICE_MATRICES=ON");
}
