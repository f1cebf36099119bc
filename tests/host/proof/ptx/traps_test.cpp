#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

using Catch::Matchers::ContainsSubstring;
using ptx_test::begin;
using ptx_test::judge;
using ptx_test::judge_body;
using ptx_test::Judged;
using ptx_test::kernel;
using ptx_test::shared;
using ptx_test::x_and_y;

TEST_CASE("ptx: volatile accesses order nothing") {
  // The last steps of a sum in a warp, without a synchronization of its lanes.
  std::string body = "ld.global.b32 %r10, [%rd3];\n st.volatile.shared.b32 [%r4], %r10;\n";
  for (const char* const distance : {"64", "32", "16", "8", "4"}) {
    body += std::string("ld.volatile.shared.b32 %r11, [%r4];\n ld.volatile.shared.b32 %r12, [%r4+") + distance +
            "];\n add.s32 %r11, %r11, %r12;\n st.volatile.shared.b32 [%r4], %r11;\n";
  }
  const std::string text = kernel(
      x_and_y,
      begin + "setp.gt.u32 %p1, %r1, 31;\n mov.u32 %r30, 0;\n st.volatile.shared.b32 [%r4], %r30;\n bar.sync 0;\n" +
          "@%p1 bra end;\n" + body + "ld.volatile.shared.b32 %r13, [%r4];\n st.global.b32 [%rd4], %r13;\nend:\n",
      shared);
  const Judged judged = judge(text, "k<<<1, 64>>>(x: s32[64] = random, y: out s32[64])");
  CHECK(judged.kind() != "proved");
}

TEST_CASE("ptx: what a volatile or an atomic access has written is there for an ordinary one") {
  for (const char* const write : {"st.volatile.shared.b32 [%r4], %r1;", "st.relaxed.cta.shared.b32 [%r4], %r1;"}) {
    const std::string body = std::string(write) + "\n bar.sync 0;\n ld.shared.b32 %r10, [%r4];\n";
    CHECK(judge_body(body).kind() == "proved");
  }
  CHECK(judge_body("ld.volatile.shared.b32 %r10, [%r4];\n").kind() == "rule");
}

TEST_CASE("ptx: a flag that orders nothing does not hide a race") {
  const std::string body = R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra reader;
    st.shared.b32 [tile], 7;
    st.volatile.shared.b32 [tile+4], 1;
    bra end;
  reader:
    ld.volatile.shared.b32 %r10, [tile+4];
    ld.shared.b32 %r11, [tile];
  end:
  )";
  CHECK(judge_body(body).kind() == "error");
}

TEST_CASE("ptx: atomics whose answers nobody reads make no difference") {
  for (const char* const add :
       {"red.global.add.u32 [%rd2], 1;", "atom.global.add.u32 %r10, [%rd2], 1;", "atom.global.add.u32 _, [%rd2], 1;"}) {
    const Judged judged = judge_body(add);
    CHECK(judged.kind() == "proved");
    CHECK(judged.launch.verdict.reservation.empty());
    CHECK(judged.at<std::int32_t>(1, 0) == 128);
  }
  // A ticket that is read is another matter.
  const Judged ticket = judge_body(R"(
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra end;
    atom.global.add.u32 %r10, [%rd2], 1;
    setp.eq.u32 %p1, %r10, 0;
    @%p1 st.global.b32 [%rd2+4], %r5;
  end:
  )");
  CHECK(ticket.finding() == "outputs that differ from seed to seed");
  CHECK(ticket.launch.verdict.executions == 2);
}

TEST_CASE("ptx: atomics order threads as far as they say, in all executions") {
  // The first thread of CTA 0 writes and sets a flag, that of CTA 1 polls the flag and reads.
  const auto message = [](const std::string& set, const std::string& poll, const std::string& behind = "") {
    return judge_body(R"(
      setp.ne.u32 %p1, %r1, 0;
      @%p1 bra end;
      setp.ne.u32 %p2, %r2, 0;
      @%p2 bra reader;
      st.global.b32 [%rd2+8], 42;
    )" + set + R"(
      bra end;
    reader:
    )" + poll + R"(
      setp.eq.u32 %p3, %r10, 0;
      @%p3 bra reader;
    )" + behind + R"(
      ld.global.b32 %r11, [%rd2+8];
      st.global.b32 [%rd2+12], %r11;
    end:
    )");
  };
  const Judged right = message("st.release.gpu.global.u32 [%rd2], 1;", "ld.acquire.gpu.global.u32 %r10, [%rd2];");
  CHECK(right.kind() == "proved");
  CHECK(right.launch.verdict.executions == 2);  // the first poll may come too early
  CHECK(right.launch.verdict.reservation.empty());
  CHECK(right.at<std::int32_t>(1, 3) == 42);
  CHECK(message("membar.gl;\n st.volatile.global.u32 [%rd2], 1;", "ld.volatile.global.u32 %r10, [%rd2];",
                "fence.acq_rel.gpu;")
            .kind() == "proved");
  CHECK(message("fence.acq_rel.gpu;\n atom.global.exch.b32 %r12, [%rd2], 1;",
                "atom.acquire.gpu.global.or.b32 %r10, [%rd2], 0;")
            .kind() == "proved");
  for (const Judged& wrong :
       {message("st.relaxed.gpu.global.u32 [%rd2], 1;", "ld.acquire.gpu.global.u32 %r10, [%rd2];"),
        message("st.release.gpu.global.u32 [%rd2], 1;", "ld.volatile.global.u32 %r10, [%rd2];"),
        message("st.release.cta.global.u32 [%rd2], 1;", "ld.acquire.gpu.global.u32 %r10, [%rd2];"),
        message("membar.cta;\n st.volatile.global.u32 [%rd2], 1;", "ld.acquire.gpu.global.u32 %r10, [%rd2];")}) {
    CHECK(wrong.kind() == "error");
    CHECK_THAT(wrong.message(), ContainsSubstring("k.ptx:"));
  }
  CHECK(message("", "ld.acquire.gpu.global.u32 %r10, [%rd2];").finding() == "deadlock");
}

