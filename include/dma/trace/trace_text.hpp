#pragma once

#include <dma/config.hpp>
#include <dma/trace/trace.hpp>

#include <ostream>
#include <string_view>

namespace dma::inline v0_1 {

/// A recording as text, for a tool to read: a line `trace <name> <unit> <warps>`, then one line an event,
///
///     <cta> <warp> <pipeline> <slot> <full|empty> <dma|compute> <begins|waits|goes_on|arrives> <time>
///
/// @param name    one word
/// @param unit    of the time: "cycles" where the kernel ran on a GPU, "steps" on a host
/// @param buffer  whose events are in memory that the host reads
/// @param warps   of a CTA
/// @throws std::length_error  where a warp has recorded as many events as there is room for
inline void write_trace(std::ostream& out, std::string_view name, std::string_view unit, const TraceBuffer& buffer,
                        int warps) {
  constexpr const char* marks[] = {"nothing", "begins", "waits", "goes_on", "arrives"};
  out << "trace " << name << ' ' << unit << ' ' << warps << '\n';
  for (int row = 0; row < buffer.ctas * warps; ++row) {
    const TraceEvent* const events = buffer.events + static_cast<long long>(row) * buffer.events_a_warp;
    int count = 0;
    while (count < buffer.events_a_warp && events[count].mark != TraceMark::nothing) {
      const TraceEvent& event = events[count++];
      out << row / warps << ' ' << row % warps << ' ' << event.pipeline << ' ' << event.slot << ' '
          << (event.is_full ? "full" : "empty") << ' ' << (event.is_dma ? "dma" : "compute") << ' '
          << marks[static_cast<int>(event.mark)] << ' ' << event.time << '\n';
    }
    if (count == buffer.events_a_warp) {
      detail::MessageText message;
      message.add(
          "dma::write_trace: warp %d of CTA %d had no room for more than %d events; give the buffer more events_a_warp",
          row % warps, row / warps, count);
      detail::throw_or_abort(std::__throw_length_error, message);
    }
  }
}

}  // namespace dma::inline v0_1
