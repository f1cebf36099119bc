#pragma once

#include <dma/host/emulation/exceeded.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>

namespace dma::host {

/// The shared memory of the CTAs of a cluster, one after another. It starts as 0xa5 bytes: a GPU's is not zero either.
class SharedMemory {
 public:
  /// @param bytes  of each CTA
  SharedMemory(std::size_t bytes, int ctas)
      : pitch_((bytes + alignment - 1) / alignment * alignment),
        bytes_(pitch_ * static_cast<std::size_t>(ctas - 1) + bytes),
        memory_(::operator new (std::max<std::size_t>(bytes_, 1), std::align_val_t{alignment}, std::nothrow)) {
    if (memory_ == nullptr) {
      throw no_memory_for("the shared memory of a CTA (" + std::to_string(bytes_) + " bytes)");
    }
    std::memset(memory_.get(), 0xa5, bytes_);
  }
  [[nodiscard]] unsigned char* of_cta(int rank) const noexcept {
    return static_cast<unsigned char*>(memory_.get()) + pitch_ * static_cast<std::size_t>(rank);
  }
  /// From one CTA's to the next one's.
  [[nodiscard]] std::size_t pitch() const noexcept { return pitch_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t alignment = 1024;
  struct Free {
    void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
  };
  std::size_t pitch_;
  std::size_t bytes_;
  std::unique_ptr<void, Free> memory_;
};

}  // namespace dma::host
