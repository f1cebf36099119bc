# cmake -D NVCC= -D INCLUDE= -D OURS=<file> -D THEIRS=<file> -P: see dma_add_compile_time_test.
# The best of a few alternating runs, of their time on the CPU, so that neither side pays for the machine's other work.

set(most_rounds 4)

function(compile source best_ms)
  execute_process(COMMAND bash -c "TIMEFORMAT='cpu %3U %3S'; time \"$@\"" bash
                          ${NVCC} -c -arch=sm_90a -std=c++20 -O3 -I ${INCLUDE} ${source} -o compile_time.o
                  ERROR_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "cpu ([0-9]+)[.,]([0-9]+) ([0-9]+)[.,]([0-9]+)")
    message(FATAL_ERROR "no time in:\n${output}")
  endif()
  math(EXPR ms "${CMAKE_MATCH_1}${CMAKE_MATCH_2} + ${CMAKE_MATCH_3}${CMAKE_MATCH_4}")
  if(NOT DEFINED ${best_ms} OR ms LESS ${best_ms})
    set(${best_ms} ${ms} PARENT_SCOPE)
  endif()
endfunction()

set(rounds 0)
while(rounds LESS most_rounds AND (rounds EQUAL 0 OR ours_ms GREATER theirs_ms))
  math(EXPR rounds "${rounds} + 1")
  compile(${OURS} ours_ms)
  compile(${THEIRS} theirs_ms)
endwhile()
message("ours ${ours_ms} ms, theirs ${theirs_ms} ms (best of ${rounds})")
if(ours_ms GREATER theirs_ms)
  message(FATAL_ERROR "ours compiles slower")
endif()