TEST_CASE("ptx: the scope of a cluster orders its own CTAs in a grid of several") {
  const auto message = [](const std::string& scope, int reader) {
    return judge_body(R"(
      setp.ne.u32 %p1, %r1, 0;
      @%p1 bra end;
      setp.eq.u32 %p2, %r2, )" +
                          std::to_string(reader) + R"(;
      @%p2 bra reader;
      setp.ne.u32 %p2, %r2, 0;
      @%p2 bra end;
      st.global.b32 [%rd2+8], 42;
      st.release.)" + scope +
                          R"(.global.u32 [%rd2], 1;
      bra end;
    reader:
      ld.acquire.)" + scope +
                          R"(.global.u32 %r10, [%rd2];
      setp.eq.u32 %p3, %r10, 0;
      @%p3 bra reader;
      ld.global.b32 %r11, [%rd2+8];
      st.global.b32 [%rd2+12], %r11;
    end:
    )",
                      "k<<<4, 32, cluster 2>>>(x: s32[128] = iota, y: out s32[128])");
  };
  for (const int reader : {1, 2, 3}) {
    const Judged right = message("gpu", reader);
    CHECK(right.kind() == "proved");
    CHECK_THAT(right.launch.verdict.claim, ContainsSubstring("4 CTAs in 2 clusters, 2 of these resident"));
    CHECK(right.at<std::int32_t>(1, 3) == 42);
    CHECK(message("cluster", reader).kind() == (reader == 1 ? "proved" : "error"));
    CHECK(message("cta", reader).kind() == "error");
  }
}

TEST_CASE("ptx: lanes that vote in a loop poll together") {
  // The first lane of CTA 1 polls, and tells the others by a vote.
  const auto message = [](const std::string& set) {
    return judge_body(R"(
      setp.ne.u32 %p1, %r1, 0;
      setp.ne.u32 %p2, %r2, 0;
      @%p2 bra reader;
      @%p1 bra end;
      st.global.b32 [%rd2+8], 42;
    )" + set + R"(
      bra end;
    reader:
      mov.u32 %r10, 1;
      @%p1 bra vote;
      ld.acquire.gpu.global.u32 %r10, [%rd2];
    vote:
      setp.eq.u32 %p3, %r10, 0;
      vote.sync.any.pred %p3, %p3, -1;
      @%p3 bra reader;
      @%p1 bra end;
      ld.global.b32 %r11, [%rd2+8];
      st.global.b32 [%rd2+12], %r11;
    end:
    )");
  };
  const Judged right = message("st.release.gpu.global.u32 [%rd2], 1;");
  CHECK(right.kind() == "proved");
  CHECK(right.launch.verdict.reservation.empty());
  CHECK(right.at<std::int32_t>(1, 3) == 42);
  CHECK(message("st.relaxed.gpu.global.u32 [%rd2], 1;").kind() == "error");
}

TEST_CASE("ptx: a sum without atomics is a race") {
  CHECK(judge_body("ld.global.b32 %r10, [%rd2];\n add.s32 %r10, %r10, 1;\n st.global.b32 [%rd2], %r10;\n").kind() ==
        "error");
}

TEST_CASE("ptx: what does nothing is not proved") {
  CHECK(judge_body("add.s32 %r10, %r1, 1;\n").kind() == "refused");
  CHECK(judge_body("ld.global.b32 %r10, [%rd3];\n").kind() == "refused");
  // A kernel of global memory alone is judged by the bytes of its threads.
  CHECK(judge_body("ld.global.b32 %r10, [%rd3];\n st.global.b32 [%rd4], %r10;\n").kind() == "proved");
  CHECK(judge_body("st.global.b32 [%rd2], %r5;\n").kind() == "error");
}

