#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The states that a search has reached, each once, with the move that led to it first.
class StateStore {
 public:
  using Word = std::uint16_t;
  static constexpr std::uint32_t nothing = 0xffffffffU;

  /// The move from one state to another: an agent's next step, or the completion of one of its copies.
  struct Move {
    std::uint16_t index;   ///< of the agent in a state
    std::uint16_t flight;  ///< `own_step`, or the number of the copy
  };
  static constexpr std::uint16_t own_step = 0xffff;

  void reset(std::size_t width) {
    width_ = width;
    words_.clear();
    parents_.clear();
    moves_.clear();
    table_.assign(64, nothing);
  }

  [[nodiscard]] std::size_t size() const { return parents_.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return words_.capacity() * sizeof(Word) + parents_.capacity() * sizeof parents_[0] +
           moves_.capacity() * sizeof(Move) + table_.capacity() * sizeof table_[0];
  }
  [[nodiscard]] const Word* at(std::uint32_t state) const { return words_.data() + state * width_; }
  [[nodiscard]] std::uint32_t parent(std::uint32_t state) const { return parents_[state]; }
  [[nodiscard]] Move move(std::uint32_t state) const { return moves_[state]; }

  /// Adds a state, unless it is known.
  void insert(const std::vector<Word>& state, std::uint32_t parent, Move move) {
    if (2 * size() >= table_.size()) {
      grow();
    }
    std::size_t bucket = hash(state.data()) & (table_.size() - 1);
    while (table_[bucket] != nothing) {
      if (std::memcmp(at(table_[bucket]), state.data(), width_ * sizeof(Word)) == 0) {
        return;
      }
      bucket = (bucket + 1) & (table_.size() - 1);
    }
    table_[bucket] = static_cast<std::uint32_t>(size());
    words_.insert(words_.end(), state.begin(), state.end());
    parents_.push_back(parent);
    moves_.push_back(move);
  }

 private:
  [[nodiscard]] std::size_t hash(const Word* state) const {
    std::uint64_t result = 0x9e3779b97f4a7c15ULL;
    std::size_t i = 0;
    for (; i + 4 <= width_; i += 4) {
      std::uint64_t four = 0;
      std::memcpy(&four, state + i, sizeof four);
      result = (result ^ four) * 0xff51afd7ed558ccdULL;
      result ^= result >> 32;
    }
    for (; i < width_; ++i) {
      result = (result ^ state[i]) * 0xff51afd7ed558ccdULL;
      result ^= result >> 32;
    }
    return static_cast<std::size_t>(result ^ (result >> 29));
  }
  void grow() {
    table_.assign(table_.size() * 2, nothing);
    for (std::uint32_t state = 0; state < size(); ++state) {
      std::size_t bucket = hash(at(state)) & (table_.size() - 1);
      while (table_[bucket] != nothing) {
        bucket = (bucket + 1) & (table_.size() - 1);
      }
      table_[bucket] = state;
    }
  }

  std::size_t width_ = 0;
  std::vector<Word> words_;
  std::vector<std::uint32_t> parents_;
  std::vector<Move> moves_;
  std::vector<std::uint32_t> table_;
};

}  // namespace dma::inline v0_1::proof::detail
