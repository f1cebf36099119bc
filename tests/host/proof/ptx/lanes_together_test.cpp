#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using Catch::Matchers::ContainsSubstring;
using ptx_test::judge_body;
using ptx_test::Judged;
using ptx_test::meet;
using ptx_test::open_full;
using ptx_test::peer;

namespace {

/// Thread 0 opens two mbarriers.
std::string open(int first_count, int second_count) {
  return "setp.ne.u32 %p1, %r1, 0;\n@!%p1 mbarrier.init.shared.b64 [full], " + std::to_string(first_count) +
         ";\n@!%p1 mbarrier.init.shared.b64 [full+8], " + std::to_string(second_count) +
         ";\nbar.sync 0;\nand.b32 %r8, %r1, 31;\nshr.u32 %r9, %r1, 5;\n";
}
std::string wait(const std::string& barrier, int round, const std::string& label) {
  const std::string name = label + std::to_string(round);
  return name + ":\nmbarrier.try_wait.parity.shared.b64 %p2, [" + barrier + "], " + std::to_string(round % 2) +
         ";\n@!%p2 bra " + name + ";\n";
}
/// Four rounds, and a store.
template <class Round>
std::string rounds(const Round& round) {
  std::string body;
  for (int i = 0; i < 4; ++i) {
    body += round(i);
  }
  return body + "st.global.b32 [%rd4], %r1;\n";
}

}  // namespace

TEST_CASE("ptx: a warp whose lanes all wait, and of which one arrives, counts on them to go on together") {
  // Warp 1 signals `full`; warp 0 waits, and one lane of it says so to warp 1.
  const auto body = [](const std::string& all_lanes, const std::string& who_answers) {
    return open(1, 1) + "setp.ne.u32 %p3, %r9, 0;\nsetp.ne.u32 %p4, %r1, 32;\nsetp.ne.u32 %p5, %r1, " + who_answers +
           ";\n" + rounds([&](int i) {
             const std::string round = std::to_string(i);
             return "@%p3 bra signal" + round + ";\n" + wait("full", i, "ready") + all_lanes +
                    "@!%p5 mbarrier.arrive.shared.b64 _, [full+8];\nbra next" + round + ";\nsignal" + round +
                    ":\n@%p4 bra next" + round + ";\nmbarrier.arrive.shared.b64 _, [full];\n" +
                    wait("full+8", i, "done") + "next" + round + ":\n";
           });
  };
  const Judged together = judge_body(body("", "0"));
  INFO(together.message());
  CHECK(together.kind() == "rule");
  REQUIRE(together.launch.broken_rules.size() == 1);
  CHECK_THAT(together.launch.broken_rules[0], ContainsSubstring("recycled barrier"));
  CHECK(judge_body(body("bar.warp.sync 0xffffffff;\n", "0")).kind() == "proved");

  SECTION("which orders none of their accesses") {
    const std::string stores = "st.shared.b32 [%r4], %r1;\n";
    const std::string reads = "xor.b32 %r10, %r6, 4;\nadd.s32 %r10, %r10, %r7;\n@!%p3 ld.shared.b32 %r11, [%r10];\n";
    const std::string apart = open(1, 1) + stores + body("", "0").substr(open(1, 1).size());
    CHECK(judge_body(apart).kind() == "rule");
    const Judged raced = judge_body(apart + reads + "@!%p3 st.global.b32 [%rd4], %r11;\n");
    CHECK(raced.kind() == "error");
    CHECK(raced.finding() == "race");
  }
  SECTION("in a loop each time for itself") {
    const std::string looped = open(1, 1) +
                               "setp.ne.u32 %p3, %r9, 0;\nsetp.ne.u32 %p4, %r1, 32;\nmov.u32 %r14, 0;\nloop:\n"
                               "and.b32 %r15, %r14, 1;\n@%p3 bra signal;\nready:\n"
                               "mbarrier.try_wait.parity.shared.b64 %p2, [full], %r15;\n@!%p2 bra ready;\n"
                               "@!%p1 mbarrier.arrive.shared.b64 _, [full+8];\nbra next;\nsignal:\n@%p4 bra next;\n"
                               "mbarrier.arrive.shared.b64 _, [full];\ndone:\n"
                               "mbarrier.try_wait.parity.shared.b64 %p2, [full+8], %r15;\n@!%p2 bra done;\nnext:\n"
                               "add.u32 %r14, %r14, 1;\nsetp.lt.u32 %p6, %r14, 5;\n@%p6 bra loop;\n"
                               "st.global.b32 [%rd4], %r1;\n";
    CHECK(judge_body(looped).kind() == "rule");
  }
  SECTION("and not on other warps") {
    // Thread 32 answers itself.
    std::string self = body("", "64");
    for (std::size_t at = 0; (at = self.find("[full];\ndone", at)) != std::string::npos;) {
      self.insert(at + 8, "mbarrier.arrive.shared.b64 _, [full+8];\n");
      at += 60;
    }
    const Judged judged = judge_body(self);
    CHECK(judged.kind() == "error");
    CHECK(judged.finding() == "recycled barrier");
  }
}

