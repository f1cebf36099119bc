#pragma once

#include "host/proof/small_programs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Small programs at random: correct pipelines with a few faults in them, and lists of anything at all.
namespace small {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 0x2545f4914f6cdd1dULL) {}
  /// 0 to `bound` - 1.
  int below(int bound) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<int>((state_ >> 11U) % static_cast<std::uint64_t>(bound));
  }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// Who fills cell s of a pipeline and how, for `tiles` tiles over `stages` cells.
struct PipelineShape {
  int stages;
  int tiles;
  int users;
  bool is_named;
  int engine;               ///< 0: stores, 1: cp.async, 2: bulk loads, 3: bulk stores, by a DMA agent that comes last
  bool opens = false;       ///< the DMA agent opens the phase barriers
  bool dma_fences = false;  ///< the DMA agent fences, behind its wait, what the users have accessed
  bool is_tensor = false;   ///< of loads: the users' tensor cores read, and they release a cell one tile later
};

inline Program pipeline(const PipelineShape& shape) {
  std::vector<List> agents(static_cast<std::size_t>(shape.users) + 1);
  List& dma = agents.back();
  const int count = shape.users + 1;
  const bool is_store = shape.engine == 3;
  const bool ties = shape.engine == 1 && !shape.is_named;
  const auto full = [&](int s) { return 2 * s; };
  const auto empty = [&](int s) { return 2 * s + 1; };
  for (int tile = 0; tile < shape.tiles; ++tile) {
    const int s = tile % shape.stages;
    const int round = tile / shape.stages;
    const int cell = s + 1;
    // The side that fills waits for empty, from the second round on.
    const auto wait_empty = [&](List& list) {
      if (round > 0) {
        list.push_back(shape.is_named ? sync(empty(s), count) : wait(empty(s), (round + 1) % 2));
      }
    };
    const auto wait_full = [&](List& list) {
      list.push_back(shape.is_named ? sync(full(s), count) : wait(full(s), round % 2));
    };
    const auto give = [&](List& list, int barrier, int bytes = 0) {
      list.push_back(shape.is_named ? arrive(barrier, count) : phase_arrive(barrier, bytes));
    };
    if (is_store) {
      for (int user = 0; user < shape.users; ++user) {
        List& list = agents[static_cast<std::size_t>(user)];
        wait_empty(list);
        if (user == 0) {
          list.push_back(write(cell));
        }
        if (!shape.dma_fences) {
          list.push_back(fence());
        }
        give(list, full(s));
      }
      wait_full(dma);
      if (shape.dma_fences) {
        dma.push_back(fence());
      }
      dma.insert(dma.end(), {bulk_store(cell), commit(), await_group_reads(0)});
      give(dma, empty(s));
    } else {
      wait_empty(dma);
      if (shape.dma_fences) {
        dma.push_back(fence());
      }
      if (shape.engine == 0) {
        dma.push_back(write(cell));
      } else if (shape.engine == 1) {
        dma.push_back(copy_async(cell));
        dma.push_back(ties ? arrive_when_copied(full(s)) : await_async());
      } else {
        dma.push_back(bulk_load(full(s), 16, cell));
      }
      give(dma, full(s), shape.engine == 2 ? 16 : 0);
      for (int user = 0; user < shape.users; ++user) {
        List& list = agents[static_cast<std::size_t>(user)];
        wait_full(list);
        if (shape.is_tensor) {
          if (shape.engine != 2) {
            list.push_back(fence());
          }
          list.insert(list.end(), {read_async(cell), commit_reads(), await_reads(1)});
          // With one cell nothing can be read while the next is loaded.
          if (shape.stages == 1) {
            list.push_back(await_reads(0));
            give(list, empty(s));
          } else {
            if (tile > 0) {
              give(list, empty((tile - 1) % shape.stages));
            }
            if (tile + 1 == shape.tiles) {
              list.push_back(await_reads(0));
              give(list, empty(s));
            }
          }
          continue;
        }
        list.push_back(read(cell));
        if (shape.engine == 2 && !shape.dma_fences) {
          list.push_back(fence());
        }
        give(list, empty(s));
      }
    }
  }
  // Named barriers need a drain: the side that fills waits for the last generation of each cell that it has filled.
  if (shape.is_named) {
    for (int s = 0; s < std::min(shape.stages, shape.tiles); ++s) {
      if (is_store) {
        for (int user = 0; user < shape.users; ++user) {
          agents[static_cast<std::size_t>(user)].push_back(sync(empty(s), count));
        }
      } else {
        dma.push_back(sync(empty(s), count));
      }
    }
  }
  std::vector<int> phases;
  if (!shape.is_named) {
    for (int s = 0; s < shape.stages; ++s) {
      const int fills = is_store ? shape.users : 1 + (ties ? 1 : 0);
      phases.push_back(fills);
      phases.push_back(is_store ? 1 : shape.users);
    }
  }
  int named = shape.is_named ? 2 * shape.stages : 0;
  if (shape.opens && !shape.is_named) {
    // Opened and fenced by one, before all of them meet.
    List opening;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      opening.push_back(phase_open(static_cast<int>(i), std::exchange(phases[i], 0)));
    }
    opening.push_back(fence());
    dma.insert(dma.begin(), opening.begin(), opening.end());
    for (List& list : agents) {
      list.insert(list.begin() + (&list == &dma ? static_cast<std::ptrdiff_t>(opening.size()) : 0), sync(0, count));
    }
    named = 1;
  }
  return program(std::move(agents), named, std::move(phases), shape.stages);
}

