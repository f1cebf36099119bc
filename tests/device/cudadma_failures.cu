#include <dma/dma.hpp>

#include "device/device.hpp"
#include "device/matrix.cuh"
#include "kernels/cudadma_failures.hpp"
#include "kernels/shared_indices.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace {

/// The GPU as a runner that the shared cases run on, over memory that both sides see.
class DeviceRunner {
 public:
  DeviceRunner() = default;
  DeviceRunner(const DeviceRunner&) = delete;
  DeviceRunner& operator=(const DeviceRunner&) = delete;
  ~DeviceRunner() {
    for (void* block : blocks_) {
      cudaFree(block);
    }
  }

  [[nodiscard]] unsigned char* bytes(std::size_t count) {
    void* block = nullptr;
    check(cudaMallocManaged(&block, count + 16));
    blocks_.push_back(block);
    return static_cast<unsigned char*>(block);
  }

  template <class Body, class... Args>
  void run(const Body& body, int ctas, const Args&... args) const {
    dma::launch(body, {ctas}, nullptr, args...);
    check(cudaDeviceSynchronize());
  }

 private:
  std::vector<void*> blocks_;
};

}  // namespace

std::vector<CaseResult> run_cudadma_failures() {
  DeviceRunner runner;
  return {
      {"a size that is not a multiple of 4", failures::sizes_that_are_no_multiple_of_4(runner)},
      {"an element larger than a step", failures::elements_larger_than_a_step(runner)},
      {"no elements", failures::no_elements(runner)},
      {"a scatter", failures::scatters(runner)},
      {"unequal strides", failures::unequal_strides(runner)},
      {"a group larger than the tile", failures::groups_larger_than_the_tile(runner)},
      {"one object over many tiles", failures::one_object_over_many_tiles(runner)},
      {"two objects in one kernel", failures::two_objects_in_one_kernel(runner)},
  };
}

long long gather_by_indices_in_shared_memory() {
  DeviceRunner runner;
  return shared_indices::wrong_elements(runner);
}
