# cmake -D INCLUDE=<directory> -P: fails where a comment of a header has figures of a trial: three numbers of three digits in
# a line. They belong on a page, with what was measured.

cmake_minimum_required(VERSION 3.26)

file(GLOB_RECURSE headers RELATIVE ${INCLUDE}/dma ${INCLUDE}/dma/*.hpp)
if(NOT headers)
  message(FATAL_ERROR "no headers in ${INCLUDE}")
endif()
foreach(header IN LISTS headers)
  file(STRINGS ${INCLUDE}/dma/${header} comments REGEX "^ *//")
  foreach(comment IN LISTS comments)
    string(REGEX MATCHALL "[^0-9A-Za-z_.][0-9][0-9][0-9]+" numbers "${comment}")
    list(LENGTH numbers count)
    if(count GREATER_EQUAL 3)
      message(SEND_ERROR "dma/${header}: '${comment}' has ${count} figures; put them on a page")
    endif()
  endforeach()
endforeach()
