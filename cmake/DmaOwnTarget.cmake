# dma_own_target(<target> [<library>...]): an executable of our own, with the parts of the library that it uses beside
# dma::dma. Warnings are errors here; flags never reach a user through dma::dma. g++ collects garbage from 1 GB on.
function(dma_own_target target)
  target_link_libraries(${target} PRIVATE dma::dma ${ARGN})
  if(DMA_TOOLKIT_HEADERS)  # its two-byte floats: one program has them from one place
    target_include_directories(${target} SYSTEM PRIVATE ${DMA_TOOLKIT_HEADERS})
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow;-Werror>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576;--param=ggc-min-expand=100>
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Wall,-Wextra>")
  if(DMA_CHECKED_BUILD)
    target_compile_definitions(${target} PRIVATE DMA_CHECKED=1)
  endif()
  if(DMA_JITTER_BUILD)
    target_compile_definitions(${target} PRIVATE DMA_JITTER=1)
  endif()
  # The static runtime, so that a binary built here runs on the machine with the GPU.
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CUDA_EXTENSIONS OFF CUDA_RUNTIME_LIBRARY Static
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# The emulator and the judges, compiled once for all targets that link this instead of in each of their units.
add_library(dma_emulator STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/src/emulator.cpp)
dma_own_target(dma_emulator dma::proof)
target_compile_options(dma_emulator PRIVATE $<$<CONFIG:Release>:-O2>)
target_compile_definitions(dma_emulator INTERFACE DMA_EMULATOR_APART)

# The same for programs that report each access of a kernel themselves, as the interpreter of PTX does.
add_library(dma_ptx_emulator STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/src/emulator.cpp)
dma_own_target(dma_ptx_emulator dma::proof)
target_compile_options(dma_ptx_emulator PRIVATE $<$<CONFIG:Release>:-O2>)
target_compile_definitions(dma_ptx_emulator PRIVATE DMA_EVERY_ACCESS INTERFACE DMA_EVERY_ACCESS DMA_EMULATOR_APART)

# The program dma-prove, which judges kernels of any compiler by their PTX.
function(dma_add_prove)
  add_executable(dma_prove ${ARGN} ${PROJECT_SOURCE_DIR}/src/dma_prove.cpp)
  dma_own_target(dma_prove dma::proof dma_ptx_emulator)
  target_compile_options(dma_prove PRIVATE $<$<CONFIG:Release>:-O2>)
  set_target_properties(dma_prove PROPERTIES OUTPUT_NAME dma-prove)
endfunction()

option(DMA_SEE_EVERY_ACCESS "Proofs of the tests and examples see every access, where the compiler can" ON)

# The same for one that proves kernels by what dma/proof/prove.hpp and dma/proof/replay.hpp offer.
function(dma_own_proof target)
  dma_own_target(${target} dma::proof)
  if(DMA_SEE_EVERY_ACCESS AND DMA_CAN_SEE_EVERY_ACCESS)
    dma_see_every_access(${target})
  else()
    target_link_libraries(${target} PRIVATE dma_emulator)
  endif()
endfunction()

# For a target whose host code is tests or the emulator, which runs as fast as with more and compiles in half of the time.
function(dma_compile_fast target)
  target_compile_options(${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>")
endfunction()

# dma_compile_to_ptx(<target> <source>...): kernels that only compile, fast: to PTX, without ptxas.
function(dma_compile_to_ptx target)
  add_library(${target} OBJECT ${ARGN})
  dma_own_target(${target})
  set_target_properties(${target} PROPERTIES CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES 90a-virtual)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL NVIDIA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target} PRIVATE --Ofast-compile=max)
  endif()
endfunction()

# What stops the build of a target without spills: a spilled register, a stack frame or other use of local memory in a
# kernel, which ptxas then names, and register budgets that it ignores. Checked builds and those with delays have all three.
set(DMA_WITHOUT_SPILLS_OPTIONS -Xptxas=--warn-on-spills,--warn-on-local-memory-usage)
set(DMA_WITHOUT_SPILLS_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/refuse_ignored_budgets)
function(dma_without_spills target)
  if(NOT (DMA_CHECKED_BUILD OR DMA_JITTER_BUILD))
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${DMA_WITHOUT_SPILLS_OPTIONS}>)
    set_property(TARGET ${target} PROPERTY
                 CUDA_COMPILER_LAUNCHER ${DMA_WITHOUT_SPILLS_LAUNCHER} ${CMAKE_CUDA_COMPILER_LAUNCHER})
  endif()
endfunction()
