#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/cta.hpp>
#include <dma/machine/gpu/ptx/shared_words.hpp>
#include <dma/machine/site.hpp>

#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::inline v0_1::machine {

/// A value in shared memory with the key of the CTA that has stored it: what an earlier CTA has left is not this one's.
struct KeyedValue {
  unsigned value;
  unsigned cta;

  DMA_DEVICE KeyedValue(unsigned its_value, unsigned its_cta) : value(its_value), cta(its_cta) {}
  DMA_DEVICE explicit KeyedValue(unsigned long long word)
      : value(static_cast<unsigned>(word)), cta(static_cast<unsigned>(word >> 32)) {}
  [[nodiscard]] DMA_DEVICE unsigned long long word() const {
    return static_cast<unsigned long long>(cta) << 32 | value;
  }
};

inline constexpr unsigned is_open = 1;

/// A pipeline of the CTA: the address of its storage in shared memory, which is below 2^18, and its number of words.
class PipelineEntry {
 public:
  DMA_DEVICE PipelineEntry(unsigned storage, int slots)
      : value_(storage << 14 | (static_cast<unsigned>(slots) + slot_words / 8)) {}
  DMA_DEVICE explicit PipelineEntry(unsigned value) : value_(value) {}
  [[nodiscard]] DMA_DEVICE unsigned value() const { return value_; }
  [[nodiscard]] DMA_DEVICE unsigned storage() const { return value_ >> 14; }
  [[nodiscard]] DMA_DEVICE unsigned bytes() const { return (value_ & 0x3fffU) * 8; }

 private:
  unsigned value_;
};

[[nodiscard]] DMA_DEVICE unsigned end_of_words() {
  return ptx::shared_address(cta_record().words) + unsigned{sizeof cta_record().words};
}
/// The address of a pipeline's words, which come after those of the pipelines that were constructed before it;
/// `no_words` where a CTA has no room for them. Several warps look for the same pipeline at once.
[[nodiscard]] inline __device__ __noinline__ unsigned find_words(unsigned storage, int slots) {
  const PipelineEntry wanted(storage, slots);
  const KeyedValue own(wanted.value(), known_key());
  unsigned words = ptx::shared_address(cta_record().words);
  for (unsigned long long& word : cta_record().pipelines) {
    KeyedValue found(ptx::load_relaxed_shared(&word));
    if (found.cta != own.cta) {
      const KeyedValue before(ptx::compare_and_swap_relaxed(ptx::shared_address(&word), found.word(), own.word()));
      found = before.cta == own.cta ? before : own;
    }
    const unsigned end = words + PipelineEntry(found.value).bytes();
    if (found.value == own.value) {
      return end <= end_of_words() ? words : CallRecord::no_words;
    }
    words = end;
  }
  return CallRecord::no_words;
}

/// Where the size of a slot's tile is kept: the address of its word in shared memory, the CTA's key, and false where
/// the CTA has too many slots.
struct SlotPlace {
  unsigned word;
  unsigned cta;
  bool is_kept;
};

/// What the calls of a pipeline record, and where. Values that went through a shuffle: the assembler keeps them in
/// registers, where it would compute others again before each call, and the loads of a tile would wait for that.
class PipelineRecord {
 public:
  PipelineRecord() = default;
  /// Collective over the warp.
  DMA_DEVICE PipelineRecord(const Site& pipeline, int slots)
      : record_(__shfl_sync(whole_warp, ptx::shared_address(&cta_record().warps[threadIdx.x / 32].in), 0)),
        cta_(__shfl_sync(whole_warp, known_key(), 0)) {
    const unsigned storage = storage_address(pipeline.storage);
    words_ = __shfl_sync(whole_warp, leads(whole_warp) ? find_words(storage, slots) : 0, 0);
    if (has_words()) {
      ptx::store_shared(words_ + name_word, lower_half(pipeline.pipeline), storage);
    }
  }

  DMA_DEVICE void store(Call call, const Site& site) const { store_call(record_, words_, call, site.stage); }
  [[nodiscard]] DMA_DEVICE bool has_words() const { return words_ != CallRecord::no_words; }
  [[nodiscard]] DMA_DEVICE unsigned words() const { return words_; }
  [[nodiscard]] DMA_DEVICE SlotPlace place(int stage) const {
    return {words_ + slot_words + static_cast<unsigned>(stage) * 8, cta_, has_words()};
  }

 private:
  unsigned record_ = 0;
  unsigned cta_ = 0;
  unsigned words_ = CallRecord::no_words;
};

}  // namespace dma::inline v0_1::machine
#endif
