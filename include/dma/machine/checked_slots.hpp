#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked_cta.hpp>
#include <dma/machine/checked_message.hpp>
#include <dma/machine/pipeline_record.hpp>
#include <dma/machine/ptx/shared_words.hpp>
#include <dma/machine/ptx/warp.hpp>

/// What the two sides of a pipeline must agree on, in the checked build: the size of the tile in each slot, and the
/// number of tiles.
#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::machine {

/// The size of the tile that a slot was last filled with, in one word with the slot's address and the CTA's key.
class SlotTile {
 public:
  static constexpr unsigned unknown = (1U << 18) - 1;

  /// @param slot  its address in shared memory, below 2^18
  DMA_DEVICE SlotTile(unsigned slot, unsigned elements)
      : word_(static_cast<unsigned long long>(known_key()) << 36 | static_cast<unsigned long long>(slot) << 18 |
              elements) {}
  DMA_DEVICE explicit SlotTile(unsigned long long word) : word_(word) {}

  /// The word's lower half, which has all of the number of elements and nothing of the key.
  [[nodiscard]] DMA_DEVICE static unsigned lower_half(unsigned slot, unsigned elements) {
    return slot << 18 | elements;
  }
  [[nodiscard]] DMA_DEVICE bool is_of_this_cta() const { return word_ >> 36 == SlotTile(0, 0).word_ >> 36; }
  [[nodiscard]] DMA_DEVICE bool is_of_slot(const SlotTile& other) const { return word_ >> 18 == other.word_ >> 18; }
  [[nodiscard]] DMA_DEVICE unsigned elements() const { return static_cast<unsigned>(word_) & unknown; }
  [[nodiscard]] DMA_DEVICE unsigned long long word() const { return word_; }

 private:
  unsigned long long word_;
};

/// Where the search for a slot's word begins. Slots are at multiples of 16 bytes and a pipeline's are as far apart from
/// each other, so those of one begin at different places unless that is a multiple of 107. A pipeline's own words are
/// at other addresses, and begin after them.
[[nodiscard]] DMA_DEVICE int first_place(unsigned slot) {
  constexpr unsigned prime = 107;
  static_assert(prime < CtaRecord::most_slots);
  return static_cast<int>(slot % 16 == 0 ? slot % prime : prime);
}
/// The word of a slot, which becomes its own if it has none; null where the CTA has too many slots.
[[nodiscard]] inline __device__ __noinline__ unsigned long long* find_slot(const void* slot) {
  const SlotTile wanted(ptx::shared_address(slot), SlotTile::unknown);
  for (int i = 0, place = first_place(ptx::shared_address(slot)); i < CtaRecord::most_slots; ++i) {
    unsigned long long* const word = &cta_record().tiles[place];
    SlotTile found(ptx::load_acquire(word));
    if (!found.is_of_this_cta()) {
      const SlotTile before(ptx::compare_and_swap(word, found.word(), wanted.word()));
      found = before.is_of_this_cta() ? before : wanted;
    }
    if (found.is_of_slot(wanted)) {
      return word;
    }
    place = place + 1 == CtaRecord::most_slots ? 0 : place + 1;
  }
  return nullptr;
}
inline __device__ __noinline__ unsigned search_place(const void* slot) {
  const unsigned long long* const word = find_slot(slot);
  return word == nullptr ? 0 : ptx::shared_address(word);
}
/// One read, mostly.
[[nodiscard]] DMA_DEVICE SlotPlace place_of(const void* slot) {
  const unsigned address = ptx::shared_address(slot);
  const unsigned long long* const likely = &cta_record().tiles[first_place(address)];
  const bool is_there = SlotTile(ptx::load_relaxed_shared(likely)).is_of_slot(SlotTile(address, SlotTile::unknown));
  return {is_there ? ptx::shared_address(likely) : search_place(slot)};
}
/// A slot is filled with a tile of so many elements, `unknown` for any. All lanes of a warp store the same.
DMA_DEVICE void fill_slot(const void* slot, unsigned elements, SlotPlace place) {
  if (place.word != 0) {
    ptx::store_shared(place.word, SlotTile::lower_half(ptx::shared_address(slot), elements));
  }
}
[[noreturn]] inline __device__ __noinline__ void stop_unequal(unsigned filled, unsigned used) {
  stop(
      "dma: a slot was filled with a tile of another number of elements than it is used as; name the same tile on "
      "both sides: load(source, tile) and wait(tile)",
      "filled", filled, "used", used);
}
/// Stops a kernel that uses a slot as a tile of another size than it was filled with.
DMA_DEVICE void expect_filled(const void* slot, unsigned elements, SlotPlace place) {
  if (place.word != 0) {
    const unsigned found = ptx::load_relaxed_shared(place.word);
    if (found != SlotTile::lower_half(ptx::shared_address(slot), elements) &&
        SlotTile(found).elements() != SlotTile::unknown) {
      stop_unequal(SlotTile(found).elements(), elements);
    }
  }
}

