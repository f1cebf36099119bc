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

TEST_CASE("ptx: a word that threads change is not copied into again, where executions are explored") {
  const auto judge_copies = [](const std::string& after) {
    return judge_body(open_full + fence + bar_sync + load + await_full + after,
                      "k<<<1, 64>>>(x: s32[64] = iota, y: out s32[64])");
  };
  const std::string count = "@!%p1 atom.relaxed.cta.shared.add.u32 %r12, [%r7], 1;\n" + bar_sync;
  const std::string copy_again = R"(
    @%p1 bra again;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd3], 256, [full];
  again:
    mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [full], 1;
    @!%p2 bra again;
  )";
  CHECK(judge_copies(bar_sync + copy_again + use).kind() == "proved");
  const Judged once = judge_copies(count + use);
  CHECK(once.kind() == "proved");
  CHECK(once.launch.verdict.executions == 1);
  CHECK(once.at<std::int32_t>(1, 16) == 1);
  const Judged again = judge_copies(count + copy_again + use);
  CHECK(again.finding() == "refused: the operations depend on the schedule");
  CHECK_THAT(again.message(), ContainsSubstring("thread 0 copies (k.ptx:") &&
                                  ContainsSubstring(" into the 4 bytes that thread 0 accesses atomically (k.ptx:") &&
                                  ContainsSubstring("threads alone write such words"));
}

TEST_CASE("ptx: a fence behind mbarrier.init is a rule, one behind stores is not") {
  const Judged without = judge_body(open_full + bar_sync + load + await_full + use);
  CHECK(without.kind() == "rule");
  CHECK_THAT(without.launch.broken_rules.at(0), ContainsSubstring("fence"));
  // One rule may hide another one.
  const Judged two = judge_body(open_full + "st.shared.b32 [%r7+512], %r3;\n" + bar_sync + load + await_full + use);
  CHECK(two.kind() == "rule");
  CHECK(two.launch.broken_rules.size() == 2);
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
  // It is for the words of mbarriers alone, of those that its thread knows of, and for threads that know of it.
  CHECK(judge_body(first + store + "fence.mbarrier_init.release.cluster;\n" + bar_sync + out).finding() ==
        "missing proxy fence");
  const std::string late = "setp.ne.u32 %p4, %r1, 32;\n@!%p4 fence.mbarrier_init.release.cluster;\n";
  CHECK(judge_body(open_full + bar_sync + late + load + await_full + use).kind() == "rule");
  CHECK(judge_body(open_full + late + bar_sync + load + await_full + use).kind() == "rule");
  CHECK(judge_body(open_full + bar_sync + late + bar_sync + load + await_full + use).kind() == "proved");
  const std::string by_another = "setp.ne.u32 %p1, %r1, 32;\nmov.u64 %rd3, %rd1;\n" + load + await_full + use;
  CHECK(judge_body(open_full + bar_sync + fence + by_another).kind() == "rule");
  CHECK(judge_body(open_full + fence + bar_sync + by_another).kind() == "proved");
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

TEST_CASE("ptx: arrivals may be pending at the end by a rule, bytes may not") {
  const std::string open = "setp.ne.u32 %p1, %r1, 0;\n @!%p1 mbarrier.init.shared::cta.b64 [full], 65;\n" + bar_sync;
  const std::string store = "st.global.b32 [%rd4], %r1;\n";
  CHECK(judge_body(open + "mbarrier.arrive.shared::cta.b64 _, [full];\n" + store).kind() == "rule");
  CHECK(judge_body(open + "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16;\n" + store).kind() ==
        "error");
  CHECK(judge_body(open_full + fence + bar_sync + load + store).kind() == "error");
}

TEST_CASE("ptx: a bulk store may still read at the end by a rule, a copy to shared memory may not run on") {
  const std::string fill =
      "setp.ne.u32 %p1, %r1, 0;\nst.shared.b32 [%r4], %r1;\nfence.proxy.async.shared::cta;\n" + bar_sync;
  const std::string out = R"(
    @%p1 bra end;
    cp.async.bulk.global.shared::cta.bulk_group [%rd4], [tile], 256;
    cp.async.bulk.commit_group;
  end:
  )";
  const Judged judged = judge_body(fill + out);
  CHECK(judged.kind() == "rule");
  CHECK_THAT(judged.launch.broken_rules.at(0), ContainsSubstring("copies were in flight"));
  CHECK(judged.at<std::int32_t>(1, 63) == 63);
  CHECK(judge_body("cp.async.ca.shared.global [%r4], [%rd3], 4;\n" + std::string("st.global.b32 [%rd4], %r1;\n"))
            .kind() == "error");
}

