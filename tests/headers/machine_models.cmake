# cmake -D NVCC= -D INCLUDE=<directory> -D SOURCE=<file> -P: fails when a name of the machine's list is not compared in
# the file, or when the file, which compares the two models, does not compile.

set(names)
foreach(header machine access matrix)
  file(STRINGS ${INCLUDE}/dma/machine/${header}.hpp lines REGEX "^using model::")
  list(TRANSFORM lines REPLACE "^using model::([a-z_]+).*" "\\1")
  list(APPEND names ${lines})
endforeach()
if(NOT names)
  message(FATAL_ERROR "no names in the machine's list")
endif()
file(READ ${SOURCE} comparisons)
foreach(name IN LISTS names)
  if(NOT comparisons MATCHES "SAME\\(${name}[,)]")
    message(SEND_ERROR "dma::machine::${name} is not compared between the two models")
  endif()
endforeach()
execute_process(COMMAND ${NVCC} --ptx -arch=compute_90a -std=c++20 -I ${INCLUDE} ${SOURCE} -o machine_models.ptx
                COMMAND_ERROR_IS_FATAL ANY)
