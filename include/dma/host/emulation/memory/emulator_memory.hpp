#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace dma::inline v0_1::host::detail {

/// Memory that the emulator uses on the calling thread. None of it is a kernel's. In a program that sees every access
/// the emulator is not instrumented, but functions of the standard library that it calls may be: the program has one
/// copy of each.
class EmulatorMemory {
 public:
  /// @param frame  of the function that runs kernels; the frames of its callees are below
  explicit EmulatorMemory(const void* frame)
      : frame_(reinterpret_cast<std::uintptr_t>(frame)), outer_(std::exchange(running_, this)) {}
  ~EmulatorMemory() { running_ = outer_; }
  EmulatorMemory(const EmulatorMemory&) = delete;
  EmulatorMemory& operator=(const EmulatorMemory&) = delete;

  /// An emulated thread, which has a stack of its own, continues from this frame on.
  static void leave_stack_at(const void* frame) noexcept {
    if (running_ != nullptr) {
      running_->lowest_ = reinterpret_cast<std::uintptr_t>(frame);
    }
  }
  [[nodiscard]] static bool stack_contains(const void* place) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    return running_ != nullptr && address - running_->lowest_ < running_->frame_ - running_->lowest_;
  }
  /// While one exists, what the thread allocates is the emulator's.
  class Allocations {
   public:
    Allocations() { ++count_; }
    ~Allocations() { --count_; }
    Allocations(const Allocations&) = delete;
    Allocations& operator=(const Allocations&) = delete;

    [[nodiscard]] static bool any() noexcept { return count_ != 0; }

   private:
    static inline thread_local int count_ = 0;
  };

 private:
  static inline thread_local EmulatorMemory* running_ = nullptr;

  std::uintptr_t frame_;
  std::uintptr_t lowest_ = frame_;
  EmulatorMemory* outer_;
};

}  // namespace dma::inline v0_1::host::detail