TEST_CASE("ptx: wrong and missing arguments are said") {
  const std::string text =
      kernel(x_and_y, begin + "ld.global.b32 %r10, [%rd3];\n st.global.b32 [%rd4], %r10;\n", shared);
  CHECK_THROWS_WITH(judge(text, "k<<<1, 64>>>(x: s32[64])"), ContainsSubstring("k takes 2 arguments, and 1 are given"));
  CHECK_THROWS_WITH(judge(text, "k<<<1, 64>>>(x: s32[64], z)"), ContainsSubstring("no array is named z"));
  CHECK_THROWS_WITH(judge(text, "other<<<1, 64>>>()"), ContainsSubstring("no entry is named other"));
  CHECK_THROWS_WITH(judge(text, "k<<<1, 64>>>(x: s32[64], y: out s33[64])"), ContainsSubstring("'s33' is no type; "));
  CHECK_THROWS_WITH(judge(text, "k<<<1, 48>>>(x: s32[64], y: out s32[64])"), ContainsSubstring("whole warps"));
  // A number in place of an address, arrays that are too small, and one that is no output.
  CHECK(judge(text, "k<<<1, 64>>>(0, y: out s32[64])").finding() == "an access out of bounds");
  CHECK(judge(text, "k<<<1, 64>>>(123456788, y: out s32[64])").finding() == "an access out of bounds");
  const Judged small = judge(text, "k<<<1, 64>>>(x: s32[40], y: out s32[64])");
  CHECK(small.finding() == "an access out of bounds");
  CHECK_THAT(small.message(), ContainsSubstring("reads element 40 of x, which has 40 elements"));
  CHECK_THAT(small.message(), ContainsSubstring("k.ptx:"));
  CHECK_THAT(judge(text, "k<<<1, 64>>>(x: s32[64], y: s32[64])").message(),
             ContainsSubstring("writes element 0 of y, which is an input"));
}

TEST_CASE("ptx: shared memory that is read and was not written is a rule, where nothing comes of it") {
  const std::string tail = "ld.shared.b32 %r10, [tile+512];\n st.shared.b32 [%r4], %r1;\n";
  CHECK(judge_body(tail + "st.global.b32 [%rd4], %r1;\n").kind() == "rule");
  const Judged used = judge_body(tail + "setp.eq.u32 %p1, %r10, 3;\n @%p1 st.global.b32 [%rd4], %r1;\n");
  CHECK(used.kind() == "error");
  CHECK_THAT(used.message(), ContainsSubstring("reads byte 512 of tile, which no thread has written"));
  // A strong store and an atomic access write too.
  CHECK(judge_body("st.volatile.shared.b32 [%r4], %r1;\n bar.sync 0;\n ld.shared.b32 %r10, [tile+4];\n "
                   "st.global.b32 [%rd4], %r10;\n")
            .kind() == "proved");
}

TEST_CASE("ptx: what prints is nothing, and a failed assertion is an error") {
  const std::string print = ".extern .func (.param .b32 result) vprintf (.param .b64 a, .param .b64 b);\n";
  const std::string fail = ".extern .func __assertfail (.param .b64 a);\n";
  const std::string call = R"(
    {
      .param .b64 param0;
      st.param.b64 [param0], %rd1;
      .param .b64 param1;
      st.param.b64 [param1], %rd1;
      .param .b32 retval0;
      call.uni (retval0), vprintf, (param0, param1);
      ld.param.b32 %r9, [retval0];
    }
    st.global.b32 [%rd4], %r1;
  )";
  const std::string launch = "k<<<2, 64>>>(x: s32[128] = iota, y: out s32[128])";
  CHECK(judge(kernel(x_and_y, begin + call, shared + print), launch).kind() == "proved");
  const std::string assertion =
      "setp.ne.u32 %p1, %r1, 40;\n @%p1 bra right;\n { .param .b64 param0;\n st.param.b64 [param0], %rd1;\n"
      "call.uni __assertfail, (param0);\n }\nright:\n st.global.b32 [%rd4], %r1;\n";
  CHECK(judge(kernel(x_and_y, begin + assertion, shared + fail), launch).kind() == "error");
}

TEST_CASE("ptx: shared memory has bounds") {
  CHECK(judge_body("st.shared.b32 [%r4+1000], %r1;\n").finding() == "an access out of bounds");
  CHECK(judge_body("st.shared.b32 [%r4+2], %r1;\n").kind() == "error");
}