/// A side of a warp has come to the end of a pipeline before tile `next`, of `sides` sides in the CTA: all of them end
/// at the same tile. The place between the first two bytes of the pipeline's storage has a word as a slot has.
inline __device__ __noinline__ void expect_same_end(const void* storage, unsigned next, unsigned sides) {
  constexpr unsigned most = 0xfff;
  unsigned long long* const word =
      threadIdx.x % 32 == 0 ? find_slot(static_cast<const unsigned char*>(storage) + 1) : nullptr;
  if (word == nullptr) {
    return;
  }
  while (true) {
    const unsigned long long before = ptx::load_acquire(word);
    const unsigned found = SlotTile(before).elements();
    const unsigned ended = found == SlotTile::unknown ? 0 : found >> 12;
    DMA_EXPECTS(ended == 0 || (found & most) == (next & most),
                "dma::DmaPipeline: at its end this warp has moved or used another number of tiles than a warp that "
                "ended before it; call load() or store(), and wait(), for the same tiles in every warp",
                "tiles modulo two rounds of the slots", next, "of the other warp", found & most);
    const unsigned now = ended + 1 == sides ? SlotTile::unknown : (ended + 1) << 12 | (next & most);
    const SlotTile after(ptx::shared_address(storage) + 1, now);
    if (ptx::compare_and_swap(word, before, after.word()) == before) {
      return;
    }
  }
}

/// A kernel that `launch` starts begins. The launches of a graph have the number of the first one, so what an earlier
/// one left would count as this CTA's.
DMA_DEVICE void forget_earlier_launch() {
  if (threadIdx.x % 32 == 0) {
    cta_record().warps[threadIdx.x / 32].cta = ~cta_key();
  }
  if (threadIdx.x == 0) {
    for (unsigned long long& word : cta_record().tiles) {
      ptx::store_shared(&word, 0ULL);
    }
  }
}

/// Phase barriers are opened in a storage once, until close(). It has a word too, under its third byte; one thread of
/// the CTA opens and closes. Not checked in a kernel that was launched by hand: nothing tells where it begins.
DMA_DEVICE void open_storage(const void* storage, bool keeps_barriers) {
  constexpr unsigned is_open = 1;
  if (threadIdx.x == 0 && cta_record().kernel.cta == cta_key()) {
    const void* const key = static_cast<const unsigned char*>(storage) + 2;
    if (unsigned long long* const word = find_slot(key)) {
      DMA_EXPECTS(SlotTile(ptx::load_acquire(word)).elements() != is_open,
                  "dma::DmaPipeline: a pipeline is constructed in the storage of one on phase barriers that was not "
                  "closed, whose last copies and arrivals may come later; close() that one first");
      if (keeps_barriers) {
        ptx::store_shared(word, SlotTile(ptx::shared_address(key), is_open).word());
      }
    }
  }
}
DMA_DEVICE void close_storage(const void* storage) {
  if (threadIdx.x == 0) {
    const void* const key = static_cast<const unsigned char*>(storage) + 2;
    if (unsigned long long* const word = find_slot(key)) {
      ptx::store_shared(word, SlotTile(ptx::shared_address(key), SlotTile::unknown).word());
    }
  }
}

}  // namespace dma::machine
#endif
