#!/bin/sh
# vcpkg.sh SOURCE BUILD VERSION CMAKE GENERATOR VCPKG: vcpkg installs the overlay port into a folder of its own, and a
# program is built that finds it there. VCPKG_ROOT is a checkout of vcpkg; its ports that help to build are all it needs.
set -eu
source=$1 build=$2 version=$3 cmake=$4 generator=$5 vcpkg=$6
if [ -z "${VCPKG_ROOT:-}" ]; then
  echo "skipped: VCPKG_ROOT names no checkout of vcpkg"
  exit 4
fi
rm -rf "$build"
"$vcpkg" install dma --overlay-ports="$source/packaging/vcpkg" --x-install-root="$build/installed" \
  --x-buildtrees-root="$build/trees" --x-packages-root="$build/packages" --binarysource=clear
"$cmake" -S "$source/tests/install/plain_cxx" -B "$build/consumer" -G "$generator" -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_TOOLCHAIN_FILE="$VCPKG_ROOT/scripts/buildsystems/vcpkg.cmake" -D VCPKG_INSTALLED_DIR="$build/installed" \
  -D VCPKG_MANIFEST_INSTALL=OFF -D "dma_version=$version"
"$cmake" --build "$build/consumer"
"$build/consumer/consumer"
