// mma.sync: the values of each shape, by the fragments as the PTX ISA writes them down.
#include "judge.hpp"
#include "mma_types.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using ptx_test::Judged;
using ptx_test::types;

/// Where element `i` of a lane's part is in its matrix; g and t are `groupID` and `threadID_in_group`.
using Place = std::function<std::pair<int, int>(int g, int t, int i)>;
struct Case {
  std::string shape;
  std::string d, a, b, c;
  int m, k;
  int a_values, b_values;  ///< of a lane
  Place of_a;              ///< row and column
  Place of_b;
  std::string how = {};  ///< a modifier
};

// Of values of one, two, four, eight and 32 to a register (PTX ISA, "Matrix Fragments for mma").
Place a_of(int packed) {
  return [packed](int g, int t, int i) {
    const bool is_upper = i / packed % 2 != 0;
    return std::pair(is_upper ? g + 8 : g, t * packed + i % packed + i / (2 * packed) * 4 * packed);
  };
}
Place a_of_8_rows(int packed) {
  return [packed](int g, int t, int i) { return std::pair(g, t * packed + i); };
}
Place b_of(int packed) {
  return [packed](int g, int t, int i) { return std::pair(t * packed + i % packed + i / packed * 4 * packed, g); };
}

const std::vector<Case> cases{
    {"m16n8k8", "f32", "f16", "f16", "f32", 16, 8, 4, 2, a_of(2), b_of(2)},
    {"m16n8k16", "f32", "f16", "f16", "f32", 16, 16, 8, 4, a_of(2), b_of(2)},
    {"m16n8k16", "f16", "f16", "f16", "f16", 16, 16, 8, 4, a_of(2), b_of(2)},
    {"m16n8k8", "f32", "bf16", "bf16", "f32", 16, 8, 4, 2, a_of(2), b_of(2)},
    {"m16n8k16", "f32", "bf16", "bf16", "f32", 16, 16, 8, 4, a_of(2), b_of(2)},
    {"m16n8k4", "f32", "tf32", "tf32", "f32", 16, 4, 2, 1, a_of(1), b_of(1)},
    {"m16n8k8", "f32", "tf32", "tf32", "f32", 16, 8, 4, 2, a_of(1), b_of(1)},
    {"m8n8k4", "f64", "f64", "f64", "f64", 8, 4, 1, 1, a_of_8_rows(1), b_of(1)},
    {"m16n8k8", "f64", "f64", "f64", "f64", 16, 8, 4, 2, a_of(1), b_of(1)},
    {"m16n8k16", "f64", "f64", "f64", "f64", 16, 16, 8, 4, a_of(1), b_of(1)},
    {"m16n8k32", "f32", "e4m3", "e5m2", "f32", 16, 32, 16, 8, a_of(4), b_of(4)},
    {"m16n8k32", "f32", "e5m2", "e4m3", "f32", 16, 32, 16, 8, a_of(4), b_of(4)},
    {"m8n8k16", "s32", "s8", "u8", "s32", 8, 16, 4, 4, a_of_8_rows(4), b_of(4)},
    {"m16n8k16", "s32", "u8", "s8", "s32", 16, 16, 8, 4, a_of(4), b_of(4)},
    {"m16n8k32", "s32", "s8", "s8", "s32", 16, 32, 16, 8, a_of(4), b_of(4), ".satfinite"},
    {"m8n8k32", "s32", "s4", "s4", "s32", 8, 32, 8, 8, a_of_8_rows(8), b_of(8)},
    {"m16n8k32", "s32", "s4", "u4", "s32", 16, 32, 16, 8, a_of(8), b_of(8)},
    {"m16n8k64", "s32", "u4", "s4", "s32", 16, 64, 32, 16, a_of(8), b_of(8)},
    {"m8n8k128", "s32", "b1", "b1", "s32", 8, 128, 32, 32, a_of_8_rows(32), b_of(32), ".xor.popc"},
    {"m16n8k256", "s32", "b1", "b1", "s32", 16, 256, 128, 64, a_of(32), b_of(32), ".and.popc"},
};

std::string list(const std::string& name, int first, int count) {
  std::string text = "{";
  for (int i = first; i < first + count; ++i) {
    text += (i == first ? "" : ", ") + name + std::to_string(i);
  }
  return text + "}";
}
std::string moves(const std::string& how, const std::string& base, int bytes, const std::string& name, int first,
                  int count, bool stores = false) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string place = "[" + base + "+" + std::to_string(i * bytes) + "]";
    const std::string reg = name + std::to_string(first + i);
    text += how + " " + (stores ? place + ", " + reg : reg + ", " + place) + ";\n";
  }
  return text;
}

