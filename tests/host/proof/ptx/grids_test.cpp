#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace ptx_test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string entry(const std::string& name, const std::string& parameters, const std::string& body) {
  return ".visible .entry " + name + "(" + parameters +
         ")\n{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n" + begin + body + "\nret;\n}\n";
}
/// Each thread does something with its element of x and of y.
const std::string write_x = "st.global.u32 [%rd3], %r5;";
const std::string read_x = "ld.global.u32 %r9, [%rd3];";
const std::string write_y = "st.global.u32 [%rd4], %r9;";
const std::string wait = "griddepcontrol.wait;";
const std::string trigger = "griddepcontrol.launch_dependents;";

/// Of two launches, `k` behind `first`, both over x and y.
Judged judge_pair(const std::string& first, const std::string& second, const std::string& between = "",
                  const std::string& kind = ", programmatic") {
  const std::string text = ".version 8.6\n.target sm_90a\n.address_size 64\n" + shared +
                           entry("first", x_and_y, first) + entry("between", x_and_y, between) +
                           entry("k", x_and_y, second);
  return judge(text, std::string("first<<<2, 32>>>(x: out s32[64], y: out s32[64])\n") +
                         (between.empty() ? "" : "between<<<2, 32, programmatic>>>(z: out s32[64], w: out s32[64])\n") +
                         "k<<<2, 32" + kind + ">>>(x, y)");
}
void expect_race(const Judged& judged, const std::string& reason) {
  CHECK(judged.finding() == std::string("race"));
  CHECK_THAT(judged.message(), ContainsSubstring("race between grids") && ContainsSubstring(reason));
}

}  // namespace

TEST_CASE("what is accessed before the wait for a grid conflicts with what that grid accesses") {
  const std::string early = "does not know that the grids before are complete";
  CHECK(judge_pair(trigger + write_x, wait + read_x + write_y).kind() == "proved");
  expect_race(judge_pair(write_x, read_x + wait + write_y), early);
  expect_race(judge_pair(trigger + write_x, read_x + write_y), early);
  SECTION("a write after a read, and after a write") {
    expect_race(judge_pair(read_x + write_y, write_x + wait), early);
    expect_race(judge_pair(write_x, write_x + wait), early);
  }
  SECTION("two reads, two atomics, and other bytes do not") {
    CHECK(judge_pair(read_x + write_y, read_x + wait).kind() == "proved");
    CHECK(judge_pair("red.global.add.u32 [%rd3], 1;", "red.global.add.u32 [%rd3], 1;" + wait).kind() == "proved");
    expect_race(judge_pair("red.global.add.u32 [%rd3], 1;", read_x + wait), early);
    CHECK(
        judge_pair(write_x, "add.s64 %rd3, %rd3, 4; setp.eq.u32 %p1, %r5, 63; @!%p1 ld.global.u32 %r9, [%rd4];" + wait)
            .kind() == "proved");
  }
  SECTION("bytes beside others do not, though a wider access has both") {
    const std::string first = "setp.ne.u32 %p1, %r5, 0; @%p1 bra L; ";
    const std::string third = "setp.ne.u32 %p1, %r5, 2; @!%p1 ld.global.u32 %r9, [%rd3];" + wait;
    const std::string wide_read = "ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd3];";
    const std::string wide_write = "st.global.v4.u32 [%rd3], {%r9, %r9, %r9, %r9};";
    CHECK(judge_pair(first + wide_read + "st.global.u32 [%rd3+4], %r9; L:", third).kind() == "proved");
    expect_race(judge_pair(first + "ld.global.u32 %r9, [%rd3+4];" + wide_write + "L:", third), early);
  }
  SECTION("the same bytes before and behind a wait") {
    const std::string both =
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra L; griddepcontrol.wait; ld.global.u32 %r9, [%rd1]; "
        "bra M; L: ld.global.u32 %r9, [%rd1]; griddepcontrol.wait; M: ";
    expect_race(judge_pair(write_x, both), "thread 1 of block (0, 0, 0)");
  }
  SECTION("nothing does of a launch that begins when the one before has ended") {
    CHECK(judge_pair(write_x, read_x + write_y, "", "").kind() == "proved");
  }
}

TEST_CASE("one thread's wait is known to those that synchronize with it") {
  const std::string one = "setp.ne.u32 %p1, %r1, 0; @%p1 bra L; griddepcontrol.wait; L: ";
  CHECK(judge_pair(write_x, one + "bar.sync 0;" + read_x + write_y).kind() == "proved");
  expect_race(judge_pair(write_x, one + read_x + write_y), "thread 1 of block (0, 0, 0) of launch 2 (k) reads");
  SECTION("a copy that was issued before it reads before it") {
    const std::string copy = "cp.async.ca.shared.global [%r4], [%rd3], 4;";
    const std::string rest = "cp.async.wait_all; ld.shared.u32 %r9, [%r4];" + write_y;
    CHECK(judge_pair(write_x, wait + copy + rest).kind() == "proved");
    expect_race(judge_pair(write_x, copy + wait + rest), "reads");
  }
}

