#pragma once

#include <dma/config.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/tensor/box_list.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// L2 priorities of the first parts of a composition, in their order. No array: nvcc cannot write one as a part of a
/// template argument.
struct PartPriorities {
  L2Priority first = L2Priority::normal;
  L2Priority second = L2Priority::normal;
  L2Priority third = L2Priority::normal;
  L2Priority fourth = L2Priority::normal;

  [[nodiscard]] consteval L2Priority of(int part) const {
    return part == 0 ? first : part == 1 ? second : part == 2 ? third : part == 3 ? fourth : L2Priority::normal;
  }
  /// The parts up to the last that has another priority than the normal one.
  [[nodiscard]] consteval int count() const {
    int parts = 4;
    while (parts > 0 && of(parts - 1) == L2Priority::normal) {
      --parts;
    }
    return parts;
  }
};

}  // namespace detail

/// How `TensorCopy` issues its copies.
struct TensorCopyTuning {
  CacheHints cache = {};  ///< `l2` only: boxes bypass the first-level cache
  /// Of a composition's parts: `evict_last` for what all CTAs read again, say, beside `evict_first` for what is read
  /// once, in the order of the first four parts. A part that is normal here has `cache.l2`.
  detail::PartPriorities l2_of_parts = {};
  /// CTAs of the cluster for which one CTA loads: each part of a composition arrives in all of them, and CTA i of n
  /// issues parts i, i + n, ... All take the same tiles, over a `ClusterBarrier` of as many CTAs. Stores have none.
  int multicast = 1;

  [[nodiscard]] consteval CacheHints hints_of(int part) const {
    return {.l2 = l2_of_parts.of(part) == L2Priority::normal ? cache.l2 : l2_of_parts.of(part)};
  }
};

/// Copies whole boxes by the hardware's tensor maps: one lane issues the copy of a box of up to five axes, at any
/// position. Elements outside the array arrive as the map's fill, zero or NaN, and are not stored, but for those up to
/// the next multiple of 16 bytes behind the end of a row.
///
/// Loads and stores take a `TensorMap<Pattern>` where other engines take the array's address; the rest of the kernel
/// stays the same. The parts of a composition are divided among the warps of the DMA group. The boxes of a list
/// (`Paged`) are loaded by one warp, whose lanes look up where they are; a list is not stored. Rows that a list names
/// (`Indirect`, or a `Paged` of single rows) move by fours in both directions, in the same way.
///
/// Cost    one instruction a box, clipped or not; one for four rows of a list on sm_100 and newer (stored: sm_100a,
///         sm_103a and sm_110a), which no GPU has run, and one for each row elsewhere
/// Source  PTX ISA, cp.async.bulk.tensor
///
/// @pre sm_90 or newer, and `CudaBarrier` for loads. The pattern is a `BoxPattern` of elements of 1, 2, 4 or 8 bytes
///      whose rows are dense multiples of 16 bytes, or swizzled and as long as the swizzle; up to 5 axes, extents up to
///      256.
/// @pre The pattern's `fill` is the map's.
/// @pre A box begins on a multiple of 16 bytes along its innermost axis. A stored box begins at no negative position; a
///      loaded one may begin before its array. An H200 traps otherwise (illegal instruction).
/// @pre Rows that a stored box crosses the end of are multiples of 16 bytes. An H200 overwrites what follows otherwise.
template <TensorCopyTuning Tuning = TensorCopyTuning{}>
struct TensorCopy {
  static_assert(Tuning.cache.load == LoadCache::standard && Tuning.cache.store == StoreCache::write_back,
                "dma::TensorCopy: boxes bypass the first-level cache, so they take no LoadCache and no StoreCache; "
                "give them an L2 priority instead (CacheHints::l2), or use dma::RegisterCopy");

  static constexpr Completion completion = Completion::mbarrier_complete_tx;
  static constexpr Completion store_completion = Completion::bulk_group;
  static constexpr EngineTraits traits{
      .name = "dma::TensorCopy", .can_add = true, .can_fill = true, .multicast = Tuning.multicast};

  template <class Pattern>
  static constexpr bool can_move = detail::has_hardware_boxes<Pattern>;

