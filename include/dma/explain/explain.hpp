#pragma once

#include <dma/config.hpp>
#include <dma/default_policies.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/threads/piece_map.hpp>
#include <dma/engines/threads/warp_runs.hpp>
#include <dma/explain/explanation.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/pipeline/pipeline_types.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// Whether an engine copies a part of a tile as one box, by its map, and not run by run.
template <class Engine, class Pattern>
concept AsksForBoxes = requires {
  typename Engine::template Array<Pattern>;
};

/// Rows of a list that one copy by a tensor map moves.
template <class Pattern>
inline constexpr int rows_of_copy = oldest_architecture >= 1000 && (!is_store<Pattern> || oldest_architecture < 1200)
                                        ? 4
                                        : 1;

/// Bulk copies: one request a run or a box, made by the copy engine. Its writes to shared memory have no bank
/// conflicts.
///
/// Returns how many there are.
template <class Engine, class Part>
DMA_HOST_DEVICE constexpr int explain_bulk_copies(const Part& part, Explanation& result) {
  int copies = 0;
  int longest = 0;
  for (int i = 0; i < part.run_count(); ++i) {
    const Run run = part.run_at(i);
    const int bytes = run.bytes - run.bytes % BulkCopy<>::alignment;
    result.add_tail(run.bytes - bytes);
    if (bytes > 0) {
      const long long sectors = sector_of(run.global + bytes - 1) - sector_of(run.global) + 1;
      result.add_sectors(static_cast<int>(sectors), (bytes + 31) / 32);
      if constexpr (AsksForBoxes<Engine, Part>) {
        copies = 1;
        longest += bytes;
      } else {
        ++copies;
        longest = bytes > longest ? bytes : longest;
      }
    }
  }
  if constexpr (AsksForBoxes<Engine, Part> && RowListPattern<Part>) {
    constexpr int rows = rows_of_copy<Part>;
    copies = Part::Tile::planes * ((part.listed_rows() + rows - 1) / rows);
    longest = rows * Part::Tile::row_bytes;
  }
  result.access_bytes = longest > result.access_bytes ? longest : result.access_bytes;
  return copies;
}

/// Accesses that a tail of so many bytes takes: one of each power of two.
[[nodiscard]] DMA_HOST_DEVICE constexpr int accesses_of_tail(int bytes) noexcept {
  int accesses = 0;
  for (; bytes != 0; bytes &= bytes - 1) {
    ++accesses;
  }
  return accesses;
}

/// Whether an engine's lanes may have a run for themselves, see `PieceMap`.
template <class Engine>
[[nodiscard]] consteval bool lanes_may_share_runs() {
  if constexpr (requires { Engine::may_share_runs; }) {
    return Engine::may_share_runs;
  } else {
    return true;
  }
}

