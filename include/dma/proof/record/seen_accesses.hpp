#pragma once

#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/touched_bytes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The accesses of one instruction between two operations of a thread.
struct SeenInstruction {
  const void* address;  ///< behind it
  bool writes;
  ByteRange hull;                         ///< of all bytes that it accessed
  std::array<unsigned char, 16> value{};  ///< of a store of up to 16 bytes
};

/// The loads and stores of the running thread since its last operation, one call each. One object serves all threads of
/// a CTA: they take turns only at operations.
///
/// Cost    some nanoseconds an access; two bits for each byte of shared memory
class SeenAccesses {
 public:
  SeenAccesses(const void* shared, std::size_t bytes) : memory_(shared, bytes), read_(bytes), written_(bytes) {}

  [[nodiscard]] const WatchedMemory& memory() const noexcept { return memory_; }
  /// @pre The range is not empty.
  void add(std::size_t thread, const ByteRange& range, bool writes, const void* instruction) {
    if (thread != thread_) {
      // Left over are accesses of a thread that ended by an exception.
      Accesses dropped;
      take(dropped, dropped);
      instructions_.clear();
      thread_ = thread;
    }
    if (is_global(range)) {
      add_global(writes ? global_.writes : global_.reads, range);
    } else {
      (writes ? written_ : read_).add(range);
    }
    note(instruction, writes, range);
  }
  [[nodiscard]] bool has_any_of(std::size_t thread) const noexcept {
    return thread == thread_ && !instructions_.empty();
  }
  /// Appends the bytes of shared memory, which are tidy, and those of global memory; forgets them.
  void take(Accesses& shared, Accesses& global) {
    read_.take(shared.reads);
    written_.take(shared.writes);
    append(global.reads, global_.reads);
    append(global.writes, global_.writes);
  }
  void forget_instructions() { instructions_.clear(); }
  /// Appends the instructions that made the accesses, and forgets them.
  void take_instructions(std::vector<SeenInstruction>& instructions) {
    for (SeenInstruction& seen : instructions_) {
      if (seen.writes && seen.hull.last - seen.hull.first <= static_cast<long long>(seen.value.size())) {
        std::memcpy(seen.value.data(), memory_.place_of(seen.hull),
                    static_cast<std::size_t>(seen.hull.last - seen.hull.first));
      }
    }
    instructions.insert(instructions.end(), instructions_.begin(), instructions_.end());
    instructions_.clear();
  }

 private:
  static constexpr std::size_t recent = 4;
  static constexpr std::size_t many = 1024;

  static void append(ByteRanges& to, ByteRanges& from) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  }
  static void add_global(ByteRanges& ranges, const ByteRange& range) {
    // A loop comes back to its variables, and goes on in its arrays.
    for (auto known = ranges.rbegin(); known != ranges.rend() && known < ranges.rbegin() + recent; ++known) {
      if (known->first <= range.first && range.first <= known->last) {
        known->last = std::max(known->last, range.last);
        return;
      }
    }
    ranges.push_back(range);
    if (ranges.size() % many == 0) {
      ranges = tidy(std::move(ranges));
    }
  }
  void note(const void* address, bool writes, const ByteRange& range) {
    for (SeenInstruction& known : instructions_) {
      if (known.address == address && known.writes == writes) {
        known.hull = {std::min(known.hull.first, range.first), std::max(known.hull.last, range.last)};
        return;
      }
    }
    instructions_.push_back({address, writes, range, {}});
  }

  WatchedMemory memory_;
  std::size_t thread_ = 0;  ///< whose accesses these are
  TouchedBytes read_, written_;
  Accesses global_;
  std::vector<SeenInstruction> instructions_;
};

}  // namespace dma::inline v0_1::proof::detail
