// The star of radius 4 over two GPUs: steps of the slabs of a domain, by the exchanges of applications/stencil, and the
// same steps of one GPU. Weak scaling has a domain of this size on each GPU, strong scaling one on both.

#include "../applications/stencil/launch.cuh"
#include "../applications/stencil/peer_copy.cuh"
#include "measure.hpp"
#include "sweeps.hpp"

#if defined(STENCIL_HAS_NCCL)
#include "../applications/stencil/nccl_exchange.cuh"
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {
namespace {

using stencil::Field;
using stencil::GpuSlabs;
using stencil::Slab;

constexpr int radius = 4;
constexpr int steps = 20;
constexpr double limit_seconds = 10;
using Star3D = stencil::Star<float, radius>;
using Store = stencil::StoreSum<float>;

/// The second derivative to the eighth order, along three axes at once, in units that keep the sums of 20 steps below
/// the largest value: the magnitudes add to less than 1.
constexpr Star3D star{{-8.541667F / 32, 1.6F / 32, -0.2F / 32, 0.025396825F / 32, -0.0017857143F / 32}};

struct Extents {
  int nx, ny, nz;
  [[nodiscard]] std::string name() const {
    return std::to_string(nx) + "x" + std::to_string(ny) + "x" + std::to_string(nz);
  }
};

/// No exchange: a bound of the others, with wrong answers.
struct NoExchange {
  const GpuSlabs<float>& slabs;
  [[nodiscard]] const char* name() const { return "no exchange"; }
  void await(const Slab&) const {}
  [[nodiscard]] stencil::RaiseFlag take(const Slab& slab) const { return {slabs[slab.index].words()->raised, 1}; }
  void send(const std::vector<Slab>&, const std::vector<Field<float>>&) const {}
};

/// The fields of a domain as slabs, and `steps` steps of them at a time, as a part of a stream of GPU 0: call by call
/// or as graphs.
template <class Exchange, bool by_graphs = false>
class Run {
 public:
  Run(const Extents& n, const std::vector<int>& devices)
      : slabs_(n.nx, n.ny, n.nz, radius, devices), exchange_{slabs_}, ended_(devices.size()) {
    for (const Slab& slab : slabs_.slabs()) {
      check(cudaSetDevice(slabs_[slab.index].device()));
      check(cudaEventCreateWithFlags(&ended_[static_cast<std::size_t>(slab.index)], cudaEventDisableTiming));
    }
    check(cudaSetDevice(0));
    check(cudaEventCreateWithFlags(&begins_, cudaEventDisableTiming));
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    cudaSetDevice(0);
    cudaEventDestroy(begins_);
    for (cudaEvent_t event : ended_) {
      cudaEventDestroy(event);
    }
  }

  [[nodiscard]] std::string name() const { return std::string(exchange_.name()) + (by_graphs ? ", graphs" : ""); }

  void start(cudaStream_t stream) {
    check(cudaEventRecord(begins_, stream));
    for (const Slab& slab : slabs_.slabs()) {
      check(cudaStreamWaitEvent(slabs_[slab.index].stream(), begins_, 0));
    }
    if constexpr (by_graphs) {
      constexpr int at_once = Exchange::steps_of_graphs;
      static_assert(steps % at_once == 0);
      if (graphs_ == nullptr) {
        graphs_ = std::make_unique<stencil::StreamGraphs>(exchange_.streams(), [&] { enqueue(at_once); });
      }
      for (int i = 0; i < steps; i += at_once) {
        graphs_->launch();
      }
    } else {
      enqueue(steps);
    }
    for (const Slab& slab : slabs_.slabs()) {
      const auto i = static_cast<std::size_t>(slab.index);
      check(cudaSetDevice(slabs_[slab.index].device()));
      check(cudaEventRecord(ended_[i], slabs_[slab.index].stream()));
      check(cudaStreamWaitEvent(stream, ended_[i], 0));
    }
    check(cudaSetDevice(0));
  }

  /// The field after `steps` steps from another.
  [[nodiscard]] std::vector<float> field_after_steps(const Field<const float>& from) {
    for (const Slab& slab : slabs_.slabs()) {
      slabs_[slab.index].load(from, 0);
    }
    start(slabs_[0].stream());
    slabs_.synchronize(limit_seconds);
    std::vector<float> result(static_cast<std::size_t>(from.plane_pitch() * from.nz));
    for (const Slab& slab : slabs_.slabs()) {
      slabs_[slab.index].store(0, {result.data(), from.nx, from.ny, from.nz, from.pitch});
    }
    check(cudaSetDevice(0));
    return result;
  }

 private:
  void enqueue(int count) {
    for (int i = 0; i < count; ++i) {
      const int from = i % 2;
      stencil::step(slabs_.slabs(), exchange_, slabs_.fields(1 - from), [&](const Slab& slab, const auto& take) {
        const auto& of_slab = slabs_[slab.index];
        of_slab.march(from, star, Store{of_slab.field(1 - from).data}, take);
      });
    }
  }

  GpuSlabs<float> slabs_;
  Exchange exchange_;
  std::unique_ptr<stencil::StreamGraphs> graphs_;
  cudaEvent_t begins_{};
  std::vector<cudaEvent_t> ended_;
};

/// Makes a GPU the current one, and GPU 0 again at the end.
struct Current {
  explicit Current(int device) { check(cudaSetDevice(device)); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() { cudaSetDevice(0); }
};

/// The same on one GPU, as a part of a stream of GPU 0.
class OneGpu {
 public:
  explicit OneGpu(const Extents& n, int device = 0) : n_(n), device_(device) {
    check(cudaEventCreateWithFlags(&begins_, cudaEventDisableTiming));
    const Current here(device);
    for (float*& field : fields_) {
      check(cudaMalloc(&field, bytes()));
      check(cudaMemset(field, 0, bytes()));
    }
    march_.emplace();
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&ended_, cudaEventDisableTiming));
    check(cudaDeviceSynchronize());
  }
  OneGpu(const OneGpu&) = delete;
  OneGpu& operator=(const OneGpu&) = delete;
  ~OneGpu() {
    cudaEventDestroy(begins_);
    cudaEventDestroy(ended_);
    cudaStreamDestroy(stream_);
    cudaFree(fields_[0]);
    cudaFree(fields_[1]);
  }

  void start(cudaStream_t stream) {
    check(cudaEventRecord(begins_, stream));
    {
      const Current here(device_);
      check(cudaStreamWaitEvent(stream_, begins_, 0));
      for (int i = 0; i < steps; ++i) {
        const Field<const float> u{fields_[i % 2], n_.nx, n_.ny, n_.nz, Field<float>::padded(n_.nx)};
        (*march_)(u, star, Store{fields_[1 - i % 2]}, stream_);
      }
      check(cudaEventRecord(ended_, stream_));
    }
    check(cudaStreamWaitEvent(stream, ended_, 0));
  }
  [[nodiscard]] std::vector<float> field_after_steps(const Field<const float>& from) {
    check(cudaMemcpy(fields_[0], from.data, bytes(), cudaMemcpyHostToDevice));
    start(nullptr);
    std::vector<float> result(bytes() / sizeof(float));
    check(cudaMemcpy(result.data(), fields_[0], bytes(), cudaMemcpyDeviceToHost));
    return result;
  }

 private:
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(Field<float>::padded(n_.nx) * n_.ny * n_.nz) * sizeof(float);
  }

  Extents n_;
  int device_;
  float* fields_[2];
  std::optional<stencil::MarchLauncher> march_;  // of that GPU
  cudaStream_t stream_{};
  cudaEvent_t begins_{};
  cudaEvent_t ended_{};
};

