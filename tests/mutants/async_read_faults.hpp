#pragma once

#include "mutants/fault.hpp"

namespace mutants {

/// Of the reads of tensor cores, and of what judges them.
inline const Faults async_read_faults = {
    {"reads: commit closes no group", {{"pipeline/async_reads.hpp", "machine::commit_async_reads();", ""}}},
    {"reads: a wait leaves one group more",
     {{"pipeline/async_reads.hpp", "machine::wait_for_async_reads<Pending>();",
       "machine::wait_for_async_reads<Pending + 1>();"}}},
    {"reads: a wait waits for none", {{"pipeline/async_reads.hpp", "machine::wait_for_async_reads<Pending>();", ""}}},
    {"reads: what cp.async wrote is not fenced", {{"pipeline/async_reads.hpp", "machine::fence_async_proxy();", ""}}},
    {"reads: commit does not say which slot is read",
     {{"pipeline/async_reads.hpp", "slot.begin_async_reads();", ""}},
     "wrong slots that tensor cores*"},

    {"emulator: a slot may be released while it is read",
     {{"host/emulation/cta_thread.hpp", "expect_read(slot, bytes, \"a slot is released\");", ""}},
     "wrong slots that tensor cores*"},
    {"emulator: a pipeline may end while its slots are read",
     {{"host/emulation/cta_thread.hpp", "expect_read(storage, bytes, \"a pipeline ends, or close() is called,\");",
       ""}},
     "wrong slots that tensor cores*"},
    {"emulator: a thread may end while tensor cores read",
     {{"host/emulation/cta_thread.hpp", "reads_.expect_none();", ""}},
     "wrong slots that tensor cores*"},
    {"emulator: a wait for reads covers one group more",
     {{"host/emulation/reads_under_way.hpp", "read.group < committed_ - pending",
       "read.group <= committed_ - pending"}},
     "wrong slots that tensor cores*"},
    {"emulator: some lanes may commit reads",
     {{"host/emulation/cta_thread.hpp", "step_together(WarpStep::Kind::commit_reads);", ""},
      {"host/emulation/cta_thread.hpp", "step_together(WarpStep::Kind::await_reads, 0, pending);", ""}},
     "wrong slots that tensor cores*"},
    {"recorder: reads of tensor cores are left out",
     {{"proof/record/recording_thread.hpp", "instruction.is_copy() || instruction.kind == OperationKind::read_async",
       "instruction.is_copy()"}},
     "wrong slots that tensor cores*"},
    {"clocks: a wait for reads covers one group more",
     {{"proof/clocks/clock_judge.hpp", "state.committed_reads[state.committed_reads.size() - pending - 1]",
       "state.committed_reads[state.committed_reads.size() - (pending == 0 ? 0 : pending - 1) - 1]"}},
     "proof"},
    {"clocks: reads may be pending at exit",
     {{"proof/clocks/clock_judge.hpp",
       "reading >= 0 && known(static_cast<int>(agent), reading) < agents_[agent].async_reads", "false"}},
     "proof"},
    {"search: a wait for reads covers one group more",
     {{"proof/search/segments.hpp", "read.group < read_groups_ - operation.count",
       "read.group <= read_groups_ - operation.count"}},
     "proof"},
    {"search: reads may be pending at exit",
     {{"proof/search/segments.hpp", "!async_reads_.empty()", "false"}},
     "proof"},
    {"search: an agent's own writes do not meet its reads",
     {{"proof/search/segments.hpp", "mask(read.reads).meets(writes)", "false"}},
     "proof"},
    {"search: an access behind the reads hides one before",
     {{"proof/search/proxy_accesses.hpp", "std::max(last_fence, last_bulk)", "last_fence"}},
     "proof"},
};

}  // namespace mutants
