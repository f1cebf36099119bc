. "$SOURCE/tests/install/documented/app.bash"
. ./1.sh
write_app 2.cmake
if cmake -S app -B app/build; then
  echo "found without CMAKE_PREFIX_PATH"
  exit 1
fi
. ./3.sh
run_app app app_test
rm -r home/.local
. ./4.sh
test -e home/.local/include/dma/dma.hpp
test ! -e home/.local/share
