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

const std::string open_full = R"(
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared::cta.b64 [full], 1;
  @!%p1 fence.proxy.async.shared::cta;
  mov.u32 %r8, 0;
  mov.u32 %r9, 0;
  bar.sync 0;
)";
/// y = x + 1 of the tile %r2, and a request for the next one meanwhile.
const std::string request = R"(
again:
  @%p1 bra asked;
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 16;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [tile], [full];
asked:
  mad.lo.s32 %r5, %r2, %r3, %r1;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd3, %rd1, %rd5;
  add.s64 %rd4, %rd2, %rd5;
  ld.global.b32 %r10, [%rd3];
  add.s32 %r10, %r10, 1;
  st.global.b32 [%rd4], %r10;
)";
const std::string await_full = R"(
wait:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [full], %r9;
  @!%p2 bra wait;
  xor.b32 %r9, %r9, 1;
)";
const std::string load = R"(
  ld.shared.v2.b64 {%rd6, %rd7}, [tile];
  { .reg .b128 response;
  mov.b128 response, {%rd6, %rd7};
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, response;
)";
const std::string load_at_once = R"(
  { .reg .b128 response;
  ld.shared.b128 response, [tile];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, response;
)";
const std::string first = "@%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, response; }\n";
const std::string first_of_four =
    "@%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r2, _, _, _}, response; }\n";
const std::string fence = "fence.proxy.async.shared::cta;\n";
const std::string meet = "bar.sync 0;\n";
const std::string next = "@%p3 bra again;\n";

const std::string four = "k<<<4, 64>>>(x: s32[256] = iota, y: out s32[256])";

}  // namespace

TEST_CASE("ptx: CTAs take the places of those that have not begun") {
  for (const std::string& read : {load + first, load_at_once + first_of_four}) {
    const Judged judged = judge_body(open_full + request + await_full + read + fence + meet + next, four);
    CHECK(judged.kind() == "proved");
    CHECK(judged.message() == "");
    CHECK(judged.launch.verdict.claim == "every order in which its CTAs begin or are cancelled (192)");
    CHECK(judged.launch.verdict.reservation == "");
    for (std::size_t i = 0; i < 256; ++i) {
      CHECK(judged.at<std::int32_t>(1, i) == static_cast<std::int32_t>(i + 1));
    }
  }
}

TEST_CASE("ptx: what one order of cancellation shows is found") {
  // Where CTA 2 runs for CTAs 3, 0 and 1, in this order, the last tile is another.
  const std::string count =
      "mad.lo.s32 %r8, %r8, 10, %r2;\n setp.eq.u32 %p4, %r8, 2301;\n @%p4 st.global.b32 [%rd4], %r8;\n";
  const Judged judged = judge_body(open_full + request + count + await_full + load + first + fence + meet + next, four);
  CHECK(judged.finding() == dma::proof::name_of(dma::proof::FindingKind::different_outputs));
  CHECK(judged.launch.verdict.cancellations >= 0);
}

TEST_CASE("ptx: sums of products that depend on the order of cancellation are found") {
  const std::string zeros = "mov.b32 %r30, 0x3f800000;\n mov.f32 %f4, 0f00000000;\n mov.f32 %f0, %f4;\n";
  const std::string sum =
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r30, %r30, %r30, %r30}, "
      "{%r30, %r30}, {%f0, %f4, %f4, %f4};\n st.global.f32 [%rd4], %f0;\n";
  const std::string rest = await_full + load + first + fence + meet + next;
  CHECK(judge_body(open_full + zeros + request + sum + rest, four).finding() ==
        dma::proof::name_of(dma::proof::FindingKind::different_outputs));
  const std::string afresh = "mov.f32 %f0, %f4;\n";
  CHECK(judge_body(open_full + zeros + request + afresh + sum + rest, four).finding() == "proved");
}

TEST_CASE("ptx: a response that is read too early, overwritten, or asked too much is found") {
  const std::string read = load + first;
  CHECK(judge_body(open_full + request + read + fence + meet + next, four).kind() == "error");
  CHECK(judge_body(open_full + request + await_full + read + fence + next, four).kind() == "error");
  const Judged unfenced = judge_body(open_full + request + await_full + read + meet + next, four);
  CHECK(unfenced.finding() == "missing proxy fence");
  const std::string always = "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, response; }\n";
  CHECK_THAT(judge_body(open_full + request + await_full + load + always + fence + meet + next, four).message(),
             ContainsSubstring("the response names no cluster"));
  const std::string ever = "add.s32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 9;\n";
  CHECK_THAT(judge_body(open_full + request + await_full + read + fence + meet + ever + next, four).message(),
             ContainsSubstring("has seen such a request fail"));
}
