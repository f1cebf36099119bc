#pragma once

#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/fill.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/host/emulation/single_group_emulator.hpp>
#include <dma/host/host_copy.hpp>
#include <dma/patterns/transfer_pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The laws of a pattern as a test calls them: one line for a pattern of one's own.
///
///     REQUIRE(dma::host::broken_law(MyPattern{...}) == "");
namespace dma::host {

/// The first law that a value of a pattern breaks, in a sentence; empty where it keeps them all.
///
/// Checks the runs against the pattern's constants and each other, and then that engines move exactly them: every
/// run into a tile and back, by `memcpy` and by each engine that takes the pattern, with groups of one and of three
/// warps, compared byte for byte. A transfer that the pattern brings is compared with its runs so.
///
/// @param pattern  any value: the full tile, a short one, an empty one
template <TransferPattern Pattern>
[[nodiscard]] std::string broken_law(const Pattern& pattern);

/// What an engine of one's own does wrong with a value of a pattern, in a sentence; empty where it moves exactly the
/// runs, both ways where it has both, and fills what is outside the array, or does not take the pattern at all.
///
///     REQUIRE(dma::host::broken_law<MyEngine>(dma::Strided<float, 24, 5>{400}) == "");
///
/// Each thread runs by itself, one after another: an engine that shuffles is tested in a pipeline.
template <class Engine, TransferPattern Pattern>
[[nodiscard]] std::string broken_law(const Pattern& pattern);

/// A slot that is always ready, for an engine that runs by itself.
struct ReadySlot {
  unsigned char* tile;
  [[nodiscard]] unsigned char* data() const { return tile; }
  [[nodiscard]] unsigned char* data_per_lane() const { return tile; }
  [[nodiscard]] void* full_barrier() const { return nullptr; }
  void wait_until_empty() const {}
  void wait_until_full() const {}
};

/// Bytes whose origin may have neighbours on both sides, 16-byte aligned.
class Surroundings {
 public:
  Surroundings(long long before, long long after)
      : origin_((before + 127) / 64 * 64), bytes_(static_cast<std::size_t>(origin_ + after + 128), 0xee) {}

  [[nodiscard]] unsigned char* origin() {
    const auto base = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + ((base + 15) / 16 * 16 - base) + origin_;
  }
  void number() {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
    }
  }
  /// The same bytes, relative to the origin: two of them differ in where memory happened to lie.
  [[nodiscard]] bool equals(Surroundings& other) {
    const long long after = static_cast<long long>(bytes_.size()) - origin_ - 16;
    return std::equal(origin() - origin_, origin() + after, other.origin() - origin_);
  }

 private:
  long long origin_;
  std::vector<unsigned char> bytes_;
};

template <class Engine, int Threads, TransferPattern Pattern>
[[nodiscard]] bool moves_like_memcpy(const Pattern& pattern, long long before, long long after) {
  SingleGroupEmulator warps;
  Surroundings source(before, after);
  source.number();
  Surroundings wanted(64, Pattern::tile_bytes);
  Surroundings tile(64, Pattern::tile_bytes);
  Surroundings wanted_back(before, after);
  Surroundings back(before, after);
  HostCopy::load<Pattern, 1>(pattern, source.origin(), 0, ReadySlot{wanted.origin()});
  HostCopy::store<Pattern, 1>(pattern, wanted_back.origin(), 0, ReadySlot{wanted.origin()});
  bool moves = true;
  if constexpr (LoadsPattern<Engine, Pattern, ReadySlot>) {
    for (int thread = 0; thread < Threads; ++thread) {
      warps.become(thread);
      Engine::template load<Pattern, Threads>(pattern, source.origin(), thread, ReadySlot{tile.origin()});
    }
    moves = moves && tile.equals(wanted);
  }
  if constexpr (StoresPattern<Engine, Pattern, ReadySlot>) {
    for (int thread = 0; thread < Threads; ++thread) {
      warps.become(thread);
      Engine::template store<Pattern, Threads>(pattern, back.origin(), thread, ReadySlot{wanted.origin()});
    }
    moves = moves && back.equals(wanted_back);
  }
  return moves;
}

/// Whether an engine, where it takes the pattern at all, moves as `memcpy` does, in groups of one and of three warps.
template <class Engine, TransferPattern Pattern>
[[nodiscard]] bool moves_exactly_the_runs(const Pattern& pattern, long long before, long long after) {
  if constexpr (!engine_can_move<Engine, Pattern>) {
    return true;
  } else {
    return moves_like_memcpy<Engine, 32>(pattern, before, after) &&
           moves_like_memcpy<Engine, 96>(pattern, before, after);
  }
}

