// bodies: what the threads of a list's kernel bodies did on the emulator, as lines, and each one's verdict;
// every access is seen. DMA_LIST of the file DMA_LIST_FILE.
#include DMA_LIST_FILE

#include "arrays.hpp"
#include "recorded.hpp"

#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/proof/prove.hpp>

#include <iostream>
#include <string>

namespace {

class Bodies : public by_ptx::Arrays {
 public:
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
    std::cout << "kernel " << name << '\n';
    const dma::proof::Verdict verdict =
        without_changes([&] { return dma::proof::prove({.seeds = 2}, kernel, grid, args...); });
    std::cout << "verdict " << dma::proof::name_of(verdict.kind) << '\n';
    if (!verdict.is_proved()) {
      std::cerr << name << ": " << verdict.message << '\n';
    }
    by_ptx::write_recordings(std::cout, dma::host::detail::cta_body(kernel, args...), grid, *this);
  }
};

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  Bodies bodies;
  logged::DMA_LIST<Bodies>(bodies).run();
  return 0;
}
