// What a kernel may access, and what messages say of it, asked directly: of arrays of any size, at any distance.
#include <dma/host/emulation/constructed_pipelines.hpp>
#include <dma/host/emulation/line_of.hpp>
#include <dma/host/emulation/memory/emulator_memory.hpp>
#include <dma/host/emulation/memory/memory_bounds.hpp>
#include <dma/proof/record/shared_layout.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using dma::host::detail::KernelMemory;
using dma::machine::Access;
using dma::machine::SourceLocation;
using dma::proof::input;
using dma::proof::output;
using dma::proof::detail::ByteRange;
using dma::proof::detail::Memory;

namespace {

/// All arrays are parts of one, so that the distance between them is known.
alignas(16) std::array<int, 65536> memory;
int* const x = &memory[16384];
int* const y = &memory[32768];

[[nodiscard]] KernelMemory of_two(int inputs, int outputs) {
  return KernelMemory({input(x, static_cast<std::size_t>(inputs), "x")},
                      {output(y, static_cast<std::size_t>(outputs), "y")}, {}, false);
}
[[nodiscard]] bool allows(const KernelMemory& kernel, const int* first, int count, Access access) {
  return kernel.allows(first, sizeof(int) * static_cast<std::size_t>(count), access);
}
[[nodiscard]] std::string refusal(const KernelMemory& kernel, const void* first, std::size_t bytes, Access access) {
  return kernel.refusal(first, bytes, access);
}

}  // namespace

TEST_CASE("a kernel accesses what its launch names, to the last byte", "[bounds]") {
  const KernelMemory kernel = of_two(4, 8);
  for (const Access access : {Access::read, Access::write}) {
    const bool reads = access == Access::read;
    CHECK(allows(kernel, x, 4, access) == reads);
    CHECK(allows(kernel, x + 3, 1, access) == reads);
    CHECK(allows(kernel, y, 8, access));
    CHECK(allows(kernel, y + 7, 1, access));
    CHECK(!allows(kernel, x - 1, 1, access));
    CHECK(!allows(kernel, x + 4, 1, access));
    CHECK(!allows(kernel, x + 3, 2, access));
    CHECK(!allows(kernel, y - 1, 2, access));
    CHECK(!allows(kernel, y + 7, 2, access));
    CHECK(!allows(kernel, y + 8, 1, access));
  }
}

TEST_CASE("arrays are named in any order, and they may touch or have bytes in common", "[bounds]") {
  const KernelMemory kernel({input(x + 8, 8), input(x, 8), input(x - 4, 40), input(x + 4, 2), input(y, 4)}, {}, {},
                            false);
  CHECK(allows(kernel, x - 4, 40, Access::read));
  CHECK(!allows(kernel, x - 5, 1, Access::read));
  CHECK(!allows(kernel, x + 36, 1, Access::read));
  CHECK(allows(kernel, y, 4, Access::read));
  CHECK(allows(kernel, x + 30, 6, Access::read));
  const KernelMemory touching({input(y, 8), input(x + 8, 8), input(x, 8)}, {}, {}, false);
  CHECK(allows(touching, x, 8, Access::read));
  CHECK(allows(touching, x + 8, 8, Access::read));
  CHECK(allows(touching, y, 8, Access::read));
  // What goes over a border is in neither.
  CHECK(!allows(touching, x + 7, 2, Access::read));
  CHECK(!allows(touching, x, 16, Access::read));
  CHECK(refusal(touching, x + 4, 8 * sizeof(int), Access::read) ==
        "reads elements 4 to 11 of input 2, which has 8 elements; stay inside the array, or name all of it");
  CHECK(allows(KernelMemory({input(x, 8), input(x, 0), input(x + 8, 0)}, {}, {}, false), x + 4, 4, Access::read));
}