/// Accesses of threads: lists every one of the first warp of a group. Each part of a composite has accesses of its own
/// width, from `shared_bytes` on. Those of tails are counted as steps; their sectors are also those of other accesses.
///
/// Returns the most that can be in flight together: all, where runs have one length; otherwise those of a run, or of
/// the runs that a warp moves at a time.
template <int Width, int Threads, bool may_share_runs, class Part>
DMA_HOST_DEVICE constexpr int explain_accesses(const Part& part, int shared_bytes, Explanation& result) {
  const auto add_steps = [&](int steps, const auto& piece_of_lane) {
    result.steps += steps;
    for (int step = 0; step < steps; ++step) {
      WarpAccess access;
      for (int lane = 0; lane < warp_size; ++lane) {
        if (const Run piece = piece_of_lane(step, lane); piece.bytes != 0) {
          access.add({piece.global, shared_bytes + piece.shared, piece.bytes});
        }
      }
      result.add(access);
    }
  };
  if constexpr (UniformPattern<Part>) {
    using Map = PieceMap<Part::max_run_count, Part::max_run_bytes, Width, Threads, may_share_runs>;
    result.add_tail(Map::tail_bytes);
    result.steps += Map::tail_steps * accesses_of_tail(Map::tail_bytes);
    add_steps(Map::steps, [&](int step, int lane) {
      if (!Map::has_piece(lane, step)) {
        return Run{};
      }
      const Piece piece = Map::at(lane, step);
      const Run run = part.run_at(piece.run);
      return Run{run.global + piece.offset, run.shared + piece.offset, Width};
    });
    return Map::pieces;
  } else {
    // A few lanes of a warp move a run where its length is read from memory, otherwise the whole group.
    constexpr int lanes = ReadsRunLengths<Part> ? lanes_of_run(Part::max_run_bytes / Width) : Threads;
    constexpr int at_once = ReadsRunLengths<Part> ? warp_size / lanes : 1;
    constexpr int stride = ReadsRunLengths<Part> ? Threads / warp_size : 1;
    int most = 0;
    for (int first = 0; first < part.run_count(); first += at_once * stride) {
      int longest = 0;
      int pieces = 0;
      int of_tails = 0;
      for (int run = first; run < part.run_count() && run < first + at_once * stride; run += stride) {
        const int bytes = part.run_at(run).bytes;
        const int accesses = accesses_of_tail(bytes % Width);
        result.add_tail(bytes % Width);
        of_tails = accesses > of_tails ? accesses : of_tails;
        pieces += bytes / Width;
        longest = bytes / Width > longest ? bytes / Width : longest;
      }
      result.steps += of_tails;
      add_steps((longest + lanes - 1) / lanes, [&](int step, int lane) {
        const int run = first + lane / lanes * stride;
        const int offset = (step * lanes + lane % lanes) * Width;
        if (run >= part.run_count() || offset + Width > part.run_at(run).bytes) {
          return Run{};
        }
        return Run{part.run_at(run).global + offset, part.run_at(run).shared + offset, Width};
      });
      most = pieces > most ? pieces : most;
    }
    return most;
  }
}

/// Bytes that a full tile moves.
template <class Pattern>
DMA_HOST_DEVICE constexpr int moved_bytes(const Pattern& pattern) {
  int bytes = 0;
  for_each_part(pattern, [&](const auto& part, int, auto) {
    using Part = stdlib::remove_cvref_t<decltype(part)>;
    if constexpr (UniformPattern<Part>) {
      bytes += part.run_count() * Part::max_run_bytes;
    } else {
      for (int i = 0; i < part.run_count(); ++i) {
        bytes += part.run_at(i).bytes;
      }
    }
  });
  return bytes;
}

/// Accesses that a thread issues before it waits for the first of them, where copies are ordinary ones.
template <class Engine, class Part, int Width, int Threads>
inline constexpr int accesses_in_flight = [] {
  if constexpr (UniformPattern<Part>) {
    using Map = PieceMap<Part::max_run_count, Part::max_run_bytes, Width, Threads, lanes_may_share_runs<Engine>()>;
    return Map::steps_together(engine_traits<Engine>.loads_in_flight);
  } else {
    return engine_traits<Engine>.short_tile_loads;
  }
}();

/// Whether a pipeline's tiles move by the pattern's own transfer.
template <class Pipeline>
inline constexpr bool uses_custom_transfer = PipelineFacts<Pipeline>::completion == Completion::sync &&
                                             (Pipeline::is_store ? HasCustomStore<typename Pipeline::Pattern>
                                                                 : HasCustomLoad<typename Pipeline::Pattern>);

