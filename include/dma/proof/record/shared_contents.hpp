#pragma once

#include <dma/machine/site.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/seen_accesses.hpp>
#include <dma/proof/record/written_bytes.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// An access that is wrong by what the bytes hold, not by its order.
struct ContentsFault {
  FindingKind kind = FindingKind::unwritten_bytes;
  std::size_t thread = 0;
  bool writes = false;
  bool by_copy = false;
  bool is_stale = false;              ///< the bytes are those of the slot's tile before
  long long byte = 0;                 ///< the first, from the beginning of shared memory
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
    if (is_global(bytes) || fault_) {
      return;
    }
    const auto fault = [&] {
      return ContentsFault{.thread = thread, .writes = writes, .instruction = instruction, .caller = caller};
    };
    if (const std::optional<long long> byte = written_.barrier_in(bytes)) {
      report_barrier(fault(), *byte);
    } else if (writes) {
      written_.write(bytes);
    } else {
      const auto count = bytes.last - bytes.first;
      Slot* const slot = slot_of(bytes);
      const auto since = slot == nullptr ? 0 : slot->filled_since(thread);
      const long long element = slot == nullptr || slot->element_bytes == 0 ? 8 : slot->element_bytes;
      const long long granule = count > 16 && element == 8 ? 16 : std::min(count, element);
      if (const std::optional<long long> unwritten = written_.unwritten_in(bytes, granule, since)) {
        report_unwritten(fault(), *unwritten);
      }
    }
  }
  /// A copy writes its bytes when it is issued: the judge sees to their order.
  void copy(std::size_t thread, const ByteRange& bytes, bool writes, const machine::SourceLocation& caller) {
    if (fault_) {
      return;
    }
    const ContentsFault fault{.thread = thread, .writes = writes, .by_copy = true, .caller = caller};
    if (const std::optional<long long> byte = written_.barrier_in(bytes)) {
      report_barrier(fault, *byte);
    } else if (writes) {
      written_.write(bytes);
    } else {
      const Slot* const slot = slot_of(bytes);
      const long long element = slot == nullptr || slot->element_bytes == 0 ? 16 : slot->element_bytes;
      const auto since = slot == nullptr ? 0 : slot->turn_began;
      if (const std::optional<long long> unwritten = written_.unwritten_in(bytes, element, since)) {
        report_unwritten(fault, *unwritten);
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

  /// A thread holds a slot between its wait and its release. The first thread that holds an empty slot begins another
  /// turn of it.
  void hold(std::size_t thread, const ByteRange& bytes, machine::Holding holding) {
    Slot& slot = slot_at(bytes.first);
    if (slot.last != bytes.last) {
      slot.last = bytes.last;
      recent_ = nullptr;
    }
    Held& mine = slot.of(thread);
    mine.is_known = true;
    mine.holding = holding;
    if (holding == machine::Holding::none) {
      mine.released = written_.tick();
    } else if (holding == machine::Holding::empty && slot.turn < ++mine.turn) {
      slot.turn = mine.turn;
      slot.turn_began = written_.tick();
    }
  }
  /// The thread ends the pipeline that has its slots there. It counts the turns of the next one from its beginning.
  void leave_slots(std::size_t thread, const ByteRange& storage) {
    const auto behind = slots_.lower_bound(storage.last);
    for (auto place = slots_.lower_bound(storage.first); place != behind; ++place) {
      Held& mine = place->second.of(thread);
      mine.turn = {mine.turn.pipelines + 1, 0};
    }
  }
  void name_element(const ByteRange& bytes, long long element_bytes) {
    if (Slot* const slot = slot_of(bytes)) {
      slot->element_bytes = element_bytes;
    }
  }
  /// The thread accesses an element through its handle.
  void name_element(std::size_t thread, const ByteRange& element, long long element_bytes) {
    Slot* const slot = slot_of(element);
    if (slot != nullptr && slot->element_bytes == 0 && slot->of(thread).is_known) {
      slot->element_bytes = element_bytes;
    }
  }

 private:
  /// Which filling of a slot it is. Threads that fill it together count the same.
  struct Turn {
    int pipelines = 0;  ///< that the thread had left before
    int times = 0;      ///< that it has held the slot empty
    auto operator<=>(const Turn&) const = default;
    Turn& operator++() {
      ++times;
      return *this;
    }
  };
  struct Held {
    bool is_known = false;
    machine::Holding holding = machine::Holding::none;
    Turn turn;
    WrittenBytes::Time released = 0;
  };
  struct Slot {
    long long first = 0;
    long long last = 0;
    long long element_bytes = 0;  ///< 0: not known
    Turn turn;                    ///< of the thread that has counted most
    WrittenBytes::Time turn_began = 0;
    std::vector<Held> held;  ///< by each thread

    /// What the thread reads of the slot is written later than that. A tile that was loaded is not of the turn before,
    /// whose slot the thread has released; one that threads fill is of the turn that is under way.
    [[nodiscard]] WrittenBytes::Time filled_since(std::size_t thread) {
      const Held& mine = of(thread);
      return mine.holding == machine::Holding::full ? std::max(mine.released, turn_began) : turn_began;
    }
    [[nodiscard]] Held& of(std::size_t thread) {
      if (thread >= held.size()) {
        held.resize(thread + 1);
      }
      return held[thread];
    }
  };

  [[nodiscard]] Slot& slot_at(long long first) {
    if (recent_ == nullptr || recent_->first != first) {
      recent_ = nullptr;
      slots_[first].first = first;
      return slots_[first];
    }
    return *recent_;
  }
  /// Where slots overlap, because a pipeline was opened over another, the one that begins last.
  [[nodiscard]] Slot* slot_of(const ByteRange& bytes) {
    if (recent_ == nullptr || bytes.first < recent_->first || bytes.first >= recent_end_) {
      const auto behind = slots_.upper_bound(bytes.first);
      if (behind == slots_.begin() || bytes.first >= std::prev(behind)->second.last) {
        return nullptr;
      }
      recent_ = &std::prev(behind)->second;
      recent_end_ = behind == slots_.end() ? recent_->last : std::min(recent_->last, behind->first);
    }
    return recent_;
  }
  void report_barrier(ContentsFault fault, long long byte) {
    fault.kind = FindingKind::accessed_barrier;
    report(std::move(fault), byte);
  }
  void report_unwritten(ContentsFault fault, long long byte) {
    fault.is_stale = written_.was_written(byte);
    report(std::move(fault), byte);
  }
  void report(ContentsFault fault, long long byte) {
    fault.byte = byte;
    fault_ = std::move(fault);
  }

  WrittenBytes written_;
  std::optional<ContentsFault>& fault_;  ///< the first
  std::map<long long, Slot> slots_;      ///< by their first byte
  Slot* recent_ = nullptr;               ///< that was accessed last
  long long recent_end_ = 0;             ///< behind those of its bytes that no other slot has
};

}  // namespace dma::inline v0_1::proof::detail
