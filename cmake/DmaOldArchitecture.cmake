# What a project that links dma::dma gets without an architecture of its own, said where it configures: the compiler does
# not print the header's warning from an installed package, whose headers are the system's.

if(CMAKE_CUDA_COMPILER AND NOT DMA_COPY_THROUGH_REGISTERS)
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    string(REGEX MATCH "^[0-9]+" number "${architecture}")
    if(number AND number LESS 80)
      message(WARNING "dma: CMAKE_CUDA_ARCHITECTURES is ${CMAKE_CUDA_ARCHITECTURES}, and with an architecture before 80 tiles "
                      "move through registers on every GPU; set the GPU's architecture before project(), for example to "
                      "90a, or DMA_COPY_THROUGH_REGISTERS to ON where that is meant")
      break()
    endif()
  endforeach()
endif()
