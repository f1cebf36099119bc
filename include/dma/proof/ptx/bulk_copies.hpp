#pragma once

#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/ptx/cluster_copies.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/mbarrier_instructions.hpp>
#include <dma/proof/ptx/summation.hpp>
#include <dma/proof/ptx/tensor_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Copies of one range by the asynchronous proxy, and their groups.
///
/// Source  PTX ISA, "cp.async.bulk"
class BulkCopies {
 public:
  static void copy(Lane& lane, const Instruction& i) {
    const auto has = [&](const char* word) { return i.statement->has(word); };
    if (has("shared::cta") && has("shared::cluster")) {
      return ClusterCopies::copy(lane, i, size_of(lane, i));
    }
    if (has("cp_mask") || has("ignore_oob")) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
    }
    has("bulk_group") ? to_global(lane, i) : to_shared(lane, i);
  }
  /// Changes global memory by shared memory.
  static void reduce(Lane& lane, const Instruction& i) {
    lane.expect_products(i);
    const std::vector<Type> types = i.statement->types();
    const auto change = types.empty() || i.statement->has("noftz") != (types.back().kind == Type::Kind::other)
                            ? std::nullopt
                            : Summation::of_words(*i.statement, sums_of(i, types.back()), types.back().bytes);
    if (!i.statement->has("bulk_group") || !change) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
    }
    const std::size_t bytes = size_of(lane, i);
    const Sum sum{lane.memory(i, Space::global, lane.address(i), bytes, unit, machine::Access::write),
                  lane.memory(i, Space::shared, lane.address(i, 1), bytes, unit, machine::Access::read),
                  static_cast<int>(bytes), *change};
    const machine::BoxCopy box(sum);
    if (const Unknown why = lane.launch().unknown.any(sum.from, bytes); why) {
      lane.launch().unknown.set(sum.to, bytes, why);
    }
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::copy_to_global,
                           .count = static_cast<int>(bytes),
                           .to = sum.to,
                           .from = sum.from,
                           .box = &box});
  }
  static void commit(Lane& lane, const Instruction& i) {
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::commit_group});
  }
  static void wait(Lane& lane, const Instruction& i) {
    const bool only_reads = i.statement->has("read");
    lane.here(i);
    lane.thread().execute(
        {.kind = only_reads ? machine::OperationKind::await_group_reads : machine::OperationKind::await_groups,
         .count = static_cast<int>(lane.known(i, 0, "the number of groups")),
         .site = {.point = machine::Point::bulk_copies}});
  }

 private:
  static constexpr std::size_t unit = 16;  ///< bytes of which addresses and sizes are multiples

  struct Sum {
    static constexpr bool adds = true;
    unsigned char* to;
    const unsigned char* from;
    int bytes;
    Summation change;

    void operator()() const { change(to, from, bytes); }
    template <class Visit>
    void for_each_global_run(const Visit& visit) const {
      visit(to, bytes);
    }
  };
  [[nodiscard]] static Summation::Of sums_of(const Instruction& i, const Type& type) {
    return i.statement->has("f16")    ? Summation::Of::f16
           : i.statement->has("bf16") ? Summation::Of::bf16
           : type.is_float()          ? Summation::Of::floating
           : type.is_signed()         ? Summation::Of::with_sign
                                      : Summation::Of::bits;
  }
  [[nodiscard]] static std::size_t size_of(Lane& lane, const Instruction& i) {
    const std::uint64_t bytes = lane.known(i, 2, "the size");
    if (bytes % unit != 0) {
      lane.fail(i, "a bulk copy of " + std::to_string(bytes) + " bytes, which is no multiple of 16");
    }
    return static_cast<std::size_t>(bytes);
  }
  static void to_shared(Lane& lane, const Instruction& i) {
    const std::size_t bytes = size_of(lane, i);
    const std::uint64_t from = lane.address(i, 1);
    ClusterCopies::for_each_cta(lane, i, lane.address(i), lane.address(i, 3), i.list.empty() ? Source{} : i.list[0],
                                [&](std::uint64_t to, std::uint64_t barrier) {
                                  machine::Instruction copy = MbarrierInstructions::at(
                                      lane, i, barrier, machine::OperationKind::copy_to_shared);
                                  copy.count = static_cast<int>(bytes);
                                  copy.to = lane.memory(i, Space::shared, to, bytes, unit, machine::Access::write);
                                  copy.from = lane.memory(i, Space::global, from, bytes, unit, machine::Access::read);
                                  issue(lane, i, copy, bytes);
                                });
  }
  static void to_global(Lane& lane, const Instruction& i) {
    const std::size_t bytes = size_of(lane, i);
    machine::Instruction copy{.kind = machine::OperationKind::copy_to_global, .count = static_cast<int>(bytes)};
    copy.to = lane.memory(i, Space::global, lane.address(i), bytes, unit, machine::Access::write);
    copy.from = lane.memory(i, Space::shared, lane.address(i, 1), bytes, unit, machine::Access::read);
    copy.code = &i;
    copy.moves = hash_of(std::array<std::uint64_t, 3>{reinterpret_cast<std::uintptr_t>(copy.to),
                                                      reinterpret_cast<std::uintptr_t>(copy.from), bytes});
    issue(lane, i, copy, bytes);
  }
  static void issue(Lane& lane, const Instruction& i, const machine::Instruction& copy, std::size_t bytes) {
    lane.launch().unknown.copy(copy.to, copy.from, bytes);
    lane.here(i);
    if (bytes != 0) {
      lane.thread().execute(copy);
    }
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