TEST_CASE("ptx: an mbarrier waits for cp.async of its threads") {
  const std::string all = "setp.ne.u32 %p1, %r1, 0;\n @!%p1 mbarrier.init.shared.b64 [full], 64;\n";
  const std::string copy = "cp.async.ca.shared.global.L2::128B [%r4], [%rd3], 4;\n";
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

TEST_CASE("ptx: fragments are loaded and stored by a warp, and registers that it never wrote are not known") {
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
  CHECK(judged.launch.not_computed.size() == 2);  // the product, whose sums begin unknown, and its store
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

namespace {

// 64 x 16 halves of A and 16 x 8 of B, by blocks of 8 rows of 16 bytes: both are x, of which B is the beginning.
const std::string operands = ".shared .align 1024 .b8 tile[2304];";
const std::string one_warpgroup = "k<<<1, 128>>>(x: f16[1024] = iota, y: out f32[512])";
const std::string copy_operands = R"(
  mul.wide.u32 %rd5, %r1, 16;
  add.s64 %rd3, %rd1, %rd5;
  add.s64 %rd4, %rd2, %rd5;
  shl.b32 %r6, %r1, 4;
  add.s32 %r4, %r7, %r6;
  ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd3];
  st.shared.v4.b32 [%r4], {%r10, %r11, %r12, %r13};
  setp.lt.u32 %p1, %r1, 16;
  @%p1 st.shared.v4.b32 [%r4+2048], {%r10, %r11, %r12, %r13};
  shr.u32 %r14, %r7, 4;
  cvt.u64.u32 %rd6, %r14;
  or.b64 %rd7, %rd6, 0x1000080000;
  add.s64 %rd8, %rd7, 128;
)";
const std::string async_fence = "fence.proxy.async.shared::cta;\n";
const std::string open_products = "wgmma.fence.sync.aligned;\n";
const std::string product =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd7, %rd8, 0, 1, 1, 0, 0;\n";
const std::string commit_products = "wgmma.commit_group.sync.aligned;\n";
const std::string await_products = "wgmma.wait_group.sync.aligned 0;\n";
const std::string store_sums = "st.global.v4.f32 [%rd4], {%f1, %f2, %f3, %f4};\n";
const std::string overwrite = "st.shared.b32 [%r4], %r1;\n";

Judged judge_product(const std::string& body, const std::string& launch = one_warpgroup) {
  return ptx_test::judge(ptx_test::kernel(ptx_test::x_and_y, ptx_test::begin + copy_operands + body, operands), launch);
}

/// Element (row, k) of an operand: where it is in x.
int element_at(int row, int k) { return (row / 8 * 2 + k / 8) * 64 + row % 8 * 8 + k % 8; }

}  // namespace

TEST_CASE("ptx: products of a warpgroup read until the wait for their group") {
  const std::string ready = async_fence + bar_sync + open_products;
  // A group is the warpgroup's: its end is that of the reads of all four warps.
  CHECK(judge_product(ready + product + commit_products + await_products + overwrite).kind() == "proved");
  const Judged judged =
      judge_product(ready + product + commit_products + await_products + bar_sync + overwrite + store_sums);
  CHECK(judged.kind() == "proved");
  for (int thread = 0; thread < 128; ++thread) {
    for (int reg = 0; reg < 4; ++reg) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + reg / 2 * 8;
      const int column = thread % 4 * 2 + reg % 2;
      int sum = 0;
      for (int k = 0; k < 16; ++k) {
        sum += element_at(row, k) * element_at(column, k);
      }
      CHECK(judged.at<float>(1, static_cast<std::size_t>(4 * thread + reg)) == static_cast<float>(sum));
    }
  }
  const Judged unawaited = judge_product(ready + product + commit_products + store_sums + await_products);
  CHECK_THAT(unawaited.message(), ContainsSubstring("wait_group"));
  CHECK(judge_product(ready + product + commit_products + "wgmma.wait_group.sync.aligned 1;\n" + store_sums).kind() ==
        "error");
  CHECK_THAT(judge_product(ready + product + commit_products).message(), ContainsSubstring("a thread ends"));
  CHECK(judge_product(bar_sync + open_products + product + commit_products + await_products).kind() == "error");
  CHECK(judge_product(async_fence + open_products + product + commit_products + await_products).kind() == "error");
  CHECK(judge_product(ready + product + commit_products + bar_sync + overwrite + await_products).kind() == "error");
  // Of two groups the wait is for the first one.
  const std::string second =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f5, %f6, %f7, %f8}, %rd7, %rd8, "
      "0, 1, 1, 0, 0;\n" +
      commit_products + "wgmma.wait_group.sync.aligned 1;\n";
  CHECK(judge_product(ready + product + commit_products + second + store_sums + await_products).kind() == "proved");
  CHECK_THAT(
      judge_product(ready + product + commit_products + second + "mov.f32 %f9, %f5;\n" + await_products).message(),
      ContainsSubstring("no wgmma.wait_group covers it"));
  // Another product of the same shape adds to sums in flight.
  CHECK(judge_product(ready + product + product + commit_products + await_products + store_sums).kind() == "proved");
  CHECK(judge_product(ready + "mov.f32 %f1, 0f00000000;\n" + product + commit_products + await_products).kind() ==
        "rule");
}