template <class Engine, TransferPattern Pattern>
std::string broken_law(const Pattern& pattern) {
  static_assert(keeps_engine_contract<Engine, Pattern>());
  long long before = 0;
  long long after = 0;
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    before = std::max(before, -run.global);
    after = std::max(after, run.global + run.bytes);
  }
  return moves_exactly_the_runs<Engine>(pattern, before, after)
             ? ""
             : std::string(engine_traits<Engine>.name) + " does not move exactly the runs";
}

/// What is wrong with the numbers of the elements that one store fills together.
template <TransferPattern Pattern>
[[nodiscard]] std::string broken_law_of_fills([[maybe_unused]] const Pattern& pattern) {
  if constexpr (PaddedPattern<Pattern>) {
    constexpr int elements = elements_filled_at_once<Pattern>();
    for (int i = 0; i < Pattern::count; ++i) {
      const int first = i - i % elements;
      if (i == first && Pattern::place_of(i) % elements != 0) {
        return "element " + std::to_string(i) + " does not begin on a multiple of run_alignment";
      }
      if (Pattern::place_of(i) != Pattern::place_of(first) + i - first) {
        return "element " + std::to_string(i) +
               " does not follow the one before it, with which it shares run_alignment bytes";
      }
      if (pattern.is_padding(i) != pattern.is_padding(first)) {
        return "element " + std::to_string(i) +
               " is filled and the one before it not, or the other way round, though they share run_alignment bytes";
      }
    }
  }
  return "";
}

template <TransferPattern Pattern>
std::string broken_law(const Pattern& pattern) {
  constexpr int alignment = Pattern::run_alignment;
  const int count = pattern.run_count();
  const auto of_run = [](int i, const char* rule) { return "run " + std::to_string(i) + " " + rule; };
  if (count < 0 || count > Pattern::max_run_count || (pattern.is_full() && count != Pattern::max_run_count)) {
    return "run_count() is " + std::to_string(count) + ", and max_run_count " + std::to_string(Pattern::max_run_count);
  }
  std::vector<bool> is_taken(static_cast<std::size_t>(Pattern::tile_bytes), false);
  long long before = 0;
  long long after = 0;
  for (int i = 0; i < count; ++i) {
    const Run run = pattern.run_at(i);
    if (run.bytes < 0 || run.bytes > Pattern::max_run_bytes) {
      return of_run(i, "is longer than max_run_bytes");
    }
    if (run.shared < 0 || run.shared + run.bytes > Pattern::tile_bytes) {
      return of_run(i, "leaves the tile");
    }
    if (run.shared % alignment != 0 || run.global % alignment != 0 ||
        (Pattern::max_run_count > 1 && run.bytes % alignment != 0)) {
      return of_run(i, "is not a multiple of run_alignment");
    }
    if constexpr (UniformPattern<Pattern>) {
      if (run.bytes != pattern.run_at(0).bytes) {
        return of_run(i, "has another length than run 0, though runs_are_uniform");
      }
    }
    if constexpr (AffinePattern<Pattern>) {
      const Run first = pattern.run_at(0);
      if (run.global != first.global + i * pattern.global_pitch_bytes() ||
          run.shared != first.shared + i * Pattern::shared_pitch_bytes) {
        return of_run(i, "is not where the pitches say");
      }
    }
    for (int byte = run.shared; byte < run.shared + run.bytes; ++byte) {
      if (is_taken[static_cast<std::size_t>(byte)]) {
        return of_run(i, "overlaps another in the tile");
      }
      is_taken[static_cast<std::size_t>(byte)] = true;
    }
    before = std::max(before, -run.global);
    after = std::max(after, run.global + run.bytes);
  }
  std::string law_of_fills;
  for_each_part(pattern, [&](const auto& part, int, auto) {
    if (law_of_fills.empty()) {
      law_of_fills = broken_law_of_fills(part);
    }
  });
  if (!law_of_fills.empty()) {
    return law_of_fills;
  }
  if (!moves_exactly_the_runs<RegisterCopy<>>(pattern, before, after)) {
    return HasCustomLoad<Pattern> || HasCustomStore<Pattern>
               ? "the transfer that the pattern brings does not move exactly the runs"
               : "dma::RegisterCopy does not move exactly the runs";
  }
  if (!moves_exactly_the_runs<AsyncCopy<>>(pattern, before, after)) {
    return "dma::AsyncCopy does not move exactly the runs";
  }
  if (!moves_exactly_the_runs<BulkCopy<>>(pattern, before, after)) {
    return "dma::BulkCopy does not move exactly the runs";
  }
  return "";
}

}  // namespace dma::host
