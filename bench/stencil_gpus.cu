// Stars over two GPUs: steps of the slabs of a domain, by the exchanges of applications/stencil, and the same steps of
// one GPU; of radius 4, and of radius 1 and 2 one by one and two at once. Weak scaling has a domain of this size on
// each GPU, strong scaling one on both.

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

constexpr int steps = 20;
constexpr double limit_seconds = 10;
using Store = stencil::StoreSum<float>;

/// Averages, which keep values near those of before: random numbers decay to smooth ones and not to zeros.
template <int Radius>
constexpr stencil::Star<float, Radius> star{};
template <>
constexpr stencil::Star<float, 1> star<1>{{1.0F / 7, 1.0F / 7}};
template <>
constexpr stencil::Star<float, 2> star<2>{{1.0F / 13, 1.0F / 13, 1.0F / 13}};
/// The second derivative to the eighth order, along three axes at once, in units that keep the sums of 20 steps below
/// the largest value: the magnitudes add to less than 1.
template <>
constexpr stencil::Star<float, 4> star<4>{
    {-8.541667F / 32, 1.6F / 32, -0.2F / 32, 0.025396825F / 32, -0.0017857143F / 32}};

/// A star's steps, `at_once` of them in one pass.
template <int Radius, int AtOnce>
struct Stepping {
  static constexpr int radius = Radius;
  static constexpr int at_once = AtOnce;
  static constexpr int reach = Radius * AtOnce;
  static constexpr int passes = steps / AtOnce;
  static_assert(steps % (2 * AtOnce) == 0);  // the result is in the first field

  template <class Take>
  static void pass(const stencil::GpuSlab<float>& slab, int from, const Take& take) {
    if constexpr (AtOnce == 1) {
      slab.march(from, star<Radius>, Store{slab.field(1 - from).data}, take);
    } else {
      slab.steps<AtOnce>(from, star<Radius>, take);
    }
  }
  static void pass(const stencil::MarchLauncher& march, const Field<const float>& u, const Field<float>& out,
                   cudaStream_t stream) {
    if constexpr (AtOnce == 1) {
      march(u, star<Radius>, Store{out.data}, stream);
    } else {
      march.steps<AtOnce>(u, star<Radius>, Field<float>{}, out, stream);
    }
  }
};

struct Extents {
  int nx, ny, nz;
  [[nodiscard]] std::string name() const {
    return std::to_string(nx) + "x" + std::to_string(ny) + "x" + std::to_string(nz);
  }
};

