#pragma once

#include "compare.hpp"
#include "logged.hpp"

#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/proof/record/recorder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace logged {

/// Records each kernel and compares it with the GPU's log of the same number.
class Host {
 public:
  explicit Host(std::vector<LoggedRun> runs) : runs_(std::move(runs)) {}

  template <class T>
  [[nodiscard]] T* array(long long count) {
    constexpr std::size_t unit = 128;  // the alignment of cudaMalloc matters to engines
    struct alignas(unit) Unit {
      unsigned char bytes[unit];
    };
    using Units = std::vector<Unit>;
    auto units = std::make_shared<Units>(static_cast<std::size_t>(count) * sizeof(T) / unit + 1);
    arrays_.push_back(units);
    return reinterpret_cast<T*>(units->data());
  }
  template <class T>
  [[nodiscard]] T* copy_of(const std::vector<T>& values) {
    T* const data = array<T>(static_cast<long long>(values.size()));
    std::copy(values.begin(), values.end(), data);
    return data;
  }
  template <class Element, class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Element* data, const Pattern& pattern) const {
    return dma::host::tensor_map<Pattern>(data, pattern);
  }
  template <class Pattern, class... Arrays>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Arrays&... arrays) const {
    return dma::host::tensor_map<Pattern>(arrays...);
  }
  template <class Kernel, class... Args>
  void run(const std::string& name, const Kernel& kernel, dma::Index3 grid, Args... args) {
    REQUIRE(next_ < runs_.size());
    const LoggedRun& run = runs_[next_++];
    REQUIRE(run.name == name);
    REQUIRE(run.threads == Kernel::Layout::threads);
    std::string found;
    std::size_t first = 0;
    const auto compare_block = [&](dma::Index3 block) {
      const dma::proof::detail::Recording recording =
          dma::proof::detail::record(kernel, block, grid, 0, false, args...);
      REQUIRE(recording.error == "");
      found = difference(run, first, recording);
      first += recording.threads.size();
      return found.empty();
    };
    dma::host::detail::for_each_block(grid, 0, compare_block, dma::detail::kernel_traits<Kernel>.cluster);
    if (name == differing_kernel) {
      CAPTURE(found);
      CHECK(found.find("thread 32, operation ") != std::string::npos);
      found.clear();
    }
    CHECK(found == "");
  }
  [[nodiscard]] bool has_all() const { return next_ == runs_.size(); }

 private:
  std::vector<LoggedRun> runs_;
  std::size_t next_ = 0;
  std::vector<std::shared_ptr<void>> arrays_;
};

/// @param kernels  that the list has at least
template <template <class> class Kernels>
void compare(std::vector<LoggedRun> (*run_on_device)(), int kernels) {
  if (const std::string reason = missing_device(); !reason.empty()) {
    SKIP(reason);
  }
  std::vector<LoggedRun> runs = run_on_device();
  REQUIRE(runs.size() >= static_cast<std::size_t>(kernels));
  Host host(std::move(runs));
  Kernels<Host>(host).run();
  REQUIRE(host.has_all());
}

}  // namespace logged
