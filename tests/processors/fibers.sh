#!/bin/sh
# fibers.sh <target> <source folder> <build folder>: the laws of fibers by Debian's cross compiler and QEMU.
target=$1 source=$2 build=$3
compiler=$target-g++
emulator=qemu-${target%%-*}-static
for tool in "$compiler" "$emulator"; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 4; }
done
program=$build/fibers_$target
"$compiler" -std=c++20 -O1 -Wall -Wextra -Wconversion -Wshadow -Werror -I "$source/include" -I "$source/tests" \
  "$source/tests/processors/fibers.cpp" -o "$program" && exec "$emulator" -L "/usr/$target" "$program"