TEST_CASE("ptx: parameters are structures, and have addresses") {
  const std::string text = kernel(".param .u64 y, .param .align 8 .b8 s[24]", R"(
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    mov.b64 %rd3, s;
    cvta.param.u64 %rd4, %rd3;
    ld.param.v2.b32 {%r2, %r3}, [s+8];
    ld.param.b32 %r4, [%rd3];
    ld.b32 %r5, [%rd4+16];
    add.s32 %r2, %r2, %r3;
    add.s32 %r2, %r2, %r4;
    add.s32 %r2, %r2, %r5;
    st.global.b32 [%rd1], %r2;
  )");
  const Judged judged = judge(text, "k<<<1, 32>>>(y: out s32[32], {s32 1, s32 0, s32 20, s32 300, s32 4000})");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(0, 9) == 4321);
  const auto places = [&](const std::string& members) {
    return judge(text, "k<<<1, 32>>>(y: out s32[32], {" + members + "})");
  };
  CHECK(places("s32 1, at 8: s32 20, s32 300").at<std::int32_t>(0, 9) == 321);
  CHECK(places("at 16: s32 4000").at<std::int32_t>(0, 9) == 4000);
  CHECK_THROWS_WITH(places("u64 1, at 4: s32 20"),
                    ContainsSubstring("argument 1 has a member at 4, and the one before ends at 8"));
  CHECK_THROWS_WITH(places("at 21: s32 1"), ContainsSubstring("has more bytes than its parameter, which has 24"));
  CHECK_THROWS_WITH(places("at 40000: s32 1"), ContainsSubstring("a place in bytes is 40000, and at most 32764"));
  CHECK(judge(kernel(".param .u64 y, .param .align 8 .b8 s[24]", "mov.b64 %rd3, s;\n ld.param.b32 %r4, [%rd3+24];\n"),
              "k<<<1, 32>>>(y: out s32[32], {s32 1})")
            .finding() == "an access out of bounds");
}

TEST_CASE("ptx: functions are called, with local memory") {
  const std::string before = R"(
.const .align 4 .b32 table[4] = {10, 20, 30, 40};
.func (.param .b32 result) choose(.param .b32 index) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .local .align 4 .b8 depot[16];
  ld.param.b32 %r1, [index];
  and.b32 %r2, %r1, 3;
  mul.wide.u32 %rd1, %r2, 4;
  mov.b64 %rd2, table;
  add.s64 %rd3, %rd2, %rd1;
  ld.const.b32 %r3, [%rd3];
  mov.b64 %rd4, depot;
  cvta.local.u64 %rd5, %rd4;
  add.s64 %rd6, %rd5, %rd1;
  st.b32 [%rd6], %r3;
  add.s64 %rd7, %rd4, %rd1;
  ld.local.b32 %r4, [%rd7];
  st.param.b32 [result+0], %r4;
  ret;
})";
  const std::string body = R"(
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    {
      .param .b32 param0;
      st.param.b32 [param0+0], %r1;
      .param .b32 retval0;
      call.uni (retval0), choose, (param0);
      ld.param.b32 %r2, [retval0+0];
    }
    st.global.b32 [%rd1], %r2;
  )";
  const Judged judged = judge(kernel(".param .u64 y", body, before), "k<<<1, 32>>>(y: out s32[32])");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(0, 6) == 30);
}

TEST_CASE("ptx: an unknown value passes, and is refused where it decides") {
  const std::string unknown = "mov.b32 %f2, %r1;\n lop3.b32 %r20, %r1, %r1, %r1, 240;\n addc.u32 %r21, %r1, %r1;\n";
  const Judged passes = judge_body(unknown +
                                   "add.s32 %r22, %r21, 1;\n st.shared.b32 [%r4], %r22;\n bar.sync 0;\n"
                                   "ld.shared.b32 %r23, [%r4];\n st.global.b32 [%rd4], %r23;\n");
  CHECK(passes.kind() == "proved");
  CHECK(passes.launch.not_computed.contains("addc.u32"));
  const auto refused = [&](const std::string& use, const char* what) {
    const Judged judged = judge_body(unknown + use);
    CHECK(judged.kind() == "refused");
    CHECK_THAT(judged.message(), ContainsSubstring(what));
    CHECK_THAT(judged.message(), ContainsSubstring("k.ptx:"));
  };
  refused("st.shared.b32 [%r21], %r1;\n", "the address of st.shared.b32 was not computed");
  refused("st.shared.b32 [%r4], %r21;\n ld.shared.b32 %r22, [%r4];\n ld.shared.b32 %r23, [%r22];\n",
          "the address of ld");
  refused("setp.eq.u32 %p1, %r21, 3;\n @%p1 st.shared.b32 [%r4], %r1;\n", "whether st.shared.b32 is executed");
  refused("setp.eq.u32 %p1, %r21, 3;\n @%p1 bra end;\n st.shared.b32 [%r4], %r1;\nend:\n", "a branch with an effect");
  refused("bar.sync %r21;\n", "the barrier of bar.sync");
  refused("shfl.sync.idx.b32 %r22, %r1, 0, 31, %r21;\n", "the mask of shfl");
  refused(
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d1, %d2};\n"
      "cvt.rzi.s32.f64 %r22, %d1;\n st.shared.b32 [%r22], %r1;\n",
      "the address of st.shared.b32");
}

