# dma_see_every_access(<target>): proofs in the target see each load and store of its kernels (docs/trust/proof.md). All its
# sources are instrumented; the emulator and the judges are compiled once, without that, for all such targets.
# DMA_CAN_SEE_EVERY_ACCESS says whether the compiler can do it: g++ from version 12 or clang++ from version 15, without
# another sanitizer. clang++ before 15 calls memcpy, memmove and memset themselves, which would not be seen.
set(dma_can_see OFF)
if(CMAKE_SYSTEM_NAME STREQUAL Linux
   AND ((CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
        OR (CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)))
  string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" dma_flags_of_build)
  if(NOT "${CMAKE_CXX_FLAGS} ${${dma_flags_of_build}}" MATCHES "-fsanitize")
    set(dma_can_see ON)
  endif()
endif()
set(DMA_CAN_SEE_EVERY_ACCESS ${dma_can_see} CACHE INTERNAL "")

function(dma_see_every_access target)
  if(NOT DMA_CAN_SEE_EVERY_ACCESS)
    message(FATAL_ERROR "dma_see_every_access(${target}): needs g++ from version 12 or clang++ from version 15 on \
Linux, and no other sanitizer; call it only where DMA_CAN_SEE_EVERY_ACCESS is true")
  endif()
  if(NOT TARGET dma_every_access)
    find_file(source every_access.cpp NO_CACHE REQUIRED NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
              PATHS ${CMAKE_CURRENT_FUNCTION_LIST_DIR} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../src)
    add_library(dma_every_access STATIC ${source})
    target_link_libraries(dma_every_access PRIVATE dma::proof)
    target_compile_definitions(dma_every_access PRIVATE DMA_EVERY_ACCESS)
    target_compile_options(dma_every_access PRIVATE -O2)
    target_link_options(dma_every_access INTERFACE LINKER:--wrap=__cxa_allocate_exception,--wrap=__cxa_throw)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # g++ expands calls of these after its instrumentation, or leaves them to libtsan.
      target_link_options(dma_every_access INTERFACE LINKER:--wrap=memcpy,--wrap=memmove,--wrap=memset)
    endif()
  endif()
  # Without optimization lines of a caller are read from data of the compiler, which is in no array of a launch.
  set(optimization "$<$<NOT:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-O1>")
  # Fortified memcpy and its like are other functions, or instructions that are not instrumented. Some distributions'
  # compilers have _FORTIFY_SOURCE without being asked.
  set(options -fsanitize=thread -g1 -U_FORTIFY_SOURCE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND options -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
  endif()
  list(JOIN options "," options_of_nvcc)
  target_compile_options(${target} PRIVATE ${optimization}
    "$<$<COMPILE_LANGUAGE:CXX>:${options}>" "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=${options_of_nvcc}>")
  target_compile_definitions(${target} PRIVATE DMA_EVERY_ACCESS)
  target_link_libraries(${target} PRIVATE dma::proof dma_every_access)
endfunction()
