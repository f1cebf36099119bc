#pragma once

#include "host/proof/fuzz/agents.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fuzz {

inline constexpr int most_copies = 32;
inline constexpr std::size_t most_agents = 12;

/// How far a copy is. One into shared memory reads and writes until it ends.
enum class Progress : unsigned char { not_issued, reads, writes, ended };

struct Named {
  std::uint8_t arrived;  ///< warps
  std::uint8_t expected;
  std::uint8_t generation;
};
struct Phase {
  std::uint8_t is_open;
  std::uint8_t is_unfenced;  ///< opened, and no proxy fence since
  std::uint8_t expected;
  std::uint8_t pending;
  std::int8_t blocks;  ///< of bytes to come
  std::uint8_t completed;
  std::uint8_t peer_arrived;         ///< in this phase
  std::uint8_t peer_arrived_before;  ///< in the one before
};

/// All that agents, barriers and copies are at one point of an interleaving. It has no padding, so that states are
/// equal where their bytes are.
struct State {
  std::uint64_t copies;          ///< two bits for each: its progress
  Cells written;                 ///< that hold something
  Cells unfenced_reads;          ///< by threads, with no proxy fence since
  Cells unfenced_writes;         ///< by threads and cp.async
  std::uint8_t at[most_agents];  ///< each agent's next action
  std::uint8_t waiting;          ///< bits: warps that have arrived at a named barrier and wait
  Named named[2][named_barriers];
  Phase phases[2][phase_barriers];
  std::uint8_t turns[shared_blocks];  ///< of slots, that have begun
  std::uint8_t padding[1];

  [[nodiscard]] Progress progress(int copy) const { return static_cast<Progress>(copies >> 2 * copy & 3U); }
  void set_progress(int copy, Progress progress) {
    copies = (copies & ~(std::uint64_t{3} << 2 * copy)) | static_cast<std::uint64_t>(progress) << 2 * copy;
  }

  friend bool operator==(const State& left, const State& right) {
    return std::memcmp(&left, &right, sizeof(State)) == 0;
  }
};
static_assert(sizeof(State) % 8 == 0 && sizeof(State) == 4 * 8 + most_agents + 1 + 6 * named_barriers +
                                                             2 * phase_barriers * sizeof(Phase) + shared_blocks + 1);

struct HashOfState {
  [[nodiscard]] std::size_t operator()(const State& state) const {
    std::array<std::uint64_t, sizeof(State) / 8> words;
    std::memcpy(words.data(), &state, sizeof state);
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29U;
    }
    return hash;
  }
};

}  // namespace fuzz
