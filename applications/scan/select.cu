// Selects from arrays of many lengths on a GPU, and encodes them as runs, and compares both with a loop. Exits with 1
// where an answer is wrong, with 4 where there is no GPU.

#include "../../examples/gpu.hpp"
#include "../../examples/usage.hpp"
#include "compact_launch.cuh"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr long long most = 10'000'003;
constexpr long long lengths[] = {1, 0, 2, 4095, 4096, 4097, 8193, 100'000, 1 << 20, (1 << 20) + 1, 3'000'001, most};

template <class T>
struct Below {
  T bound;

  DMA_HOST_DEVICE bool operator()(const T& value) const { return value < bound; }
};

unsigned hash(std::size_t i) { return static_cast<unsigned>(i) * 0x9e3779b9U >> 9U; }

template <class T>
[[nodiscard]] std::vector<T> read(const gpu::Array<T>& array, std::size_t count) {
  std::vector<T> values(count);
  gpu::check(cudaMemcpy(values.data(), array.data(), count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

template <class T>
void write(T* to, const std::vector<T>& values, long long count) {
  gpu::check(cudaMemcpy(to, values.data(), static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice));
}

/// Returns whether selections of all lengths are right, wherever the array begins. Values are 0 to 99.
template <class T>
bool selects(const char* name) {
  std::vector<T> values(static_cast<std::size_t>(most));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(hash(i) % 100);
  }
  const gpu::Array<T> x(values.size() + 4);
  const gpu::Array<T> y(values.size());
  const gpu::Array<long long> kept(1);
  const scan::Selector<T, Below<T>> selector(most);
  int wrong = 0;
  const auto check = [&](long long elements, int from, int percent) {
    write(x.data() + from, values, elements);
    y.set_bytes(0xff);
    selector(nullptr, x.data() + from, y.data(), kept.data(), elements, {static_cast<T>(percent)});
    std::vector<T> expected;
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i) {
      if (values[i] < static_cast<T>(percent)) {
        expected.push_back(values[i]);
      }
    }
    const bool is_right =
        read(kept, 1)[0] == static_cast<long long>(expected.size()) && read(y, expected.size()) == expected;
    wrong += is_right ? 0 : 1;
    if (!is_right) {
      std::printf("%s: of %lld elements from element %d, %d%% are WRONG\n", name, elements, from, percent);
    }
  };
  for (const long long elements : lengths) {
    check(elements, 0, 0);
    check(elements, 0, 100);
    check(elements, 0, 30);
    check(elements, 1, 70);
  }
  std::printf("%s: %s\n", name, wrong == 0 ? "right" : "WRONG");
  return wrong == 0;
}

/// Returns whether the runs of all lengths are right, wherever the array begins: of `length` elements in the mean, one
/// run where it is 0.
template <class T>
bool encodes(const char* name) {
  const gpu::Array<T> x(static_cast<std::size_t>(most) + 4);
  const gpu::Array<T> values(static_cast<std::size_t>(most));
  const gpu::Array<int> counts(static_cast<std::size_t>(most));
  const gpu::Array<long long> runs(1);
  const scan::RunLengthEncoder<T> encoder(most);
  int wrong = 0;
  const auto check = [&](long long elements, int from, unsigned length) {
    std::vector<T> of_x;
    std::vector<T> of_runs;
    std::vector<int> of_counts;
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i) {
      if (i == 0 || (length > 0 && hash(i) % length == 0)) {
        of_runs.push_back(static_cast<T>(of_runs.size() % 2 + hash(i) % 40 * 2));
        of_counts.push_back(0);
      }
      of_x.push_back(of_runs.back());
      ++of_counts.back();
    }
    write(x.data() + from, of_x, elements);
    values.set_bytes(0xff);
    counts.set_bytes(0xff);
    encoder(nullptr, x.data() + from, values.data(), counts.data(), runs.data(), elements);
    const bool is_right = read(runs, 1)[0] == static_cast<long long>(of_runs.size()) &&
                          read(values, of_runs.size()) == of_runs && read(counts, of_runs.size()) == of_counts;
    wrong += is_right ? 0 : 1;
    if (!is_right) {
      std::printf("%s: of %lld elements from element %d, runs of %u are WRONG\n", name, elements, from, length);
    }
  };
  for (const long long elements : lengths) {
    check(elements, 0, 0);
    check(elements, 0, 1);
    check(elements, 0, 50);
    check(elements, 1, 3);
  }
  std::printf("%s: %s\n", name, wrong == 0 ? "right" : "WRONG");
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Selects from arrays on a GPU, and encodes runs, and compares them with a loop.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  bool all = selects<int>("selection, int");
  all = selects<double>("selection, double") && all;
  all = selects<unsigned char>("selection, unsigned char") && all;
  all = encodes<int>("runs, int") && all;
  all = encodes<double>("runs, double") && all;
  all = encodes<unsigned char>("runs, unsigned char") && all;
  return all ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "select: %s\n", error.what());
  return 1;
}
