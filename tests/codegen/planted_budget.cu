// Register budgets of a kernel that has no launch bounds, so that ptxas does not know how many registers there are to
// share.

__global__ void planted_budget(float* values) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
  }
  values[threadIdx.x] = 1;
}
