#pragma once

#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::detail {

/// Whether a parameter by value is, or contains, a tensor map: no other type has this alignment.
template <class Parameter>
inline constexpr bool copies_map =
    !stdlib::is_reference_v<Parameter> && alignof(Parameter) >= alignof(TensorDescriptor);

/// Whether a call operator of this type copies a tensor map into a parameter.
template <class Call>
inline constexpr bool call_copies_map = false;
template <class Result, class Kernel, class... Parameters>
inline constexpr bool call_copies_map<Result (Kernel::*)(Parameters...)> = (copies_map<Parameters> || ...);
template <class Result, class Kernel, class... Parameters>
inline constexpr bool call_copies_map<Result (Kernel::*)(Parameters...) const> = (copies_map<Parameters> || ...);
template <class Result, class Kernel, class... Parameters>
inline constexpr bool call_copies_map<Result (Kernel::*)(Parameters...) noexcept> = (copies_map<Parameters> || ...);
template <class Result, class Kernel, class... Parameters>
inline constexpr bool call_copies_map<Result (Kernel::*)(Parameters...) const noexcept> = (copies_map<Parameters> ||
                                                                                           ...);

/// Whether a kernel body takes a tensor map by value. Not known, and false, where its call operator is a template.
template <class Kernel>
inline constexpr bool body_copies_map = false;
template <class Kernel>
  requires requires { &Kernel::operator(); }
inline constexpr bool body_copies_map<Kernel> = call_copies_map<decltype(&Kernel::operator())>;

}  // namespace dma::v0_1::detail
