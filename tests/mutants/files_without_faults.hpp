#pragma once

namespace mutants {

/// A file without faults, and why none can be switched on in it.
struct FileWithoutFaults {
  const char* file;  ///< under include/dma
  const char* reason;
};

/// Folders under include/dma of which every other header has faults.
inline constexpr const char* folders_with_faults[] = {"patterns", "engines", "cudadma", "host", "proof"};

inline constexpr const char* at_compile_time =
    "concepts, constants and functions of compile time: what breaks them does not compile, and tests/compile_fail says "
    "so";
inline constexpr const char* on_a_gpu_alone =
    "concepts, functions of compile time, and calls that only a GPU's compiler makes, to see that it can";

inline constexpr const char* names_of_cudadma =
    "names of CudaDMA over the copies beside it; the tests of examples/cudadma, with which no faults are compiled";

inline constexpr const char* reads_ptx =
    "a reader of PTX's text, which tests/host/proof/ptx tests; no kernel reads any";
inline constexpr const char* runs_ptx =
    "an interpreter of PTX, which tests/host/proof/ptx tests by kernels of PTX; no other kernel runs it";

inline constexpr const char* writes_sarif = "a report, which tests/prove reads; no kernel is in it";

inline constexpr FileWithoutFaults files_without_faults[] = {
    {"cudadma/base.hpp", names_of_cudadma},
    {"cudadma/begins_held.hpp", at_compile_time},
    {"cudadma/diagnose.hpp", "a text"},
    {"cudadma/elements.hpp", names_of_cudadma},
    {"cudadma/transfer.hpp", names_of_cudadma},
    {"cudadma/version1.hpp", names_of_cudadma},
    {"cudadma/version2.hpp", names_of_cudadma},
    {"engines/copy_engine.hpp", on_a_gpu_alone},
    {"host/compiled.hpp", "macros, and a constant"},
    {"host/emulation/contexts/aarch64.hpp",
     "of a processor that the faults do not run on; tests/host/host/fiber_laws.hpp"},
    {"host/emulation/contexts/linux.hpp", "two names and a number"},
    {"host/emulation/contexts/ucontext.hpp", "calls of the C library, for processors that the faults do not run on"},
    {"host/emulation/cta_shape.hpp", "numbers"},
    {"host/emulation/kernel_error.hpp", "types of exceptions"},
    {"host/emulation/contexts/platform.hpp", "concepts, and which platform is used here"},
    {"host/emulation/contexts/web_assembly.hpp",
     "of a platform that the faults do not run on; tests/host/host/fiber_laws.hpp"},
    {"host/emulation/pending_arrivals.hpp", "words of messages, which tests/host/roles/compute_groups_test.cpp reads"},
    {"host/emulation/watcher.hpp", "an interface"},
    {"patterns/pattern_contract.hpp", at_compile_time},
    {"patterns/tile_laws.hpp", at_compile_time},
    {"proof/find_superfluous.hpp", runs_ptx},
    {"proof/memory/explore.hpp", "which of two searches"},
    {"proof/ptx/cluster_requests.hpp", runs_ptx},
    {"proof/ptx/instruction.hpp", runs_ptx},
    {"proof/ptx/kernel.hpp", runs_ptx},
    {"proof/ptx/launch/arrays.hpp", runs_ptx},
    {"proof/ptx/launch/compare_values.hpp", runs_ptx},
    {"proof/ptx/launch/cta_shape.hpp", reads_ptx},
    {"proof/ptx/launch/element_remarks.hpp", runs_ptx},
    {"proof/ptx/launch/entry_named.hpp", reads_ptx},
    {"proof/ptx/launch/launch_line.hpp", runs_ptx},
    {"proof/ptx/launch/launch_verdict.hpp", runs_ptx},
    {"proof/ptx/launch/naming.hpp", runs_ptx},
    {"proof/ptx/launch/npy.hpp", runs_ptx},
    {"proof/ptx/launch/numbers.hpp", runs_ptx},
    {"proof/ptx/launch/nvcc.hpp", "runs a compiler, which tests/prove tests by the program"},
    {"proof/ptx/launch/ptx_words.hpp", "words of messages, which tests/docs/ptx_words_test.py reads"},
    {"proof/ptx/launch/report.hpp", runs_ptx},
    {"proof/ptx/launch/sarif.hpp", writes_sarif},
    {"proof/ptx/launch/source_places.hpp", writes_sarif},
    {"proof/ptx/launch/sweep.hpp", "values of a command, which tests/prove tests by the program"},
    {"proof/ptx/list.hpp", reads_ptx},
    {"proof/ptx/module.hpp", reads_ptx},
    {"proof/ptx/polls.hpp", runs_ptx},
    {"proof/ptx/products/matrix_element.hpp", runs_ptx},
    {"proof/ptx/products/mma_shape.hpp", runs_ptx},
    {"proof/ptx/program.hpp", runs_ptx},
    {"proof/ptx/read/body_reader.hpp", reads_ptx},
    {"proof/ptx/read/place_reader.hpp", reads_ptx},
    {"proof/ptx/read/reader.hpp", reads_ptx},
    {"proof/ptx/read/scopes.hpp", reads_ptx},
    {"proof/ptx/read/variable_reader.hpp", reads_ptx},
    {"proof/ptx/rows.hpp", runs_ptx},
    {"proof/ptx/special_registers.hpp", reads_ptx},
    {"proof/ptx/special_values.hpp", runs_ptx},
    {"proof/ptx/superfluous/superfluous.hpp", "answers, as values"},
    {"proof/ptx/superfluous/superfluous_report.hpp", runs_ptx},
    {"proof/ptx/value_regions.hpp", runs_ptx},
    {"proof/ptx/values/floats.hpp", runs_ptx},
    {"proof/ptx/values/integers.hpp", runs_ptx},
    {"proof/ptx_kernel.hpp", runs_ptx},
    {"proof/proof_options.hpp", "numbers and lists"},
    {"proof/search/search_limits.hpp", "numbers"},
    {"proof/record/log_in_use.hpp", "a section, whose faults are those of host/emulation/run_watch.hpp, and a pointer"},
};

}  // namespace mutants