/// What follows from a pipeline's policies, whatever its pattern's values are.
template <class Pipeline>
[[nodiscard]] DMA_HOST_DEVICE constexpr Explanation explain_policies() {
  using Pattern = typename Pipeline::Pattern;
  using Facts = PipelineFacts<Pipeline>;
  Explanation result{};
  result.measured_on = Facts::thresholds.measured_on;
  result.engine = engine_traits<typename Pipeline::Engine>.name;
  result.run_count = Pattern::max_run_count;
  result.run_bytes = Pattern::max_run_bytes;
  result.stages = Pipeline::stages;
  // Warps of both roles have to wait for copies of their own, unless these complete at a barrier or in a bulk group.
  constexpr bool has_moving_slots = Pipeline::Layout::is_specialized || Facts::completion == Completion::bulk_group ||
                                    (Facts::completion != Completion::sync && Facts::copies_are_asynchronous);
  result.overlaps_compute = (Pipeline::stages > 1 && has_moving_slots) || Facts::tiles_read_ahead > 1;
  result.storage_bytes = static_cast<int>(sizeof(typename Pipeline::Storage));
  result.hardware_barriers = Pipeline::barrier_ids;
  result.reserved_barriers = Pipeline::reserved_barriers;
  using Layout = typename Pipeline::Layout;
  constexpr int budget = Layout::role_registers(Facts::Users::group);
  constexpr auto nameable = [](int registers) { return registers < 255 ? registers : 255; };  // by an instruction
  result.launch_registers = nameable(Layout::launch_registers);
  result.compute_registers = nameable(Layout::has_register_budgets ? budget : Layout::launch_registers);
  result.registers_alone = nameable(registers_at_launch(Layout::compute_warps));
  result.idle_warps = Layout::idle_warps;
  result.bank_conflict_degree = 1;
  return result;
}

}  // namespace detail

/// Explains a pipeline. Where pitches or positions are run-time values, `pattern` has typical ones. Offsets count from
/// a global address that is a multiple of 32.
///
/// Neither a pattern's own transfer nor the accesses of an engine without `widest_access` in its traits can be listed.
/// The fields that describe them are then 0, and the remedy says so. Constexpr: it lists every access of the first warp
/// of a DMA group, so the cost is that of the mapping.
///
/// @pre pattern.is_full()
template <class Pipeline>
[[nodiscard]] DMA_HOST_DEVICE constexpr Explanation explain(const typename Pipeline::Pattern& pattern = {}) {
  using Pattern = typename Pipeline::Pattern;
  using Engine = typename Pipeline::Engine;
  using Facts = detail::PipelineFacts<Pipeline>;
  constexpr int threads = Facts::moving_threads;
  constexpr bool is_bulk =
      Facts::completion == Completion::mbarrier_complete_tx || Facts::completion == Completion::bulk_group;
  constexpr bool is_by_box = detail::AsksForBoxes<Engine, Pattern>;
  constexpr int warps = threads / warp_size;
  constexpr bool is_brought = detail::uses_custom_transfer<Pipeline>;
  constexpr int widest = detail::engine_traits<Engine>.widest_access;

  constexpr Thresholds by = Facts::thresholds;

  Explanation result = detail::explain_policies<Pipeline>();
  int held = 0;
  int boxes = 0;
  bool is_narrow = false;
  bool is_narrowed = false;
  bool is_lone = false;
  for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
    using Part = stdlib::remove_cvref_t<decltype(part)>;
    constexpr int width = Part::run_alignment < widest ? Part::run_alignment : widest;
    result.reads_run_lengths = result.reads_run_lengths || detail::ReadsRunLengths<Part>;
    if constexpr (is_bulk) {
      const int copies = detail::explain_bulk_copies<Engine>(part, result);
      if constexpr (is_by_box && !detail::RowListPattern<Part>) {
        boxes += copies;
      } else {
        result.steps += is_by_box ? copies : (copies + warps - 1) / warps;  // rows of a list are copied by one warp
      }
    } else if constexpr (!is_brought && widest > 0) {
      const int accesses =
          detail::explain_accesses<width, threads, detail::lanes_may_share_runs<Engine>()>(part, shared_bytes, result);
      constexpr int round = threads * detail::accesses_in_flight<Engine, Part, width, threads>;
      const int bytes = (accesses < round ? accesses : round) * width;
      held = bytes > held ? bytes : held;
      is_lone = is_lone || (!UniformPattern<Part> && !detail::ReadsRunLengths<Part> && Part::max_run_count > 1 &&
                            4 * Part::max_run_bytes < threads * width);
      is_narrow = is_narrow || (Part::run_alignment < 16 && Part::max_run_bytes >= 16);
      is_narrowed = is_narrowed || (widest < 16 && widest < Part::run_alignment);
      result.access_bytes = result.access_bytes == 0 || width < result.access_bytes ? width : result.access_bytes;
    }
  });
  result.steps += (boxes + warps - 1) / warps;
  if constexpr (Facts::completion == Completion::sync) {
    result.bytes_in_flight = Pipeline::warp_sets * Facts::tiles_read_ahead * held;
  } else {
    result.bytes_in_flight = detail::moved_bytes(pattern) * Facts::tiles_in_flight;
  }

  result.remedy =
      is_brought ? "the pattern moves by a transfer of its own, whose accesses are not listed: measure it beside "
                   "the same runs without it"
      : !is_bulk && widest == 0
          ? "the engine does not declare how wide its accesses are (EngineTraits::widest_access), so they are not "
            "listed: measure it beside dma::RegisterCopy"
      : !result.is_coalesced()
          ? "a warp's request touches more sectors than its bytes need: make runs multiples of 32 bytes and "
            "start them on 32"
      : result.bank_conflict_degree > 1 ? "lanes of a warp have bank conflicts in shared memory: give RowLayout "
                                          "another pitch_bytes or a swizzle, or take elements of 4 bytes"
      : is_bulk && !is_by_box && !detail::is_faster_in_bulk<Pattern>(by)
          ? "runs are so short that issuing each bulk copy takes longer than the copy: leave the engine to "
            "dma::DefaultEngine, or make runs dma::Thresholds::shortest_bulk_load_run bytes long"
      : is_lone
          ? "the DMA threads take one run at a time, too short for a quarter of them: say that all have one length "
            "(PatternTraits::runs_are_uniform), or make them longer"
      : is_narrowed ? "the engine's accesses are narrower than the pattern's alignment allows: give it wider ones, or "
                      "use dma::RegisterCopy"
      : is_narrow   ? "accesses are narrower than 16 bytes: align addresses and pitches to 16 and declare it "
                      "(RowLayout::alignment); runs may end anywhere"
                    : "";
  return result;
}

