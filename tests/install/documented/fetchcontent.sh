. "$SOURCE/tests/install/documented/app.bash"
clone_repository
write_app 1.cmake
cmake -S app -B app/build
run_app app
