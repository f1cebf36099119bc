#pragma once

#include <dma/proof/ptx/lane.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// The modifiers by which instructions of the lanes of a warp differ from others of their name; each has one at most.
inline constexpr std::array<std::string_view, 11> warp_modifiers{"up",  "idx", "bfly", "ballot", "all", "any",
                                                                 "add", "min", "max",  "and",    "or"};
/// The `Instruction::mode` that stands for a modifier.
[[nodiscard]] consteval int mode_of(std::string_view modifier) {
  return static_cast<int>(std::find(warp_modifiers.begin(), warp_modifiers.end(), modifier) - warp_modifiers.begin());
}

/// Instructions of the lanes of a warp.
///
/// Source  PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "bar.warp.sync", "elect.sync"
class WarpInstructions {
 public:
  /// Takes the number of its modifier.
  static void prepare(Instruction& i) {
    const auto has = [&](std::string_view modifier) { return i.statement->has(modifier); };
    i.mode = static_cast<int>(std::find_if(warp_modifiers.begin(), warp_modifiers.end(), has) - warp_modifiers.begin());
  }
  static void shuffle(Lane& lane, const Instruction& i) {
    const Value mine = lane.value_of(i.source[0]);
    const auto by = static_cast<unsigned>(lane.known(i, 1, "the lane"));
    const auto control = static_cast<unsigned>(lane.known(i, 2, "the segment"));
    const auto mask = static_cast<unsigned>(lane.known(i, 3, "the mask"));
    const auto all = exchange(lane, i, mask, mine);
    const unsigned me = lane.lane();
    const unsigned segment = control >> 8 & 31U;
    const unsigned clamp = control & 31U;
    const unsigned most = (me & segment) | (clamp & ~segment);
    const unsigned least = me & segment;
    const bool goes_up = i.mode == mode_of("up");
    const int from = i.mode == mode_of("idx")    ? static_cast<int>(least | (by & ~segment & 31U))
                     : i.mode == mode_of("bfly") ? static_cast<int>(me ^ (by & 31U))
                     : goes_up                   ? static_cast<int>(me) - static_cast<int>(by & 31U)
                                                 : static_cast<int>(me + (by & 31U));
    const bool is_inside = goes_up ? from >= static_cast<int>(most) : from <= static_cast<int>(most);
    const auto source = static_cast<std::size_t>(is_inside ? from : static_cast<int>(me)) % 32;
    const bool is_missing = (mask >> source & 1U) == 0;
    lane.set(i.result, all[source].bits, is_missing ? lane.unknown_by(i) : all[source].is_unknown);
    lane.set(i.second_result, is_inside ? 1 : 0);
  }
  static void vote(Lane& lane, const Instruction& i) {
    const auto mask = static_cast<unsigned>(lane.known(i, 1, "the mask"));
    const auto all = exchange(lane, i, mask, lane.value_of(i.source[0]));
    unsigned ballot = 0;
    Unknown is_unknown;
    for (unsigned other = 0; other < 32; ++other) {
      if ((mask >> other & 1U) != 0) {
        ballot |= (all[other].bits != 0 ? 1U : 0U) << other;
        is_unknown = is_unknown | all[other].is_unknown;
      }
    }
    const std::uint64_t result = i.mode == mode_of("ballot") ? ballot
                                 : i.mode == mode_of("all")  ? (ballot == mask ? 1U : 0U)
                                 : i.mode == mode_of("any")  ? (ballot != 0 ? 1U : 0U)
                                                             : (ballot == mask || ballot == 0 ? 1U : 0U);
    lane.set(i.result, result, is_unknown);
  }
  static void match(Lane& lane, const Instruction& i) {
    const auto mask = static_cast<unsigned>(lane.known(i, 1, "the mask"));
    const auto all = exchange(lane, i, mask, lane.value_of(i.source[0]));
    const std::uint64_t mine = all[lane.lane()].bits;
    unsigned same = 0;
    Unknown is_unknown;
    for (unsigned other = 0; other < 32; ++other) {
      if ((mask >> other & 1U) != 0) {
        same |= (all[other].bits == mine ? 1U : 0U) << other;
        is_unknown = is_unknown | all[other].is_unknown;
      }
    }
    const bool are_all = i.mode == mode_of("all");
    lane.set(i.result, are_all ? (same == mask ? mask : 0U) : same, is_unknown);
    lane.set(i.second_result, same == mask ? 1 : 0, is_unknown);
  }
  static void reduce(Lane& lane, const Instruction& i) {
    const auto mask = static_cast<unsigned>(lane.known(i, 1, "the mask"));
    const auto all = exchange(lane, i, mask, lane.value_of(i.source[0]));
    const bool is_computed = !i.statement->types().empty() && !i.statement->types()[0].is_float();
    Unknown is_unknown = is_computed ? Unknown() : lane.unknown_by(i);
    bool is_first = true;
    std::uint32_t result = 0;
    for (unsigned other = 0; other < 32; ++other) {
      if ((mask >> other & 1U) != 0) {
        const auto value = static_cast<std::uint32_t>(all[other].bits);
        result = is_first ? value : reduced(i, result, value);
        is_first = false;
        is_unknown = is_unknown | all[other].is_unknown;
      }
    }
    lane.set(i.result, result, is_unknown);
  }
  /// Each set of lanes that has the one that asks is right: it is alone.
  static void active_mask(Lane& lane, const Instruction& i) { lane.set(i.result, std::uint64_t{1} << lane.lane()); }
  static void synchronize(Lane& lane, const Instruction& i) {
    const auto mask = static_cast<unsigned>(lane.known(i, 0, "the mask"));
    expect_in(lane, i, mask);
    lane.here(i);
    lane.meet(i);
    if (mask == 0xffffffffU) {
      lane.thread().sync_warp();
    } else {
      lane.thread().sync_lanes(mask);
    }
  }
  /// The first lane of the mask is elected.
  static void elect(Lane& lane, const Instruction& i) {
    const auto mask = static_cast<unsigned>(lane.known(i, 0, "the mask"));
    static_cast<void>(exchange(lane, i, mask, {}));
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    lane.set(i.result, first);
    lane.set(i.second_result, lane.lane() == first ? 1 : 0);
  }

 private:
  static void expect_in(Lane& lane, const Instruction& i, unsigned mask) {
    if ((mask >> lane.lane() & 1U) == 0) {
      lane.fail(i, "lane " + std::to_string(lane.lane()) + " executes " + i.statement->opcode +
                       " with a mask that leaves it out");
    }
  }
  [[nodiscard]] static std::array<Value, 32> exchange(Lane& lane, const Instruction& i, unsigned mask,
                                                      const Value& mine) {
    static_assert(sizeof(Value) == 16);  // What the emulator passes.
    expect_in(lane, i, mask);
    std::array<Value, 32> all{};
    lane.here(i);
    lane.meet(i);
    lane.thread().exchange(mask, &mine, sizeof mine, all.data());
    return all;
  }
  [[nodiscard]] static std::uint32_t reduced(const Instruction& i, std::uint32_t a, std::uint32_t b) {
    const bool is_signed = i.is_signed;
    const bool is_less = is_signed ? static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a) : b < a;
    return i.mode == mode_of("add")   ? a + b
           : i.mode == mode_of("min") ? (is_less ? b : a)
           : i.mode == mode_of("max") ? (is_less ? a : b)
           : i.mode == mode_of("and") ? (a & b)
           : i.mode == mode_of("or")  ? (a | b)
                                      : (a ^ b);
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
