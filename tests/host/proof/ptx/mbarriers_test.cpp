// Arrivals that leave an mbarrier, arrivals that never are the last, what was pending before them, and bytes that no
// copy brings.
#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

namespace {

using Catch::Matchers::ContainsSubstring;
using ptx_test::judge;
using ptx_test::judge_body;
using ptx_test::Judged;

const std::string bar_sync = "bar.sync 0;\n";
const std::string store = "st.shared.b32 [%r4], %r1;\n";

/// Thread 0 opens `full`; of the two warps %p4 is the second one.
std::string open(int arrivals) {
  return "setp.ne.u32 %p1, %r1, 0;\n setp.gt.u32 %p4, %r1, 31;\n @!%p1 mbarrier.init.shared::cta.b64 [full], " +
         std::to_string(arrivals) + ";\n" + bar_sync;
}
std::string wait(int phase, const std::string& label = "again") {
  const std::string name = label + std::to_string(phase);
  return name + ":\n mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], " + std::to_string(phase % 2) +
         ";\n @!%p2 bra " + name + ";\n";
}
std::string arrive(const std::string& how = "") { return "mbarrier.arrive" + how + ".shared::cta.b64 _, [full];\n"; }
/// Element `place` of the tile is what thread `place` has put there.
std::string load(const std::string& place) {
  return "ld.shared.b32 %r10, [tile+" + place + "];\n st.global.b32 [%rd4], %r10;\n";
}

}  // namespace

TEST_CASE("ptx: an arrival that drops counts in its phase, and no later phase takes it") {
  // The second warp puts a value, arrives and leaves; the first one goes on alone, for three phases.
  const auto run = [](const std::string& last, const std::string& drop, int phases = 3) {
    std::string rest;
    for (int phase = 1; phase < phases; ++phase) {
      rest += arrive() + wait(phase);
    }
    return judge_body(open(64) + "@%p4 bra second;\n" + arrive() + wait(0) + load("252") + rest +
                      "bra end;\nsecond:\n" + store + drop + last + "end:\n");
  };
  const std::string drop = "mbarrier.arrive_drop.shared::cta.b64 _, [full];\n";
  const Judged judged = run("", drop);
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<int>(1, 3) == 63);
  CHECK(run("", "mbarrier.arrive_drop.release.cta.shared.b64 %rd7, [full];\n").kind() == "proved");
  CHECK(run("", "mbarrier.arrive_drop.shared::cta.b64 _, [full], 1;\n").kind() == "proved");
  CHECK(run("", arrive()).finding() == "deadlock");
  // It has left: it neither arrives again nor waits for a phase that others may pass.
  CHECK(run(drop, drop).kind() == "error");
  CHECK(run(wait(0, "left"), drop, 1).kind() == "proved");
  CHECK(run(wait(0, "left"), drop).finding() == "recycled barrier");
  // What it stores behind is not ordered by it.
  CHECK(judge_body(open(64) + "@%p4 bra second;\n" + arrive() + wait(0) + load("252") + "bra end;\nsecond:\n" + drop +
                   store + "end:\n")
            .finding() == "race");
}

TEST_CASE("ptx: an arrival may drop several, and expect bytes") {
  // Thread 0 counts 33 times; all of these go at once.
  const auto run = [](const std::string& drop) {
    return judge_body(open(64 + 33) + arrive() + "@!%p1 " + drop + wait(0) + arrive() + wait(1) + load("0"));
  };
  CHECK(run("mbarrier.arrive_drop.shared::cta.b64 _, [full], 33;\n").kind() == "rule");  // nothing wrote the tile
  CHECK(run("mbarrier.arrive_drop.shared::cta.b64 _, [full], 32;\n").finding() == "deadlock");
  CHECK(run("mbarrier.arrive.shared::cta.b64 _, [full], 33;\n").finding() == "deadlock");
  // Of one thread that brings bytes.
  const auto copied = [](const std::string& bytes) {
    return judge_body(open(65) + "@!%p1 fence.mbarrier_init.release.cluster;\n" + bar_sync + "@%p1 bra other;\n" +
                      "mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [full], " + bytes + ";\n" +
                      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%rd3], 256, [full];\n" +
                      "other:\n" + arrive() + wait(0) + load("252") + arrive() + wait(1));
  };
  const Judged judged = copied("256");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<int>(1, 5) == 63);
  CHECK(copied("272").finding() == "deadlock");
}

