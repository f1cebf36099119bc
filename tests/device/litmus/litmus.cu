#include "device/litmus/litmus.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace gpu_litmus {
namespace {

constexpr int threads = 128;
constexpr int rounds = 32;                                           ///< of a launch
constexpr int outcome_bits = 2 * (2 * most_roles + most_locations);  ///< also of reads that a shape has not
constexpr std::size_t outcomes = std::size_t{1} << outcome_bits;

// One access or fence for each order and scope, as PTX has it.
#define LITMUS_LOAD(ORDER, SCOPE) \
  asm volatile("ld." ORDER "." SCOPE ".global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory")
#define LITMUS_STORE(ORDER, SCOPE) \
  asm volatile("st." ORDER "." SCOPE ".global.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory")
#define LITMUS_FENCE(ORDER, SCOPE) asm volatile("fence." ORDER "." SCOPE ";" : : : "memory")
#define LITMUS_FOR_SCOPE(INSTRUCTION, ORDER)      \
  if constexpr (Where == Scope::cta) {            \
    INSTRUCTION(ORDER, "cta");                    \
  } else if constexpr (Where == Scope::cluster) { \
    INSTRUCTION(ORDER, "cluster");                \
  } else {                                        \
    INSTRUCTION(ORDER, "gpu");                    \
  }

template <Ordered How, Scope Where>
__device__ unsigned load(const unsigned* word) {
  unsigned value;
  if constexpr (How == Ordered::by_accesses) {
    LITMUS_FOR_SCOPE(LITMUS_LOAD, "acquire")
  } else {
    LITMUS_FOR_SCOPE(LITMUS_LOAD, "relaxed")
  }
  return value;
}
template <Ordered How, Scope Where>
__device__ void store(unsigned* word, unsigned value) {
  if constexpr (How == Ordered::by_accesses) {
    LITMUS_FOR_SCOPE(LITMUS_STORE, "release")
  } else {
    LITMUS_FOR_SCOPE(LITMUS_STORE, "relaxed")
  }
}
template <Ordered How, Scope Where>
__device__ void fence() {
  if constexpr (How == Ordered::by_acq_rel) {
    LITMUS_FOR_SCOPE(LITMUS_FENCE, "acq_rel")
  } else if constexpr (How == Ordered::by_sc) {
    LITMUS_FOR_SCOPE(LITMUS_FENCE, "sc")
  }
}

/// Where the words of the instances are, and what the reads saw.
struct Arrays {
  unsigned* words;
  unsigned* seen;      ///< 2 * most_roles of each instance
  unsigned* arrivals;  ///< of the CTAs of each group
  int instances;       ///< of a round
  int stride;          ///< words between neighbours of one location

  __device__ unsigned* word(int location, int round, int instance) const {
    const auto all = static_cast<std::size_t>(rounds) * static_cast<std::size_t>(instances);
    const auto index =
        static_cast<std::size_t>(round) * static_cast<std::size_t>(instances) + static_cast<std::size_t>(instance);
    return words + (static_cast<std::size_t>(location) * all + index) * static_cast<std::size_t>(stride);
  }
  __device__ unsigned* seen_by(int role, int round, int instance) const {
    const auto index =
        static_cast<std::size_t>(round) * static_cast<std::size_t>(instances) + static_cast<std::size_t>(instance);
    return seen + (index * most_roles + static_cast<std::size_t>(role)) * 2;
  }
};

template <Ordered How, Scope OfAccess>
__device__ void access(const Access& it, const Arrays& arrays, int round, int instance, unsigned& seen) {
  unsigned* const word = arrays.word(it.location, round, instance);
  if (it.kind == 1) {
    seen = load<How, OfAccess>(word);
  } else if (it.kind == 2) {
    store<How, OfAccess>(word, it.value);
  }
}

/// Lets all CTAs of a group begin a round together.
__device__ void meet(unsigned* arrivals, unsigned expected) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrivals, 1U);
    while (*static_cast<volatile unsigned*>(arrivals) < expected) {
    }
    __threadfence();
  }
  __syncthreads();
}

