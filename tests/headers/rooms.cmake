# cmake -D INCLUDE=<directory> -P: holds the headers to their rooms. It fails when
#   - an include points up, or from one room into another of the same floor;
#   - a header outside host/ and proof/ includes one inside them, or one of host/ includes one of proof/;
#   - a header that a GPU's compiler reads includes one that is not the library's, other than dma/standard.hpp;
#   - a header above machine/ asks which machine it is compiled for;
#   - code of engines/ or of kernel/ names what is in dma::host;
#   - a header that a GPU's compiler reads says [[no_unique_address]]: nvcc 13.0 gives an array of such a class another
#     stride than its size, so that an array of slots was destroyed at the wrong addresses;
#   - more than 8 headers are at the top, or more than 30 in another folder.

cmake_minimum_required(VERSION 3.26)

# From the ground up; a room is a folder, or a header at the top.
set(floors standard config unrolled thresholds machine "vector patterns roles" "sync matrix" engines kernel launch default_policies
           "buffering trace" pipeline explain cudadma "dma tune" host proof)
# For the host alone, or for CUDA's own compilers.
set(free_to_include cudadma/diagnose.hpp explain/print.hpp trace/trace_text.hpp launch/jitter_seed.hpp launch/kernel_entry.hpp launch/launch.hpp
                    launch/launch_error.hpp launch/make_tensor_map.hpp launch/occupancy.hpp machine/readable.hpp
                    sync/native_handle.hpp standard.hpp tune/bandwidth_report.hpp tune/fastest.hpp tune/graph_timer.hpp
                    tune/measure_bandwidth.hpp tune/tune.hpp tune/tune_report.hpp
                    tune/tuned_answer.hpp tune/variant_space.hpp)
set(free_to_ask config.hpp cudadma/diagnose.hpp cudadma/version1.hpp cudadma/version2.hpp default_policies.hpp dma.hpp
                standard.hpp sync/libcuxx_barrier.hpp thresholds.hpp)

set(height 0)
foreach(floor IN LISTS floors)
  string(REPLACE " " ";" rooms "${floor}")
  foreach(room IN LISTS rooms)
    set(floor_of_${room} ${height})
  endforeach()
  math(EXPR height "${height} + 1")
endforeach()

function(room_of header result)
  string(REGEX REPLACE "(/.*|[.]hpp)$" "" room ${header})
  if(NOT DEFINED floor_of_${room})
    message(FATAL_ERROR "dma/${header} is in a room that this test does not know: give ${room} a floor")
  endif()
  set(${result} ${room} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE headers RELATIVE ${INCLUDE}/dma ${INCLUDE}/dma/*.hpp)
if(NOT headers)
  message(FATAL_ERROR "no headers in ${INCLUDE}")
endif()
foreach(header IN LISTS headers)
  room_of(${header} room)
  file(STRINGS ${INCLUDE}/dma/${header} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(include IN LISTS includes)
    if(include MATCHES "<dma/([^>]+)>")
      set(included ${CMAKE_MATCH_1})
      room_of(${included} included_room)
      if(NOT room STREQUAL included_room AND NOT floor_of_${included_room} LESS floor_of_${room})
        message(SEND_ERROR "dma/${header} includes dma/${included}: ${included_room} is not below ${room}")
      endif()
    elseif(NOT room MATCHES "^(host|proof)$" AND NOT header IN_LIST free_to_include)
      message(SEND_ERROR "dma/${header}: ${include}: a GPU's compiler reads this header; include dma/standard.hpp")
    endif()
  endforeach()
  file(READ ${INCLUDE}/dma/${header} text)
  if(NOT room MATCHES "^(host|proof)$" AND text MATCHES "no_unique_address")
    message(SEND_ERROR "dma/${header} says [[no_unique_address]], which nvcc gets wrong in arrays; leave it out")
  endif()
  if(room MATCHES "^(engines|kernel)$")
    string(REGEX REPLACE "//[^\n]*|\"[^\"\n]*\"" "" code "${text}")
    if(code MATCHES "host::")
      message(SEND_ERROR "dma/${header} names what is in dma::host; what an engine needs is in dma::detail")
    endif()
  endif()
  if(NOT room MATCHES "^(machine|host|proof)$" AND NOT header IN_LIST free_to_ask)
    if(text MATCHES "__CUDA_ARCH|__CUDACC_RTC__")
      message(SEND_ERROR "dma/${header} asks which machine it is compiled for; only dma/machine does")
    endif()
  endif()
endforeach()

file(GLOB top ${INCLUDE}/dma/*.hpp)
list(LENGTH top count)
if(count GREATER 8)
  message(SEND_ERROR "${count} headers are at the top of dma; give some a room")
endif()

set(folders)
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  list(APPEND folders "${folder}")
  set(count_of_${folder} 0)
endforeach()
foreach(folder IN LISTS folders)
  math(EXPR count_of_${folder} "${count_of_${folder}} + 1")
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
  if(count_of_${folder} GREATER 30)
    message(SEND_ERROR "${count_of_${folder}} headers are in dma/${folder}; 30 are enough")
  endif()
endforeach()
