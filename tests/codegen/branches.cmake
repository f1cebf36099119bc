# cmake -D PTX=<file> -D KERNEL=<part of its name> -D COUNT=<number> -P: see dma_add_branches_test.

include(${CMAKE_CURRENT_LIST_DIR}/ptx_instructions.cmake)

set(families bra)
instructions_of(${PTX} ${KERNEL} found)
list(LENGTH found count)
message("found ${count} branches")
if(NOT count EQUAL COUNT)
  message(FATAL_ERROR "expected ${COUNT}")
endif()
