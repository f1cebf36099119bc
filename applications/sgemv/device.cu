#include "../../examples/gpu.hpp"
#include "runner.hpp"
#include "variants.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace sgemv {
namespace {

using gpu::check;

class DeviceRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return gpu_.properties.name; }

  void load(const Problem& p) override {
    host_ = p;
    a_count_ = static_cast<std::size_t>(p.lda) * static_cast<std::size_t>(p.n);
    // Launches use in turn so many copies of A that a copy has left the L2 before it is used again.
    const std::size_t wanted = 4 * static_cast<std::size_t>(gpu_.properties.l2CacheSize) /
                                   (std::max<std::size_t>(a_count_, 1) * sizeof(float)) +
                               1;
    copies_ = std::min<std::size_t>(wanted, 256);
    a_ = gpu::Array<float>(a_count_ * copies_);
    x_ = gpu::Array<float>(elements_of(p.summed(), p.incx));
    y_ = gpu::Array<float>(elements_of(p.outputs(), p.incy));
    initial_.assign(p.y, p.y + elements_of(p.outputs(), p.incy));
    for (std::size_t copy = 0; copy < copies_; ++copy) {
      check(cudaMemcpy(a_.data() + copy * a_count_, p.a, a_count_ * sizeof(float), cudaMemcpyHostToDevice));
    }
    check(cudaMemcpy(x_.data(), p.x, x_.bytes(), cudaMemcpyHostToDevice));
  }

  void run(std::string_view variant) override {
    make_workspace(variant);
    check(cudaMemcpyAsync(y_.data(), initial_.data(), y_.bytes(), cudaMemcpyHostToDevice, gpu_.stream));
    launch(variant, 0);
    check(cudaMemcpyAsync(host_.y, y_.data(), y_.bytes(), cudaMemcpyDeviceToHost, gpu_.stream));
    check(cudaStreamSynchronize(gpu_.stream));
  }

  [[nodiscard]] double time(std::string_view variant) override {
    make_workspace(variant);
    const std::size_t launches = std::max<std::size_t>(copies_, 16);
    return median_seconds_in_graph([&] {
             for (std::size_t i = 0; i < launches; ++i) {
               launch(variant, i % copies_);
             }
           }) /
           static_cast<double>(launches);
  }

  [[nodiscard]] double copy_rate() override {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    const gpu::Array<char> from(bytes);
    const gpu::Array<char> to(bytes);
    from.set_bytes(1);
    // Not in a graph: a copy node there is slower than the call.
    const double seconds = gpu::median_seconds(gpu_.stream, [&] {
      check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, gpu_.stream));
    });
    return 2.0 * static_cast<double>(bytes) / seconds;
  }

 private:
  void launch(std::string_view variant, std::size_t copy) const {
    Problem p = host_;
    p.a = a_.data() + copy * a_count_;
    p.x = x_.data();
    p.y = y_.data();
    const Workspace workspace{partial_.data(), arrivals_.data()};
    with_kernel(variant, p, [&](const auto& kernel, const Plan& plan) {
      dma::launch(kernel, plan.grid(), gpu_.stream, p, workspace);
    });
  }
  void make_workspace(std::string_view variant) {
    const WorkspaceSize size = workspace_of(variant, host_);
    partial_ = gpu::Array<double>(size.partial_sums);
    arrivals_ = gpu::Array<dma::ArrivalCounter>(size.counters);
    arrivals_.set_bytes(0);
  }

  /// The median over replays of a graph of `work`, which leaves out the time of launching.
  template <class Work>
  [[nodiscard]] double median_seconds_in_graph(const Work& work) const {
    cudaGraph_t graph{};
    cudaGraphExec_t replay{};
    check(cudaStreamBeginCapture(gpu_.stream, cudaStreamCaptureModeThreadLocal));
    work();
    check(cudaStreamEndCapture(gpu_.stream, &graph));
    check(cudaGraphInstantiate(&replay, graph, 0));
    const double seconds = gpu::median_seconds(gpu_.stream, [&] { check(cudaGraphLaunch(replay, gpu_.stream)); });
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
    return seconds;
  }

  gpu::Device gpu_;
  Problem host_{};
  std::size_t a_count_ = 0;
  std::size_t copies_ = 1;
  gpu::Array<float> a_;
  gpu::Array<float> x_;
  gpu::Array<float> y_;
  gpu::Array<double> partial_;
  gpu::Array<dma::ArrivalCounter> arrivals_;
  std::vector<float> initial_;  ///< y
};

}  // namespace

Runner* device_runner(std::string& reason) { return gpu::only_runner<DeviceRunner>(reason); }

}  // namespace sgemv
