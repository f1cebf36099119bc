#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>

#include <cstddef>
#include <map>
#endif

namespace dma::inline v0_1::host::detail {

/// Slots that a thread has released and not acquired again. In a program with the address sanitizer, an access to one
/// of them while the thread runs, by a retained pointer, is reported; without it this class does nothing. Other threads
/// may hold the same slots, so each thread has its own object.
///
/// Cost    writes one byte for every 8 of a slot, at each switch of threads
/// Source  sanitizer/asan_interface.h, of GCC and of LLVM
class HiddenSlots {
 public:
#if defined(__SANITIZE_ADDRESS__)
  // To be called while the thread runs.

  void hide(const void* slot, int bytes) {
    slots_[static_cast<const char*>(slot)] = static_cast<std::size_t>(bytes);
    __asan_poison_memory_region(slot, static_cast<std::size_t>(bytes));
  }
  void show(const void* slot) {
    const auto hidden = slots_.find(static_cast<const char*>(slot));
    if (hidden != slots_.end()) {
      __asan_unpoison_memory_region(hidden->first, hidden->second);
      slots_.erase(hidden);
    }
  }
  void show_all_within(const void* storage, int bytes) {
    const char* const first = static_cast<const char*>(storage);
    for (auto slot = slots_.lower_bound(first); slot != slots_.end() && slot->first < first + bytes;) {
      __asan_unpoison_memory_region(slot->first, slot->second);
      slot = slots_.erase(slot);
    }
  }

  /// The thread starts to run, or continues.
  void begin() const {
    for (const auto& [slot, bytes] : slots_) {
      __asan_poison_memory_region(slot, bytes);
    }
  }
  /// Another thread runs next.
  void end() const {
    for (const auto& [slot, bytes] : slots_) {
      __asan_unpoison_memory_region(slot, bytes);
    }
  }

 private:
  std::map<const char*, std::size_t> slots_;  ///< with their bytes
#else
  void hide(const void*, int) {}
  void show(const void*) {}
  void show_all_within(const void*, int) {}
  void begin() const {}
  void end() const {}
#endif
};

}  // namespace dma::inline v0_1::host::detail