/// What is wrong with the steps of some slabs: they are those of the same slabs on one GPU, bit by bit, and those of
/// one GPU within the stencil's bound, 28 roundings of the largest value a step.
template <class Slabs>
[[nodiscard]] std::string wrong_steps(const Extents& n, Slabs& run, int gpus) {
  std::vector<float> values(static_cast<std::size_t>(Field<float>::padded(n.nx) * n.ny * n.nz));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(value_at(static_cast<long long>(i))) / 1024 - 1;
  }
  const Field<const float> from{values.data(), n.nx, n.ny, n.nz, Field<float>::padded(n.nx)};
  const std::vector<float> result = run.field_after_steps(from);
  {
    Run<stencil::PeerCopy> on_one(n, std::vector<int>(static_cast<std::size_t>(gpus)));
    const std::vector<float> expected = on_one.field_after_steps(from);
    if (std::memcmp(expected.data(), result.data(), result.size() * sizeof(float)) != 0) {
      return "other bits than the same slabs on one GPU";
    }
  }
  const std::vector<float> expected = OneGpu(n).field_after_steps(from);
  double worst = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double error = std::abs(static_cast<double>(result[i]) - static_cast<double>(expected[i]));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  const double bound = 2 * steps * (6 * radius + 4) * std::ldexp(1, -24);
  return worst <= bound ? "" : "an error of " + std::to_string(worst) + " against one GPU";
}

