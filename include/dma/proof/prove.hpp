#pragma once

#include <dma/host/launch.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/judge_grid.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/replay.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace dma::inline v0_1::proof {

namespace detail {

/// What `prove` and `explore` have in common: a kernel body with its arguments, recorded and judged.
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict judge_kernel(const Options& options, Judge judge, const Kernel& kernel, Index3 grid,
                                   Args&... args) {
  dma::detail::check_body<Kernel>();
  dma::detail::check_arguments<Kernel>(args...);
  return judge_grid(options, judge, grid, host::detail::cta_body(kernel, args...));
}

}  // namespace detail

/// Proves that a kernel body is correct for every schedule. It finds
///
/// - deadlocks;
/// - races on tiles, and bytes of them that were never written;
/// - barriers that are reused too early;
/// - accesses to a tile that a copy still moves;
/// - missing proxy fences;
/// - lanes that come apart to an instruction of the whole warp;
/// - accesses outside of `Shared`, and of the arrays where they are named: `Options::inputs` and `outputs`, and
///   arguments that are spans;
/// - arrivals, bytes or copies that are pending at exit.
///
/// Runs the kernel as `launch` does, and judges the operations of each CTA's threads by happens-before, with a vector
/// clock for each thread; of a kernel with clusters, those of all CTAs of a cluster together. In a program that sees
/// every access (`dma_see_every_access`) the kernel's own shared memory and global memory are judged like tiles. In
/// others only tiles are, and `Options::outputs` compares global memory over the runs; the verdict says which it
/// rests on. A kernel whose operations depend on the schedule is refused.
///
/// Of a kernel with few atomics of its own (128 in all), in a program that sees every access, all CTAs run together,
/// and each execution that the memory model of PTX allows, but for load buffering, is judged once: `Verdict::claim`.
///
/// Returns the proof or the first fault; an exception that the kernel throws is a fault too.
///
/// @throw KernelError  for an empty grid, one that is not whole clusters, or a proof without seeds
/// @throw  what the body's `expects` throws
///
/// Cost    a few runs of `launch`: `Options::seeds`, and what recording adds
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict prove(const Options& options, const Kernel& kernel, Index3 grid, Args... args) {
  return detail::judge_kernel(options, detail::Judge::clocks, kernel, grid, args...);
}
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict prove(const Kernel& kernel, Index3 grid, Args... args) {
  return prove(Options{}, kernel, grid, args...);
}

namespace detail {

/// Adds a proof to others; one that failed says for which case. Some of them may have nothing to do, as with 0 tiles.
///
/// @param name  `std::string()`: of the case
template <class Name>
void add_verdict(Verdict& all, Verdict next, const Name& name) {
  next.operations += all.operations;
  next.states += all.states;
  next.runs += all.runs;
  next.executions += all.executions;
  next.seconds += all.seconds;
  if (next.kind == FindingKind::nothing_done) {
    next.kind = FindingKind::none;
    next.message.clear();
  }
  next.did_something = next.did_something || all.did_something;
  next.not_judged.merge(all.not_judged);
  if (next.reservation.empty()) {
    next.reservation = all.reservation;
  }
  all = std::move(next);
  if (!all.is_proved()) {
    all.message = name() + ": " + all.message;
  }
}

}  // namespace detail

/// One of several grids that a proof judges together: a kernel body, its grid and its arguments.
template <KernelBody Kernel, class... Args>
class Grid {
 public:
  Grid(const Kernel& kernel, Index3 grid, Args... args) : kernel_(kernel), grid_(grid), args_(std::move(args)...) {}

  /// @pre This object exists as long as the body.
  [[nodiscard]] detail::GridBody body() {
    return std::apply(
        [this](Args&... args) {
          dma::detail::check_body<Kernel>();
          dma::detail::check_arguments<Kernel>(args...);
          return detail::GridBody{host::detail::cta_body(kernel_, args...), grid_};
        },
        args_);
  }

 private:
  Kernel kernel_;
  Index3 grid_;
  std::tuple<Args...> args_;
};
template <class Kernel, class... Args>
Grid(const Kernel&, Index3, Args...) -> Grid<Kernel, Args...>;

/// The same of several grids, in the order of one stream: each finds the memory that those before it left.
///
///     prove(Options{}, Grid(Write{}, {4}, y), Grid(Read{}, {4}, y, z))
///
/// A body with `programmatic_launch` may begin while the grids before it run. What its threads access before they know
/// of a `grid_dependency_wait` conflicts with what these access: a race between grids. What no grid before it writes
/// may be read before the wait. That a grid before has triggered orders nothing, and one of which no thread waits may
/// end before those ahead of it. The first grid is taken to find those before it complete. In a program that does not
/// see every access, a body may use no global memory before the wait.
///
/// @throw  what `prove` of one kernel throws
///
/// Cost    that of each, and one launch
///
/// Source  PTX ISA, griddepcontrol
template <class... First, class... Second, class... More>
[[nodiscard]] Verdict prove(const Options& options, Grid<First...> first, Grid<Second...> second, More... more) {
  Verdict all;
  int number = 0;
  for (Verdict& verdict : detail::judge_grids(options, {first.body(), second.body(), more.body()...})) {
    ++number;
    detail::add_verdict(all, std::move(verdict), [&] { return "grid " + std::to_string(number); });
  }
  return all;
}

