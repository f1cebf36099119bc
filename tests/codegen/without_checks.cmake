# cmake -D NVCC= -D INCLUDE= -D REMOVE_CHECKS=<program> -D SOURCE=<file> -P: see dma_add_without_checks_test.

cmake_path(GET SOURCE STEM name)

function(compile headers result)
  execute_process(COMMAND ${NVCC} --ptx -arch=sm_90a -std=c++20 -O3 ${ARGN} -I ${headers} ${SOURCE} -o ${name}_${result}.ptx
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${name}_${result}.ptx text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${REMOVE_CHECKS} ${INCLUDE} ${CMAKE_CURRENT_BINARY_DIR}/headers COMMAND_ERROR_IS_FATAL ANY)
compile(${INCLUDE} unchecked)
compile(${CMAKE_CURRENT_BINARY_DIR}/headers removed)
compile(${INCLUDE} checked -D DMA_CHECKED=1)
if(NOT unchecked STREQUAL removed)
  message(FATAL_ERROR "${SOURCE}: the unchecked build's PTX differs from that without the checks (${name}_*.ptx)")
endif()
if(checked STREQUAL unchecked)
  message(FATAL_ERROR "${SOURCE}: the checked build's PTX is the unchecked one's, so that there was nothing to compare")
endif()
string(LENGTH "${unchecked}" bytes)
message("${bytes} bytes of PTX, the same without the checks")
