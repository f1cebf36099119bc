#pragma once

#include <dma/host/emulation/exceeded.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

namespace dma::inline v0_1::host::detail {

/// The shared memory of the CTAs of a cluster, one after another, with bytes around each that are no CTA's: an access
/// to one of these is seen. It starts as 0xa5 bytes: a GPU's is not zero either. Its allocation is that of the C
/// library: it is the kernel's, and what the emulator allocates by `operator new` is not.
class SharedMemory {
 public:
  /// @param bytes  of each CTA
  SharedMemory(std::size_t bytes, int ctas)
      : bytes_(bytes),
        pitch_((bytes + around + alignment - 1) / alignment * alignment),
        all_bytes_(around + pitch_ * static_cast<std::size_t>(ctas)),
        memory_(std::aligned_alloc(alignment, all_bytes_)) {
    if (memory_ == nullptr) {
      throw no_memory_for("the shared memory of a CTA (" + std::to_string(all_bytes_) + " bytes)");
    }
    hide(memory_.get(), all_bytes_);
    for (int rank = 0; rank < ctas; ++rank) {
      show(of_cta(rank), bytes_);
      std::memset(of_cta(rank), 0xa5, bytes_);
    }
  }
  ~SharedMemory() { show(memory_.get(), all_bytes_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] unsigned char* of_cta(int rank) const noexcept {
    return static_cast<unsigned char*>(memory_.get()) + around + pitch_ * static_cast<std::size_t>(rank);
  }
  /// From one CTA's to the next one's.
  [[nodiscard]] std::size_t pitch() const noexcept { return pitch_; }

  /// Whether all bytes are of one CTA.
  [[nodiscard]] bool contains(const void* place, std::size_t bytes) const noexcept {
    const std::size_t offset = offset_of(place);
    return is_near(place) && offset >= around && (offset - around) % pitch_ <= bytes_ &&
           bytes <= bytes_ - (offset - around) % pitch_;
  }
  /// Whether the first byte is a CTA's, or around one.
  [[nodiscard]] bool is_near(const void* place) const noexcept { return offset_of(place) < all_bytes_; }
  /// "byte 16 of shared memory".
  ///
  /// @param rank  of the CTA from whose begin it counts
  [[nodiscard]] std::string name_of(const void* place, int rank) const {
    return "byte " + std::to_string(static_cast<const unsigned char*>(place) - of_cta(rank)) + " of shared memory";
  }
  /// What is wrong with an access that begins near one and is not contained, and what to do.
  ///
  /// @param rank  of the CTA whose thread it is
  [[nodiscard]] std::string refusal(const void* place, std::size_t bytes, int rank) const {
    const auto first = static_cast<const unsigned char*>(place) - of_cta(rank);
    const auto last = first + static_cast<std::ptrdiff_t>(bytes) - 1;
    return "byte" +
           (bytes == 1 ? " " + std::to_string(first) : "s " + std::to_string(first) + " to " + std::to_string(last)) +
           " of its CTA's shared memory, which has " + std::to_string(bytes_) +
           " bytes; stay inside the kernel body's Shared";
  }

 private:
  static constexpr std::size_t alignment = 1024;
  static constexpr std::size_t around = 4096 + (64 << 10);  ///< whose numbers a recording has for tensor memory
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  // What is no CTA's, from the address sanitizer.
#if defined(__SANITIZE_ADDRESS__)
  static void hide(const void* memory, std::size_t bytes) { __asan_poison_memory_region(memory, bytes); }
  static void show(const void* memory, std::size_t bytes) { __asan_unpoison_memory_region(memory, bytes); }
#else
  static void hide(const void*, std::size_t) {}
  static void show(const void*, std::size_t) {}
#endif
  [[nodiscard]] std::size_t offset_of(const void* place) const noexcept {
    return reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(memory_.get());
  }

  std::size_t bytes_;  ///< of each CTA
  std::size_t pitch_;
  std::size_t all_bytes_;
  std::unique_ptr<void, Free> memory_;
};

}  // namespace dma::inline v0_1::host::detail