/// The same by a search of every schedule of each CTA's warps: for small kernels, and for the shortest schedule that
/// fails. Refuses a kernel that the search cannot finish within `Options::limits`, and kernels with clusters.
///
/// Cost    about 2 microseconds a state; thousands of states for a few warps and tiles, millions for many stages
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict explore(const Options& options, const Kernel& kernel, Index3 grid, Args... args) {
  return detail::judge_kernel(options, detail::Judge::search, kernel, grid, args...);
}
template <KernelBody Kernel, class... Args>
[[nodiscard]] Verdict explore(const Kernel& kernel, Index3 grid, Args... args) {
  return explore(Options{}, kernel, grid, args...);
}

namespace detail {

/// Refuses a proof over too few tiles: a pipeline that moves more of them the more there are needs three rounds of its
/// slots and one tile more, and one at least moves more. A kernel without pipelines, of PTX for example, is not
/// refused.
inline void expect_enough_tiles(Verdict& most, const Verdict& fewest) {
  bool any_moves_more = false;
  for (const RingUse& ring : most.rings) {
    const auto before = std::find_if(fewest.rings.begin(), fewest.rings.end(),
                                     [&](const RingUse& other) { return other.key() == ring.key(); });
    const bool moves_more = ring.tiles > (before == fewest.rings.end() ? 0 : before->tiles);
    any_moves_more = any_moves_more || moves_more;
    if (most.is_proved() && moves_more && ring.tiles <= 3 * ring.stages) {
      most.kind = FindingKind::few_tiles;
      most.message = "nothing was found, but a pipeline of " + std::to_string(ring.stages) + " slots moved " +
                     std::to_string(ring.tiles) + " tiles at most, and a proof of any number needs " +
                     std::to_string(3 * ring.stages + 1) +
                     "; name it in dma::proof::for_all_trips<...>, or choose a larger problem for each number, as many "
                     "times larger as the grid has CTAs, which divide the tiles: " +
                     ring.pipeline;
    }
  }
  if (most.is_proved() && !most.rings.empty() && !any_moves_more) {
    most.kind = FindingKind::few_tiles;
    most.message =
        "nothing was found, but no pipeline moved more tiles the more there were; let the kernel take as many as the "
        "function is called with, or prove a kernel of one size by prove()";
  }
}

}  // namespace detail

/// Calls `judge(tiles)` with 0 tiles up to three rounds of the slots of the pipeline that has most, and one tile more;
/// more tiles repeat what these do. Returns the first verdict that is not a proof, or all of them together. It is no
/// proof where a pipeline of the kernel moved fewer tiles than that, unless it moves the same for each number, and
/// where all do.
///
///     dma::proof::for_all_trips<Pipe>([&](int tiles) { return dma::proof::prove(MyKernel{}, {1}, x, y, tiles); })
///
/// Cost    `3 * stages + 2` proofs, of the pipeline that has most stages
template <class... Pipes, class Judge>
[[nodiscard]] Verdict for_all_trips(const Judge& judge) {
  static_assert(sizeof...(Pipes) > 0, "dma::proof::for_all_trips: it needs the kernel's pipelines; name them");
  Verdict all;
  Verdict fewest;
  for (int tiles = 0; tiles <= 3 * std::max({Pipes::stages...}) + 1 && all.is_proved(); ++tiles) {
    Verdict verdict = judge(tiles);
    if (tiles == 0) {
      fewest = verdict;
    }
    detail::add_verdict(all, std::move(verdict),
                        [&] { return "with " + std::to_string(tiles) + (tiles == 1 ? " tile" : " tiles"); });
  }
  detail::expect_something_done(all);
  detail::expect_enough_tiles(all, fewest);
  return all;
}

/// Calls `judge(skipped)` for every choice among the first `Tiles` tiles: bit t says that tile t is skipped, by both
/// sides if the kernel is right. A side skips a tile by not calling for it: `load` and `wait` take the next slot
/// whichever tile it is for. Returns the first verdict that is not a proof, or all of them together.
///
///     dma::proof::for_all_masks<6>([&](unsigned skipped) { return dma::proof::prove(MyKernel{}, {1}, x, y, skipped);
///     })
///
/// Cost    2^Tiles proofs
template <int Tiles, class Judge>
[[nodiscard]] Verdict for_all_masks(const Judge& judge) {
  static_assert(
      Tiles > 0 && Tiles <= 16,
      "dma::proof::for_all_masks: it makes a proof for each of the 2^Tiles choices of skipped tiles; ask for 1 to "
      "16 tiles, where two rounds of the slots are enough");
  Verdict all;
  for (unsigned skipped = 0; skipped < 1U << static_cast<unsigned>(Tiles) && all.is_proved(); ++skipped) {
    detail::add_verdict(all, judge(skipped), [&] {
      std::string tiles;
      for (unsigned tile = 0; tile < static_cast<unsigned>(Tiles); ++tile) {
        tiles += (skipped >> tile & 1U) != 0 ? (tiles.empty() ? " " : ", ") + std::to_string(tile) : "";
      }
      return tiles.empty() ? std::string("with no tile skipped") : "with skipped tiles" + tiles;
    });
  }
  detail::expect_something_done(all);
  return all;
}

}  // namespace dma::inline v0_1::proof
