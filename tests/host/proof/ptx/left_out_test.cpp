// Products are left out of a proof where no value of them decides something.
#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <string>

namespace {

using Catch::Matchers::ContainsSubstring;
using namespace ptx_test;

constexpr int threads = 128;  ///< in two CTAs

const std::string multiply =
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r20, %r21}, {%r10}, {%r10}, {%r11, %r10};\n";
/// %r20 is `value`, by a product of zeros to which it is added.
std::string product(const std::string& value) {
  return "mov.u32 %r10, 0;\n mov.u32 %r11, " + value + ";\n " + multiply;
}
const std::string lines = "k<<<2, 64>>>(x: out s32[128] = iota, y: out s32[128])\n";

/// y of a kernel that is proved with its values, and without them. It does what one without a product does, but for the
/// meeting of the lanes that multiply.
template <class Value>
void expect_y(const std::string& body, const Value& value, const std::string& line = lines) {
  INFO(body);
  const std::string text = kernel(x_and_y, begin + body, shared);
  const Judged judged = judge(text, line);
  const Judged alone = judge(text, line, false);
  CHECK(judged.kind() == "proved");
  CHECK(alone.kind() == "proved");
  CHECK(judged.launch.not_computed.empty());
  CHECK(alone.launch.not_computed.empty());
  std::string moved = text;
  moved.replace(text.find(multiply), multiply.size(), "mov.u32 %r20, %r11;\n");
  const Judged plain = judge(moved, line);
  constexpr int runs = 6;
  for (const Judged& each : {judged, alone}) {
    CHECK(each.launch.instructions == plain.launch.instructions);
    CHECK(each.launch.verdict.operations == plain.launch.verdict.operations + runs * threads);
  }
  CHECK(judged.unknown[1].empty());
  for (int i = 0; i < threads; ++i) {
    CHECK(judged.at<std::int32_t>(1, static_cast<std::size_t>(i)) == value(i));
  }
}
Judged judged_alone(const std::string& body, const std::string& line = lines) {
  return judge(kernel(x_and_y, begin + body, shared), line, false);
}

}  // namespace

TEST_CASE("ptx: arrays have the values of products, or say that they were left out") {
  const std::string body = product("%r5") + "st.global.b32 [%rd4], %r20;\n";
  expect_y(body, [](int i) { return i; });
  CHECK_THAT(
      judged_alone(body).unknown[1],
      ContainsSubstring("element 0 of y was not computed, by mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 (k.ptx:"));
  // Each launch but the last one leaves values for the next.
  const std::string two = "k<<<2, 64>>>(x: out s32[128] = iota, y: out s32[128])\n k<<<2, 64>>>(y, z: out s32[128])\n";
  const Judged copied = judge(kernel(x_and_y,
                                     begin + "ld.global.b32 %r22, [%rd3];\n" + product("%r22") +
                                         "shl.b32 %r20, %r20, 0;\n st.global.b32 [%rd4], %r20;\n",
                                     shared),
                              two, false);
  CHECK(copied.kind() == "proved");
  CHECK(copied.unknown[1].empty());
  CHECK(copied.at<std::int32_t>(1, 77) == 77);
}

TEST_CASE("ptx: what products decide is judged with their values") {
  expect_y(product("%r6") +
               "add.s32 %r20, %r20, %r7;\n st.shared.b32 [%r20], %r1;\n ld.shared.b32 %r22, [%r4];\n"
               "st.global.b32 [%rd4], %r22;\n",
           [](int i) { return i % 64; });
  expect_y(product("%r1") + "st.global.b32 [%rd4], 3;\n setp.lt.u32 %p1, %r20, 5;\n @%p1 st.global.b32 [%rd4], 4;\n",
           [](int i) { return i % 64 < 5 ? 4 : 3; });
  expect_y(product("%r1") +
               "setp.lt.u32 %p1, %r20, 5;\n mov.u32 %r22, 0;\n @%p1 mov.u32 %r22, 9;\n"
               "st.global.b32 [%rd4], %r22;\n",
           [](int i) { return i % 64 < 5 ? 9 : 0; });
  // The instructions that are executed are those of the values.
  expect_y(product("%r1") +
               "setp.lt.u32 %p1, %r20, 5;\n mov.u32 %r22, 0;\n @%p1 bra END;\n mov.u32 %r22, 9;\n"
               "add.u32 %r22, %r22, 1;\nEND:\n st.global.b32 [%rd4], %r22;\n",
           [](int i) { return i % 64 < 5 ? 0 : 10; });
  // So do the lanes that meet.
  expect_y(product("%r1") +
               "setp.lt.u32 %p1, %r20, 500;\n @%p1 shfl.sync.bfly.b32 %r22, %r20, 1, 31, -1;\n"
               "st.global.b32 [%rd4], %r22;\n",
           [](int i) { return i % 64 ^ 1; });
}

