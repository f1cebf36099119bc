#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/phase_word.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/emulated_thread.hpp>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>

namespace dma::host {

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
    const auto count = static_cast<std::uint16_t>(arrivals);
    word = {PhaseWord::open_mark, 0, count, count, 0};
    last_arrivals_[&word] = {};
  }
  void close(void* barrier) {
    PhaseWord& word = at(barrier, {});
    word.mark = 0;
    last_arrivals_.erase(&word);
  }
  void arrive(void* barrier, const machine::Site& site) {
    PhaseWord& word = at(barrier, site);
    last_arrivals_[&word] = site;
    word.arrive();
  }

  /// @throw KernelError  the barrier is not open
  [[nodiscard]] static PhaseWord& at(void* barrier, const machine::Site& site) {
    auto& word = *static_cast<PhaseWord*>(barrier);
    if (!word.is_open()) {
      throw KernelError("dma::host: " + std::string(machine::name_of(site.who)) +
                        " use a phase barrier that is not open: construct the pipeline before the branch of the roles, "
                        "and close it after the last tile");
    }
    return word;
  }

  /// The first open barrier with a phase that has begun, in words; empty where there is none.
  [[nodiscard]] std::string armed(PipelineLetters& pipelines) const {
    for (const auto& [word, site] : last_arrivals_) {
      if (word->is_armed()) {
        std::ostringstream text;
        text << "pending arrivals at a phase barrier: " << word->expected - word->pending << " of " << word->expected
             << " arrivals, " << word->units * PhaseWord::unit_bytes << " bytes to come";
        if (const std::string place = pipelines.place_of(site); !place.empty()) {
          text << ", the last by " << machine::name_of(site.who) << " for " << machine::name_of(site.point) << ", "
               << place;
        }
        return text.str();
      }
    }
    return "";
  }

 private:
  std::map<const PhaseWord*, machine::Site> last_arrivals_;  ///< at each open barrier
};

}  // namespace dma::host
