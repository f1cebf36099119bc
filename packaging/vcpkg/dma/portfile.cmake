# An overlay port of the project that it is a part of: vcpkg install dma --overlay-ports=packaging/vcpkg
set(VCPKG_BUILD_TYPE release)  # headers only
cmake_path(ABSOLUTE_PATH CURRENT_PORT_DIR NORMALIZE OUTPUT_VARIABLE SOURCE_PATH)
cmake_path(APPEND SOURCE_PATH ../../..)
cmake_path(NORMAL_PATH SOURCE_PATH)

vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH} OPTIONS -DDMA_BUILD_TESTS=OFF -DDMA_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/dma)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/share/doc)

if(EXISTS ${SOURCE_PATH}/LICENSE)
  vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
else()
  file(WRITE ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright "dma has no licence yet: all rights are reserved.\n")
endif()