TEST_CASE("a grid that waits for none may end before the grids before it") {
  const std::string lost = "launch 1 (first) writes (k.ptx";
  CHECK(judge_pair(write_x, wait + read_x, wait + write_y).kind() == "proved");
  const Judged judged = judge_pair(write_x, wait + read_x, write_y);
  expect_race(judged, lost);
  CHECK_THAT(judged.message(), ContainsSubstring("which the grid between them does not wait for"));
  SECTION("and those behind it may begin with it") {
    expect_race(judge_pair(write_x, read_x + wait, wait + write_y), lost);
  }
}

TEST_CASE("launches of a module share its variables") {
  const std::string count = "setp.ne.u32 %p1, %r1, 0; @%p1 bra L; ld.global.u32 %r9, [total]; add.u32 %r9, %r9, 3; ";
  const auto judge_counts = [&](const std::string& second, const std::string& kind) {
    const std::string text = ".version 8.6\n.target sm_90a\n.address_size 64\n.global .align 4 .b32 total = 4;\n" +
                             shared + entry("first", x_and_y, count + "st.global.u32 [total], %r9; L:") +
                             entry("k", x_and_y, second);
    return judge(text, "first<<<1, 32>>>(x: out s32[32], y: out s32[32])\nfirst<<<1, 32>>>(x, y)\nk<<<1, 32" + kind +
                           ">>>(x, y)");
  };
  const std::string read = "ld.global.u32 %r9, [total];";
  SECTION("each finds what the one before left") {
    const Judged judged = judge_counts(read + write_y, "");
    CHECK(judged.kind() == "proved");
    CHECK(judged.at<int>(1, 31) == 10);
  }
  SECTION("one that begins early waits for those before") {
    CHECK(judge_counts(wait + read + write_y, ", programmatic").kind() == "proved");
    expect_race(judge_counts(read + wait + write_y, ", programmatic"), "element 0 of total");
  }
}

TEST_CASE("what a warp does behind a store of one value by all its lanes is judged") {
  const std::string once =
      "setp.gt.u32 %p1, %r1, 31; @%p1 bra M; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd2, %rd6; "
      "st.global.u32 [%rd6], %r3; M: ";
  SECTION("against a grid before") {
    expect_race(judge_pair(write_x, once + "setp.ne.u32 %p2, %r1, 5; @!%p2 " + read_x + wait), "thread 5 of");
  }
  SECTION("against a CTA that it meets by atomics") {
    const auto judge_ctas = [&](const std::string& body) {
      return judge_body("red.global.add.u32 [%rd2+256], 1;" + once + body,
                        "k<<<2, 96>>>(x: out s32[192], y: out s32[192])");
    };
    CHECK(judge_ctas("st.global.u32 [%rd3], %r1;").kind() == "proved");
    const Judged judged = judge_ctas("setp.ne.u32 %p2, %r1, 5; @!%p2 st.global.u32 [%rd1], %r2;");
    CHECK(judged.finding() == std::string("race"));
    CHECK_THAT(judged.message(), ContainsSubstring("race between CTAs"));
  }
}

TEST_CASE("ptx: CTAs that wait for one another in turns are judged together, and leave their arrays") {
  // A thread of each CTA counts, and goes on when the other one has counted as often.
  const auto run = [](int rounds, const std::string& counts) {
    return judge_body(
        "setp.ne.u32 %p1, %r1, 0;\n @%p1 bra end;\n mov.u32 %r21, 0;\nnext:\npoll:\n"
        " ld.relaxed.gpu.global.u32 %r22, [%rd2+256];\n setp.lt.u32 %p2, %r22, %r21;\n @%p2 bra poll;\n" +
            counts + " add.u32 %r21, %r21, 2;\n setp.lt.u32 %p2, %r21, " + std::to_string(2 * rounds) +
            ";\n @%p2 bra next;\nend:\n st.global.b32 [%rd4], %r1;\n",
        "k<<<2, 32>>>(x: s32[64] = iota, y: out s32[65])");
  };
  const std::string counts = "red.relaxed.gpu.global.add.u32 [%rd2+256], 1;\n";
  const Judged judged = run(4, counts);
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.verdict.executions > 0);
  CHECK(judged.at<int>(1, 64) == 8);
  CHECK(judged.at<int>(1, 63) == 31);
  CHECK(run(4, "@!%p1 bra once;\nonce:\n").finding() == "deadlock");
}