TEST_CASE("arrays that adjoin are known, unless a third one has the border", "[bounds]") {
  const auto adjoining = [](const std::vector<dma::host::detail::Input>& inputs) {
    return KernelMemory(inputs, {output(y, 4, "y")}, {}, false).adjoining();
  };
  CHECK(adjoining({input(x, 8, "x")}).empty());
  CHECK(adjoining({input(x, 8, "x"), input(x + 9, 8, "z")}).empty());
  CHECK(adjoining({input(x, 8, "x"), input(x + 7, 8, "z")}).empty());
  CHECK(adjoining({input(x, 8, "x"), input(x + 8, 8, "z")}) == "x and z");
  CHECK(adjoining({input(x + 8, 8, "z"), input(x, 8, "x")}) == "x and z");
  CHECK(adjoining({input(y - 8, 8, "x")}) == "x and y");
  CHECK(adjoining({input(x, 8, "x"), input(x + 8, 0, "z"), input(x, 0, "nothing")}).empty());
  CHECK(adjoining({input(x, 8, "x"), input(x + 8, 8, "z"), input(x, 16, "all")}).empty());
  CHECK(adjoining({input(x, 8, "x"), input(x + 8, 8, "z"), input(x + 7, 2, "part")}).empty());
  // A third one that has only the one side of the border adjoins too.
  CHECK(adjoining({input(x, 8, "x"), input(x + 8, 8, "z"), input(x + 4, 4, "half")}) == "x and z, and 1 more pair");
  CHECK(adjoining({input(x, 8, "x"), input(x + 8, 8, "z"), input(x + 16, 1, "w"), input(y + 4, 1, "v")}) ==
        "y and v, and 2 more pairs");
}

TEST_CASE("reads are judged where inputs are known, and writes where outputs are", "[bounds]") {
  const auto judged = [](const KernelMemory& kernel) {
    return std::array{kernel.judges(Access::read), kernel.judges(Access::write)};
  };
  const std::vector<dma::host::detail::Input> inputs = {input(x, 4)};
  const std::vector<dma::host::detail::Output> outputs = {output(y, 4)};
  CHECK(judged({{}, {}, {}, false}) == std::array{false, false});
  CHECK(judged({inputs, {}, {}, false}) == std::array{true, false});
  CHECK(judged({{}, outputs, {}, false}) == std::array{false, true});
  CHECK(judged({{}, {}, {inputs, {}}, false}) == std::array{true, false});
  CHECK(judged({{}, {}, {{}, outputs}, false}) == std::array{false, true});
  CHECK(judged({inputs, outputs, {}, true}) == std::array{false, false});
  const KernelMemory one_sided(inputs, {}, {}, false);
  CHECK(allows(one_sided, y, 1, Access::write));
  CHECK(!allows(one_sided, y, 1, Access::read));
}

TEST_CASE("arguments are read alone, and counters of the library are written too", "[bounds]") {
  KernelMemory kernel = of_two(4, 4);
  int* const argument = &memory[100];
  int* const counter = &memory[200];
  kernel.add_argument(argument, sizeof *argument);
  kernel.add_counter(counter, sizeof *counter);
  CHECK(allows(kernel, argument, 1, Access::read));
  CHECK(!allows(kernel, argument, 1, Access::write));
  CHECK(refusal(kernel, argument, 4, Access::write) ==
        "writes its own arguments, which a GPU keeps constant; write to an array");
  CHECK(allows(kernel, counter, 1, Access::read));
  CHECK(allows(kernel, counter, 1, Access::write));
  CHECK(!allows(kernel, counter + 1, 1, Access::read));
}

