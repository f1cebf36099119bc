#pragma once

#include <dma/patterns/run.hpp>
#include <dma/patterns/transfer_pattern.hpp>

/// The laws of a pattern's full tile. Each pipeline checks them at compile time; `dma::host::broken_law` checks the
/// laws of any value in a test.
namespace dma {

/// Shared and global offsets are multiples of `run_alignment`.
template <TransferPattern Pattern>
consteval bool keeps_alignment(const Pattern& pattern = {}) {
  constexpr int alignment = Pattern::run_alignment;
  if (alignment < 1 || (alignment & (alignment - 1)) != 0) {
    return false;
  }
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    if (run.shared % alignment != 0 || run.global % alignment != 0) {
      return false;
    }
  }
  return true;
}

/// There are `max_run_count` runs, each of at most `max_run_bytes` and inside `[0, tile_bytes)`.
template <TransferPattern Pattern>
consteval bool stays_inside_tile(const Pattern& pattern = {}) {
  if (pattern.run_count() != Pattern::max_run_count) {
    return false;
  }
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    if (run.bytes < 0 || run.bytes > Pattern::max_run_bytes || run.shared < 0 ||
        run.shared + run.bytes > Pattern::tile_bytes) {
      return false;
    }
  }
  return true;
}

/// Runs have the length and the pitches that a `UniformPattern` and an `AffinePattern` promise.
template <TransferPattern Pattern>
consteval bool keeps_uniformity(const Pattern& pattern = {}) {
  if constexpr (UniformPattern<Pattern>) {
    for (int i = 0; i < pattern.run_count(); ++i) {
      if (pattern.run_at(i).bytes != Pattern::max_run_bytes) {
        return false;
      }
    }
  }
  if constexpr (AffinePattern<Pattern>) {
    const Run first = pattern.run_at(0);
    for (int i = 0; i < pattern.run_count(); ++i) {
      const Run run = pattern.run_at(i);
      if (run.global != first.global + i * pattern.global_pitch_bytes() ||
          run.shared != first.shared + i * pattern.shared_pitch_bytes) {
        return false;
      }
    }
  }
  return true;
}

/// No two runs share bytes of the tile.
///
/// Cost    compares each run with the one before it, and with all before it where there are at most 64
template <TransferPattern Pattern>
consteval bool keeps_runs_apart(const Pattern& pattern = {}) {
  constexpr int few = 64;
  for (int i = 1; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    for (int j = pattern.run_count() <= few ? 0 : i - 1; j < i; ++j) {
      const Run other = pattern.run_at(j);
      if (run.shared < other.shared + other.bytes && other.shared < run.shared + run.bytes) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace dma
