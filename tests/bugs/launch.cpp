// Launches a kernel on a GPU by the line that dma-prove takes: launch FILE.ptx LAUNCH [TIMES]. Each time begins with
// new arrays; a line is a hash of what the kernel wrote, or the error with which it ended.
#include <dma/proof/ptx/launch/arrays.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/read/reader.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace ptx = dma::proof::ptx::detail;

void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

/// An array of the launch, and its copy on the GPU.
struct DeviceArray {
  ptx::Array* array;
  void* copy = nullptr;
};

class Launch {
 public:
  Launch(const std::string& file, const ptx::LaunchLine& line) : line_(line) {
    std::ifstream input(file, std::ios::binary);
    module_ = ptx::read(text_ = {std::istreambuf_iterator<char>(input), {}});
    check(cudaLibraryLoadData(&library_, text_.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    check(cudaLibraryGetKernel(&kernel_, library_, line.entry.c_str()));
  }
  /// The hash of what it wrote.
  [[nodiscard]] std::uint64_t run() {
    ptx::Arrays arrays;
    take_arguments(arrays);
    std::vector<void*> addresses;
    for (std::uint64_t& value : values_) {
      addresses.push_back(&value);
    }
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(line_.cluster.x), static_cast<unsigned>(line_.cluster.y),
                              static_cast<unsigned>(line_.cluster.z)};
    cudaLaunchConfig_t config{};
    config.gridDim = {static_cast<unsigned>(line_.grid.x), static_cast<unsigned>(line_.grid.y),
                      static_cast<unsigned>(line_.grid.z)};
    config.blockDim = {static_cast<unsigned>(line_.block.x), static_cast<unsigned>(line_.block.y),
                       static_cast<unsigned>(line_.block.z)};
    config.dynamicSmemBytes = line_.shared_bytes;
    config.attrs = &cluster;
    config.numAttrs = line_.cluster.x * line_.cluster.y * line_.cluster.z > 1 ? 1 : 0;
    check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel_), addresses.data()));
    check(cudaDeviceSynchronize());
    return hash_of_outputs();
  }

 private:
  void take_arguments(ptx::Arrays& arrays) {
    const ptx::Function& entry = module_.functions.at(static_cast<std::size_t>(module_.function_of.at(line_.entry)));
    values_.clear();
    device_arrays_.clear();
    for (std::size_t i = 0; i < line_.arguments.size(); ++i) {
      const ptx::LaunchArgument& argument = line_.arguments[i];
      if (argument.kind == ptx::LaunchArgument::Kind::number) {
        values_.push_back(ptx::bits_of(argument.number, entry.parameters.at(i).type));
        continue;
      }
      DeviceArray taken{&arrays.take(argument)};
      check(cudaMalloc(&taken.copy, taken.array->bytes.size()));
      check(cudaMemcpy(taken.copy, taken.array->bytes.data(), taken.array->bytes.size(), cudaMemcpyDefault));
      values_.push_back(reinterpret_cast<std::uintptr_t>(taken.copy));
      device_arrays_.push_back(taken);
    }
  }
  /// FNV-1a.
  [[nodiscard]] std::uint64_t hash_of_outputs() {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const DeviceArray& each : device_arrays_) {
      std::vector<unsigned char> bytes(each.array->bytes.size());
      check(cudaMemcpy(bytes.data(), each.copy, bytes.size(), cudaMemcpyDefault));
      check(cudaFree(each.copy));
      for (std::size_t i = 0; each.array->is_output && i < bytes.size(); ++i) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
      }
    }
    return hash;
  }

  const ptx::LaunchLine& line_;
  std::string text_;
  ptx::Module module_;
  cudaLibrary_t library_{};
  cudaKernel_t kernel_{};
  std::vector<std::uint64_t> values_;
  std::vector<DeviceArray> device_arrays_;
};

}  // namespace

int main(int count, char** values) {
  if (count < 3) {
    std::fprintf(stderr, "Usage: launch FILE.ptx LAUNCH [TIMES]\n");
    return 2;
  }
  try {
    const std::vector<ptx::LaunchLine> lines = ptx::LaunchReader(values[2]).read();
    Launch launch(values[1], lines.at(0));
    for (int times = count > 3 ? std::atoi(values[3]) : 1; times > 0; --times) {
      std::printf("%016llx\n", static_cast<unsigned long long>(launch.run()));
    }
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}
