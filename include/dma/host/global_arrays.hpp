#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// An array in global memory that a kernel reads.
struct Input {
  Input(std::span<const std::byte> all_bytes, std::size_t bytes_of_element = 1, std::string its_name = {})
      : bytes(all_bytes), element_bytes(bytes_of_element), name(std::move(its_name)) {}

  std::span<const std::byte> bytes;
  std::size_t element_bytes;
  std::string name;  ///< for messages; empty: its place in the list
};

/// An array in global memory that a kernel writes, and may read.
struct Output {
  Output(std::span<std::byte> all_bytes, std::size_t bytes_of_element = 1, std::string its_name = {})
      : bytes(all_bytes), element_bytes(bytes_of_element), name(std::move(its_name)) {}

  std::span<std::byte> bytes;
  std::size_t element_bytes;
  std::string name;  ///< for messages; empty: its place in the list
};

/// A container, a span or an array, whose elements are one after another in memory.
template <class Range>
concept ContiguousElements = requires(Range& range) {
  std::span(range);
};

}  // namespace dma::inline v0_1::host::detail

namespace dma::inline v0_1::proof {

/// An array that the kernel reads.
///
///     .inputs = {dma::proof::input(x), dma::proof::input(table, rows * columns, "table")}
///
/// @param name  for messages; without one it is "input 0" in the order of the list
template <host::detail::ContiguousElements Range>
[[nodiscard]] host::detail::Input input(const Range& range, std::string name = {}) {
  const std::span elements(range);
  return {std::as_bytes(elements), sizeof elements[0], std::move(name)};
}
/// The same of `count` elements, for arrays that no container, span or array holds.
///
/// @pre The array has `count` elements, which nothing checks; `input(x)` takes the number from `x` itself.
template <class Element>
[[nodiscard]] host::detail::Input input(const Element* first, std::size_t count, std::string name = {}) {
  return {std::as_bytes(std::span(first, count)), sizeof *first, std::move(name)};
}

/// An array that the kernel writes.
template <host::detail::ContiguousElements Range>
[[nodiscard]] host::detail::Output output(Range& range, std::string name = {}) {
  const std::span elements(range);
  return {std::as_writable_bytes(elements), sizeof elements[0], std::move(name)};
}
/// The same of `count` elements, for arrays that no container, span or array holds.
///
/// @pre The array has `count` elements, which nothing checks: a proof keeps them and writes them back. `output(y)`
///      takes the number from `y` itself.
template <class Element>
[[nodiscard]] host::detail::Output output(Element* first, std::size_t count, std::string name = {}) {
  return {std::as_writable_bytes(std::span(first, count)), sizeof *first, std::move(name)};
}

}  // namespace dma::inline v0_1::proof

namespace dma::inline v0_1::host::detail {

/// The arrays that are known of a kernel's arguments.
struct GlobalArrays {
  std::vector<Input> inputs = {};
  std::vector<Output> outputs = {};
};

/// An argument that says where its elements are and how many: `std::span`, `cuda::std::span`.
template <class Argument>
concept SpanArgument = requires(Argument& argument) {
  requires std::is_object_v<std::remove_pointer_t<decltype(argument.data())>>;
  {argument.size()};
  requires std::is_convertible_v<decltype(argument.size()), std::size_t>;
};

/// Adds the array of an argument that is a span. One that has its elements in itself is no array of global memory.
///
/// @param number  of the argument, for its name
template <class Argument>
void add_array_of(GlobalArrays& arrays, Argument& argument, int number) {
  if constexpr (SpanArgument<Argument>) {
    const auto first = reinterpret_cast<std::uintptr_t>(argument.data());
    const auto itself = reinterpret_cast<std::uintptr_t>(std::addressof(argument));
    if (first - itself >= sizeof argument) {
      const std::span elements(argument.data(), static_cast<std::size_t>(argument.size()));
      const std::string name = "argument " + std::to_string(number);
      if constexpr (std::is_const_v<std::remove_pointer_t<decltype(argument.data())>>) {
        arrays.inputs.push_back(proof::input(elements, name));
      } else {
        arrays.outputs.push_back(proof::output(elements, name));
      }
    }
  }
}

}  // namespace dma::inline v0_1::host::detail
