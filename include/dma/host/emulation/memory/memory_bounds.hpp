#pragma once

#include <dma/host/emulation/memory/kernel_memory.hpp>
#include <dma/host/emulation/memory/shared_memory.hpp>
#include <dma/machine/site.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace dma::inline v0_1::host::detail {

/// The memory that the threads of an emulated CTA may access.
class MemoryBounds {
 public:
  /// @param shared  of the CTA's cluster
  /// @param global  null where no array is known
  /// Both exist as long as this object.
  MemoryBounds(const SharedMemory& shared, int rank, KernelMemory* global)
      : shared_(shared), rank_(rank), global_(global) {}

  [[nodiscard]] bool allow(const void* place, std::size_t bytes, machine::Access access) const {
    return shared_.is_near(place) ? shared_.contains(place, bytes)
                                  : global_ == nullptr || bytes == 0 || global_->allows(place, bytes, access);
  }
  /// Of an access that the library makes to shared memory.
  [[nodiscard]] bool allow_shared(const void* place, std::size_t bytes) const {
    return bytes == 0 || shared_.contains(place, bytes);
  }
  /// What a thread does that is not allowed, in a sentence.
  [[nodiscard]] std::string refusal(const void* place, std::size_t bytes, machine::Access access) const {
    return "dma::host: a thread " +
           (shared_.is_near(place)
                ? (access == machine::Access::write ? "writes " : "reads ") + shared_.refusal(place, bytes, rank_)
                : global_->refusal(place, bytes, access));
  }
  /// The same of an access to shared memory.
  [[nodiscard]] std::string refusal_of_shared(const void* place, std::size_t bytes, machine::Access access) const {
    return shared_.is_near(place)
               ? refusal(place, bytes, access)
               : "dma::host: a thread copies " + std::to_string(bytes) +
                     (access == machine::Access::write ? " bytes to" : " bytes out of") +
                     " shared memory at an address that is not in its CTA's; give one in the kernel body's Shared";
  }
  /// "byte 16 of shared memory", "element 3 of y".
  [[nodiscard]] std::string name_of(const void* address) const {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    const std::string name = shared_.is_near(address) ? shared_.name_of(address, rank_)
                             : global_ == nullptr || !global_->names_any()
                                 ? "in global memory, of which no array was named"
                                 : global_->name_of(place, 1);
    return (name.empty() ? "in no array of this launch" : name) + " (" + std::to_string(place % 16) + " modulo 16)";
  }
  void add_counter(const void* word, std::size_t bytes) {
    if (global_ != nullptr) {
      global_->add_counter(word, bytes);
    }
  }
  /// A constant is loaded.
  void note_constant(bool is_early) {
    if (global_ != nullptr && is_early) {
      global_->note_constant();
    }
  }

 private:
  const SharedMemory& shared_;
  int rank_;
  KernelMemory* global_;
};

}  // namespace dma::inline v0_1::host::detail
