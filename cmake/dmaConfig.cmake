# What fails says what to do. A failure of an earlier call is none of this one's.
set(dma_NOT_FOUND_MESSAGE "")
get_property(_dma_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
set(_dma_unknown ${dma_FIND_COMPONENTS})
list(FILTER _dma_unknown EXCLUDE REGEX "^(dma|host|proof)$")
foreach(_dma_component IN LISTS _dma_unknown)
  if(dma_FIND_REQUIRED_${_dma_component})
    set(dma_NOT_FOUND_MESSAGE "dma: there is no component ${_dma_component}; ask for dma, host or proof, or for none: \
the targets are dma::dma, dma::host and dma::proof")
  endif()
endforeach()
if(CMAKE_VERSION VERSION_LESS 3.26)
  set(dma_NOT_FOUND_MESSAGE "dma: CMake ${CMAKE_VERSION} compiles CUDA as C++17 where C++20 is asked for; \
install CMake 3.26 or newer")
elseif(NOT CXX IN_LIST _dma_languages)
  set(dma_NOT_FOUND_MESSAGE "dma: the project has not enabled C++, which gives CUDA its C++20 too; write \
project(<name> LANGUAGES CXX CUDA)")
endif()

if(NOT dma_NOT_FOUND_MESSAGE)
  include("${CMAKE_CURRENT_LIST_DIR}/DmaFindLibcudacxx.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/dmaTargets.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/DmaEveryAccess.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/DmaOldArchitecture.cmake")
  get_target_property(_dma_headers dma::dma HEADER_DIRS)
  if(NOT EXISTS "${_dma_headers}/dma/config.hpp")
    set(dma_NOT_FOUND_MESSAGE "dma: the headers are not in ${_dma_headers}; install them there too: \
cmake --install <build> --component dma_headers")
  endif()
endif()

if(dma_NOT_FOUND_MESSAGE)
  set(dma_FOUND FALSE)
endif()
foreach(_dma_variable languages unknown component headers)
  unset(_dma_${_dma_variable})
endforeach()
unset(_dma_variable)
