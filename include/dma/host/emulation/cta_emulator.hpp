#pragma once

#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/cta_state.hpp>
#include <dma/host/emulation/cta_thread.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/located_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/host/emulation/waiting_threads.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/machine/index3.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dma::host {

/// One CTA: each thread is a fiber, and all of them run on the calling thread.
///
/// A thread runs until it has to wait. A seed decides which thread runs next, so a run can be repeated. When no thread
/// can continue, the CTA is deadlocked: it reports who waits for what, and ends.
///
/// Cost    two context switches for each wait that has to wait; a CTA may have 1,024 threads
class CtaEmulator {
 public:
  /// @param body     the kernel, called in each thread
  /// @param seed     0: threads run in order, round after round; else each round has a random order of this seed
  /// @param watcher  null where threads are neither recorded nor scheduled
  CtaEmulator(const CtaShape& shape, const std::function<void()>& body, unsigned seed, Watcher* watcher = nullptr)
      : cta_(shape), random_(seed), shuffles_(seed != 0) {
    for (int rank = 0; rank < shape.threads; ++rank) {
      threads_.push_back(std::make_unique<CtaThread>(cta_, rank, body, watcher));
      order_.push_back(threads_.back().get());
    }
  }

  /// Runs all threads to their end.
  ///
  /// @throw KernelError  for a deadlock (`Deadlock`), and at the end for tiles that were not used (`UnusedTile`) and
  ///                     for pending copies or arrivals (`PendingAtExit`)
  /// @throw  what a thread threw
  void run() {
    while (run_round()) {
    }
    const bool left_copies = cta_.copies.any();
    PipelineLetters pipelines = cta_.pipelines;
    const std::string unused = cta_.phase_barriers.unused(pipelines);
    const WaitingThreads waiting = waiting_threads();
    const CtaThread* const failed = first_that_failed();
    cancel();
    if (failed != nullptr) {
      const std::string place = place_of(*failed);
      rethrow_located(failed->error(), place, cta_.pipelines.legend());
    }
    if (!waiting.empty()) {
      throw Deadlock("dma::host::launch: deadlock in " + name() + ", where no thread can continue:" + waiting.text());
    }
    if (!unused.empty()) {
      throw UnusedTile("dma::host::launch: " + name() + " ended with " + unused + pipelines.legend());
    }
    if (left_copies) {
      throw PendingAtExit("dma::host::launch: " + name() +
                          " ended while asynchronous copies were in flight; wait for them, or use every tile");
    }
    expect_nothing_armed();
    if (cta_.shape.starts_early && !cta_.waits_for_grids) {
      throw KernelError("dma::host::launch: " + name() +
                        " of a body with programmatic_launch ended without cta.grid_dependency_wait(), so that it may "
                        "end before the grids before, which the next grid does not wait for; call it in every thread");
    }
  }

 private:
  /// Runs each thread that can continue once. False where none can.
  bool run_round() {
    if (shuffles_) {
      std::shuffle(order_.begin(), order_.end(), random_);
    }
    bool any_ran = false;
    bool any_left = false;
    for (CtaThread* thread : order_) {
      if (!thread->is_finished() && thread->can_continue()) {
        thread->resume();
        any_ran = true;
        if (thread->error()) {
          return false;
        }
      }
      any_left = any_left || !thread->is_finished();
    }
    // Copies that the last thread leaves in flight are an error, which `run` reports.
    if (any_left && cta_.copies.any()) {
      if (shuffles_) {
        cta_.copies.make_some(random_);
      } else {
        cta_.copies.make_all();
      }
      any_ran = true;
    }
    return any_ran;
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
  [[nodiscard]] WaitingThreads waiting_threads() const {
    WaitingThreads waiting(cta_.pipelines);
    for (const auto& thread : threads_) {
      if (!thread->is_finished() && !thread->can_continue()) {
        waiting.add(thread->rank(), thread->site(), thread->caller());
      }
    }
    return waiting;
  }
  /// Where a thread is: its slot and pipeline, its rank, and the line of its call.
  [[nodiscard]] std::string place_of(const CtaThread& thread) {
    const std::string slot = cta_.pipelines.place_of(thread.work());
    const std::string line = source_line(thread.caller());
    return slot + (slot.empty() ? "" : ", ") + name() + ", thread " + std::to_string(thread.rank()) +
           (line.empty() ? "" : ", " + line);
  }
  /// Checks that no arrivals are pending when a CTA ends: the next user of the barrier would count them.
  void expect_nothing_armed() {
    for (const std::string& armed :
         {cta_.named_barriers.armed(cta_.pipelines), cta_.phase_barriers.armed(cta_.pipelines)}) {
      if (!armed.empty()) {
        throw PendingAtExit("dma::host::launch: " + name() + " ended with " + armed + cta_.pipelines.legend());
      }
    }
  }
  [[nodiscard]] std::string name() const {
    const Index3 block = cta_.shape.block;
    return "block (" + std::to_string(block.x) + ", " + std::to_string(block.y) + ", " + std::to_string(block.z) + ')';
  }

  CtaState cta_;
  std::vector<std::unique_ptr<CtaThread>> threads_;
  std::vector<CtaThread*> order_;
  std::mt19937 random_;
  bool shuffles_;
};

}  // namespace dma::host
