// Loads and stores of tensor memory of each shape: which register of which thread has which lane and column, and what
// they are in order with.
#include "tensor_parts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using ptx_test::Judged;
using ptx_test::tensor::Parts;
using ptx_test::tensor::run;

struct Place {
  int thread;  ///< of a warp
  int reg;
};
/// Of 16 lanes and 16 columns, which threads have in eight registers each.
struct Shape {
  std::string name;
  std::string second_half;
  std::function<Place(int row, int column)> place;
};
const std::vector<Shape> shapes{
    {"16x64b.x8", "",
     [](int row, int column) {
       return Place{row % 8 * 4 + column % 2 * 2 + row / 8, column / 2};
     }},
    {"16x128b.x4", "",
     [](int row, int column) {
       return Place{row % 8 * 4 + column % 4, column / 4 * 2 + row / 8};
     }},
    {"16x256b.x2", "",
     [](int row, int column) {
       return Place{row % 8 * 4 + column % 8 / 2, column / 8 * 4 + row / 8 * 2 + column % 2};
     }},
    {"16x32bx2.x8", "8", [](int row, int column) {
       return Place{row + column / 8 * 16, column % 8};
     }}};

const std::string unwaited = "a copy or an asynchronous read that was not waited for";
const std::string to_upper_lanes = "add.s32 %s46, %s40, 1048576;\n";  // the second half of a warp's
const std::string wait = "tcgen05.wait::st.sync.aligned;\n";
const std::string fence = "tcgen05.fence::before_thread_sync;\n";
const std::string fence_behind = "tcgen05.fence::after_thread_sync;\n";
const std::string meet = "bar.sync 0;\n";

std::string registers(int first, int count) {
  std::string text;
  for (int reg = first; reg < first + count; ++reg) {
    text += (reg == first ? "%s" : ", %s") + std::to_string(reg);
  }
  return "{" + text + "}";
}
std::string load(const Shape& shape, const std::string& address, int first) {
  return "tcgen05.ld.sync.aligned." + shape.name + ".b32 " + registers(first, 8) + ", [" + address + "]" +
         (shape.second_half.empty() ? "" : ", " + shape.second_half) + ";\n";
}
std::string store(const Shape& shape, const std::string& address, int first) {
  return "tcgen05.st.sync.aligned." + shape.name + ".b32 [" + address + "], " +
         (shape.second_half.empty() ? "" : shape.second_half + ", ") + registers(first, 8) + ";\n";
}
/// Sixteen registers from %s20 on: 16 of those of each thread, one after the other.
std::string numbers() {
  std::string text = to_upper_lanes + "shl.b32 %s45, %r1, 4;\n";
  for (int reg = 0; reg < 16; ++reg) {
    text += "add.u32 %s" + std::to_string(20 + reg) + ", %s45, " + std::to_string(reg) + ";\n";
  }
  return text;
}
/// A kernel without products.
Parts parts_of(const std::string& stores, const std::string& loads) {
  Parts parts;
  parts.store_a = numbers() + stores;
  parts.products = "mov.b32 %s45, 0;\n";
  parts.load = loads;
  return parts;
}
const std::string store_of_lanes = "tcgen05.st.sync.aligned.32x32b.x16.b32 [%s40], " + registers(20, 16) + ";\n";
const std::string in_order = wait + fence + meet;

}  // namespace