TEST_CASE("ptx: an arrival with noComplete is never the last of its phase") {
  const std::string early = "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd7, [full], 2;\n";
  // Each thread counts three times: its own last arrival is behind.
  const Judged judged = judge_body(open(3 * 64) + store + early + arrive() + wait(0) + load("252"));
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<int>(1, 0) == 63);
  const Judged last = judge_body(open(3 * 64) + store + arrive() + early + wait(0) + load("252"));
  CHECK(last.finding() == "wrong number of arrivals");
  CHECK_THAT(last.message(), ContainsSubstring("k.ptx:"));
  // One that drops.
  const auto dropped = [&](const std::string& count) {
    return judge_body(open(64 + 2) + "@!%p1 mbarrier.arrive_drop.noComplete.shared::cta.b64 %rd7, [full], " + count +
                      ";\n" + store + arrive() + wait(0) + load("252") + arrive() + wait(1));
  };
  CHECK(dropped("2").kind() == "proved");
  CHECK(dropped("1").finding() == "deadlock");
}

TEST_CASE("ptx: a count of pending arrivals is that before an arrival with noComplete") {
  const auto early = [](const std::string& how, int count, const std::string& state) {
    return "mbarrier." + how + ".noComplete.shared::cta.b64 " + state + ", [full], " + std::to_string(count) + ";\n";
  };
  const auto count = [](const std::string& state) { return "mbarrier.pending_count.b64 %r12, " + state + ";\n"; };
  // Thread 0 brings 4 and 5 of the 73 that a phase needs before another thread arrives.
  const auto run = [&](const std::string& arrivals, const std::string& behind = "") {
    return judge_body(open(64 + 9) + "mov.u32 %r12, 0;\n @%p1 bra other;\n" + arrivals + "other:\n" + bar_sync +
                      "st.global.b32 [%rd4], %r12;\n" + arrive() + wait(0) + behind);
  };
  const std::string both = early("arrive", 4, "%rd7") + early("arrive", 5, "%rd8");
  const Judged first = run(both + count("%rd7"));
  CHECK(first.kind() == "proved");
  CHECK(first.at<int>(1, 0) == 73);
  CHECK(first.at<int>(1, 1) == 0);
  CHECK(run(both + count("%rd8")).at<int>(1, 0) == 69);
  CHECK(run(early("arrive_drop", 9, "%rd7") + count("%rd7")).at<int>(1, 0) == 73);
  // The phase behind needs as many again, or those that have not left.
  const std::string again =
      "@%p1 bra end;\n" + early("arrive", 1, "%rd7") + count("%rd7") + "st.global.b32 [%rd4], %r12;\nend:\n";
  CHECK(run(both, again).at<int>(1, 0) == 73);
  CHECK(run(early("arrive_drop", 4, "%rd7") + early("arrive", 5, "%rd8"), again).at<int>(1, 0) == 69);
  // PTX defines it for no other state. The phase is in the state too.
  const Judged other =
      run("mbarrier.arrive.shared::cta.b64 %rd7, [full];\n" + early("arrive", 8, "%rd8") + count("%rd7"));
  CHECK(other.kind() == "error");
  CHECK_THAT(other.message(), ContainsSubstring("no arrival with .noComplete returned (k.ptx:"));
  CHECK(run(both, "@!%p1 mbarrier.test_wait.shared::cta.b64 %p2, [full], %rd8;\n").kind() == "proved");
  CHECK(run(both + count("%rd9") + "setp.eq.u32 %p2, %r12, 73;\n @%p2 bar.sync 0;\n").kind() == "refused");
}

TEST_CASE("ptx: a count of pending arrivals that depends on the schedule is judged for the runs' orders") {
  const auto run = [](const std::string& behind) {
    return judge_body(open(2 * 64) + "mbarrier.arrive.noComplete.shared::cta.b64 %rd7, [full], 1;\n" +
                      "mbarrier.pending_count.b64 %r12, %rd7;\n" + behind + arrive() + wait(0));
  };
  CHECK(run("st.global.b32 [%rd4], %r12;\n").finding() == "outputs that differ from seed to seed");
  const Judged branched = run("setp.gt.u32 %p2, %r12, 100;\n @%p2 " + store);
  CHECK(branched.kind() == "proved");
  CHECK_THAT(branched.launch.verdict.reservation, ContainsSubstring("for the values of counters that"));
  // No choice of an execution is such a count.
  const Judged explored =
      run("mov.u32 %r13, 1;\n @!%p1 atom.global.add.u32 %r13, [%rd4], 1;\n"
          "add.u32 %r12, %r12, %r13;\n st.global.b32 [%rd4], %r12;\n");
  CHECK(explored.kind() == "proved");
  CHECK(explored.launch.not_computed.size() == 1);
}

