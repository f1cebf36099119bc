#pragma once

/// Two ways to move tiles through shared memory, as timelines of a model: all warps load, synchronize and compute, or a
/// DMA warp loads while compute warps compute.

#include "../timelines/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace draw {

/// Steps that a tile takes. The memory needs as many whoever loads it; computing is shared out to the warps.
struct Work {
  int tiles;
  int load;
  int compute;  ///< of one warp, were it alone
  int spread;   ///< warps need up to so many steps less than one another
};

namespace paradigms {

/// What a warp of a tile is faster by than the slowest.
[[nodiscard]] inline int saved(const Work& work, int warp, int tile) { return (3 * warp + tile) % (work.spread + 1); }

/// Events of warps of one CTA, each warp's in its order.
class Recorder {
 public:
  Recorder(std::string name, int warps) : trace_{std::move(name), "steps of a model", warps} {}

  void add(int warp, int slot, const char* state, const char* role, const char* mark, int time) {
    trace_.events.push_back({0, warp, 0, slot, state, role, mark, time});
  }
  /// Until what happens at `time`.
  void wait(int warp, int slot, const char* state, const char* role, int since, int time) {
    add(warp, slot, state, role, "waits", since);
    add(warp, slot, state, role, "goes_on", time);
  }
  [[nodiscard]] const Trace& trace() const { return trace_; }

 private:
  Trace trace_;
};

}  // namespace paradigms

/// Every warp loads its part of a tile, all synchronize, every warp computes, all synchronize: one slot.
[[nodiscard]] inline Trace load_synchronize_compute(const Work& work, int warps) {
  paradigms::Recorder recorder("all warps load, synchronize, compute, synchronize", warps);
  int begin = 0;
  for (int tile = 0; tile < work.tiles; ++tile) {
    const auto loaded = [&](int warp) { return begin + work.load - paradigms::saved(work, warp, tile); };
    const int full = begin + work.load;
    const auto used = [&](int warp) { return full + work.compute / warps - paradigms::saved(work, warp, tile + 1); };
    const int empty = full + work.compute / warps;
    for (int warp = 0; warp < warps; ++warp) {
      if (tile == 0) {
        recorder.add(warp, 0, "empty", "dma", "begins", begin);
      }
      recorder.add(warp, 0, "full", "dma", "arrives", loaded(warp));
      recorder.wait(warp, 0, "full", "compute", loaded(warp), full);
      recorder.add(warp, 0, "empty", "compute", "arrives", used(warp));
      recorder.wait(warp, 0, "empty", "dma", used(warp), empty);
    }
    begin = empty;
  }
  return recorder.trace();
}

/// One warp loads tiles into two slots, the others compute on those that are full.
[[nodiscard]] inline Trace dma_warp_and_compute_warps(const Work& work, int warps) {
  constexpr int slots = 2;
  paradigms::Recorder recorder("a DMA warp loads, compute warps compute: two slots", warps);
  const int compute_warps = warps - 1;
  std::vector<int> empty(slots, 0);
  std::vector<int> now(static_cast<std::size_t>(warps), 0);  // of each warp
  int& dma = now.back();
  for (int warp = 0; warp < warps; ++warp) {
    const bool is_dma = warp == compute_warps;
    recorder.add(warp, 0, is_dma ? "empty" : "full", is_dma ? "dma" : "compute", "begins", 0);
  }
  for (int tile = 0; tile < work.tiles; ++tile) {
    const int slot = tile % slots;
    int& is_empty = empty[static_cast<std::size_t>(slot)];
    if (tile >= slots) {
      const int asked = dma;
      dma = std::max(dma, is_empty);
      recorder.wait(compute_warps, slot, "empty", "dma", asked, dma);
    }
    dma += work.load;
    recorder.add(compute_warps, slot, "full", "dma", "arrives", dma);
    for (int warp = 0; warp < compute_warps; ++warp) {
      int& at = now[static_cast<std::size_t>(warp)];
      const int asked = at;
      at = std::max(at, dma);
      recorder.wait(warp, slot, "full", "compute", asked, at);
      at += work.compute / compute_warps - paradigms::saved(work, warp, tile);
      recorder.add(warp, slot, "empty", "compute", "arrives", at);
      is_empty = std::max(is_empty, at);
    }
  }
  return recorder.trace();
}

}  // namespace draw
