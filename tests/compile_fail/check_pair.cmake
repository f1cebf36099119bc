# cmake -D CXX=<compiler> -D SOURCE=<file> -D FLAGS=<list> -D INCLUDES=<list> -P: see CMakeLists.txt beside this file.

file(READ ${SOURCE} text)
if(NOT text MATCHES "^// error: ([^\n]+)\n")
  message(FATAL_ERROR "${SOURCE}: the first line must be `// error: <text of the message>`")
endif()
set(expected "${CMAKE_MATCH_1}")

# Where a concept refuses, the compiler's own error comes first and our names stand in its notes: a second line says which.
set(expected_note "")
if(text MATCHES "\n// note: ([^\n]+)\n")
  set(expected_note "${CMAKE_MATCH_1}")
endif()

list(TRANSFORM INCLUDES PREPEND -I)
set(ENV{LC_ALL} C)  # plain quotes in the compiler's messages
set(command ${CXX} ${FLAGS} -fsyntax-only ${INCLUDES} ${SOURCE})

execute_process(COMMAND ${command} RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "does not compile without its mistake")
endif()

execute_process(COMMAND ${command} -DDMA_MISTAKE RESULT_VARIABLE status ERROR_VARIABLE output)
string(REGEX REPLACE "dma::v[0-9]+_[0-9]+::" "dma::" output "${output}")  # names as a program writes them
message("expected: ${expected}\n${output}")
if(status EQUAL 0)
  message(FATAL_ERROR "compiles with its mistake")
endif()

# The reader sees the first error, and no other sentence of ours may compete with it.
string(REGEX MATCH "[^\n]* error: [^\n]*" first_error "${output}")
string(FIND "${first_error}" "${expected}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the first error is not the expected one")
endif()
string(REPLACE "${expected}" "" others "${output}")
if(others MATCHES "static assertion failed(: | due to requirement [^\n]*': )dma::[^\n]*")
  message("${CMAKE_MATCH_0}")
  message(FATAL_ERROR "a second message of ours")
endif()
string(FIND "${output}" "${expected_note}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "nothing says: ${expected_note}")
endif()
# The first error may be the only one.
if(text MATCHES "\n// no other error\n")
  string(REGEX MATCHALL " error: " errors "${output}")
  list(LENGTH errors count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${count} errors, and the first says all")
  endif()
endif()
