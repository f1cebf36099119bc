#pragma once

#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

/// Small programs of threads: what each warp does, step by step. A kernel body interprets one (interpreter.hpp), so
/// that `prove` judges it; an oracle, which shares no code with the library, enumerates its interleavings (oracle.hpp).
namespace fuzz {

inline constexpr int lane_count = 32;
inline constexpr int shared_blocks = 4;   ///< of 32 integers, in each CTA
inline constexpr int global_blocks = 5;   ///< of 32 integers
inline constexpr int phase_barriers = 8;  ///< in each CTA
inline constexpr int named_barriers = 5;  ///< numbers 1 to 4
inline constexpr int block_bytes = lane_count * 4;

enum class Op : unsigned char {
  read,                ///< an ordinary load
  write,               ///< an ordinary store of `value`
  sync_warp,           ///< collective over the warp, as the five below
  shuffle,             ///< the lanes meet, and nothing is ordered
  sync_cta,            ///< all warps of the CTA
  sync_cluster,        ///< all warps
  sync_named,          ///< named barrier `barrier` of `count` warps
  arrive_named,        ///< the same without a wait
  open,                ///< mbarrier `barrier`, of `count` arrivals
  close,               ///< invalidates it
  arrive,              ///< one arrival
  expect,              ///< `count` blocks of bytes
  wait,                ///< for parity `count`
  arrive_at_peer,      ///< one arrival at the mbarrier of the other CTA
  wait_in_cluster,     ///< a wait for what another CTA does
  fence,               ///< the proxy fence
  copy_async,          ///< cp.async of global block `other` to block `block`
  await_async,         ///< waits for this lane's cp.async
  arrive_when_copied,  ///< one arrival, when this lane's cp.async so far are complete
  load,                ///< a bulk copy of global block `other` to block `block`, which completes on `barrier`
  store,               ///< a bulk copy of block `block` to global block `other`
  commit,              ///< closes the lane's group of bulk stores
  await_groups,        ///< until none of the lane's groups is in flight
  await_reads,         ///< until at most `count` of them still read
  send                 ///< a bulk copy of block `block` to block `other` of the other CTA, on its `barrier`
};
inline constexpr std::array op_names{"read",
                                     "write",
                                     "sync_warp",
                                     "shuffle",
                                     "sync_cta",
                                     "sync_cluster",
                                     "sync_named",
                                     "arrive_named",
                                     "open",
                                     "close",
                                     "arrive",
                                     "expect",
                                     "wait",
                                     "arrive_at_peer",
                                     "wait_in_cluster",
                                     "fence",
                                     "copy_async",
                                     "await_async",
                                     "arrive_when_copied",
                                     "load",
                                     "store",
                                     "commit",
                                     "await_groups",
                                     "await_reads",
                                     "send"};

[[nodiscard]] constexpr bool is_collective(Op op) { return op >= Op::sync_warp && op <= Op::arrive_named; }
/// Whether the lanes of a warp wait for each other: an arrival at a named barrier orders none of their accesses.
[[nodiscard]] constexpr bool meets(Op op) { return is_collective(op) && op != Op::arrive_named; }

/// Which lanes of the warp do it.
enum class Lanes : unsigned char { all, lane0, lane1, others };
[[nodiscard]] constexpr bool is_one_of(int lane, Lanes lanes) {
  return lanes == Lanes::all || static_cast<int>(lanes) - 1 == (lane < 2 ? lane : 2);
}
/// Where the block of an access is.
enum class Memory : unsigned char { own, peer, global };
/// Which element of the block a lane accesses.
enum class Element : unsigned char { its_own, its_neighbours, first, second };

struct Step {
  Op op = Op::sync_warp;
  Lanes lanes = Lanes::all;
  Memory memory = Memory::own;
  Element element = Element::its_own;
  int block = 0;
  int other = 0;
  int barrier = 0;
  int count = 0;
  int value = 0;
  int turn = 0;         ///< of a wait for an empty slot: that which begins behind it, of `block`
  bool is_held = true;  ///< of an access: false beside the slot's wait and release
};

/// A store by its memory, block and element: each is an instruction of its own.
inline constexpr int store_count = 3 * 4 * global_blocks;
[[nodiscard]] constexpr int number_of_store(const Step& step) {
  return (static_cast<int>(step.memory) * global_blocks + step.block) * 4 + static_cast<int>(step.element);
}
static_assert(shared_blocks <= global_blocks);

struct Program {
  int ctas = 1;                          ///< a cluster
  int warps = 1;                         ///< of each CTA
  bool knows_elements = false;           ///< a copy out of a block needs each of its elements
  std::vector<std::vector<Step>> steps;  ///< of each warp; those of CTA 1 behind those of CTA 0

  [[nodiscard]] int cta_of(int warp) const { return warp / warps; }
};

[[nodiscard]] inline std::string text_of(const Step& step) {
  constexpr std::array lanes{"", "0:", "1:", "2+:"};
  constexpr std::array memories{"s", "peer.s", "g"};
  constexpr std::array elements{"[i]", "[i^1]", "[0]", "[1]"};
  const auto index = [](auto value) { return static_cast<std::size_t>(value); };
  std::ostringstream text;
  text << lanes[index(step.lanes)] << op_names[index(step.op)];
  switch (step.op) {
    case Op::write:
    case Op::read:
      text << ' ' << memories[index(step.memory)] << step.block << elements[index(step.element)];
      if (step.op == Op::write) {
        text << '=' << step.value;
      }
      break;
    case Op::copy_async:
      text << " g" << step.other << "->s" << step.block;
      break;
    case Op::load:
      text << " g" << step.other << "->s" << step.block << " b" << step.barrier;
      break;
    case Op::store:
      text << " s" << step.block << "->g" << step.other;
      break;
    case Op::send:
      text << " s" << step.block << "->peer.s" << step.other << " b" << step.barrier;
      break;
    case Op::sync_named:
    case Op::arrive_named:
    case Op::open:
    case Op::expect:
    case Op::wait:
    case Op::wait_in_cluster:
      text << " b" << step.barrier << '(' << step.count << ')';
      break;
    case Op::close:
    case Op::arrive:
    case Op::arrive_at_peer:
    case Op::arrive_when_copied:
      text << " b" << step.barrier;
      break;
    case Op::await_reads:
      text << '(' << step.count << ')';
      break;
    default:
      break;
  }
  return text.str();
}

/// A line for each warp. `0:` is a step of lane 0 alone, `2+:` one of lanes 2 to 31.
[[nodiscard]] inline std::string text_of(const Program& program) {
  std::ostringstream text;
  for (std::size_t warp = 0; warp < program.steps.size(); ++warp) {
    text << "CTA " << program.cta_of(static_cast<int>(warp)) << " warp "
         << warp % static_cast<std::size_t>(program.warps) << ':';
    for (const Step& step : program.steps[warp]) {
      text << ' ' << text_of(step) << ';';
    }
    text << '\n';
  }
  return text.str();
}

}  // namespace fuzz
