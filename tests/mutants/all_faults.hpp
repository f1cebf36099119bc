#pragma once

#include "mutants/async_read_faults.hpp"
#include "mutants/attention_faults.hpp"
#include "mutants/backward_faults.hpp"
#include "mutants/barrier_faults.hpp"
#include "mutants/bounds_faults.hpp"
#include "mutants/box_faults.hpp"
#include "mutants/cluster_faults.hpp"
#include "mutants/composite_faults.hpp"
#include "mutants/copy_faults.hpp"
#include "mutants/decode_faults.hpp"
#include "mutants/emulated_thread_faults.hpp"
#include "mutants/emulator_faults.hpp"
#include "mutants/engine_faults.hpp"
#include "mutants/example_faults.hpp"
#include "mutants/fault.hpp"
#include "mutants/gemm_faults.hpp"
#include "mutants/halo_faults.hpp"
#include "mutants/kernel_faults.hpp"
#include "mutants/law_faults.hpp"
#include "mutants/limit_faults.hpp"
#include "mutants/linear_faults.hpp"
#include "mutants/linear_fp8_faults.hpp"
#include "mutants/matrix_faults.hpp"
#include "mutants/memory_faults.hpp"
#include "mutants/pending_faults.hpp"
#include "mutants/pipeline_faults.hpp"
#include "mutants/prover_faults.hpp"
#include "mutants/ptx_faults.hpp"
#include "mutants/recorded_access_faults.hpp"
#include "mutants/recorder_faults.hpp"
#include "mutants/replay_faults.hpp"
#include "mutants/ring_faults.hpp"
#include "mutants/row_faults.hpp"
#include "mutants/row_list_faults.hpp"
#include "mutants/run_faults.hpp"
#include "mutants/scan_faults.hpp"
#include "mutants/search_faults.hpp"
#include "mutants/select_faults.hpp"
#include "mutants/stencil_faults.hpp"
#include "mutants/tensor_copy_faults.hpp"
#include "mutants/tensor_faults.hpp"
#include "mutants/tensor_memory_faults.hpp"
#include "mutants/thread_faults.hpp"
#include "mutants/two_phase_faults.hpp"
#include "mutants/update_faults.hpp"
#include "mutants/verdict_faults.hpp"

namespace mutants {

/// Every fault, in the order of their numbers.
inline Faults all_faults() {
  Faults all;
  for (const Faults* part : {&pipeline_faults,
                             &ring_faults,
                             &update_faults,
                             &engine_faults,
                             &barrier_faults,
                             &kernel_faults,
                             &example_faults,
                             &matrix_faults,
                             &prover_faults,
                             &async_read_faults,
                             &gemm_faults,
                             &attention_faults,
                             &backward_faults,
                             &cluster_faults,
                             &search_faults,
                             &select_faults,
                             &replay_faults,
                             &recorded_access_faults,
                             &recorder_faults,
                             &run_faults,
                             &verdict_faults,
                             &emulator_faults,
                             &emulated_thread_faults,
                             &limit_faults,
                             &law_faults,
                             &box_faults,
                             &halo_faults,
                             &row_faults,
                             &composite_faults,
                             &tensor_faults,
                             &row_list_faults,
                             &copy_faults,
                             &two_phase_faults,
                             &thread_faults,
                             &bounds_faults,
                             &memory_faults,
                             &ptx_faults,
                             &scan_faults,
                             &decode_faults,
                             &linear_faults,
                             &linear_fp8_faults,
                             &pending_faults,
                             &tensor_memory_faults,
                             &tensor_copy_faults,
                             &stencil_faults}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

}  // namespace mutants
