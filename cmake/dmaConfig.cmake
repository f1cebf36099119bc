include("${CMAKE_CURRENT_LIST_DIR}/DmaFindLibcudacxx.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/dmaTargets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/DmaEveryAccess.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/DmaOldArchitecture.cmake")