TEST_CASE("an access outside is told by the elements of the nearest array", "[bounds]") {
  const KernelMemory kernel = of_two(4, 1);
  const auto* const bytes = reinterpret_cast<const std::byte*>(x);
  const auto read = [&](int offset, std::size_t count) { return refusal(kernel, bytes + offset, count, Access::read); };
  CHECK_THAT(read(16, 4), StartsWith("reads element 4 of x, which has 4 elements; stay inside the array"));
  CHECK_THAT(read(8, 16), StartsWith("reads elements 2 to 5 of x, "));
  CHECK_THAT(read(-1, 1), StartsWith("reads element -1 of x, "));
  CHECK_THAT(read(-4, 4), StartsWith("reads element -1 of x, "));
  CHECK_THAT(read(-5, 1), StartsWith("reads element -2 of x, "));
  CHECK_THAT(read(-8, 8), StartsWith("reads elements -2 to -1 of x, "));
  CHECK_THAT(read(17, 2), StartsWith("reads element 4 of x, "));
  CHECK_THAT(read(14, 4), StartsWith("reads bytes 14 to 17 of x, "));
  CHECK_THAT(read(12, 6), StartsWith("reads bytes 12 to 17 of x, "));
  CHECK_THAT(read(14, 6), StartsWith("reads bytes 14 to 19 of x, "));
  CHECK_THAT(read(16 + 4092, 4), StartsWith("reads element 1027 of x, "));
  CHECK_THAT(read(16 + 4096, 4), StartsWith("reads 4 bytes of global memory that is in no array of this launch; name "
                                            "it among the inputs"));
  CHECK_THAT(refusal(kernel, y + 1, 4, Access::write), ContainsSubstring("which has 1 element;"));
  CHECK_THAT(refusal(kernel, x + 2, 4, Access::write), StartsWith("writes element 2 of x, which is an input; name it"));

  const KernelMemory near({}, {output(x, 4, "first"), output(x + 40, 4, "second"), output(x + 80, 4)}, {}, false);
  CHECK_THAT(refusal(near, x + 10, 4, Access::write), StartsWith("writes element 10 of first, "));
  CHECK_THAT(refusal(near, x + 38, 4, Access::write), StartsWith("writes element -2 of second, "));
  CHECK_THAT(refusal(near, x + 78, 4, Access::write), StartsWith("writes element -2 of output 2, "));

  const std::array<char, 1> letter{};
  const KernelMemory of_bytes({input(letter), input("four", 4, "text")}, {}, {}, false);
  CHECK_THAT(refusal(of_bytes, letter.data() + 1, 1, Access::read),
             StartsWith("reads byte 1 of input 0, which has 1 byte;"));
}

TEST_CASE("a place has the name of the array that has its byte", "[bounds]") {
  KernelMemory kernel = of_two(4, 4);
  const dma::host::detail::SharedMemory shared(64, 2);
  const dma::host::detail::MemoryBounds bounds(shared, 1, &kernel);
  CHECK(bounds.name_of(x + 3) == "element 3 of x (12 modulo 16)");
  CHECK(bounds.name_of(x + 4) == "in no array of this launch (0 modulo 16)");
  CHECK(bounds.name_of(shared.of_cta(1) + 24) == "byte 24 of shared memory (8 modulo 16)");
  CHECK(dma::host::detail::MemoryBounds(shared, 0, nullptr).name_of(x) ==
        "in global memory, of which no array was named (0 modulo 16)");
  KernelMemory unnamed({}, {}, {}, false);
  CHECK(dma::host::detail::MemoryBounds(shared, 0, &unnamed).name_of(x) ==
        "in global memory, of which no array was named (0 modulo 16)");
}

