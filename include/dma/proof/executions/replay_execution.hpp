#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/memory/emulator_memory.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/proof/executions/atomic_words.hpp>
#include <dma/proof/executions/stepped_grid.hpp>
#include <dma/proof/replay/schedule.hpp>
#include <dma/proof/verdict.hpp>

namespace dma::inline v0_1::proof::detail {

/// Runs all CTAs of a grid together along an execution: each operation finds what it found there. Global memory is left
/// as it is at the end.
///
/// @throw KernelError  the kernel does other things
/// @throw  what the kernel throws, and a `Deadlock` where the execution ends in one
inline void replay_execution(const Verdict& verdict, const host::detail::CtaBody& body) {
  const host::detail::EmulatorMemory::Allocations allocations;
  const Schedule& schedule = *verdict.schedule;
  AtomicWords words;
  for (const ByteRange& range : schedule.execution.words) {
    static_cast<void>(words.number_of(range, 0, {}));
  }
  SteppedGrid grid(words, {.block = {0, 0, 0}, .grid = schedule.blocks}, body);
  for (const Found& found : schedule.execution.operations) {
    const auto& asked = grid.thread(found.thread).asked();
    if (grid.has_failed()) {
      break;
    }
    if (!asked || asked->word != found.word) {
      throw host::KernelError(
          "dma::proof::replay: the kernel does not follow the execution; replay the kernel that was judged, with the "
          "same grid and arguments, and with global memory as it was then");
    }
    grid.grant(found.thread, found.value);
  }
  for (const auto& [word, value] : schedule.execution.written) {
    grid.set_word(word, value);
  }
  grid.end_and_leave();
}

}  // namespace dma::inline v0_1::proof::detail
