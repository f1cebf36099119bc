# cmake -D SOURCE_DIR=<repository> -P: every line of a C++ snippet in the documents is in an example or an
# application that is compiled, every line of a Python snippet in one of them or in a test.

cmake_minimum_required(VERSION 3.26...3.31)

file(GLOB_RECURSE documents ${SOURCE_DIR}/docs/*.md)
list(APPEND documents ${SOURCE_DIR}/README.md)
file(GLOB_RECURSE examples ${SOURCE_DIR}/examples/*.hpp ${SOURCE_DIR}/examples/*.cpp ${SOURCE_DIR}/examples/*.cu
     ${SOURCE_DIR}/examples/*.cuh ${SOURCE_DIR}/examples/*.py ${SOURCE_DIR}/applications/*.hpp
     ${SOURCE_DIR}/applications/*.cpp ${SOURCE_DIR}/applications/*.cu ${SOURCE_DIR}/applications/*.cuh
     ${SOURCE_DIR}/applications/*.py ${SOURCE_DIR}/python/tests/*.py)

# A list cannot hold brackets and semicolons as they are, so both sides exchange them for words.
function(read_lines file result)
  file(READ ${file} text)
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  string(REGEX REPLACE "[ \t]*\n[ \t]*" ";" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(compiled)
foreach(example IN LISTS examples)
  read_lines(${example} lines)
  list(APPEND compiled ${lines})
endforeach()

set(checked 0)
foreach(document IN LISTS documents)
  read_lines(${document} lines)
  set(in_snippet FALSE)
  foreach(line IN LISTS lines)
    if(line STREQUAL "```cpp" OR line STREQUAL "```python")
      set(in_snippet TRUE)
    elseif(line STREQUAL "```")
      set(in_snippet FALSE)
    elseif(in_snippet AND NOT line STREQUAL "")
      math(EXPR checked "${checked} + 1")
      if(NOT line IN_LIST compiled)
        message(SEND_ERROR "${document}: no example has the line\n  ${line}")
      endif()
    endif()
  endforeach()
endforeach()
if(checked EQUAL 0)
  message(FATAL_ERROR "no snippet was found")
endif()
message("${checked} lines of snippets are in examples")