TEST_CASE("ptx: lanes of one warp that arrive at two mbarriers by one instruction do it together, by a rule") {
  // Lane 0 of both warps arrives at one, lane 1 at the other; all wait for one of them alone.
  const auto body = [](const std::string& address) {
    return open(2, 2) + "shl.b32 %r12, %r8, 3;\nmov.u32 %r13, full;\nadd.s32 %r13, %r13, %r12;\n" +
           "setp.gt.u32 %p3, %r8, 1;\n" + address + rounds([&](int i) {
             return "@!%p3 mbarrier.arrive.shared.b64 _, [%r13];\n" + wait("full", i, "both") +
                    "bar.warp.sync 0xffffffff;\n";
           });
  };
  const Judged together = judge_body(body(""));
  CHECK(together.kind() == "rule");
  REQUIRE(together.launch.broken_rules.size() == 1);
  CHECK_THAT(together.launch.broken_rules[0], ContainsSubstring("recycled barrier"));

  // Where the two are in two instructions, the second one may come too late.
  const std::string apart = open(2, 2) + "setp.ne.u32 %p3, %r8, 0;\nsetp.ne.u32 %p4, %r8, 1;\n" + rounds([&](int i) {
                              return "@!%p3 mbarrier.arrive.shared.b64 _, [full];\n" +
                                     std::string("@!%p4 mbarrier.arrive.shared.b64 _, [full+8];\n") +
                                     wait("full", i, "both") + "bar.warp.sync 0xffffffff;\n";
                            });
  CHECK(judge_body(apart).kind() == "error");
}

/// Arrivals at mbarriers, and waits for them, that order nothing by themselves.
///
/// Source  PTX ISA, "mbarrier.arrive", "mbarrier.try_wait", "Release and Acquire Patterns"
namespace relaxed {

namespace {

/// Thread 0 has %p1 false.
std::string open(int arrivals) {
  return "setp.ne.u32 %p1, %r1, 0;\n @!%p1 mbarrier.init.shared::cta.b64 [full], " + std::to_string(arrivals) +
         ";\n @!%p1 fence.mbarrier_init.release.cluster;\n bar.sync 0;\n";
}
std::string arrive(const std::string& order) { return "mbarrier.arrive" + order + ".shared::cta.b64 _, [full];\n"; }
std::string wait(const std::string& order) {
  return "again:\n mbarrier.try_wait.parity" + order + ".shared::cta.b64 %p2, [full], 0;\n @!%p2 bra again;\n";
}
/// The element of the thread 16 places on.
const std::string use = R"(
  xor.b32 %r11, %r6, 64;
  add.s32 %r11, %r11, %r7;
  ld.shared.b32 %r12, [%r11];
  st.global.b32 [%rd4], %r12;
)";
const std::string store = "st.shared.b32 [%r4], %r5;\n";

Judged judge_exchange(const std::string& before_arrival, const std::string& arrival, const std::string& waiting) {
  return judge_body(open(64) + before_arrival + arrive(arrival) + wait(waiting) + use);
}

/// CTA 0 arrives at the barrier of CTA 1, which goes on at `second` and waits for it.
Judged judge_pair(const std::string& first, const std::string& scope, const std::string& second) {
  return judge_body(open_full(64) + "@%p3 bra second;\n" + first + "mbarrier.arrive.relaxed." + scope +
                        ".shared::cluster.b64 _, [%r23];\n bra end;\nsecond:\n" + wait(".acquire.cluster") + second +
                        "end:\n" + meet,
                    "k<<<2, 64, cluster 2>>>(x: out s32[128] = iota, y: out s32[128])");
}

}  // namespace

