#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using Catch::Matchers::ContainsSubstring;
using ptx_test::judge_body;
using ptx_test::Judged;

namespace {

/// Thread 0 has %p1 false.
const std::string open_full = R"(
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared::cta.b64 [full], 1;
)";
const std::string fence = "@!%p1 fence.mbarrier_init.release.cluster;\n";
const std::string bar_sync = "bar.sync 0;\n";
/// 256 bytes of this CTA.
const std::string load = R"(
  @%p1 bra loaded;
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd3], 256, [full];
loaded:
)";
const std::string await_full = R"(
wait:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [full], 0;
  @!%p2 bra wait;
)";
const std::string use = R"(
  xor.b32 %r11, %r6, 64;
  add.s32 %r11, %r11, %r7;
  ld.shared.b32 %r12, [%r11];
  st.global.b32 [%rd4], %r12;
)";

}  // namespace

TEST_CASE("ptx: a bulk copy is over behind a wait for its mbarrier") {
  const Judged judged = judge_body(open_full + fence + bar_sync + load + await_full + use);
  CHECK(judged.kind() == "proved");
  for (std::size_t i = 0; i < 128; ++i) {
    CHECK(judged.at<std::int32_t>(1, i) == static_cast<std::int32_t>(i ^ 16));
  }
  CHECK(judge_body(open_full + fence + bar_sync + load + use).kind() == "error");
  CHECK(judge_body(open_full + fence + load + await_full + use).kind() != "proved");
  const std::string sixteen =
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%rd3], 8, [full];";
  CHECK_THAT(judge_body(open_full + fence + bar_sync + sixteen).message(), ContainsSubstring("no multiple of 16"));
}

TEST_CASE("ptx: a fence behind mbarrier.init is a rule, one behind stores is not") {
  const Judged without = judge_body(open_full + bar_sync + load + await_full + use);
  CHECK(without.kind() == "rule");
  CHECK_THAT(without.launch.broken_rules.at(0), ContainsSubstring("fence"));
  const std::string store = "st.shared.b32 [%r4], %r1;\n";
  const std::string out = R"(
    @%p1 bra end;
    cp.async.bulk.global.shared::cta.bulk_group [%rd4], [tile], 256;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
  end:
  )";
  const std::string first = "setp.ne.u32 %p1, %r1, 0;\n";
  const Judged right = judge_body(first + store + "fence.proxy.async.shared::cta;\n" + bar_sync + out);
  CHECK(right.kind() == "proved");
  CHECK(right.at<std::int32_t>(1, 100) == 36);
  CHECK(judge_body(first + store + bar_sync + out).kind() == "error");
}

TEST_CASE("ptx: threads meet at an mbarrier by its state and by its parity") {
  const std::string all = "setp.ne.u32 %p1, %r1, 0;\n @!%p1 mbarrier.init.b64 [%rd9], 64;\n";
  const std::string address = "mov.u64 %rd8, full;\n cvta.shared.u64 %rd9, %rd8;\n";
  const std::string store = "st.shared.b32 [%r4], %r5;\n";
  const std::string by_state = R"(
    mbarrier.arrive.shared.b64 %rd7, [full];
  again:
    mbarrier.test_wait.shared.b64 %p2, [full], %rd7;
    @!%p2 bra again;
  )";
  CHECK(judge_body(address + all + bar_sync + store + by_state + use).kind() == "proved");
  // Once more, in the next phase.
  const std::string second = R"(
    mbarrier.arrive.shared.b64 %rd7, [full];
  more:
    mbarrier.test_wait.shared.b64 %p2, [full], %rd7;
    @!%p2 bra more;
    st.shared.b32 [%r4], %r1;
  )";
  CHECK(judge_body(address + all + bar_sync + store + by_state + use + second).kind() == "proved");
  CHECK(judge_body(address + all + bar_sync + store + "mbarrier.arrive.shared.b64 _, [full];\n" + use).kind() ==
        "error");
  // The parity of the phase before is over at once.
  CHECK(judge_body(address + all + bar_sync + store +
                   "mbarrier.arrive.shared.b64 _, [full];\n mbarrier.try_wait.parity.shared.b64 %p2, [full], 1;\n" +
                   use)
            .kind() == "error");
}

TEST_CASE("ptx: an mbarrier waits for cp.async of its threads") {
  const std::string all = "setp.ne.u32 %p1, %r1, 0;\n @!%p1 mbarrier.init.shared.b64 [full], 64;\n";
  const std::string copy = "cp.async.ca.shared.global [%r4], [%rd3], 4;\n";
  const std::string tied = "cp.async.mbarrier.arrive.noinc.shared.b64 [full];\n";
  const std::string added = "cp.async.mbarrier.arrive.shared.b64 [full];\n mbarrier.arrive.shared.b64 _, [full];\n";
  CHECK(judge_body(all + bar_sync + copy + tied + await_full + use).kind() == "proved");
  CHECK(judge_body(all + bar_sync + copy + added + await_full + use).kind() == "proved");
  CHECK(judge_body(all + bar_sync + copy + "mbarrier.arrive.shared.b64 _, [full];\n" + await_full + use).kind() ==
        "error");
  CHECK(judge_body(all + bar_sync + tied + copy + await_full + use).kind() == "error");
}

