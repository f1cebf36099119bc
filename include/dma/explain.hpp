#pragma once

#include <dma/completion.hpp>
#include <dma/composite_pattern.hpp>
#include <dma/config.hpp>
#include <dma/default_policies.hpp>
#include <dma/engines/piece_map.hpp>
#include <dma/run.hpp>
#include <dma/transfer_pattern.hpp>
#include <dma/warp_access.hpp>
#include <dma/warp_layout.hpp>

namespace dma {

/// How a pipeline moves its full tile, as a value: for a `static_assert`, or to print (`dma/host/print.hpp`).
///
/// Source  CudaDMA 2.0's diagnose()
struct Explanation {
  const char* engine;   ///< its name
  int access_bytes;     ///< of one access of one thread; of one bulk copy, a run
  int run_count;        ///< of the full tile
  int run_bytes;        ///< of its longest run
  int steps;            ///< accesses a DMA thread makes for a tile, or bulk copies a DMA warp asks for, at most
  int bytes_in_flight;  ///< that a CTA's DMA warps have under way when nobody makes them wait
  int stages;
  int storage_bytes;         ///< shared memory of the pipeline
  int hardware_barriers;     ///< named barriers it takes; 0 for phase barriers
  bool books_all_barriers;   ///< their numbers reach the instruction in a register: an SM then holds 4 CTAs at most
  int sectors_per_request;   ///< 32-byte sectors of global memory that the worst request of a warp touches
  int fewest_sectors;        ///< that as many bytes can lie in
  int bank_conflict_degree;  ///< turns that a warp's worst access to shared memory takes; 1 is none
  const char* remedy;        ///< one sentence where it is off the fast path, empty where it is on it

  [[nodiscard]] constexpr bool is_coalesced() const noexcept { return sectors_per_request == fewest_sectors; }
  [[nodiscard]] constexpr bool is_fast() const noexcept { return remedy[0] == '\0'; }

  /// Counts what one request of a warp costs.
  constexpr void add(const WarpAccess& access) noexcept {
    add_sectors(access.sectors(), access.fewest_sectors());
    const int degree = access.bank_conflict_degree();
    bank_conflict_degree = degree > bank_conflict_degree ? degree : bank_conflict_degree;
  }
  constexpr void add_sectors(int touched, int fewest) noexcept {
    if (fewest_sectors == 0 || touched - fewest > sectors_per_request - fewest_sectors) {
      sectors_per_request = touched;
      fewest_sectors = fewest;
    }
  }
};

/// Bulk copies: one request a run, by the copy engine, to whose writes banks are no obstacle.
template <int Warps, class Pattern>
constexpr void explain_bulk_copies(const Pattern& pattern, Explanation& result) {
  result.steps += (pattern.run_count() + Warps - 1) / Warps;
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    const long long first = run.global >= 0 ? run.global / 32 : (run.global - 31) / 32;
    const long long last = (run.global + run.bytes - 1 + (1LL << 40)) / 32 - (1LL << 35);
    result.add_sectors(static_cast<int>(last - first + 1), (run.bytes + 31) / 32);
  }
}

/// Accesses of threads: every one of the first warp of a group.
template <int Width, int Threads, class Pattern>
constexpr void explain_accesses(const Pattern& pattern, Explanation& result) {
  const auto add_step = [&](int first_run, int pieces, int pieces_per_run, int step) {
    WarpAccess access;
    for (int lane = 0; lane < warp_size; ++lane) {
      if (const int piece = step * Threads + lane; piece < pieces) {
        const Run run = pattern.run_at(first_run + piece / pieces_per_run);
        const int offset = piece % pieces_per_run * Width;
        access.add({run.global + offset, run.shared + offset, Width});
      }
    }
    result.add(access);
  };
  if constexpr (UniformPattern<Pattern>) {
    using Map = PieceMap<Pattern::max_run_count, Pattern::max_run_bytes, Width, Threads>;
    result.steps += Map::steps;
    for (int step = 0; step < Map::steps; ++step) {
      add_step(0, Map::pieces, Map::pieces_per_run, step);
    }
  } else {
    for (int run = 0; run < pattern.run_count(); ++run) {
      const int pieces = pattern.run_at(run).bytes / Width;
      const int steps = (pieces + Threads - 1) / Threads;
      result.steps += steps;
      for (int step = 0; step < steps; ++step) {
        add_step(run, pieces, pieces, step);
      }
    }
  }
}

