#pragma once

/// Subjects that read a part of the input and write as many elements.

#include "measure.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

namespace bench {

/// A subject that makes `elements` elements out of as many: run(stream, from, to).
template <class Run, class Wrong>
Subject copy_subject(long long elements, const Run& run, const Wrong& count_wrong) {
  const auto parts = static_cast<int>(windows * window_elements() / elements);
  if (parts < 1) {
    throw std::runtime_error("the buffers are too small on this GPU");
  }
  Subject subject;
  subject.bytes = 8.0 * static_cast<double>(elements);
  subject.launch = [=](cudaStream_t stream, int i) {
    run(stream, input() + i % parts * elements, output() + i % parts * elements);
  };
  subject.wrong = [=](cudaStream_t stream) -> std::string {
    const float* const from = input() + (parts - 1) * elements;
    poison(output(), elements, stream);
    run(stream, from, output());
    const long long wrong = count_wrong(from, output(), stream);
    return wrong == 0 ? "" : std::to_string(wrong) + " of " + std::to_string(elements) + " elements are wrong";
  };
  return subject;
}

/// The driver's copy of as many elements.
inline Subject driver_copy(long long elements) {
  Subject subject = copy_subject(
      elements,
      [=](auto stream, const float* from, float* to) {
        check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(elements) * sizeof(float), cudaMemcpyDeviceToDevice,
                              stream));
      },
      [=](auto from, auto to, auto stream) { return wrong_in_copy(from, to, elements, stream); });
  subject.in_graph = false;
  return subject;
}

}  // namespace bench
