#pragma once

/// A description of a kernel that Python reads: its threads, shared memory, traits and parameters.

#include <dma/dma.hpp>

namespace dma::python {

/// Of a parameter, and of what a pointer points to. The numbers are those of `Kind` in the package's _description.py.
enum class Kind : int {
  structure = 0,  ///< any other type: passed as bytes
  signed_integer = 1,
  unsigned_integer = 2,
  floating = 3,
  bfloat = 4,
  boolean = 5,
  pointer = 6,
  const_pointer = 7,
  tensor_map = 8,
};

template <class T>
consteval Kind kind_of() {
  if constexpr (stdlib::is_pointer_v<T>) {
    return stdlib::is_const_v<stdlib::remove_pointer_t<T>> ? Kind::const_pointer : Kind::pointer;
  } else if constexpr (stdlib::is_same_v<T, bool>) {
    return Kind::boolean;
  } else if constexpr (stdlib::is_same_v<T, __nv_bfloat16>) {
    return Kind::bfloat;
  } else if constexpr (stdlib::is_same_v<T, float> || stdlib::is_same_v<T, double> || stdlib::is_same_v<T, __half>) {
    return Kind::floating;
  } else if constexpr (stdlib::is_integral_v<T>) {
    return stdlib::is_signed_v<T> ? Kind::signed_integer : Kind::unsigned_integer;
  } else {
    return Kind::structure;
  }
}

/// 0 for a type of which only the name is known here, as the two-byte floats are without their headers.
template <class T>
consteval int size_of() {
  if constexpr (stdlib::is_same_v<T, __half> || stdlib::is_same_v<T, __nv_bfloat16>) {
    return 2;
  } else if constexpr (requires { sizeof(T); }) {
    return static_cast<int>(sizeof(T));
  } else {
    return 0;
  }
}

/// Numbers, in the order in which _description.py reads them.
struct Description {
  static constexpr int capacity = 512;

  int count = 0;
  int words[capacity]{};

  constexpr void add(int word) { words[count++] = word; }
  constexpr void add(Kind kind) { add(static_cast<int>(kind)); }

  template <class Part>
  constexpr void add_box() {
    constexpr auto box = Part{}.box();
    using Element = typename Part::Element;
    add(kind_of<Element>());
    add(size_of<Element>());
    add(static_cast<int>(box.swizzle));
    add(box.rank);
    for (const int extent : box.extents) {
      add(extent);
    }
  }
  template <class Pattern>
  constexpr void add_parameter(const TensorMap<Pattern>*) {
    add(Kind::tensor_map);
    add(size_of<TensorMap<Pattern>>());
    add(TensorMap<Pattern>::parts);
    if constexpr (detail::has_hardware_boxes<Pattern>) {
      [&]<int... Parts>(stdlib::integer_sequence<int, Parts...>) {
        if constexpr (CompositePattern<Pattern>) {
          (add_box<detail::PartOf<Pattern, Parts>>(), ...);
        } else {
          add_box<Pattern>();
        }
      }
      (stdlib::make_integer_sequence<int, TensorMap<Pattern>::parts>{});
    }
  }
  template <class T>
  constexpr void add_parameter(const T*) {
    add(kind_of<T>());
    add(size_of<T>());
    if constexpr (stdlib::is_pointer_v<T>) {
      using Element = stdlib::remove_cv_t<stdlib::remove_pointer_t<T>>;
      add(kind_of<Element>());
      add(size_of<Element>());
    }
  }
  template <class... Parameters>
  constexpr void add_parameters() {
    add(static_cast<int>(sizeof...(Parameters)));
    (add_parameter(static_cast<const Parameters*>(nullptr)), ...);
  }
};

/// Of a kernel body that is called with these arguments.
template <class Body, class... Args>
consteval Description describe_body() {
  constexpr KernelTraits traits = detail::kernel_traits<Body>;
  Description description;
  description.add(Body::Layout::threads);
  description.add(detail::SharedOf<Body>::bytes);
  description.add(traits.cooperative);
  description.add(traits.programmatic_launch);
  description.add(traits.cluster);
  description.template add_parameters<Args...>();
  return description;
}

/// The types of the arguments of a kernel body, which follow those of its call operator.
template <class... Args>
struct Arguments {};
template <class Body, class... Parameters>
Arguments<stdlib::remove_cvref_t<Parameters>...> arguments_of_call(void (Body::*)(KernelCta<Body>&, Parameters...)
                                                                       const);
template <class Body, class... Parameters>
Arguments<stdlib::remove_cvref_t<Parameters>...> arguments_of_call(void (Body::*)(KernelCta<Body>&, Parameters...)
                                                                       const noexcept);
template <class Body>
consteval auto arguments_of() {
  static_assert(
      requires { Body::Layout::threads; },
      "dma.kernel: this type is no kernel body, which names its warp layout as a member type Layout; add it, or name a "
      "__global__ function");
  static_assert(
      requires { arguments_of_call(&Body::operator()); },
      "dma.kernel: the parameters of this kernel body are not known; give it one operator()(dma::KernelCta<Body>&, "
      "...) "
      "const that returns void and is no template");
  static_assert(stdlib::is_trivially_default_constructible_v<Body> && stdlib::is_empty_v<Body>,
                "dma.kernel: this kernel body has data members, which Python does not fill; pass them as arguments");
  return decltype(arguments_of_call(&Body::operator())){};
}

}  // namespace dma::python
