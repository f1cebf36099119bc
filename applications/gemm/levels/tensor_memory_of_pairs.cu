// The product in tensor memory of pairs of CTAs, which a build compiles where there is no GPU for it.

#include "tensor_memory_of_pairs.hpp"

namespace gemm::levels {

void launch_in_tensor_memory_of_pairs(const InTensorMemoryOfPairs<>::Half::Map& map, const Problem<BFloat16>& p,
                                      int ctas, cudaStream_t stream) {
  dma::launch(InTensorMemoryOfPairs<>{}, {ctas}, stream, map, p);
}

}  // namespace gemm::levels
