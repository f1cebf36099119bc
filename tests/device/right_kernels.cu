#include "device/device.hpp"
#include "kernels/right.hpp"
#include "kernels/right_atomics.hpp"
#include "kernels/right_barriers.hpp"
#include "kernels/right_ctas.hpp"
#include "kernels/right_loops.hpp"
#include "kernels/right_memory.hpp"
#include "kernels/right_pipelines.hpp"
#include "kernels/right_queues.hpp"
#include "kernels/right_roles.hpp"
#include "kernels/right_shapes.hpp"
#include "kernels/right_slots.hpp"
#include "kernels/right_stores.hpp"
#include "kernels/right_updates.hpp"
#include "kernels/right_warps.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace {

template <class Kernel>
CaseResult run(int launches) {
  std::vector<int> in(Kernel::in_count);
  for (int i = 0; i < Kernel::in_count; ++i) {
    in[static_cast<std::size_t>(i)] = right::number(i);
  }
  const std::vector<int> before(Kernel::out_count, right::untouched);
  std::vector<int> out(Kernel::out_count);
  int* device_in = nullptr;
  int* device_out = nullptr;
  right::Word* words = nullptr;
  cudaMalloc(&device_in, in.size() * sizeof(int));
  cudaMalloc(&device_out, out.size() * sizeof(int));
  cudaMalloc(&words, right::word_count * sizeof(right::Word));
  cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
  CaseResult result{Kernel::name, 0};
  for (int launch = 0; launch < launches; ++launch) {
    cudaMemcpy(device_out, before.data(), before.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(words, 0, right::word_count * sizeof(right::Word));
    dma::launch(Kernel{}, {Kernel::ctas}, nullptr, static_cast<const int*>(device_in), device_out, words);
    if (cudaMemcpy(out.data(), device_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) {
      ++result.wrong;
    }
    for (int i = 0; i < Kernel::out_count; ++i) {
      result.wrong += out[static_cast<std::size_t>(i)] != Kernel::expected(in.data(), i) ? 1 : 0;
    }
  }
  cudaFree(device_in);
  cudaFree(device_out);
  cudaFree(words);
  return result;
}

template <class... Kernels>
void run_all(right::List<Kernels...>, int launches, std::vector<CaseResult>& results) {
  (results.push_back(run<Kernels>(launches)), ...);
}

}  // namespace

std::vector<CaseResult> run_right_kernels(int launches) {
  std::vector<CaseResult> results;
  run_all(right::Loops{}, launches, results);
  run_all(right::Slots{}, launches, results);
  run_all(right::SlotsByPointer{}, launches, results);
  run_all(right::Stores{}, launches, results);
  run_all(right::Updates{}, launches, results);
  run_all(right::SharedElements{}, launches, results);
  run_all(right::Pipelines{}, launches, results);
  run_all(right::Roles{}, launches, results);
  run_all(right::WarpCases{}, launches, results);
  run_all(right::Ctas{}, launches, results);
  run_all(right::Queues{}, launches, results);
  run_all(right::Pending{}, launches, results);
  run_all(right::Shapes{}, launches, results);
  run_all(right::MemoryCases{}, launches, results);
  run_all(right::Barriers{}, launches, results);
  run_all(right::Atomics{}, launches, results);
  return results;
}

std::vector<CaseResult> run_kernels_that_synccheck_misreads(int launches) {
  std::vector<CaseResult> results;
  run_all(right::SyncsApart{}, launches, results);
  return results;
}
