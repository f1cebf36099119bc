# cmake -D PTX=<file> -D KERNEL=<part of its name> -D BEGINNING=<text> -D INSTRUCTIONS=<names> -P
# See dma_add_ptx_names.

include(${CMAKE_CURRENT_LIST_DIR}/ptx_instructions.cmake)

instructions_of(${PTX} ${KERNEL} found)
string(REPLACE . "\\." pattern ${BEGINNING})
list(FILTER found INCLUDE REGEX "^${pattern}")
if(NOT COUNTED)
  list(REMOVE_DUPLICATES found)
endif()
list(SORT found)
separate_arguments(expected UNIX_COMMAND "${INSTRUCTIONS}")
list(SORT expected)
message("found ${found}")
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "expected ${expected}")
endif()
