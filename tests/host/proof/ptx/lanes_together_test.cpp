#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using Catch::Matchers::ContainsSubstring;
using ptx_test::judge_body;
using ptx_test::Judged;

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
