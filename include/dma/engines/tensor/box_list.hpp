#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/box_access.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/box.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/unrolled.hpp>

/// Loads of a tile that is a list of boxes (`BoxListPattern`), by one warp.
namespace dma {

/// The place of a lane's box, the `first`-th of the list and following; of no meaning for other tiles, and on a host.
template <class Part>
[[nodiscard]] DMA_HOST_DEVICE BoxPlace place_of_lanes_box([[maybe_unused]] const Part& part,
                                                          [[maybe_unused]] int thread, [[maybe_unused]] int first = 0) {
  if constexpr (BoxListPattern<Part> && machine::reads_take_time) {
    const int i = first + thread % warp_size;
    return part.place_of_box(i < Part::boxes ? i : Part::boxes - 1);
  } else {
    return {};
  }
}

/// Fills the boxes without rows by zeros. Returns the number of the others.
template <BoxListPattern Part>
[[nodiscard]] DMA_HOST_DEVICE int fill_boxes_without_rows(unsigned char* tile, const Part& part, int thread) {
  struct alignas(16) Zeros {
    int words[4];
  };
  int copied = 0;
  DMA_KEEP_ROLLED
  for (int i = 0; i < Part::boxes; ++i) {
    if (part.rows_of_box(i) > 0) {
      ++copied;
      continue;
    }
    unsigned char* const box = tile + Part::box_shared_bytes(i);
    DMA_KEEP_ROLLED
    for (int byte = thread % warp_size * 16; byte < box_bytes(part); byte += warp_size * 16) {
      machine::touched(box + byte, 16, machine::Access::write);
      *reinterpret_cast<Zeros*>(box + byte) = Zeros{};
    }
  }
  machine::fence_async_proxy();
  return copied;
}

/// Issues the copies of a list's boxes that have rows; if `IsFull`, of all, each with all of its rows. One lane issues
/// all: those of several lanes would be issued one after another, each with its own turn of a loop.
template <CacheHints Hints, bool IsFull, BoxListPattern Part>
DMA_HOST_DEVICE void issue_boxes(unsigned char* tile, const TensorDescriptor& descriptor, const Part& part, int index,
                                 BoxPlace own, int thread, bool leads, void* barrier) {
  // Places of this many are shuffled before a branch. A full tile's go to uniform registers and take few others; those
  // of a clipped one have two words each, and 24 registers a thread hold no more of them.
  constexpr int at_once = IsFull ? (Part::boxes < 16 ? Part::boxes : 16) : 4;
  DMA_KEEP_ROLLED
  for (int first = 0; first < Part::boxes; first += at_once) {
    if (first > 0 && first % warp_size == 0) {
      own = place_of_lanes_box(part, thread, first);
    }
    BoxPlace places[at_once];
    unrolled<at_once>([&](auto k) {
      if constexpr (machine::reads_take_time) {
        places[k] = {machine::shuffle(own.at, (first + k) % warp_size),
                     IsFull ? Part::box_rows : machine::shuffle(own.rows, (first + k) % warp_size)};
      } else if (leads && first + k < Part::boxes) {
        places[k] = part.place_of_box(first + k);
      }
    });
    if (leads) {
      unrolled<at_once>([&](auto k) {
        if (first + k < Part::boxes && (IsFull || places[k].rows > 0)) {
          copy_box_to_shared<Hints>(tile + Part::box_shared_bytes(first + k), descriptor, part.box_at(places[k]), index,
                                    barrier);
        }
      });
    }
  }
}

/// Loads the boxes of a list, whose places are those of the lanes (`own`). Returns the bytes that are reported.
///
/// A box without rows is filled by the lanes. An H200 reports an illegal address for one that is wholly behind an array
/// whose axes overlap, as those of a list's map do.
template <CacheHints Hints, BoxListPattern Part>
[[nodiscard]] DMA_HOST_DEVICE int load_box_list(unsigned char* tile, const TensorDescriptor& descriptor,
                                                const Part& part, int index, BoxPlace own, int thread, bool leads,
                                                void* barrier) {
  if (part.is_full()) {
    issue_boxes<Hints, true>(tile, descriptor, part, index, own, thread, leads, barrier);
    return Part::boxes * box_bytes(part);
  }
  issue_boxes<Hints, false>(tile, descriptor, part, index, own, thread, leads, barrier);
  return fill_boxes_without_rows(tile, part, thread) * box_bytes(part);
}

}  // namespace dma
