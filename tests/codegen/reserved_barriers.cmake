# cmake -D NVCC= -D PTX=<file> -P: see dma_add_reserved_barriers_test. ptxas reports the numbers.

cmake_path(GET PTX STEM name)
execute_process(COMMAND ${NVCC} -cubin -arch=sm_90a -Xptxas -v ${PTX} -o ${name}.cubin
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nvcc failed")
endif()

string(REGEX MATCHALL "entry function '[^']*reserves[^']*'[^']*'[^']*'[^']*registers, used [0-9]+ barriers" kernels "${output}")
list(LENGTH kernels count)
if(count EQUAL 0)
  message(FATAL_ERROR "no kernel 'reserves' found")
endif()
foreach(kernel IN LISTS kernels)
  # The mangled name of the template's arguments ends: Li<Reserved>EE v (the result) ...
  string(REGEX MATCH "Li([0-9]+)EEv" told "${kernel}")
  set(told ${CMAKE_MATCH_1})
  string(REGEX MATCH "used ([0-9]+) barriers" reserved "${kernel}")
  set(reserved ${CMAKE_MATCH_1})
  if(NOT told EQUAL reserved)
    message(SEND_ERROR "explain tells ${told} and ptxas reserves ${reserved} in ${kernel}")
  endif()
endforeach()
