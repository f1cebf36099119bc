#include "../gpu.hpp"
#include "kernel.hpp"

#include <cstddef>
#include <string>

namespace trace {
namespace {

/// GPU memory with the contents of an array of the host.
template <class T>
class Mirror {
 public:
  Mirror(T* host, std::size_t count) : host_(host), bytes_(count * sizeof(T)) {
    gpu::check(cudaMalloc(&device_, bytes_), "memory");
    gpu::check(cudaMemcpy(device_, host_, bytes_, cudaMemcpyHostToDevice), "copy to the GPU");
  }
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;
  ~Mirror() { cudaFree(device_); }

  [[nodiscard]] T* get() const { return static_cast<T*>(device_); }
  void read_back() const { gpu::check(cudaMemcpy(host_, device_, bytes_, cudaMemcpyDeviceToHost), "copy back"); }

 private:
  T* host_;
  std::size_t bytes_;
  void* device_ = nullptr;
};

}  // namespace

std::string run_on_device(const Problem& p, const Done& done) {
  if (std::string reason = gpu::missing(); !reason.empty()) {
    return reason;
  }
  const std::size_t count = static_cast<std::size_t>(p.tiles) * Tile::count;
  const Mirror<float> x(const_cast<float*>(p.x), count);
  const Mirror<float> y(p.y, count);
  for_each_buffering(p.tiles, [&](const auto& kernel, Recording& recording) {
    // The first run loads the kernel's code to the SM; the events of the second are kept.
    for (int run = 0; run < 2; ++run) {
      const Mirror<dma::TraceEvent> events(recording.events.data(), recording.events.size());
      dma::launch(kernel, {1}, nullptr, Problem{x.get(), y.get(), p.tiles, p.additions},
                  dma::TraceBuffer{events.get(), 1, recording.events_a_warp});
      gpu::check(cudaDeviceSynchronize(), "the kernel failed");
      if (run == 1) {
        events.read_back();
      }
    }
    y.read_back();
    done(recording);
  });
  return "";
}

}  // namespace trace