TEST_CASE("ptx: bytes of an mbarrier are completed without a copy, which orders nothing") {
  const std::string complete = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [full], ";
  const auto run = [&](const std::string& expected, const std::string& of_each, const std::string& before = "") {
    return judge_body(open(1) + "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], " + expected + ";\n" +
                      "@%p4 bra second;\n" + wait(0) + load("252") + "bra end;\nsecond:\n" + before + complete +
                      of_each + ";\nend:\n");
  };
  CHECK(run("32", "1").kind() == "rule");  // nothing wrote the tile
  CHECK(run("33", "1").finding() == "deadlock");
  CHECK(run("31", "1").kind() == "error");
  CHECK(run("1048575", "32767").finding() == "deadlock");
  CHECK(run("1048544", "32767").kind() == "rule");
  CHECK(run("32", "1", store).finding() == "race");
  CHECK(run("32", "1", store + "fence.acq_rel.cta;\n").kind() == "proved");
}

TEST_CASE("ptx: bytes are expected and completed at the mbarrier of another CTA") {
  const auto run = [](const std::string& expects, const std::string& completes) {
    return judge_body(ptx_test::open_full(1) + "@%p3 bra second;\n@!%p1 " + arrive() + wait(0) +
                          "st.global.b32 [%rd4], %r1;\nbra end;\nsecond:\n@%p1 bra end;\n" + expects + completes +
                          "end:\n" + ptx_test::meet,
                      "k<<<2, 64, cluster 2>>>(x: s32[128] = iota, y: out s32[128])");
  };
  const std::string remote = ".relaxed.cluster.shared::cluster.b64 [%r23], 16;\n";
  CHECK(run("", "").kind() == "proved");
  // The wait of CTA 0 may be over before the bytes are expected.
  CHECK(run("mbarrier.expect_tx" + remote, "mbarrier.complete_tx" + remote).kind() == "error");
  CHECK(run("", "mbarrier.complete_tx" + remote).kind() == "error");
  const auto by_peer = [](const std::string& bytes, const std::string& more) {
    return judge_body(
        ptx_test::open_full(1) + "@%p3 bra second;\n" + wait(0) +
            "st.global.b32 [%rd4], %r1;\nbra end;\nsecond:\n@%p1 bra end;\nmbarrier.arrive.expect_tx.release.cluster."
            "shared::cluster.b64 _, [%r23], " +
            bytes + ";\n" + more + "end:\n" + ptx_test::meet,
        "k<<<2, 64, cluster 2>>>(x: s32[128] = iota, y: out s32[128])");
  };
  CHECK(by_peer("16", "mbarrier.complete_tx" + remote).kind() == "rule");  // the wait is at CTA scope
  CHECK(by_peer("16", "").finding() == "deadlock");
}

TEST_CASE("ptx: a test_wait that goes on without its phase is judged with both answers") {
  // The first warp asks once, and loads what the second one has put; behind "not yet" it does something first.
  const auto asks = [](const std::string& question, const std::string& behind_no) {
    return judge_body(open(32) + "@%p4 bra second;\n" + question + " %p2, [full], 0;\n" + behind_no + "complete:\n" +
                      load("252") + "bra end;\nsecond:\n" + store + arrive() + "end:\n");
  };
  const std::string test = "again:\n mbarrier.test_wait.parity.shared::cta.b64";
  const std::string choose = "@%p2 bra complete;\n";
  const Judged judged = asks(test, choose + wait(0, "then"));
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<int>(1, 3) == 63);
  CHECK(asks(test, choose + "st.global.b32 [%rd4], %r1;\n").finding() == "race");
  CHECK(asks("mbarrier.try_wait.parity.shared::cta.b64", choose + "st.global.b32 [%rd4], %r1;\n").kind() == "proved");
  // Lanes may get different answers: that of the first one, in all lanes, orders accesses by a synchronization alone.
  const std::string of_first =
      "selp.b32 %r12, 1, 0, %p2;\n shfl.sync.idx.b32 %r12, %r12, 0, 31, -1;\n setp.ne.u32 %p2, %r12, 0;\n";
  CHECK(asks(test, of_first + choose + wait(0, "then")).finding() == "race");
  CHECK(asks(test, of_first + "bar.warp.sync -1;\n" + choose + wait(0, "then")).kind() == "proved");
  // A loop is a wait, of a time that it looks at too; one in which something is seen waits when it asks again.
  CHECK(asks(test, "@!%p2 bra again;\n").kind() == "proved");
  CHECK(asks(test, choose + "mov.u32 %r12, %clock;\n setp.gt.u32 %p3, %r12, 99;\n @!%p3 bra again;\n").kind() ==
        "proved");
  CHECK(asks(test, choose + "st.global.b32 [%rd4], %r1;\n bra again;\n").kind() == "proved");
}
