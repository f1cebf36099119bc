#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/cta.hpp>
#include <dma/machine/checked/message.hpp>
#include <dma/machine/checked/pipeline_end.hpp>
#include <dma/machine/checked/pipeline_record.hpp>
#include <dma/machine/gpu/ptx/shared_words.hpp>

/// What the two sides of a pipeline must agree on, in the checked build: the size of the tile in each slot, and the
/// number of tiles.
#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::inline v0_1::machine {

/// A slot is filled with a tile of so many elements. All lanes of a warp store the same.
DMA_DEVICE void fill_slot(unsigned elements, SlotPlace place) {
  if (place.is_kept) {
    ptx::store_shared(place.word, KeyedValue(elements, place.cta).word());
  }
}
/// What fills a slot next is not known.
DMA_DEVICE void empty_slot(SlotPlace place) {
  place.cta = ~place.cta;
  fill_slot(0, place);
}
[[noreturn]] inline __device__ __noinline__ void stop_unequal(unsigned filled, unsigned used) {
  stop(
      "dma: a slot was filled with a tile of another number of elements than it is used as; name the same tile on "
      "both sides: load(source, tile) and wait(tile), and let no warp skip one",
      "filled", filled, "used", used);
}
/// Stops a kernel that uses a slot as a tile of another size than it was filled with. Without a branch that a call
/// may return to: it would synchronize the warp.
DMA_DEVICE void expect_filled(unsigned elements, SlotPlace place) {
  const KeyedValue found(ptx::load_relaxed_shared(place.word));
  if (found.value != elements && found.cta == place.cta && place.is_kept) {
    stop_unequal(found.value, elements);
  }
}

/// The warp's groups of reads, which its lanes change together.
[[nodiscard]] DMA_DEVICE ReadGroups read_groups() {
  static_cast<void>(warp_record());
  const volatile ReadGroups& groups = cta_record().reads[threadIdx.x / 32];
  return {groups.committed, groups.over};
}
DMA_DEVICE void set_read_groups(ReadGroups groups) {
  __syncwarp();
  cta_record().reads[threadIdx.x / 32] = groups;
  __syncwarp();
}
DMA_DEVICE void commit_read_group() {
  const ReadGroups groups = read_groups();
  set_read_groups({static_cast<unsigned char>(groups.committed + 1), groups.over});
}
/// At most `pending` groups are in flight.
DMA_DEVICE void await_read_groups(int pending) {
  ReadGroups groups = read_groups();
  const auto in_flight = static_cast<unsigned char>(groups.committed - groups.over);
  if (in_flight > pending) {
    groups.over = static_cast<unsigned char>(groups.committed - pending);
  }
  set_read_groups(groups);
}
/// Stops a kernel that releases a slot which tensor cores may still read.
DMA_DEVICE void expect_read(unsigned group) {
  const ReadGroups groups = read_groups();
  const auto newer = static_cast<unsigned char>(groups.committed - group);
  const auto in_flight = static_cast<unsigned char>(groups.committed - groups.over);
  DMA_EXPECTS(
      newer == 0 || newer > in_flight,
      "dma::AsyncReads: a slot is released while tensor cores may still read it; call wait<>() for the group of "
      "its products before, or release later",
      "groups in flight", in_flight, "newer than the slot's", newer - 1);
  DMA_EXPECTS(newer != 0,
              "dma::AsyncReads: a slot is released before the group of its products is committed; call commit() after "
              "the products, and wait<>() before the release");
}

DMA_DEVICE void expect_end_at(unsigned word, PipelineEnd own) {
  while (true) {
    const KeyedValue before(ptx::load_relaxed_shared(word));
    const PipelineEnd found{before.value};
    if (before.cta == known_key() && !own.is_after(found)) {
      DMA_EXPECTS(found.is_after(own) || found.tile() == own.tile(),
                  "dma::DmaPipeline: at its end this warp has moved or used another number of tiles than a warp that "
                  "ended before it; call load() or store(), and wait(), for the same tiles in every warp",
                  "tiles modulo two rounds of the slots", own.tile(), "of the other warp", found.tile());
      return;
    }
    const KeyedValue after(own.word, known_key());
    if (ptx::compare_and_swap_relaxed(word, before.word(), after.word()) == before.word()) {
      return;
    }
  }
}
/// This warp ends a pipeline, which the side that fills has left before tile `filled` and the other before tile `used`.
/// All warps that take part do so at the same tile. A pipeline that was closed ends again with its scope.
inline __device__ __noinline__ void expect_same_end(unsigned words, bool takes_part, unsigned filled, unsigned used) {
  if (threadIdx.x % 32 == 0) {
    WarpRecord& warp = cta_record().warps[threadIdx.x / 32];
    const unsigned number = warp.ends;
    warp.ends = number + 1;
    if (takes_part && words != CallRecord::no_words) {
      expect_end_at(words + end_word, PipelineEnd::of(number, filled));
      expect_end_at(words + end_word, PipelineEnd::of(number, used));
    }
  }
}

/// A kernel that `launch` starts begins. The launches of a graph have the number of the first one, so what an earlier
/// one left would count as this CTA's.
DMA_DEVICE void forget_earlier_launch() {
  CtaRecord& record = cta_record();
  if (threadIdx.x % 32 == 0) {
    record.warps[threadIdx.x / 32].cta = ~cta_key();
  }
  for (unsigned i = threadIdx.x; i < CtaRecord::most_pipelines + CtaRecord::most_words; i += blockDim.x) {
    ptx::store_shared(ptx::shared_address(record.pipelines) + i * sizeof(unsigned long long), 0ULL);
  }
  __syncthreads();
}

/// Phase barriers are opened in a storage once, until close(). One thread of the CTA opens and closes. Not checked in a
/// kernel that was launched by hand: nothing tells where it begins.
inline __device__ __noinline__ void expect_closed(unsigned storage) {
  unsigned words = ptx::shared_address(cta_record().words);
  for (const unsigned long long& word : cta_record().pipelines) {
    const KeyedValue entry(ptx::load_relaxed_shared(&word));
    if (entry.cta != known_key()) {
      return;
    }
    const PipelineEntry pipeline(entry.value);
    const unsigned end = words + pipeline.bytes();
    if (pipeline.storage() == PipelineEntry(storage, 0).storage() && end <= end_of_words()) {
      const KeyedValue state(ptx::load_relaxed_shared(words + open_word));
      DMA_EXPECTS(state.cta != known_key() || state.value != is_open,
                  "dma::DmaPipeline: a pipeline is constructed in the storage of one on phase barriers that was not "
                  "closed, whose last copies and arrivals may come later; close() that one first");
    }
    words = end;
  }
}
DMA_DEVICE void open_storage(const PipelineRecord& pipeline, const void* storage, bool keeps_barriers) {
  if (threadIdx.x == 0 && cta_record().kernel.cta == cta_key()) {
    expect_closed(ptx::shared_address(storage));
    if (keeps_barriers && pipeline.has_words()) {
      ptx::store_shared(pipeline.words() + open_word, KeyedValue{is_open, known_key()}.word());
    }
  }
}
DMA_DEVICE void close_storage(const PipelineRecord& pipeline) {
  if (threadIdx.x == 0 && pipeline.has_words()) {
    ptx::store_shared(pipeline.words() + open_word, 0ULL);
  }
}

}  // namespace dma::inline v0_1::machine
#endif
