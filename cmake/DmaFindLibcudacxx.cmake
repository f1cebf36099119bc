# Finds libcudacxx::libcudacxx for plain C++ translation units. It ships inside the CUDA Toolkit, off CMake's search path.
# Not finding it is no error: the headers then use the standard library.
# Our own build and the installed dmaConfig.cmake both read this file.

if(NOT TARGET libcudacxx::libcudacxx)
  set(_dma_toolkit "")
  set(_dma_nvcc "${CMAKE_CUDA_COMPILER}")
  if(NOT _dma_nvcc)
    unset(_dma_nvcc)
    find_program(_dma_nvcc nvcc NO_CACHE)
  endif()
  if(_dma_nvcc)
    file(REAL_PATH "${_dma_nvcc}" _dma_nvcc)
    cmake_path(GET _dma_nvcc PARENT_PATH _dma_toolkit)
    cmake_path(GET _dma_toolkit PARENT_PATH _dma_toolkit)
  endif()
  # nvcc may be a wrapper that lies elsewhere: hence the usual places too.
  find_package(libcudacxx CONFIG QUIET HINTS ${_dma_toolkit} ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
               PATH_SUFFIXES lib64/cmake/libcudacxx)
  unset(_dma_nvcc)
  unset(_dma_toolkit)
endif()
