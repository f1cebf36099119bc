#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/proof/ptx/atomics.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// Loads and stores, and copies of a thread's own.
///
/// Source  PTX ISA, "Data Movement and Conversion Instructions"
class MemoryAccess {
 public:
  static void load(Lane& lane, const Instruction& i) {
    if (i.bytes == 16 && i.result_bytes == 16 && !is_strong(i)) {
      return load_half(lane, i);
    }
    expect_size(lane, i);
    const std::uint64_t address = lane.address(i);
    const std::size_t count = std::max<std::size_t>(i.results.size(), 1);
    const auto bytes = static_cast<std::size_t>(i.bytes);
    unsigned char* place = lane.memory(i, i.space, address, count * bytes, count * bytes, machine::Access::read);
    const bool is_own = Lane::is_local_or_parameter(i.space, address);
    const bool is_atomic = !is_own && is_strong(i);
    note_address(i, is_own ? 0 : address);
    if (!is_own && !is_atomic) {
      report(lane, i, place, count * bytes, machine::Access::read);
    }
    const bool is_whole = is_atomic && is_one_word(lane, count, bytes);
    const std::uint64_t all =
        is_whole ? access_atomically(lane, i, machine::AtomicKind::load, place, 0, 0, count * bytes) : 0;
    for (std::size_t k = 0; k < count; ++k, place += bytes) {
      std::uint64_t bits = 0;
      if (is_whole) {
        bits = all >> (8 * k * bytes) & mask_of(bytes);
      } else if (is_atomic) {
        bits = access_atomically(lane, i, machine::AtomicKind::load, place);
      } else {
        std::memcpy(&bits, place, bytes);
      }
      const Unknown is_unknown = lane.launch().unknown.any(place, bytes);
      lane.set(i.results.empty() ? i.result : i.results[k], widened(i, bits), is_unknown);
    }
  }
  /// `st.bulk`: zeros.
  static void clear(Lane& lane, const Instruction& i) {
    constexpr std::uint64_t most = 1U << 24U;
    const std::uint64_t asked = lane.known(i, 1, "the number of bytes");
    if (asked % 8 != 0 || asked > most) {
      lane.fail(i, "st.bulk of " + std::to_string(asked) + " bytes, where a multiple of 8 up to 16777216 is defined");
    }
    const auto bytes = static_cast<std::size_t>(asked);
    if (bytes != 0) {
      unsigned char* const place = lane.memory(i, Space::shared, lane.address(i), bytes, 1, machine::Access::write);
      report(lane, i, place, bytes, machine::Access::write);
      std::memset(place, 0, bytes);
      lane.launch().unknown.set(place, bytes, {});
    }
  }
  static void store(Lane& lane, const Instruction& i) {
    expect_size(lane, i);
    const std::uint64_t address = lane.address(i);
    const bool is_vector = !i.list.empty();
    const std::size_t count = is_vector ? i.list.size() : 1;
    const auto bytes = static_cast<std::size_t>(i.bytes);
    unsigned char* place = lane.memory(i, i.space, address, count * bytes, count * bytes, machine::Access::write);
    const bool is_own = Lane::is_local_or_parameter(i.space, address);
    const bool is_atomic = !is_own && is_strong(i);
    note_address(i, is_own ? 0 : address);
    if (!is_own && !is_atomic) {
      Unknown why;
      for (std::size_t k = 0; k < count; ++k) {
        why = why | lane.value_of(is_vector ? i.list[k] : i.source[1]).is_unknown;
      }
      report(lane, i, place, count * bytes, machine::Access::write, lane.code_of_store(i, why));
    }
    if (is_atomic && is_one_word(lane, count, bytes)) {
      return store_as_one_word(lane, i, place);
    }
    for (std::size_t k = 0; k < count; ++k, place += bytes) {
      const Value value = lane.value_of(is_vector ? i.list[k] : i.source[1]);
      if (is_atomic) {
        access_atomically(lane, i, machine::AtomicKind::store, place, value.bits);
        mark_atomic(lane, place, bytes, value.is_unknown);
      } else {
        std::memcpy(place, &value.bits, bytes);
        lane.launch().unknown.set(place, bytes, value.is_unknown);
      }
    }
  }

