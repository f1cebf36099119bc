// The entries of a list's kernels, for PTX: DMA_LIST of the file DMA_LIST_FILE.
#include DMA_LIST_FILE

#include <dma/dma.hpp>

#include <string>
#include <vector>

namespace {

/// Has each kernel's entry compiled.
class Entries {
 public:
  template <class T>
  [[nodiscard]] T* array(long long) {
    return nullptr;
  }
  template <class T>
  [[nodiscard]] T* copy_of(const std::vector<T>&) {
    return nullptr;
  }
  template <class Element, class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Element*, const Pattern&) const {
    return {};
  }
  template <class Pattern, class... Arrays>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Arrays&...) const {
    return {};
  }
  template <class Kernel, class... Args>
  void run(const std::string&, const Kernel&, dma::Index3, Args...) {
    entries.push_back(reinterpret_cast<const void*>(dma::detail::kernel_entry<Kernel, Args...>()));
  }

  std::vector<const void*> entries;
};

}  // namespace

std::size_t entries_of_list() {
  Entries entries;
  logged::DMA_LIST<Entries>(entries).run();
  return entries.entries.size();
}