TEST_CASE("ptx: products that follow one another add to the same sums") {
  const std::string ready = async_fence + bar_sync + open_products;
  const std::string again =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd7, %rd8, 1, 1, 1, 0, 0;\n";
  const auto await = [](int pending) { return "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";\n"; };
  const auto two_groups = [&](const std::string& wait) {
    return judge_product(ready + product + commit_products + again + again + commit_products + wait + store_sums);
  };
  // They are in flight as long as the last group that adds to them, whatever comes between.
  CHECK(two_groups(await(0)).kind() == "proved");
  CHECK_THAT(two_groups(await(1)).message(), ContainsSubstring("a product in flight"));
  CHECK_THAT(two_groups(await(1) + await(1)).message(), ContainsSubstring("a product in flight"));
  const Judged judged = two_groups(await(0));
  const int twice_more = 3;
  for (int thread = 0; thread < 128; ++thread) {
    const int row = thread / 32 * 16 + thread % 32 / 4;
    int sum = 0;
    for (int k = 0; k < 16; ++k) {
      sum += element_at(row, k) * element_at(thread % 4 * 2, k);
    }
    CHECK(judged.at<float>(1, static_cast<std::size_t>(4 * thread)) == static_cast<float>(twice_more * sum));
  }
  // Behind a wait the registers are the thread's again, and need a fence.
  const std::string behind = "mov.f32 %f9, %f1;\n" + again + commit_products + await_products;
  CHECK(judge_product(ready + product + commit_products + await_products + behind).kind() == "rule");
  // Products of another shape, or other sums among which some are the same, are none of these.
  const std::string wider =
      "wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%f1, %f2, %f3, %f4}, %rd7, %rd8, 1, 1, 1, 0, 0;\n";
  const std::string turned =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f3, %f2, %f5}, %rd7, %rd8, 1, 1, 1, 0, 0;\n";
  const std::string end = commit_products + await_products;
  CHECK_THAT(judge_product(ready + product + wider + end).message(), ContainsSubstring("another product in flight"));
  CHECK(judge_product(ready + product + turned + end + store_sums).kind() == "proved");
  CHECK_THAT(judge_product(ready + product + turned + commit_products + again + commit_products + await(1) +
                           "mov.f32 %f9, %f5;\n mov.f32 %f9, %f4;\n" + await_products)
                 .message(),
             ContainsSubstring("a product in flight"));
}

TEST_CASE("ptx: sums are known where each product that adds to them is") {
  const std::string ready = async_fence + bar_sync + open_products;
  const std::string end = commit_products + await_products + store_sums;
  const std::string unknown =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd7, %rd8, %p7, 1, 1, 0, 0;\n";
  CHECK(judge_product(ready + product + product + end).unknown[1].empty());
  CHECK_FALSE(judge_product(ready + product + unknown + end).unknown[1].empty());
  const std::string unknown_operand = "st.shared.b32 [%r4], %r39;\n";
  CHECK_FALSE(judge_product(unknown_operand + ready + product + end).unknown[1].empty());
  // Products that are left out have no values: what one of these decides is judged with them.
  const std::string zeros = "mov.f32 %f1, 0f00000000;\n mov.f32 %f2, %f1;\n mov.f32 %f3, %f1;\n mov.f32 %f4, %f1;\n";
  const std::string decides = "setp.gt.f32 %p1, %f1, 0f00000000;\n @%p1 st.global.b32 [%rd2], %r1;\n";
  const Judged decided = judge_product(zeros + ready + product + product + commit_products + await_products + decides);
  CHECK(decided.finding() == "race");
}

