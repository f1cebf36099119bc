#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// The counter of a grid's warps, in global memory: zero before a launch, and again after it.
///
/// Two counts in one word, so that one read returns both: how many warps have left, and the arrivals of the others.
struct PaceCounter {
  unsigned long long word;

  static constexpr unsigned long long arrival = 1;
  /// A warp leaves; its arrivals are subtracted.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr unsigned long long departure(unsigned arrivals) noexcept {
    return (1ULL << 32) - arrivals;
  }
  /// Whether the word has room for so many arrivals of each warp.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool can_count(unsigned warps, unsigned rounds) noexcept {
    return static_cast<unsigned long long>(warps) * rounds <= 0xffffffffULL;
  }
  /// Whether all warps but one have left.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool is_last(unsigned long long word, unsigned warps) noexcept {
    return word >> 32 == warps - 1;
  }
  /// Whether each warp that has not left has arrived `rounds` times. Exact as long as no warp has arrived more often.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool all_arrived(unsigned long long word, unsigned warps,
                                                                  unsigned rounds) noexcept {
    return (word & 0xffffffffULL) >= (warps - (word >> 32)) * rounds;
  }
};

/// Keeps the DMA warps of all CTAs within `Slack` tiles of each other. Data that CTAs share is then still in the L2
/// when the last of them reads it. For persistent kernels whose CTAs move through neighbouring data side by side.
///
///     dma::Pace<3> pace(cta, pipe, counter);
///     for (int t : dma.my_tiles(cta.tiles(count))) {
///       pace.step();
///       dma.load(tile(t));
///     }
///
/// A warp arrives every (Slack + 1) / 2 tiles; before its next arrival it waits until every other warp has arrived as
/// often. A warp without tiles left leaves in the destructor, and the others no longer wait for it. The last one clears
/// the counter. CTAs may have different numbers of tiles.
///
/// It orders no memory accesses: it does not make what one CTA wrote visible to another. On a host, where CTAs run one
/// after the other, it counts and does not wait.
///
/// Cost    an atomic and a poll of one word a DMA warp every (Slack + 1) / 2 tiles; the stages hide the wait
/// Source  persistent stencils, whose CTAs read the edges of each other's tiles
///
/// @pre Every CTA of the grid is resident at once: a kernel body's `KernelTraits` have `.cooperative = true`, and
///      `launch` checks it.
/// @pre One `Pace` a thread, alive while the pipeline loads; the counter serves one pipeline of one launch at a time.
template <int Slack>
class Pace {
  static_assert(Slack > 0,
                "dma::Pace: with no slack each CTA would wait for all others before each tile; allow one tile or more");

 public:
  /// Tiles between two arrivals. In the last tile of a period every warp has begun the period before.
  static constexpr int period = (Slack + 1) / 2;

  /// Every warp may construct it: those that do not move the pipeline's tiles take no part.
  ///
  /// @param counter  zero, in global memory
  template <class Kernel, class Pipeline>
  DMA_HOST_DEVICE Pace(const KernelCta<Kernel>& cta, const Pipeline& pipeline, PaceCounter* counter)
      : Pace(static_cast<const Cta&>(cta), pipeline, counter) {
    static_assert(detail::kernel_traits<Kernel>.cooperative,
                  "dma::Pace: its CTAs wait for one another, so all of them have to be resident; give the kernel body "
                  "'static constexpr dma::KernelTraits traits{.cooperative = true};', so that launch sees to it");
  }
  template <class Pipeline>
  DMA_HOST_DEVICE Pace(const Cta& cta, const Pipeline& pipeline, PaceCounter* counter)
      : counter_(moves(pipeline) ? counter : nullptr) {
    const Index3 blocks = cta.blocks();
    constexpr int warps_a_cta = Pipeline::groups * Pipeline::group_threads / warp_size;
    warps_ = static_cast<unsigned>(blocks.x * blocks.y * blocks.z * warps_a_cta);
    if (counter_ != nullptr) {
      machine::use_counter(&counter_->word, "Pace");
    }
  }
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;
  /// On a host, stopping a CTA unwinds from here too.
  DMA_HOST_DEVICE ~Pace() noexcept(false) {
    if (counter_ != nullptr) {
      machine::sync_warp();
      if (machine::elect()) {
        const unsigned long long before = machine::count(&counter_->word, PaceCounter::departure(arrivals_));
        if (PaceCounter::is_last(before, warps_)) {
          machine::clear_count(&counter_->word);
        }
      }
      machine::sync_warp();
    }
  }

  /// Waits while this warp is too far ahead. Collective over the warp, before each of its tiles.
  DMA_HOST_DEVICE void step() {
    machine::enters(machine::Call::pace, {.pipeline = machine::type_name<Pace>()});
    if (counter_ != nullptr && steps_to_arrival_-- == 0) {
      steps_to_arrival_ = period - 1;
      DMA_EXPECTS(PaceCounter::can_count(warps_, arrivals_ + 1),
                  "dma::Pace: the arrivals of all warps exceed what its counter holds; use larger tiles, more slack or "
                  "several launches",
                  "arrivals of a warp", arrivals_, "warps", warps_);
      machine::sync_warp();
      if (machine::elect()) {
        machine::await_grid(
            {machine::Who::dma_warps, machine::Point::pace, -1, machine::type_name<Pace>()}, "step", arrivals_,
            [&] { return PaceCounter::all_arrived(machine::read_count(&counter_->word), warps_, arrivals_); });
        static_cast<void>(machine::count(&counter_->word, PaceCounter::arrival));
      }
      machine::sync_warp();
      ++arrivals_;
    }
  }

 private:
  template <class Pipeline>
  [[nodiscard]] DMA_HOST_DEVICE static bool moves(const Pipeline& pipeline) {
    if constexpr (Pipeline::Layout::is_specialized) {
      return pipeline.is_dma();
    } else {
      return true;
    }
  }

  PaceCounter* counter_;  ///< null in a warp that takes no part
  unsigned warps_ = 0;    ///< of the grid that take part
  unsigned arrivals_ = 0;
  int steps_to_arrival_ = 0;
};

}  // namespace dma::inline v0_1
