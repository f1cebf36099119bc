#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <string>

using Catch::Matchers::ContainsSubstring;
using ptx_test::begin;
using ptx_test::judge;
using ptx_test::judge_body;
using ptx_test::Judged;
using ptx_test::kernel;
using ptx_test::shared;
using ptx_test::x_and_y;

namespace {

/// Each thread reads what its neighbour has stored in `tile`.
const std::string store_own = "ld.global.b32 %r10, [%rd3];\n st.shared.b32 [%r4], %r10;\n";
const std::string load_next = R"(
  xor.b32 %r11, %r6, 64;
  add.s32 %r11, %r11, %r7;
  ld.shared.b32 %r12, [%r11];
  st.global.b32 [%rd4], %r12;
)";
/// 4 bytes of each thread by cp.async.
const std::string copy_own = "cp.async.ca.shared.global [%r4], [%rd3], 4;\n";

}  // namespace

TEST_CASE("ptx: threads that exchange values behind a barrier are proved") {
  const Judged judged = judge_body(store_own + "bar.sync 0;\n" + load_next);
  CHECK(judged.kind() == "proved");
  for (std::size_t i = 0; i < 128; ++i) {
    CHECK(judged.at<std::int32_t>(1, i) == static_cast<std::int32_t>(i ^ 16));
  }
}

TEST_CASE("ptx: a missing barrier is a race, with both lines") {
  const Judged judged = judge_body(store_own + load_next);
  CHECK(judged.finding() == "race");
  CHECK_THAT(judged.message(), ContainsSubstring("read (k.ptx:31) and written (k.ptx:27)"));
}

TEST_CASE("ptx: named barriers of a part of the threads order those") {
  const std::string halves = R"(
    shr.u32 %r13, %r1, 5;
    add.s32 %r13, %r13, 1;
    bar.sync %r13, 32;
  )";
  const Judged own_half = judge_body(store_own + halves + load_next);
  CHECK(own_half.kind() == "proved");
  const std::string across = R"(
    xor.b32 %r11, %r6, 128;
    add.s32 %r11, %r11, %r7;
    ld.shared.b32 %r12, [%r11];
    st.global.b32 [%rd4], %r12;
  )";
  CHECK(judge_body(store_own + halves + across).finding() == "race");
  CHECK(judge_body(store_own + "barrier.cta.sync.aligned 1, 64;\n" + across).kind() == "proved");
}

TEST_CASE("ptx: a barrier that a part of the threads does not reach is a deadlock") {
  const Judged judged = judge_body("setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 0;\n");
  CHECK(judged.kind() == "error");
  CHECK(judged.finding() == "deadlock");
}

TEST_CASE("ptx: cp.async is over behind the wait for its group") {
  const std::string wait = "cp.async.commit_group;\n cp.async.wait_group 0;\n";
  CHECK(judge_body(copy_own + wait + "bar.sync 0;\n" + load_next).kind() == "proved");
  CHECK(judge_body(copy_own + "cp.async.wait_all;\n bar.sync 0;\n" + load_next).kind() == "proved");
  CHECK(
      judge_body(copy_own + "cp.async.commit_group;\n bar.sync 0;\n" + load_next + "cp.async.wait_all;\n").finding() ==
      "a copy or an asynchronous read that was not waited for");
  CHECK(judge_body(copy_own + wait + load_next).kind() == "error");
  // The copy is in no group that is waited for.
  CHECK(judge_body(copy_own + "cp.async.wait_group 0;\n bar.sync 0;\n" + load_next).kind() == "error");
}

TEST_CASE("ptx: groups of cp.async that may be pending are not over") {
  const std::string two = copy_own +
                          "cp.async.commit_group;\n add.s32 %r14, %r4, 512;\n"
                          "cp.async.ca.shared.global [%r14], [%rd3], 4;\n cp.async.commit_group;\n";
  const std::string last = "cp.async.wait_group 0;\n";
  CHECK(judge_body(two + "cp.async.wait_group 1;\n bar.sync 0;\n" + load_next + last).kind() == "proved");
  CHECK(judge_body(two + "cp.async.wait_group 2;\n bar.sync 0;\n" + load_next + last).finding() ==
        "a copy or an asynchronous read that was not waited for");
}

TEST_CASE("ptx: cp.async of no bytes writes zeros") {
  const Judged judged = judge_body(
      "mov.u32 %r15, 0;\n cp.async.ca.shared.global [%r4], [%rd3], 4, %r15;\n cp.async.wait_all;\n bar.sync 0;\n" +
      load_next);
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(1, 7) == 0);
}

