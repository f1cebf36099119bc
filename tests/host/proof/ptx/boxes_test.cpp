#include "judge.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

using Catch::Matchers::ContainsSubstring;
using ptx_test::Judged;

namespace {

const std::string map_and_y = ".param .align 64 .b8 x[128], .param .u64 y";
const std::string memory =
    ".shared .align 1024 .b8 tile[512]; .shared .align 8 .b64 full; .shared .align 128 .b8 made[128];";
/// %rd4 is the address of this thread's 8 bytes of y, which begins at %rd2; %r4 its place in `tile`.
const std::string own_places = R"(
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd5, %r1, 8;
  add.s64 %rd4, %rd2, %rd5;
  shl.b32 %r6, %r1, 3;
  mov.u32 %r7, tile;
  add.s32 %r4, %r7, %r6;
  setp.ne.u32 %p1, %r1, 0;
)";
/// %rd1 is the address of the map.
const std::string places = R"(
  mov.b64 %rd5, x;
  cvta.param.u64 %rd1, %rd5;
  ld.param.u64 %rd2, [y];
)" + own_places;
const std::string open = R"(
  @!%p1 mbarrier.init.shared::cta.b64 [full], 1;
  @!%p1 fence.proxy.async.shared::cta;
  bar.sync 0;
)";
std::string load(const std::string& bytes = "512", const std::string& from = "16, 6") {
  return "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], " + bytes + R"(;
  @!%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {)" +
         from + "}], [full];\n";
}
const std::string await_full = R"(
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 0;
  @!%p2 bra wait;
)";
const std::string use = "ld.shared.v2.b32 {%r10, %r11}, [%r4];\n st.global.v2.b32 [%rd4], {%r10, %r11};\n";
/// An array of 8 rows of 40; a box of 4 rows of 32 from (16, 6) on has 2 of its rows and 24 of its columns.
const std::string array = "extents (40, 8), box (32, 4), swizzle 128}";
const std::string launch = "k<<<1, 64>>>(map{x: s32[320] = iota, " + array + ", y: out s32[128])";

Judged judge_box(const std::string& body, const std::string& line = launch) {
  return ptx_test::judge(ptx_test::kernel(map_and_y, places + body, memory), line);
}

/// Whether a word of the tile is one of the array, and which one.
struct Word {
  bool is_inside;
  int index;
};
/// A row of 128 bytes has its parts of 16 bytes at places that its number changes.
Word word_at(int word) {
  const int row = word / 32;
  const int column = 16 + ((word % 32 / 4) ^ row) * 4 + word % 4;
  return {row + 6 < 8 && column < 40, (row + 6) * 40 + column};
}

}  // namespace

TEST_CASE("ptx: a box is copied by its map, with zeros outside of the array") {
  const Judged judged = judge_box(open + load() + await_full + use);
  CHECK(judged.kind() == "proved");
  for (int word = 0; word < 128; ++word) {
    const Word expected = word_at(word);
    CHECK(judged.at<std::int32_t>(1, static_cast<std::size_t>(word)) == (expected.is_inside ? expected.index : 0));
  }
  CHECK(judge_box(open + load() + use).kind() == "error");
  CHECK(judge_box(open + load("256") + await_full + use).kind() == "error");
  CHECK(judge_box(open + load("768") + await_full + use).kind() == "error");
  CHECK_THAT(judge_box(open + load() + await_full + use,
                       "k<<<1, 64>>>(map{x: s32[320] = iota, extents (40), box (32)}, y: out s32[128])")
                 .message(),
             ContainsSubstring("a tensor map of 1 axes"));
  CHECK(judge_box(open + load() + await_full + use,
                  "k<<<1, 64>>>(map{x: s32[300] = iota, " + array + ", y: out s32[128])")
            .finding() == "an access out of bounds");
}

TEST_CASE("ptx: a box may begin before the array, whose rows need not follow one another") {
  const Judged plain = judge_box(open + load("512", "-6, -1") + await_full + use,
                                 "k<<<1, 64>>>(map{x: s32[384] = iota, extents (40, 8), strides (192), box (32, 4)}, "
                                 "y: out s32[128])");
  CHECK(plain.kind() == "proved");
  for (int word = 0; word < 128; ++word) {
    const int row = word / 32 - 1;
    const int column = word % 32 - 6;
    CHECK(plain.at<std::int32_t>(1, static_cast<std::size_t>(word)) == (row < 0 || column < 0 ? 0 : row * 48 + column));
  }
}

