#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/mbarrier_instructions.hpp>
#include <dma/proof/ptx/memory.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dma::inline v0_1::proof::ptx::detail {

/// What one CTA writes into the shared memory of another one of its cluster, and of several at once.
///
/// Source  PTX ISA, "st.async", "red.async", "cp.async.bulk": `.shared::cluster`, `.multicast::cluster`
class ClusterCopies {
 public:
  static void store_async(Lane& lane, const Instruction& i) {
    MemoryAccess::expect_size(lane, i);
    const bool is_vector = !i.list.empty();
    const std::size_t count = is_vector ? i.list.size() : 1;
    const auto bytes = static_cast<std::size_t>(i.bytes);
    const std::uint64_t address = lane.address(i);
    Copy copy{.bytes = static_cast<int>(count * bytes)};
    if (!i.statement->has("mbarrier::complete_tx::bytes") || copy.bytes > most_bytes) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
    }
    copy.to = lane.memory(i, Space::shared, address, count * bytes, count * bytes, machine::Access::write);
    for (std::size_t k = 0; k < count; ++k) {
      const Value value = lane.value_of(is_vector ? i.list[k] : i.source[1]);
      std::memcpy(copy.word.data() + k * bytes, &value.bits, bytes);
      lane.launch().unknown.set(copy.to + k * bytes, bytes, value.is_unknown);
    }
    issue(lane, i, copy, lane.address(i, is_vector ? 1 : 2));
  }
  /// `red.async`: adds to a word, or changes it another way, as one atomic access.
  static void reduce_async(Lane& lane, const Instruction& i) {
    lane.expect_products(i);
    MemoryAccess::expect_size(lane, i);
    const auto bytes = static_cast<std::size_t>(i.bytes);
    Change made{.bytes = i.bytes};
    const bool is_swap = i.atomic == machine::AtomicKind::exchange || i.atomic == machine::AtomicKind::compare_exchange;
    if (!i.statement->has("mbarrier::complete_tx::bytes") || is_swap || (i.flags & not_computed) != 0) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
    }
    made.to = lane.memory(i, Space::shared, lane.address(i), bytes, bytes, machine::Access::write);
    const Value value = lane.value_of(i.source[1]);
    made.change = {.kind = i.atomic, .type = i.type, .place = made.to, .bytes = i.bytes, .value = value.bits};
    if (value.is_unknown) {
      lane.launch().unknown.set(made.to, bytes, value.is_unknown);
    }
    issue(lane, i, made, lane.address(i, 2));
  }
  /// A range of this CTA's shared memory.
  static void copy(Lane& lane, const Instruction& i, std::size_t bytes) {
    Copy copy{.bytes = static_cast<int>(bytes)};
    copy.to = lane.memory(i, Space::shared, lane.address(i), bytes, unit, machine::Access::write);
    copy.from = lane.memory(i, Space::shared, lane.address(i, 1), bytes, unit, machine::Access::read);
    lane.launch().unknown.copy(copy.to, copy.from, bytes);
    issue(lane, i, copy, lane.address(i, 3));
  }

  /// Calls `visit(place, barrier)` with the addresses in each CTA that a copy writes: in that of the address alone, or
  /// in those of a mask. The barrier is in the same CTA or, of a copy with `.cta_group::2`, in the even or the odd CTA
  /// of its pair, as `barrier` is.
  template <class Visit>
  static void for_each_cta(Lane& lane, const Instruction& i, std::uint64_t place, std::uint64_t barrier,
                           const Source& mask, const Visit& visit) {
    if (!i.statement->has("multicast::cluster")) {
      return visit(place, barrier);
    }
    constexpr std::uint64_t ranks = std::uint64_t{0xff} << rank_shift;
    const std::uint64_t kept = i.statement->has("cta_group::2") ? std::uint64_t{1} << rank_shift : 0;
    std::uint64_t left = lane.known(i, mask, "the mask of CTAs") & 0xffffU;
    for (; left != 0; left &= left - 1) {
      const std::uint64_t rank = static_cast<std::uint64_t>(std::countr_zero(left)) << rank_shift;
      visit((place & ~ranks) | rank, (barrier & (~ranks | kept)) | (rank & ~kept));
    }
  }

 private:
  static constexpr std::size_t unit = 16;
  static constexpr int most_bytes = 16;

  struct Copy {
    static constexpr bool adds = false;
    unsigned char* to = nullptr;
    const unsigned char* from = nullptr;  ///< null for a word
    int bytes = 0;
    std::array<unsigned char, most_bytes> word{};

    void operator()() const { std::memcpy(to, from == nullptr ? word.data() : from, static_cast<std::size_t>(bytes)); }
    template <class Visit>
    void for_each_global_run(const Visit&) const {}
  };

  struct Change {
    static constexpr bool adds = true;
    static constexpr const unsigned char* from = nullptr;
    unsigned char* to = nullptr;
    int bytes = 0;
    machine::AtomicInstruction change{};

    void operator()() const { change.make(); }
    template <class Visit>
    void for_each_global_run(const Visit&) const {}
  };

  template <class Made>
  static void issue(Lane& lane, const Instruction& i, const Made& made, std::uint64_t barrier) {
    machine::Instruction copy = MbarrierInstructions::at(lane, i, barrier, machine::OperationKind::copy_to_shared);
    copy.cta = copy.cta == machine::Instruction::own_cta ? lane.thread().cluster_rank() : copy.cta;
    copy.count = made.bytes;
    copy.is_between_ctas = true;
    copy.to = made.to;
    copy.from = made.from;
    const machine::BoxCopy box(made);
    copy.box = &box;
    lane.here(i);
    lane.thread().execute(copy);
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
