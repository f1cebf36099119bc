#include <catch2/catch_test_macros.hpp>

// Instead of the tests, where the kernels were compiled to PTX only.

TEST_CASE("a GPU's threads do what the host has recorded", "[log]") {
  SKIP("this program was built where there is no GPU, without its kernels: configure with -D DMA_DEVICE_MATRICES=ON");
}
