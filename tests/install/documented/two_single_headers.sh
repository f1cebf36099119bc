. "$SOURCE/tests/install/documented/app.bash"
need g++
need python3
sed 's|<dma/dma.hpp>|<dma.hpp>|' "$SOURCE/tests/install/find_package/main.cpp" >kernel_test.cpp
. ./1.sh
./a.out
test -e build/single_header/dma_proof.hpp
