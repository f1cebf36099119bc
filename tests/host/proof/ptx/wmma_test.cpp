// wmma: products of whole matrices in memory, since where a warp has their elements is not said.
#include "judge.hpp"
#include "mma_types.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using ptx_test::Judged;
using ptx_test::types;

struct Case {
  int m, n, k;
  std::string d, a, c;
  int of_a, of_b, of_c, of_d;  ///< registers
  bool a_by_rows = true;
  bool b_by_rows = false;
  std::string how = {};  ///< a modifier

  [[nodiscard]] std::string shape() const {
    return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  }
  [[nodiscard]] std::string types_of_product() const {
    return a == "f16" ? "." + d + "." + c : "." + d + "." + a + "." + a + "." + c;
  }
};

const std::vector<Case> cases{
    {16, 16, 16, "f32", "f16", "f32", 8, 8, 8, 8},
    {16, 16, 16, "f32", "f16", "f32", 8, 8, 8, 8, false, true},
    {16, 16, 16, "f16", "f16", "f16", 8, 8, 4, 4, true, true},
    {8, 32, 16, "f32", "f16", "f16", 8, 8, 4, 8, false, false},
    {32, 8, 16, "f16", "f16", "f32", 8, 8, 8, 4},
    {16, 16, 16, "f32", "bf16", "f32", 4, 4, 8, 8},
    {8, 32, 16, "f32", "bf16", "f32", 2, 8, 8, 8, false, true},
    {16, 16, 8, "f32", "tf32", "f32", 4, 4, 8, 8},
    {8, 8, 4, "f64", "f64", "f64", 1, 1, 2, 2, false, true},
    {16, 16, 16, "s32", "s8", "s32", 2, 2, 8, 8},
    {8, 32, 16, "s32", "u8", "s32", 1, 4, 8, 8, true, true},
    {32, 8, 16, "s32", "s8", "s32", 4, 1, 8, 8, false, false, ".satfinite"},
    {8, 8, 32, "s32", "s4", "s32", 1, 1, 2, 2},
    {8, 8, 32, "s32", "u4", "s32", 1, 1, 2, 2},
    {8, 8, 128, "s32", "b1", "s32", 1, 1, 2, 2, true, false, ".xor.popc"},
    {8, 8, 128, "s32", "b1", "s32", 1, 1, 2, 2, true, false, ".and.popc"},
};

std::string list(const std::string& name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + name + std::to_string(i);
  }
  return text + "}";
}
std::string order(bool by_rows) { return by_rows ? "row" : "col"; }

constexpr int pitch = 128;  ///< elements of a line of A and B; of C and D there are 40

/// A, B and C are x, y and z from their beginning, D is w.
Judged judge_product(const Case& how) {
  const bool is_double = how.a == "f64";
  const std::string moves = "wmma.load.";
  const auto load = [&](const std::string& part, bool by_rows, const std::string& type, int count, int address,
                        int line) {
    return moves + part + ".sync.aligned." + order(by_rows) + "." + how.shape() + ".global." + type + " " +
           list("%" + part, count) + ", [%rd" + std::to_string(address) + "], " + std::to_string(line) + ";\n";
  };
  const std::string body =
      ".reg ." + std::string(is_double ? "b64" : "b32") +
      " %a<8>, %b<8>, %c<8>, %d_<8>;\nld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\n"
      "ld.param.u64 %rd3, [z];\nld.param.u64 %rd4, [w];\n" +
      load("a", how.a_by_rows, how.a, how.of_a, 1, pitch) + load("b", how.b_by_rows, how.a, how.of_b, 2, pitch) +
      load("c", true, how.c, how.of_c, 3, 40) + "wmma.mma" + (how.a == "b1" ? how.how : "") + ".sync.aligned." +
      order(how.a_by_rows) + "." + order(how.b_by_rows) + "." + how.shape() + how.types_of_product() +
      (how.a == "b1" ? "" : how.how) + " " + list("%d_", how.of_d) + ", " + list("%a", how.of_a) + ", " +
      list("%b", how.of_b) + ", " + list("%c", how.of_c) + ";\n" + "wmma.store.d.sync.aligned.col." + how.shape() +
      ".global." + how.d + " [%rd4], " + list("%d_", how.of_d) + ", 40;\n";
  const auto array_of = [](const std::string& type) { return std::string(types.at(type).array); };
  return ptx_test::judge(ptx_test::kernel(".param .u64 x, .param .u64 y, .param .u64 z, .param .u64 w", body),
                         "k<<<1, 32>>>(x: " + array_of(how.a) + ", y: " + array_of(how.a) +
                             ", z: " + (how.how == ".satfinite" ? "s32[4096] = 2147480000" : array_of(how.c)) +
                             ", w: out " + array_of(how.d) + ")");
}

}  // namespace