TEST_CASE("ptx: matrices of 8 x 8 are loaded and stored by rows") {
  // Rows of 16 bytes; lane 8 m + r has the address of row r of matrix m.
  const std::string rows = "shl.b32 %r20, %r1, 4;\n add.s32 %r20, %r20, %r7;\n";
  const std::string half = "setp.gt.u32 %p1, %r1, 31;\n @%p1 bra end;\n";
  const std::string fill = R"(
    shl.b32 %r21, %r1, 4;
    add.s32 %r21, %r21, %r7;
    mov.b32 %r22, %r1;
    mad.lo.s32 %r23, %r1, 65536, %r1;
    st.shared.v4.b32 [%r21], {%r22, %r23, %r22, %r23};
    bar.warp.sync 0xffffffff;
  )";
  const auto shuffled = [&](const std::string& how) {
    return judge_body(half + rows + fill + "ldmatrix.sync.aligned.m8n8.x4" + how +
                          ".shared.b16 {%r30, %r31, %r32, %r33}, [%r20];\n bar.warp.sync 0xffffffff;\n" +
                          "st.global.b32 [%rd4], %r30;\n" + "add.s32 %r34, %r20, 512;\n" +
                          "stmatrix.sync.aligned.m8n8.x4" + how +
                          ".shared.b16 [%r34], {%r30, %r31, %r32, %r33};\n bar.warp.sync 0xffffffff;\n" +
                          "ld.shared.b32 %r35, [%r34+4];\n st.global.b32 [%rd4+128], %r35;\nend:\n",
                      "k<<<1, 64>>>(x: s32[128], y: out s32[128])");
  };
  // Element (r, c) of the first matrix is r for even c, and for c = 3 or 7; 0 for c = 1 and 5.
  const auto element = [](int row, int column) { return column % 4 == 1 ? 0 : row; };
  for (const char* const how : {"", ".trans"}) {
    const Judged judged = shuffled(how);
    CHECK(judged.kind() == "proved");
    for (int lane = 0; lane < 32; ++lane) {
      const int row = lane / 4;
      const int column = 2 * (lane % 4);
      const int expected = how[0] == '\0' ? element(row, column) + 65536 * element(row, column + 1)
                                          : element(column, row) + 65536 * element(column + 1, row);
      CHECK(judged.at<std::int32_t>(1, static_cast<std::size_t>(lane)) == expected);
      CHECK(judged.at<std::int32_t>(1, static_cast<std::size_t>(lane + 32)) == lane + 65536 * lane);
    }
  }
  // The row of another lane, without a synchronization.
  CHECK(judge_body(half + rows + "st.shared.v4.b32 [%r20], {%r1, %r1, %r1, %r1};\n xor.b32 %r20, %r20, 16;\n" +
                   "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r30}, [%r20];\n st.global.b32 [%rd4], %r30;\nend:\n")
            .kind() == "error");
}

TEST_CASE("ptx: fragments are loaded and stored by a warp, and their values are not known") {
  const std::string store = "st.shared.v4.b32 [%r20], {%r1, %r1, %r1, %r1};\n";
  const std::string product = R"(
    wmma.load.a.sync.aligned.row.m16n16k8.shared.tf32 {%r10, %r11, %r12, %r13}, [tile], 8;
    wmma.load.b.sync.aligned.col.m16n16k8.shared.tf32 {%r14, %r15, %r16, %r17}, [tile], 8;
    wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8},
        {%r10, %r11, %r12, %r13}, {%r14, %r15, %r16, %r17}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};
    wmma.store.d.sync.aligned.row.m16n16k8.global.f32 [%rd2], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, 16;
  )";
  const std::string rows = "shl.b32 %r20, %r1, 4;\n add.s32 %r20, %r20, %r7;\n";
  const std::string one_warp = "k<<<1, 32>>>(x: s32[32], y: out f32[256])";
  const Judged judged = judge_body(rows + store + "bar.warp.sync 0xffffffff;\n" + product, one_warp);
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.size() == 4);
  CHECK(judge_body(rows + store + product, one_warp).kind() == "error");
  CHECK(judge_body(rows + store + "bar.warp.sync 0xffffffff;\n" + product, "k<<<1, 32>>>(x: s32[32], y: out f32[250])")
            .finding() == "an access out of bounds");
}

TEST_CASE("ptx: lanes that ask who is active are alone, and a trap is an error") {
  const Judged judged = judge_body("activemask.b32 %r10;\n st.global.b32 [%rd4], %r10;\n");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::uint32_t>(1, 5) == 32);
  CHECK(judge_body("st.global.b32 [%rd4], %r1;\n setp.eq.u32 %p1, %r1, 3;\n @%p1 trap;\n").kind() == "error");
}