TEST_CASE("relaxed: an arrival and a wait that are relaxed order nothing") {
  CHECK(judge_exchange(store, ".release.cta", ".acquire.cta").kind() == "proved");
  const Judged arrival = judge_exchange(store, ".relaxed.cta", ".acquire.cta");
  CHECK(arrival.finding() == "race");
  CHECK_THAT(arrival.message(), ContainsSubstring("relaxed"));
  CHECK(judge_exchange(store, ".release.cta", ".relaxed.cta").finding() == "race");
  // The slot is written again when the others have read it, as far as an order says.
  const auto again = [](const std::string& order) {
    return judge_body(open(64) + store + "bar.sync 0;\n" + use + arrive(order) + wait(".acquire.cta") + store);
  };
  CHECK(again(".release.cta").kind() == "proved");
  CHECK(again(".relaxed.cta").finding() == "race");
}

TEST_CASE("relaxed: fences before an arrival and behind a wait order what is on their other side") {
  const std::string fence = "fence.acq_rel.cta;\n";
  CHECK(judge_exchange(store + fence, ".relaxed.cta", ".acquire.cta").kind() == "proved");
  CHECK(judge_exchange(store + "fence.release.cluster;\n", ".relaxed.cta", ".acquire.cta").kind() == "proved");
  CHECK(judge_exchange(store + "fence.acquire.cta;\n", ".relaxed.cta", ".acquire.cta").finding() == "race");
  CHECK(judge_exchange(fence + store, ".relaxed.cta", ".acquire.cta").finding() == "race");
  const auto behind = [](const std::string& what) {
    return judge_body(open(64) + store + arrive(".release.cta") + wait(".relaxed.cta") + what);
  };
  CHECK(behind(fence + use).kind() == "proved");
  CHECK(behind("fence.release.cta;\n" + use).finding() == "race");
  CHECK(behind(use + fence).finding() == "race");
  CHECK(judge_body(open(64) + store + fence + arrive(".relaxed.cta") + wait(".relaxed.cta") + fence + use).kind() ==
        "proved");
}

TEST_CASE("relaxed: a copy is over behind a wait that acquires, whatever the arrival that expects it") {
  const auto load = [](const std::string& arrival, const std::string& waiting) {
    return judge_body(open(1) + R"(
      @%p1 bra loaded;
      st.shared.b32 [tile+512], %r5;
      mbarrier.arrive.expect_tx)" +
                      arrival + R"(.shared::cta.b64 _, [full], 256;
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd3], 256, [full];
    loaded:
    )" + waiting);
  };
  const std::string own = "ld.shared.b32 %r12, [tile+512];\n st.global.b32 [%rd4], %r12;\n";
  CHECK(load(".relaxed.cta", wait(".acquire.cta") + use).kind() == "proved");
  CHECK(load(".relaxed.cta", wait(".relaxed.cta") + use).kind() == "error");
  CHECK(load(".relaxed.cta", wait(".relaxed.cta") + "fence.acq_rel.cta;\n" + use).kind() == "proved");
  CHECK(load(".release.cta", wait(".acquire.cta") + own).kind() == "proved");
  CHECK(load(".relaxed.cta", wait(".acquire.cta") + own).finding() == "race");
}

TEST_CASE("relaxed: a barrier's opening is an access that an order has to follow") {
  const auto opened = [](const std::string& order) {
    return judge_body(open(1) + "@%p1 bra others;\n mbarrier.init.shared::cta.b64 [full+8], 63;\n" + arrive(order) +
                      "bra end;\nothers:\n" + wait(".acquire.cta") +
                      "mbarrier.arrive.shared::cta.b64 _, [full+8];\n next:\n"
                      "mbarrier.try_wait.parity.shared::cta.b64 %p2, [full+8], 0;\n @!%p2 bra next;\n"
                      "st.global.b32 [%rd4], %r5;\n end:\n");
  };
  CHECK(opened(".release.cta").kind() == "proved");
  CHECK(opened(".relaxed.cta").kind() == "error");
}

