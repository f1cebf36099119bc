// The product in tensor memory, which a build compiles where there is no GPU for it.

#include "tensor_memory.hpp"

namespace gemm::levels {

void launch_in_tensor_memory(const InTensorMemory<>::Tile::Map& map, const Problem<BFloat16>& p, int ctas,
                             cudaStream_t stream) {
  dma::launch(InTensorMemory<>{}, {ctas}, stream, map, p);
}

}  // namespace gemm::levels