/// The registers of each lane are 64 bytes of each array: of A, B, C and D.
struct Product {
  explicit Product(const Case& of) : how(of) {
    const int word = bits_of(how.d) == 64 ? 8 : 4;
    const std::string type = word == 8 ? "b64" : "b32";
    const auto registers = [&](const std::string& name, int values) { return values * bits_of(name) / (8 * word); };
    sums = how.m / 8 * 2;
    const int a = registers(how.a, how.a_values);
    const int b = registers(how.b, how.b_values);
    const int c = registers(how.c, sums);
    const int d = registers(how.d, sums);
    const std::string body =
        ".reg ." + type +
        " %a<8>, %b<8>, %c<8>, %d_<8>;\nld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\n"
        "ld.param.u64 %rd3, [z];\nld.param.u64 %rd4, [w];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd5, %r1, 64;\n"
        "add.s64 %rd1, %rd1, %rd5;\nadd.s64 %rd2, %rd2, %rd5;\nadd.s64 %rd3, %rd3, %rd5;\nadd.s64 %rd4, %rd4, %rd5;\n" +
        moves("ld.global." + type, "%rd1", word, "%a", 0, a) + moves("ld.global." + type, "%rd2", word, "%b", 0, b) +
        moves("ld.global." + type, "%rd3", word, "%c", 0, c) + "mma.sync.aligned." + how.shape + ".row.col" +
        (how.a == "b1" ? "" : how.how) + "." + how.d + "." + how.a + "." + how.b + "." + how.c +
        (how.a == "b1" ? how.how : "") + " " + list("%d_", 0, d) + ", " + list("%a", 0, a) + ", " + list("%b", 0, b) +
        ", " + list("%c", 0, c) + ";\n" + moves("st.global." + type, "%rd4", word, "%d_", 0, d, true);
    judged = ptx_test::judge(ptx_test::kernel(".param .u64 x, .param .u64 y, .param .u64 z, .param .u64 w", body),
                             "k<<<1, 32>>>(x: " + array_of(how.a) + ", y: " + array_of(how.b) +
                                 ", z: " + (how.how == ".satfinite" ? "s32[4096] = 2147480000" : array_of(how.c)) +
                                 ", w: out " + array_of(how.d) + ")");
  }
  static int bits_of(const std::string& type) { return types.at(type).bits; }
  static std::string array_of(const std::string& type) { return types.at(type).array; }
  /// Element i of a lane's part, of array 0 to 3.
  [[nodiscard]] double value(std::size_t array, const std::string& type, int lane, int i) const {
    return types.at(type).read(judged.arrays[array].data() + 64 * lane, i);
  }

  Case how;
  int sums = 0;  ///< of a lane
  Judged judged;
};

double limited(const Case& how, double sum) { return how.how == ".satfinite" ? std::min(sum, 2147483647.0) : sum; }
double multiplied(const Case& how, double a, double b) { return how.how == ".xor.popc" ? (a != b ? 1 : 0) : a * b; }

}  // namespace

TEST_CASE("ptx: mma.sync multiplies what its lanes have in registers") {
  for (const Case& how : cases) {
    INFO(how.shape << ' ' << how.d << ' ' << how.a << ' ' << how.b << ' ' << how.c);
    const Product product(how);
    INFO(product.judged.message());
    REQUIRE(product.judged.kind() == "proved");
    CHECK(product.judged.launch.not_computed.empty());
    std::vector<std::vector<double>> a(16, std::vector<double>(256));
    std::vector<std::vector<double>> b(256, std::vector<double>(8));
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < how.a_values; ++i) {
        const auto [row, column] = how.of_a(lane / 4, lane % 4, i);
        a.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column)) = product.value(0, how.a, lane, i);
      }
      for (int i = 0; i < how.b_values; ++i) {
        const auto [row, column] = how.of_b(lane / 4, lane % 4, i);
        b.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column)) = product.value(1, how.b, lane, i);
      }
    }
    double most = 0;
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < product.sums; ++i) {
        const auto row = static_cast<std::size_t>(i < 2 ? lane / 4 : lane / 4 + 8);
        const auto column = static_cast<std::size_t>(lane % 4 * 2 + (i & 1));
        double sum = product.value(2, how.c, lane, i);
        for (std::size_t k = 0; k < static_cast<std::size_t>(how.k); ++k) {
          sum += multiplied(how, a[row][k], b[k][column]);
        }
        most = std::max(most, std::fabs(product.value(3, how.d, lane, i) - limited(how, sum)));
      }
    }
    CHECK(most <= (how.d == "f16" ? 4e-3 : how.d == "f32" ? 1e-5 : 0));
  }
}