TEST_CASE("ptx: lanes that store a product's value to one place store one value, or have a race") {
  const std::string by_lanes =
      "setp.eq.u32 %p1, %r2, 0;\n setp.lt.and.u32 %p1, %r1, 32, %p1;\n @%p1 st.global.b32 [%rd2], %r20;\n";
  const std::string by_warps =
      "and.b32 %r23, %r1, 31;\n setp.eq.u32 %p1, %r2, 0;\n setp.eq.and.u32 %p1, %r23, 0, %p1;\n"
      "@%p1 st.global.b32 [%rd2], %r20;\n";
  const std::string matrix =
      "and.b32 %r23, %r1, 7;\n shl.b32 %r23, %r23, 4;\n add.s32 %r23, %r23, %r7;\n"
      "setp.lt.u32 %p1, %r1, 32;\n";
  for (const std::string& to_one_place : {by_lanes, by_warps}) {
    INFO(to_one_place);
    CHECK(judged_alone(product("%r1") + to_one_place).finding() == "race");
    CHECK(judged_alone(product("7") + to_one_place).launch.verdict.is_proved());
  }
  CHECK(judged_alone(product("7") + by_lanes).kind() == "proved");
  CHECK(judged_alone(product("7") + by_warps).kind() == "rule");
  // Lanes 8 to 15 give the rows that lanes 0 to 7 give.
  const auto store_matrices = [&](const std::string& second) {
    return judged_alone(product("%r1") + matrix +
                        "@!%p1 bra END;\n stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r23], {%r20, " + second +
                        "};\nEND:\n st.global.b32 [%rd4], 1;\n");
  };
  CHECK(store_matrices("%r20").kind() == "proved");
  CHECK(store_matrices("%r21").finding() == "race");
}

TEST_CASE("ptx: an order of threads that reaches a product's values is seen in the outputs") {
  const std::string store = "st.global.b32 [%rd4], %r20;\n";
  // More than are explored, so that runs are compared.
  const std::string ticket = "atom.global.add.u32 %r12, [%rd1], 1;\n";
  const std::string differ = "outputs that differ from seed to seed";
  CHECK(judged_alone(ticket + ticket + product("%r12") + store).finding() == differ);
  CHECK(judged_alone("setp.eq.u32 %p1, %r1, 0;\n @%p1 st.relaxed.gpu.global.b32 [%rd3], 7;\n"
                     "ld.relaxed.gpu.global.b32 %r12, [%rd1];\n" +
                     product("%r12") + store)
            .finding() == differ);
  CHECK(judged_alone("mov.u32 %r12, 0;\n setp.eq.u32 %p1, %r1, 0;\n @%p1 " + ticket + product("%r12") + store)
            .finding() == differ);
  CHECK(judged_alone("setp.eq.u32 %p2, %r1, 0;\n @%p2 mbarrier.init.shared.b64 [full], 1;\n bar.sync 0;\n"
                     "setp.ne.u32 %p3, %r1, 32;\n @!%p3 mbarrier.arrive.shared.b64 %rd9, [full];\n"
                     "mbarrier.test_wait.parity.shared.b64 %p1, [full], 0;\n selp.b32 %r12, 1, 2, %p1;\n bar.sync 0;\n"
                     "WAIT: mbarrier.test_wait.parity.shared.b64 %p1, [full], 0;\n @!%p1 bra WAIT;\n" +
                     product("%r12") + store)
            .finding() == differ);
}
