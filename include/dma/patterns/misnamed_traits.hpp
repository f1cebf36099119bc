#pragma once

#include <dma/standard.hpp>

namespace dma::inline v0_1::detail {

/// Whether a type has its traits, a static member of type `Traits`, under one of the names that are easily written for
/// `traits`. Nothing would read them.
template <class T, class Traits>
concept HasMisnamedTraits = (requires { requires stdlib::is_same_v<decltype(T::trait), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::Trait), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::Traits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::TRAITS), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::kTraits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::traits_), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::triats), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::tratis), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::kernel_traits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::pattern_traits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::engine_traits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::properties), const Traits>; });

}  // namespace dma::v0_1::detail
