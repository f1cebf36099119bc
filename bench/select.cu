// Selections and run-length encoding of 2^12 to 2^28 numbers, beside CUB's. Answers are compared with CUB's.

#include "../applications/scan/compact_launch.cuh"
#include "../applications/scan/launch.cuh"
#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include <cuda_runtime.h>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

namespace bench {
namespace {

struct Below {
  int bound;

  DMA_HOST_DEVICE bool operator()(int value) const { return value < bound; }
};

__global__ void count_different(const int* left, const int* right, long long elements, unsigned long long* different) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    if (left[i] != right[i]) {
      atomicAdd(different, 1ULL);
    }
  }
}

/// Ones where a run begins, of `length` elements in the mean; nowhere where it is 0.
__global__ void begin_runs(int* x, long long elements, int length) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    x[i] = length > 0 && value_at(i) % length == 0 ? 1 : 0;
  }
}

/// What a launch writes: as many elements as it has found, in one array or two.
struct Found {
  int* first;
  int* second;  ///< null where there is none
  long long* count;
};

/// CUB's selection or encoding, and its workspace.
template <class Call>
class Cub {
 public:
  Cub(const Call& call, long long elements) : call_(call) {
    check(call_(nullptr, bytes_, nullptr, {}, elements, nullptr));
    workspace_ = gpu::Array<char>(bytes_ + 1);
  }
  void operator()(cudaStream_t stream, const int* x, const Found& found, long long elements) const {
    std::size_t bytes = bytes_;
    check(call_(workspace_.data(), bytes, x, found, elements, stream));
  }

 private:
  Call call_;
  std::size_t bytes_ = 0;
  gpu::Array<char> workspace_;
};

