#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/proof/ptx/cluster_copies.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/mbarrier_instructions.hpp>
#include <dma/proof/ptx/memory.hpp>
#include <dma/proof/ptx/tensor_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// Copies of boxes by tensor maps, and the maps that a kernel makes.
///
/// Source  PTX ISA, "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "tensormap.replace"
class TensorCopies {
 public:
  static void copy(Lane& lane, const Instruction& i) {
    for (const char* const word : {"im2col", "im2col::w", "im2col::w::128"}) {
      if (i.statement->has(word)) {
        refuse(lane, i);
      }
    }
    if (has_four_rows(i) && i.statement->has("reduce")) {
      refuse(lane, i);
    }
    i.statement->has("bulk_group") ? store(lane, i) : load(lane, i);
  }
  /// Sets a field of a map.
  static void replace(Lane& lane, const Instruction& i) {
    unsigned char* const place =
        lane.memory(i, i.space, lane.address(i), TensorMap::bytes, TensorMap::alignment, machine::Access::write);
    MemoryAccess::report(lane, i, place, TensorMap::bytes, machine::Access::write);
    TensorMap map;
    std::memcpy(&map, place, sizeof map);
    map.mark = TensorMap::own_mark;
    const std::uint64_t number = lane.known(i, 1, "a field");
    const std::uint64_t value = i.sources > 2 ? lane.known(i, 2, "a field") : number;
    set(map, i, number, value);
    std::memcpy(place, &map, sizeof map);
    lane.launch().unknown.set(place, TensorMap::bytes, {});
  }
  /// One lane of the warp copies a map from shared to global memory.
  static void publish(Lane& lane, const Instruction& i) {
    if (lane.lane() != 0) {
      return;
    }
    unsigned char* const to =
        lane.memory(i, Space::global, lane.address(i), TensorMap::bytes, TensorMap::bytes, machine::Access::write);
    unsigned char* const from =
        lane.memory(i, Space::shared, lane.address(i, 1), TensorMap::bytes, TensorMap::bytes, machine::Access::read);
    MemoryAccess::report(lane, i, from, TensorMap::bytes, machine::Access::read);
    MemoryAccess::report(lane, i, to, TensorMap::bytes, machine::Access::write);
    std::memcpy(to, from, TensorMap::bytes);
  }

 private:
  static constexpr std::size_t tile_alignment = 128;

  struct Load : TensorBox {
    static constexpr bool adds = false;
    void operator()() const {
      for_each_piece([](unsigned char* shared, const unsigned char* global, int inside, int behind) {
        std::memset(shared, 0, 16);
        std::memcpy(shared + inside, global + inside, static_cast<std::size_t>(behind - inside));
      });
    }
  };
  struct Store : TensorBox {
    static constexpr bool adds = false;
    void operator()() const {
      for_each_piece([](const unsigned char* shared, unsigned char* global, int inside, int behind) {
        std::memcpy(global + inside, shared + inside, static_cast<std::size_t>(behind - inside));
      });
    }
  };
  struct Sum : TensorBox {
    static constexpr bool adds = true;
    Summation change;
    void operator()() const {
      for_each_piece([&](const unsigned char* shared, unsigned char* global, int inside, int behind) {
        change(global + inside, shared + inside, behind - inside);
      });
    }
  };

  [[noreturn]] static void refuse(const Lane& lane, const Instruction& i) {
    lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
  }
  [[nodiscard]] static int axes_of(const Instruction& i) {
    for (int axes = 1; axes <= static_cast<int>(TensorMap::most_axes); ++axes) {
      if (i.statement->has(std::to_string(axes) + "d")) {
        return axes;
      }
    }
    return 0;
  }
  /// Whether a copy is of four rows that it names: `.tile::gather4`, `.tile::scatter4`.
  [[nodiscard]] static bool has_four_rows(const Instruction& i) {
    return i.statement->has("tile::gather4") || i.statement->has("tile::scatter4");
  }
  /// The map that source `number` has the address of, and the coordinates.
  [[nodiscard]] static TensorBox box_of(Lane& lane, const Instruction& i, int number) {
    const std::uint64_t address = lane.address(i, number);
    const unsigned char* const place =
        lane.memory(i, Space::generic, address, TensorMap::bytes, TensorMap::alignment, machine::Access::read);
    if (!Lane::is_local_or_parameter(Space::generic, address)) {
      MemoryAccess::report(lane, i, place, TensorMap::bytes, machine::Access::read);
    }
    TensorBox box;
    std::memcpy(&box.map, place, sizeof box.map);
    if (const char* const refusal = box.map.refusal(); refusal != nullptr) {
      lane.fail(i, "a copy is given " + std::string(refusal));
    }
    box.has_four_rows = has_four_rows(i);
    const auto axes = static_cast<std::size_t>(axes_of(i));
    const std::size_t coordinates = box.has_four_rows ? 5 : axes;
    if (axes != box.map.axes() || i.list.size() < coordinates) {
      lane.fail(i, i.statement->opcode + " is given a tensor map of " + std::to_string(box.map.axes()) + " axes");
    }
    if (box.has_four_rows && (axes != 2 || box.map.box[1] != 1)) {
      lane.fail(i, i.statement->opcode + " is given a tensor map whose boxes are not one row of two axes");
    }
    for (std::size_t axis = 0; axis < coordinates; ++axis) {
      box.first[axis] = static_cast<std::int32_t>(lane.known(i, i.list[axis], "a coordinate"));
    }
    return box;
  }
  static void take_tile(Lane& lane, const Instruction& i, TensorBox& box, std::uint64_t address,
                        machine::Access access) {
    const auto bytes = static_cast<std::size_t>(box.bytes());
    box.tile = lane.memory(i, Space::shared, address, bytes, tile_alignment, access);
    box.place = address & ((std::uint64_t{1} << rank_shift) - 1);
  }
  static void check_array(Lane& lane, const Instruction& i, const TensorBox& box, machine::Access access) {
    box.for_each_global_run([&](const unsigned char* place, int bytes) {
      static_cast<void>(lane.memory(i, Space::global, reinterpret_cast<std::uintptr_t>(place),
                                    static_cast<std::size_t>(bytes), 1, access));
    });
  }

