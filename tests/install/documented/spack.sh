# With this machine's compilers and CMake, into a folder of its own. Spack installs the committed branch main.
. "$SOURCE/tests/install/documented/app.bash"
need spack
export SPACK_USER_CONFIG_PATH=$PWD/config SPACK_USER_CACHE_PATH=$PWD/cache
spack() { command spack -c "config:install_tree:root:$PWD/installed" "$@"; }
spack compiler find
spack external find cmake gmake
. ./1.sh
cmake -S "$SOURCE/tests/install/find_package" -B consumer -D CMAKE_PREFIX_PATH="$(spack location -i dma)" -D CMAKE_CUDA_COMPILER=NOTFOUND
cmake --build consumer
consumer/consumer
