#pragma once

/// A slab in the memory of a GPU, and the march over it.

#include "../gpu.hpp"
#include "halo_exchange.hpp"
#include "lost_neighbour.hpp"
#include "tuning.hpp"

#include <dma/dma.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

namespace stencil {

using gpu::check;

/// The words by which a slab's kernels, its copies and its neighbours' copies wait for each other.
struct SlabWords {
  unsigned raised[ends];   ///< by the march: the last step of which the end is finished
  unsigned arrived[ends];  ///< by a neighbour: the last step of which the ghosts are there
  dma::ArrivalCounter finished[ends];
  dma::PaceCounter pace;
};

/// Two fields of a slab with its ghosts, zero at first, and the stream of its marches.
template <class T>
class GpuSlab {
 public:
  GpuSlab(const Slab& slab, int device, int nx, int ny) : slab_(slab), device_(device) {
    check(cudaSetDevice(device));
    check(cudaDeviceGetAttribute(&sms_, cudaDevAttrMultiProcessorCount, device));
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : marks_) {
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    for (Field<T>& field : fields_) {
      field = {nullptr, nx, ny, slab.depth(), Field<T>::padded(nx)};
      check(cudaMalloc(&field.data, bytes()));
      check(cudaMemset(field.data, 0, bytes()));
    }
    check(cudaMalloc(&words_, sizeof *words_));
    check(cudaMemset(words_, 0, sizeof *words_));
    check(cudaDeviceSynchronize());
  }
  GpuSlab(const GpuSlab&) = delete;
  GpuSlab& operator=(const GpuSlab&) = delete;
  ~GpuSlab() {
    cudaSetDevice(device_);
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
    cudaEventDestroy(marks_[0]);
    cudaEventDestroy(marks_[1]);
    cudaFree(fields_[0].data);
    cudaFree(fields_[1].data);
    cudaFree(words_);
  }

  /// Records mark `number` in the stream, and returns the event of the one before, which may not have been recorded.
  [[nodiscard]] cudaEvent_t mark(int number) const {
    check(cudaSetDevice(device_));
    check(cudaEventRecord(marks_[number % 2], stream_));
    return marks_[1 - number % 2];
  }

  [[nodiscard]] const Slab& slab() const { return slab_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] SlabWords* words() const { return words_; }
  [[nodiscard]] const Field<T>& field(int which) const { return fields_[which]; }
  [[nodiscard]] Field<const T> view(int which) const {
    const Field<T>& f = fields_[which];
    return {f.data, f.nx, f.ny, f.nz, f.pitch};
  }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(fields_[0].plane_pitch() * slab_.depth()) * sizeof(T);
  }

  /// Loads the slab's planes, and its neighbours', from a field of the whole domain with the same pitch.
  void load(const Field<const T>& domain, int which, cudaMemcpyKind kind = cudaMemcpyHostToDevice) const {
    check(cudaSetDevice(device_));
    check(cudaMemcpy(fields_[which].data, domain.data + domain.at(0, 0, slab_.first - slab_.below()), bytes(), kind));
  }
  /// Stores the slab's own planes to such a field.
  void store(int which, const Field<T>& domain) const {
    const Field<T>& f = fields_[which];
    check(cudaSetDevice(device_));
    check(cudaMemcpy(domain.data + domain.at(0, 0, slab_.first), f.data + f.at(0, 0, slab_.below()),
                     static_cast<std::size_t>(f.plane_pitch() * slab_.planes()) * sizeof(T), cudaMemcpyDeviceToHost));
  }

  /// Starts a step from one field. The epilogue has the places of the slab's fields.
  template <int Radius, class Epilogue, class Take>
  void march(int from, const Star<T, Radius>& star, const Epilogue& epilogue, const Take& take) const {
    switch (slab_.sends()) {
      case Sends::to_below:
        return start<Sends::to_below>(from, star, epilogue, take);
      case Sends::to_above:
        return start<Sends::to_above>(from, star, epilogue, take);
      case Sends::to_both:
        return start<Sends::to_both>(from, star, epilogue, take);
      case Sends::to_none:
        break;
    }
    throw std::invalid_argument("stencil::GpuSlab: a slab without neighbours is a domain; use MarchLauncher");
  }

 private:
  template <Sends sends, int Radius, class Epilogue, class Take>
  void start(int from, const Star<T, Radius>& star, const Epilogue& epilogue, const Take& take) const {
    check(cudaSetDevice(device_));
    const Field<const T> u = view(from);
    const SlabEpilogue<Epilogue, sends, Take> of_slab{epilogue, slab_.below(), words_->finished, take};
    with_march<T, Radius, SlabEpilogue<Epilogue, sends, Take>>(
        u.nx, u.ny, slab_.planes(), sms_, [&](auto kernel, const Plan& plan) {
          using Kernel = decltype(kernel);
          const auto map =
              dma::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0), {.l2_bytes = 64});
          dma::launch(kernel, {plan.ctas}, stream_, map, u, star, plan.work, &words_->pace, of_slab);
        });
  }

  Slab slab_;
  int device_;
  int sms_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t marks_[2];
  Field<T> fields_[2];
  SlabWords* words_ = nullptr;
};

/// The slabs of a domain, one on each of some GPUs of this process.
template <class T>
class GpuSlabs {
 public:
  GpuSlabs(int nx, int ny, int nz, int reach, const std::vector<int>& devices)
      : slabs_(stencil::slabs(nz, reach, static_cast<int>(devices.size()))) {
    for (const Slab& slab : slabs_) {
      memory_.push_back(std::make_unique<GpuSlab<T>>(slab, devices[static_cast<std::size_t>(slab.index)], nx, ny));
    }
  }

  [[nodiscard]] const std::vector<Slab>& slabs() const { return slabs_; }
  [[nodiscard]] const GpuSlab<T>& operator[](int i) const { return *memory_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::vector<Field<T>> fields(int which) const {
    std::vector<Field<T>> all;
    for (const auto& of_slab : memory_) {
      all.push_back(of_slab->field(which));
    }
    return all;
  }

  /// Waits for the work in the slabs' streams. Throws where that takes more seconds: a lost neighbour sends no planes,
  /// and the march that waits for them would wait for ever.
  void synchronize(double seconds) const {
    const auto start = std::chrono::steady_clock::now();
    for (const auto& of_slab : memory_) {
      await(of_slab->slab(), start, seconds, [&] { return cudaStreamQuery(of_slab->stream()); });
    }
  }
  /// Notes where the slabs' streams are, and waits in the same way until they are where they were at the mark before.
  void mark(int number, double seconds) const {
    const auto start = std::chrono::steady_clock::now();
    for (const auto& of_slab : memory_) {
      const cudaEvent_t before = of_slab->mark(number);
      await(of_slab->slab(), start, seconds, [&] { return cudaEventQuery(before); });
    }
  }

 private:
  template <class Query>
  void await(const Slab& slab, std::chrono::steady_clock::time_point start, double seconds, const Query& query) const {
    cudaError_t state = query();
    while (state == cudaErrorNotReady) {
      if (std::chrono::steady_clock::now() - start > std::chrono::duration<double>(seconds)) {
        throw LostNeighbour("stencil: slab " + std::to_string(slab.index) + " of " + std::to_string(slabs_.size()) +
                            " waited " + std::to_string(static_cast<int>(seconds)) +
                            " s for its neighbours' planes; a GPU or a process is lost: start again from the last "
                            "checkpoint");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      state = query();
    }
    check(state);
  }

  std::vector<Slab> slabs_;
  std::vector<std::unique_ptr<GpuSlab<T>>> memory_;
};

}  // namespace stencil
