# cmake -D NVCC= -D INCLUDE= -D LEFT=<file> -D LEFT_KERNEL=<part of its name> -D RIGHT= -D RIGHT_KERNEL= -P
# See dma_add_ptx_match. Operands and predicates do not count; calls do, since a kernel could hide instructions in them.

set(families mbarrier bar barrier elect fence membar ld st cp shfl atom red call)

# Sets `result` to the sorted, counted instructions of the families in one kernel, one a line.
function(instructions_of source kernel result)
  cmake_path(GET source STEM ptx)
  set(ptx ${ptx}_${kernel}.ptx)
  execute_process(COMMAND ${NVCC} --ptx -arch=sm_90a -std=c++20 -O3 -I ${INCLUDE} ${source} -o ${ptx}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${ptx} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")

  # The kernel's text goes from its entry to the next function.
  string(REGEX MATCHALL "\\.entry +[A-Za-z0-9_$]*${kernel}[A-Za-z0-9_$]*" entries "${text}")
  list(LENGTH entries count)
  if(NOT count EQUAL 1)
    string(REGEX MATCHALL "\\.entry +[A-Za-z0-9_$]+" all "${text}")
    message(FATAL_ERROR "${source}: `${kernel}` names ${count} kernels of ${all}")
  endif()
  string(FIND "${text}" "${entries}" begin)
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(REGEX REPLACE "^\\.entry" "" text "${text}")
  string(REGEX MATCH "\\.(entry|func)[^A-Za-z0-9_]" next "${text}")
  if(next)
    string(FIND "${text}" "${next}" end)
    string(SUBSTRING "${text}" 0 ${end} text)
  endif()

  # Statements become list elements; PTX's own brackets would hold a CMake list together.
  string(REGEX REPLACE "[][]" " " text "${text}")
  string(REGEX REPLACE "[{}\n]" ";" text "${text}")
  list(JOIN families "|" family)
  set(found)
  foreach(statement IN LISTS text)
    string(STRIP "${statement}" statement)
    string(REGEX REPLACE "^[A-Za-z0-9_$]+:[ \t]+" "" statement "${statement}")   # a label
    string(REGEX REPLACE "^@!?[A-Za-z0-9_%]+[ \t]+" "" statement "${statement}")  # a predicate
    string(REGEX MATCH "^[a-z][a-z0-9_.:]*" instruction "${statement}")
    if(instruction MATCHES "^(${family})(\\.|$)" AND NOT instruction MATCHES "^(ld|st)\\.param")
      list(APPEND found ${instruction})
    endif()
  endforeach()

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

instructions_of(${LEFT} ${LEFT_KERNEL} left)
instructions_of(${RIGHT} ${RIGHT_KERNEL} right)
if("${left}" STREQUAL "")
  message(FATAL_ERROR "${LEFT}: no synchronization or copy instruction found")
endif()
message("${LEFT_KERNEL} (${LEFT}):\n${left}")
if(NOT left STREQUAL right)
  message("${RIGHT_KERNEL} (${RIGHT}):\n${right}")
  message(FATAL_ERROR "the two kernels differ")
endif()