__device__ void delay(unsigned seed, int round, int role) {
  unsigned mixed = seed ^ (static_cast<unsigned>(round) * 0x9e3779b9U) ^ (static_cast<unsigned>(role) * 0x85ebca6bU);
  mixed = (mixed ^ (mixed >> 15)) * 0x2c1b3c6dU;
  const unsigned cycles = (mixed >> 12) % 512U;
  const auto begin = static_cast<unsigned>(clock());
  while (static_cast<unsigned>(clock()) - begin < cycles) {
  }
}

/// A role is a CTA, or a warp where all are in a CTA.
template <Ordered How, Scope OfAccess, Scope OfFence>
__global__ void litmus(Test test, Arrays arrays, unsigned seed) {
  const bool is_in_cta = test.where == Where::in_a_cta;
  const auto warp = static_cast<int>(threadIdx.x / 32);
  const auto block = static_cast<int>(blockIdx.x);
  const int width = test.where == Where::in_a_cluster ? most_roles : test.roles;  // CTAs of a group
  const int role = is_in_cta ? warp : block % width;
  const int group = is_in_cta ? block : block / width;
  const int instance =
      is_in_cta ? group * 32 + static_cast<int>(threadIdx.x % 32) : group * threads + static_cast<int>(threadIdx.x);
  for (int round = 0; round < rounds; ++round) {
    if (is_in_cta) {
      __syncthreads();
    } else {
      meet(arrays.arrivals + group, static_cast<unsigned>(width * (round + 1)));
    }
    if (role >= test.roles) {
      continue;
    }
    delay(seed, round, role);
    const Role& it = test.role[role];
    unsigned seen[2] = {};
    access<How, OfAccess>(it.accesses[0], arrays, round, instance, seen[0]);
    fence<How, OfFence>();
    access<How, OfAccess>(it.accesses[1], arrays, round, instance, seen[1]);
    unsigned* const out = arrays.seen_by(role, round, instance);
    out[0] = seen[0];
    out[1] = seen[1];
  }
}

__global__ void count(Arrays arrays, unsigned long long* counts) {
  const auto all = static_cast<std::size_t>(rounds) * static_cast<std::size_t>(arrays.instances);
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x) {
    unsigned outcome = 0;
    int shift = 0;
    for (int k = 0; k < 2 * most_roles; ++k, shift += 2) {
      outcome |= (arrays.seen[i * 2 * most_roles + static_cast<std::size_t>(k)] & 3U) << shift;
    }
    for (int location = 0; location < most_locations; ++location, shift += 2) {
      outcome |=
          (arrays.words[(static_cast<std::size_t>(location) * all + i) * static_cast<std::size_t>(arrays.stride)] & 3U)
          << shift;
    }
    atomicAdd(counts + outcome, 1ULL);
  }
}

using Kernel = void (*)(Test, Arrays, unsigned);

template <Ordered How, Scope OfAccess>
Kernel kernel_of(Scope fence) {
  if constexpr (How == Ordered::not_at_all || How == Ordered::by_accesses) {
    return litmus<How, OfAccess, Scope::gpu>;
  } else {
    return fence == Scope::cta       ? litmus<How, OfAccess, Scope::cta>
           : fence == Scope::cluster ? litmus<How, OfAccess, Scope::cluster>
                                     : litmus<How, OfAccess, Scope::gpu>;
  }
}
template <Ordered How>
Kernel kernel_of(Scope access, Scope fence) {
  return access == Scope::cta       ? kernel_of<How, Scope::cta>(fence)
         : access == Scope::cluster ? kernel_of<How, Scope::cluster>(fence)
                                    : kernel_of<How, Scope::gpu>(fence);
}
Kernel kernel_of(const Test& test) {
  switch (test.ordered) {
    case Ordered::not_at_all:
      return kernel_of<Ordered::not_at_all>(test.access, test.fence);
    case Ordered::by_accesses:
      return kernel_of<Ordered::by_accesses>(test.access, test.fence);
    case Ordered::by_acq_rel:
      return kernel_of<Ordered::by_acq_rel>(test.access, test.fence);
    default:
      return kernel_of<Ordered::by_sc>(test.access, test.fence);
  }
}