namespace detail {

/// A pipeline that `Engine` moves, or a compile error that says why another engine moves it. For a pipeline that has to
/// stay on its fast path when its pattern changes.
///
///     using Pipe = dma::require_engine<dma::BulkCopy<>, dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 4>>>;
template <class Engine, class Pipeline>
struct RequiredEngine {
  using Pattern = typename Pipeline::Pattern;

  static constexpr bool can_move = engine_can_move<Engine, Pattern>;
  static constexpr bool holds = stdlib::is_same_v<typename Pipeline::Engine, Engine>;
  /// The barrier has to track the completion of loads; that of stores the DMA warps wait for themselves.
  static constexpr bool suits_barrier =
      Pipeline::is_store ? PipelineFacts<Pipeline>::supports(completion_of<Engine, Pattern>())
                         : PipelineFacts<Pipeline>::completes_asynchronously(completion_of<Engine, Pattern>());

  static_assert(
      can_move,
      "dma::require_engine: this engine cannot move the pattern: bulk copies need a run_alignment of 16 bytes, "
      "cp.async of 4, tensor maps a box of the shapes that dma::TensorCopy names; align addresses, pitches "
      "and run lengths");
  static_assert(!can_move || holds || suits_barrier,
                "dma::require_engine: this pipeline's barrier does not track the completion of the required engine's "
                "copies; use dma::CudaBarrier");
  static_assert(
      !can_move || holds || !suits_barrier,
      "dma::require_engine: this pipeline is moved by another engine, because it names that, or because "
      "dma::DefaultEngine prefers it for these runs, this direction, this architecture or this number of stages; "
      "name the required engine as DmaPipeline's fourth argument");
  using Type = Pipeline;
};

}  // namespace detail

/// The pipeline, where this engine moves its tiles; an error at compile time otherwise.
template <class Engine, class Pipeline>
using require_engine = typename detail::RequiredEngine<Engine, Pipeline>::Type;

}  // namespace dma::inline v0_1
