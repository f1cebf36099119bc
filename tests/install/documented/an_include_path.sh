. "$SOURCE/tests/install/documented/app.bash"
need g++
write_kernel_test
{ cat "$SOURCE/tests/install/find_package/kernel.cu"; echo 'int main() {}'; } >kernel.cu
command -v nvcc >/dev/null || nvcc() { echo "not run, as there is no nvcc: nvcc $*"; }
. ./1.sh
./a.out