TEST_CASE("a copy of no bytes is nowhere, and a counter is the grid's", "[bounds]") {
  KernelMemory kernel = of_two(4, 4);
  const dma::host::detail::SharedMemory shared(64, 1);
  dma::host::detail::MemoryBounds bounds(shared, 0, &kernel);
  CHECK(bounds.allow(&memory[0], 0, Access::read));
  CHECK(!bounds.allow(&memory[0], 1, Access::read));
  CHECK(bounds.allow_shared(&memory[0], 0));
  CHECK(!bounds.allow_shared(&memory[0], 1));
  CHECK(bounds.allow_shared(shared.of_cta(0), 64));
  CHECK(!bounds.allow_shared(shared.of_cta(0), 65));
  CHECK_THAT(bounds.refusal_of_shared(&memory[0], 8, Access::write), ContainsSubstring(" copies 8 bytes to shared"));
  CHECK_THAT(bounds.refusal_of_shared(&memory[0], 8, Access::read), ContainsSubstring(" copies 8 bytes out of shared"));
  CHECK_THAT(bounds.refusal_of_shared(shared.of_cta(0) + 60, 8, Access::write),
             ContainsSubstring("a thread writes bytes 60 to 67 of its CTA's shared memory"));
  CHECK_THAT(bounds.refusal(shared.of_cta(0) + 60, 8, Access::read),
             ContainsSubstring("a thread reads bytes 60 to 67"));
  bounds.add_counter(&memory[0], 4);
  CHECK(bounds.allow(&memory[0], 4, Access::write));
}

TEST_CASE("the emulator's stack is between the frames where it runs kernels and where a thread goes on", "[bounds]") {
  using dma::host::detail::EmulatorMemory;
  const auto has = [](int place) { return EmulatorMemory::stack_contains(&memory[static_cast<std::size_t>(place)]); };
  CHECK(!has(90));
  {
    const EmulatorMemory outer(&memory[100]);
    CHECK(!has(99));
    EmulatorMemory::leave_stack_at(&memory[80]);
    CHECK(!has(79));
    CHECK(has(80));
    CHECK(has(99));
    CHECK(!has(100));
    {
      const EmulatorMemory inner(&memory[60]);
      EmulatorMemory::leave_stack_at(&memory[50]);
      CHECK(has(55));
      CHECK(!has(90));
    }
    CHECK(has(90));
  }
  CHECK(!has(90));
}

TEST_CASE("an address that has no line is told by its call", "[bounds]") {
  const auto caller = SourceLocation::here("folder/a.cpp", 7);
  CHECK(dma::host::detail::source_line(&memory[1], caller) == "a.cpp:7");  // data: the compiler knows no line of it
  CHECK(dma::host::detail::source_line(nullptr, caller) == "a.cpp:7");
  CHECK(dma::host::detail::line_of(&memory[1], caller) == " (a.cpp:7)");
  CHECK(dma::host::detail::line_of(nullptr, SourceLocation()).empty());
  CHECK(dma::host::detail::place_by("echo 'folder/a.cpp:?'; echo '??:0'").empty());  // a file is no line
  CHECK(dma::host::detail::place_by("echo 'folder/a.cpp:?'; echo 'folder/b.cpp:8 (discriminator 2)'") == "b.cpp:8");
}

TEST_CASE("spans among the arguments are arrays, and what an argument has in itself is none", "[bounds]") {
  dma::host::detail::GlobalArrays arrays;
  std::span<const int> read(x, 4);
  std::span<int> written(y, 8);
  std::array<int, 4> own{};
  int number = 3;
  dma::host::detail::add_array_of(arrays, own, 0);
  dma::host::detail::add_array_of(arrays, read, 1);
  dma::host::detail::add_array_of(arrays, number, 2);
  dma::host::detail::add_array_of(arrays, written, 3);
  REQUIRE(arrays.inputs.size() == 1);
  CHECK(arrays.inputs[0].name == "argument 1");
  CHECK(arrays.inputs[0].bytes.size() == 4 * sizeof(int));
  REQUIRE(arrays.outputs.size() == 1);
  CHECK(arrays.outputs[0].name == "argument 3");
  CHECK(arrays.outputs[0].bytes.size() == 8 * sizeof(int));
  CHECK(arrays.outputs[0].element_bytes == sizeof(int));
}

