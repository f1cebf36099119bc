#pragma once

#include <dma/host/deadline.hpp>
#include <dma/host/emulation/cluster_state.hpp>
#include <dma/host/emulation/cta_emulator.hpp>
#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/exceeded.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/machine/index3.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// The CTAs of a cluster, which run at the same time: all their threads are fibers of the calling thread. A kernel
/// without clusters has one CTA in each.
///
/// The seed that decides the order of a CTA's threads decides that of the CTAs too: by rank in turn, one as far as it
/// can before the next, or at random.
class ClusterEmulator {
 public:
  /// @param first    the first CTA, whose `block` is the cluster's first
  /// @param ctas     neighbours along x
  /// @param watcher  as for `CtaEmulator`; of all CTAs
  ClusterEmulator(const CtaShape& first, int ctas, const std::function<void()>& body, unsigned seed,
                  const RunLimits& limits, Watcher* watcher)
      : cluster_(first, ctas, ctas), limits_(limits), random_(seed), is_shuffled_(seed >= 3) {
    CtaShape shape = first;
    for (shape.index = 0; shape.index != ctas; ++shape.index, ++shape.block.x) {
      ctas_.push_back(std::make_unique<CtaEmulator>(shape, cluster_, body, seed, watcher));
      order_.push_back(ctas_.back().get());
    }
    if (seed == 2) {
      std::reverse(order_.begin(), order_.end());
    }
  }

  /// All CTAs of a grid, begun in the order of their index.
  ///
  /// @param cluster  CTAs of each cluster, neighbours along x
  ClusterEmulator(const CtaShape& first, int cluster, const std::function<void()>& body, const RunLimits& limits,
                  Watcher* watcher)
      : cluster_(first, first.blocks.x * first.blocks.y * first.blocks.z, cluster),
        limits_(limits),
        is_shuffled_(false) {
    CtaShape shape = first;
    const Index3 blocks = shape.blocks;
    for (shape.index = 0; shape.index != cluster_.size; ++shape.index) {
      shape.block = {shape.index % blocks.x, shape.index / blocks.x % blocks.y, shape.index / blocks.x / blocks.y};
      ctas_.push_back(std::make_unique<CtaEmulator>(shape, cluster_, body, 0, watcher));
      order_.push_back(ctas_.back().get());
    }
  }
  ClusterEmulator(const ClusterEmulator&) = delete;
  ClusterEmulator& operator=(const ClusterEmulator&) = delete;
  ~ClusterEmulator() { stop(); }

  /// Runs all threads to their end.
  ///
  /// @throw KernelError  for a deadlock (`Deadlock`), and at the end for tiles that were not used (`UnusedTile`) and
  ///                     for pending copies or arrivals (`PendingAtExit`)
  /// @throw Spin, OutOfTime, OutOfMemory  where it exceeds its limits
  /// @throw  what a thread threw
  void run() {
    begin();
    advance();
    end();
  }
  // The same in parts.
  void begin() {
    running_.emplace(limits_);
    for (const auto& cta : ctas_) {
      cta->begin(*running_);
    }
  }
  /// Runs all threads as far as they can.
  void advance() {
    while (run_round()) {
    }
  }
  /// Whether a thread threw, or exceeded a limit.
  [[nodiscard]] bool has_failed() const {
    return is_out_of_time_ ||
           std::any_of(ctas_.begin(), ctas_.end(), [](const auto& one) { return one->has_failed(); });
  }
  void end() {
    stop();
    // Where nothing was exceeded, a thread was left in an access that cannot throw, since another one has failed.
    if (exceeded_ != Exceeded::nothing) {
      for (const auto& cta : ctas_) {
        cta->expect_none_left(exceeded_);
      }
    }
    if (is_out_of_time_) {
      throw OutOfTime("dma::host: " + ctas_.front()->name() +
                      " did not end within the seconds that it was given; run a smaller problem, or give it more");
    }
    for (const auto& cta : ctas_) {
      cta->throw_error();
    }
    for (const auto& cta : ctas_) {
      cta->expect_peers_free();
    }
    expect_no_deadlock();
    for (const auto& cta : ctas_) {
      cta->expect_nothing_left();
    }
  }

 private:
  void stop() {
    if (running_) {
      for (const auto& cta : ctas_) {
        cta->stop();
      }
      exceeded_ = running_->exceeded();
      running_.reset();
    }
  }
  /// Runs each CTA once, or one after another as far as they can. False where none can continue, or one must not.
  bool run_round() {
    if (is_shuffled_) {
      std::shuffle(order_.begin(), order_.end(), random_);
    }
    bool any_ran = false;
    for (CtaEmulator* const cta : order_) {
      while (cta->run_some()) {
        any_ran = true;
        is_out_of_time_ = limits_.deadline != nullptr && limits_.deadline->has_passed();
        if (is_out_of_time_) {
          return false;
        }
        if (!cta->runs_far()) {
          break;
        }
      }
      if (cta->has_failed()) {
        return false;
      }
    }
    return any_ran;
  }
  /// What to do beside what is said of each deadlock.
  [[nodiscard]] const char* further_way_out() const {
    if (std::any_of(ctas_.begin(), ctas_.end(), [](const auto& cta) { return cta->waits_for_cta(); })) {
      return let_all_synchronize;
    }
    return std::any_of(ctas_.begin(), ctas_.end(), [](const auto& cta) { return cta->waits_for_groups(); })
               ? "; name the compute group that alone uses a pipeline: dma::UsedBy<Group, Buffering>"
               : "";
  }
  void expect_no_deadlock() const {
    std::string waiting;
    for (const auto& cta : ctas_) {
      if (const std::string text = cta->waiting(); !text.empty()) {
        waiting += (waiting.empty() ? "" : "\nand in ") + cta->name() + ", where no thread can continue:" + text;
      }
    }
    if (!waiting.empty()) {
      throw Deadlock("dma::host::launch: deadlock in " + waiting +
                     "\nlet both sides take the same tiles in the same order, and every thread release its slots and "
                     "make the same calls" +
                     further_way_out());
    }
  }

  ClusterState cluster_;
  RunLimits limits_;
  std::mt19937 random_;  ///< of the order of the CTAs
  bool is_shuffled_;
  std::vector<std::unique_ptr<CtaEmulator>> ctas_;
  std::vector<CtaEmulator*> order_;
  bool is_out_of_time_ = false;
  std::optional<RunWatch> running_;  ///< while it runs
  Exceeded exceeded_ = Exceeded::nothing;
};

}  // namespace dma::inline v0_1::host::detail