  /// What a pipeline's `load` and `store` take instead of an address.
  template <class Pattern>
  using Array = typename detail::TensorMapFor<Pattern>::Type;

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static int load(const Pattern& pattern, const Array<Pattern>& map, int thread, const Slot& slot) {
    expect_movable<Pattern>();
    int bytes = 0;
    if constexpr (can_move<Pattern>) {
      [[maybe_unused]] const auto places = detail::places_of_boxes(pattern, thread);
      [[maybe_unused]] const int row = detail::own_row(pattern, thread);
      slot.wait_until_empty();
      const bool leads = machine::elect();
      for_each_part(pattern, [&](const auto& part, int shared_bytes, auto index) {
        expect_described(map, index, part);
        expect_aligned(part);
        if (is_of_warp<Threads>(index, thread)) {
          constexpr CacheHints hints = Tuning.hints_of(decltype(index)::value);
          using Part = stdlib::remove_cvref_t<decltype(part)>;
          if constexpr (detail::BoxListPattern<Part>) {
            static_assert(Tuning.multicast == 1 || !detail::BoxListPattern<Part>,
                          "dma::TensorCopy: a list of boxes is loaded by each CTA for itself; leave multicast out");
            const auto found = [&] {
              if constexpr (CompositePattern<Pattern>) {
                return detail::places_of_boxes(part, thread);
              } else {
                return places;
              }
            }();
            bytes += detail::load_box_list<hints>(slot.data() + shared_bytes, map.descriptors[index], part, index,
                                                  found, thread, leads, slot.full_barrier());
          } else if constexpr (detail::RowListPattern<Part>) {
            static_assert(Tuning.multicast == 1 || !detail::RowListPattern<Part>,
                          "dma::TensorCopy: rows of a list are loaded by each CTA for itself; leave multicast out");
            expect_whole_rows<Part, machine::gathers_rows ? 4 : 1>();
            const int own = CompositePattern<Pattern> ? detail::own_row(part, thread) : row;
            bytes += detail::load_row_list<hints>(slot.data() + shared_bytes, map.descriptors[index], part, index, own,
                                                  thread, leads, slot.full_barrier());
          } else {
            bytes += detail::box_bytes(part);
            if (leads) {
              load_box<hints>(slot, shared_bytes, map.descriptors[index], part, index);
            }
          }
        }
      });
    }
    return bytes;
  }

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern& pattern, const Array<Pattern>& map, int thread, const Slot& slot) {
    expect_movable<Pattern>();
    static_assert(
        !detail::BoxListPattern<Pattern>,
        "dma::TensorCopy: a list of boxes is loaded only; store it by dma::BulkCopy<> or dma::RegisterCopy<>");
    if constexpr (can_move<Pattern>) {
      [[maybe_unused]] const int row = detail::own_row(pattern, thread);
      slot.wait_until_full();
      const bool leads = machine::elect();
      for_each_part(pattern, [&](const auto& part, int shared_bytes, auto index) {
        using Part = stdlib::remove_cvref_t<decltype(part)>;
        expect_described(map, index, part);
        expect_aligned(part);
        expect_storable(part);
        if constexpr (detail::RowListPattern<Part>) {
          static_assert(!is_store_add<Pattern> || !detail::RowListPattern<Part>,
                        "dma::TensorCopy: rows of a list are not added; add them by dma::BulkCopy<>");
          expect_whole_rows<Part, machine::scatters_rows ? 4 : 1>();
          if (is_of_warp<Threads>(index, thread)) {
            const int own = CompositePattern<Pattern> ? detail::own_row(part, thread) : row;
            detail::store_row_list<Tuning.hints_of(decltype(index)::value)>(
                slot.data() + shared_bytes, map.descriptors[index], part, index, own, thread, leads);
          }
        } else if (leads && is_of_warp<Threads>(index, thread)) {
          if constexpr (is_store_add<Pattern>) {
            detail::add_box_to_global<Tuning.hints_of(decltype(index)::value)>(map.descriptors[index],
                                                                               slot.data() + shared_bytes, part, index);
          } else {
            detail::copy_box_to_global<Tuning.hints_of(decltype(index)::value)>(
                map.descriptors[index], slot.data() + shared_bytes, part, index);
          }
        }
      });
      if (leads) {
        machine::commit_bulk_group();
      }
      machine::sync_warp();  // as behind a store of BulkCopy
    }
  }

 private:
  template <CacheHints Hints, class Slot, class Part>
  DMA_HOST_DEVICE static void load_box(const Slot& slot, int shared_bytes, const detail::TensorDescriptor& descriptor,
                                       const Part& part, int index) {
    unsigned char* const to = slot.data() + shared_bytes;
    if constexpr (Tuning.multicast == 1) {
      detail::copy_box_to_shared<Hints>(to, descriptor, part, index, slot.full_barrier());
    } else if (index % Tuning.multicast == machine::cluster_rank()) {
      detail::copy_box_to_ctas<Hints>(to, descriptor, part, index, slot.full_barrier(), Tuning.multicast);
    }
  }
  template <class Map, class Part>
  DMA_HOST_DEVICE static void expect_described([[maybe_unused]] const Map& map, [[maybe_unused]] int index,
                                               [[maybe_unused]] const Part& part) {
    DMA_EXPECTS(!machine::is_local(&map),
                "dma::TensorCopy: the tensor map is a local variable of the thread, and the hardware reads a map where "
                "launch has put it, or in global memory; take it by reference: const dma::TensorMap<Pattern>&",
                "address", &map);
    DMA_EXPECTS(map.describes(index, part),
                "dma::TensorCopy: the tile's array has other extents, pitches or fill than the map, and the hardware "
                "uses those of the map; make the map by dma::tensor_map for the array that the tiles are of",
                "part", index);
  }
  template <class Pattern>
  DMA_HOST_DEVICE static void expect_movable() {
    static_assert(can_move<Pattern>,
                  "dma::TensorCopy: a tensor map cannot describe this pattern, which has to be a dma::BoxPattern of "
                  "elements of 1, 2, 4 or 8 bytes, rows dense and multiples of 16 bytes (or as long as the swizzle), "
                  "at most 5 axes, extents up to 256; change its shape, or use dma::BulkCopy<>");
    static_assert(Tuning.l2_of_parts.count() <= detail::part_count_of<Pattern>,
                  "dma::TensorCopy: it names an L2 priority of more parts than the pattern has; name one for each part "
                  "of the dma::Concat (TensorCopyTuning::l2_of_parts), or one for all (CacheHints::l2)");
    static_assert(
        detail::part_count_of<Pattern> % Tuning.multicast == 0,
        "dma::TensorCopy: each CTA of the cluster issues as many parts of a tile that is for all (multicast); "
        "make the tile a dma::Concat of a multiple of that many parts");
    machine::expect_architecture<900, Pattern>();
  }
  /// What one instruction moves is at a multiple of 128 bytes in the tile.
  template <class Part, int RowsAtOnce>
  DMA_HOST_DEVICE static void expect_whole_rows() {
    static_assert(
        RowsAtOnce * Part::Tile::row_bytes % 128 == 0,
        "dma::TensorCopy: rows of a list that are no multiples of 128 bytes move by fours, which instructions "
        "of sm_100 and newer load, and those of sm_100a, sm_103a and sm_110a store; compile for one of these, "
        "widen the rows, or use dma::BulkCopy<>");
  }
  template <class Part>
  DMA_HOST_DEVICE static void expect_aligned([[maybe_unused]] const Part& part) {
    DMA_EXPECTS(part.box().position[0] * static_cast<long long>(sizeof(typename Part::Element)) % 16 == 0,
                "dma::TensorCopy: a box begins between two multiples of 16 bytes of its innermost axis, which the "
                "hardware does not support; move its start, or use another engine",
                "position", part.box().position[0], "bytes of an element", sizeof(typename Part::Element));
  }
  template <class Part>
  DMA_HOST_DEVICE static void expect_storable([[maybe_unused]] const Part& part) {
    for ([[maybe_unused]] const int place : part.box().position) {
      DMA_EXPECTS(place >= 0,
                  "dma::TensorCopy: a stored box begins before its array, which the hardware does not support; store "
                  "the part inside, or use another engine",
                  "position", place);
    }
    [[maybe_unused]] const auto box = part.box();
    [[maybe_unused]] const long long end = box.array_extents[0];
    DMA_EXPECTS(box.position[0] >= end || box.position[0] + box.extents[0] <= end ||
                    end * static_cast<long long>(sizeof(typename Part::Element)) % 16 == 0,
                "dma::TensorCopy: a stored box crosses the end of rows that are no multiple of 16 bytes, and the "
                "hardware writes whole 16 bytes, past the end of each row; name rows up to the next multiple where "
                "what follows them may be overwritten, or use another engine",
                "elements of a row", end, "bytes of an element", sizeof(typename Part::Element));
  }
  template <int Threads>
  [[nodiscard]] DMA_HOST_DEVICE static bool is_of_warp(int part, int thread) {
    constexpr int warps = Threads / warp_size;
    return warps == 1 || part / Tuning.multicast % warps == thread / warp_size;
  }
};

}  // namespace dma::inline v0_1
