#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof {

/// A schedule as data: what each agent did, in its order, for a text, a picture or a program of yours.
///
/// Agents are the warps of a CTA; in an execution, the threads that access words of atomics, of all CTAs. It has no
/// steps where no schedule was found.
struct Timeline {
  enum class Mark : unsigned char {
    acts,             ///< arrives, accesses memory, fences, opens or closes a barrier
    waits,            ///< its wait is over
    copies,           ///< starts a copy, or an arrival at the end of copies
    ends_copy,        ///< the copy is complete
    cannot_continue,  ///< of a deadlock: waits for ever
  };
  struct Step {
    int agent = 0;  ///< an index into `agents`
    Mark mark = Mark::acts;
    std::string text = {};  ///< a sentence with the agent, what it does, the barrier's phase and the source line
    int began = -1;         ///< of `ends_copy`: the step that started the copy
    int saw = -1;           ///< of a read in an execution: the step that wrote what it sees
    bool is_fault = false;  ///< what the verdict's message is about

    [[nodiscard]] bool operator==(const Step&) const = default;
  };

  std::string title = {};  ///< what the schedule shows, where it is not the verdict's message
  std::vector<std::string> agents = {};
  std::vector<Step> steps = {};
  std::vector<std::string> pipelines = {};  ///< a line for each that the steps name: its letter and type

  [[nodiscard]] bool operator==(const Timeline&) const = default;

  /// One line for each step, marked in its agent's column: `o`, `.` at the end of a copy, `x` where it cannot continue.
  [[nodiscard]] std::string text() const {
    std::string lines = title.empty() ? "" : title + '\n';
    for (const Step& step : steps) {
      lines += "  ";
      for (std::size_t agent = 0; agent < agents.size(); ++agent) {
        lines += agent == static_cast<std::size_t>(step.agent) ? letter_of(step.mark) : '|';
        lines += ' ';
      }
      lines += ' ' + step.text + '\n';
    }
    for (const std::string& pipeline : pipelines) {
      lines += "  " + pipeline + '\n';
    }
    return lines;
  }

 private:
  [[nodiscard]] static char letter_of(Mark mark) noexcept {
    return mark == Mark::ends_copy ? '.' : mark == Mark::cannot_continue ? 'x' : 'o';
  }
};

}  // namespace dma::inline v0_1::proof
