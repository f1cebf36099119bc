#pragma once

#include <dma/host/emulation/hidden_slots.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/site.hpp>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// How often one thread has filled or moved each slot. Threads of a side do the same, so that equal turns are one tile.
class FillTurns {
 public:
  struct Turn {
    int pipelines = 0;  ///< that the thread had left before, by close() or by a destructor
    int times = 0;      ///< that it filled the slot
    auto operator<=>(const Turn&) const = default;
  };

  [[nodiscard]] Turn next(const void* slot) { return {pipelines_, ++times_[slot]}; }
  void leave_pipeline() { ++pipelines_; }

 private:
  int pipelines_ = 0;
  std::map<const void*, int> times_;
};

/// The tile that each slot of a CTA was last filled with. All threads that fill it, and both sides of a pipeline, must
/// name the same tile.
class FilledSlots {
 public:
  /// @param caller  the call that filled it
  ///
  /// @throw KernelError  another thread filled it with a tile of another size or shape
  void fill(const void* slot, const machine::TileShape& tile, const machine::SourceLocation& caller,
            FillTurns::Turn turn) {
    Filled& filled = tiles_[slot];
    if (filled.turn < turn) {
      filled = {tile, caller, turn};
    } else if (filled.turn == turn && !is_same(filled.tile, tile)) {
      throw KernelError("dma::host: a slot is filled with a tile of " + describe(filled) +
                        " by one thread and with one of " + std::to_string(tile.elements) +
                        other_shape(filled.tile, tile) + " by another; name the same tile in all threads of a side");
    }
  }

  /// @throw KernelError  the slot was filled with a tile of another size or shape
  void expect(const void* slot, const machine::TileShape& tile) const {
    // A slot that the explicit calls filled has no size to compare.
    const auto place = tiles_.find(slot);
    if (place != tiles_.end() && !is_same(place->second.tile, tile)) {
      throw KernelError(
          "dma::host: a slot was filled with a tile of " + describe(place->second) + " and is used as one of " +
          std::to_string(tile.elements) + other_shape(place->second.tile, tile) +
          "; name the same tile on both sides: load(source, tile) and wait(tile), and let no warp skip one");
    }
  }

 private:
  struct Filled {
    machine::TileShape tile = {};
    machine::SourceLocation caller = {};
    FillTurns::Turn turn = {};
  };

  [[nodiscard]] static bool is_same(const machine::TileShape& left, const machine::TileShape& right) {
    return left.elements == right.elements && left.runs == right.runs;
  }
  [[nodiscard]] static std::string describe(const Filled& filled) {
    const std::string line = source_line(filled.caller);
    return std::to_string(filled.tile.elements) + " elements" + (line.empty() ? "" : " (" + line + ")");
  }
  [[nodiscard]] static const char* other_shape(const machine::TileShape& left, const machine::TileShape& right) {
    return left.elements == right.elements ? " in other rows and columns" : "";
  }

  std::map<const void*, Filled> tiles_;
};

/// The address in global memory that each slot of a CTA was last moved from or to. All threads that move it must name
/// the same.
class MovedSlots {
 public:
  /// @param global  null for a map
  ///
  /// @throw KernelError  another thread named another address
  void move(const void* slot, const void* global, const machine::SourceLocation& caller, FillTurns::Turn turn) {
    Moved& moved = slots_[slot];
    if (moved.turn < turn) {
      moved = {global, turn};
    } else if (moved.turn == turn && moved.global != global) {
      const auto first = reinterpret_cast<std::uintptr_t>(moved.global);
      const std::string line = source_line(caller);
      throw KernelError("dma::host: two threads move one tile" + (line.empty() ? "" : " (" + line + ")") +
                        " from or to addresses that are " +
                        std::to_string(static_cast<long long>(reinterpret_cast<std::uintptr_t>(global) - first)) +
                        " bytes apart, and a GPU may take either; name the same address in all threads of a DMA group");
    }
  }

 private:
  struct Moved {
    const void* global = nullptr;
    FillTurns::Turn turn = {};
  };
  std::map<const void*, Moved> slots_;
};

/// The slots that one thread holds. The address sanitizer reports an access to a slot after its release.
class HeldSlots {
 public:
  void acquire(const void* slot) {
    if (!holds(slot)) {
      held_.push_back(slot);
    }
    hidden_.show(slot);
  }
  void release(const void* slot, int bytes) {
    std::erase(held_, slot);
    hidden_.hide(slot, bytes);
  }
  /// The thread's engine moves a tile into the slot or out of it.
  ///
  /// @throw KernelError  the thread holds the slot
  void begin_transfer(const void* slot) {
    if (holds(slot)) {
      throw KernelError(
          "dma::host: a thread moves a tile into or out of a slot that it still holds; release the slot first");
    }
    hidden_.show(slot);
  }
  void forget_all_within(const void* storage, int bytes) { hidden_.show_all_within(storage, bytes); }

  [[nodiscard]] const HiddenSlots& hidden() const noexcept { return hidden_; }

 private:
  [[nodiscard]] bool holds(const void* slot) const {
    return std::find(held_.begin(), held_.end(), slot) != held_.end();
  }

  std::vector<const void*> held_;
  HiddenSlots hidden_;
};

}  // namespace dma::inline v0_1::host::detail
