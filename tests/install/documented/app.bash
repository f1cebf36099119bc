# write_app <snippet>: a project app with programs app and app_test, whose CMakeLists.txt ends with the snippet.
write_app() {
  mkdir -p app
  cp "$SOURCE/tests/install/find_package/main.cpp" app
  {
    echo 'cmake_minimum_required(VERSION 3.26)'
    echo 'project(app LANGUAGES CXX)'
    echo 'add_executable(app main.cpp)'
    echo 'add_executable(app_test main.cpp)'
    cat "$1"
    echo 'if(TARGET dma_host_tests OR TARGET sgemv)'
    echo '  message(FATAL_ERROR "the library of another project must not build its tests or examples")'
    echo 'endif()'
  } >app/CMakeLists.txt
}

run_app() {
  cmake --build app/build --target "$@"
  for program in "$@"; do "app/build/$program"; done
}

# The repository that a project fetches from; what is not committed is not in it.
clone_repository() {
  git -C "$SOURCE" rev-parse --git-dir >/dev/null 2>&1 || skip "the sources are no git repository"
  git -c safe.directory='*' clone --quiet --bare --no-tags "$SOURCE" dma.git || skip "git does not clone the sources"
  git -C dma.git update-ref refs/heads/main HEAD
}

write_kernel_test() { cp "$SOURCE/tests/install/find_package/main.cpp" kernel_test.cpp; }

need() { command -v "$1" >/dev/null || skip "there is no $1"; }

skip() {
  echo "skipped: $1"
  exit 4
}
