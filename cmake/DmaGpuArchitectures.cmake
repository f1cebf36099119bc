# dma_gpu_architectures(<variable> [<compiler>]): what CMAKE_CUDA_ARCHITECTURES should be on this machine: the architecture
# of each of its GPUs, 90a where it has none or no driver. From compute capability 9.0 on it is the one with all of that
# GPU's instructions, `a`: register budgets need them. A GPU that the compiler does not know is said and left out.

function(dma_gpu_architectures variable)
  set(architectures)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader RESULT_VARIABLE status
                  OUTPUT_VARIABLE capabilities ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(capabilities)
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  list(REMOVE_DUPLICATES capabilities)
  if(capabilities AND ARGN)
    execute_process(COMMAND ${ARGN} --list-gpu-arch RESULT_VARIABLE status OUTPUT_VARIABLE known ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+" known "${known}")
  endif()
  foreach(capability IN LISTS capabilities)
    string(REPLACE . "" architecture ${capability})
    if(known AND NOT architecture IN_LIST known)
      message(STATUS "dma: this machine's GPU has compute capability ${capability}, for which the CUDA compiler does not "
                     "compile: programs run on the host; install a toolkit that knows it")
      continue()
    endif()
    if(architecture GREATER_EQUAL 90)
      string(APPEND architecture a)
    endif()
    list(APPEND architectures ${architecture})
  endforeach()
  if(NOT architectures)
    set(architectures 90a)
  endif()
  set(${variable} "${architectures}" PARENT_SCOPE)
endfunction()

# dma_needs_architecture(<target> 90 | 90a): of the architectures that are asked for, only those that have the
# instructions of bulk copies (90 and newer), or of the tensor cores (90a alone); 90a where there is none. The program then
# says on another GPU that it was built for this one.
function(dma_needs_architecture target needed)
  set(architectures)
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    string(REGEX MATCH "^[0-9]+" number "${architecture}")
    if((needed STREQUAL 90a AND architecture MATCHES "^90a") OR (needed STREQUAL 90 AND number GREATER_EQUAL 90))
      list(APPEND architectures ${architecture})
    endif()
  endforeach()
  if(NOT architectures)
    set(architectures 90a)
  endif()
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
endfunction()
