# Into an empty environment, with what builds the package but without what it needs at run time. Of a copy, as setuptools
# leaves files beside its sources.
. "$SOURCE/tests/install/documented/app.bash"
need python3
python3 -m venv environment >venv.log || skip "python3 -m venv makes no environment; install Debian's python3-venv"
rm dma
mkdir -p dma/docs/guide
cp -r "$SOURCE/python" "$SOURCE/include" "$SOURCE/src" dma
cp "$SOURCE/docs/guide/python.md" dma/docs/guide
. environment/bin/activate
export PIP_NO_DEPS=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_RETRIES=1
. ./1.sh 2>&1 | tee pip.log || {
  ! grep -q "(from versions: none)" pip.log || skip "pip reaches no package index, which has what builds the package"
  exit 1
}
test -e environment/lib/python*/site-packages/dma/include/dma/dma.hpp
test -x environment/bin/dma-prove -a -x environment/lib/python*/site-packages/dma/bin/dma-prove
