#pragma once

/// A slab in the memory of a GPU, and the march over it.

#include "../../examples/gpu.hpp"
#include "halo_exchange.hpp"
#include "tuning.hpp"

#include <dma/dma.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

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
    // Of its own, since another process maps it whole.
    constexpr std::size_t mapped_bytes = 2 << 20;
    check(cudaMalloc(&words_, mapped_bytes));
    check(cudaMemset(words_, 0, mapped_bytes));
    check(cudaDeviceSynchronize());
  }
  GpuSlab(const GpuSlab&) = delete;
  GpuSlab& operator=(const GpuSlab&) = delete;
  ~GpuSlab() {
    cudaSetDevice(device_);
    if (cudaStreamQuery(stream_) == cudaErrorNotReady) {
      return;  // it waits for a lost neighbour, and so would every call here; the process ends
    }
    cudaStreamDestroy(stream_);
    cudaEventDestroy(marks_[0]);
    cudaEventDestroy(marks_[1]);
    cudaFree(fields_[0].data);
    cudaFree(fields_[1].data);
    cudaFree(words_);
  }

  /// Marches leave so many SMs to the kernels of an exchange.
  void leave_sms(int count) { sms_ = std::max(1, sms_ - count); }

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
    with_neighbours(epilogue, take, [&]<class OfSlab>(const OfSlab& of_slab) {
      const Field<T>& u = fields_[from];
      with_march<T, Radius, OfSlab>(u.nx, u.ny, slab_.planes(), sms_, [&](auto kernel, const Plan& plan) {
        launch<decltype(kernel), 64>(plan, from, star, of_slab);
      });
    });
  }
  /// Starts `Count` steps at once from one field to the other.
  ///
  /// @pre the slab's ghosts are as many planes as the steps together reach
  template <int Count, int Radius, class Take>
  void steps(int from, const Star<T, Radius>& star, const Take& take) const {
    with_neighbours(StoreSum<T>{fields_[1 - from].data}, take, [&]<class OfSlab>(const OfSlab& of_slab) {
      const Field<T>& u = fields_[from];
      with_slab_steps<T, Radius, Count, OfSlab>(u.nx, u.ny, slab_.planes(), sms_, [&](auto kernel, const Plan& plan) {
        launch<decltype(kernel), 128>(plan, from, star, of_slab);
      });
    });
  }

 private:
  /// Calls `run(epilogue)` with the epilogue for the neighbours that the slab has.
  template <class Epilogue, class Take, class Run>
  void with_neighbours(const Epilogue& epilogue, const Take& take, const Run& run) const {
    with_slab_epilogue(slab_, epilogue, words_->finished, take, [&]<class OfSlab>(const OfSlab& of_slab) {
      if constexpr (sends_of<OfSlab> != Sends::to_none) {
        run(of_slab);
      } else {
        throw std::invalid_argument("stencil::GpuSlab: a slab without neighbours is a domain; use MarchLauncher");
      }
    });
  }
  template <class Kernel, int l2_bytes, int Radius, class OfSlab>
  void launch(const Plan& plan, int from, const Star<T, Radius>& star, const OfSlab& of_slab) const {
    check(cudaSetDevice(device_));
    const Field<const T> u = view(from);
    const auto map =
        dma::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0), {.l2_bytes = l2_bytes});
    dma::launch(Kernel{}, {plan.ctas}, stream_, map, u, star, plan.work, &words_->pace, of_slab);
  }

  Slab slab_;
  int device_;
  int sms_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t marks_[2];
  Field<T> fields_[2];
  SlabWords* words_ = nullptr;
};

}  // namespace stencil
