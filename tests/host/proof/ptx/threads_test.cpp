#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <string>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;
using ptx_test::begin;
using ptx_test::judge;
using ptx_test::judge_body;
using ptx_test::Judged;
using ptx_test::kernel;
using ptx_test::meet;
using ptx_test::open_full;
using ptx_test::peer;
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
  CHECK_THAT(judged.message(), Matches(R"(race: thread \d+ reads bytes \d+ to \d+ of tile \(k.ptx:31\); )"
                                       R"(thread \d+ writes them \(k.ptx:27\); both are lanes of one warp.*)"));
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

namespace {

const std::string two_ctas = "k<<<2, 64, cluster 2>>>(x: s32[128] = iota, y: out s32[128])";
const std::string await_full = R"(
wait:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [full], 0;
  @!%p2 bra wait;
)";
const std::string use_tile = "ld.shared.b32 %r11, [%r4];\n st.global.b32 [%rd4], %r11;\n";
const std::string expect_256 = "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;\n";

Judged judge_pair(const std::string& body) { return judge_body(body, two_ctas); }

}  // namespace

TEST_CASE("ptx: CTAs of a cluster reach each other's shared memory between two barriers") {
  const std::string store = "st.shared.b32 [%r4], %r5;\n";
  const std::string load = "ld.shared::cluster.b32 %r11, [%r22];\n";
  const std::string out = "st.global.b32 [%rd4], %r11;\n";
  const Judged judged = judge_pair(peer + store + meet + load + meet + out);
  CHECK(judged.kind() == "proved");
  for (int i = 0; i < 128; ++i) {
    CHECK(judged.at<std::int32_t>(1, static_cast<std::size_t>(i)) == (i ^ 64));
  }
  CHECK(judge_pair(peer + meet + store + load + meet + out).kind() == "error");
  CHECK(judge_pair(peer + store + meet + load + out).kind() == "error");
  CHECK(judge_pair(peer + store + meet + load + store + meet + out).kind() == "error");
  // By generic addresses, whose CTA is in them.
  const Judged ranks = judge_pair(
      "mov.u64 %rd8, tile;\n cvta.shared.u64 %rd9, %rd8;\n mapa.u64 %rd9, %rd9, 1;\n getctarank.u64 %r11, %rd9;\n" +
      out);
  CHECK(ranks.kind() == "proved");
  CHECK(ranks.at<std::int32_t>(1, 3) == 1);
  CHECK_THAT(judge_pair(peer + "barrier.cluster.wait;\n").message(), ContainsSubstring("has not arrived"));
  CHECK_THAT(judge_pair(peer + "barrier.cluster.arrive;\n barrier.cluster.arrive;\n").message(),
             ContainsSubstring("twice"));
  const auto between = [&](const std::string& arrival) {
    return judge_pair(peer + store + arrival + ";\n ld.shared.b32 %r12, [%r4];\n barrier.cluster.wait;\n" + load +
                      meet + out);
  };
  CHECK(between("barrier.cluster.arrive").kind() == "proved");
  CHECK(between("barrier.cluster.arrive.relaxed").finding() == "race");
}

TEST_CASE("ptx: clusters lie along any axis") {
  const std::string body = R"(
    mov.u32 %r20, %cluster_ctarank;
    xor.b32 %r21, %r20, 1;
    mapa.shared::cluster.u32 %r22, %r4, %r21;
    mov.u32 %r30, %ctaid.y;
    mov.u32 %r31, %nctaid.x;
    mov.u32 %r32, %clusterid.x;
    mov.u32 %r33, %clusterid.y;
    mov.u32 %r34, %cluster_ctaid.y;
    mov.u32 %r35, %cluster_nctaid.y;
    mad.lo.u32 %r36, %r32, 10, %r33;
    mad.lo.u32 %r36, %r36, 10, %r34;
    mad.lo.u32 %r36, %r36, 10, %r35;
    mad.lo.u32 %r30, %r30, %r31, %r2;
    mad.lo.u32 %r30, %r30, %r3, %r1;
    mul.wide.u32 %rd5, %r30, 4;
    add.s64 %rd4, %rd2, %rd5;
    st.shared.b32 [%r4], %r36;
  )" + meet + "ld.shared::cluster.b32 %r11, [%r22];\nmad.lo.u32 %r11, %r11, 10, %r20;\nst.global.b32 [%rd4], %r11;\n" +
                           meet;
  const Judged judged = judge_body(body, "k<<<(3, 4), 64, cluster (1, 2)>>>(x: s32[1], y: out s32[768])");
  CHECK(judged.kind() == "proved");
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 4; ++y) {
      // The other CTA's: x and y of its cluster, its y there, two CTAs along y; and this one's rank.
      const int expected = x * 10'000 + y / 2 * 1000 + (1 - y % 2) * 100 + 20 + y % 2;
      CHECK(judged.at<std::int32_t>(1, static_cast<std::size_t>((y * 3 + x) * 64 + 5)) == expected);
    }
  }
  CHECK_THROWS_WITH(judge_body(body, "k<<<(2, 3), 64, cluster (1, 2)>>>(x: s32[1], y: out s32[384])"),
                    ContainsSubstring("2 x 3 x 1 CTAs, and a cluster 1 x 2 x 1"));
}