TEST_CASE("ptx: what a CTA does wrong is said while another one is in an ordinary access to a word of atomics") {
  const auto run = [](const std::string& array) {
    return judge_body(
        "setp.ne.u32 %p1, %r1, 0;\n @!%p1 st.shared.b32 [tile], %r1;\n bar.sync 0;\n"
        "@!%p1 atom.shared.add.u32 %r20, [tile], 1;\n @!%p1 st.global.b32 [" +
        array + "], %r20;\n");
  };
  CHECK(run("%rd4").kind() == "proved");
  CHECK(run("%rd3").finding() == "an access out of bounds");
}

TEST_CASE("ptx: the words of a vector are no poll of one") {
  const Judged judged = judge_body(
      "mov.u32 %r20, 0;\n mov.u32 %r21, 0;\n ld.relaxed.gpu.global.v2.b32 {%r20, %r21}, [%rd2];\n"
      "add.u32 %r20, %r20, %r21;\n add.u32 %r20, %r20, 5;\n st.global.b32 [%rd4+8], %r20;\n",
      "k<<<1, 32>>>(x: s32[64] = iota, y: out s32[64])");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<int>(1, 2) == 5);
}

TEST_CASE("ptx: a message of a flag and a value counts on a vector to be accessed at once") {
  // CTA 0 sends 1 and 42 in the first two words of y, and CTA 1 stores the value that it finds with the flag.
  const auto send = [](const std::string& type, const std::string& flag) {
    return judge_body(
        "setp.ne.u32 %p1, %r1, 0;\n @%p1 bra END;\n setp.eq.u32 %p2, %r2, 1;\n @%p2 bra POLL;\n"
        "mov.u32 %r20, 1;\n mov.u32 %r21, 42;\n st.relaxed.gpu.global.v2" +
            type + " [%rd2], {%r20, %r21};\n bra END;\n" + "POLL:\n ld.relaxed.gpu.global.v2" + type +
            " {%r22, %r23}, [%rd2];\n setp.eq.u32 %p3, %r22, " + flag +
            ";\n @%p3 bra POLL;\n st.global.b32 [%rd2+16], %r23;\nEND:\n",
        "k<<<2, 32>>>(x: s32[64], y: out s32[64])");
  };
  const Judged judged = send(".b32", "0");
  CHECK(judged.kind() == "rule");
  REQUIRE(judged.launch.broken_rules.size() == 1);
  CHECK_THAT(judged.launch.broken_rules.at(0),
             ContainsSubstring("a vector is taken to be accessed at once") && ContainsSubstring("element 4 of y"));
  CHECK(judged.launch.verdict.executions == 2);  // CTA 1 finds it at once, or polls
  CHECK(judged.at<int>(1, 1) == 42);
  CHECK(judged.at<int>(1, 4) == 42);
  SECTION("a value that is another one with each order is an error all the same") {
    const Judged other = judge_body(
        "setp.ne.u32 %p1, %r1, 0;\n @%p1 bra END;\n mov.u32 %r20, %r2;\n st.relaxed.gpu.global.v2.b32 [%rd2], {%r20, "
        "%r20};\nEND:\n",
        "k<<<2, 32>>>(x: s32[64], y: out s32[64])");
    CHECK(other.kind() == "error");
    CHECK(other.finding() == "outputs that differ from seed to seed");
    CHECK(other.launch.broken_rules.empty());
  }
}

TEST_CASE("ptx: a fence that is too narrow is an error where an access needs it, and otherwise a rule") {
  // CTA 0 sends 42 in the first word of y, with or without another word, and CTA 1 stores what it finds.
  const auto send = [](const std::string& before, const std::string& behind, const std::string& scope) {
    return judge_body(
        "setp.ne.u32 %p1, %r1, 0;\n @%p1 bra END;\n setp.eq.u32 %p2, %r2, 1;\n @%p2 bra POLL;\n" + before +
            "fence.acq_rel." + scope + ";\n st.relaxed.gpu.global.b32 [%rd2], 42;\n bra END;\n" +
            "POLL:\n ld.relaxed.gpu.global.b32 %r22, [%rd2];\n setp.eq.u32 %p3, %r22, 0;\n @%p3 bra POLL;\n" +
            "fence.acq_rel." + scope + ";\n" + behind + "st.global.b32 [%rd2+16], %r22;\nEND:\n",
        "k<<<2, 32>>>(x: s32[64], y: out s32[64])");
  };
  const std::string write = "st.global.b32 [%rd2+8], 1;\n";
  const std::string read = "ld.global.b32 %r22, [%rd2+8];\n";
  CHECK(send(write, read, "gpu").kind() == "proved");
  const Judged alone = send("", "", "cta");
  CHECK(alone.kind() == "rule");
  REQUIRE(alone.launch.broken_rules.size() == 1);
  CHECK_THAT(alone.launch.broken_rules.at(0), ContainsSubstring("a fence is narrower than the threads that meet"));
  const Judged needed = send(write, read, "cta");
  CHECK(needed.kind() == "error");
  CHECK(needed.finding() == "race");
}
