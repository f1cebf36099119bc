# cmake -D NVCC= -D PTX=<file> [-D MOST_REGISTERS=<number>] -P: see dma_add_no_spill_test. ptxas reports the numbers.

cmake_path(GET PTX STEM name)
execute_process(COMMAND ${NVCC} -cubin -arch=sm_90a -Xptxas -v ${PTX} -o ${name}.cubin
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nvcc failed")
endif()

if(output MATCHES "'setmaxnreg' ignored")  # C7508 and its like
  message(SEND_ERROR "ptxas ignores the register budgets")
endif()

if(output MATCHES "wgmma.mma_async instructions are serialized[^\n]*|\\(C751[79]\\)[^\n]*")  # C7510 to C7519
  message(SEND_ERROR "matrix products do not overlap: ${CMAKE_MATCH_0}")
endif()

string(REGEX MATCHALL "Compiling entry function" entries "${output}")
string(REGEX MATCHALL "[0-9]+ bytes stack frame, [0-9]+ bytes spill stores, [0-9]+ bytes spill loads" frames "${output}")
list(LENGTH entries entry_count)
list(LENGTH frames frame_count)
if(entry_count EQUAL 0 OR frame_count LESS entry_count)
  message(FATAL_ERROR "ptxas named ${entry_count} kernels and ${frame_count} stack frames")
endif()
foreach(frame IN LISTS frames)
  if(NOT frame STREQUAL "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
    message(SEND_ERROR "a kernel above has ${frame}")
  endif()
endforeach()

if(MOST_REGISTERS)
  string(REGEX MATCHALL "Used [0-9]+ registers" registers "${output}")
  list(TRANSFORM registers REPLACE "[^0-9]" "")
  list(LENGTH registers register_count)
  if(register_count LESS entry_count)
    message(FATAL_ERROR "ptxas named ${entry_count} kernels and the registers of ${register_count}")
  endif()
  foreach(used IN LISTS registers)
    if(used GREATER MOST_REGISTERS)
      message(SEND_ERROR "a kernel above uses ${used} registers, and ${MOST_REGISTERS} are enough")
    endif()
  endforeach()
endif()
