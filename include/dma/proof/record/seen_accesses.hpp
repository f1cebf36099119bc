#pragma once

#include <dma/proof/record/byte_ranges.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace dma::host {

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
/// Cost    tens of nanoseconds an access; two bits for each byte of shared memory
class SeenAccesses {
 public:
  SeenAccesses(const void* shared, std::size_t bytes) : memory_(shared, bytes), read_(bytes), written_(bytes) {}

  [[nodiscard]] const WatchedMemory& memory() const noexcept { return memory_; }
  void add(std::size_t thread, const ByteRange& range, bool writes, const void* instruction) {
    if (thread != thread_) {
      // Left over are accesses of a thread that ended by an exception.
      std::vector<SeenInstruction> dropped;
      static_cast<void>(take(dropped));
      thread_ = thread;
    }
    Bytes& touched = writes ? written_ : read_;
    if (is_global(range)) {
      touched.add_global(range);
    } else {
      touched.add_shared(range);
    }
    note(instruction, writes, range);
  }
  [[nodiscard]] bool has_any_of(std::size_t thread) const noexcept {
    return thread == thread_ && !instructions_.empty();
  }
  /// @param instructions  those that made the accesses are added to it
  [[nodiscard]] Accesses take(std::vector<SeenInstruction>& instructions) {
    for (SeenInstruction& seen : instructions_) {
      if (seen.writes && seen.hull.last - seen.hull.first <= static_cast<long long>(seen.value.size())) {
        std::memcpy(seen.value.data(), memory_.place_of(seen.hull),
                    static_cast<std::size_t>(seen.hull.last - seen.hull.first));
      }
    }
    instructions.insert(instructions.end(), instructions_.begin(), instructions_.end());
    instructions_.clear();
    return {read_.take(), written_.take()};
  }

 private:
  class Bytes {
   public:
    explicit Bytes(std::size_t shared_bytes) : shared_(shared_bytes) {}

    void add_shared(const ByteRange& range) {
      std::fill(at(range.first), at(range.last), true);
      hull_ = hull_.last == 0 ? range : ByteRange{std::min(hull_.first, range.first), std::max(hull_.last, range.last)};
    }
    void add_global(const ByteRange& range) {
      if (!global_.empty() && global_.back().first <= range.first && range.first <= global_.back().last) {
        global_.back().last = std::max(global_.back().last, range.last);
        return;
      }
      global_.push_back(range);
      if (global_.size() % 1024 == 0) {
        global_ = tidy(std::move(global_));
      }
    }
    [[nodiscard]] ByteRanges take() {
      ByteRanges ranges = std::exchange(global_, {});
      const auto last = at(hull_.last);
      for (auto first = std::find(at(hull_.first), last, true); first != last;) {
        const auto end = std::find(first, last, false);
        ranges.push_back({first - shared_.begin(), end - shared_.begin()});
        std::fill(first, end, false);
        first = std::find(end, last, true);
      }
      hull_ = {0, 0};
      return ranges;
    }

   private:
    [[nodiscard]] std::vector<bool>::iterator at(long long byte) {
      return shared_.begin() + static_cast<std::ptrdiff_t>(byte);
    }

    std::vector<bool> shared_;  ///< of each byte whether it was touched
    ByteRange hull_{0, 0};      ///< of these
    ByteRanges global_;
  };

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
  Bytes read_, written_;
  std::vector<SeenInstruction> instructions_;
};

}  // namespace dma::host
