#pragma once

/// What Python launches: the entry of a kernel body or of a __global__ function. Of NVRTC only: the package appends an
/// include of it to a source.

#include <dma_python/description.hpp>

namespace dma::python {

template <KernelBody Body, class... Args>
__global__ void __launch_bounds__(Body::Layout::threads, detail::kernel_traits<Body>.min_ctas) run_body(Args... args) {
  detail::check_body<Body>();
  KernelCta<Body> cta;
  Body{}(cta, args...);
}
/// The same for arguments that contain tensor maps, which the hardware reads in place.
template <KernelBody Body, class... Args>
__global__ void __launch_bounds__(Body::Layout::threads, detail::kernel_traits<Body>.min_ctas)
    run_body_in_place(const __grid_constant__ Args... args) {
  detail::check_body<Body>();
  KernelCta<Body> cta;
  Body{}(cta, args...);
}

/// Whether an argument contains a tensor map: no other type has this alignment.
template <class... Args>
inline constexpr bool has_maps = ((alignof(Args) >= alignof(detail::TensorDescriptor)) || ...);

/// What NVRTC is asked the symbol of, `function()`, is no variable: code for a GPU that has a kernel's address keeps
/// its arguments in registers, for which threads then have too few.
template <class Body, class... Args>
struct EntryOfBody {
  static consteval auto function() {
    if constexpr (has_maps<Args...>) {
      return &run_body_in_place<Body, Args...>;
    } else {
      return &run_body<Body, Args...>;
    }
  }
  static consteval Description describe() { return describe_body<Body, Args...>(); }
};
template <class Body, class... Args>
consteval EntryOfBody<Body, Args...> entry_of_arguments(Arguments<Args...>) {
  return {};
}

/// The entry of what a launch names.
template <class Body>
consteval auto entry_of() {
  return entry_of_arguments<Body>(arguments_of<Body>());
}

/// The same of a `__global__` function. Its threads are those of its launch bounds.
template <auto* Function, class... Parameters>
struct EntryOfFunction {
  static consteval auto function() { return Function; }

  static consteval Description describe() {
    Description description;
    for (const int word : {0, 0, 0, 0, 1}) {
      description.add(word);
    }
    description.template add_parameters<stdlib::remove_cv_t<Parameters>...>();
    return description;
  }
};
template <auto* Function, class... Parameters>
consteval EntryOfFunction<Function, Parameters...> entry_of_parameters(void (*)(Parameters...)) {
  return {};
}
template <auto* Function>
consteval auto entry_of() {
  return entry_of_parameters<Function>(Function);
}

}  // namespace dma::python
