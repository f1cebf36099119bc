# cmake -D LEFT=<PTX> -D LEFT_KERNEL=<part of its name> -D RIGHT= -D RIGHT_KERNEL= -P
# See dma_add_ptx_match.

include(${CMAKE_CURRENT_LIST_DIR}/ptx_instructions.cmake)

# Sets `result` to the sorted, counted instructions of one kernel, one a line.
function(counted_instructions_of ptx kernel result)
  instructions_of(${ptx} ${kernel} found)
  set(counted "")
  set(unique ${found})
  list(REMOVE_DUPLICATES unique)
  list(SORT unique)
  foreach(instruction IN LISTS unique)
    set(same ${found})
    string(REPLACE . "\\." pattern ${instruction})
    list(FILTER same INCLUDE REGEX "^${pattern}$")
    list(LENGTH same count)
    string(APPEND counted "  ${count} x ${instruction}\n")
  endforeach()
  set(${result} "${counted}" PARENT_SCOPE)
endfunction()

counted_instructions_of(${LEFT} ${LEFT_KERNEL} left)
counted_instructions_of(${RIGHT} ${RIGHT_KERNEL} right)
if("${left}" STREQUAL "")
  message(FATAL_ERROR "${LEFT}: no synchronization or copy instruction found")
endif()
message("${LEFT_KERNEL} (${LEFT}):\n${left}")
if(NOT left STREQUAL right)
  message("${RIGHT_KERNEL} (${RIGHT}):\n${right}")
  message(FATAL_ERROR "the two kernels differ")
endif()