/// Elements of an answer that are not CUB's, each of `arrays` arrays.
template <class Run, class Right>
[[nodiscard]] std::string wrong_of(cudaStream_t stream, const int* x, const Found& found, long long elements,
                                   const Run& run, const Right& cub) {
  const auto room = static_cast<std::size_t>(elements);
  const gpu::Array<int> first(room);
  const gpu::Array<int> second(found.second != nullptr ? room : 0);
  const gpu::Array<long long> counts(1);
  cub(stream, x, Found{first.data(), second.data(), counts.data()}, elements);
  poison(reinterpret_cast<float*>(found.first), elements, stream);
  run(stream, x, found, elements);
  long long right = 0;
  long long count = 0;
  check(cudaMemcpyAsync(&right, counts.data(), sizeof right, cudaMemcpyDeviceToHost, stream));
  check(cudaMemcpyAsync(&count, found.count, sizeof count, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  if (count != right) {
    return std::to_string(count) + " elements, of " + std::to_string(right);
  }
  const unsigned long long different = count_on_device(stream, [&](unsigned long long* result) {
    count_different<<<1024, 256, 0, stream>>>(found.first, first.data(), count, result);
    if (found.second != nullptr) {
      count_different<<<1024, 256, 0, stream>>>(found.second, second.data(), count, result);
    }
  });
  return different == 0 ? std::string() : std::to_string(different) + " elements are wrong";
}

/// `run(stream, x, found, elements)`, as `cub` does. Launches follow one another through `parts` arrays at x.
template <class Run, class Right>
[[nodiscard]] Subject compact_subject(const int* x, long long parts, long long elements, double bytes, bool has_two,
                                      const Run& run, const Right& cub) {
  const auto count = std::make_shared<const gpu::Array<long long>>(1);
  const long long written = windows * window_elements() / (2 * elements);
  const auto found = [=](int i) {
    int* const first = reinterpret_cast<int*>(output()) + i % written * 2 * elements;
    return Found{first, has_two ? first + elements : nullptr, count->data()};
  };
  Subject subject;
  subject.bytes = bytes;
  subject.launches = static_cast<int>(std::clamp<long long>((1LL << 26) / elements, 2, 512));
  subject.launch = [=](cudaStream_t stream, int i) { run(stream, x + i % parts * elements, found(i), elements); };
  subject.wrong = [=](cudaStream_t stream) { return wrong_of(stream, x, found(0), elements, run, cub); };
  return subject;
}

[[nodiscard]] auto cub_select(Below keeps, long long elements) {
  const auto call = [=](void* workspace, std::size_t& bytes, const int* x, const Found& found, long long n,
                        cudaStream_t stream) {
    return cub::DeviceSelect::If(workspace, bytes, x, found.first, found.count, static_cast<int>(n), keeps, stream);
  };
  return std::make_shared<const Cub<decltype(call)>>(call, elements);
}

[[nodiscard]] auto cub_encode(long long elements) {
  const auto call = [](void* workspace, std::size_t& bytes, const int* x, const Found& found, long long n,
                       cudaStream_t stream) {
    return cub::DeviceRunLengthEncode::Encode(workspace, bytes, x, found.first, found.second, found.count,
                                              static_cast<int>(n), stream);
  };
  return std::make_shared<const Cub<decltype(call)>>(call, elements);
}

/// The input's numbers are 0 to 2047, as floats: their bits have the same order. `select(keeps, elements)` makes what
/// runs.
template <class Make>
void add_selection(const std::string& by, int power, int percent, const Make& make) {
  const long long elements = 1LL << power;
  add("select/type:i32/kept:" + std::to_string(percent) + "%/n:2^" + std::to_string(power) + "/by:" + by, [=] {
    const Below keeps{std::bit_cast<int>(20.48F * static_cast<float>(percent))};
    const auto run = make(keeps, elements);
    const auto cub = cub_select(keeps, elements);
    return compact_subject(
        reinterpret_cast<const int*>(input()), windows * window_elements() / elements, elements,
        4.0 * static_cast<double>(elements) * (1 + 0.01 * percent), false,
        [=](auto... arguments) { (*run)(arguments...); }, [=](auto... arguments) { (*cub)(arguments...); });
  });
}

/// An array of 2^28 elements in runs of a mean length, all one where it is 0. Made once.
[[nodiscard]] const int* runs_of(int length) {
  constexpr long long most = 1LL << 28;
  static std::map<int, gpu::Array<int>> arrays;
  gpu::Array<int>& array = arrays[length];
  if (array.data() == nullptr) {
    array = gpu::Array<int>(static_cast<std::size_t>(most));
    begin_runs<<<1024, 256>>>(array.data(), most, length);
    const scan::Scanner<scan::Sum<int>, scan::Kind::inclusive> scanner(most);
    scanner(nullptr, array.data(), array.data(), most);
    check(cudaDeviceSynchronize());
  }
  return array.data();
}

template <class Make>
void add_encoding(const std::string& by, int power, int length, const Make& make) {
  const long long elements = 1LL << power;
  add("runs/type:i32/length:" + (length > 0 ? std::to_string(length) : "all") + "/n:2^" + std::to_string(power) +
          "/by:" + by,
      [=] {
        const auto run = make(elements);
        const auto cub = cub_encode(elements);
        const double written = length > 0 ? 2.0 / length : 0;
        return compact_subject(
            runs_of(length), (1LL << 28) / elements, elements, 4.0 * static_cast<double>(elements) * (1 + written),
            true, [=](auto... arguments) { (*run)(arguments...); }, [=](auto... arguments) { (*cub)(arguments...); });
      });
}

template <class Select>
[[nodiscard]] auto selected_by(Below keeps, long long room) {
  const auto select = std::make_shared<const Select>(room);
  const auto run = [=](cudaStream_t stream, const int* x, const Found& found, long long elements) {
    (*select)(stream, x, found.first, found.count, elements, keeps);
  };
  return std::make_shared<const decltype(run)>(run);
}
template <class Encode>
[[nodiscard]] auto encoded_by(long long room) {
  const auto encode = std::make_shared<const Encode>(room);
  const auto run = [=](cudaStream_t stream, const int* x, const Found& found, long long elements) {
    (*encode)(stream, x, found.first, found.second, found.count, elements);
  };
  return std::make_shared<const decltype(run)>(run);
}

}  // namespace

void add_select() {
  for (int power = 12; power <= 28; power += 2) {
    for (const int percent : {0, 10, 50, 90, 100}) {
      add_selection("dma", power, percent, selected_by<scan::Selector<int, Below>>);
      add_selection("cub", power, percent, cub_select);
    }
    for (const int length : {1, 2, 16, 256, 0}) {
      add_encoding("dma", power, length, encoded_by<scan::RunLengthEncoder<int>>);
      add_encoding("cub", power, length, cub_encode);
    }
  }
}

}  // namespace bench