TEST_CASE("ptx: a box is stored by its map, and added to an array") {
  const std::string store = "add.s32 %r5, %r6, 1000;\n st.shared.v2.b32 [%r4], {%r6, %r5};\n";
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  const auto out = [](const std::string& copy) {
    return "bar.sync 0;\n @%p1 bra end;\n" + copy + "[%rd1, {16, 6}], [tile];\n cp.async.bulk.commit_group;\n" +
           "cp.async.bulk.wait_group 0;\nend:\n";
  };
  const std::string to = "k<<<1, 64>>>(map{x: out s32[320] = iota, " + array + ", y: out s32[128])";
  for (const bool adds : {false, true}) {
    const std::string copy = adds ? "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
                                  : "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group ";
    const Judged judged = judge_box(store + fence + out(copy), to);
    CHECK(judged.kind() == "proved");
    std::vector<int> expected(320);
    for (int i = 0; i < 320; ++i) {
      expected[static_cast<std::size_t>(i)] = i;
    }
    for (int word = 0; word < 128; ++word) {
      const Word at = word_at(word);
      const int value = word / 2 * 8 + word % 2 * 1000;
      if (at.is_inside) {
        expected[static_cast<std::size_t>(at.index)] = value + (adds ? at.index : 0);
      }
    }
    for (std::size_t i = 0; i < 320; ++i) {
      CHECK(judged.at<std::int32_t>(0, i) == expected[i]);
    }
    CHECK(judge_box(store + out(copy), to).kind() == "error");
  }
  // A range, without a map.
  const std::string range =
      "bar.sync 0;\n @%p1 bra end;\n cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 "
      "[%rd2], [tile], 512;\n cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;\nend:\n";
  const Judged judged =
      judge_box(store + fence + range, "k<<<1, 64>>>(map{x: s32[320], " + array + ", y: out s32[128] = 100)");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(1, 20) == 100);
  CHECK(judged.at<std::int32_t>(1, 21) == 1080);
  CHECK(judged.at<std::int32_t>(1, 40) == 160);
}

TEST_CASE("ptx: four rows are copied by their numbers, with zeros for those outside of the array") {
  const std::string rows = "extents (40, 8), box (32, 1), swizzle 128}";
  const auto gather = [](const std::string& place, const std::string& bytes = "512") {
    return "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], " + bytes +
           ";\n@!%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [tile], "
           "[%rd1, {" +
           place + "}], [full];\n";
  };
  const auto line = [](const std::string& map, const std::string& array = "s32[320] = iota, ") {
    return "k<<<1, 64>>>(map{x: " + array + map + ", y: out s32[128])";
  };
  const Judged judged = judge_box(open + gather("16, 5, -1, 8, 0") + await_full + use, line(rows));
  CHECK(judged.kind() == "proved");
  constexpr int named[] = {5, -1, 8, 0};
  for (int word = 0; word < 128; ++word) {
    const int row = named[word / 32];
    const int column = 16 + ((word % 32 / 4) ^ word / 32) * 4 + word % 4;
    CHECK(judged.at<std::int32_t>(1, static_cast<std::size_t>(word)) ==
          (row < 0 || row > 7 || column > 39 ? 0 : row * 40 + column));
  }
  CHECK(judge_box(open + gather("16, 5, -1, 8, 0") + use, line(rows)).kind() == "error");
  CHECK(judge_box(open + gather("16, 5, -1, 8, 0", "128") + await_full + use, line(rows)).kind() == "error");
  CHECK(judge_box(open + gather("0, 0, 0, 7, 0") + await_full + use, line(rows, "s32[300] = iota, ")).finding() ==
        "an access out of bounds");
  CHECK_THAT(judge_box(open + gather("0, 0, 0, 0, 0") + await_full + use, line(array)).message(),
             ContainsSubstring("whose boxes are not one row of two axes"));
  CHECK_THAT(judge_box(open + gather("0, 0, 0, 0, 0") + await_full + use, line("extents (40, 4, 2), box (32, 1, 1)}"))
                 .message(),
             ContainsSubstring("a tensor map of 3 axes"));
  CHECK_THAT(judge_box(open + gather("0, 0") + await_full + use, line(rows)).message(),
             ContainsSubstring("a tensor map of 2 axes"));

  const auto scatter = [](const std::string& place, const std::string& fence, const std::string& reduce = "") {
    return "add.s32 %r5, %r6, 1000;\nst.shared.v2.b32 [%r4], {%r6, %r5};\n" + fence +
           "bar.sync 0;\n@%p1 bra end;\ncp." +
           (reduce.empty() ? "async.bulk.tensor.2d.global.shared::cta."
                           : "reduce.async.bulk.tensor.2d.global.shared::cta.add.") +
           "tile::scatter4.bulk_group [%rd1, {" + place +
           "}], [tile];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nend:\n";
  };
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  const std::string to = line(rows, "out s32[320] = iota, ");
  const Judged stored = judge_box(scatter("16, 5, -1, 8, 0", fence), to);
  CHECK(stored.kind() == "proved");
  for (int i = 0; i < 320; ++i) {
    const int row = i / 40;
    const int column = i % 40 - 16;
    const int place = row == 5 ? 0 : row == 0 ? 3 : -1;
    const int word = place < 0 ? 0 : place * 32 + ((column / 4) ^ place) * 4 + column % 4;
    CHECK(stored.at<std::int32_t>(0, static_cast<std::size_t>(i)) ==
          (place < 0 || column < 0 ? i : word / 2 * 8 + word % 2 * 1000));
  }
  CHECK(judge_box(scatter("16, 5, -1, 8, 0", ""), to).kind() == "error");
  CHECK_THAT(judge_box(scatter("16, 5, -1, 8, 0", fence, "add"), to).message(), ContainsSubstring("is not understood"));
}