inline Operation anything(Random& random, const Program& near) {
  const int named = near.named_barriers;
  const int phases = static_cast<int>(near.phase_barriers.size());
  const int cell = 1 + random.below(near.cells);
  // What a bulk copy moves to or from, where the program has one more cell, as global memory.
  const auto other_cell = [&] { return near.cells > 1 && random.one_in(2) ? 1 + cell % near.cells : 0; };
  for (;;) {
    switch (random.below(18)) {
      case 0:
      case 1:
        return read(cell);
      case 2:
        return write(cell);
      case 3:
        return fence();
      case 4:
      case 5:
        if (named > 0) {
          return sync(random.below(named), 1 + random.below(3));
        }
        break;
      case 6:
        if (named > 0) {
          return arrive(random.below(named), 1 + random.below(3));
        }
        break;
      case 7:
      case 8:
        if (phases > 0) {
          return random.one_in(6)   ? phase_drop(random.below(phases))
                 : random.one_in(6) ? phase_arrive_never_last(random.below(phases))
                                    : phase_arrive(random.below(phases), random.one_in(4) ? 16 : 0);
        }
        break;
      case 9:
      case 10:
        if (phases > 0) {
          return wait(random.below(phases), random.below(2));
        }
        break;
      case 11:
        if (phases > 0) {
          return random.one_in(3) ? expect(random.below(phases), random.one_in(2) ? 16 : -16)
                                  : bulk_load(random.below(phases), 16, cell, other_cell());
        }
        break;
      case 12:
        return random.one_in(2)   ? copy_async(cell)
               : random.one_in(2) ? await_async()
               : random.one_in(2) ? commit_async()
                                  : await_async_groups(random.below(2));
      case 13:
        if (phases > 0) {
          return arrive_when_copied(random.below(phases));
        }
        break;
      case 14:
        return random.one_in(2) ? bulk_store(cell, other_cell()) : commit();
      case 15:
        return random.one_in(2) ? await_groups(random.below(2)) : await_group_reads(random.below(2));
      case 16:
        return random.one_in(3) ? read_async(cell) : random.one_in(2) ? commit_reads() : await_reads(random.below(2));
      default:
        if (phases > 0 && random.one_in(4)) {
          const int barrier = random.below(phases);
          return random.one_in(2) ? phase_open(barrier, 1 + random.below(2)) : phase_close(barrier);
        }
    }
  }
}

/// One operation is dropped, doubled, moved, changed or put in.
inline void spoil(Random& random, Program& program) {
  auto& list =
      program.agents[static_cast<std::size_t>(random.below(static_cast<int>(program.agents.size())))].operations;
  const int length = static_cast<int>(list.size());
  const auto place = [&] { return list.begin() + random.below(length); };
  const int what = random.below(6);
  if (length == 0 || what == 0) {
    list.insert(list.begin() + random.below(length + 1), anything(random, program));
  } else if (what == 1) {
    list.erase(place());
  } else if (what == 2) {
    const auto at = place();
    list.insert(at, Operation{*at});
  } else if (what == 3) {
    std::iter_swap(place(), place());
  } else if (what == 4) {
    auto& operation = *place();
    switch (operation.kind) {
      case OperationKind::sync:
      case OperationKind::arrive:
        operation.count += random.one_in(2) ? 1 : -1;
        operation.count = std::max(operation.count, 1);
        break;
      case OperationKind::wait:
        operation.count ^= 1;
        break;
      case OperationKind::fence:
        break;  // one of openings alone is of PTX, which no search judges
      case OperationKind::phase_arrive:
        operation.drops = random.one_in(6) != operation.drops;
        operation.is_never_last = random.one_in(6) != operation.is_never_last;
        [[fallthrough]];
      case OperationKind::expect:
        operation.count = operation.count == 16 ? 32 : 16;
        break;
      default:
        operation.count = 1;
    }
  } else {
    auto& operation = *place();
    const bool is_named = operation.kind == OperationKind::sync || operation.kind == OperationKind::arrive;
    const int barriers = is_named ? program.named_barriers : static_cast<int>(program.phase_barriers.size());
    if (barriers > 0) {
      operation.barrier = random.below(barriers);
    }
  }
}

/// The program of a seed.
inline Program random_program(std::uint64_t seed) {
  Random random(seed);
  if (random.one_in(3)) {
    const int named = random.below(3);
    std::vector<int> phases(static_cast<std::size_t>(named == 0 ? 1 + random.below(2) : random.below(2)));
    for (int& arrivals : phases) {
      arrivals = random.one_in(8) ? 0 : 1 + random.below(2);
    }
    Program result =
        program(std::vector<List>(static_cast<std::size_t>(2 + random.below(2))), named, phases, 1 + random.below(2));
    for (auto& agent : result.agents) {
      const int length = 1 + random.below(5);
      for (int i = 0; i < length; ++i) {
        agent.operations.push_back(anything(random, result));
      }
    }
    return result;
  }
  const bool is_named = random.one_in(2);
  int engine = random.below(4);
  if (is_named && engine == 2) {
    engine = 0;
  }
  Program result = pipeline({1 + random.below(2), random.below(4), 1 + random.below(2), is_named, engine,
                             random.one_in(4), random.one_in(3), random.one_in(3)});
  for (int faults = random.below(4); faults > 0; --faults) {
    spoil(random, result);
  }
  return result;
}

}  // namespace small
