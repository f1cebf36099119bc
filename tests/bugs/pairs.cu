#include "ptx.cuh"

/// Kernels whose CTAs may begin while the launch before runs, behind one that writes what they read.
namespace {

__device__ inline void trigger_next_grid() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ inline void wait_for_grids() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ inline int global_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// A grouped product: the number of its rows, which the launch before writes, is read by the tile scheduler.
template <bool is_broken>
__device__ void cutlass_2962(const int* rows, const float* x, float* y) {
  int last = 0;
  if (is_broken) {
    last = rows[0];
  }
  wait_for_grids();
  if (!is_broken) {
    last = rows[0];
  }
  for (int i = global_thread(); i < last; i += static_cast<int>(gridDim.x * blockDim.x)) {
    y[i] = 2 * x[i];
  }
}

/// No thread waits.
template <bool is_broken>
__device__ void cutlass_2760(const float* x, float* y) {
  if (!is_broken) {
    wait_for_grids();
  }
  y[global_thread()] = 2 * x[global_thread()];
}

/// The wait is there and compiles to nothing, as where a macro of its architecture is missing.
template <bool is_enabled>
__device__ void wait_where_enabled() {
  if (is_enabled) {
    wait_for_grids();
  }
}
template <bool is_broken>
__device__ void flashinfer_2708(const float* x, float* y) {
  trigger_next_grid();
  wait_where_enabled<!is_broken>();
  __shared__ float tile[64];
  tile[threadIdx.x] = x[global_thread()];
  __syncthreads();
  y[global_thread()] = tile[63 - threadIdx.x];
}
/// The same in a kernel whose output tile the launch before reads.
template <bool is_broken>
__device__ void flashinfer_2716(float* x) {
  trigger_next_grid();
  wait_where_enabled<!is_broken>();
  x[global_thread()] = 1;
}

/// The warp that loads waits, and the one that reads the scale does not.
template <bool is_broken>
__device__ void quack_206(const float* x, const float* scale, float* y) {
  __shared__ float tile[32];
  const bool loads = threadIdx.x < 32;
  if (loads || !is_broken) {
    wait_for_grids();
  }
  const float factor = loads ? 0 : scale[0];
  if (loads) {
    tile[threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
  }
  __syncthreads();
  if (!loads) {
    y[blockIdx.x * 32 + threadIdx.x - 32] = factor * tile[threadIdx.x - 32];
  }
}

/// The places of the largest values are used before the launch that finds them has written them.
template <bool is_broken>
__device__ void tokenspeed_536(const int* places, float* y) {
  if (!is_broken) {
    wait_for_grids();
  }
  y[places[threadIdx.x] & 63] = 1;
}
/// The kernel between two others triggers and ends without a wait: the third waits for it alone.
template <bool is_broken>
__device__ void tokenspeed_327(const float* scale, float* factor) {
  trigger_next_grid();
  if (!is_broken) {
    wait_for_grids();
  }
  if (global_thread() == 0) {
    factor[0] = 2 * scale[0];
  }
}

/// The bounds of a tile are read before the wait, which is right before its elements.
template <bool is_broken>
__device__ void cccl_5456(const int* bounds, const float* x, float* y) {
  if (!is_broken) {
    wait_for_grids();
  }
  const int first = bounds[blockIdx.x];
  const int last = bounds[blockIdx.x + 1];
  if (is_broken) {
    wait_for_grids();
  }
  for (int i = first + static_cast<int>(threadIdx.x); i < last; i += static_cast<int>(blockDim.x)) {
    y[i] = x[i];
  }
}

}  // namespace

DMA_BUGS_BOTH_FORMS(cutlass_2962, (const int* rows, const float* x, float* y), (rows, x, y))
DMA_BUGS_BOTH_FORMS(cutlass_2760, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(flashinfer_2708, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(flashinfer_2716, (float* x), (x))
DMA_BUGS_BOTH_FORMS(quack_206, (const float* x, const float* scale, float* y), (x, scale, y))
DMA_BUGS_BOTH_FORMS(tokenspeed_536, (const int* places, float* y), (places, y))
DMA_BUGS_BOTH_FORMS(tokenspeed_327, (const float* scale, float* factor), (scale, factor))
DMA_BUGS_BOTH_FORMS(cccl_5456, (const int* bounds, const float* x, float* y), (bounds, x, y))

/// The launch before: it triggers at once, and each thread writes an element.
extern "C" __global__ void write_floats(float* x) {
  trigger_next_grid();
  x[global_thread()] = static_cast<float>(global_thread());
}
extern "C" __global__ void write_bounds(int* bounds, int step) {
  trigger_next_grid();
  bounds[global_thread()] = step * global_thread();
}
/// One that reads.
extern "C" __global__ void read_floats(const float* x, float* y) {
  trigger_next_grid();
  y[global_thread()] = x[global_thread()];
}
/// The launch behind, which waits, and reads what each of two launches before it wrote.
extern "C" __global__ void scale_by(const float* factor, const float* x, float* y) {
  wait_for_grids();
  y[global_thread()] = factor[0] * x[global_thread()];
}