TEST_CASE("ptx: what mma.sync gives is unknown where a row of A, a column of B or its sum is") {
  // Lane 9 takes what a product that is not computed has left in a register; the lane that is asked uses its sum.
  const auto asks = [](const std::string& taken, int lane) {
    return ptx_test::judge_body(
               "mov.b32 %r10, 0;\nmov.b32 %r11, 0;\nmov.b32 %r12, 0;\nmov.f32 %f1, 0f00000000;\n"
               "mov.f32 %f2, 0f00000000;\nmov.f32 %f3, 0f00000000;\nmov.f32 %f4, 0f00000000;\n"
               "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r10, %r11}, "
               "{%r11, %r12}, {%f1, %f2, %f3, %f4}, %r10, 0x0;\nsetp.eq.u32 %p1, %r1, 9;\n@%p1 mov.b32 " +
                   taken +
                   ", %f5;\nmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f9, %f10, %f11, %f12}, {%r10, %r11}, "
                   "{%r12}, {%f1, %f2, %f3, %f4};\nsetp.gt.f32 %p2, %f9, 0f3f800000;\nsetp.ne.u32 %p3, %r1, " +
                   std::to_string(lane) + ";\n@%p3 bra end;\n@%p2 st.global.b32 [%rd4], %r1;\nend:\n",
               "k<<<1, 32>>>(x: s32[32] = iota, y: out s32[32])")
        .kind();
  };
  // Row 2 of A is that of lanes 8 to 11; column 2 of B is that of lanes 1, 5, ... of D.
  CHECK(asks("%r10", 8) == "refused");
  CHECK(asks("%r10", 12) != "refused");
  CHECK(asks("%r12", 1) == "refused");
  CHECK(asks("%r12", 2) != "refused");
  CHECK(asks("%f1", 9) == "refused");
  CHECK(asks("%f1", 8) != "refused");
}

namespace {

struct GroupCase {
  std::string shape;
  std::string d, a, b;
  int k;
  int columns = 8;

  [[nodiscard]] int registers() const { return columns / (d == "f16" ? 4 : 2); }
};
const std::vector<GroupCase> group_cases{
    {"m64n8k16", "f32", "f16", "f16", 16},     {"m64n8k16", "f32", "bf16", "bf16", 16},
    {"m64n8k16", "f16", "f16", "f16", 16},     {"m64n8k8", "f32", "tf32", "tf32", 8},
    {"m64n8k32", "f32", "e4m3", "e5m2", 32},   {"m64n8k32", "f16", "e5m2", "e4m3", 32},
    {"m64n8k32", "s32", "s8", "u8", 32},       {"m64n8k32", "s32", "u8", "u8", 32},
    {"m64n16k16", "f16", "f16", "f16", 16, 16}};

/// A, of 64 rows of 32 bytes, and B, of 8 or 16, are x and z from their beginning; or each thread has 16 bytes of A in
/// four registers. In shared memory 8 rows of 16 bytes follow one another, then the second half of their 32 bytes.
///
/// @param replaces_b  by the beginning of A, behind a product; then it is multiplied again
Judged judge_group(const GroupCase& how, bool in_registers, bool replaces_b) {
  const bool is_int = how.d == "s32";
  const bool has_two_bytes = how.a == "f16" || how.a == "bf16";
  const std::string product =
      "fence.proxy.async.shared::cta;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned." +
      how.shape + "." + how.d + "." + how.a + "." + how.b + " " + list("%d_", 0, how.registers()) + ", " +
      (in_registers ? "{%a0, %a1, %a2, %a3}" : "%q2") + ", %q3, 0" + (is_int ? "" : ", 1, -1") +
      (!has_two_bytes ? ""
       : in_registers ? ", 0"
                      : ", 0, 0") +
      ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  const std::string again = "bar.sync 0;\n@%p1 st.shared.v4.b32 [%r4+2048], {%a0, %a1, %a2, %a3};\n" + product;
  const std::string body =
      ".reg .b64 %q<9>;\n.reg .b32 %a<8>, %d_<8>;\nld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [z];\n"
      "ld.param.u64 %rd3, [y];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd1, %rd1, %rd5;\n"
      "add.s64 %rd2, %rd2, %rd5;\nadd.s64 %rd3, %rd3, %rd5;\nmov.u32 %r7, tile;\nshl.b32 %r6, %r1, 4;\n"
      "add.s32 %r4, %r7, %r6;\nld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rd1];\n"
      "st.shared.v4.b32 [%r4], {%a0, %a1, %a2, %a3};\nsetp.lt.u32 %p1, %r1, " +
      std::to_string(2 * how.columns) +
      ";\n"
      "@%p1 ld.global.v4.b32 {%a4, %a5, %a6, %a7}, [%rd2];\n@%p1 st.shared.v4.b32 [%r4+2048], {%a4, %a5, %a6, %a7};\n"
      "shr.u32 %r14, %r7, 4;\ncvt.u64.u32 %q1, %r14;\nor.b64 %q2, %q1, 0x1000080000;\nadd.s64 %q3, %q2, 128;\n" +
      product + (replaces_b ? again : "") + moves("st.global.b32", "%rd3", 4, "%d_", 0, how.registers(), true);
  return ptx_test::judge(
      ptx_test::kernel(".param .u64 x, .param .u64 z, .param .u64 y", body, ".shared .align 1024 .b8 tile[2560];"),
      "k<<<1, 128>>>(x: " + Product::array_of(how.a) + ", z: " + Product::array_of(how.b) + ", y: out " +
          Product::array_of(how.d) + ")");
}

}  // namespace

