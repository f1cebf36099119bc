#pragma once

#include <dma/host/global_arrays.hpp>
#include <dma/proof/search/search_limits.hpp>

#include <vector>

namespace dma::inline v0_1::proof {

/// How a kernel is recorded and judged.
struct Options {
  unsigned first_seed = 0;  ///< of the runs: `launch` with the same seed makes the same run
  int seeds = 6;            ///< runs that must do the same operations and give the same outputs (`ThreadOrder`)
  /// Where CTAs cancel others that have not begun: as of `LaunchOptions`, in each run. Below 0 there are also runs in
  /// each order, where these are few (`limits.executions`).
  long long cancellations = -1;
  /// The arrays that the kernel reads. Where there are any, a read of another array is a fault.
  std::vector<host::detail::Input> inputs = {};
  /// The arrays that it writes, and may read: restored before each run, compared after it. Where there are any, a write
  /// of another array is a fault.
  std::vector<host::detail::Output> outputs = {};
  bool has_other_arrays = false;  ///< true: it accesses others too, so that no array's bounds are judged
  /// Of a kernel whose threads order themselves by atomics: CTAs that run at a time, begun in the order of their index;
  /// 0: all of the grid. Of clusters those that have room, and at least one.
  int resident = 0;
  /// Also of such a kernel, where fewer than all CTAs run at a time: they begin in any order, as a GPU may. A CTA that
  /// waits for one with a lower index may then wait for ever; one that takes its number from a counter does not.
  bool any_cta_order = false;
  /// Also of such a kernel: its CTAs do the same up to their index, and which of them comes first makes no difference,
  /// as where each adds its part and the last one to come adds them up. Executions that differ by an exchange of CTAs
  /// are one then. The proof does not check it.
  bool equal_ctas = false;
  /// The same of the threads of each CTA, in place of its CTAs: as where each takes a ticket. That they do the same to
  /// words of atomics is checked, by running them with what the others have read.
  bool equal_threads = false;
  Limits limits = {};
};

}  // namespace dma::inline v0_1::proof
