#pragma once

#include <dma/host/emulation/cluster_state.hpp>
#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/cta_state.hpp>
#include <dma/host/emulation/cta_thread.hpp>
#include <dma/host/emulation/exceeded.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/line_of.hpp>
#include <dma/host/emulation/located_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/host/emulation/thread_order.hpp>
#include <dma/host/emulation/waiting_threads.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/machine/index3.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// One CTA of a cluster: each thread is a fiber, and all of them run on the calling thread.
///
/// A seed decides which thread runs next, so that a run can be repeated (`ThreadOrder`). When no thread
/// of the cluster can continue, it is deadlocked: each CTA reports who waits for what, and ends.
///
/// Cost    two context switches for each wait that has to wait; a CTA may have 1,024 threads
class CtaEmulator {
 public:
  /// @param body     the kernel, called in each thread; it exists as long as the emulator, as `cluster` does
  /// @param seed     of the order in which threads run (`ThreadOrder`)
  /// @param watcher  null where threads are neither recorded nor scheduled
  CtaEmulator(const CtaShape& shape, ClusterState& cluster, const std::function<void()>& body, unsigned seed,
              Watcher* watcher = nullptr)
      : cta_(shape, cluster, seed) {
    for (int rank = 0; rank < shape.threads; ++rank) {
      threads_.push_back(std::make_unique<CtaThread>(cta_, rank, body, watcher));
      order_.push_back(threads_.back().get());
    }
  }

  void begin(RunWatch& watch) { cta_.watch = &watch; }
  /// Runs threads that can continue, each up to its next wait. False where none can, or where one has failed.
  bool run_some() { return has_priorities() ? run_first_warp() : run_round(); }
  /// Whether it runs as far as it can before other CTAs of the cluster do.
  [[nodiscard]] bool runs_far() const { return has_priorities() && !cta_.order.is_by_operation(); }
  /// Whether a thread threw, or exceeded a limit.
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
  /// Ends the run: keeps what the messages need, and unwinds the stacks of the threads that have not finished.
  void stop() {
    left_copies_ = cta_.leaves_pending ? cta_.copies.any_but_stores() : cta_.copies.any();
    if (!left_copies_) {
      cta_.copies.make_all();
    }
    PipelineLetters pipelines = cta_.pipelines;
    unused_ = cta_.phase_barriers.unused(pipelines);
    if (!unused_.empty()) {
      unused_ += pipelines.legend();
    }
    waiting_ = waiting_threads().text();
    waits_for_cta_ = any_waits([](const machine::Site& site) { return site.point == machine::Point::cta; });
    waits_for_groups_ = any_waits([](const machine::Site& site) {
      return site.point == machine::Point::empty && site.who == machine::Who::dma_warps && has_groups(site.pipeline);
    });
    failed_ = first_that_failed();
    reaches_peers_ = first_that_reaches_peers();
    cancel();
    cta_.watch = nullptr;
  }

  // After the run.

