#pragma once

#include "host/proof/fuzz/program.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

/// Programs over a pipeline or a hand-off of the library: steps by tile. For the oracle each becomes a program of
/// barriers, copies and accesses, by what the documentation says of a slot.
namespace fuzz {

enum class Flow : unsigned char { loads, stores, hands_over };
enum class Engine : unsigned char { none, registers, async, bulk };

/// What a kernel of tile_kernels.hpp has.
struct Sort {
  const char* name;
  Flow flow;
  Engine engine;
  int slots;
  int warps;
  std::array<int, 2> fillers;  ///< warps that fill tiles in turn, -1: no second one
  std::array<int, 2> users;    ///< warps that each use all tiles
};
inline constexpr std::array sorts{
    Sort{"bulk loads", Flow::loads, Engine::bulk, 2, 3, {2, -1}, {0, 1}},
    Sort{"loads through registers", Flow::loads, Engine::registers, 3, 3, {2, -1}, {0, 1}},
    Sort{"cp.async loads for one group", Flow::loads, Engine::async, 2, 3, {2, -1}, {1, -1}},
    Sort{"bulk stores of one group", Flow::stores, Engine::bulk, 2, 3, {0, -1}, {2, -1}},
    Sort{"stores of one slot, of one group", Flow::stores, Engine::registers, 1, 3, {0, -1}, {2, -1}},
    Sort{"stores of four slots, of one group", Flow::stores, Engine::registers, 4, 3, {1, -1}, {2, -1}},
    Sort{"a hand-off", Flow::hands_over, Engine::none, 2, 3, {0, -1}, {1, -1}},
    Sort{"a hand-off of one slot", Flow::hands_over, Engine::none, 1, 3, {1, -1}, {0, -1}},
    Sort{"bulk loads by two groups in turn", Flow::loads, Engine::bulk, 2, 3, {1, 2}, {0, -1}},
    Sort{"stores without DMA warps", Flow::stores, Engine::registers, 2, 1, {0, -1}, {0, -1}},
    Sort{"bulk loads without DMA warps", Flow::loads, Engine::bulk, 2, 1, {0, -1}, {0, -1}},
};

enum class TileOp : unsigned char {
  acquire,  ///< waits for the next slot, full or empty
  read,     ///< an element of a slot
  write,
  release,
  move,  ///< the engine moves the next tile
  sync_warp
};

struct TileStep {
  TileOp op;
  int back = 0;  ///< which slot: so many before the one that was acquired last
  Lanes lanes = Lanes::all;
  Element element = Element::its_own;
};
struct TileProgram {
  std::size_t sort = 0;
  std::vector<std::vector<TileStep>> steps;  ///< of each warp

  [[nodiscard]] const Sort& made_of() const { return sorts[sort]; }
};
inline constexpr int most_tiles = 8;  ///< that a warp acquires

[[nodiscard]] inline std::string text_of(const TileProgram& program) {
  constexpr std::array names{"acquire", "read", "write", "release", "move", "sync_warp"};
  constexpr std::array lanes{"", "0:", "1:", "2+:"};
  constexpr std::array elements{"[i]", "[i^1]", "[0]", "[1]"};
  std::ostringstream text;
  text << program.made_of().name << '\n';
  for (std::size_t warp = 0; warp < program.steps.size(); ++warp) {
    text << "warp " << warp << ':';
    for (const TileStep& step : program.steps[warp]) {
      text << ' ' << lanes[static_cast<std::size_t>(step.lanes)] << names[static_cast<std::size_t>(step.op)];
      if (step.op == TileOp::read || step.op == TileOp::write) {
        text << elements[static_cast<std::size_t>(step.element)];
      }
      if (step.back != 0 && step.op != TileOp::acquire && step.op != TileOp::move) {
        text << " of the tile " << step.back << " before";
      }
      text << ';';
    }
    text << '\n';
  }
  return text.str();
}

/// A tile program as barriers, copies and accesses. Slot s is block s; its mbarriers are s, full, and behind those
/// empty.
class Expanded {
 public:
  explicit Expanded(const TileProgram& tiles) : sort_(tiles.made_of()) {
    program_.warps = sort_.warps;
    program_.knows_elements = true;
    program_.steps.resize(tiles.steps.size());
    for (int slot = 0; slot < sort_.slots; ++slot) {
      put(0, {.op = Op::open, .lanes = Lanes::lane0, .barrier = slot, .count = 1});
      put(0,
          {.op = Op::open, .lanes = Lanes::lane0, .barrier = sort_.slots + slot, .count = sort_.users[1] < 0 ? 1 : 2});
    }
    put(0, {.op = Op::fence, .lanes = Lanes::lane0});
    for (int warp = 0; warp < sort_.warps; ++warp) {
      put(warp, {.op = Op::sync_cta});
      add(warp, tiles.steps[static_cast<std::size_t>(warp)]);
    }
  }

  [[nodiscard]] const Program& program() const { return program_; }
  /// Whether the oracle knows which lanes access what. It does not know which of them an engine has access an element,
  /// so a warp that moves tiles leaves them alone while it does not hold them.
  [[nodiscard]] bool is_judged() const { return is_judged_; }
  /// Whether each warp that uses tiles uses all that are filled.
  [[nodiscard]] bool agrees() const {
    return std::all_of(used_.begin(), used_.end(), [this](int tiles) { return tiles == filled_; });
  }

