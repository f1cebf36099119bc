#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/barrier_word.hpp>
#include <dma/machine/gpu/ptx/grid.hpp>
#include <dma/machine/gpu/ptx/shared_words.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/site.hpp>

/// What the checked build keeps of a CTA, in static shared memory.
#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::inline v0_1::machine {

inline constexpr unsigned whole_warp = 0xffffffffU;

/// A name in the program, as the lower half of its address: a register less in each kernel.
[[nodiscard]] DMA_DEVICE const char* known_name() { return "a name of the program"; }
[[nodiscard]] DMA_DEVICE unsigned lower_half(const char* name) {
  return static_cast<unsigned>(reinterpret_cast<unsigned long long>(name));
}
/// A program has less than 2 GB of names.
[[nodiscard]] DMA_DEVICE const char* name_at(unsigned lower) {
  return known_name() + static_cast<int>(lower - lower_half(known_name()));
}

// The words of a pipeline, 8 bytes each: at which tile the last one of them ended, whether its storage is open, its
// name and its storage, and of each slot the elements of the tile that it was last filled with.
inline constexpr unsigned end_word = 0;
inline constexpr unsigned open_word = 8;
inline constexpr unsigned name_word = 16;
inline constexpr unsigned slot_words = 24;

/// Of which pipeline a message is: the `lower_half` of its type's name, and the address of its storage.
struct PipelineName {
  unsigned name;
  unsigned storage;
};
/// A call, and which slot of which pipeline it is about. The first 8 bytes are one store.
struct alignas(16) CallRecord {
  /// No pipeline's: those of a CTA follow its `warps`. A word there may be read.
  static constexpr unsigned no_words = 1024;

  unsigned words;  ///< of the pipeline; `no_words` where it has none, 0 where `name` is the call's
  short stage;
  Call call;
  PipelineName name;
};
/// Of each warp.
struct WarpRecord {
  CallRecord in;                 ///< the call that it is in, for messages
  unsigned cta;                  ///< the warp's CTA: shared memory is not cleared before a CTA
  unsigned claimed : 16;         ///< named barriers of its pipelines, a bit each
  unsigned has_budget : 1;       ///< whether it has set its role's register budget
  unsigned ends : 15;            ///< pipelines that it has ended, modulo 2^15
  unsigned long long lanes_met;  ///< `LanesMet`, for lanes that have parted
};
/// Read at once.
struct alignas(8) NamedBarrierRecord {
  unsigned header;  ///< `BarrierHeader`
  unsigned word;    ///< `BarrierWord`
};
struct KernelRecord {
  unsigned cta;
  const char* name;
};
/// A warp's groups of asynchronous reads, modulo 256.
struct ReadGroups {
  unsigned char committed;
  unsigned char over;  ///< that a wait has covered
};
/// Aligned and as large as the alignment of dynamic shared memory, which comes after it.
struct alignas(shared_alignment) CtaRecord {
  static constexpr int most_pipelines = 16;
  static constexpr int most_words = 86;

  WarpRecord warps[32];
  NamedBarrierRecord named_barriers[16];
  unsigned long long pipelines[most_pipelines];  ///< `PipelineEntry`, in the order of construction
  unsigned long long words[most_words];          ///< `KeyedValue`: those of the first pipeline, of the second, ...
  ReadGroups reads[32];                          ///< of each warp
  KernelRecord kernel;
};
static_assert(sizeof(CtaRecord) == 2 * shared_alignment);
static_assert(32 * sizeof(WarpRecord) >= CallRecord::no_words);
[[nodiscard]] DMA_DEVICE CtaRecord& cta_record() {
  __shared__ CtaRecord record;
  return record;
}

/// A number for this CTA of this launch; values that an earlier CTA left in shared memory have another. Launches of
/// different processes have the same numbers, and the memory is not cleared between them, so the place of the program
/// in global memory is a part of it.
[[nodiscard]] DMA_DEVICE unsigned cta_key() {
  const auto program = reinterpret_cast<unsigned long long>(known_name());
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned launch = static_cast<unsigned>(ptx::grid_id()) + static_cast<unsigned>(program >> 12) * 2246822519U;
  return launch * 2654435761U + block;
}

[[nodiscard]] DMA_DEVICE WarpRecord& warp_record() {
  WarpRecord& record = cta_record().warps[threadIdx.x / 32];
  if (record.cta != cta_key()) {
    record.claimed = 0;
    record.has_budget = false;
    record.ends = 0;
    record.in.call = Call::none;
    cta_record().reads[threadIdx.x / 32] = {};
    record.cta = cta_key();
  }
  return record;
}

/// The same, in a warp that has constructed a pipeline: one read, where it is written.
[[nodiscard]] DMA_DEVICE unsigned known_key() {
  return ptx::load_relaxed_shared(&cta_record().warps[threadIdx.x / 32].cta);
}

/// Whether this lane is the first of those that execute the call together.
[[nodiscard]] DMA_DEVICE bool leads(unsigned lanes) {
  return threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(lanes)) - 1);
}

[[nodiscard]] DMA_DEVICE unsigned storage_address(const void* storage) {
  return storage == nullptr ? 0 : ptx::shared_address(storage);
}

/// The first half of a `CallRecord` at `record`.
DMA_DEVICE void store_call(unsigned record, unsigned words, Call call, int stage) {
  ptx::store_shared(record, words, static_cast<unsigned>(stage & 0xffff) | static_cast<unsigned>(call) << 16);
}
/// Records the call that the warp is in. All lanes that make it store the same, so that they do not part.
DMA_DEVICE void note_call(Call call, const Site& site) {
  CallRecord& record = (call == Call::construction ? warp_record() : cta_record().warps[threadIdx.x / 32]).in;
  record.name = {lower_half(site.pipeline), storage_address(site.storage)};
  store_call(ptx::shared_address(&record), 0, call, site.stage);
}
/// The pipeline of a recorded call.
[[nodiscard]] DMA_DEVICE PipelineName name_of(const CallRecord& record) {
  if (record.words == 0) {
    return record.name;
  }
  if (record.words == CallRecord::no_words) {
    return {lower_half(known_name()), 0};
  }
  const unsigned long long name = ptx::load_relaxed_shared(record.words + name_word);
  return {static_cast<unsigned>(name), static_cast<unsigned>(name >> 32)};
}

}  // namespace dma::inline v0_1::machine
#endif