TEST_CASE("ptx: wmma multiplies the matrices that it loads, of each shape, type and layout") {
  for (const Case& how : cases) {
    INFO(how.shape() << ' ' << how.types_of_product() << how.how);
    const Judged judged = judge_product(how);
    INFO(judged.message());
    REQUIRE(judged.kind() == "proved");
    CHECK(judged.launch.not_computed.empty());
    const auto value = [&](std::size_t array, const std::string& type, int line, int place, int length) {
      return types.at(type).read(judged.arrays[array].data(), line * length + place);
    };
    double most = 0;
    for (int row = 0; row < how.m; ++row) {
      for (int column = 0; column < how.n; ++column) {
        double sum = value(2, how.c, row, column, 40);
        for (int k = 0; k < how.k; ++k) {
          const double a = how.a_by_rows ? value(0, how.a, row, k, pitch) : value(0, how.a, k, row, pitch);
          const double b = how.b_by_rows ? value(1, how.a, k, column, pitch) : value(1, how.a, column, k, pitch);
          sum += how.how == ".xor.popc" ? (a != b ? 1 : 0) : a * b;
        }
        sum = how.how == ".satfinite" ? std::min(sum, 2147483647.0) : sum;
        most = std::max(most, std::fabs(value(3, how.d, column, row, 40) - sum));
      }
    }
    CHECK(most <= (how.d == "f16" ? 8e-3 : how.d == "f32" ? 1e-5 : 0));
  }
}

namespace {

const std::string eight = "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}";
const std::string other_eight = "{%f11, %f12, %f13, %f14, %f15, %f16, %f17, %f18}";

/// Loads 16 x 16 floats of x, does something to them, and stores them in y. `changes` has $ for the number of a
/// register, and is there for each of them.
Judged judge_changes(const std::string& before, const std::string& changes, const std::string& after = "") {
  std::string all;
  for (const char number : std::string("12345678")) {
    std::string of_one = changes;
    for (std::size_t at = of_one.find('$'); at != std::string::npos; at = of_one.find('$')) {
      of_one[at] = number;
    }
    all += of_one;
  }
  return ptx_test::judge_body("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + eight + ", [%rd1], 16;\n" +
                                  before + all + after + "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], " +
                                  eight + ", 16;\n",
                              "k<<<1, 32>>>(x: f32[1024] = iota, y: out f32[256])");
}
bool is_known(const Judged& judged) {
  INFO(judged.message());
  CHECK(judged.kind() == "proved");
  return judged.launch.not_computed.empty();
}
float found(const Judged& judged, std::size_t i) { return judged.at<float>(1, i); }

}  // namespace

TEST_CASE("ptx: the same function of all elements of wmma's matrices is a matrix") {
  // What is loaded and stored again; by columns it would be another matrix.
  CHECK(found(judge_changes("", ""), 37) == 37);
  // By a number, and with another matrix of the same shape; one of one value everywhere.
  const std::string other = "wmma.load.c.sync.aligned.col.m16n16k16.global.f32 " + other_eight + ", [%rd1], 16;\n";
  const Judged sums = judge_changes(
      other, "mul.f32 %f9, %f1$, 0f40000000;\nfma.rn.f32 %f10, %f$, 0f40400000, %f9;\nmov.f32 %f$, %f10;\n");
  CHECK(is_known(sums));
  CHECK(found(sums, 35) == 3 * 35 + 2 * (3 * 16 + 2));
  CHECK(found(judge_changes("", "mov.f32 %f$, 0f40000000;\n"), 17) == 2);
  // A predicate of an element chooses.
  const Judged positive =
      judge_changes("", "setp.gt.f32 %p1, %f$, 0f42c80000;\nnot.pred %p2, %p1;\nselp.f32 %f$, 0f00000000, %f$, %p2;\n");
  CHECK(is_known(positive));
  CHECK(found(positive, 100) == 0);
  CHECK(found(positive, 101) == 101);
  // A matrix of halves of one value, as a factor.
  const Judged factor = judge_changes("mov.b32 %r10, 0x3c003c00;\n", "",
                                      "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 " + eight +
                                          ", {%r10, %r10, %r10, %r10, %r10, %r10, %r10, %r10}, "
                                          "{%r10, %r10, %r10, %r10, %r10, %r10, %r10, %r10}, " +
                                          eight + ";\n");
  CHECK(is_known(factor));
  CHECK(found(factor, 37) == 37 + 16);
}

