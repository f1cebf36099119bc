#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pending_arrivals.hpp>
#include <dma/host/emulation/phase_word.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/host/emulated_thread.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace dma::inline v0_1::host::detail {

/// The phase barriers of a CTA: an mbarrier each, in the storage that the kernel gives it.
class PhaseBarriers {
 public:
  /// @param arrivals  that complete a phase
  /// @throw KernelError  the barrier is open, or its address is not a multiple of 8
  void open(void* barrier, int arrivals) {
    if (reinterpret_cast<std::uintptr_t>(barrier) % PhaseWord::address_alignment != 0) {
      throw KernelError(
          "dma::host: a phase barrier is at an address that is not a multiple of 8, where a GPU's mbarrier cannot be; "
          "align the barrier's State to 8 bytes (alignas(8))");
    }
    auto& word = *static_cast<PhaseWord*>(barrier);
    if (word.is_open()) {
      throw KernelError(
          "dma::host: a phase barrier is opened again in place; close() the pipeline that had this storage first");
    }
    if (arrivals < 1 || arrivals > PhaseWord::most_arrivals) {
      throw KernelError("dma::host: a phase barrier is opened for " + std::to_string(arrivals) +
                        " arrivals, and takes 1 to " + std::to_string(PhaseWord::most_arrivals) +
                        "; give it as many as arrive in a phase");
    }
    word.open(arrivals);
    last_arrivals_[&word] = {};
  }
  /// @throw KernelError  a phase has begun, or a tile was not used (`UnusedTile`)
  void close(void* barrier, PipelineLetters& pipelines) {
    PhaseWord& word = at(barrier, {machine::Who::threads, machine::Point::closing});
    const auto last = last_arrivals_.find(&word);
    if (last != last_arrivals_.end() && is_unused(*last)) {
      throw UnusedTile("dma::host: a pipeline is closed with " + text_of_unused(last->second, pipelines));
    }
    if (last != last_arrivals_.end() && word.is_armed()) {
      throw KernelError("dma::host: a pipeline is closed with " + text_of_armed(*last, pipelines));
    }
    word.mark = 0;
    last_arrivals_.erase(&word);
  }
  void arrive(void* barrier, const machine::Site& site, bool drops = false) {
    PhaseWord& word = at(barrier, site);
    last_arrivals_[&word] = site;
    word.arrive(drops);
  }

  /// @throw KernelError  the barrier is not open
  [[nodiscard]] static PhaseWord& at(void* barrier, const machine::Site& site) {
    auto& word = *static_cast<PhaseWord*>(barrier);
    if (!word.is_open()) {
      throw KernelError("dma::host: " + std::string(machine::name_of(site.who)) +
                        " use a phase barrier that is not open; construct the pipeline before the branch of the roles, "
                        "and close it after the last tile");
    }
    return word;
  }

  /// The first open barrier with a phase that has begun, in words; empty where there is none.
  ///
  /// @param only_bytes  a phase that only arrivals have begun is none
  [[nodiscard]] std::string armed(PipelineLetters& pipelines, bool only_bytes = false) const {
    for (const auto& last : last_arrivals_) {
      if (last.first->is_armed() && !(only_bytes && last.first->bytes_to_come() == 0)) {
        return text_of_armed(last, pipelines);
      }
    }
    return "";
  }
  /// The first slot whose last tile was not waited for, in words; empty where there is none.
  [[nodiscard]] std::string unused(PipelineLetters& pipelines) const {
    for (const auto& last : last_arrivals_) {
      if (is_unused(last)) {
        return text_of_unused(last.second, pipelines);
      }
    }
    return "";
  }

 private:
  using LastArrival = std::pair<const PhaseWord* const, machine::Site>;

  /// Whether the barrier is a slot's full, and its latest phase, complete but for copies at most, was not waited for.
  [[nodiscard]] static bool is_unused(const LastArrival& last) {
    const PhaseWord& word = *last.first;
    return word.is_open() && last.second.point == machine::Point::full &&
           ((word.is_unawaited() && !word.is_armed()) || (word.pending == 0 && word.bytes_to_come() > 0));
  }
  [[nodiscard]] static std::string text_of_unused(const machine::Site& site, PipelineLetters& pipelines) {
    return std::string("a tile that was not used: ") + machine::name_of(site.who) + " filled " +
           pipelines.place_of(site) +
           (site.who == machine::Who::dma_warps
                ? ", and compute warps did not wait for it; wait() for every tile that is loaded"
            : site.who == machine::Who::producers
                ? ", and the consuming warps did not wait for it; wait() for every tile that is handed over"
                : ", and DMA warps did not store it; store() every tile that is filled");
  }
  [[nodiscard]] static std::string text_of_armed(const LastArrival& last, PipelineLetters& pipelines) {
    const auto& [word, site] = last;
    return "pending arrivals at a phase barrier: " + std::to_string(word->expected - word->pending) + " of " +
           std::to_string(word->expected) + " arrivals, " + std::to_string(word->bytes_to_come()) + " bytes to come" +
           last_arrival(site, pipelines);
  }

  std::map<const PhaseWord*, machine::Site> last_arrivals_;  ///< at each open barrier
};

}  // namespace dma::inline v0_1::host::detail
