#pragma once

#include <dma/host/emulation/exceeded.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace dma::inline v0_1::host::detail {

/// The memory of a stack from the operating system, with a page below its end that faults.
class MappedStack {
 public:
  /// @throw OutOfMemory  the process gets no more memory, or no guard page
  explicit MappedStack(std::size_t bytes)
      : guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), mapped_(bytes + guard_), base_(map(mapped_, guard_)) {}
  ~MappedStack() { munmap(base_, mapped_); }
  MappedStack(const MappedStack&) = delete;
  MappedStack& operator=(const MappedStack&) = delete;

  [[nodiscard]] void* bottom() const noexcept { return static_cast<char*>(base_) + guard_; }
  void expect_not_overrun() const noexcept {}

 private:
  /// @param guard  bytes at its begin that fault
  [[nodiscard]] static void* map(std::size_t bytes, std::size_t guard) {
    void* const base =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) {
      throw no_memory_for("the stack of a thread (" + std::to_string(bytes) + " bytes)");
    }
    if (mprotect(base, guard, PROT_NONE) != 0) {
      munmap(base, bytes);
      throw no_memory_for("the guard page of a thread's stack, of which it may map too few (vm.max_map_count)");
    }
    return base;
  }

  std::size_t guard_;
  std::size_t mapped_;
  void* base_;
};

}  // namespace dma::inline v0_1::host::detail