  /// Throws where a thread was left, since it exceeded a limit.
  void expect_none_left(Exceeded limit) {
    for (const auto& thread : threads_) {
      if (thread->is_left()) {
        throw_exceeded(limit, place_of(*thread), cta_.pipelines.legend());
      }
    }
  }
  /// Throws what a thread threw, with its place.
  void throw_error() {
    if (failed_ != nullptr) {
      const std::string place = place_of(*failed_);
      rethrow_located(failed_->error(), place, cta_.pipelines.legend());
    }
  }
  /// A CTA that has ended is done with others' shared memory. Where it arrives at their barriers, one of its threads
  /// may say so for all: a proof judges that.
  void expect_peers_free() {
    if (reaches_peers_ != nullptr && !cta_.signals_peers) {
      throw KernelError(
          "dma::Cta: a thread ends after peer() without cta.cluster_sync(), so that the other CTA may end before this "
          "thread's last access to its shared memory; synchronize the cluster after the last one, or arrive at a "
          "barrier of that CTA [" +
          place_of(*reaches_peers_) + ']' + cta_.pipelines.legend());
    }
  }
  /// Who waits for what, one line for all threads that wait for the same; empty where none does.
  [[nodiscard]] const std::string& waiting() const noexcept { return waiting_; }
  /// Whether a thread waits for the CTA to synchronize, which not all do.
  [[nodiscard]] bool waits_for_cta() const noexcept { return waits_for_cta_; }
  /// Whether a DMA warp waits for a slot that several compute groups release.
  [[nodiscard]] bool waits_for_groups() const noexcept { return waits_for_groups_; }
  void expect_nothing_left() {
    for (const auto& thread : threads_) {
      cta_.constructed.expect_all(thread->constructed(), thread->rank());
    }
    if (!unused_.empty()) {
      throw UnusedTile("dma::host::launch: " + name() + " ended with " + unused_);
    }
    if (left_copies_) {
      throw PendingAtExit("dma::host::launch: " + name() +
                          " ended while asynchronous copies were in flight; wait for them, or use every tile");
    }
    if (cta_.tensor_cells.any()) {
      throw PendingAtExit("dma::host::launch: " + name() +
                          " ended with tensor memory that is not freed, which the SM's next CTAs wait for; free it "
                          "(tcgen05.dealloc), as a TensorMemory does at its end");
    }
    expect_not_armed(cta_.named_barriers.armed(cta_.pipelines));
    expect_not_armed(cta_.phase_barriers.armed(cta_.pipelines, cta_.leaves_pending));
    if (cta_.shape.starts_early && !cta_.waits_for_grids) {
      throw KernelError("dma::host::launch: " + name() +
                        " of a body with programmatic_launch ended without cta.grid_dependency_wait(), so that it may "
                        "end before the grids before, which the next grid does not wait for; call it in every thread");
    }
  }
  [[nodiscard]] std::string name() const {
    const Index3 block = cta_.shape.block;
    return "block (" + std::to_string(block.x) + ", " + std::to_string(block.y) + ", " + std::to_string(block.z) + ')';
  }

 private:
  [[nodiscard]] bool has_priorities() const { return cta_.order.threads() == ThreadOrder::Threads::priorities; }
  /// Runs each thread that can continue once. False where none can.
  bool run_round() {
    if (cta_.order.threads() == ThreadOrder::Threads::shuffled_rounds) {
      std::shuffle(order_.begin(), order_.end(), cta_.order.random());
    }
    bool any_ran = false;
    for (CtaThread* thread : order_) {
      if (!thread->is_finished() && thread->can_continue()) {
        run(*thread);
        any_ran = true;
        if (has_failed_) {
          return false;
        }
      }
    }
    return complete_copies() || any_ran;
  }
  /// Runs the first warp that can continue as far as it can, or until the order changes. False where none can.
  bool run_first_warp() {
    for (const int warp : cta_.order.warps()) {
      bool any_ran = false;
      while (run_lanes(warp)) {
        any_ran = true;
        if (cta_.order.change_after(warp)) {
          complete_copies();
          return true;
        }
      }
      if (any_ran || has_failed_) {
        return !has_failed_;
      }
    }
    return complete_copies();
  }
  /// Runs each lane of a warp that can continue once. False where none can, or where one throws.
  bool run_lanes(int warp) {
    bool any_ran = false;
    for (int lane = 0; lane < WarpState::lanes && !has_failed_; ++lane) {
      CtaThread& thread = *threads_[static_cast<std::size_t>(warp * WarpState::lanes + lane)];
      if (!thread.is_finished() && thread.can_continue()) {
        run(thread);
        any_ran = true;
      }
    }
    return any_ran && !has_failed_;
  }
  void run(CtaThread& thread) {
    thread.resume();
    has_failed_ = has_failed_ || thread.error() || thread.is_left();
    if (cta_.order.copies() == ThreadOrder::Copies::at_once) {
      complete_copies();
    }
  }
  /// Completes copies in flight. False where none is. Those that the last thread leaves are an error, which `run`
  /// reports.
  bool complete_copies() {
    if (!cta_.copies.any() ||
        std::all_of(threads_.begin(), threads_.end(), [](const auto& thread) { return thread->is_finished(); })) {
      return false;
    }
    if (cta_.order.copies() == ThreadOrder::Copies::some) {
      cta_.copies.make_some(cta_.order.random());
    } else {
      cta_.copies.make_all();
    }
    return true;
  }