TEST_CASE("ptx: wgmma multiplies rows and columns of 32 bytes of each type") {
  for (const GroupCase& how : group_cases) {
    for (const auto& [in_registers, replaces_b] : {std::pair(false, false), {true, false}, {false, true}}) {
      INFO(how.shape << ' ' << how.d << ' ' << how.a << ' ' << how.b << ' ' << in_registers << ' ' << replaces_b);
      if (replaces_b && how.a != how.b) {
        continue;
      }
      const Judged judged = judge_group(how, in_registers, replaces_b);
      INFO(judged.message());
      REQUIRE(judged.kind() == "proved");
      CHECK(judged.launch.not_computed.empty());
      const int size = 32 / how.k;
      const auto place = [&](int row, int k) {
        return ((row / 8 * 2 + k * size / 16) * 128 + row % 8 * 16 + k * size % 16) / size;
      };
      std::vector<std::vector<double>> a(64, std::vector<double>(32));
      for (int i = 0; i < 64 * how.k; ++i) {
        const int row = i / how.k;
        const int k = i % how.k;
        a[static_cast<std::size_t>(row)][static_cast<std::size_t>(k)] =
            types.at(how.a).read(judged.arrays[0].data(), place(row, k));
      }
      const int packed = 4 / size;  // values in a register
      for (int i = 0; in_registers && i < 128 * 4 * packed; ++i) {
        const int thread = i / (4 * packed);
        const auto [row, k] = a_of(packed)(thread % 32 / 4, thread % 4, i % (4 * packed));
        a[static_cast<std::size_t>(thread / 32 * 16 + row)][static_cast<std::size_t>(k)] =
            types.at(how.a).read(judged.arrays[0].data(), i);
      }
      double most = 0;
      const int each = how.columns / 2;  // sums of a thread
      for (int i = 0; i < 128 * each; ++i) {
        const int thread = i / each;
        const int row = thread / 32 * 16 + thread % 32 / 4 + i % 4 / 2 * 8;
        const int column = i % each / 4 * 8 + thread % 4 * 2 + i % 2;
        double sum = 0;
        for (int k = 0; k < how.k; ++k) {
          sum += a[static_cast<std::size_t>(row)][static_cast<std::size_t>(k)] *
                 types.at(how.b).read(judged.arrays[replaces_b ? 0 : 1].data(), place(column, k));
        }
        const double found = types.at(how.d).read(judged.arrays[2].data() + thread * 16, i % each);
        most = std::max(most, std::fabs(found - (how.d == "s32" ? sum : -sum)));
      }
      CHECK(most <= (how.d == "f16" ? 1e-2 : how.d == "f32" ? 1e-5 : 0));
    }
  }
}
