# cmake -D CXX=<names of a compiler, the best first> -D FLAGS=<list> -D INCLUDE=<folder> -D SOURCE=<file> -D OUTPUT=<file>
# [-D LIBRARY=<options>] [-D READ_ONLY=TRUE] -P: see CMakeLists.txt beside this file. `skipped: <reason>` where the
# compiler is not here, or not the library.

find_program(compiler NAMES ${CXX} NO_CACHE)
if(NOT compiler)
  list(GET CXX 0 name)
  message("skipped: no compiler of the family of ${name} is installed")
  return()
endif()
message("${compiler} ${FLAGS} ${LIBRARY}")

# An empty program tells a library that is not installed from one that our headers do not compile with.
if(LIBRARY)
  file(WRITE ${OUTPUT}.cpp "#include <string>\nint main() {}\n")
  execute_process(COMMAND ${compiler} ${LIBRARY} ${OUTPUT}.cpp -o ${OUTPUT} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    message("skipped: ${compiler} has no library for ${LIBRARY}")
    return()
  endif()
endif()

if(READ_ONLY)
  execute_process(COMMAND ${compiler} ${FLAGS} ${LIBRARY} -fsyntax-only -I ${INCLUDE} ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()
execute_process(COMMAND ${compiler} ${FLAGS} ${LIBRARY} -I ${INCLUDE} ${SOURCE} -o ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
