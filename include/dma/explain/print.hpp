#pragma once

#include <dma/explain/explain.hpp>
#include <dma/sync/barrier_ids.hpp>

#include <ostream>

namespace dma::inline v0_1 {

/// An explanation as a table, one fact a line.
inline std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  out << "engine               " << explanation.engine << '\n'
      << "access               " << explanation.access_bytes << " bytes\n"
      << "runs                 " << explanation.run_count << " of up to " << explanation.run_bytes << " bytes";
  if (explanation.tail_bytes != 0) {
    out << ", the last " << explanation.tail_bytes << " apart";
  }
  out << '\n'
      << "steps                " << explanation.steps << " a tile\n"
      << "in flight            " << explanation.bytes_in_flight << " bytes\n"
      << "storage              " << explanation.storage_bytes << " bytes, " << explanation.stages
      << (explanation.stages == 1 ? " stage\n" : " stages\n") << "named barriers       "
      << explanation.hardware_barriers;
  if (explanation.reserved_barriers > 0) {
    out << ", of " << explanation.reserved_barriers << " reserved: at most "
        << detail::sm_barriers / explanation.reserved_barriers << " CTAs an SM";
  }
  out << "\nregisters            at most " << explanation.launch_registers << " a thread";
  if (explanation.compute_registers != explanation.launch_registers) {
    out << " at launch, " << explanation.compute_registers << " a compute thread";
  } else if (explanation.launch_registers < explanation.registers_alone) {
    out << ", " << explanation.registers_alone << " without DMA warps: register budgets give compute threads more";
  }
  if (explanation.idle_warps > 0) {
    out << "; " << explanation.idle_warps << " idle warps complete warpgroups";
  }
  out << '\n'
      << "sectors a request    " << explanation.sectors_per_request << ", at least " << explanation.fewest_sectors
      << '\n'
      << "bank conflict degree " << explanation.bank_conflict_degree << '\n'
      << "thresholds           of " << explanation.measured_on << '\n'
      << (explanation.overlaps_compute ? ""
                                       : "no tile moves while another is used: take two stages or more, or measure a "
                                         "kernel without a pipeline beside this one\n")
      << (explanation.reads_run_lengths
              ? "lengths of rows are read from memory: measure a kernel without a pipeline, a few lanes a row, beside "
                "this one\n"
              : "")
      << (!explanation.is_fast()         ? explanation.remedy
          : explanation.overlaps_compute ? "on the fast path"
                                         : "each tile on the fast path")
      << '\n';
  return out;
}

}  // namespace dma::inline v0_1