TEST_CASE("ptx: what depends on the places of wmma's elements is not known") {
  const auto is_open = [](const Judged& judged) { return !is_known(judged); };
  // A number that differs from lane to lane, or from register to register; of one lane; from another place.
  CHECK(is_open(judge_changes("cvt.rn.f32.u32 %f9, %r1;\n", "add.f32 %f$, %f$, %f9;\n")));
  CHECK(is_open(judge_changes("", "add.f32 %f$, %f$, 0f3f80000$;\n")));
  CHECK(is_open(judge_changes("add.f32 %f3, %f3, %f3;\n", "")));
  CHECK(is_open(judge_changes("setp.eq.u32 %p1, %r1, 9;\n", "@%p1 add.f32 %f$, %f$, %f$;\n")));
  CHECK(is_open(judge_changes("mov.f32 %f9, %f1;\n", "add.f32 %f$, %f$, %f9;\n")));
  CHECK(is_open(judge_changes("mov.f32 %f9, %f1;\n", "add.f32 %f$, %f9, %f$;\n")));
  CHECK(is_open(judge_changes("mov.f32 %f9, %f1;\nmov.f32 %f1, %f2;\nmov.f32 %f2, %f9;\n", "")));
  CHECK(is_open(judge_changes("shfl.sync.bfly.b32 %f1, %f1, 1, 31, -1;\n", "")));
  // Not even that a lane has one value of its own.
  CHECK(is_open(judge_changes("cvt.rn.f32.u32 %f9, %r1;\n", "mov.f32 %f$, %f9;\n")));
  CHECK(is_open(judge_changes("mov.b32 %r10, 0x3c003c00;\nmov.b32 %r11, 0x3c003c01;\n", "",
                              "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 " + eight +
                                  ", {%r11, %r11, %r11, %r11, %r11, %r11, %r11, %r11}, "
                                  "{%r10, %r10, %r10, %r10, %r10, %r10, %r10, %r10}, " +
                                  eight + ";\n")));
  // Another shape, and another layout of a factor.
  CHECK(is_open(judge_changes("wmma.load.c.sync.aligned.row.m8n32k16.global.f32 " + eight + ", [%rd1], 32;\n", "")));
  const std::string halves = "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";
  const auto product = [&](const std::string& layout, const std::string& between = "") {
    return judge_changes("wmma.load.a.sync.aligned." + layout + ".m16n16k16.global.f16 " + halves + ", [%rd1], 16;\n" +
                             "mov.b32 %r20, 0;\n" + between,
                         "",
                         "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 " + eight + ", " + halves +
                             ", {%r20, %r20, %r20, %r20, %r20, %r20, %r20, %r20}, " + eight + ";\n");
  };
  CHECK(is_known(product("row")));
  CHECK(is_open(product("col")));
  // Halves are two to a register, of which a function may make one more than the other.
  std::string one_more;
  for (int reg = 10; reg < 18; ++reg) {
    one_more += "add.u32 %r" + std::to_string(reg) + ", %r" + std::to_string(reg) + ", 1;\n";
  }
  CHECK(is_open(product("row", one_more)));
  // An element decides nothing.
  CHECK(ptx_test::judge_body("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + eight +
                                 ", [%rd1], 16;\nsetp.gt.f32 %p1, %f1, 0f3f800000;\n@%p1 st.global.f32 [%rd4], %f1;\n",
                             "k<<<1, 32>>>(x: f32[256] = iota, y: out f32[256])")
            .kind() == "refused");
}
