# Its sweeps in bench/, and what they have of it.
list(APPEND sweeps fft.cu fft_dma_warps.cu fft_real.cu)
foreach(unit execute.cu whole_passes.cu first_passes.cu last_passes.cu untangling_passes.cu plan.cpp)
  list(APPEND sweeps ${CMAKE_CURRENT_LIST_DIR}/${unit})
endforeach()
