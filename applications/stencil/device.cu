#include "../../examples/gpu.hpp"
#include "runner.hpp"

#include "launch.cuh"
#include "plane_copy.hpp"
#include "radii.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace stencil {
namespace {

using gpu::check;

/// A field in the GPU's memory, zero at first.
template <class T>
class DeviceField {
 public:
  DeviceField() = default;
  DeviceField(int nx, int ny, int nz) : field_{nullptr, nx, ny, nz, Field<T>::padded(nx)} {
    check(cudaMalloc(&field_.data, bytes()));
    check(cudaMemset(field_.data, 0, bytes()));
  }
  explicit DeviceField(const Field<const T>& from) : DeviceField(from.nx, from.ny, from.nz) {
    check(cudaMemcpy(field_.data, from.data, bytes(), cudaMemcpyHostToDevice));
  }
  DeviceField(DeviceField&& other) noexcept : field_(std::exchange(other.field_, {})) {}
  DeviceField& operator=(DeviceField&& other) noexcept {
    std::swap(field_, other.field_);
    return *this;
  }
  ~DeviceField() { cudaFree(field_.data); }

  [[nodiscard]] const Field<T>& field() const { return field_; }
  [[nodiscard]] Field<const T> view() const { return {field_.data, field_.nx, field_.ny, field_.nz, field_.pitch}; }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(field_.plane_pitch() * field_.nz) * sizeof(T);
  }
  /// Sets every point to NaN and the padding to zero.
  void poison(cudaStream_t stream) const {
    check(cudaMemset2DAsync(field_.data, static_cast<std::size_t>(field_.pitch) * sizeof(T), 0xff,
                            static_cast<std::size_t>(field_.nx) * sizeof(T),
                            static_cast<std::size_t>(field_.ny) * static_cast<std::size_t>(field_.nz), stream));
  }
  void copy_to(const Field<T>& to) const { check(cudaMemcpy(to.data, field_.data, bytes(), cudaMemcpyDeviceToHost)); }

 private:
  Field<T> field_{};
};

__global__ void add_source(float* to, float value) { *to += value; }

class DeviceWave final : public Wave {
 public:
  DeviceWave(const Medium& medium, const Star<float, radius>& laplacian)
      : medium_(medium),
        laplacian_(laplacian),
        now_(medium.nx, medium.ny, medium.nz),
        before_(medium.nx, medium.ny, medium.nz) {}

  void step(float source) override {
    float* const before = before_.field().data;
    march_(now_.view(), laplacian_,
           StepWave<float>{now_.field().data, before, medium_.upper, medium_.lower, medium_.interface}, nullptr);
    add_source<<<1, 1>>>(before + now_.field().at(medium_.source_x, medium_.source_y, medium_.source_z), source);
    check(cudaGetLastError());
    std::swap(now_, before_);
  }

  void read_slice(int y, std::vector<float>& to) override {
    to.resize(static_cast<std::size_t>(medium_.nx) * static_cast<std::size_t>(medium_.nz));
    stencil::read_slice(now_.field(), y, 0, medium_.nz, to.data());
  }
  void read_planes(State state, int first, int count, float* to) override {
    stencil::read_planes(field(state), first, count, to);
  }
  void write_planes(State state, int first, int count, const float* from) override {
    stencil::write_planes(field(state), first, count, from);
  }

 private:
  [[nodiscard]] const Field<float>& field(State state) const { return (state == State::now ? now_ : before_).field(); }

  Medium medium_;
  Star<float, radius> laplacian_;
  DeviceField<float> now_;
  DeviceField<float> before_;
  MarchLauncher march_;
};

class DeviceRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return gpu_.properties.name; }
  [[nodiscard]] bool has(std::string_view) const override { return true; }

  void load(const Field<const float>& u, const Star<float, radius>& star, const Field<float>& out) override {
    star_ = star;
    host_out_ = out;
    in_ = DeviceField<float>(u);
    out_ = DeviceField<float>(u.nx, u.ny, u.nz);
  }

  void run(std::string_view kernel) override {
    out_.poison(gpu_.stream);
    launch(kernel);
    check(cudaStreamSynchronize(gpu_.stream));
    out_.copy_to(host_out_);
  }

  [[nodiscard]] double time(std::string_view kernel) override {
    return median_seconds([&] { launch(kernel); });
  }

  [[nodiscard]] double copy_rate() override {
    const double seconds = median_seconds([&] {
      check(cudaMemcpyAsync(out_.field().data, in_.field().data, in_.bytes(), cudaMemcpyDeviceToDevice, gpu_.stream));
    });
    return 2.0 * static_cast<double>(in_.bytes()) / seconds;
  }

  void march(const Field<const float>& u, const std::vector<float>& coefficients, const Field<float>& out) override {
    march_any(u, coefficients, out);
  }
  void march(const Field<const double>& u, const std::vector<double>& coefficients, const Field<double>& out) override {
    march_any(u, coefficients, out);
  }
  void steps(const Field<const float>& u, const std::vector<float>& coefficients, int count,
             const Field<float>& out) override {
    steps_any(u, coefficients, count, out);
  }
  void steps(const Field<const double>& u, const std::vector<double>& coefficients, int count,
             const Field<double>& out) override {
    steps_any(u, coefficients, count, out);
  }

  void steps_in_slabs(const Field<const float>& u, const std::vector<float>& coefficients, int passes,
                      const Division& division, const Field<float>& out) override {
    gpu_steps_in_slabs(u, coefficients, passes, division, out);
  }

  [[nodiscard]] std::unique_ptr<Wave> wave(const Medium& medium, const Star<float, radius>& laplacian,
                                           const Division& division) override {
    if (division.slabs > 1) {
      return slab_wave(medium, laplacian, division);
    }
    return std::make_unique<DeviceWave>(medium, laplacian);
  }

 private:
  void launch(std::string_view kernel) const {
    const StoreSum<float> store{out_.field().data};
    if (kernel == "march") {
      march_(in_.view(), star_, store, gpu_.stream);
    } else if (kernel == "reference") {
      launch_2009(in_.view(), star_, store, gpu_.stream);
    } else if (kernel == "cached") {
      launch_cached(in_.view(), star_, store, gpu_.stream);
    } else {
      with_paper_kernel<float, radius, StoreSum<float>>(kernel, [&](const auto& body) {
        dma::launch(body, paper_grid(in_.view()), gpu_.stream, in_.view(), star_, store);
      });
    }
    check(cudaGetLastError());
  }

  template <class T>
  void march_any(const Field<const T>& u, const std::vector<T>& coefficients, const Field<T>& out) {
    over_device_fields(u, out, [&](const DeviceField<T>& from, const DeviceField<T>& to) {
      march_any_radius(march_, from.view(), coefficients, to.field(), gpu_.stream);
    });
  }
  template <class T>
  void steps_any(const Field<const T>& u, const std::vector<T>& coefficients, int count, const Field<T>& out) {
    const DeviceField<T> between(u.nx, u.ny, u.nz);
    between.poison(gpu_.stream);
    over_device_fields(u, out, [&](const DeviceField<T>& from, const DeviceField<T>& to) {
      steps_any_radius(march_, from.view(), coefficients, count, between.field(), to.field(), gpu_.stream);
    });
  }
  template <class T, class Work>
  void over_device_fields(const Field<const T>& u, const Field<T>& out, const Work& work) {
    const DeviceField<T> from(u);
    const DeviceField<T> to(u.nx, u.ny, u.nz);
    to.poison(gpu_.stream);
    work(from, to);
    check(cudaStreamSynchronize(gpu_.stream));
    to.copy_to(out);
  }

  /// Seconds of one launch among several in a row.
  template <class Work>
  [[nodiscard]] double median_seconds(const Work& work) const {
    constexpr int launches = 10;
    return gpu::median_seconds(gpu_.stream,
                               [&] {
                                 for (int i = 0; i < launches; ++i) {
                                   work();
                                 }
                               }) /
           launches;
  }

  gpu::Device gpu_;
  MarchLauncher march_;
  Star<float, radius> star_{};
  Field<float> host_out_{};
  DeviceField<float> in_;
  DeviceField<float> out_;
};

}  // namespace

Runner* device_runner(std::string& reason) { return gpu::only_runner<DeviceRunner>(reason); }

}  // namespace stencil
