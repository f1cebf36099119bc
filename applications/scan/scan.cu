// Scans arrays of many lengths on a GPU, by sums and other operations, and compares them with a loop. Exits with 1
// where an answer is wrong, with 4 where there is no GPU.

#include "../../examples/gpu.hpp"
#include "../../examples/usage.hpp"
#include "launch.cuh"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace {

using scan::Kind;

constexpr long long most = 20'000'003;
constexpr long long lengths[] = {1, 0, 2, 4095, 4096, 4097, 8191, 100'000, 1 << 20, (1 << 20) + 1, 3'000'001, most};

/// Small values, of both signs, whose sums are exact in every type.
template <class T>
struct Value {
  static T at(unsigned hash) { return static_cast<T>(static_cast<int>(hash % 5) - 2); }
};
template <class T>
struct Value<scan::Step<T>> {
  static scan::Step<T> at(unsigned hash) { return {T{1} + hash % 3, T{hash}}; }
};
template <class T>
struct Value<scan::InSegment<T>> {
  static scan::InSegment<T> at(unsigned hash) { return {Value<T>::at(hash), hash % 1009 == 0 ? 1 : 0}; }
};

template <class T>
[[nodiscard]] std::vector<T> values_of(long long count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = Value<T>::at(static_cast<unsigned>(i) * 0x9e3779b9U >> 9U);
  }
  return values;
}

/// Returns whether all lengths are right, wherever the arrays begin, and in place.
template <class Operation, Kind kind>
bool is_right(const char* name) {
  using T = typename Operation::Value;
  const std::vector<T> values = values_of<T>(most);
  const T first = Value<T>::at(7);
  const gpu::Array<T> x(static_cast<std::size_t>(most) + 4);
  const gpu::Array<T> y(static_cast<std::size_t>(most) + 4);
  const scan::Scanner<Operation, kind> scanner(most);
  std::vector<T> scanned(values.size());
  int wrong_scans = 0;
  const auto check = [&](long long elements, int from, int to, bool is_in_place) {
    T* const out = is_in_place ? x.data() + from : y.data() + to;
    gpu::check(cudaMemcpy(x.data() + from, values.data(), static_cast<std::size_t>(elements) * sizeof(T),
                          cudaMemcpyHostToDevice));
    y.set_bytes(0xff);
    scanner(nullptr, x.data() + from, out, elements, first);
    gpu::check(cudaMemcpy(scanned.data(), out, static_cast<std::size_t>(elements) * sizeof(T), cudaMemcpyDeviceToHost));
    T expected = first;
    bool is_equal = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements) && is_equal; ++i) {
      const T before = expected;
      expected = Operation::combined(before, values[i]);
      is_equal = scanned[i] == (kind == Kind::inclusive ? expected : before);
    }
    if (!is_equal) {
      std::printf("%s: %lld elements from element %d to element %d are WRONG\n", name, elements, from, to);
      ++wrong_scans;
    }
  };
  for (const long long elements : lengths) {
    check(elements, 0, 0, false);
    check(elements, 0, 0, true);
    check(elements, 1, 0, false);
    check(elements, 0, 3, false);
  }
  std::printf("%s: %s\n", name, wrong_scans == 0 ? "right" : "WRONG");
  return wrong_scans == 0;
}

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Scans arrays of many lengths on a GPU, and compares them with a loop.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  bool all = is_right<scan::Sum<float>, Kind::inclusive>("sums, float");
  all = is_right<scan::Sum<int>, Kind::exclusive>("sums, int, exclusive") && all;
  all = is_right<scan::Sum<double>, Kind::inclusive>("sums, double") && all;
  all = is_right<scan::Sum<long long>, Kind::exclusive>("sums, long long, exclusive") && all;
  all = is_right<scan::Largest<int>, Kind::inclusive>("the largest, int") && all;
  all = is_right<scan::Compose<unsigned>, Kind::inclusive>("recurrences, unsigned") && all;
  all = is_right<scan::Compose<unsigned long long>, Kind::exclusive>("recurrences, 16 bytes, exclusive") && all;
  all = is_right<scan::Segmented<scan::Sum<float>>, Kind::inclusive>("sums of segments, float") && all;
  return all ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "scan: %s\n", error.what());
  return 1;
}
