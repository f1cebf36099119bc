# cmake -D NVCC= -D SOURCE=<file> -D INCLUDE=<the library's headers> -D SINGLE=<folders of the single header> -P: the
# file's PTX is the same, byte for byte, by both.

foreach(side INCLUDE SINGLE)
  list(TRANSFORM ${side} PREPEND -I OUTPUT_VARIABLE folders)
  execute_process(COMMAND ${NVCC} --ptx -arch=sm_90a -std=c++20 -Werror all-warnings ${folders} ${SOURCE} -o ${side}.ptx
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files INCLUDE.ptx SINGLE.ptx COMMAND_ERROR_IS_FATAL ANY)