  /// `atom` and `red`.
  static void atomic(Lane& lane, const Instruction& i) {
    const std::uint64_t address = lane.address(i);
    const auto bytes = static_cast<std::size_t>(i.bytes);
    const std::size_t count = std::max<std::size_t>(i.list.size(), 1);
    const bool has_results = i.results.empty() || i.results.size() == count;
    if (i.bytes == 0 || i.bytes > 8 || !has_results ||
        (count > 1 && i.atomic == machine::AtomicKind::compare_exchange)) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
    }
    unsigned char* const place = lane.memory(i, i.space, address, count * bytes, count * bytes, machine::Access::write);
    note_address(i, address);
    if ((i.flags & not_computed) != 0) {
      lane.note_not_computed(i);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const Value first = lane.value_of(i.list.empty() ? i.source[1] : i.list[k]);
      change(lane, i, place + k * bytes, first, i.results.empty() ? i.result : i.results[k]);
    }
  }

  /// `cp.async`: the bytes behind those of the source are zeros.
  static void copy_async(Lane& lane, const Instruction& i) {
    const std::uint64_t to_address = lane.address(i);
    const std::uint64_t from_address = lane.address(i, 1);
    const auto bytes = static_cast<std::size_t>(lane.known(i, 2, "the size"));
    if (bytes != 4 && bytes != 8 && bytes != 16) {
      lane.refuse(i, "cp.async of " + std::to_string(bytes) + " bytes is not understood");
    }
    std::size_t read = bytes;
    if (i.sources > 3) {
      const bool is_predicate = i.source[3].kind == Source::Kind::reg && lane.is_predicate(i.source[3].index);
      const std::uint64_t size = lane.known(i, 3, "the size");
      read = is_predicate ? (size != 0 ? 0 : bytes) : static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes));
    }
    unsigned char* const to = lane.memory(i, Space::shared, to_address, bytes, bytes, machine::Access::write);
    const unsigned char* from = zeros().data();
    if (read > 0) {
      from = lane.memory(i, Space::global, from_address, read, bytes, machine::Access::read);
    }
    lane.launch().unknown.copy(to, from, bytes);
    lane.here(i);
    machine::Instruction copy{.kind = machine::OperationKind::copy_async, .count = static_cast<int>(bytes)};
    copy.to = to;
    copy.from = from;
    if (read == bytes || read == 0) {
      const PartOfZeros none{to, from, bytes, 0};
      const machine::BoxCopy box(none);
      copy.box = read == 0 ? &box : nullptr;
      return lane.thread().execute(copy);
    }
    const PartOfZeros part{to, from, bytes, read};
    const machine::BoxCopy box(part);
    copy.box = &box;
    lane.thread().execute(copy);
  }
  static void commit_async(Lane& lane, const Instruction& i) {
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::commit_async});
  }
  static void wait_async(Lane& lane, const Instruction& i) {
    lane.here(i);
    const bool waits_for_all = i.sources == 0;
    lane.thread().execute(
        {.kind = waits_for_all ? machine::OperationKind::await_async : machine::OperationKind::await_async_groups,
         .count = waits_for_all ? 0 : static_cast<int>(lane.known(i, 0, "the number of groups")),
         .site = {.point = machine::Point::async_copies}});
  }
  static void trap(Lane& lane, const Instruction& i) { lane.fail(i, "a thread ends the kernel by a trap"); }
  /// Between threads.
  static void fence(Lane& lane, const Instruction& i) {
    note_arrival(lane);
    lane.here(i);
    lane.thread().access_atomically(
        {.kind = machine::AtomicKind::fence, .order = i.order, .scope = i.scope, .code = &i, .state = lane.state()});
  }

  /// Between threads, for shared memory alone, beside an arrival or a wait that is relaxed. Of atomic accesses it is
  /// taken to order none.
  static void fence_shared(Lane& lane, const Instruction& i) {
    note_arrival(lane);
    using proof::detail::Operation;
    lane.here(i);
    lane.thread().execute(
        {.kind = machine::OperationKind::fence,
         .count = i.statement->has("release") ? Operation::releases_shared : Operation::acquires_shared});
  }
  /// `fence.proxy.async`: later bulk copies see the thread's earlier writes.
  static void fence_proxy(Lane& lane, const Instruction& i) {
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::fence,
                           .count = i.statement->has("mbarrier_init") ? proof::detail::Operation::of_openings : 0});
  }

  /// That a register has the values that it accesses.
  /// 16 bytes into a register that keeps the first 8 (`ClusterRequests`).
  static void load_half(Lane& lane, const Instruction& i) {
    unsigned char* const place = lane.memory(i, i.space, lane.address(i), 16, 16, machine::Access::read);
    if (!Lane::is_local_or_parameter(i.space, lane.address(i))) {
      note_address(i, lane.address(i));
      report(lane, i, place, 16, machine::Access::read);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, place, sizeof bits);
    lane.set(i.result, bits, lane.launch().unknown.any(place, 16));
  }
  static void expect_size(Lane& lane, const Instruction& i) {
    if (i.bytes < 1 || i.bytes > 8) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
    }
  }
  /// An ordinary access that other threads may see, before it is made.
  static void report(Lane& lane, const Instruction& i, const void* place, std::size_t bytes, machine::Access access) {
    report(lane, i, place, bytes, access, &i);
  }
  /// @param code  by which judges tell instructions from one another
  static void report(Lane& lane, const Instruction& i, const void* place, std::size_t bytes, machine::Access access,
                     const void* code) {
    if (!lane.thread().is_watched()) {
      return;
    }
    lane.here(i);
    lane.thread().accesses(place, bytes, access, code);
    lane.thread().accessed(place, bytes, access, code);
  }

 private:
  /// One word of an `atom` or a `red`, whose value before is left in a register.
  static void change(Lane& lane, const Instruction& i, unsigned char* place, const Value& first, int result) {
    const auto bytes = static_cast<std::size_t>(i.bytes);
    const Value second = i.list.empty() && i.sources > 2 ? lane.value_of(i.source[2]) : Value{};
    const bool is_swap = i.atomic == machine::AtomicKind::compare_exchange;
    const Unknown found_unknown = lane.launch().unknown.any(place, bytes);
    const Unknown is_unknown = found_unknown | first.is_unknown | second.is_unknown |
                               ((i.flags & not_computed) != 0 ? lane.unknown_by(i) : Unknown());
    const auto add = i.answers ? machine::AtomicKind::add : machine::AtomicKind::store_add;
    const std::uint64_t before = is_unknown
                                     ? access_atomically(lane, i, add, place)
                                     : access_atomically(lane, i, i.atomic == machine::AtomicKind::add ? add : i.atomic,
                                                         place, is_swap ? second.bits : first.bits, first.bits);
    mark_atomic(lane, place, bytes, is_unknown);
    lane.set(result, before, found_unknown);
  }
  /// An arrival counts when its thread waits.
  static void note_arrival(Lane& lane) {
    if (lane.cluster_arrival != nullptr && lane.cluster_arrival->statement->has("relaxed")) {
      lane.launch().assumptions.insert(
          "a fence between a relaxed arrival at the barrier of a cluster and the wait counts as before the arrival");
    }
  }
  static void note_address(const Instruction& i, std::uint64_t address) noexcept {
    i.first_address = i.first_address == 0 ? address : i.first_address;
  }
  /// A cp.async of fewer bytes than it writes.
  struct PartOfZeros {
    static constexpr bool adds = false;
    unsigned char* to;
    const unsigned char* from;
    std::size_t bytes;
    std::size_t read;

    void operator()() const {
      std::memset(to, 0, bytes);
      std::memcpy(to, from, read);
    }
    template <class Visit>
    void for_each_global_run(const Visit& visit) const {
      if (read > 0) {
        visit(from, static_cast<int>(read));
      }
    }
  };
  [[nodiscard]] static const std::array<unsigned char, 16>& zeros() {
    static const std::array<unsigned char, 16> none{};
    return none;
  }
  /// Accesses that have no race with each other. By themselves they order nothing.
  [[nodiscard]] static bool is_strong(const Instruction& i) noexcept { return (i.flags & strong) != 0; }
  [[nodiscard]] static std::uint64_t mask_of(std::size_t bytes) noexcept {
    return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  }
  /// Whether a vector of `count` words is accessed at once, where that rule is left out.
  [[nodiscard]] static bool is_one_word(Lane& lane, std::size_t count, std::size_t bytes) noexcept {
    const bool may_be = count > 1 && count * bytes <= sizeof(std::uint64_t) && std::has_single_bit(count * bytes);
    lane.launch().has_vectors_of_words = lane.launch().has_vectors_of_words || may_be;
    return may_be && lane.launch().whole_vectors;
  }
  static void store_as_one_word(Lane& lane, const Instruction& i, unsigned char* place) {
    const auto bytes = static_cast<std::size_t>(i.bytes);
    std::uint64_t all = 0;
    Unknown is_unknown;
    for (std::size_t k = 0; k < i.list.size(); ++k) {
      const Value value = lane.value_of(i.list[k]);
      all |= (value.bits & mask_of(bytes)) << (8 * k * bytes);
      is_unknown = is_unknown | value.is_unknown;
    }
    access_atomically(lane, i, machine::AtomicKind::store, place, all, 0, i.list.size() * bytes);
    mark_atomic(lane, place, i.list.size() * bytes, is_unknown);
  }
  /// Returns the value before. A thread that is at the next word of a vector has not repeated its access.
  ///
  /// @param word  the bytes of the word; 0: of the instruction's type
  static std::uint64_t access_atomically(Lane& lane, const Instruction& i, machine::AtomicKind kind,
                                         unsigned char* place, std::uint64_t value = 0, std::uint64_t expected = 0,
                                         std::size_t word = 0) {
    lane.expect_products(i);
    const std::size_t bytes = word == 0 ? static_cast<std::size_t>(i.bytes) : word;
    const std::uint64_t all = mask_of(bytes);
    lane.here(i);
    return lane.thread().access_atomically({.kind = kind,
                                            .type = i.type,
                                            .order = i.order,
                                            .scope = i.scope,
                                            .answers = kind == machine::AtomicKind::store || i.answers,
                                            .place = place,
                                            .bytes = static_cast<int>(bytes),
                                            .value = value & all,
                                            .expected = expected & all,
                                            .code = &i,
                                            .state = lane.state() ^ reinterpret_cast<std::uintptr_t>(place)});
  }
  /// Another execution may read there what an earlier access has written: once unknown, it stays so.
  static void mark_atomic(Lane& lane, const void* place, std::size_t bytes, Unknown is_unknown) {
    if (is_unknown) {
      lane.launch().unknown.set(place, bytes, is_unknown);
    }
  }
  [[nodiscard]] static std::uint64_t widened(const Instruction& i, std::uint64_t bits) {
    const int size = 8 * i.bytes;
    const bool is_negative = i.is_signed && size < 64 && (bits >> (size - 1) & 1U) != 0;
    return is_negative ? bits | ~((std::uint64_t{1} << size) - 1) : bits;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
