. "$SOURCE/tests/install/documented/app.bash"
need g++
need pkg-config
write_kernel_test
. ./1.sh
./a.out
