. "$SOURCE/tests/install/documented/app.bash"
need conan
export CONAN_HOME=$PWD/conan
. ./1.sh
