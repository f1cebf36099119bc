# cmake -D NVCC= -D INCLUDE= -D OURS=<file> -D THEIRS=<file> -P: see dma_add_compile_time_test.
# The best of a few alternating runs, so that neither side pays for the machine's other work; one run where it is clear.

set(rounds 3)

function(compile source best_us)
  string(TIMESTAMP begin "%s%f")
  execute_process(COMMAND ${NVCC} -c -arch=sm_90a -std=c++20 -O3 -I ${INCLUDE} ${source} -o compile_time.o
                  COMMAND_ERROR_IS_FATAL ANY)
  string(TIMESTAMP end "%s%f")
  math(EXPR us "${end} - ${begin}")
  if(NOT DEFINED ${best_us} OR us LESS ${best_us})
    set(${best_us} ${us} PARENT_SCOPE)
  endif()
endfunction()

foreach(round RANGE 1 ${rounds})
  compile(${OURS} ours_us)
  compile(${THEIRS} theirs_us)
  math(EXPR clearly_more_us "${ours_us} + ${ours_us} / 4")
  if(clearly_more_us LESS theirs_us)
    break()
  endif()
endforeach()
message("ours ${ours_us} us, theirs ${theirs_us} us (best of ${round})")
if(ours_us GREATER theirs_us)
  message(FATAL_ERROR "ours compiles slower")
endif()
