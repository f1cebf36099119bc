#include "application_kernels.hpp"
#include "cluster_kernels.hpp"
#include "compare.hpp"
#include "example_kernels.hpp"
#include "logged.hpp"
#include "right_kernels.hpp"
#include "tensor_kernels.hpp"

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

namespace {

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
      const dma::host::Recording recording = dma::host::record(kernel, block, grid, 0, false, args...);
      REQUIRE(recording.error == "");
      found = logged::difference(run, first, recording);
      first += recording.threads.size();
      return found.empty();
    };
    dma::host::for_each_block(grid, 0, compare_block, dma::kernel_traits<Kernel>.cluster);
    if (name == logged::differing_kernel) {
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

}  // namespace

TEST_CASE("a GPU's threads do what the host has recorded: the examples", "[log]") {
  compare<logged::Examples>(run_examples, 29);
}

TEST_CASE("a GPU's threads do what the host has recorded: applications", "[log]") {
  compare<logged::Applications>(run_applications, 11);
}

TEST_CASE("a GPU's threads do what the host has recorded: tensor maps", "[log]") {
  compare<logged::TensorKernels>(run_tensor_kernels, 5);
}

TEST_CASE("a GPU's threads do what the host has recorded: clusters", "[log]") {
  compare<logged::Clusters>(run_clusters, 13);
}

TEST_CASE("a GPU's threads do what the host has recorded: unusual kernels", "[log]") {
  compare<logged::RightKernels>(run_right_kernels, 40);
}
