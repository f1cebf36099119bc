#pragma once

#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/record/byte_ranges.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What memory accesses are to, as a set of bits.
enum class Memory : unsigned char {
  none = 0,
  tile = 1,
  own_shared = 2,
  barrier = 4,
  global = 8,
  count = 16,
  tensor = 32
};
[[nodiscard]] constexpr Memory operator|(Memory one, Memory other) {
  return static_cast<Memory>(static_cast<unsigned char>(one) | static_cast<unsigned char>(other));
}
[[nodiscard]] constexpr bool has(Memory set, Memory one) {
  return (static_cast<unsigned char>(set) & static_cast<unsigned char>(one)) != 0;
}

/// "a tile and global memory".
[[nodiscard]] inline std::string text_of(Memory set) {
  std::string text;
  for (const auto& [memory, name] : {std::pair(Memory::tile, "a tile"),
                                     {Memory::own_shared, "the kernel's own shared memory"},
                                     {Memory::barrier, "the word of a barrier"},
                                     {Memory::global, "global memory"},
                                     {Memory::count, "what a CTA counts"},
                                     {Memory::tensor, "tensor memory"}}) {
    if (has(set, memory)) {
      text += (text.empty() ? "" : " and ") + std::string(name);
    }
  }
  return text;
}

/// A CTA's tensor memory, whose rows have numbers among the bytes behind the CTA's shared memory, a lane after another.
inline constexpr int tensor_columns = 512;
inline constexpr int tensor_lanes = 128;

/// Where the slots of pipelines and the words of barriers are in the shared memory of a CTA, or of a cluster's CTAs one
/// after another. The rest is the kernel's own.
class SharedLayout {
 public:
  /// @param first  byte of its storage
  void add_pipeline(const machine::Site& pipeline, long long first, int stages, int slot_bytes) {
    const bool is_known = std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
      return slot.bytes.first == first && slot.site.pipeline == pipeline.pipeline;
    });
    for (int stage = 0; !is_known && stage < stages; ++stage) {
      machine::Site site = pipeline;
      site.stage = stage;
      slots_.push_back({{first + stage * slot_bytes, first + (stage + 1) * slot_bytes}, site});
    }
  }
  void add_barrier(const ByteRange& word) {
    if (std::find(barriers_.begin(), barriers_.end(), word) == barriers_.end()) {
      barriers_.push_back(word);
    }
  }

  /// @param first  number of its first column and lane
  void add_tensor_memory(long long first) {
    if (std::find(tensor_memories_.begin(), tensor_memories_.end(), first) == tensor_memories_.end()) {
      tensor_memories_.push_back(first);
    }
  }

  [[nodiscard]] Memory memory_of(const ByteRanges& ranges) const {
    Memory memory = Memory::none;
    for (const ByteRange& range : ranges) {
      memory = memory | memory_of(range);
    }
    return memory;
  }
  /// "bytes 16 to 31 of slot 1 of pipeline A".
  ///
  /// @param begin  of the shared memory of the CTA
  [[nodiscard]] std::string text_of(const ByteRange& bytes, long long begin,
                                    host::detail::PipelineLetters& pipelines) const {
    if (const long long first = tensor_memory_of(bytes); first >= 0) {
      const long long lane = (bytes.first - first) / tensor_columns;
      const long long column = (bytes.first - first) % tensor_columns;
      return "columns " + std::to_string(column) + " to " + std::to_string(column + bytes.last - bytes.first - 1) +
             " of lane " + std::to_string(lane) + " of tensor memory";
    }
    if (const Slot* const slot = slot_of(bytes)) {
      return numbers(bytes, slot->bytes.first) + " of " + pipelines.place_of(slot->site);
    }
    return numbers(bytes, begin) +
           (memory_of(bytes) == Memory::barrier ? " of shared memory" : " of the kernel's own shared memory");
  }
  /// "bytes 16 to 31", or "byte 16".
  [[nodiscard]] static std::string numbers(const ByteRange& bytes, long long begin) {
    const std::string first = std::to_string(bytes.first - begin);
    return bytes.last - bytes.first == 1 ? "byte " + first
                                         : "bytes " + first + " to " + std::to_string(bytes.last - 1 - begin);
  }

 private:
  struct Slot {
    ByteRange bytes;
    machine::Site site;
  };

  [[nodiscard]] Memory memory_of(const ByteRange& range) const {
    const auto has_it = [&](const ByteRange& word) { return word.first < range.last && range.first < word.last; };
    return range.first < 0                                           ? Memory::count
           : is_global(range)                                        ? Memory::global
           : tensor_memory_of(range) >= 0                            ? Memory::tensor
           : slot_of(range) != nullptr                               ? Memory::tile
           : std::any_of(barriers_.begin(), barriers_.end(), has_it) ? Memory::barrier
                                                                     : Memory::own_shared;
  }
  /// Its first number; -1 where the range is none of its columns.
  [[nodiscard]] long long tensor_memory_of(const ByteRange& range) const {
    const auto found = std::find_if(tensor_memories_.begin(), tensor_memories_.end(), [&](long long first) {
      return range.first >= first && range.first < first + tensor_columns * tensor_lanes;
    });
    return found == tensor_memories_.end() ? -1 : *found;
  }
  /// That begins last, where a pipeline was opened over another. Null where none has one of the bytes.
  [[nodiscard]] const Slot* slot_of(const ByteRange& bytes) const {
    const Slot* found = nullptr;
    for (const Slot& slot : slots_) {
      const bool has_it = slot.bytes.first < bytes.last && bytes.first < slot.bytes.last;
      found = has_it && (found == nullptr || slot.bytes.first >= found->bytes.first) ? &slot : found;
    }
    return found;
  }

  std::vector<Slot> slots_;
  std::vector<ByteRange> barriers_;
  std::vector<long long> tensor_memories_;
};

}  // namespace dma::inline v0_1::proof::detail
