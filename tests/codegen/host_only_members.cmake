# cmake -D NVCC= -D INCLUDE= -D SOURCE=<file> -P: each member that the file names after "pattern:" or "barrier:" is an error.
# Two compilations: nvcc does not look at functions that are not constexpr where one that is has an error.

foreach(policy pattern barrier)
  string(TOUPPER OF_${policy} macro)
  execute_process(COMMAND ${NVCC} --ptx -arch=compute_90a -std=c++20 -D ${macro} -I ${INCLUDE} ${SOURCE} -o host_only.ptx
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  file(STRINGS ${SOURCE} members REGEX "^/// ${policy}: ")
  string(REPLACE "/// ${policy}: " "" members "${members}")
  string(REPLACE " " ";" members "${members}")
  if(status EQUAL 0 OR NOT members)
    message(FATAL_ERROR "nvcc compiles the ${policy} of ${SOURCE}")
  endif()
  foreach(member IN LISTS members)
    if(NOT output MATCHES "error: calling a [^\n]*__host__ function\\(\"[^\"]*${member}[^\n]* from a __device__ function")
      message("${output}")
      message(FATAL_ERROR "no error names ${member}")
    endif()
  endforeach()
endforeach()