  /// Unwinds the stack of each thread that has not finished.
  void cancel() {
    cta_.is_cancelled = true;
    for (const auto& thread : threads_) {
      while (thread->is_started() && !thread->is_finished()) {
        thread->resume();
      }
    }
  }

  [[nodiscard]] const CtaThread* first_that_failed() const {
    for (const auto& thread : threads_) {
      if (thread->error()) {
        return thread.get();
      }
    }
    return nullptr;
  }
  /// Null where a thread has not ended: it may synchronize the cluster.
  [[nodiscard]] const CtaThread* first_that_reaches_peers() const {
    const bool has_ended =
        std::all_of(threads_.begin(), threads_.end(), [](const auto& thread) { return thread->is_finished(); });
    const auto first =
        std::find_if(threads_.begin(), threads_.end(), [](const auto& thread) { return thread->reaches_peers(); });
    return has_ended && first != threads_.end() ? first->get() : nullptr;
  }
  template <class Asked>
  [[nodiscard]] bool any_waits(const Asked& asked) const {
    return std::any_of(threads_.begin(), threads_.end(), [&](const auto& thread) {
      return !thread->is_finished() && !thread->can_continue() && asked(thread->site());
    });
  }
  /// Whether the layout of a pipeline has several compute groups.
  [[nodiscard]] static bool has_groups(std::string_view pipeline) {
    constexpr std::string_view group = "Compute<";
    return pipeline.find(group) != pipeline.rfind(group);
  }
  [[nodiscard]] WaitingThreads waiting_threads() const {
    WaitingThreads waiting(cta_.pipelines);
    for (const auto& thread : threads_) {
      if (thread->is_finished()) {
        waiting.add_ended(thread->rank());
      } else if (!thread->can_continue()) {
        waiting.add(thread->rank(), thread->site(), thread->caller());
      }
    }
    return waiting;
  }
  /// Where a thread is: its slot and pipeline, its rank, and the line of its call.
  [[nodiscard]] std::string place_of(const CtaThread& thread) {
    const std::string slot = cta_.pipelines.place_of(thread.work());
    const std::string line = source_line(thread.refused_instruction(), thread.caller());
    return slot + (slot.empty() ? "" : ", ") + name() + ", thread " + std::to_string(thread.rank()) +
           (line.empty() ? "" : ", " + line);
  }
  /// Checks that no arrivals are pending when a CTA ends: the next user of the barrier would count them.
  ///
  /// @param armed  what the barriers keep; empty for nothing
  void expect_not_armed(const std::string& armed) {
    if (!armed.empty()) {
      throw PendingAtExit("dma::host::launch: " + name() + " ended with " + armed + cta_.pipelines.legend());
    }
  }
  CtaState cta_;
  std::vector<std::unique_ptr<CtaThread>> threads_;
  std::vector<CtaThread*> order_;
  bool has_failed_ = false;  ///< a thread threw, or exceeded a limit
  // Of the run that has stopped.
  bool left_copies_ = false;
  std::string unused_;
  std::string waiting_;
  bool waits_for_cta_ = false;
  bool waits_for_groups_ = false;
  const CtaThread* failed_ = nullptr;
  const CtaThread* reaches_peers_ = nullptr;
};

}  // namespace dma::inline v0_1::host::detail
