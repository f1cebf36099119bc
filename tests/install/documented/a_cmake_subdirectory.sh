. "$SOURCE/tests/install/documented/app.bash"
write_app 1.cmake
ln -s ../dma app/dma
cmake -S app -B app/build
run_app app app_test
