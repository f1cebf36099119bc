# Included by the scripts that look into PTX.

set(families mbarrier bar barrier elect fence membar ld st cp createpolicy setmaxnreg shfl atom red call)

# Sets `result` to the instructions of the families in one kernel, named by a part of its mangled name. Operands and
# predicates do not count; calls do, since a kernel could hide instructions in them.
function(instructions_of ptx kernel result)
  file(READ ${ptx} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")

  # The kernel's text goes from its entry to the next function.
  string(REGEX MATCHALL "\\.entry +[A-Za-z0-9_$]*${kernel}[A-Za-z0-9_$]*" entries "${text}")
  list(LENGTH entries count)
  if(NOT count EQUAL 1)
    string(REGEX MATCHALL "\\.entry +[A-Za-z0-9_$]+" all "${text}")
    message(FATAL_ERROR "${ptx}: `${kernel}` names ${count} kernels of ${all}")
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
    string(REGEX MATCH "^[a-z][A-Za-z0-9_.:]*" instruction "${statement}")
    if(instruction MATCHES "^(${family})(\\.|$)" AND NOT instruction MATCHES "^(ld|st)\\.param")
      list(APPEND found ${instruction})
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