TEST_CASE("ptx: one thread of a warpgroup gives back what its products have read") {
  // Thread 77 of the warpgroup arrives, and thread 128, or 200 of a second warpgroup, overwrites what they read.
  std::string begin = ptx_test::begin + copy_operands;
  const std::string copy = "st.shared.v4.b32 [%r4],";
  begin.replace(begin.find(copy), copy.size(), "setp.lt.u32 %p2, %r1, 128;\n@%p2 " + copy);
  begin += R"(
    setp.eq.u32 %p4, %r1, 77;
    setp.eq.u32 %p5, %r1, 128;
    setp.eq.u32 %p7, %r1, 200;
    setp.gt.u32 %p6, %r1, 127;
    @%p5 mbarrier.init.shared::cta.b64 [full], 1;
  )" + async_fence +
           bar_sync;
  const auto judge_threads = [&](int threads, const std::string& body) {
    const std::string sizes =
        "(x: f16[" + std::to_string(8 * threads) + "] = iota, y: out f32[" + std::to_string(4 * threads) + "])";
    return ptx_test::judge(
               ptx_test::kernel(ptx_test::x_and_y, begin + body, operands + ".shared .align 8 .b64 full[2];"),
               "k<<<1, " + std::to_string(threads) + ">>>" + sizes)
        .kind();
  };
  const std::string products = product + commit_products;
  const std::string release = "@%p4 mbarrier.arrive.shared::cta.b64 _, [full];\n";
  for (const char* const how : {"st.shared.b32 [tile], %r1;\n", "st.shared.b32 [tile+1536], %r1;\n"}) {
    const auto released = [&](const std::string& body) {
      return judge_threads(160, "@%p6 bra producer;\n" + open_products + body +
                                    "bra end;\nproducer:\n@!%p5 bra end;\n" + await_full + how + "end:\n");
    };
    CHECK(released(products + await_products + release + store_sums) == "proved");
    CHECK(released(products + release + await_products) == "error");
    CHECK(released(products + "wgmma.wait_group.sync.aligned 1;\n" + release + await_products) == "error");
    CHECK(released(products + products + await_products + release) == "proved");
    // What a thread of another warp loads is no product, and the wait says nothing of it.
    const std::string load = "ld.shared.b32 %r15, [tile];\nld.shared.b32 %r15, [tile+1536];\n";
    CHECK(released(products + load + await_products + release) == "error");
    CHECK(released(products + load + await_products + "barrier.sync 1, 128;\n" + release) == "proved");
  }
  // Where all four warps have begun a product, they have come through the waits before it.
  const auto filled_twice = [&](const std::string& once) {
    const std::string full_again = "@%p5 mbarrier.arrive.shared::cta.b64 _, [full];\n";
    const std::string await_empty =
        "empty:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [full+8], 0;\n@!%p2 bra empty;\n";
    const std::string await_again =
        "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 1;\n@!%p2 bra again;\n";
    return judge_threads(160, "@%p5 mbarrier.init.shared::cta.b64 [full+8], 1;\n" + bar_sync + "@%p6 bra producer;\n" +
                                  await_full + open_products + once +
                                  "@%p4 mbarrier.arrive.shared::cta.b64 _, [full+8];\n" + await_products + await_again +
                                  "bra end;\nproducer:\n@!%p5 bra end;\n" + full_again + await_empty + full_again +
                                  "end:\n");
  };
  CHECK(filled_twice(products + await_products) == "proved");
  CHECK(filled_twice(products) == "error");
  CHECK(filled_twice("") == "error");
  // A warp that writes its own rows of A alone breaks a rule.
  const std::string own_rows = "st.shared.v4.b32 [%r4], {%r10, %r11, %r12, %r13};\n" + async_fence +
                               "bar.warp.sync 0xffffffff;\n" + open_products + products + await_products;
  CHECK(judge_threads(128, own_rows + store_sums) == "rule");
  // So does one whose rows another one's product reads: on a GPU a product begins when all four warps have come to it.
  const std::string others_rows =
      "setp.lt.u32 %p1, %r1, 64;\n@%p1 add.s32 %r4, %r4, 1024;\n@!%p1 sub.s32 %r4, %r4, 1024;\n" + own_rows +
      store_sums;
  std::string behind_fence = others_rows;
  behind_fence.erase(behind_fence.find(open_products), open_products.size());
  CHECK(judge_threads(128, others_rows) == "rule");
  CHECK(judge_threads(128, open_products + others_rows) == "rule");
  CHECK(judge_threads(128, open_products + behind_fence) == "rule");
  CHECK(judge_threads(128, open_products + products + await_products + behind_fence) == "error");
  // The products of another warpgroup are no part of its groups.
  const std::string both = open_products + products + "@%p6 bra other;\n" + await_products + release +
                           "bra written;\nother:\n" + await_products + "written:\n";
  const auto written_by = [&](const std::string& thread) {
    return judge_threads(256, both + "@!" + thread + " bra end;\n" + await_full + "st.shared.b32 [tile], %r1;\nend:\n");
  };
  CHECK(written_by("%p7") == "proved");
  CHECK(written_by("%p4") == "error");
}

