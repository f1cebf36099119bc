// Prefix sums of 2^16 to 2^28 numbers, beside CUB's and a kernel that copies as many. Answers are compared with CUB's
// in double precision, or in 64 bits.

#include "../applications/scan/launch.cuh"
#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include <cuda_runtime.h>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

namespace bench {
namespace {

template <class T>
__global__ void copy_vectors(const dma::Vector<T>* x, dma::Vector<T>* y, long long vectors) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < vectors) {
    y[i] = x[i];
  }
}

/// Counts integers that are not the right ones, and floats further from them than a hundred thousandth.
template <class T, class Right>
__global__ void count_wrong_sums(const T* sums, const Right* right, long long elements, unsigned long long* wrong) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    const bool is_right = std::is_integral_v<T> ? sums[i] == static_cast<T>(right[i])
                                                : fabs(static_cast<double>(sums[i] - right[i])) <= 1e-5 * right[i];
    if (!is_right) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// CUB's inclusive sum, and its workspace. Sums are of the output's type.
template <class T, class Right>
class CubScan {
 public:
  explicit CubScan(long long elements) {
    check(scan(nullptr, bytes_, nullptr, nullptr, elements, nullptr));
    workspace_ = gpu::Array<char>(bytes_ + 1);
  }
  void operator()(cudaStream_t stream, const T* x, Right* y, long long elements) const {
    std::size_t bytes = bytes_;
    check(scan(workspace_.data(), bytes, x, y, elements, stream));
  }

 private:
  static cudaError_t scan(void* workspace, std::size_t& bytes, const T* x, Right* y, long long elements,
                          cudaStream_t stream) {
    if constexpr (std::is_same_v<T, Right>) {
      return cub::DeviceScan::InclusiveSum(workspace, bytes, x, y, static_cast<int>(elements), stream);
    } else {
      return cub::DeviceScan::InclusiveScanInit(workspace, bytes, x, y, cuda::std::plus<>{}, Right{0},
                                                static_cast<int>(elements), stream);
    }
  }

  std::size_t bytes_ = 0;
  gpu::Array<char> workspace_;
};

/// `run(stream, x, y)` scans, or copies, `elements` numbers of the input, of a window from number `at` on. Launches
/// follow one another through as many windows as the L2 does not hold.
template <class T, class Run>
[[nodiscard]] Subject scan_subject(long long elements, bool scans, const Run& run, int at = 0) {
  const long long parts = windows * window_elements() / elements - (at > 0 ? 1 : 0);
  const auto x_of = [=](int part) { return reinterpret_cast<const T*>(input()) + part % parts * elements + at; };
  const auto y_of = [=](int part) { return reinterpret_cast<T*>(output()) + part % parts * elements; };
  Subject subject;
  subject.bytes = 2.0 * sizeof(T) * static_cast<double>(elements);
  subject.launches = static_cast<int>(std::clamp<long long>((1LL << 26) / elements, 2, 512));
  subject.launch = [=](cudaStream_t stream, int i) { run(stream, x_of(i), y_of(i)); };
  subject.wrong = [=](cudaStream_t stream) {
    if (!scans) {
      return std::string();
    }
    using Right = std::conditional_t<std::is_integral_v<T>, long long, double>;
    const gpu::Array<Right> right(static_cast<std::size_t>(elements));
    const CubScan<T, Right> cub(elements);
    cub(stream, x_of(1), right.data(), elements);
    poison(reinterpret_cast<float*>(y_of(1)), elements, stream);
    run(stream, x_of(1), y_of(1));
    const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
      count_wrong_sums<<<1024, 256, 0, stream>>>(y_of(1), right.data(), elements, count);
    });
    return wrong == 0 ? std::string() : std::to_string(wrong) + " sums are wrong";
  };
  return subject;
}

/// @param at  where arrays begin behind a multiple of 16 bytes
template <class T>
void add_sums(const std::string& type, int power, int at = 0) {
  const long long elements = 1LL << power;
  const std::string prefix =
      "scan/type:" + type + "/n:2^" + std::to_string(power) + (at > 0 ? "/aligned:0" : "") + "/by:";
  add(prefix + "dma", [=] {
    const auto scanner = std::make_shared<const scan::Scanner<scan::Sum<T>, scan::Kind::inclusive>>(elements);
    return scan_subject<T>(
        elements, true, [=](auto stream, auto x, auto y) { (*scanner)(stream, x, y, elements); }, at);
  });
  add(prefix + "cub", [=] {
    const auto cub = std::make_shared<const CubScan<T, T>>(elements);
    return scan_subject<T>(
        elements, true, [=](auto stream, auto x, auto y) { (*cub)(stream, x, y, elements); }, at);
  });
  if (at > 0) {
    return;
  }
  add(prefix + "copy", [=] {
    return scan_subject<T>(elements, false, [=](auto stream, auto x, auto y) {
      const long long vectors = elements / dma::Vector<T>::size();
      copy_vectors<T>
          <<<static_cast<unsigned>((vectors + 255) / 256), 256, 0, stream>>>(dma::vectors(x), dma::vectors(y), vectors);
    });
  });
}

}  // namespace

void add_scan() {
  for (int power = 16; power <= 28; power += 2) {
    add_sums<float>("f32", power);
    add_sums<int>("i32", power);
  }
  for (int power = 16; power <= 24; power += 2) {
    add_sums<float>("f32", power, 1);
  }
}

}  // namespace bench
