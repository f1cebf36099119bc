# cmake -D COMPILER=<nvcc or the host's> -D OPTIONS=<option;...> -D SOURCE=<a file that includes dma/dma.hpp> -D MOST=<n> -P:
# what a kernel reads in. It fails when
#   - dma/dma.hpp reaches more than MOST headers of the library, in all passes of the compiler together;
#   - it reaches a standard header, of libstdc++'s, that takes nvcc a tenth of a second and more to read.

cmake_minimum_required(VERSION 3.26)

set(expensive algorithm atomic chrono deque filesystem format fstream functional future iomanip iostream istream iterator map memory
              memory_resource mutex ostream queue random ranges regex set sstream stdexcept string string_view thread unordered_map
              unordered_set valarray vector)

execute_process(COMMAND ${COMPILER} -std=c++20 ${OPTIONS} -M ${SOURCE} OUTPUT_VARIABLE rule COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \\\n]+" files "${rule}")
list(TRANSFORM files REPLACE "^.*/include/dma/" "dma/" OUTPUT_VARIABLE own)
list(FILTER own INCLUDE REGEX "^dma/.*[.]hpp$")
list(REMOVE_DUPLICATES own)
list(LENGTH own count)
message("${count} headers of the library")
if(count LESS 50)
  message(FATAL_ERROR "the search is out of date:\n${rule}")
endif()
if(count GREATER MOST)
  message(SEND_ERROR "dma/dma.hpp reaches ${count} headers; ${MOST} are enough")
endif()
if(rule MATCHES "bits/functexcept[.]h")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    if(name IN_LIST expensive AND file MATCHES "/c[+][+]/")
      message(SEND_ERROR "dma/dma.hpp reaches <${name}>, which takes a GPU's compiler long to read: see dma/standard.hpp")
    endif()
  endforeach()
endif()