TEST_CASE("relaxed: an arrival at another CTA orders what a fence of its scope does") {
  const std::string send = "st.shared::cluster.b32 [%r22], %r5;\n";
  const std::string use_sent = "ld.shared.b32 %r11, [%r4];\n st.global.b32 [%rd4], %r11;\n";
  const std::string of_shared = "fence.release.sync_restrict::shared::cta.cluster;\n";
  CHECK(judge_pair(send, "cluster", use_sent).finding() == "race");
  const Judged sent = judge_pair(send + "fence.acq_rel.cluster;\n", "cluster", use_sent);
  CHECK(sent.kind() == "proved");
  CHECK(sent.at<std::int32_t>(1, 64 + 7) == 7);
  CHECK(judge_pair(send + "fence.acq_rel.cta;\n", "cluster", use_sent).finding() == "race");
  CHECK(judge_pair(send + "fence.acq_rel.cluster;\n", "cta", use_sent).kind() == "rule");

  // A fence of this CTA's shared memory orders neither another one's nor global memory.
  CHECK(judge_pair(send + of_shared, "cluster", use_sent).finding() == "race");
  const std::string fetch = "ld.shared::cluster.b32 %r11, [%r22];\n st.global.b32 [%rd4], %r11;\n";
  const Judged fetched = judge_pair(store + of_shared, "cluster", fetch);
  CHECK(fetched.kind() == "proved");
  CHECK(fetched.at<std::int32_t>(1, 64 + 7) == 7);
  CHECK(judge_pair(store, "cluster", fetch).finding() == "race");
  CHECK(judge_pair(of_shared + store, "cluster", fetch).finding() == "race");
  const std::string write = "add.s64 %rd6, %rd3, 256;\n st.global.b32 [%rd6], %r5;\n";
  const std::string read = "ld.global.b32 %r11, [%rd3];\n st.global.b32 [%rd4], %r11;\n";
  CHECK(judge_pair(write + of_shared, "cluster", read).finding() == "race");
  CHECK(judge_pair(write + "fence.acq_rel.cluster;\n", "cluster", read).kind() == "proved");
}

TEST_CASE("relaxed: an arrival at the barrier of a cluster orders what a fence of its scope does") {
  const auto judge = [](const std::string& sends, const std::string& arrival, const std::string& behind) {
    return judge_body(peer + meet + "@%p3 bra first;\n" + sends + "first:\n" + "barrier.cluster.arrive" + arrival +
                          ".aligned;\n barrier.cluster.wait.acquire.aligned;\n @!%p3 bra second;\n" + behind +
                          "second:\n" + meet,
                      "k<<<2, 64, cluster 2>>>(x: out s32[128] = iota, y: out s32[128])");
  };
  const std::string send = "st.shared::cluster.b32 [%r22], %r5;\n";
  const std::string use_sent = "ld.shared.b32 %r11, [%r4];\n st.global.b32 [%rd4], %r11;\n";
  for (const char* const arrival : {"", ".release"}) {
    const Judged sent = judge(send, arrival, use_sent);
    CHECK(sent.kind() == "proved");
    CHECK(sent.at<std::int32_t>(1, 64 + 7) == 7);
  }
  const Judged relaxed = judge(send, ".relaxed", use_sent);
  CHECK(relaxed.finding() == "race");
  CHECK_THAT(relaxed.message(), ContainsSubstring("they met by an arrival or a wait that is relaxed"));
  CHECK(judge(send + "fence.acq_rel.cluster;\n", ".relaxed", use_sent).kind() == "proved");
  CHECK(judge(send + "fence.acq_rel.cta;\n", ".relaxed", use_sent).finding() == "race");
  CHECK(judge("fence.acq_rel.cluster;\n" + send, ".relaxed", use_sent).finding() == "race");
  const std::string write = "add.s64 %rd6, %rd3, 256;\n st.global.b32 [%rd6], %r5;\n";
  const std::string read = "ld.global.b32 %r11, [%rd3];\n st.global.b32 [%rd4], %r11;\n";
  CHECK(judge(write, ".release", read).kind() == "proved");
  CHECK(judge(write, ".relaxed", read).finding() == "race");
  CHECK(judge(write + "fence.acq_rel.cluster;\n", ".relaxed", read).kind() == "proved");
  // In executions: what is behind the barrier may miss an atomic store before it.
  const std::string set = "@%p1 bra no_set;\n st.relaxed.gpu.global.u32 [%rd2], 1;\n no_set:\n";
  const std::string get =
      "@%p1 bra no_get;\n ld.relaxed.gpu.global.u32 %r10, [%rd2];\n st.global.u32 [%rd2+8], %r10;\n no_get:\n";
  const Judged seen = judge(set, ".release", get);
  CHECK(seen.kind() == "proved");
  CHECK(seen.launch.verdict.executions == 1);
  CHECK(judge(set, ".relaxed", get).launch.verdict.kind == dma::proof::FindingKind::different_outputs);
}