TEST_CASE("ptx: a function that is called again finds none of its registers written") {
  const std::string before = R"(
.func (.param .b32 result) keep(.param .b32 value) {
  .reg .b32 %r<9>;
  .reg .pred %p<3>;
  ld.param.b32 %r1, [value];
  setp.eq.u32 %p1, %r1, 7;
  @%p1 mov.u32 %r2, 5;
  st.param.b32 [result+0], %r2;
  ret;
})";
  const auto call = [](const std::string& value) {
    return "{ .param .b32 param0;\n st.param.b32 [param0+0], " + value +
           ";\n .param .b32 retval0;\n call.uni (retval0), keep, (param0);\n ld.param.b32 %r20, [retval0+0]; }\n";
  };
  const auto judged = [&](const std::string& calls) {
    return judge(kernel(x_and_y, begin + calls + "st.global.b32 [%rd4], %r20;\n", shared + before),
                 "k<<<2, 64>>>(x: s32[128] = iota, y: out s32[128])");
  };
  CHECK(judged(call("7")).unknown[1].empty());
  CHECK(judged(call("8") + call("7")).unknown[1].empty());
  CHECK_FALSE(judged(call("7") + call("8")).unknown[1].empty());
}

TEST_CASE("ptx: unknown values stay so in calls, and in local memory that calls enlarge") {
  const std::string before = R"(
.func (.param .b32 result) next(.param .b32 value) {
  .reg .b32 %r<9>;
  .local .align 16 .b8 depot[65536];
  ld.param.b32 %r1, [value];
  add.s32 %r2, %r1, 1;
  st.param.b32 [result+0], %r2;
  ret;
})";
  const auto said_of = [&](const std::string& argument, const std::string& stored) {
    const Judged judged = judge(kernel(".param .u64 y", R"(
      .local .align 4 .b8 kept[8];
      ld.param.u64 %rd1, [y];
      mov.u32 %r1, %tid.x;
      addc.u32 %r3, %r1, %r1;
      st.local.b32 [kept], %r3;
      st.local.b32 [kept+4], %r1;
      {
        .param .b32 param0;
        st.param.b32 [param0+0], )" + argument + R"(;
        .param .b32 retval0;
        call.uni (retval0), next, (param0);
        ld.param.b32 %r2, [retval0+0];
      }
      ld.local.b32 %r4, [kept];
      ld.local.b32 %r5, [kept+4];
      mul.wide.u32 %rd2, %r1, 4;
      add.s64 %rd1, %rd1, %rd2;
      st.global.b32 [%rd1], )" + stored + ";\n",
                                       before),
                                "k<<<1, 32>>>(y: out s32[32])");
    CHECK(judged.kind() == "proved");
    if (judged.unknown[0].empty()) {
      CHECK(judged.at<std::int32_t>(0, 6) == (stored == "%r2" ? 7 : 6));
    }
    return judged.unknown[0];
  };
  CHECK_THAT(said_of("%r3", "%r2"), ContainsSubstring("by addc.u32 (k.ptx:"));
  CHECK_THAT(said_of("%r1", "%r4"), ContainsSubstring("by addc.u32 (k.ptx:"));
  CHECK(said_of("%r1", "%r2").empty());
  CHECK(said_of("%r3", "%r5").empty());
}

