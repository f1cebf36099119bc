#!/bin/sh
# run.sh SOURCE BUILD VERSION CMAKE GENERATOR: a project that fetches the library by an annotated tag, as a release has it.
# The tag is of a clone of this repository: what is not committed is not in it.
set -eu
source=$1 build=$2 version=$3 cmake=$4 generator=$5
here=$(dirname "$0")
if ! git -C "$source" rev-parse --git-dir >/dev/null 2>&1; then
  echo "skipped: the sources are no git repository"
  exit 4
fi
rm -rf "$build"
mkdir -p "$build"
git clone --quiet --bare --no-tags "$source" "$build/dma.git" || {
  echo "skipped: git does not clone the sources"
  exit 4
}
git -C "$build/dma.git" -c user.name=test -c user.email=test@localhost tag -a "v$version" -m "dma $version" HEAD
"$cmake" -S "$here" -B "$build/consumer" -G "$generator" -D CMAKE_BUILD_TYPE=Release -D "dma_repository=file://$build/dma.git" \
  -D "dma_tag=v$version" -D "dma_version=$version" -D "cpm=${CPM_FILE:-}"
"$cmake" --build "$build/consumer"
"$build/consumer/consumer"
