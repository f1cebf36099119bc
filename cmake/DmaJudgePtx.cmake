# dma_judge_ptx(<target>): proofs in the target are of kernels by their PTX (docs/guide/reference/ptx.md). The interpreter
# reports each access by itself, so that the target is not instrumented. The emulator and the judges are compiled once, for
# all such targets.
function(dma_judge_ptx target)
  if(NOT TARGET dma_ptx_emulator)
    find_file(source emulator.cpp NO_CACHE REQUIRED NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
              PATHS ${CMAKE_CURRENT_FUNCTION_LIST_DIR} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../src)
    add_library(dma_ptx_emulator STATIC EXCLUDE_FROM_ALL ${source})
    target_link_libraries(dma_ptx_emulator PRIVATE dma::proof)
    target_compile_options(dma_ptx_emulator PRIVATE -O2)
    target_compile_definitions(dma_ptx_emulator PRIVATE DMA_EVERY_ACCESS INTERFACE DMA_EVERY_ACCESS DMA_EMULATOR_APART)
  endif()
  target_link_libraries(${target} PRIVATE dma::proof dma_ptx_emulator)
endfunction()