TEST_CASE("ptx: loads of 16 lanes of tensor memory have what the shape says") {
  for (const Shape& shape : shapes) {
    CAPTURE(shape.name);
    const Judged judged = run(parts_of(store_of_lanes + in_order, load(shape, "%s40", 0) + load(shape, "%s46", 8)));
    CHECK(judged.message() == "");
    CHECK(judged.kind() == "proved");
    CHECK(judged.launch.not_computed.empty());
    int wrong = 0;
    for (int lane = 0; lane < 128; ++lane) {
      for (int column = 0; column < 16; ++column) {
        const auto [thread, reg] = shape.place(lane % 16, column);
        const int at = (lane / 32 * 32 + thread) * 16 + lane % 32 / 16 * 8 + reg;
        wrong += judged.at<std::int32_t>(2, static_cast<std::size_t>(at)) == lane * 16 + column ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("ptx: stores to 16 lanes of tensor memory have what the shape says") {
  for (const Shape& shape : shapes) {
    CAPTURE(shape.name);
    const std::string stores = store(shape, "%s40", 20) + store(shape, "%s46", 28);
    const Judged judged = run(parts_of(stores + in_order, Parts::load_of("%s40")));
    CHECK(judged.message() == "");
    CHECK(judged.kind() == "proved");
    int wrong = 0;
    for (int lane = 0; lane < 128; ++lane) {
      for (int column = 0; column < 16; ++column) {
        const auto [thread, reg] = shape.place(lane % 16, column);
        const int stored = (lane / 32 * 32 + thread) * 16 + lane % 32 / 16 * 8 + reg;
        wrong += judged.at<std::int32_t>(2, static_cast<std::size_t>(lane * 16 + column)) == stored ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("ptx: what threads load and store of 16 lanes of tensor memory is in order") {
  for (const Shape& shape : shapes) {
    CAPTURE(shape.name);
    const std::string stores = store(shape, "%s40", 20) + store(shape, "%s46", 28);
    const std::string loads = load(shape, "%s40", 0) + load(shape, "%s46", 8);
    // What a thread has stored it loads; others' it needs an order for.
    CHECK(run(parts_of(stores + wait, loads)).finding() == "proved");
    CHECK(run(parts_of(stores, loads)).finding() == unwaited);
    CHECK(run(parts_of(stores + wait, Parts::load_of("%s40"))).finding() == unwaited);
    CHECK(run(parts_of(store_of_lanes + wait, loads)).finding() == unwaited);
    CHECK(run(parts_of(stores + fence + meet, loads)).finding() == unwaited);
    // Over what others load.
    Parts parts = parts_of(store_of_lanes + in_order, loads);
    const std::string behind = Parts().behind_loads;
    parts.behind_loads = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%s40+15], {%r1};\n" + wait + behind;
    CHECK(run(parts).finding() == unwaited);
    parts.behind_loads = behind + meet + fence_behind + parts.behind_loads;
    CHECK(run(parts).finding() == "proved");
    parts.behind_loads = "";
    CHECK(run(parts).finding() == unwaited);
    // Half of the lanes is set.
    CHECK_THAT(run(parts_of(store(shape, "%s40", 20) + in_order, loads)).message(),
               ContainsSubstring("no product has set"));
    CHECK_THAT(run(parts_of(store(shape, "%s46", 20) + in_order, Parts::load_of("%s40"))).message(),
               ContainsSubstring("no product has set"));
    CHECK(
        run(parts_of(store(shape, "%s46", 20) + in_order, load(shape, "%s46", 0) + load(shape, "%s46", 8))).finding() ==
        "proved");
    // Columns that are not allocated, or of other lanes.
    CHECK_THAT(run(parts_of(store(shape, "%s40+17", 20), loads)).message(), ContainsSubstring("not allocated"));
    CHECK_THAT(run(parts_of("add.s32 %s46, %s40, 524288;\n" + store(shape, "%s46", 20), loads)).message(),
               ContainsSubstring("a warp stores to tensor memory from lane"));
  }
}

TEST_CASE("ptx: values of 16 lanes of tensor memory that are not known stay so") {
  const Shape& shape = shapes[2];
  Parts parts = parts_of("addc.u32 %s21, %s21, 0;\n" + store(shape, "%s40", 20) + store(shape, "%s46", 28) + in_order,
                         Parts::load_of("%s40"));
  const Judged judged = run(parts);
  CHECK(judged.kind() == "proved");
  CHECK_THAT(judged.unknown[2], ContainsSubstring("element 1 of z"));
  CHECK_THAT(judged.unknown[2], ContainsSubstring("512 of 8192 bytes"));
  parts.load = load(shape, "%s40", 0) + load(shape, "%s46", 8);
  parts.behind_loads += "setp.gt.u32 %p3, %s1, 5;\n @%p3 bar.sync 0;\n";
  CHECK(run(parts).kind() == "refused");
}
