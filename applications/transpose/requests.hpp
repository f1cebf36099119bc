#pragma once

#include "efficiency.hpp"

#include <dma/explain/explanation.hpp>
#include <dma/host/launch.hpp>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

/// Load and store efficiency of a kernel body without a GPU: the emulator runs the body on arrays that note which
/// element each thread accesses, and the rules of the hardware give the sectors.
namespace transpose {

/// The requests of warps on one array: lane by lane, the elements of each access of a kernel.
class Requests {
 public:
  explicit Requests(int element_bytes) : element_bytes_(element_bytes) {}

  /// The calling thread accesses an element.
  void add(long long element) {
    const dma::Cta cta = dma::this_cta();
    const dma::Index3 block = cta.block();
    const dma::Index3 blocks = cta.blocks();
    const long long number = static_cast<long long>(block.y) * blocks.x + block.x;
    auto& accesses = of_warps_[{number, cta.warp()}];
    const auto access = static_cast<std::size_t>(count_[{number, cta.thread()}]++);
    accesses.resize(access < accesses.size() ? accesses.size() : access + 1);
    accesses[access].add({element * element_bytes_, 0, element_bytes_});
  }

  /// The bytes that were asked for, as a share of the sectors that were touched: what Nsight Compute calls bytes per
  /// sector, of 32.
  [[nodiscard]] double efficiency() const {
    double fewest = 0;
    double touched = 0;
    for (const auto& [warp, accesses] : of_warps_) {
      for (const dma::WarpAccess& access : accesses) {
        fewest += access.fewest_sectors();
        touched += access.sectors();
      }
    }
    return fewest / touched;
  }

 private:
  int element_bytes_;
  std::map<std::pair<long long, int>, std::vector<dma::WarpAccess>> of_warps_;  ///< by CTA and warp
  std::map<std::pair<long long, int>, int> count_;                              ///< by CTA and thread
};

/// An array whose accesses are noted. Its first element begins on a sector.
template <class T>
struct NotedArray {
  T* elements;
  Requests* requests;

  T& operator[](long long i) const {
    requests->add(i);
    return elements[i];
  }
};

/// The efficiency of a kernel body that transposes or copies a matrix.
template <class T, class Kernel>
[[nodiscard]] Efficiency efficiency_of(int rows, int cols) {
  const auto elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  std::vector<T> from(elements);
  std::vector<T> to(elements);
  Requests loads(sizeof(T));
  Requests stores(sizeof(T));
  dma::host::launch(Kernel{}, Kernel::grid(rows, cols), NotedArray<T>{from.data(), &loads},
                    NotedArray<T>{to.data(), &stores}, rows, cols);
  return {loads.efficiency(), stores.efficiency()};
}

}  // namespace transpose
