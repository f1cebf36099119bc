# dma_own_target(<target> [<library>...]): an executable of our own, with the parts of the library that it uses beside
# dma::dma. Warnings are errors here; flags never reach a user through dma::dma.
function(dma_own_target target)
  target_link_libraries(${target} PRIVATE dma::dma ${ARGN})
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Werror>
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Wall,-Wextra>")
  if(DMA_CHECKED_BUILD)
    target_compile_definitions(${target} PRIVATE DMA_CHECKED=1)
  endif()
  # The static runtime, so that a binary built here runs on the machine with the GPU.
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CUDA_EXTENSIONS OFF CUDA_RUNTIME_LIBRARY Static
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