int multiprocessors() {
  int device = 0;
  int result = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&result, cudaDevAttrMultiProcessorCount, device);
  return result;
}

/// Memory of one run; freed with it.
class Memory {
 public:
  Memory(std::size_t words, std::size_t seen, std::size_t groups) : words_(words), groups_(groups) {
    cudaMalloc(&arrays.words, words * sizeof(unsigned));
    cudaMalloc(&arrays.seen, seen * sizeof(unsigned));
    cudaMalloc(&arrays.arrivals, groups * sizeof(unsigned));
    cudaMalloc(&counts, outcomes * sizeof(unsigned long long));
    cudaMemset(counts, 0, outcomes * sizeof(unsigned long long));
    cudaMemset(arrays.seen, 0, seen * sizeof(unsigned));
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    cudaFree(arrays.words);
    cudaFree(arrays.seen);
    cudaFree(arrays.arrivals);
    cudaFree(counts);
  }
  void clear() const {
    cudaMemsetAsync(arrays.words, 0, words_ * sizeof(unsigned));
    cudaMemsetAsync(arrays.arrivals, 0, groups_ * sizeof(unsigned));
  }

  Arrays arrays{};
  unsigned long long* counts = nullptr;

 private:
  std::size_t words_;
  std::size_t groups_;
};

/// CTAs that wait for each other are all resident: as a cooperative grid, or in clusters.
cudaError_t launch(const Test& test, int ctas, const Arrays& arrays, unsigned seed) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ctas));
  config.blockDim = dim3(threads);
  cudaLaunchAttribute attribute{};
  if (test.where == Where::in_a_cluster) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {most_roles, 1, 1};
  } else {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel_of(test), test, arrays, seed);
}

}  // namespace

std::string missing_device() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    cudaGetLastError();
    return "there is no GPU";
  }
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  return major < 9 ? "the GPU has no clusters" : "";
}

std::string name_of_device() {
  cudaDeviceProp properties{};
  return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "";
}

Counts run(const Test& test, int launches, unsigned seed, std::string& error) {
  const bool is_in_cta = test.where == Where::in_a_cta;
  const int width = is_in_cta ? 1 : test.where == Where::in_a_cluster ? most_roles : test.roles;
  const int groups = multiprocessors() / width / 2;  // half of the GPU, so that clusters have room
  const int instances = groups * (is_in_cta ? 32 : threads);
  constexpr int strides[] = {1, 8, 32};
  const auto all = static_cast<std::size_t>(rounds) * static_cast<std::size_t>(instances);
  Memory memory(all * most_locations * 32, all * 2 * most_roles, static_cast<std::size_t>(groups));
  memory.arrays.instances = instances;
  for (int i = 0; i < launches; ++i) {
    memory.arrays.stride = strides[(seed + static_cast<unsigned>(i)) % 3];
    memory.clear();
    if (const cudaError_t failed = launch(test, groups * width, memory.arrays, seed + static_cast<unsigned>(i) * 7919U);
        failed != cudaSuccess) {
      error = cudaGetErrorString(failed);
      return {};
    }
    count<<<128, 256>>>(memory.arrays, memory.counts);
  }
  std::vector<unsigned long long> counts(outcomes);
  if (const cudaError_t failed =
          cudaMemcpy(counts.data(), memory.counts, outcomes * sizeof(unsigned long long), cudaMemcpyDeviceToHost);
      failed != cudaSuccess) {
    error = cudaGetErrorString(failed);
    return {};
  }
  Counts result;
  for (std::size_t outcome = 0; outcome < outcomes; ++outcome) {
    if (counts[outcome] != 0) {
      result[static_cast<unsigned>(outcome)] = counts[outcome];
    }
  }
  return result;
}

}  // namespace gpu_litmus