TEST_CASE("ptx: an array names the instruction that did not compute its first unknown byte") {
  const auto said_of = [](const std::string& body) {
    const Judged judged = judge_body("addc.u32 %r20, %r1, %r1;\n" + body);
    CHECK(judged.kind() == "proved");
    CHECK(judged.unknown[0].empty());
    return judged.unknown[1];
  };
  const std::string by_addc = "element 0 of y was not computed, by addc.u32 (k.ptx:";
  for (const char* const way :
       {"add.s32 %r21, %r20, 1;", "add.s32 %r21, %r20, %r30;", "selp.b32 %r21, %r20, %r1, %p1;",
        "st.shared.b32 [%r4], %r20;\n ld.shared.b32 %r21, [%r4];", "shfl.sync.bfly.b32 %r21, %r20, 1, 31, 0xffffffff;",
        "redux.sync.add.s32 %r21, %r20, 0xffffffff;",
        "setp.eq.u32 %p1, %r20, 0;\n mov.u32 %r21, 1;\n @%p1 mov.u32 %r21, 2;",
        "setp.eq.u32 %p1, %r20, 0;\n mov.u32 %r21, 1;\n @%p1 bra END;\n mov.u32 %r21, 2;\nEND:",
        "mov.b32 {%h1, %h2}, %r20;\n cvt.u32.u16 %r21, %h2;"}) {
    INFO(way);
    const std::string said =
        said_of("setp.ne.u32 %p1, %r1, %r2;\n" + std::string(way) + "\n st.global.b32 [%rd4], %r21;\n");
    CHECK_THAT(said, ContainsSubstring(by_addc));
    CHECK_THAT(said, ContainsSubstring("): 512 of 512 bytes are not known"));
  }
  CHECK_THAT(said_of("st.global.b32 [%rd4], %r30;\n"), ContainsSubstring("by a register that was not written: 512"));
  CHECK_THAT(said_of("mov.u64 %rd6, %globaltimer;\n st.global.b32 [%rd4], %rd6;\n"),
             ContainsSubstring("by a special register that has no value here: 512"));
  // One byte of one element, of two threads in turn; a byte that is written again is known.
  const std::string one = "setp.eq.u32 %p1, %r5, 77;\n @%p1 st.global.b8 [%rd4+2], %r20;\n";
  CHECK_THAT(said_of("st.global.b32 [%rd4], %r1;\n" + one),
             ContainsSubstring("element 77 of y was not computed, by addc.u32"));
  CHECK_THAT(said_of("st.global.b32 [%rd4], %r1;\n" + one), ContainsSubstring(": 1 of 512 bytes are not known"));
  CHECK(said_of(one + "@%p1 st.global.b8 [%rd4+2], 1;\n").empty());
}

TEST_CASE("ptx: a launch finds unknown values where the launches before it have left them") {
  const auto entry = [](const std::string& name, const std::string& body) {
    return ".visible .entry " + name + "(" + x_and_y +
           ")\n{\n.reg .pred %p<9>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<20>;\n" + begin + body + "\nret;\n}\n";
  };
  // `leave` leaves unknown words in x, and known ones in y. Of two CTAs of `race` the first one leaves an unknown word,
  // and the other one a known word of the same bits. `k` and `k32` use x for an address, from element 0 and 32 on.
  const std::string use = "add.s32 %r20, %r4, %r20;\n st.shared.b32 [%r20], %r1;\n";
  const std::string text =
      ".version 8.6\n.target sm_90a\n.address_size 64\n" + shared +
      entry("leave", "addc.u32 %r20, %r1, %r1;\n st.global.b32 [%rd3], %r20;\n st.global.b32 [%rd4], 0;\n") +
      entry("clear", "st.global.b32 [%rd3], 0;\n") +
      entry("race",
            "setp.ne.u32 %p2, %r1, 0;\n @%p2 bra END;\n atom.global.add.u32 %r20, [%rd2], 1;\n mov.u32 %r21, 0;\n"
            "setp.eq.u32 %p1, %r20, 0;\n @%p1 addc.u32 %r21, %r1, %r1;\n st.global.b32 [%rd3], %r21;\n END:") +
      entry("k", "ld.global.b32 %r20, [%rd3];\n" + use) + entry("k32", "ld.global.b32 %r20, [%rd3+128];\n" + use);
  const std::string leave = "leave<<<2, 32>>>(x: out s32[64], y: out s32[64])\n";
  const auto refused = [&](const std::string& launches) {
    INFO(launches);
    const Judged judged = judge(text, launches);
    CHECK(judged.kind() == "refused");
    CHECK_THAT(judged.message(), ContainsSubstring("the address of st.shared.b32 was not computed"));
  };
  SECTION("of one run") {
    refused(leave + "k<<<1, 32>>>(x, y)");
    CHECK(judge(text, leave + "k<<<1, 32>>>(y, x)").kind() == "proved");
  }
  SECTION("behind a launch that overwrites others, or these") {
    refused(leave + "clear<<<2, 32>>>(y, x)\n k<<<1, 32>>>(x, y)");
    CHECK(judge(text, leave + "clear<<<2, 32>>>(x, y)\n k<<<1, 32>>>(x, y)").kind() == "proved");
  }
  SECTION("of any execution") {
    const std::string race = "race<<<2, 32>>>(x: out s32[64], y: out s32[1])\n";
    CHECK(judge(text, race).kind() == "proved");
    refused(race + "k<<<1, 32>>>(x, y)");
    refused(race + "k32<<<1, 32>>>(x, y)");
  }
}

TEST_CASE("ptx: ways of values behind an unknown predicate meet again") {
  const Judged judged = judge_body(R"(
    addc.u32 %r20, %r1, %r1;
    setp.eq.u32 %p1, %r20, 3;
    mov.u32 %r21, 5;
    mov.u32 %r22, 6;
    @%p1 bra one;
    add.s32 %r21, %r21, 1;
    bra both;
  one:
    add.s32 %r21, %r21, 2;
  both:
    st.shared.b32 [%r4], %r22;
    st.global.b32 [%rd4], %r21;
  )");
  CHECK(judged.kind() == "proved");
}

