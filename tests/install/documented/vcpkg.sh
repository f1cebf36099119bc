# Into a folder of its own: VCPKG_ROOT is a checkout of vcpkg, and its ports that help to build are all it needs.
. "$SOURCE/tests/install/documented/app.bash"
need vcpkg
[[ -n ${VCPKG_ROOT:-} ]] || skip "VCPKG_ROOT names no checkout of vcpkg"
vcpkg() {
  command vcpkg "$@" --x-install-root="$PWD/installed" --x-buildtrees-root="$PWD/trees" \
    --x-packages-root="$PWD/packages" --binarysource=clear
}
. ./1.sh
cmake -S "$SOURCE/tests/install/find_package" -B consumer -D VCPKG_INSTALLED_DIR="$PWD/installed" \
  -D CMAKE_TOOLCHAIN_FILE="$VCPKG_ROOT/scripts/buildsystems/vcpkg.cmake" -D VCPKG_MANIFEST_INSTALL=OFF -D CMAKE_CUDA_COMPILER=NOTFOUND
cmake --build consumer
consumer/consumer