TEST_CASE("ptx: an entry has its name in the source, however the compiler writes it") {
  std::string text =
      ptx_test::kernel(ptx_test::x_and_y, ptx_test::begin + "st.global.b32 [%rd4], %r1;\n", ptx_test::shared);
  text.replace(text.find(" k("), 3, " _ZN4make6kernelIXodd4nameEEvv(");
  CHECK(ptx_test::judge(text, "kernel<<<1, 32>>>(x: s32[1], y: out s32[32])").kind() == "proved");
  CHECK_THROWS_WITH(ptx_test::judge(text, "other<<<1, 32>>>()"), ContainsSubstring("make::kernel"));
}

TEST_CASE("ptx: threads arrive at the mbarrier of another CTA") {
  const auto body = [](const std::string& how) {
    return open_full(64) + "@%p3 bra second;\n st.shared::cluster.b32 [%r22], %r5;\n mbarrier.arrive" + how +
           ".shared::cluster.b64 _, [%r23];\n bra end;\nsecond:\n";
  };
  const std::string end = "end:\n" + meet;
  const Judged judged = judge_pair(body(".release.cluster") + await_full + use_tile + end);
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(1, 64 + 7) == 7);
  CHECK(judge_pair(body(".release.cluster") + use_tile + end).kind() == "error");
  const Judged of_cta = judge_pair(body("") + await_full + use_tile + end);
  CHECK(of_cta.kind() == "rule");
}

TEST_CASE("ptx: a copy goes to several CTAs, and a word with its barrier to one") {
  const auto copy = [](const char* mask) {
    return open_full(1) + expect_256 + "or.pred %p4, %p1, %p3;\n mov.b16 %h1, " + mask +
           ";\n @!%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], "
           "[%rd1], 256, [full], %h1;\n";
  };
  const Judged judged = judge_pair(copy("3") + await_full + use_tile + meet);
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(1, 64 + 9) == 9);
  CHECK(judge_pair(copy("1") + await_full + use_tile + meet).kind() == "error");
  CHECK(judge_pair(copy("3") + use_tile + meet).kind() == "error");
  const std::string words =
      open_full(1) + expect_256 + "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r22], %r5, [%r23];\n";
  const Judged sent = judge_pair(words + await_full + use_tile + meet);
  CHECK(sent.kind() == "proved");
  CHECK(sent.at<std::int32_t>(1, 9) == 64 + 9);
  CHECK(judge_pair(words + use_tile + meet).kind() == "error");
  const std::string range =
      open_full(1) + "st.shared.b32 [%r4+512], %r5;\n fence.proxy.async;\n" + meet + expect_256 +
      "add.s32 %r25, %r7, 512;\n mapa.shared::cluster.u32 %r26, %r7, %r21;\n"
      "@!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r26], [%r25], 256, [%r23];\n";
  const Judged moved = judge_pair(range + await_full + use_tile + meet);
  CHECK(moved.kind() == "proved");
  CHECK(moved.at<std::int32_t>(1, 64 + 9) == 9);
}

