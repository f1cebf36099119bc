# cmake -D PROGRAM=<program> [-D SOURCE=<its first argument>] -D DRAWN=<folder> -D COMMITTED=<folder> -P: the committed
# pictures are those drawn now.

cmake_minimum_required(VERSION 3.26...3.31)

cmake_path(GET PROGRAM FILENAME name)
set(way_out "run ${name} over the folder of the committed ones and look at what it draws")

file(REMOVE_RECURSE ${DRAWN})
execute_process(COMMAND ${PROGRAM} ${SOURCE} ${DRAWN} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB drawn RELATIVE ${DRAWN} ${DRAWN}/*.svg)
file(GLOB committed RELATIVE ${COMMITTED} ${COMMITTED}/*.svg)
if(NOT drawn STREQUAL committed)
  message(FATAL_ERROR "the pictures are ${drawn}, and those committed ${committed}; ${way_out}")
endif()
foreach(picture IN LISTS drawn)
  file(READ ${DRAWN}/${picture} now)
  file(READ ${COMMITTED}/${picture} before)
  if(NOT now STREQUAL before)
    message(SEND_ERROR "${picture} differs from what is drawn now; ${way_out}")
  endif()
endforeach()
list(LENGTH drawn count)
if(count EQUAL 0)
  message(FATAL_ERROR "no picture was drawn")
endif()
message("${count} pictures are those that ${name} draws")