/// Random values in [-1, 1): GPUs have more power left on zeros.
__global__ void set_values(float* to, long long elements) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < elements; i += threads) {
    to[i] = static_cast<float>(value_at(i)) / 1024 - 1;
  }
}
/// @pre rows without padding, which kernels take for zeros; on the current GPU
void set_values(float* to, std::size_t bytes) {
  set_values<<<1024, 256>>>(to, static_cast<long long>(bytes / sizeof(float)));
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

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
template <class Stepping, class Exchange, bool by_graphs = false>
class Run {
 public:
  Run(const Extents& n, const std::vector<int>& devices)
      : slabs_(n.nx, n.ny, n.nz, Stepping::reach, devices), exchange_{slabs_}, ended_(devices.size()) {
    for (const Slab& slab : slabs_.slabs()) {
      const stencil::GpuSlab<float>& of_slab = slabs_[slab.index];
      check(cudaSetDevice(of_slab.device()));
      check(cudaEventCreateWithFlags(&ended_[static_cast<std::size_t>(slab.index)], cudaEventDisableTiming));
      set_values(of_slab.field(0).data, of_slab.bytes());
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
      constexpr int of_graphs = Exchange::steps_of_graphs;
      if (graphs_ == nullptr) {
        graphs_ = std::make_unique<stencil::StreamGraphs>(exchange_.streams(), [&] { enqueue(of_graphs); });
      }
      static_assert(Stepping::passes % of_graphs == 0);
      for (int i = 0; i < Stepping::passes; i += of_graphs) {
        graphs_->launch();
      }
    } else {
      enqueue(Stepping::passes);
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
      stencil::step(slabs_.slabs(), exchange_, slabs_.fields(1 - from),
                    [&](const Slab& slab, const auto& take) { Stepping::pass(slabs_[slab.index], from, take); });
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
template <class Stepping>
class OneGpu {
 public:
  explicit OneGpu(const Extents& n, int device = 0) : n_(n), device_(device) {
    check(cudaEventCreateWithFlags(&begins_, cudaEventDisableTiming));
    const Current here(device);
    for (float*& field : fields_) {
      check(cudaMalloc(&field, bytes()));
      set_values(field, bytes());
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
      for (int i = 0; i < Stepping::passes; ++i) {
        const long long pitch = Field<float>::padded(n_.nx);
        Stepping::pass(*march_, {fields_[i % 2], n_.nx, n_.ny, n_.nz, pitch},
                       {fields_[1 - i % 2], n_.nx, n_.ny, n_.nz, pitch}, stream_);
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
/// one GPU within the stencil's bound, `6 * radius + 4` roundings of the largest value a step, or by bits where steps
/// are made at once.
template <class Stepping, class Slabs>
[[nodiscard]] std::string wrong_steps(const Extents& n, Slabs& run, int gpus) {
  std::vector<float> values(static_cast<std::size_t>(Field<float>::padded(n.nx) * n.ny * n.nz));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(value_at(static_cast<long long>(i))) / 1024 - 1;
  }
  const Field<const float> from{values.data(), n.nx, n.ny, n.nz, Field<float>::padded(n.nx)};
  const std::vector<float> result = run.field_after_steps(from);
  {
    Run<Stepping, stencil::PeerCopy> on_one(n, std::vector<int>(static_cast<std::size_t>(gpus)));
    const std::vector<float> expected = on_one.field_after_steps(from);
    if (std::memcmp(expected.data(), result.data(), result.size() * sizeof(float)) != 0) {
      return "other bits than the same slabs on one GPU";
    }
  }
  const std::vector<float> expected = OneGpu<Stepping>(n).field_after_steps(from);
  if (Stepping::at_once > 1 && std::memcmp(expected.data(), result.data(), result.size() * sizeof(float)) != 0) {
    return "other bits than one GPU";
  }
  double worst = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double error = std::abs(static_cast<double>(result[i]) - static_cast<double>(expected[i]));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  const double bound = 2 * steps * (6 * Stepping::radius + 4) * std::ldexp(1, -24);
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

template <class Stepping, class Slabs>
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
      subject.wrong = [=](cudaStream_t) { return wrong_steps<Stepping>(n, *run, gpus); };
    }
    return subject;
  });
}

template <class Stepping>
void add_scaling(const std::string& sweep, const Extents& n, const std::string& scaling, int gpus) {
  const std::string name = sweep + "/size:" + n.name() + "/scaling:" + scaling + "/gpus:" + std::to_string(gpus);
  const Extents all{n.nx, n.ny, scaling == "weak" ? n.nz * gpus : n.nz};
  // GPUs of one kind differ by up to 2%, and those of a step wait for the slower one.
  for (int device = 0; device < gpus; ++device) {
    add(name + "/by:" + (device == 0 ? "one_gpu" : "gpu_" + std::to_string(device) + "_alone"), [=] {
      expect_gpus(device + 1);
      const auto run = std::make_shared<OneGpu<Stepping>>(n, device);
      Subject subject;
      subject.launch = [=](cudaStream_t stream, int) { run->start(stream); };
      subject.launches = 1;
      subject.in_graph = false;
      subject.rounds = steps;
      return subject;
    });
  }
  add_run<Stepping, Run<Stepping, NoExchange>>(name + "/by:no_exchange", all, gpus, false);
  add_run<Stepping, Run<Stepping, stencil::PeerCopy>>(name + "/by:dma", all, gpus, true);
  if constexpr (Stepping::passes % stencil::PeerCopy::steps_of_graphs == 0) {
    add_run<Stepping, Run<Stepping, stencil::PeerCopy, true>>(name + "/by:dma_graphs", all, gpus, true);
  }
#if defined(STENCIL_HAS_NCCL)
  if constexpr (Stepping::at_once == 1) {
    add_run<Stepping, Run<Stepping, stencil::Nccl>>(name + "/by:nccl", all, gpus, true);
  }
#endif
}

}  // namespace

void add_stencil_gpus() {
  constexpr int gpus = 2;
  for (const Extents& n : {Extents{512, 512, 512}, {800, 800, 200}}) {
    for (const char* const scaling : {"strong", "weak"}) {
      add_scaling<Stepping<4, 1>>("stencil", n, scaling, gpus);
      add_scaling<Stepping<1, 1>>("stencil_steps/radius:1/at_once:1", n, scaling, gpus);
      add_scaling<Stepping<1, 2>>("stencil_steps/radius:1/at_once:2", n, scaling, gpus);
      add_scaling<Stepping<2, 1>>("stencil_steps/radius:2/at_once:1", n, scaling, gpus);
      add_scaling<Stepping<2, 2>>("stencil_steps/radius:2/at_once:2", n, scaling, gpus);
    }
  }
}

}  // namespace bench
