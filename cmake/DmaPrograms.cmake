# The programs of examples/ and applications/, and their tests, of which a build without tests has none.

# Programs of many kernels, which only a GPU runs: no part of all where they are left out. Their tests build them then.
set(DMA_LEFT_OUT FALSE)
if(DMA_CUDA_ENABLED AND NOT (DMA_WHOLE_MATRICES AND DMA_BUILD_TESTS))
  set(DMA_LEFT_OUT TRUE)
endif()

# dma_add_program(<name> <source>... [LIBRARIES <library>...])
function(dma_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" LIBRARIES)
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  dma_own_target(${name} ${arg_LIBRARIES})
  dma_compile_fast(${name})
endfunction()

# dma_add_host_objects(<name> <source>...): what a program has on the host, and its tests too.
function(dma_add_host_objects name)
  add_library(${name} OBJECT ${ARGN})
  dma_own_target(${name} dma::host dma_emulator)
  dma_compile_fast(${name})
endfunction()

# Each program checks its own answer. One that needs a GPU and finds none says so and exits with 4.
function(dma_add_example_test name label)
  if(DMA_BUILD_TESTS)
    add_test(NAME "example: ${name}" COMMAND ${ARGN})
    set_tests_properties("example: ${name}" PROPERTIES LABELS "example;${label}" SKIP_RETURN_CODE 4)
  endif()
endfunction()

# dma_add_catch2_example(<name> <test> [PROOF] <source>...): a test by Catch2; with PROOF it proves kernels.
function(dma_add_catch2_example name test)
  if(NOT DMA_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 arg PROOF "" "")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(arg_PROOF)
    dma_own_proof(${name})
    target_precompile_headers(${name} REUSE_FROM dma_precompiled_proofs)
  else()
    dma_own_target(${name} dma::host dma_emulator)
    target_precompile_headers(${name} REUSE_FROM dma_precompiled_tests)
  endif()
  dma_compile_fast(${name})
  target_link_libraries(${name} PRIVATE Catch2::Catch2WithMain)
  dma_add_example_test("${test}" host ${name})
endfunction()

# dma_add_gpu_test(<name> <target> [sh -c <script>] <argument>...): of a program that a build without a GPU leaves out. Where
# there is one all the same, the test builds the program first.
function(dma_add_gpu_test name target)
  if(NOT DMA_BUILD_TESTS)
    return()
  endif()
  if("${ARGN}" MATCHES "^sh;")
    set(command ${ARGN})
  else()
    set(command $<TARGET_FILE:${target}> ${ARGN})
  endif()
  if(DMA_LEFT_OUT)
    dma_add_example_test("${name}" device sh -c [[
      "$0" || exit
      "$1" --build "$2" --target "$3" || exit 1
      shift 3
      exec "$@"]]
                         $<TARGET_FILE:scale> ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${target} ${command})
    set_tests_properties("example: ${name}" PROPERTIES RESOURCE_LOCK build)
  else()
    dma_add_example_test("${name}" device ${command})
    set_tests_properties("example: ${name}" PROPERTIES COST 60)
  endif()
endfunction()

# The program exits with 1 and says the sentence, also where it has written a part.
function(dma_add_refusal_test name says)
  if(DMA_BUILD_TESTS)
    add_test(NAME "example: ${name}" COMMAND ${CMAKE_COMMAND} -D "SAYS=${says}" -P ${PROJECT_SOURCE_DIR}/cmake/refuses.cmake
             -- ${CMAKE_CROSSCOMPILING_EMULATOR} ${ARGN})
    set_tests_properties("example: ${name}" PROPERTIES LABELS "example;host")
  endif()
endfunction()

# A program says what it does, and does nothing else then.
function(dma_add_help_test program)
  get_target_property(is_left_out ${program} EXCLUDE_FROM_ALL)
  if(NOT is_left_out)
    dma_add_example_test("${program} --help" host sh -c [[told=$("$@" --help) && echo "$told" | grep "^Usage"]]
                         sh ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
  endif()
endfunction()