TEST_CASE("ptx: lanes shuffle and vote, all of them or those of a mask") {
  const std::string body = R"(
    and.b32 %r20, %r1, 31;
    shfl.sync.bfly.b32 %r21|%p1, %r20, 5, 31, -1;
    shfl.sync.up.b32 %r22|%p2, %r20, 1, 0, -1;
    setp.lt.u32 %p3, %r20, 3;
    vote.sync.ballot.b32 %r23, %p3, -1;
    redux.sync.add.s32 %r24, %r20, 0xffffffff;
    setp.lt.u32 %p4, %r20, 16;
    @!%p4 bra other;
    shfl.sync.down.b32 %r25, %r20, 2, 0x101f, 0xffff;
    bra both;
  other:
    shfl.sync.idx.b32 %r25, %r20, 17, 31, 0xffff0000;
  both:
    bar.warp.sync 0xffffffff;
    selp.b32 %r26, 100, 0, %p2;
    add.s32 %r27, %r21, %r22;
    add.s32 %r27, %r27, %r23;
    add.s32 %r27, %r27, %r24;
    add.s32 %r27, %r27, %r25;
    add.s32 %r27, %r27, %r26;
    st.global.b32 [%rd4], %r27;
  )";
  const Judged judged = judge_body(body);
  CHECK(judged.kind() == "proved");
  for (int lane = 0; lane < 32; ++lane) {
    const int down = lane + 2 > ((lane & 16) | 15) ? lane : lane + 2;
    const int expected =
        (lane ^ 5) + (lane == 0 ? 0 : lane - 1) + 7 + 31 * 16 + (lane < 16 ? down : 17) + (lane == 0 ? 0 : 100);
    CHECK(judged.at<std::int32_t>(1, static_cast<std::size_t>(lane)) == expected);
  }
}

TEST_CASE("ptx: a shuffle orders no accesses, a synchronization of lanes does") {
  const std::string next_lane = R"(
    xor.b32 %r11, %r6, 4;
    add.s32 %r11, %r11, %r7;
    ld.shared.b32 %r12, [%r11];
    st.global.b32 [%rd4], %r12;
  )";
  CHECK(judge_body(store_own + "bar.warp.sync -1;\n" + next_lane).kind() == "proved");
  CHECK(judge_body(store_own + "shfl.sync.idx.b32 %r20, %r1, 0, 31, -1;\n" + next_lane).finding() == "race");
  const std::string pairs =
      "and.b32 %r16, %r1, 30;\n mov.u32 %r17, 3;\n shl.b32 %r17, %r17, %r16;\n bar.warp.sync %r17;\n";
  CHECK(judge_body(store_own + pairs + next_lane).kind() == "proved");
  const std::string far_lane = "xor.b32 %r11, %r6, 8;\n add.s32 %r11, %r11, %r7;\n ld.shared.b32 %r12, [%r11];\n";
  CHECK(judge_body(store_own + pairs + far_lane).finding() == "race");
}

TEST_CASE("ptx: a lane that its mask leaves out is an error") {
  CHECK_THAT(judge_body("shfl.sync.idx.b32 %r20, %r1, 0, 31, 0xffff;\n").message(),
             ContainsSubstring("lane 16 executes shfl.sync.idx.b32 with a mask that leaves it out"));
}

TEST_CASE("ptx: a barrier reduces the predicates of its threads") {
  const Judged judged = judge_body(R"(
    setp.lt.u32 %p1, %r1, 5;
    barrier.cta.red.popc.aligned.u32 %r20, 0, %p1;
    bar.red.or.pred %p2, 0, %p1;
    bar.red.and.pred %p3, 0, %p1;
    selp.b32 %r21, 100, 0, %p2;
    selp.b32 %r22, 1000, 0, %p3;
    add.s32 %r20, %r20, %r21;
    add.s32 %r20, %r20, %r22;
    st.global.b32 [%rd4], %r20;
  )");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(1, 77) == 105);
}

TEST_CASE("ptx: lanes that store one value by one instruction have no race") {
  const std::string replicated = "shr.u32 %r20, %r1, 2;\n shl.b32 %r21, %r20, 2;\n add.s32 %r21, %r21, %r7;\n";
  CHECK(judge_body(replicated + "st.shared.b32 [%r21], %r20;\n").kind() == "proved");
  CHECK(judge_body(replicated + "st.shared.b32 [%r21], %r1;\n").finding() == "race");
}

TEST_CASE("ptx: warps that store one value by one instruction break a rule, those that store others have a race") {
  // Each of two warps stores for both; what is read behind the barrier is there.
  const std::string lane = "and.b32 %r20, %r1, 31;\n shl.b32 %r21, %r20, 2;\n add.s32 %r21, %r21, %r7;\n";
  const std::string read = "bar.sync 0;\n ld.shared.b32 %r22, [%r21];\n";
  const Judged one_value = judge_body(lane + "st.shared.b32 [%r21], %r20;\n" + read);
  CHECK(one_value.kind() == "rule");
  CHECK_THAT(one_value.launch.broken_rules.at(0), ContainsSubstring("race"));
  CHECK(judge_body(lane + "st.shared.b32 [%r21], %r1;\n" + read).finding() == "race");
  // By two instructions.
  CHECK(judge_body(lane + "setp.gt.u32 %p1, %r1, 31;\n@%p1 st.shared.b32 [%r21], %r20;\n" +
                   "@!%p1 st.shared.b32 [%r21], %r20;\n" + read)
            .finding() == "race");
  // The second time, without a barrier behind the read.
  const std::string again = "mov.u32 %r25, 0;\nagain:\n st.shared.b32 [%r21], %r20;\n" + read +
                            "add.s32 %r25, %r25, 1;\n setp.lt.s32 %p2, %r25, 2;\n@%p2 bra again;\n";
  CHECK(judge_body(lane + again).finding() == "race");
}

TEST_CASE("ptx: the bytes that no thread has written are not read") {
  CHECK(judge_body("ld.shared.b32 %r20, [%r4];\n").finding() == "bytes that were not written");
}