TEST_CASE("ptx: products take A from registers, and B along either index") {
  // Of each row of A the first value is the row, and the last one 1; the lane has columns 2 t and 2 t + 1, and 8 more.
  const std::string rows = R"(
    and.b32 %r20, %r1, 31;
    shr.u32 %r21, %r20, 2;
    shr.u32 %r22, %r1, 5;
    mad.lo.u32 %r21, %r22, 16, %r21;
    and.b32 %r22, %r1, 3;
    setp.eq.u32 %p2, %r22, 0;
    setp.eq.u32 %p3, %r22, 3;
    cvt.rn.f16.u32 %h1, %r21;
    add.s32 %r21, %r21, 8;
    cvt.rn.f16.u32 %h2, %r21;
    mov.b16 %h3, 0;
    mov.b32 %r30, {%h1, %h3};
    mov.b32 %r31, {%h2, %h3};
    selp.b32 %r30, %r30, 0, %p2;
    selp.b32 %r31, %r31, 0, %p2;
    selp.b32 %r32, 0x3c000000, 0, %p3;
    mov.b32 %r33, %r32;
  )";
  const std::string in_registers =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r30, %r31, %r32, %r33}, %rd8, 0, 1, "
      "-1, ";
  for (const int transposes : {0, 1}) {
    const Judged judged =
        judge_product(rows + async_fence + bar_sync + open_products + in_registers + std::to_string(transposes) +
                      ";\n" + commit_products + await_products + store_sums);
    CHECK(judged.kind() == "proved");
    for (int thread = 0; thread < 128; ++thread) {
      for (int reg = 0; reg < 4; ++reg) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + reg / 2 * 8;
        const int column = thread % 4 * 2 + reg % 2;
        // A row of 16 bytes has one k, and the second eight of them are the next block.
        const auto b = [&](int k) { return transposes == 1 ? k / 8 * 64 + k % 8 * 8 + column : element_at(column, k); };
        CHECK(judged.at<float>(1, static_cast<std::size_t>(4 * thread + reg)) ==
              static_cast<float>(-(row * b(0) + b(15))));
      }
    }
  }
}

TEST_CASE("ptx: products of bits are not known, and stay in shared memory") {
  const std::string ready = async_fence + bar_sync + open_products;
  const std::string of_bits =
      "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r30, %r31, %r32, %r33}, %rd7, %rd8, 0;\n";
  const std::string end = commit_products + await_products;
  const Judged judged = judge_product(ready + of_bits + end + "st.global.b32 [%rd4], %r30;\n");
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.size() == 1);
  CHECK(judge_product(ready + of_bits + end + "setp.eq.s32 %p4, %r30, 0;\n @%p4 bar.sync 0;\n").kind() == "refused");
  CHECK(judge_product(ready + of_bits + "mov.b32 %r30, 0;\n" + end).kind() == "error");
  CHECK(judge_product(ready + "add.s64 %rd7, %rd7, 200;\n" + product + end).finding() == "an access out of bounds");
}

TEST_CASE("ptx: st.bulk writes zeros") {
  const std::string fill = R"(
    add.s32 %r10, %r1, 1;
    st.shared.b32 [%r4], %r10;
    bar.sync 0;
    mov.u64 %rd6, 128;
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 st.bulk.weak.shared::cta [tile], %rd6, 0;
  )";
  const std::string read = "ld.shared.b32 %r12, [%r4];\n st.global.b32 [%rd4], %r12;\n";
  const Judged judged = judge_body(fill + bar_sync + read);
  CHECK(judged.kind() == "proved");
  for (std::size_t i = 0; i < 128; ++i) {
    CHECK(judged.at<std::int32_t>(1, i) == (i % 64 < 32 ? 0 : static_cast<std::int32_t>(i % 64 + 1)));
  }
  CHECK(judge_body(fill + read).kind() == "error");
  std::string part = fill;
  part.replace(part.find("128"), 3, "124");
  CHECK_THAT(judge_body(part + bar_sync + read).message(), ContainsSubstring("st.bulk of 124 bytes"));
}
