#pragma once

#include <dma/machine/host/emulated_thread.hpp>
#include <dma/proof/record/byte_ranges.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Finds the bytes of shared memory that a thread reads and writes between two of its operations.
///
/// The library reports its own accesses, and those through handles. For accesses of the kernel through a reference or a
/// pointer only the result is known: bytes that changed were written, and others count as read.
class AccessDetector {
 public:
  /// @param shared  the CTA's shared memory: ranges count from its first byte
  explicit AccessDetector(const void* shared) : shared_(static_cast<const unsigned char*>(shared)) {}

  [[nodiscard]] ByteRange range_of(const void* place, std::size_t bytes) const {
    const auto offset = static_cast<const unsigned char*>(place) - shared_;
    return {offset, offset + static_cast<long long>(bytes)};
  }

  void touch(const void* place, std::size_t bytes, machine::Access access) {
    if (access == machine::Access::either) {
      references_.push_back({static_cast<const unsigned char*>(place), bytes, bytes_before_.size()});
      bytes_before_.insert(bytes_before_.end(), references_.back().place, references_.back().place + bytes);
    } else {
      ByteRanges& ranges = access == machine::Access::read ? accesses_.reads : accesses_.writes;
      if (ranges.capacity() == 0) {
        ranges.reserve(few);
      }
      ranges.push_back(range_of(place, bytes));
    }
  }
  /// The kernel has the address of a tile from now on, until `end_exposure`.
  void begin_exposure(void* tile, std::size_t bytes, std::size_t element_bytes, machine::Access access) {
    const bool is_known = std::any_of(exposures_.begin(), exposures_.end(),
                                      [&](const Exposure& exposure) { return exposure.tile == tile; });
    if (!is_known) {
      auto* const first = static_cast<unsigned char*>(tile);
      exposures_.push_back({first, bytes, element_bytes, access, {first, first + bytes}});
    }
  }
  void end_exposure(const void* tile) {
    std::erase_if(exposures_, [&](const Exposure& exposure) { return exposure.tile == tile; });
  }
  /// Other threads have run: what changed in exposed tiles meanwhile is not this thread's.
  void take_snapshots() {
    for (Exposure& exposure : exposures_) {
      exposure.take_snapshot();
    }
  }

  /// Whether there is nothing that `take` would have to look at.
  [[nodiscard]] bool is_idle() const {
    return accesses_.reads.empty() && accesses_.writes.empty() && references_.empty() && exposures_.empty();
  }
  /// Appends the accesses since the last call.
  void take(Accesses& accesses) {
    for (const Reference& reference : references_) {
      const bool is_same = std::memcmp(reference.place, bytes_before_.data() + reference.before, reference.bytes) == 0;
      (is_same ? accesses_.reads : accesses_.writes).push_back(range_of(reference.place, reference.bytes));
    }
    references_.clear();
    bytes_before_.clear();
    for (Exposure& exposure : exposures_) {
      if (exposure.access == machine::Access::either) {
        accesses_.reads.push_back(range_of(exposure.tile, exposure.bytes));
      }
      take_writes(exposure);
    }
    for (const auto& [from, to] :
         {std::pair(&accesses_.reads, &accesses.reads), {&accesses_.writes, &accesses.writes}}) {
      if (to->empty()) {
        to->swap(*from);
      } else {
        to->insert(to->end(), from->begin(), from->end());
        from->clear();
      }
    }
  }

 private:
  static constexpr std::size_t few = 8;  ///< accesses between two operations

  /// A reference that the kernel was given, and the bytes there at that time.
  struct Reference {
    const unsigned char* place;
    std::size_t bytes;
    std::size_t before;  ///< index in `bytes_before_`
  };
  /// A tile whose address the kernel has.
  struct Exposure {
    unsigned char* tile;
    std::size_t bytes;
    std::size_t element_bytes;
    machine::Access access;
    std::vector<unsigned char> before;

    void take_snapshot() { before.assign(tile, tile + bytes); }
  };

  void take_writes(Exposure& exposure) {
    if (std::memcmp(exposure.tile, exposure.before.data(), exposure.bytes) == 0) {
      return;
    }
    for (std::size_t byte = 0; byte < exposure.bytes; byte += exposure.element_bytes) {
      const std::size_t bytes = std::min(exposure.element_bytes, exposure.bytes - byte);
      if (std::memcmp(exposure.tile + byte, exposure.before.data() + byte, bytes) != 0) {
        accesses_.writes.push_back(range_of(exposure.tile + byte, bytes));
      }
    }
    exposure.take_snapshot();
  }

  const unsigned char* shared_;
  Accesses accesses_;
  std::vector<Reference> references_;
  std::vector<Exposure> exposures_;
  std::vector<unsigned char> bytes_before_;
};

}  // namespace dma::inline v0_1::proof::detail
