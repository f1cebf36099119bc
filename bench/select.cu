// Selections and run-length encoding of 2^12 to 2^28 numbers, beside CUB's. Answers are compared with CUB's.

#include "../applications/scan/compact_launch.cuh"
#include "../applications/scan/launch.cuh"
#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
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

/// What is measured: of so many elements at x.
using Run = std::function<void(cudaStream_t stream, const int* x, const Found& found, long long elements)>;
using CubCall = std::function<cudaError_t(void* workspace, std::size_t& bytes, const int* x, const Found& found,
                                          long long elements, cudaStream_t stream)>;

/// A call of CUB, with its workspace.
[[nodiscard]] Run cub_run(const CubCall& call, long long room) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes, nullptr, {}, room, nullptr));
  const auto workspace = std::make_shared<const gpu::Array<char>>(bytes + 1);
  return [=](cudaStream_t stream, const int* x, const Found& found, long long elements) {
    std::size_t room_bytes = bytes;
    check(call(workspace->data(), room_bytes, x, found, elements, stream));
  };
}

/// What of an answer is not CUB's.
[[nodiscard]] std::string wrong_of(cudaStream_t stream, const int* x, const Found& found, long long elements,
                                   const Run& run, const Run& cub) {
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

/// `run`, whose answer is that of `cub`. Launches follow one another through `parts` arrays at x.
[[nodiscard]] Subject compact_subject(const int* x, long long parts, long long elements, double bytes, bool has_two,
                                      const Run& run, const Run& cub) {
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

[[nodiscard]] Run cub_select(Below keeps, long long room) {
  return cub_run(
      [=](void* workspace, std::size_t& bytes, const int* x, const Found& found, long long n, cudaStream_t stream) {
        return cub::DeviceSelect::If(workspace, bytes, x, found.first, found.count, static_cast<int>(n), keeps, stream);
      },
      room);
}
[[nodiscard]] Run cub_encode(long long room) {
  return cub_run(
      [](void* workspace, std::size_t& bytes, const int* x, const Found& found, long long n, cudaStream_t stream) {
        return cub::DeviceRunLengthEncode::Encode(workspace, bytes, x, found.first, found.second, found.count,
                                                  static_cast<int>(n), stream);
      },
      room);
}
template <class Select>
[[nodiscard]] Run selected_by(Below keeps, long long room) {
  const auto select = std::make_shared<const Select>(room);
  return [=](cudaStream_t stream, const int* x, const Found& found, long long elements) {
    (*select)(stream, x, found.first, found.count, elements, keeps);
  };
}
template <class Encode>
[[nodiscard]] Run encoded_by(long long room) {
  const auto encode = std::make_shared<const Encode>(room);
  return [=](cudaStream_t stream, const int* x, const Found& found, long long elements) {
    (*encode)(stream, x, found.first, found.second, found.count, elements);
  };
}

/// The input's numbers are 0 to 2047, as floats: their bits have the same order. `make` gives what runs.
void add_selection(const std::string& by, int power, int percent, const std::function<Run(Below, long long)>& make) {
  const long long elements = 1LL << power;
  add("select/type:i32/kept:" + std::to_string(percent) + "%/n:2^" + std::to_string(power) + "/by:" + by, [=] {
    const Below keeps{std::bit_cast<int>(20.48F * static_cast<float>(percent))};
    return compact_subject(reinterpret_cast<const int*>(input()), windows * window_elements() / elements, elements,
                           4.0 * static_cast<double>(elements) * (1 + 0.01 * percent), false, make(keeps, elements),
                           cub_select(keeps, elements));
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

void add_encoding(const std::string& by, int power, int length, const std::function<Run(long long)>& make) {
  const long long elements = 1LL << power;
  add("runs/type:i32/length:" + (length > 0 ? std::to_string(length) : "all") + "/n:2^" + std::to_string(power) +
          "/by:" + by,
      [=] {
        const double written = length > 0 ? 2.0 / length : 0;
        return compact_subject(runs_of(length), (1LL << 28) / elements, elements,
                               4.0 * static_cast<double>(elements) * (1 + written), true, make(elements),
                               cub_encode(elements));
      });
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