TEST_CASE("all threads construct the same pipelines at the same places", "[bounds]") {
  const auto first = SourceLocation::here("folder/a.cpp", 3, 5);
  const auto second = SourceLocation::here("folder/a.cpp", 4, 5);
  dma::host::detail::ConstructedPipelines pipelines;
  for (int rank = 0; rank < 2; ++rank) {
    pipelines.construct(0, rank, first);
    pipelines.construct(1, rank, second);
  }
  CHECK_THROWS_WITH(pipelines.construct(1, 2, first), ContainsSubstring("thread 2 constructs a pipeline (a.cpp:3:5) "
                                                                        "where thread 0 constructs one elsewhere "
                                                                        "(a.cpp:4:5); construct"));
  CHECK_THROWS(pipelines.construct(0, 2, SourceLocation::here("folder/a.cpp", 3, 6)));
  CHECK_THROWS(pipelines.construct(0, 2, SourceLocation::here("folder/b.cpp", 3, 5)));
  CHECK_NOTHROW(pipelines.construct(0, 2, SourceLocation::here(std::string("folder/a.cpp").c_str(), 3, 5)));
  CHECK_NOTHROW(pipelines.expect_all(2, 2));
  CHECK_THROWS_WITH(
      pipelines.expect_all(1, 2),
      ContainsSubstring("thread 2 ends without a pipeline that thread 0 has constructed (a.cpp:4:5); construct"));
}

TEST_CASE("bytes of shared memory are a slot's, a barrier's or the kernel's own", "[bounds]") {
  constexpr long long global = dma::proof::detail::first_global;
  dma::proof::detail::SharedLayout layout;
  const dma::machine::Site first{.pipeline = "first", .storage = &memory[0]};
  const dma::machine::Site second{.pipeline = "second", .storage = &memory[0]};
  for (int thread = 0; thread < 2; ++thread) {
    layout.add_pipeline(first, 1024, 2, 64);
    layout.add_barrier({1280, 1288});
  }
  const auto memory_of = [&](const dma::proof::detail::ByteRanges& ranges) { return layout.memory_of(ranges); };
  CHECK(memory_of({{1024, 1025}}) == Memory::tile);
  CHECK(memory_of({{1151, 1152}}) == Memory::tile);
  CHECK(memory_of({{1152, 1153}}) == Memory::own_shared);
  CHECK(memory_of({{1023, 1024}}) == Memory::own_shared);
  CHECK(memory_of({{1280, 1288}}) == Memory::barrier);
  CHECK(memory_of({{1279, 1280}}) == Memory::own_shared);
  CHECK(memory_of({{1288, 1289}}) == Memory::own_shared);
  CHECK(memory_of({{global, global + 4}}) == Memory::global);
  CHECK(memory_of({{-4, -3}}) == Memory::count);
  CHECK(text_of(memory_of({{1024, 1025}, {1284, 1288}, {global, global + 4}})) ==
        "a tile and the word of a barrier and global memory");
  CHECK(text_of(memory_of({{-4, -3}, {0, 4}})) == "the kernel's own shared memory and what a CTA counts");

  dma::host::detail::PipelineLetters letters;
  const auto text = [&](ByteRange bytes) { return layout.text_of(bytes, 1000, letters); };
  CHECK(text({1104, 1120}) == "bytes 16 to 31 of slot 1 of pipeline A");
  CHECK(text({1024, 1025}) == "byte 0 of slot 0 of pipeline A");
  CHECK(text({1280, 1288}) == "bytes 280 to 287 of shared memory");
  CHECK(text({1600, 1604}) == "bytes 600 to 603 of the kernel's own shared memory");
  // Of another type in the same storage, and of the same type elsewhere.
  layout.add_pipeline(second, 1024, 3, 64);
  CHECK(text({1152, 1153}) == "byte 0 of slot 2 of pipeline B");
  layout.add_pipeline(first, 2048, 1, 64);
  CHECK(memory_of({{2048, 2049}}) == Memory::tile);
  // A later one over a part of the first.
  layout.add_pipeline(second, 1088 + 32, 1, 16);
  CHECK(text({1120, 1121}) == "byte 0 of slot 0 of pipeline B");
}
