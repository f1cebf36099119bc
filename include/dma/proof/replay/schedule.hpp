#pragma once

#include <dma/machine/index3.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/search/search.hpp>
#include <dma/proof/search/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace dma::inline v0_1::proof {

namespace detail {

/// One move of a CTA: lanes of a warp do their next operation that other warps can observe, or the copies that they
/// started with one operation complete.
struct Move {
  int warp = 0;
  unsigned lanes = 0;
  bool is_end_of_copy = false;
  std::size_t began = 0;  ///< the move that started the copies
};

}  // namespace detail

/// A schedule of a recorded CTA, for `replay`.
struct Schedule {
  Index3 block;
  Index3 blocks;
  std::vector<detail::Move> moves;
  std::vector<std::vector<detail::Operation>> steps;  ///< of each thread: its part in each move, as recorded
  std::vector<std::vector<bool>> answers;             ///< of each thread's polls

  /// @param warps   the recording's warps as agents
  /// @param events  of a search of them
  Schedule(const detail::Recording& recording, const detail::Program& warps, const std::vector<detail::Event>& events)
      : block(recording.block), blocks(recording.blocks), answers(recording.answers) {
    for (const detail::Event& event : events) {
      const auto& operations = warps.agents[static_cast<std::size_t>(event.agent)].operations;
      detail::Move move{event.agent, operations[static_cast<std::size_t>(event.operation)].lanes, event.is_end_of_copy};
      if (move.is_end_of_copy) {
        const auto began = std::find_if(events.begin(), events.end(), [&](const detail::Event& other) {
          return other.agent == event.agent && other.operation == event.operation;
        });
        move.began = static_cast<std::size_t>(began - events.begin());
      }
      moves.push_back(move);
    }
    for (const auto& thread : recording.threads) {
      steps.emplace_back();
      std::copy_if(thread.begin(), thread.end(), std::back_inserter(steps.back()),
                   [](const detail::Operation& operation) {
                     return operation.is_searched() && detail::SegmentedList::is_step(operation.kind) &&
                            !detail::Recording::is_meeting(operation);
                   });
    }
  }
};

}  // namespace dma::inline v0_1::proof
