#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/thresholds.hpp>

#include <cuda_runtime.h>

#if !defined(__CUDACC__)
#error \
    "dma::launch: kernels are launched from what nvcc compiles; include dma/launch/launch.hpp in a .cu, and dma/host/launch.hpp in a test of the host"
#endif

namespace dma::inline v0_1 {

namespace detail {

/// The arguments of a kernel body after its CTA, as one parameter that is read in place, as tensor maps have to be.
template <class... Args>
struct KernelArguments {
  template <class Body, class... Before>
  DMA_HOST_DEVICE void pass_to(const Body& body, const Before&... before) const {
    body(before...);
  }
};
template <class First, class... Rest>
struct KernelArguments<First, Rest...> {
  First first;
  KernelArguments<Rest...> rest;

  template <class Body, class... Before>
  DMA_HOST_DEVICE void pass_to(const Body& body, const Before&... before) const {
    rest.pass_to(body, before..., first);
  }
};
/// Arguments of a kernel body as one parameter of its entry.
[[nodiscard]] inline KernelArguments<> kernel_arguments() { return {}; }
template <class First, class... Rest>
[[nodiscard]] KernelArguments<First, Rest...> kernel_arguments(const First& first, const Rest&... rest) {
  return {first, kernel_arguments(rest...)};
}

/// The minimum of CTAs an SM in a kernel's launch bounds: what the body asks for, or what an SM holds of its threads if
/// that is less. The assembler ignores a larger minimum and says so.
template <KernelBody Kernel>
inline constexpr int bounded_ctas = [] {
  constexpr SmLimits sm = sm_limits(machine::architecture);
  constexpr int by_threads = sm.threads / Kernel::Layout::threads;
  constexpr int held = by_threads < sm.ctas ? by_threads : sm.ctas;
  constexpr int wanted = kernel_traits<Kernel>.min_ctas;
  return wanted < held ? wanted : held;
}();

/// The GPU's entry to a kernel body. Without the minimum of CTAs in its launch bounds the compiler spills for some
/// shapes.
template <KernelBody Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::Layout::threads, bounded_ctas<Kernel>)
    run_kernel_body(const Kernel kernel, Args... args) {
  machine::name_kernel(machine::type_name<Kernel>());
  KernelCta<Kernel> cta;
  kernel(cta, args...);
}
/// The same for arguments that contain tensor maps. Other kernels are faster without it: a parameter that is read in
/// place is read again after every barrier.
template <KernelBody Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::Layout::threads, bounded_ctas<Kernel>)
    run_kernel_body_in_place(const __grid_constant__ Kernel kernel,
                             const __grid_constant__ KernelArguments<Args...> arguments) {
  machine::name_kernel(machine::type_name<Kernel>());
  KernelCta<Kernel> cta;
  arguments.pass_to([&](const Args&... args) { kernel(cta, args...); });
}

/// Whether the arguments contain a tensor map: no other type has this alignment.
template <class... Args>
inline constexpr bool has_tensor_maps = ((alignof(Args) >= alignof(TensorDescriptor)) || ...);

/// The entry with which `launch` runs a kernel body on arguments of these types.
template <KernelBody Kernel, class... Args>
[[nodiscard]] constexpr auto kernel_entry() noexcept {
  if constexpr (has_tensor_maps<Args...>) {
    return run_kernel_body_in_place<Kernel, Args...>;
  } else {
    return run_kernel_body<Kernel, Args...>;
  }
}

}  // namespace detail

}  // namespace dma::inline v0_1