TEST_CASE("ptx: a kernel makes a map, and copies by it") {
  const auto make = [](const std::string& box) {
    return R"(
  mov.u32 %r8, made;
  and.b32 %r9, %r6, 127;
  add.s32 %r9, %r9, %r8;
  mov.b64 %rd9, 0;
  setp.lt.u32 %p3, %r1, 16;
  @%p3 st.shared.b64 [%r9], %rd9;
  bar.sync 0;
  ld.param.u64 %rd7, [x];
  cvt.u64.u32 %rd8, %r8;
  @%p1 bra made_it;
  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%rd8], %rd7;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd8], 1;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd8], 0, )" +
           box + R"(;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd8], 1, 4;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd8], 0, 40;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd8], 1, 8;
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%rd8], 0, 160;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd8], 0, 1;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd8], 1, 1;
  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%rd8], 3;
  tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%rd8], 0;
  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%rd8], 3;
  tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%rd8], 0;
made_it:
  bar.sync 0;
  setp.ge.u32 %p4, %r1, 32;
  @%p4 bra out;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd8], 128;
out:
)";
  };
  const std::string acquire = "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n";
  const auto judge_made = [&](const std::string& body) {
    const std::string text = ptx_test::kernel(".param .u64 x, .param .u64 m, .param .u64 y",
                                              places + "ld.param.u64 %rd1, [m];\n" + body, memory);
    return ptx_test::judge(text, "k<<<1, 64>>>(x: s32[320] = iota, m: out u64[16], y: out s32[128])");
  };
  const Judged judged = judge_made(make("32") + "bar.sync 0;\n" + acquire + open + load() + await_full + use);
  CHECK(judged.kind() == "proved");
  for (int word = 0; word < 128; ++word) {
    const Word expected = word_at(word);
    CHECK(judged.at<std::int32_t>(2, static_cast<std::size_t>(word)) == (expected.is_inside ? expected.index : 0));
  }
  CHECK_THAT(judge_made(make("34") + "bar.sync 0;\n" + acquire + open + load() + await_full + use).message(),
             ContainsSubstring("no multiple of 16 bytes"));
  CHECK_THAT(judge_made(make("64") + "bar.sync 0;\n" + acquire + open + load() + await_full + use).message(),
             ContainsSubstring("longer than its swizzle"));
}