TEST_CASE("ptx: threads add to a word of another CTA, whose barrier counts the bytes") {
  // 64 threads of each CTA add their number to a word of the other one, of which each has 3 at first.
  const auto body = [](const std::string& how, const std::string& waiting) {
    return peer + "@!%p1 mbarrier.init.shared::cta.b64 [full], 1;\n @!%p1 fence.mbarrier_init.release.cluster;\n" +
           "mov.u32 %r25, 3;\n @!%p1 st.shared.b32 [tile+512], %r25;\n" + meet + expect_256 +
           "add.s32 %r26, %r7, 512;\n mapa.shared::cluster.u32 %r26, %r26, %r21;\n" + how +
           ".mbarrier::complete_tx::bytes" + (how.starts_with("st") ? ".b32" : ".shared::cluster.add.u32") +
           " [%r26], %r5, [%r23];\n" + waiting + "ld.shared.b32 %r11, [tile+512];\n st.global.b32 [%rd4], %r11;\n" +
           meet;
  };
  const std::string adds = "red.async.relaxed.cluster";
  const Judged judged = judge_pair(body(adds, await_full));
  CHECK(judged.kind() == "proved");
  // CTA 0 has the sum of 64 to 127, CTA 1 that of 0 to 63.
  CHECK(judged.at<std::int32_t>(1, 0) == 3 + 64 * (64 + 127) / 2);
  CHECK(judged.at<std::int32_t>(1, 64) == 3 + 64 * 63 / 2);
  CHECK(judge_pair(body(adds, "")).kind() == "error");
  CHECK(judge_pair(body("st.async.weak.shared::cluster", await_full)).kind() == "error");
}

TEST_CASE("ptx: a word that goes down comes round") {
  const Judged judged = judge_body(R"(
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra end;
    atom.global.dec.u32 %r10, [%rd2], 9;
    atom.global.dec.u32 %r11, [%rd2], 9;
    atom.global.dec.u32 %r12, [%rd2], 4;
    st.global.b32 [%rd2+4], %r10;
    st.global.b32 [%rd2+8], %r11;
    st.global.b32 [%rd2+12], %r12;
  end:
  )");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::uint32_t>(1, 1) == 0);
  CHECK(judged.at<std::uint32_t>(1, 2) == 9);
  CHECK(judged.at<std::uint32_t>(1, 3) == 8);
  CHECK(judged.at<std::uint32_t>(1, 0) == 4);
}

TEST_CASE("ptx: a cooperative grid meets in memory of its own") {
  const auto body = [](const std::string& order) {
    return R"(
    st.global.b32 [%rd3], %r5;
    bar.sync 0;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra met;
    mov.u32 %r20, %envreg1;
    mov.u32 %r21, %envreg2;
    mov.b64 %rd8, {%r21, %r20};
    setp.eq.u32 %p2, %r2, 0;
    selp.b32 %r22, 0x7fffffff, 1, %p2;
    atom.add.)" +
           order +
           R"(.gpu.global.u32 %r23, [%rd8+4], %r22;
  again:
    ld.acquire.gpu.global.u32 %r24, [%rd8+4];
    xor.b32 %r24, %r24, %r23;
    setp.ge.s32 %p3, %r24, 0;
    @%p3 bra again;
  met:
    bar.sync 0;
    xor.b32 %r25, %r5, 32;
    mul.wide.u32 %rd9, %r25, 4;
    add.s64 %rd9, %rd9, %rd1;
    ld.global.b32 %r26, [%rd9];
    st.global.b32 [%rd4], %r26;
  )";
  };
  const std::string launch = "k<<<2, 32>>>(x: out s32[64], y: out s32[64])";
  CHECK(judge_body(body("release"), launch).kind() == "proved");
  CHECK(judge_body(body("relaxed"), launch).kind() == "error");
}

TEST_CASE("ptx: an atomic access of a vector is one of each of its words") {
  const Judged judged = judge_body(
      "mov.f32 %f1, 0f3fc00000;\nmov.f32 %f2, 0f40000000;\nred.relaxed.gpu.global.add.v2.f32 [%rd2], {%f1, %f2};\n",
      "k<<<1, 32>>>(x: f32[32], y: out f32[32] = 1)");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<float>(1, 0) == 49.0F);
  CHECK(judged.at<float>(1, 1) == 65.0F);
  CHECK(judged.at<float>(1, 2) == 1.0F);
  const Judged found = judge_body(
      "mov.f32 %f1, 0f3fc00000;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra end;\n"
      "atom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%rd2], {%f1, %f1, %f1, %f1};\nst.global.f32 [%rd2+16], %f5;\n"
      "end:\n",
      "k<<<1, 32>>>(x: f32[32], y: out f32[32] = iota)");
  CHECK(found.kind() == "proved");
  CHECK(found.at<float>(1, 3) == 4.5F);
  CHECK(found.at<float>(1, 4) == 3.0F);
  CHECK(judge_body("red.global.add.v4.f32 [%rd4], {%f1, %f1, %f1, %f1};\n").finding() == "broken contract");
}