TEST_CASE("ptx: an instruction with an effect is never left out") {
  for (const char* const effect :
       {"brkpt;", "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.cas.u32 [%r4], %r1, [%r4];",
        "mbarrier.known.b64 %r20, %rd1;", "nothing.known [%r4];", "ld.shared.b128 %rd9, [%r7];",
        "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1, %f2, %f3, %f4, %f5, %f6}, %rd1, %rd1, 0, 1, 1, 0, "
        "0;"}) {
    const Judged judged = judge_body(effect);
    CHECK(judged.kind() == "refused");
    CHECK_THAT(judged.message(), ContainsSubstring("is not understood (k.ptx:"));
  }
}

TEST_CASE("ptx: a kernel of many statements among many variables is judged") {
  // 20,000 of each: what looked each variable up in each statement took minutes.
  constexpr int count = 20'000;
  std::string variables = shared + ".global .b32 used = 7;\n.global .b64 place = generic(used);\n";
  std::string statements = "ld.global.b64 %rd6, [place];\nld.global.b32 %r9, [%rd6];\nst.global.b32 [%rd4], %r9;\n";
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    variables += ".global .b32 g" + name + ";\n.shared .b32 s" + name + ";\n";
    statements += "{ .reg .b32 %q; l" + name + ": add.s32 %q, %r1, " + name + "; }\n";
  }
  const Judged judged =
      judge(kernel(x_and_y, begin + statements, variables), "k<<<1, 32>>>(x: s32[32], y: out s32[32])");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<int>(1, 31) == 7);
}

TEST_CASE("ptx: textures and surfaces are refused by their name") {
  for (const char* const access :
       {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", "suld.b.1d.b32.trap %r20, [%rd1, {%r1}];",
        "sust.b.1d.b32.trap [%rd1, {%r1}], %r1;"}) {
    const Judged judged = judge_body(access);
    CHECK(judged.kind() == "refused");
    CHECK_THAT(judged.message(), ContainsSubstring("an array in its place (k.ptx:"));
  }
}

TEST_CASE("ptx: the number of SMs is known where a launch says it") {
  const std::string body = "mov.u32 %r20, %nsmid;\n setp.lt.u32 %p1, %r2, %r20;\n @%p1 st.global.b32 [%rd4], %r20;\n";
  const Judged said = judge_body(body, "k<<<2, 64, sms 132>>>(x: s32[128] = iota, y: out s32[128])");
  CHECK(said.kind() == "proved");
  CHECK(said.at<std::int32_t>(1, 127) == 132);
  const Judged unsaid = judge_body(body);
  CHECK(unsaid.kind() == "refused");
  CHECK_THAT(unsaid.message(), ContainsSubstring("not computed (k.ptx:"));
  CHECK_THAT(unsaid.message(), ContainsSubstring("; the kernel has asked for the number of SMs (%nsmid), "));
  CHECK_THAT(
      judge_body("mov.u32 %r20, %clock;\n setp.lt.u32 %p1, %r2, %r20;\n @%p1 st.global.b32 [%rd4], %r20;\n").message(),
      !ContainsSubstring("%nsmid"));
}

TEST_CASE("ptx: launches follow one another over their arrays") {
  const Judged judged = judge(
      kernel(x_and_y, begin + "ld.global.b32 %r10, [%rd3];\n add.s32 %r10, %r10, 1;\n st.global.b32 [%rd4], %r10;\n",
             shared),
      "k<<<2, 64>>>(x: s32[128] = iota, y: out s32[128])\nk<<<2, 64>>>(y, z: out s32[128])");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(2, 100) == 102);
}

