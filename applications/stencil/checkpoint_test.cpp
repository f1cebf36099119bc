#include "checkpoint.hpp"
#include "random_array.hpp"
#include "runner.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

using namespace stencil;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr Medium medium{20, 9, 24, 10, 4, 8, 0.05F, 0.16F, 15};

std::unique_ptr<Wave> wave_in(int slabs) {
  return host_runner().wave(medium, some_star<float, radius>(), {.gpus = slabs, .slabs = slabs, .exchange = "auto"});
}
void run(Wave& wave, int first, int last) {
  for (int step = first; step <= last; ++step) {
    wave.step(0.1F * static_cast<float>(step));
  }
}
std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file that is removed with this.
struct Scratch {
  std::string path;
  explicit Scratch(const std::string& name) : path((std::filesystem::temp_directory_path() / name).string()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("a checkpoint resumes to the same bits, and is the same state in another number of slabs") {
  const Scratch half("dma-wave-half");
  const Scratch again("dma-wave-again");
  const auto first = wave_in(3);
  run(*first, 1, 2);
  save_checkpoint(half.path, *first, medium, 2);
  run(*first, 3, 5);
  std::vector<float> expected;
  first->read_slice(medium.source_y, expected);

  const auto resumed = wave_in(3);
  REQUIRE(load_checkpoint(half.path, *resumed, medium) == 2);
  run(*resumed, 3, 5);
  std::vector<float> slice;
  resumed->read_slice(medium.source_y, slice);
  REQUIRE(slice == expected);
  for (const int slabs : {1, 2, 5}) {
    const auto other = wave_in(slabs);
    REQUIRE(load_checkpoint(half.path, *other, medium) == 2);
    save_checkpoint(again.path, *other, medium, 2);
    REQUIRE(bytes_of(again.path) == bytes_of(half.path));
  }
}

TEST_CASE("a checkpoint that is cut, of other extents or not writable is refused") {
  const Scratch whole("dma-wave-whole");
  const auto wave = wave_in(1);
  save_checkpoint(whole.path, *wave, medium, 7);
  Medium deeper = medium;
  deeper.nz = 25;
  REQUIRE_THROWS_WITH(load_checkpoint(whole.path, *wave, deeper), ContainsSubstring("is of 20 x 9 x 24 points"));
  std::filesystem::resize_file(whole.path, 500);
  REQUIRE_THROWS_WITH(load_checkpoint(whole.path, *wave, medium), ContainsSubstring("is not a complete checkpoint"));
  REQUIRE_THROWS_WITH(save_checkpoint("/no/folder/file", *wave, medium, 7), ContainsSubstring("cannot write all of"));
}
