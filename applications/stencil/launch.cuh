#pragma once

/// Starts the kernels on a GPU.

#include "../../examples/gpu.hpp"
#include "halo_only.hpp"
#include "reference.cuh"
#include "tuning.hpp"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

namespace stencil {

/// Launches `March` on the current GPU in the shape that suits a domain, one CTA an SM. Launches of one launcher are in
/// one stream, since their CTAs use one counter.
class MarchLauncher {
 public:
  MarchLauncher() {
    int device = 0;
    gpu::check(cudaGetDevice(&device), "no device");
    gpu::check(cudaDeviceGetAttribute(&sms_, cudaDevAttrMultiProcessorCount, device), "no device");
    gpu::check(cudaMalloc(&counter_, sizeof *counter_), "no memory for the pace counter");
    gpu::check(cudaMemset(counter_, 0, sizeof *counter_), "the pace counter");
  }
  MarchLauncher(const MarchLauncher&) = delete;
  MarchLauncher& operator=(const MarchLauncher&) = delete;
  ~MarchLauncher() { cudaFree(counter_); }

  /// @pre Rows of `u` begin on 16 bytes (`Field::padded`); `LaunchError` says so otherwise.
  template <class T, int Radius, class Epilogue>
  void operator()(const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue,
                  cudaStream_t stream) const {
    with_march<T, Radius, Epilogue>(
        u, sms_, [&](auto kernel, const Plan& plan) { launch<decltype(kernel)>(plan, u, star, epilogue, stream); });
  }
  /// `Count` steps of the star from `u` to `out`: in one pass where that is faster, otherwise by as many launches of
  /// the march, which also write to `between`.
  template <int Count, class T, int Radius>
  void steps(const Field<const T>& u, const Star<T, Radius>& star, const Field<T>& between, const Field<T>& out,
             cudaStream_t stream) const {
    const bool is_one_pass = with_steps<T, Radius, Count>(u, sms_, [&](auto kernel, const Plan& plan) {
      // Tiles begin within lines, whose other sectors the neighbours read.
      launch<decltype(kernel), 128>(plan, u, star, StoreSum<T>{out.data}, stream);
    });
    if (!is_one_pass) {
      step_by_step(Count, u, between.data, out.data,
                   [&](const Field<const T>& from, T* to) { (*this)(from, star, StoreSum<T>{to}, stream); });
    }
  }
  /// The march in one shape.
  template <class Kernel, class T, int Radius, class Epilogue>
  void launch(const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue,
              cudaStream_t stream) const {
    launch<Kernel>(plan(u.nx, u.ny, u.nz, Radius, Kernel::cols, Kernel::rows, sms_), u, star, epilogue, stream);
  }

 private:
  template <class Kernel, int l2_bytes = 64, class T, int Radius, class Epilogue>
  void launch(const Plan& plan, const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue,
              cudaStream_t stream) const {
    const auto map =
        dma::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0), {.l2_bytes = l2_bytes});
    dma::launch(Kernel{}, {plan.ctas}, stream, map, u, star, plan.work, counter_, epilogue);
  }

  int sms_ = 0;
  dma::PaceCounter* counter_ = nullptr;
};

template <int Cols, int Rows, class T>
[[nodiscard]] dim3 tiles_of(const Field<const T>& u, int nz) {
  return {static_cast<unsigned>((u.nx + Cols - 1) / Cols), static_cast<unsigned>((u.ny + Rows - 1) / Rows),
          static_cast<unsigned>(nz)};
}
template <int Cols = 32, int Rows = 8, class T, int Radius, class Epilogue>
void launch_2009(const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue, cudaStream_t stream) {
  march_2009<T, Radius, Cols, Rows><<<tiles_of<Cols, Rows>(u, 1), dim3(Cols, Rows), 0, stream>>>(u, star, epilogue);
}
template <int Cols = 32, int Rows = 8, class T, int Radius, class Epilogue>
void launch_cached(const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue,
                   cudaStream_t stream) {
  plain_cached<T, Radius, Cols, Rows>
      <<<tiles_of<Cols, Rows>(u, u.nz), dim3(Cols, Rows), 0, stream>>>(u, star, epilogue);
}

}  // namespace stencil