/// Explains a pipeline. Where pitches or positions are run-time values, `pattern` has typical ones.
///
/// Constexpr, on a host: every access of the first warp of a DMA group is listed, so the cost is that of the mapping.
template <class Pipeline>
[[nodiscard]] constexpr Explanation explain(const typename Pipeline::Pattern& pattern = {}) {
  using Pattern = typename Pipeline::Pattern;
  using Engine = typename Pipeline::Engine;
  constexpr bool is_bulk =
      Pipeline::completion == Completion::transaction || Pipeline::completion == Completion::bulk_group;
  constexpr int width = Pattern::run_alignment < 16 ? Pattern::run_alignment : 16;

  Explanation result{};
  result.engine = Engine::name;
  result.access_bytes = is_bulk ? Pattern::max_run_bytes : width;
  result.run_count = Pattern::max_run_count;
  result.run_bytes = Pattern::max_run_bytes;
  result.stages = Pipeline::stages;
  result.storage_bytes = static_cast<int>(sizeof(typename Pipeline::Storage));
  result.hardware_barriers = Pipeline::barrier_ids;
  result.books_all_barriers = Pipeline::barrier_ids > 0 && Pipeline::stages > Pipeline::groups;
  result.bank_conflict_degree = 1;
  for_each_part(pattern, [&](const auto& part, int, auto) {
    if constexpr (is_bulk) {
      explain_bulk_copies<Pipeline::group_threads / warp_size>(part, result);
    } else {
      explain_accesses<width, Pipeline::group_threads>(part, result);
    }
  });

  int tile_bytes = 0;
  for (int i = 0; i < pattern.run_count(); ++i) {
    tile_bytes += pattern.run_at(i).bytes;
  }
  if constexpr (Pipeline::completion == Completion::stores) {
    int held = Pipeline::group_threads * width;
    if constexpr (requires { Engine::loads_in_flight; }) {
      held *= result.steps < Engine::loads_in_flight ? result.steps : Engine::loads_in_flight;
    }
    result.bytes_in_flight = Pipeline::groups * (held < tile_bytes ? held : tile_bytes);
  } else {
    result.bytes_in_flight = tile_bytes * (Pipeline::tracks_copies ? Pipeline::stages : Pipeline::groups);
  }

  result.remedy = !result.is_coalesced()
                      ? "a warp's request touches more sectors than its bytes need: make runs multiples of "
                        "32 bytes and start them on 32"
                  : result.bank_conflict_degree > 1
                      ? "lanes of a warp meet in a bank of shared memory: give RowLayout another pitch_bytes or a "
                        "swizzle"
                  : !is_bulk && width < 16 && Pattern::max_run_bytes >= 16
                      ? "accesses are narrower than 16 bytes: align addresses, pitches and run lengths to 16"
                      : "";
  return result;
}

/// Whether an engine takes a pattern: those that say nothing take any.
template <class Engine, class Pattern>
inline constexpr bool engine_can_move = true;
template <class Engine, class Pattern>
  requires requires { Engine::template can_move<Pattern>; }
inline constexpr bool engine_can_move<Engine, Pattern> = Engine::template can_move<Pattern>;

/// A pipeline that `Engine` moves, or a compile error that says why it is moved by another: for a pipeline that is to
/// stay on its fast path, whatever becomes of its pattern.
///
///     using Pipe = dma::require_engine<dma::BulkCopy<>, dma::DmaPipeline<Tile, dma::MultiBuffer<Warps>>>;
template <class Engine, class Pipeline>
struct RequiredEngine {
  using Pattern = typename Pipeline::Pattern;

  static constexpr bool can_move = engine_can_move<Engine, Pattern>;
  static constexpr bool holds = stdlib::is_same_v<typename Pipeline::Engine, Engine>;

  static_assert(can_move,
                "dma::require_engine: this engine cannot move the pattern, whose run_alignment is below what it needs "
                "(16 bytes for bulk copies, 4 for cp.async); align addresses, pitches and run lengths");
  static_assert(!can_move || holds || Pipeline::tracks(Engine::completion),
                "dma::require_engine: this pipeline's barrier does not hear when copies of the required engine are "
                "done; use dma::CudaBarrier");
  static_assert(!can_move || holds || !Pipeline::tracks(Engine::completion),
                "dma::require_engine: this pipeline is moved by another engine, because it names that, because the "
                "pattern's runs are shorter than dma::shortest_bulk_run_bytes, or because the architecture is older; "
                "name the required engine as DmaPipeline's fourth argument");
  using Type = Pipeline;
};
template <class Engine, class Pipeline>
using require_engine = typename RequiredEngine<Engine, Pipeline>::Type;

}  // namespace dma
