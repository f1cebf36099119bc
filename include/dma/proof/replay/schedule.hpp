#pragma once

#include <dma/machine/index3.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/result.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/search/search.hpp>
#include <dma/proof/search/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
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

/// An operation of an execution: what a thread finds there.
struct Found {
  int thread;           ///< among those of all CTAs
  int word;             ///< -1 for a fence, or a barrier
  memory::Value value;  ///< 0 where nothing is read
};

/// An execution of all CTAs of a grid, in an order in which each operation is behind what it needs.
struct FoundExecution {
  std::vector<Found> operations = {};
  std::vector<ByteRange> words = {};                        ///< that atomics access, by number
  std::vector<std::pair<int, memory::Value>> written = {};  ///< last into a word
};

}  // namespace detail

/// A schedule of a recorded CTA, or an execution of all CTAs, for `replay`.
struct Schedule {
  Index3 block = {};
  Index3 blocks;
  int threads;  ///< of a CTA, or of all CTAs of a cluster
  std::vector<detail::Move> moves = {};
  std::vector<std::vector<detail::Operation>> steps = {};  ///< of each thread: its part in each move, as recorded
  std::vector<std::vector<bool>> answers = {};             ///< of each thread's polls
  detail::FoundExecution execution = {};                   ///< without operations where it is a schedule

  /// @param warps   the recording's warps as agents
  /// @param events  of a search of them
  Schedule(const detail::Recording& recording, const detail::Program& warps, const std::vector<detail::Event>& events)
      : block(recording.block),
        blocks(recording.blocks),
        threads(static_cast<int>(recording.threads.size())),
        answers(recording.answers) {
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
  /// @param words  that atomics access, by number
  Schedule(Index3 grid, int threads_of_cta, const detail::memory::Record& record, std::vector<detail::ByteRange> words)
      : blocks(grid), threads(threads_of_cta) {
    execution.words = std::move(words);
    for (const detail::memory::Done& done : record.operations) {
      execution.operations.push_back({done.name.thread, done.location, done.read});
    }
    for (std::size_t word = 0; word < record.writes.size(); ++word) {
      if (!record.writes[word].empty()) {
        const auto last = static_cast<std::size_t>(record.place_of(record.writes[word].back()));
        execution.written.emplace_back(static_cast<int>(word), record.operations[last].written);
      }
    }
  }
};

}  // namespace dma::inline v0_1::proof
