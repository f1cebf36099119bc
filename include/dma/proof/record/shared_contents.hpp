#pragma once

#include <dma/machine/source_location.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/seen_accesses.hpp>
#include <dma/proof/record/written_bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace dma::host {

/// An access that is wrong by what the bytes hold, not by its order.
struct ContentsFault {
  FindingKind kind = FindingKind::unwritten_bytes;
  std::size_t thread = 0;
  bool writes = false;
  bool by_copy = false;
  bool is_stale = false;  ///< the bytes are those of the slot's tile before
  long long byte = 0;     ///< the first, from the beginning of shared memory
  long long byte_of_slot = -1;
  const void* instruction = nullptr;  ///< the address behind it
  machine::SourceLocation caller;
};

/// What shared memory holds at each access of a run: bytes that no thread wrote, tiles and words of open barriers. It
/// judges the run that is recorded; accesses without an order are races in any case.
class SharedContents {
 public:
  SharedContents(std::size_t bytes, std::optional<ContentsFault>& fault) : written_(bytes), fault_(fault) {}

  void access(std::size_t thread, const ByteRange& bytes, bool writes, const void* instruction,
              const machine::SourceLocation& caller) {
    if (!is_global(bytes) && !fault_) {
      const auto count = bytes.last - bytes.first;
      expect_no_barrier({.thread = thread, .writes = writes, .instruction = instruction, .caller = caller}, bytes);
      if (writes) {
        written_.write(bytes);
      } else {
        const Slot* const slot = slot_of(bytes);
        const auto mine = slot == nullptr ? Released{} : released(*slot, thread);
        const auto since = mine.is_held ? mine.time : slot != nullptr && mine.fills == 0 ? slot->fill_began : 0;
        const long long element = slot == nullptr || slot->element_bytes == 0 ? 8 : slot->element_bytes;
        expect_written({.thread = thread, .instruction = instruction, .caller = caller}, bytes,
                       count > 16 && element == 8 ? 16 : std::min(count, element), since);
      }
    }
  }
  /// A copy writes its bytes when it is issued: the judge sees to their order.
  void copy(std::size_t thread, const ByteRange& bytes, bool writes, const machine::SourceLocation& caller) {
    if (!fault_) {
      expect_no_barrier({.thread = thread, .writes = writes, .by_copy = true, .caller = caller}, bytes);
      if (writes) {
        written_.write(bytes);
      } else {
        const Slot* const slot = slot_of(bytes);
        const long long element = slot == nullptr || slot->element_bytes == 0 ? 16 : slot->element_bytes;
        expect_written({.thread = thread, .by_copy = true, .caller = caller}, bytes, element,
                       slot == nullptr ? 0 : slot->fill_began);
      }
    }
  }
  /// A thread writes global memory while the grids before may still use it.
  void report_early_write(std::size_t thread, const void* instruction, const machine::SourceLocation& caller) {
    if (!fault_) {
      fault_ = ContentsFault{.kind = FindingKind::broken_contract,
                             .thread = thread,
                             .writes = true,
                             .instruction = instruction,
                             .caller = caller};
    }
  }
  void open_barrier(const ByteRange& word) { written_.open_barrier(word); }
  void close_barrier(const ByteRange& word) { written_.forget(word); }

  /// A thread holds a slot between its wait and its release; `use`: the slot was loaded for it.
  void hold(std::size_t thread, const ByteRange& bytes, bool is_held) {
    Slot& slot = slots_[bytes.first];
    slot.last = bytes.last;
    Released& mine = slot.released[thread];
    mine.is_held = is_held && mine.is_loaded;
    mine.may_fill = is_held;
    if (!is_held) {
      mine.time = written_.tick();
    }
  }
  void use(std::size_t thread, long long slot) {
    Released& mine = slots_[slot].released[thread];
    mine.is_loaded = true;
    mine.is_held = true;
  }
  /// A tile is in the slot or, where the thread holds it, will be: it begins to fill it for a store. What a turn of the
  /// slot sends is written in this turn.
  void fill(std::size_t thread, long long first) {
    const auto place = slots_.find(first);
    if (place != slots_.end() && place->second.released[thread].may_fill) {
      Slot& slot = place->second;
      if (int& fills = slot.released[thread].fills; ++fills > slot.fills) {
        slot.fills = fills;
        slot.fill_began = written_.tick();
      }
    }
  }
  [[nodiscard]] bool is_held(std::size_t thread, long long byte) const {
    const Slot* const slot = slot_of({byte, byte + 1});
    return slot != nullptr && slot->released.contains(thread) && slot->element_bytes == 0;
  }
  void name_element(const ByteRange& bytes, long long element_bytes) {
    if (Slot* const slot = const_cast<Slot*>(slot_of(bytes))) {
      slot->element_bytes = element_bytes;
    }
  }

 private:
  struct Released {
    WrittenBytes::Time time = 0;
    bool is_loaded = false;
    bool is_held = false;
    bool may_fill = false;  ///< holds it, loaded or not
    int fills = 0;          ///< for stores
  };
  struct Slot {
    long long last = 0;
    long long element_bytes = 0;  ///< 0: not known
    int fills = 0;                ///< for stores, by the thread that has made most
    WrittenBytes::Time fill_began = 0;
    std::map<std::size_t, Released> released;  ///< by each thread, when it last released the slot
  };

  [[nodiscard]] const Slot* slot_of(const ByteRange& bytes) const {
    const auto behind = slots_.upper_bound(bytes.first);
    return behind != slots_.begin() && bytes.first < std::prev(behind)->second.last ? &std::prev(behind)->second
                                                                                    : nullptr;
  }
  [[nodiscard]] static Released released(const Slot& slot, std::size_t thread) {
    const auto found = slot.released.find(thread);
    return found == slot.released.end() ? Released{} : found->second;
  }
  void expect_no_barrier(ContentsFault fault, const ByteRange& bytes) {
    if (const std::optional<long long> byte = written_.barrier_in(bytes)) {
      fault.kind = FindingKind::accessed_barrier;
      report(std::move(fault), *byte);
    }
  }
  void expect_written(ContentsFault fault, const ByteRange& bytes, long long granule, WrittenBytes::Time since) {
    if (const std::optional<long long> byte = written_.unwritten_in(bytes, granule, since); byte && !fault_) {
      fault.is_stale = written_.was_written(*byte);
      report(std::move(fault), *byte);
    }
  }
  void report(ContentsFault fault, long long byte) {
    fault.byte = byte;
    const auto behind = slots_.upper_bound(byte);
    if (behind != slots_.begin() && byte < std::prev(behind)->second.last) {
      fault.byte_of_slot = byte - std::prev(behind)->first;
    }
    fault_ = std::move(fault);
  }

  WrittenBytes written_;
  std::optional<ContentsFault>& fault_;  ///< the first
  std::map<long long, Slot> slots_;      ///< by their first byte
};

}  // namespace dma::host
