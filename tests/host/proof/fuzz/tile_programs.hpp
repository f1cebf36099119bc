#pragma once

#include "host/proof/fuzz/random.hpp"
#include "host/proof/fuzz/tiles.hpp"

#include <cstddef>
#include <vector>

namespace fuzz {

/// Makes a tile program as a right kernel has it: with a release that follows the next wait, or an exchange of
/// elements.
class TileProgramMaker {
 public:
  explicit TileProgramMaker(Random& random) : random_(random) {
    program_.sort = static_cast<std::size_t>(random.below(static_cast<int>(sorts.size())));
    const Sort& sort = program_.made_of();
    program_.steps.resize(static_cast<std::size_t>(sort.warps));
    const int tiles = 1 + random.below(sort.warps == 1 ? 5 : 4);
    const bool is_one_side = sort.fillers[0] == sort.users[0];
    for (int tile = 0; tile < tiles; ++tile) {
      if (is_one_side) {
        go_round(sort);
      } else {
        go_on(sort, tile == tiles - 1);
      }
    }
  }

  [[nodiscard]] const TileProgram& program() const { return program_; }

 private:
  void put(int warp, const TileStep& step) {
    if (warp >= 0) {
      program_.steps[static_cast<std::size_t>(warp)].push_back(step);
    }
  }
  void go_on(const Sort& sort, bool is_last) {
    for (const int warp : sort.fillers) {
      sort.flow == Flow::loads ? put(warp, {.op = TileOp::move}) : fill(warp);
    }
    for (const int warp : sort.users) {
      sort.flow == Flow::stores ? put(warp, {.op = TileOp::move}) : use(warp, sort, is_last);
    }
  }
  /// A warp that does both.
  void go_round(const Sort& sort) {
    if (sort.flow == Flow::loads) {
      put(0, {.op = TileOp::move});
      use(0, sort, true);
    } else {
      fill(0);
      put(0, {.op = TileOp::move});
    }
  }
  void fill(int warp) {
    if (warp < 0) {
      return;
    }
    put(warp, {.op = TileOp::acquire});
    if (random_.one_in(2)) {
      put(warp, {.op = TileOp::write});
    } else {
      for (const Lanes lanes : {Lanes::lane0, Lanes::lane1, Lanes::others}) {
        put(warp, {.op = TileOp::write, .lanes = lanes});
      }
    }
    if (random_.one_in(4)) {
      put(warp, {.op = TileOp::sync_warp});
      put(warp, {.op = TileOp::read, .element = Element::its_neighbours});
    }
    put(warp, {.op = TileOp::release});
  }
  void use(int warp, const Sort& sort, bool is_last) {
    if (warp < 0) {
      return;
    }
    put(warp, {.op = TileOp::acquire});
    put(warp,
        {.op = TileOp::read, .element = random_.one_of(Element::its_own, Element::its_neighbours, Element::first)});
    if (sort.users[1] < 0 && random_.one_in(4)) {
      put(warp, {.op = TileOp::sync_warp});
      put(warp, {.op = TileOp::write});
    }
    // Some release a slot when they have acquired the next, all of them at last.
    if (is_last || sort.slots == 1 || !random_.one_in(3)) {
      put(warp, {.op = TileOp::release});
    }
    if (random_.one_in(2)) {
      put(warp, {.op = TileOp::release, .back = 1});
    }
  }

  Random& random_;
  TileProgram program_;
};

}  // namespace fuzz