void expect_gpus(int gpus) {
  int present = 0;
  check(cudaGetDeviceCount(&present));
  if (present < gpus) {
    throw std::runtime_error("needs " + std::to_string(gpus) + " GPUs, and this machine has " +
                             std::to_string(present));
  }
}

template <class Slabs>
void add_run(const std::string& name, const Extents& n, int gpus, bool is_checked) {
  add(name, [=] {
    expect_gpus(gpus);
    std::vector<int> devices;
    for (int i = 0; i < gpus; ++i) {
      devices.push_back(i);
    }
    const auto run = std::make_shared<Slabs>(n, devices);
    Subject subject;
    subject.launch = [=](cudaStream_t stream, int) { run->start(stream); };
    subject.launches = 1;
    subject.in_graph = false;
    subject.rounds = steps;
    subject.label = run->name();
    if (is_checked) {
      subject.wrong = [=](cudaStream_t) { return wrong_steps(n, *run, gpus); };
    }
    return subject;
  });
}

void add_scaling(const Extents& n, const std::string& scaling, int gpus) {
  const std::string name = "stencil/size:" + n.name() + "/scaling:" + scaling + "/gpus:" + std::to_string(gpus);
  const Extents all{n.nx, n.ny, scaling == "weak" ? n.nz * gpus : n.nz};
  // GPUs of one kind differ by up to 2%, and those of a step wait for the slower one.
  for (int device = 0; device < gpus; ++device) {
    add(name + "/by:" + (device == 0 ? "one_gpu" : "gpu_" + std::to_string(device) + "_alone"), [=] {
      expect_gpus(device + 1);
      const auto run = std::make_shared<OneGpu>(n, device);
      Subject subject;
      subject.launch = [=](cudaStream_t stream, int) { run->start(stream); };
      subject.launches = 1;
      subject.in_graph = false;
      subject.rounds = steps;
      return subject;
    });
  }
  add_run<Run<NoExchange>>(name + "/by:no_exchange", all, gpus, false);
  add_run<Run<stencil::PeerCopy>>(name + "/by:dma", all, gpus, true);
  add_run<Run<stencil::PeerCopy, true>>(name + "/by:dma_graphs", all, gpus, true);
#if defined(STENCIL_HAS_NCCL)
  add_run<Run<stencil::Nccl>>(name + "/by:nccl", all, gpus, true);
#endif
}

}  // namespace

void add_stencil_gpus() {
  constexpr int gpus = 2;
  for (const Extents& n : {Extents{512, 512, 512}, {800, 800, 200}}) {
    for (const char* const scaling : {"strong", "weak"}) {
      add_scaling(n, scaling, gpus);
    }
  }
}

}  // namespace bench