TEST_CASE("ptx: a launch describes its maps") {
  const auto reject = [](const std::string& map) {
    CHECK_THROWS_AS(judge_box(use, "k<<<1, 64>>>(map{x: s32[320], " + map + "}, y: out s32[128])"),
                    std::invalid_argument);
  };
  reject("extents (40, 8), box (32)");
  reject("extents (40, 8), box (34, 4)");
  reject("extents (40, 8), box (64, 4), swizzle 128");
  reject("extents (40, 8), strides (100), box (32, 4)");
  reject("extents (40, 8), box (32, 4), swizzle 96");
}

TEST_CASE("ptx: a structure has maps and arrays among its members") {
  const std::string by_value = ".param .align 64 .b8 x[256], .param .u64 z";
  const std::string text = ptx_test::kernel(by_value, R"(
  mov.b64 %rd5, x;
  cvta.param.u64 %rd1, %rd5;
  add.s64 %rd1, %rd1, 64;
  ld.param.u64 %rd2, [x+192];
)" + own_places + open + load() + await_full + use,
                                            memory);
  const Judged judged =
      ptx_test::judge(text, "k<<<1, 64>>>({s32 1, map{x: s32[320] = iota, " + array + ", y: out s32[128]}, y)");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(1, 0) == 6 * 40 + 16);
  CHECK_THROWS_AS(ptx_test::judge(text, "k<<<1, 64>>>({{s32 1}}, y: out s32[1])"), std::invalid_argument);
}

TEST_CASE("ptx: an array has the addresses of others") {
  const std::string text = ptx_test::kernel(ptx_test::x_and_y,
                                            ptx_test::begin +
                                                "ld.global.u64 %rd6, [%rd1+8];\n add.s64 %rd6, %rd6, %rd5;\n"
                                                "ld.global.b32 %r10, [%rd6];\n st.global.b32 [%rd4], %r10;\n",
                                            ptx_test::shared);
  const Judged judged =
      ptx_test::judge(text, "k<<<2, 64>>>(x: u64[2] = {a: s32[1], b: s32[128] = iota}, y: out s32[128])");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(3, 77) == 77);
  CHECK_THROWS_AS(ptx_test::judge(text, "k<<<2, 64>>>(x: u64[1] = {a: s32[1], b: s32[1]}, y: out s32[128])"),
                  std::invalid_argument);
}

TEST_CASE("ptx: a map of a type that none has is one of bytes") {
  const Judged judged =
      judge_box(open + load("512", "0, 0") + await_full + use,
                "k<<<1, 64>>>(map{x: e4m3[1024] = 1.0f, extents (128, 8), box (128, 4)}, y: out s32[128])");
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::uint32_t>(0, 3) == 0x38383838U);  // 1 in e4m3
  CHECK(judged.at<std::uint32_t>(1, 100) == 0x38383838U);
}

TEST_CASE("ptx: lanes of a warp that copy one tile to one place store it once") {
  const auto judge_copies = [](const std::string& where, const std::string& copy) {
    return ptx_test::judge_body(
        "st.shared.b32 [%r4], %r1;\nst.shared.b32 [%r4+256], %r1;\nfence.proxy.async.shared::cta;\n"
        "bar.sync 0;\nand.b32 %r10, %r1, 1;\nmad.lo.u32 %r11, %r10, 256, %r7;\n" +
            where + copy + "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nend:\n",
        "k<<<1, 64>>>(x: s32[64], y: out s32[64])");
  };
  const std::string one_warp = "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra end;\n";
  const std::string copy = "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 256;\n";
  const Judged judged = judge_copies(one_warp, copy);
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::int32_t>(1, 37) == 37);
  CHECK(judge_copies("", copy).kind() == "error");
  CHECK(judge_copies(one_warp, "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r11], 256;\n").kind() == "error");
  // Of boxes the coordinates tell.
  const auto judge_boxes = [](const std::string& coordinates) {
    return judge_box(
               "st.shared.v2.b32 [%r4], {%r1, %r1};\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
               "setp.gt.u32 %p3, %r1, 31;\n@%p3 bra end;\nand.b32 %r10, %r1, 1;\n"
               "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {" +
                   coordinates + "}], [tile];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nend:\n",
               "k<<<1, 64>>>(map{x: out s32[320], " + array + ", y: out s32[128])")
        .kind();
  };
  CHECK(judge_boxes("0, 1") == "proved");
  CHECK(judge_boxes("0, %r10") == "error");
}

