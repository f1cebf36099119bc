. "$SOURCE/tests/install/documented/app.bash"
[[ -n ${CPM_FILE:-} ]] || skip "CPM_FILE does not name a CPM.cmake"
clone_repository
write_app 1.cmake
cp "$CPM_FILE" app/CPM.cmake
cmake -S app -B app/build
run_app app
