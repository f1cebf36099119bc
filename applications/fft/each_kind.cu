// A kernel of each kind of pass, which a build compiles to PTX also where there is no GPU. All of them take minutes.

#include "dma_warp_pass.hpp"
#include "gpu.cuh"

namespace fft {

void launch_each_kind(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream) {
  const Gpu<Kind::whole> gpu{stream};
  launch_pass<whole(256, 2, 8)>(pass, problem, gpu);
  launch_pass<untangled(whole(256, 2, 8))>(pass, problem, gpu);
  launch_pass<untangling_loaded(whole(256, 2, 8))>(pass, problem, gpu);
  launch_pass<untangling>(pass, problem, gpu);
  launch_pass<small_256>(pass, problem, gpu);
  launch_pass<last(wide_256)>(pass, problem, gpu);
  launch_pass<loaded_ahead(wide_256)>(pass, problem, gpu);
  gpu.launch(DmaWarpPass<small_256, PaperPipe<small_256, PaperLoads{}, 2>>{}, pass.ctas, problem, pass.tiles);
}

}  // namespace fft
