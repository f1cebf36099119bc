#!/bin/sh
# spack.sh SOURCE BUILD VERSION CMAKE GENERATOR SPACK: Spack installs the recipe's version main, the committed branch of
# that name, into a folder of its own, with this machine's compilers and CMake, and a program is built that finds it
# there. SPACK_ROOT is a checkout of Spack.
set -eu
source=$1 build=$2 version=$3 cmake=$4 generator=$5 spack=$6
if [ -z "${SPACK_ROOT:-}" ]; then
  echo "skipped: SPACK_ROOT names no checkout of Spack"
  exit 4
fi
rm -rf "$build"
export SPACK_USER_CONFIG_PATH="$build/config" SPACK_USER_CACHE_PATH="$build/cache"
run_spack() { "$spack" -c "config:install_tree:root:$build/installed" "$@"; }
run_spack compiler find
run_spack external find cmake gmake
run_spack repo add "$source/packaging/spack/spack_repo/dma"
run_spack install dma@main
"$cmake" -S "$source/tests/install/plain_cxx" -B "$build/consumer" -G "$generator" -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_PREFIX_PATH="$(run_spack location -i dma)" -D "dma_version=$version"
"$cmake" --build "$build/consumer"
"$build/consumer/consumer"