TEST_CASE("ptx: two-byte floats are rounded once, one or two in a register") {
  struct Case {
    const char* instruction;  ///< of %h1 to %h3 into %h4
    std::uint16_t a, b, c, expected;
  };
  // 1 + 2^-10 squared is 1 + 2^-9 + 2^-20; (1 + 2^-5)(1 + 2^-6) is half a place above 1 + 2^-5 + 2^-6.
  const Case cases[] = {
      {"fma.rn.f16 %h4, %h1, %h2, %h3;", 0x3c01, 0x3c01, 0x1000, 0x3c03},
      {"mul.rn.f16 %h4, %h1, %h2;\n add.rn.f16 %h4, %h4, %h3;", 0x3c01, 0x3c01, 0x1000, 0x3c02},
      {"fma.rn.f16 %h4, %h1, %h2, %h3;", 0x3c20, 0x3c10, 0x0000, 0x3c30},
      {"fma.rn.f16 %h4, %h1, %h2, %h3;", 0x3c20, 0x3c10, 0x0001, 0x3c31},
      {"fma.rn.relu.f16 %h4, %h1, %h2, %h3;", 0x3c00, 0xbc00, 0x0000, 0x0000},
      {"add.sat.f16 %h4, %h1, %h2;", 0x3c00, 0x3c00, 0, 0x3c00},
      {"sub.f16 %h4, %h1, %h2;", 0x4000, 0x4200, 0, 0xbc00},
      {"add.ftz.f16 %h4, %h1, %h2;", 0x0001, 0x0001, 0, 0x0000},
      {"add.f16 %h4, %h1, %h2;", 0x0001, 0x0001, 0, 0x0002},
      {"max.f16 %h4, %h1, %h2;", 0x7e00, 0x3c00, 0, 0x3c00},
      {"max.NaN.f16 %h4, %h1, %h2;", 0x7e00, 0x3c00, 0, 0x7fff},
      {"min.f16 %h4, %h1, %h2;", 0x0000, 0x8000, 0, 0x8000},
      {"neg.bf16 %h4, %h1;", 0x3f80, 0, 0, 0xbf80},
      {"abs.bf16 %h4, %h1;", 0xbf80, 0, 0, 0x3f80},
      {"fma.rn.bf16 %h4, %h1, %h2, %h3;", 0x3f81, 0x3f81, 0x3b80, 0x3f83},
      {"mul.rn.bf16 %h4, %h1, %h2;", 0x4040, 0x3f00, 0, 0x3fc0},
      {"setp.lt.f16 %p2, %h1, %h2;\n selp.b16 %h4, 1, 2, %p2;", 0xbc00, 0x3c00, 0, 1},
  };
  for (const Case& one : cases) {
    const auto set = [](const char* reg, int value) {
      return std::string("mov.b16 ") + reg + ", " + std::to_string(value) + ";\n";
    };
    const std::string inputs = set("%h1", one.a) + set("%h2", one.b) + set("%h3", one.c);
    const Judged judged =
        judge_body(inputs + one.instruction + "\n cvt.u32.u16 %r10, %h4;\n st.global.b32 [%rd4], %r10;\n");
    INFO(one.instruction);
    CHECK(judged.kind() == "proved");
    CHECK(judged.launch.not_computed.empty());
    CHECK(judged.at<std::uint32_t>(1, 3) == one.expected);
  }
  const Judged pair = judge_body(
      "mov.b32 %r10, 0x40003c00;\n mov.b32 %r11, 0x3c00bc00;\n add.f16x2 %r12, %r10, %r11;\n st.global.b32 [%rd4], "
      "%r12;\n");
  CHECK(pair.at<std::uint32_t>(1, 0) == 0x42000000);
}

TEST_CASE("ptx: the two values of a register are converted to two of another format") {
  struct Case {
    const char* conversion;
    std::uint32_t from;
    std::uint32_t expected;
  };
  // e4m3 has a bias of 7 and e5m2 of 15, f16 of 15: 0x38 is 1, 0xc0 is -2, 0x01 is 2^-9, 0x7e is 448, 0x7f no number.
  const Case cases[] = {{"cvt.rn.f16x2.e4m3x2 %r12, %h1;", 0x38c0, 0x3c00c000},
                        {"cvt.rn.f16x2.e4m3x2 %r12, %h1;", 0x017e, 0x18005f00},
                        {"cvt.rn.f16x2.e4m3x2 %r12, %h1;", 0x7f80, 0x7fff8000},
                        {"cvt.rn.f16x2.e5m2x2 %r12, %h1;", 0x3cc0, 0x3c00c000},
                        {"cvt.rn.relu.f16x2.e5m2x2 %r12, %h1;", 0x3cc0, 0x3c000000},
                        {"cvt.rn.satfinite.e4m3x2.f16x2 %h2, %r10; cvt.u32.u16 %r12, %h2;", 0x3c00c000, 0x38c0},
                        {"cvt.rn.satfinite.e4m3x2.f16x2 %h2, %r10; cvt.u32.u16 %r12, %h2;", 0x7bff0000, 0x7e00},
                        {"cvt.rn.satfinite.e5m2x2.f16x2 %h2, %r10; cvt.u32.u16 %r12, %h2;", 0x3e00fbff, 0x3efb}};
  for (const Case& one : cases) {
    INFO(one.conversion << " " << one.from);
    const Judged judged = judge_body("mov.b32 %r10, " + std::to_string(one.from) + ";\n cvt.u16.u32 %h1, %r10;\n" +
                                     one.conversion + "\n st.global.b32 [%rd4], %r12;\n");
    CHECK(judged.launch.not_computed.empty());
    CHECK(judged.at<std::uint32_t>(1, 5) == one.expected);
  }
}

TEST_CASE("ptx: a text may have the end that NVRTC counts") {
  const std::string text =
      ptx_test::kernel(ptx_test::x_and_y, ptx_test::begin + "st.global.b32 [%rd4], %r1;\n", ptx_test::shared);
  CHECK(judge(text + '\0', "k<<<1, 32>>>(x: s32[32], y: out s32[32])").kind() == "proved");
}
