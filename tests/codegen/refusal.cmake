# cmake -D NVCC= -D INCLUDE= -D SOURCE=<file> -D ARCHITECTURE= -D SAYS=<text> -P: see dma_add_refusal_test. For sm_90a, which
# has everything, the file compiles, so that nothing else is what is refused.

cmake_path(GET SOURCE STEM name)
set(compile ${NVCC} -c -std=c++20 -I ${INCLUDE} ${SOURCE} -o ${name}.o)
execute_process(COMMAND ${compile} -arch=sm_90a COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${compile} -arch=${ARCHITECTURE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "nvcc compiles ${SOURCE} for ${ARCHITECTURE}")
endif()
string(FIND "${output}" "${SAYS}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "nvcc says\n${output}\nand not\n${SAYS}")
endif()
