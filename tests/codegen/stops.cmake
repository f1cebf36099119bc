# cmake -D NVCC= -D LAUNCHER=<program> -D INCLUDE=<folder> -D SOURCE=<file> -D OPTIONS=<option> -D MESSAGE=<expression> -P: see dma_add_stop_test.

execute_process(COMMAND ${NVCC} -cubin -arch=sm_90a -std=c++20 -I ${INCLUDE} ${SOURCE} -o planted.cubin COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${LAUNCHER} ${NVCC} -cubin -arch=sm_90a -std=c++20 -I ${INCLUDE} -Werror all-warnings ${OPTIONS} ${SOURCE} -o planted.cubin
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(status EQUAL 0)
  message(FATAL_ERROR "compiles")
endif()
if(NOT output MATCHES "error *: ${MESSAGE}")
  message(FATAL_ERROR "no error says: ${MESSAGE}")
endif()