TEST_CASE("relaxed: a fence behind a wait may be one of the cluster's shared memory") {
  const auto judge = [](const std::string& sends, const std::string& behind) {
    return judge_body(open_full(64) + "@%p3 bra second;\n" + sends +
                          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r23];\n bra end;\nsecond:\n" +
                          wait(".relaxed.cluster") + behind + "end:\n" + meet,
                      "k<<<2, 64, cluster 2>>>(x: out s32[128] = iota, y: out s32[128])");
  };
  const std::string send = "st.shared::cluster.b32 [%r22], %r5;\n";
  const std::string use_sent = "ld.shared.b32 %r11, [%r4];\n st.global.b32 [%rd4], %r11;\n";
  const std::string of_shared = "fence.acquire.sync_restrict::shared::cluster.cluster;\n";
  CHECK(judge(send, use_sent).finding() == "race");
  CHECK(judge(send, of_shared + use_sent).kind() == "proved");
  CHECK(judge(send, "fence.acquire.cluster;\n" + use_sent).kind() == "proved");
  CHECK(judge(send, "fence.acquire.cta;\n" + use_sent).finding() == "race");
  const std::string write = "add.s64 %rd6, %rd3, 256;\n st.global.b32 [%rd6], %r5;\n";
  const std::string read = "ld.global.b32 %r11, [%rd3];\n st.global.b32 [%rd4], %r11;\n";
  CHECK(judge(write, of_shared + read).finding() == "race");
  CHECK(judge(write, "fence.acquire.cluster;\n" + read).kind() == "proved");
}

}  // namespace relaxed

TEST_CASE(
    "ptx: that wgmma orders the accesses of a warp's lanes is a rule, and those of other warps it does not order") {
  // Each thread reads its word, and lane 0 stores another one's behind that.
  const auto judged = [](const std::string& between, int words) {
    return judge_body("st.shared.b32 [%r4], %r1;\n ld.shared.b32 %r20, [%r4];\n" + between +
                          "\n and.b32 %r21, %r1, 31;\n setp.ne.u32 %p1, %r21, 0;\n @!%p1 st.shared.b32 [%r4+" +
                          std::to_string(4 * words) + "], 7;\n st.global.b32 [%rd4], %r20;\n",
                      "k<<<1, 128>>>(x: s32[128], y: out s32[128])");
  };
  CHECK(judged("bar.warp.sync -1;", 1).kind() == "proved");
  CHECK(judged("", 1).finding() == "race");
  for (const char* const product : {"wgmma.fence.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"}) {
    INFO(product);
    const Judged lanes = judged(product, 1);
    CHECK(lanes.kind() == "rule");
    REQUIRE(lanes.launch.broken_rules.size() == 1);
    CHECK_THAT(lanes.launch.broken_rules.at(0), ContainsSubstring("race"));
    CHECK(judged(product, 33).kind() == "error");
  }
}