  /// The mbarrier is in the CTA of the destination or, with `.cta_group::2`, in either one of its pair. That of another
  /// CTA has no signal of a copy to `.shared::cta`.
  static void expect_barrier(Lane& lane, const Instruction& i, int to, int barrier) {
    const int ctas = i.statement->has("cta_group::2") ? 2 : 1;
    if (to / ctas != barrier / ctas || (to != barrier && i.statement->has("shared::cta"))) {
      lane.fail(i, "a copy into shared memory of CTA " + std::to_string(to) + " is to complete on an mbarrier of CTA " +
                       std::to_string(barrier) +
                       "; take one of the destination's CTA, or with .cta_group::2 and .shared::cluster of its pair");
    }
  }
  static void load(Lane& lane, const Instruction& i) {
    TensorBox box = box_of(lane, i, 1);
    check_array(lane, i, box, machine::Access::read);
    ClusterCopies::for_each_cta(lane, i, lane.address(i), lane.address(i, 2), i.source[3],
                                [&](std::uint64_t to, std::uint64_t barrier) { load(lane, i, box, to, barrier); });
  }
  static void load(Lane& lane, const Instruction& i, TensorBox& box, std::uint64_t to, std::uint64_t barrier) {
    expect_barrier(lane, i, Lane::rank_of(to), Lane::rank_of(barrier));
    take_tile(lane, i, box, to, machine::Access::write);
    machine::Instruction copy = MbarrierInstructions::at(lane, i, barrier, machine::OperationKind::copy_to_shared);
    copy.count = box.bytes();
    copy.to = box.tile;
    UnknownBytes& unknown = lane.launch().unknown;
    if (unknown.any_at_all()) {
      box.for_each_piece([&](unsigned char* shared, const unsigned char* global, int inside, int behind) {
        unknown.set(shared, 16, {});
        unknown.copy(shared + inside, global + inside, static_cast<std::size_t>(behind - inside));
      });
    }
    issue(lane, i, copy, Load{box});
  }
  static void store(Lane& lane, const Instruction& i) {
    TensorBox box = box_of(lane, i, 0);
    take_tile(lane, i, box, lane.address(i, 1), machine::Access::read);
    check_array(lane, i, box, machine::Access::write);
    const bool sums = i.statement->has("reduce");
    if (sums) {
      lane.expect_products(i);
    }
    const MapElement& element = map_elements[box.map.element];
    const auto change = Summation::of_words(*i.statement, element.sums, element.bytes);
    if (sums && !change) {
      refuse(lane, i);
    }
    UnknownBytes& unknown = lane.launch().unknown;
    if (unknown.any_at_all()) {
      box.for_each_piece([&](const unsigned char* shared, unsigned char* global, int inside, int behind) {
        const auto bytes = static_cast<std::size_t>(behind - inside);
        if (!sums) {
          unknown.copy(global + inside, shared + inside, bytes);
        } else if (const Unknown why = unknown.any(shared + inside, bytes); why) {
          unknown.set(global + inside, bytes, why);
        }
      });
    }
    const machine::Instruction copy{.kind = machine::OperationKind::copy_to_global,
                                    .count = box.bytes(),
                                    .from = box.tile,
                                    .code = &i,
                                    .moves = box.hash()};
    sums ? issue(lane, i, copy, Sum{{box}, *change}) : issue(lane, i, copy, Store{box});
  }
  template <class Copy>
  static void issue(Lane& lane, const Instruction& i, machine::Instruction copy, const Copy& made) {
    const machine::BoxCopy box(made);
    copy.box = &box;
    lane.here(i);
    lane.thread().execute(copy);
  }

  static void set(TensorMap& map, const Instruction& i, std::uint64_t number, std::uint64_t value) {
    const auto has = [&](const char* word) { return i.statement->has(word); };
    const auto axis = static_cast<std::size_t>(std::min<std::uint64_t>(number, TensorMap::most_axes - 1));
    const auto small = static_cast<std::uint8_t>(std::min<std::uint64_t>(value, 255));
    if (has("global_address")) {
      map.address = value;
    } else if (has("rank")) {
      map.last_axis = small;
    } else if (has("box_dim")) {
      map.box[axis] = static_cast<std::uint16_t>(std::min<std::uint64_t>(value, 0xffff));
    } else if (has("global_dim")) {
      map.extents[axis] = static_cast<std::uint32_t>(value);
    } else if (has("global_stride")) {
      map.strides[std::min<std::size_t>(axis, TensorMap::most_axes - 2)] = value;
    } else if (has("element_stride")) {
      map.steps[axis] = small;
    } else if (has("elemtype")) {
      map.element = small;
    } else if (has("swizzle_mode")) {
      map.swizzle = small;
    } else {
      map.others = static_cast<std::uint8_t>(map.others | small);
    }
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
