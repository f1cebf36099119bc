#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/box.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/unrolled.hpp>

/// Copies of a pattern's box, of a list of boxes and of rows that a list names, by their descriptor.
namespace dma::inline v0_1::detail {

/// The box of `pattern`, part `index` of a tile, from the described array to `to`; its bytes are reported to `barrier`.
template <CacheHints Hints, BoxPattern Pattern>
DMA_HOST_DEVICE void copy_box_to_shared(unsigned char* to, const TensorDescriptor& descriptor, const Pattern& pattern,
                                        int index, void* barrier) {
  const auto box = pattern.box();
  machine::copy_box_to_shared<Hints>(to, &descriptor, box.position, barrier, box_bytes(pattern), [&] {
    return BoxLoad<Pattern>{{described_array(descriptor, pattern, index), pattern}, to};
  });
}

/// The same into the first `ctas` CTAs of the cluster, at one place in each; their barriers count its bytes.
template <CacheHints Hints, BoxPattern Pattern>
DMA_HOST_DEVICE void copy_box_to_ctas(unsigned char* to, const TensorDescriptor& descriptor, const Pattern& pattern,
                                      int index, void* barrier, int ctas) {
  const auto box = pattern.box();
  machine::copy_box_to_ctas<Hints>(to, &descriptor, box.position, barrier, box_bytes(pattern), ctas,
                                   [&](unsigned char* tile) {
                                     const auto array = described_array(descriptor, pattern, index);
                                     return BoxLoad<Pattern>{{array, pattern}, tile};
                                   });
}

/// The box of `pattern`, from `from` to the described array, in the thread's current bulk group.
template <CacheHints Hints, BoxPattern Pattern>
DMA_HOST_DEVICE void copy_box_to_global(const TensorDescriptor& descriptor, const unsigned char* from,
                                        const Pattern& pattern, int index) {
  const auto box = pattern.box();
  machine::copy_box_to_global<Hints>(&descriptor, from, box.position, box_bytes(pattern), [&] {
    return BoxStore<Pattern>{{described_array(descriptor, pattern, index), pattern}, from};
  });
}

/// The same with sums: each element of the box is added to the one in the described array.
template <CacheHints Hints, BoxPattern Pattern>
DMA_HOST_DEVICE void add_box_to_global(const TensorDescriptor& descriptor, const unsigned char* from,
                                       const Pattern& pattern, int index) {
  const auto box = pattern.box();
  machine::add_box_to_global<Hints>(&descriptor, from, box.position, box_bytes(pattern), [&] {
    return BoxSum<Pattern>{{described_array(descriptor, pattern, index), pattern}, from};
  });
}

// Loads of a tile that is a list of boxes (`BoxListPattern`), by one warp.

/// The boxes of a full tile whose copies follow one another without a branch.
template <class Part>
inline constexpr int boxes_at_once = 1;
template <BoxListPattern Part>
inline constexpr int boxes_at_once<Part> = Part::boxes < 16 ? Part::boxes : 16;

/// Where boxes of a list are, found before the wait for the slot, since it is read: the lane's own box, and the
/// positions of the first ones, which are alike in all lanes. Of no meaning for other tiles.
template <class Part>
struct BoxPlaces {
  BoxPlace own;
  int position[boxes_at_once<Part>];
};

/// The places of a list's boxes from the `first`-th on.
template <class Part>
[[nodiscard]] DMA_HOST_DEVICE BoxPlaces<Part> places_of_boxes([[maybe_unused]] const Part& part,
                                                              [[maybe_unused]] int thread,
                                                              [[maybe_unused]] int first = 0) {
  BoxPlaces<Part> places{};
  if constexpr (BoxListPattern<Part>) {
    const int i = first + thread % warp_size;
    places.own = part.place_of_box(i < Part::boxes ? i : Part::boxes - 1);
    unrolled<boxes_at_once<Part>>([&](auto k) { places.position[k] = machine::shuffle(places.own.at, k); });
  }
  return places;
}

/// Fills the boxes without rows by zeros. Returns the number of the others.
template <BoxListPattern Part>
[[nodiscard]] DMA_HOST_DEVICE int fill_boxes_without_rows(unsigned char* tile, const Part& part, int thread) {
  struct alignas(16) Zeros {
    int words[4];
  };
  int copied = 0;
  DMA_DETAIL_KEEP_ROLLED
  for (int i = 0; i < Part::boxes; ++i) {
    if (part.rows_of_box(i) > 0) {
      ++copied;
      continue;
    }
    unsigned char* const box = tile + Part::box_shared_bytes(i);
    if constexpr (machine::clears_at_once) {
      if (thread % warp_size == 0) {
        machine::clear_shared(box, box_bytes(part));
      }
    } else {
      DMA_DETAIL_KEEP_ROLLED
      for (int byte = thread % warp_size * 16; byte < box_bytes(part); byte += warp_size * 16) {
        machine::touched(box + byte, 16, machine::Access::write);
        *reinterpret_cast<Zeros*>(box + byte) = Zeros{};
      }
    }
  }
  machine::fence_async_proxy();
  return copied;
}

/// Issues the copies of a full tile's boxes. One lane issues all: those of several lanes would be issued one after
/// another, each with its own turn of a loop. Up to 16 follow one another without a branch, since the other
/// instructions of a loop take longer than a copy of 2 KB (H200).
template <CacheHints Hints, BoxListPattern Part>
DMA_HOST_DEVICE void issue_boxes(unsigned char* tile, const TensorDescriptor& descriptor, const Part& part, int index,
                                 BoxPlaces<Part> places, int thread, bool leads, void* barrier) {
  DMA_DETAIL_KEEP_ROLLED
  for (int first = 0; first < Part::boxes; first += boxes_at_once<Part>) {
    if (first > 0) {
      places = places_of_boxes(part, thread, first);
    }
    if (leads) {
      unrolled<boxes_at_once<Part>>([&](auto k) {
        if (first + k < Part::boxes) {
          copy_box_to_shared<Hints>(tile + Part::box_shared_bytes(first + k), descriptor,
                                    part.box_at({places.position[k], Part::box_rows}), index, barrier);
        }
      });
    }
  }
}

/// Issues the copies of those boxes that have rows.
template <CacheHints Hints, BoxListPattern Part>
DMA_HOST_DEVICE void issue_boxes_with_rows(unsigned char* tile, const TensorDescriptor& descriptor, const Part& part,
                                           int index, BoxPlaces<Part> places, int thread, bool leads, void* barrier) {
  constexpr int at_once = 4;  // whose shuffles are in flight together: a DMA warp has 24 registers a thread
  DMA_DETAIL_KEEP_ROLLED
  for (int first = 0; first < Part::boxes; first += at_once) {
    if (first > 0 && first % warp_size == 0) {
      places = places_of_boxes(part, thread, first);
    }
    BoxPlace found[at_once];
    unrolled<at_once>([&](auto k) {
      found[k] = {machine::shuffle(places.own.at, (first + k) % warp_size),
                  machine::shuffle(places.own.rows, (first + k) % warp_size)};
    });
    if (leads) {
      unrolled<at_once>([&](auto k) {
        if (first + k < Part::boxes && found[k].rows > 0) {
          copy_box_to_shared<Hints>(tile + Part::box_shared_bytes(first + k), descriptor, part.box_at(found[k]), index,
                                    barrier);
        }
      });
    }
  }
}

/// Loads the boxes of a list, which are at `places`. Returns the bytes that are reported.
///
/// A box without rows is filled by the lanes. An H200 reports an illegal address for one that is wholly behind an array
/// whose axes overlap, as those of a list's map do.
template <CacheHints Hints, BoxListPattern Part>
[[nodiscard]] DMA_HOST_DEVICE int load_box_list(unsigned char* tile, const TensorDescriptor& descriptor,
                                                const Part& part, int index, const BoxPlaces<Part>& places, int thread,
                                                bool leads, void* barrier) {
  if (part.is_full()) {
    issue_boxes<Hints>(tile, descriptor, part, index, places, thread, leads, barrier);
    return Part::boxes * box_bytes(part);
  }
  issue_boxes_with_rows<Hints>(tile, descriptor, part, index, places, thread, leads, barrier);
  return fill_boxes_without_rows(tile, part, thread) * box_bytes(part);
}

// Rows that a list names (`RowListPattern`), by one warp, four at a time.

/// The array's row that the lane has looked up: of row `first` of the tile and as many more as the lane counts. Of no
/// meaning for other tiles.
template <class Part>
[[nodiscard]] DMA_HOST_DEVICE int own_row([[maybe_unused]] const Part& part, [[maybe_unused]] int thread,
                                          [[maybe_unused]] int first = 0) {
  if constexpr (RowListPattern<Part>) {
    return part.table_row(first + thread % warp_size);
  } else {
    return 0;
  }
}

/// Calls `copy(plane, first, rows)` for each four of the tile's first `count` rows, in each plane: `rows` is the
/// plane's column and their numbers in the array. Those of the next turn are looked up before those of this one are
/// copied. Returns how many rows of a plane there are in the fours.
///
/// @param own  `own_row` of the tile's first rows
template <RowListPattern Part, class Copy>
DMA_HOST_DEVICE int for_each_four_rows(const Part& part, int count, int own, int thread, const Copy& copy) {
  using Tile = typename Part::Tile;
  constexpr int at_once = Tile::rows < warp_size ? Tile::rows : warp_size;
  DMA_DETAIL_KEEP_ROLLED
  for (int first = 0; first < count; first += at_once) {
    const int next = first + at_once < count ? own_row(part, thread, first + at_once) : 0;
    unrolled<at_once / 4>([&](auto k) {
      int rows[] = {part.box().position[0], machine::shuffle(own, 4 * k), machine::shuffle(own, 4 * k + 1),
                    machine::shuffle(own, 4 * k + 2), machine::shuffle(own, 4 * k + 3)};
      if (first + 4 * k < count) {
        unrolled<Tile::planes>([&](auto plane) {
          copy(plane, first + 4 * k, rows);
          rows[0] += Tile::cols;
        });
      }
    });
    own = next;
  }
  return round_up(count, 4);
}

/// Bytes of a tile before a row of a plane.
template <RowListPattern Part>
[[nodiscard]] DMA_HOST_DEVICE constexpr int bytes_before_row(int plane, int row) noexcept {
  return plane * Part::Tile::plane_pitch_bytes + row * Part::Tile::row_bytes;
}

/// Rows of a plane that are loaded: all, where those behind the last one are zeros.
template <RowListPattern Part>
[[nodiscard]] DMA_HOST_DEVICE constexpr int loaded_rows(const Part& part) noexcept {
  return PaddedPattern<Part> ? Part::Tile::rows : part.listed_rows();
}

/// Loads the rows of a list, and zeros for those behind the last one where the pattern has them. One lane issues all
/// copies, as those of a list of boxes. Returns the bytes that are reported.
template <CacheHints Hints, RowListPattern Part>
[[nodiscard]] DMA_HOST_DEVICE int load_row_list(unsigned char* tile, const TensorDescriptor& descriptor,
                                                const Part& part, int index, int own, int thread, bool leads,
                                                void* barrier) {
  using Tile = typename Part::Tile;
  const auto load = [&](int plane, int first, const int(&rows)[5]) {
    if (leads) {
      unsigned char* const place = tile + bytes_before_row<Part>(plane, first);
      machine::gather_rows<Hints>(place, &descriptor, rows, barrier, Tile::row_bytes, [&] {
        return RowsLoad<Part>{{described_array(descriptor, part, index),
                               part,
                               plane,
                               first,
                               {rows[0], rows[1], rows[2], rows[3], rows[4]}},
                              place};
      });
    }
  };
  return Tile::planes * Tile::row_bytes * for_each_four_rows(part, loaded_rows(part), own, thread, load);
}

/// Stores the rows of a list, in the thread's current bulk group.
template <CacheHints Hints, RowListPattern Part>
DMA_HOST_DEVICE void store_row_list(const unsigned char* tile, const TensorDescriptor& descriptor, const Part& part,
                                    int index, int own, int thread, bool leads) {
  const int count = part.listed_rows();
  for_each_four_rows(part, count, own, thread, [&](int plane, int first, const int(&rows)[5]) {
    if (leads) {
      const int there = at_most(4, count - first);
      for (int i = 0; i < there; ++i) {
        machine::expect_row(rows[1 + i], first + i, part.box().array_extents[1]);
      }
      const unsigned char* const place = tile + bytes_before_row<Part>(plane, first);
      machine::scatter_rows<Hints>(&descriptor, place, rows, there, Part::Tile::row_bytes, [&] {
        return RowsStore<Part>{{described_array(descriptor, part, index),
                                part,
                                plane,
                                first,
                                {rows[0], rows[1], rows[2], rows[3], rows[4]}},
                               place};
      });
    }
  });
}

}  // namespace dma::inline v0_1::detail
