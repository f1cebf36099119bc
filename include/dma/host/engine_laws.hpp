#pragma once

#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/host/host_copy.hpp>
#include <dma/host/run_group.hpp>
#include <dma/patterns/transfer_pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The law that an engine moves exactly the runs of a pattern, in both directions.
namespace dma::inline v0_1::host {

namespace detail {

/// A slot that is always ready, for an engine without a pipeline.
struct ReadySlot {
  unsigned char* tile;
  [[nodiscard]] unsigned char* data() const { return tile; }
  [[nodiscard]] unsigned char* data_per_lane() const { return tile; }
  [[nodiscard]] void* full_barrier() const { return nullptr; }
  void wait_until_empty() const {}
  void wait_until_full() const {}
};

/// Memory around an origin: at least `before` bytes in front of it and `after` bytes behind, and a margin that shows
/// writes outside of them. The origin is aligned to 32 bytes, the widest alignment of a pattern.
class Surroundings {
 public:
  Surroundings(long long before, long long after)
      : origin_((before + 127) / 64 * 64), bytes_(static_cast<std::size_t>(origin_ + after + 128), 0xee) {}

  [[nodiscard]] unsigned char* origin() {
    const auto base = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + ((base + 31) / 32 * 32 - base) + origin_;
  }
  void number() {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
    }
  }
  /// The same bytes, relative to the origin: the allocations may be aligned differently.
  [[nodiscard]] bool equals(Surroundings& other) {
    const long long after = static_cast<long long>(bytes_.size()) - origin_ - 32;
    return std::equal(origin() - origin_, origin() + after, other.origin() - origin_);
  }

 private:
  long long origin_;
  std::vector<unsigned char> bytes_;
};

/// Whether a group of `Threads` threads moves with the engine what `HostCopy` moves, and nothing else, in each
/// direction that the engine has.
template <class Engine, int Threads, TransferPattern Pattern>
[[nodiscard]] bool moves_like_memcpy(const Pattern& pattern) {
  long long before = 0;
  long long after = 0;
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    before = std::max(before, -run.global);
    after = std::max(after, run.global + run.bytes);
  }
  Surroundings source(before, after);
  source.number();
  Surroundings wanted(64, Pattern::tile_bytes);
  Surroundings tile(64, Pattern::tile_bytes);
  Surroundings wanted_back(before, after);
  Surroundings back(before, after);
  HostCopy::load<Pattern, 1>(pattern, source.origin(), 0, ReadySlot{wanted.origin()});
  HostCopy::store<Pattern, 1>(pattern, wanted_back.origin(), 0, ReadySlot{wanted.origin()});
  bool moves = true;
  if constexpr (dma::detail::LoadsPattern<Engine, Pattern, ReadySlot>) {
    run_group(Threads, [&](int thread) {
      Engine::template load<Pattern, Threads>(pattern, source.origin(), thread, ReadySlot{tile.origin()});
    });
    moves = moves && tile.equals(wanted);
  }
  if constexpr (dma::detail::StoresPattern<Engine, Pattern, ReadySlot>) {
    run_group(Threads, [&](int thread) {
      Engine::template store<Pattern, Threads>(pattern, back.origin(), thread, ReadySlot{wanted.origin()});
    });
    moves = moves && back.equals(wanted_back);
  }
  return moves;
}

/// The same for groups of one and of three warps; true where the engine cannot move the pattern.
template <class Engine, TransferPattern Pattern>
[[nodiscard]] bool moves_exactly_the_runs(const Pattern& pattern) {
  if constexpr (!dma::detail::engine_can_move<Engine, Pattern>) {
    return true;
  } else {
    return moves_like_memcpy<Engine, 32>(pattern) && moves_like_memcpy<Engine, 96>(pattern);
  }
}

}  // namespace detail

/// The first fault of a user's engine with a value of a pattern, in a sentence. Empty where the engine moves exactly
/// the runs and fills the padding, or cannot move the pattern.
///
///     REQUIRE(dma::host::broken_law<MyEngine>(dma::Strided<float, 24, 5>{400}) == "");
///
/// The warps of a group run one after another, each with lanes that shuffle and synchronize; an engine with barriers of
/// its own is tested in a pipeline.
///
/// @pre The runs keep the pattern's laws.
template <class Engine, TransferPattern Pattern>
[[nodiscard]] std::string broken_law(const Pattern& pattern) {
  static_assert(dma::detail::keeps_engine_contract<Engine, Pattern>());
  std::string broken;
  if (!detail::moves_exactly_the_runs<Engine>(pattern)) {
    broken += dma::detail::engine_traits<Engine>.name;
    broken += " does not move exactly the runs; let its load and store move the bytes of run_at(), and no others";
  }
  return broken;
}

namespace detail {

/// Which of the library's engines does not move exactly the runs, in a sentence; empty where all do.
///
/// @pre The runs keep the pattern's laws.
template <TransferPattern Pattern>
[[nodiscard]] std::string broken_law_of_engines(const Pattern& pattern) {
  if (!moves_exactly_the_runs<RegisterCopy<>>(pattern)) {
    return dma::detail::HasCustomLoad<Pattern> || dma::detail::HasCustomStore<Pattern>
               ? "the pattern's own transfer does not move exactly the runs; let load_tile and store_tile move the "
                 "bytes of run_at(), and "
                 "no others"
               : "dma::RegisterCopy does not move exactly the runs; let run_at() give the same run each time";
  }
  if (!moves_exactly_the_runs<AsyncCopy<>>(pattern)) {
    return "dma::AsyncCopy does not move exactly the runs; let run_at() give the same run each time";
  }
  if (!moves_exactly_the_runs<BulkCopy<>>(pattern)) {
    return "dma::BulkCopy does not move exactly the runs; let run_at() give the same run each time";
  }
  return "";
}

}  // namespace detail

}  // namespace dma::inline v0_1::host