 private:
  void put(int warp, const Step& step) { program_.steps[static_cast<std::size_t>(warp)].push_back(step); }
  void sync_warp(int warp) { put(warp, {.op = Op::sync_warp}); }
  [[nodiscard]] bool is_one_side() const { return sort_.fillers[0] == sort_.users[0]; }
  [[nodiscard]] bool uses_slots(int warp) const { return warp == sort_.users[0] || warp == sort_.users[1]; }

  void add(int warp, const std::vector<TileStep>& steps) {
    int acquired = 0;
    int moved = 0;
    std::vector<bool> is_held;
    for (const TileStep& step : steps) {
      const int tile = acquired - 1 - step.back;
      if (step.op == TileOp::acquire && acquired < most_tiles) {
        sort_.flow == Flow::loads || (sort_.flow == Flow::hands_over && uses_slots(warp)) ? wait_full(warp, acquired)
                                                                                          : wait_empty(warp, acquired);
        ++acquired;
        is_held.push_back(true);
      } else if (step.op == TileOp::move) {
        move(warp, moved++);
      } else if (step.op == TileOp::sync_warp) {
        sync_warp(warp);
      } else if (tile >= 0 && step.op == TileOp::release) {
        release(warp, tile, is_held);
      } else if (tile >= 0 && step.op != TileOp::acquire) {
        is_judged_ = is_judged_ && (!is_one_side() || is_held[static_cast<std::size_t>(tile)]);
        put(warp, {.op = step.op == TileOp::read ? Op::read : Op::write,
                   .lanes = step.lanes,
                   .element = step.element,
                   .block = tile % sort_.slots,
                   .value = tile,
                   .is_held = is_held[static_cast<std::size_t>(tile)]});
      }
    }
    for (int tile = 0; tile < acquired; ++tile) {
      release(warp, tile, is_held);
    }
    if (uses_slots(warp)) {
      used_.push_back(sort_.flow == Flow::stores ? moved : acquired);
    }
    if (sort_.flow != Flow::loads && warp == sort_.fillers[0]) {
      filled_ += acquired;
    }
  }
  void wait_full(int warp, int tile) {
    put(warp, {.op = Op::wait, .barrier = tile % sort_.slots, .count = tile / sort_.slots % 2});
  }
  void wait_empty(int warp, int tile) {
    const int turn = tile / sort_.slots;
    if (turn > 0) {
      put(warp, {.op = Op::wait,
                 .block = tile % sort_.slots,
                 .barrier = sort_.slots + tile % sort_.slots,
                 .count = (turn + 1) % 2,
                 .turn = sort_.flow == Flow::loads ? 0 : turn});
    }
  }
  void signal(int warp, int barrier) {
    sync_warp(warp);
    put(warp, {.op = Op::arrive, .lanes = Lanes::lane0, .barrier = barrier});
  }
  void release(int warp, int tile, std::vector<bool>& is_held) {
    if (is_held[static_cast<std::size_t>(tile)]) {
      is_held[static_cast<std::size_t>(tile)] = false;
      if (sort_.engine == Engine::bulk) {
        put(warp, {.op = Op::fence});
      }
      const bool is_full = sort_.flow == Flow::stores || (sort_.flow == Flow::hands_over && !uses_slots(warp));
      signal(warp, (is_full ? 0 : sort_.slots) + tile % sort_.slots);
    }
  }
  void move(int warp, int tile) {
    const int slot = tile % sort_.slots;
    const int place = tile % global_blocks;
    if (sort_.flow == Flow::loads) {
      if (sort_.fillers[1] >= 0 && warp != sort_.fillers[static_cast<std::size_t>(tile % 2)]) {
        return;
      }
      ++filled_;
      wait_empty(warp, tile);
      if (sort_.engine == Engine::registers) {
        put(warp, {.op = Op::write, .block = slot, .value = tile});
        return signal(warp, slot);
      }
      sync_warp(warp);
      if (sort_.engine == Engine::bulk) {
        put(warp, {.op = Op::expect, .lanes = Lanes::lane0, .barrier = slot, .count = 1});
        put(warp, {.op = Op::load, .lanes = Lanes::lane0, .block = slot, .other = place, .barrier = slot});
        put(warp, {.op = Op::arrive, .lanes = Lanes::lane0, .barrier = slot});
      } else {
        put(warp, {.op = Op::copy_async, .lanes = Lanes::lane0, .block = slot, .other = place});
        put(warp, {.op = Op::arrive_when_copied, .lanes = Lanes::lane0, .barrier = slot});
      }
    } else {
      wait_full(warp, tile);
      if (sort_.engine == Engine::registers) {
        put(warp, {.op = Op::read, .block = slot});
        put(warp, {.op = Op::write, .memory = Memory::global, .block = place, .value = tile});
      } else {
        put(warp, {.op = Op::store, .lanes = Lanes::lane0, .block = slot, .other = place});
        put(warp, {.op = Op::commit, .lanes = Lanes::lane0});
        put(warp, {.op = Op::await_reads, .lanes = Lanes::lane0});
      }
      signal(warp, sort_.slots + slot);
    }
  }

  const Sort& sort_;
  Program program_;
  bool is_judged_ = true;
  int filled_ = 0;
  std::vector<int> used_;  ///< by each warp
};

}  // namespace fuzz
