#pragma once

#include "host/proof/fuzz/interpreter.hpp"
#include "host/proof/fuzz/tiles.hpp"

#include <dma/dma.hpp>
#include <dma/proof/prove.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

/// Kernel bodies that do the steps of a tile program, by the library's pipelines.
namespace fuzz {

using IntTile = dma::Sequential<int, lane_count>;
using Sides = dma::WarpLayout<dma::Compute<1>, dma::Compute<1>, dma::Dma<1>>;
using TwoGroups = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
using OneWarp = dma::WarpLayout<dma::Compute<1>>;

template <class Buffering, class Engine>
using LoadOf = dma::DmaPipeline<IntTile, Buffering, dma::CudaBarrier, Engine>;
template <class Buffering, class Engine>
using StoreOf = dma::DmaPipeline<dma::Store<IntTile>, Buffering, dma::CudaBarrier, Engine>;
template <int Slots>
using Slotted = dma::MultiBuffer<Sides, Slots>;

[[gnu::noinline]] inline void read_element(const int* element) { asm volatile("" : : "r"(*element)); }

/// Does a warp's steps. What it reads of the program is no access of the kernel's.
///
/// @param wait  `wait()`: the next slot
/// @param move  `move(tile)`
template <class Wait, class Move>
__attribute__((no_sanitize("thread"), noinline)) void do_steps(const std::vector<TileStep>& steps, int lane,
                                                               const Wait& wait, const Move& move) {
  std::optional<decltype(wait())> slots[most_tiles];
  int* places[most_tiles];
  int acquired = 0;
  int moved = 0;
  const std::size_t count = steps.size();
  for (std::size_t i = 0; i < count; ++i) {
    const TileStep step = steps[i];
    const int tile = acquired - 1 - step.back;
    const int index = step.element == Element::its_own          ? lane
                      : step.element == Element::its_neighbours ? lane ^ 1
                      : step.element == Element::first          ? 0
                                                                : 1;
    if (step.op == TileOp::acquire && acquired < most_tiles) {
      slots[acquired].emplace(wait());
      places[acquired] = slots[acquired]->data();
      ++acquired;
    } else if (step.op == TileOp::move) {
      move(moved++);
    } else if (step.op == TileOp::sync_warp) {
      dma::machine::sync_warp();
    } else if (tile >= 0 && step.op == TileOp::release) {
      slots[tile]->release();
    } else if (tile >= 0 && step.op != TileOp::acquire && is_one_of(lane, step.lanes)) {
      step.op == TileOp::read ? read_element(places[tile] + index)
                              : stores[static_cast<std::size_t>(step.element)](places[tile] + index, tile);
    }
  }
  for (int tile = 0; tile < acquired; ++tile) {
    slots[tile]->release();
  }
}

template <class Pipe>
struct TileKernel {
  using Layout = typename Pipe::Layout;
  struct Shared {
    typename Pipe::Storage storage;
  };

  __attribute__((no_sanitize("thread"))) void operator()(const dma::KernelCta<TileKernel>& cta,
                                                         const TileProgram* program, int* global) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto& steps = program->steps[static_cast<std::size_t>(cta.warp())];
    const int lane = cta.lane();
    if constexpr (requires { pipe.as_producer(); }) {
      if (pipe.is_producer()) {
        do_steps(
            steps, lane, [&] { return pipe.as_producer().wait(); }, [](int) {});
      } else if (pipe.is_consumer()) {
        do_steps(
            steps, lane, [&] { return pipe.as_consumer().wait(); }, [](int) {});
      }
    } else {
      do_steps(
          steps, lane, [&] { return pipe.as_compute().wait(); },
          [&](int tile) {
            int* const place = global + tile % global_blocks * lane_count;
            if constexpr (Pipe::is_store) {
              pipe.as_dma().store(place);
            } else {
              pipe.as_dma().load(place);
            }
          });
    }
  }
};

template <class Pipe>
[[nodiscard]] dma::proof::Verdict verdict_of_pipe(const TileProgram& program, unsigned seed) {
  alignas(128) static int global[global_blocks * lane_count];
  return dma::proof::prove({.first_seed = seed, .seeds = 2, .limits = {.states = 0}}, TileKernel<Pipe>{}, {1}, &program,
                           &global[0]);
}
/// In the order of `sorts`.
[[nodiscard]] inline dma::proof::Verdict verdict_of(const TileProgram& program, unsigned seed) {
  using dma::UsedBy;
  constexpr std::array verdicts{
      &verdict_of_pipe<LoadOf<Slotted<2>, dma::BulkCopy<>>>,
      &verdict_of_pipe<LoadOf<Slotted<3>, dma::RegisterCopy<>>>,
      &verdict_of_pipe<LoadOf<UsedBy<1, Slotted<2>>, dma::AsyncCopy<>>>,
      &verdict_of_pipe<StoreOf<UsedBy<0, Slotted<2>>, dma::BulkCopy<>>>,
      &verdict_of_pipe<StoreOf<UsedBy<0, Slotted<1>>, dma::RegisterCopy<>>>,
      &verdict_of_pipe<StoreOf<UsedBy<1, Slotted<4>>, dma::RegisterCopy<>>>,
      &verdict_of_pipe<dma::HandOff<IntTile, dma::FromTo{.from = 0, .to = 1}, Slotted<2>, dma::CudaBarrier>>,
      &verdict_of_pipe<dma::HandOff<IntTile, dma::FromTo{.from = 1, .to = 0}, Slotted<1>, dma::CudaBarrier>>,
      &verdict_of_pipe<LoadOf<dma::DoubleBuffer<TwoGroups>, dma::BulkCopy<>>>,
      &verdict_of_pipe<StoreOf<dma::MultiBuffer<OneWarp, 2>, dma::RegisterCopy<>>>,
      &verdict_of_pipe<LoadOf<dma::MultiBuffer<OneWarp, 2>, dma::BulkCopy<>>>};
  static_assert(verdicts.size() == sorts.size());
  return verdicts[program.sort](program, seed);
}

}  // namespace fuzz