TEST_CASE("ptx: a number is one of its parameter, or it is refused") {
  const auto error_of = [](const std::string& type, const std::string& number) -> std::string {
    const std::string text = ptx_test::kernel(".param " + type + " a, .param .u64 y", "ld.param.u64 %rd1, [y];\n");
    try {
      static_cast<void>(ptx_test::judge(text, "k<<<1, 32>>>(" + number + ", y: out u64[1])"));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  for (const std::string type : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}) {
    CHECK(error_of("." + type, "500.0f") == "argument 0: 500.0f is no " + type + "; write an integer");
  }
  CHECK(error_of(".b16", "0.5") == "argument 0: 0.5 is no b16; give its bits as an integer");
  for (const std::string type : {"u", "s", "b"}) {  // compilers name no other type for C++'s int
    for (const int bits : {8, 16, 32}) {
      const std::string name = type + std::to_string(bits);
      const std::int64_t one = 1;
      for (const std::int64_t fits : {-(one << (bits - 1)), (one << bits) - 1}) {
        CHECK(error_of("." + name, std::to_string(fits)).empty());
        const std::string beyond = std::to_string(fits < 0 ? fits - 1 : fits + 1);
        CHECK(error_of("." + name, beyond) ==
              "argument 0: " + beyond + " is no " + name + "; write a number of " + std::to_string(bits) + " bits");
      }
    }
    CHECK(error_of("." + type + "64", "18446744073709551615").empty());
  }
  CHECK(error_of(".u32", "18446744073709551615") != "");
  for (const std::string type :
       {".f32", ".f64", ".b32", ".b64"}) {  // of bits alone a compiler does not say what they are
    CHECK(error_of(type, "500.0f").empty());
    CHECK(error_of(type, "500").empty());
  }
  CHECK(error_of(".f32", "-1.0e39") == "argument 0: -1.0e39 is no f32; write a smaller number");
  CHECK(error_of(".f32", "0f7F800000").empty());
  CHECK(error_of(".f64", "1.0e39").empty());
}

TEST_CASE("ptx: elements and members have the values of their type") {
  const std::string text = ptx_test::kernel(".param .align 4 .b8 s[12], .param .u64 y", R"(
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra end;
  ld.param.u64 %rd1, [y];
  ld.param.b32 %r2, [s];
  ld.param.b32 %r3, [s+4];
  ld.param.b32 %r4, [s+8];
  st.global.b32 [%rd1], %r2;
  st.global.b32 [%rd1+4], %r3;
  st.global.b32 [%rd1+8], %r4;
end:
)");
  const std::string tail = ", y: out u32[3])";
  const Judged judged = ptx_test::judge(text, "k<<<1, 32>>>({f16 1.5, bf16 1.5, f32 2, s16 -1, u8 200}" + tail);
  CHECK(judged.kind() == "proved");
  CHECK(judged.at<std::uint32_t>(0, 0) == 0x3fc03e00U);
  CHECK(judged.at<float>(0, 1) == 2.0F);
  CHECK(judged.at<std::uint32_t>(0, 2) == 0x00c8ffffU);
  const auto contents = [&](const std::string& array) {
    static_cast<void>(ptx_test::judge(text, "k<<<1, 32>>>({u32 1}" + tail + "\nk<<<1, 32>>>({u32 1}, " + array + ")"));
  };
  CHECK_THROWS_WITH(contents("x: s32[8] = 1.5"), "the array x: 1.5 is no s32; write an integer");
  CHECK_THROWS_WITH(contents("x: u8[8] = 300"), "the array x: 300 is no u8; write a number of 8 bits");
  CHECK_THROWS_WITH(contents("x: e4m3[8] = 1000"), "the array x: 1000 is no e4m3; write a smaller number");
  CHECK_THROWS_WITH(contents("x: f16[8] = 70000"), "the array x: 70000 is no f16; write a smaller number");
  CHECK_THROWS_WITH(ptx_test::judge(text, "k<<<1, 32>>>({u8 1.5}" + tail),
                    "argument 0: 1.5 is no u8; write an integer");
  CHECK(ptx_test::judge(text, "k<<<1, 32>>>({u32 1}, y: out f16[8] = 7)").at<std::uint16_t>(0, 7) == 0x4700U);
}
