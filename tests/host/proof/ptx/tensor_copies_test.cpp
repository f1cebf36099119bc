// Copies of shared memory to tensor memory, and shifts of its rows: where each byte comes to be, and what they are in
// order with.
#include "tensor_parts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace {

using Catch::Matchers::ContainsSubstring;
using ptx_test::Judged;
using ptx_test::tensor::Parts;
using ptx_test::tensor::run;

const std::string unwaited = "a copy or an asynchronous read that was not waited for";
const std::string fence_behind = "tcgen05.fence::after_thread_sync;\n";

/// @param to  columns from the first one on
std::string copy(const std::string& shape, int to, const std::string& descriptor = "%rd7") {
  return "tcgen05.cp.cta_group::1." + shape + " [%r21+" + std::to_string(to) + "], " + descriptor + ";\n";
}
std::string shift(int first) { return "tcgen05.shift.cta_group::1.down [%r21+" + std::to_string(first) + "];\n"; }
/// The thread that has begun copies or products waits for all before, at a barrier of its own.
std::string complete(int parity) {
  const std::string name = "done" + std::to_string(parity);
  return "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [full+8];\n" + name +
         ":\n mbarrier.try_wait.parity.shared::cta.b64 %p2, [full+8], " + std::to_string(parity) + ";\n @!%p2 bra " +
         name + ";\n" + fence_behind;
}
/// A kernel that has copies alone, to columns 0 to 15.
Parts copies(const std::string& all) {
  Parts parts;
  parts.relinquish += "@!%p1 mbarrier.init.shared::cta.b64 [full+8], 1;\n fence.proxy.async.shared::cta;\n";
  parts.products = all;
  return parts;
}
Judged judged_copies(const std::string& all) { return run(copies(all), "u32[1024] = iota", "u32[128] = iota"); }

}  // namespace

TEST_CASE("ptx: copies to tensor memory have each row in the lanes that the shape says") {
  struct Shape {
    const char* name;
    std::size_t words;  ///< of a row
    std::function<std::size_t(std::size_t lane)> row;
  };
  const auto own = [](std::size_t lane) { return lane; };
  for (const Shape& shape :
       {Shape{"128x256b", 8, own}, Shape{"128x128b", 4, own},
        Shape{"64x128b.warpx2::02_13", 4, [](std::size_t lane) { return lane < 64 ? lane : lane - 64; }},
        Shape{"64x128b.warpx2::01_23", 4,
              [](std::size_t lane) { return lane < 32   ? lane
                                            : lane < 96 ? lane - 32
                                                        : lane - 64; }},
        Shape{"32x128b.warpx4", 4, [](std::size_t lane) { return lane % 32; }}}) {
    CAPTURE(shape.name);
    std::string all;
    for (int to = 0; to < 16; to += static_cast<int>(shape.words)) {
      all += copy(shape.name, to);
    }
    const Judged judged = judged_copies(all);
    CHECK(judged.message() == "");
    CHECK(judged.kind() == "proved");
    CHECK(judged.launch.not_computed.empty());
    int wrong = 0;
    for (std::size_t at = 0; at < 2048; ++at) {
      wrong += judged.at<std::uint32_t>(2, at) == shape.row(at / 16) * 8 + at % 16 % shape.words ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("ptx: a copy of four rows to tensor memory has one in each warp's lanes") {
  // Columns 0 to 7 of lanes 5, 37, 69 and 101 have the first four rows of B.
  const std::string first = copy("128x256b", 0) + copy("128x256b", 8) + complete(0);
  const std::string four = "add.s32 %r23, %r21, 327680;\n tcgen05.cp.cta_group::1.4x256b [%r23], %rd8;\n";
  const Judged judged = judged_copies(first + four);
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  int wrong = 0;
  for (std::size_t at = 0; at < 2048; ++at) {
    const std::size_t lane = at / 16;
    const bool is_of_four = lane % 32 == 5 && at % 16 < 8;
    wrong += judged.at<std::uint32_t>(2, at) == (is_of_four ? lane / 32 : lane) * 8 + at % 8 ? 0 : 1;
  }
  CHECK(wrong == 0);
  // Without what sets the other lanes, they have anything.
  CHECK_THAT(judged_copies(copy("128x256b", 8) + four).message(), ContainsSubstring("no product has set"));
  // From the first lanes of a warp on, or from the first of all.
  const auto refused = [](const std::string& all) {
    const Judged refusal = judged_copies(all);
    CHECK_THAT(refusal.message(), ContainsSubstring("not understood"));
    return refusal.kind() == "refused";
  };
  CHECK(refused(first + "add.s32 %r23, %r21, 2097152;\n tcgen05.cp.cta_group::1.4x256b [%r23], %rd8;\n"));
  CHECK(refused("add.s32 %r23, %r21, 65536;\n tcgen05.cp.cta_group::1.128x256b [%r23], %rd7;\n"));
  CHECK(refused("add.s64 %rd7, %rd7, 562949953421312;\n" + copy("128x256b", 0)));  // a base offset
}

TEST_CASE("ptx: what a copy to tensor memory makes 8 bits of is judged, and not computed") {
  Parts parts = copies(copy("128x256b.b8x16.b4x16_p64", 0) + copy("128x256b.b8x16.b6x16_p32", 8));
  const Judged judged = run(parts, "u32[1024] = iota", "u32[128] = iota");
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.size() == 2);
  CHECK(judged.unknown[2].find("tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64") != std::string::npos);
  parts.behind_loads += "setp.gt.u32 %p3, %s0, 5;\n @%p3 bar.sync 0;\n";
  CHECK(run(parts, "u32[1024] = iota", "u32[128] = iota").kind() == "refused");
  // What is not known of shared memory is not known of the lanes that have it.
  parts = copies(copy("128x256b", 0) + copy("128x256b", 8));
  parts.meet =
      "bar.sync 0;\n addc.u32 %r23, %r1, %r1;\n @!%p1 st.shared.b32 [tile], %r23;\n"
      "fence.proxy.async.shared::cta;\n bar.sync 0;\n";
  const Judged some = run(parts, "u32[1024] = iota", "u32[128] = iota");
  CHECK(some.kind() == "proved");
  CHECK_THAT(some.unknown[2], ContainsSubstring("element 0 of z"));
  CHECK_THAT(some.unknown[2], ContainsSubstring("8 of 8192 bytes"));
}

TEST_CASE("ptx: copies to tensor memory are complete when they have arrived") {
  const std::string all = copy("128x256b", 0) + copy("128x256b", 8);
  const auto finding = [&](std::string Parts::*part, const std::string& other) {
    Parts parts = copies(all);
    parts.*part = other;
    return run(parts).finding();
  };
  const std::string arrive = Parts().arrive;
  const std::string wait = Parts().wait;
  CHECK(finding(&Parts::wait, "bar.sync 0;\n") == unwaited);
  CHECK(finding(&Parts::before_loads, "") == "missing proxy fence");
  CHECK(finding(&Parts::arrive, "mbarrier.arrive.shared::cta.b64 _, [full];\n") == unwaited);
  CHECK(finding(&Parts::products, copy("128x256b", 0) + complete(0) + copy("128x256b", 8)) == "proved");
  // What they read is written before, with a fence, and not over while they read it.
  CHECK(finding(&Parts::meet, "st.shared.b32 [%r20], %r1;\n bar.sync 0;\n") == "missing proxy fence");
  CHECK(finding(&Parts::meet, "st.shared.b32 [%r20], %r1;\n fence.proxy.async.shared::cta;\n bar.sync 0;\n") ==
        "proved");
  CHECK(finding(&Parts::wait, "@!%p1 st.shared.b32 [%r20], %r1;\n" + wait) == unwaited);
  CHECK(finding(&Parts::wait, wait + "st.shared.b32 [%r20], %r1;\n") == "proved");
  // Rows behind those that they read are others'.
  Parts parts = copies(copy("32x128b.warpx4", 0) + copy("32x128b.warpx4", 4) + copy("32x128b.warpx4", 8) +
                       copy("32x128b.warpx4", 12));
  parts.wait = "@%p5 st.shared.b32 [%r20], %r1;\n st.shared.b32 [%r20+128], %r1;\n" + wait;
  CHECK(run(parts).finding() == "proved");
  parts.wait = "@!%p1 st.shared.b32 [%r20], %r1;\n" + wait;
  CHECK(run(parts).finding() == unwaited);
  // Of memory that is freed, and where others store.
  const std::string over_loads =
      "@!%p1 tcgen05.cp.cta_group::1.128x256b [%r21], %rd7;\n"
      "@!%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [full+8];\n";
  const std::string behind_loads = Parts().behind_loads + "bar.sync 0;\n";
  CHECK(finding(&Parts::behind_loads, behind_loads + over_loads) == "missing proxy fence");
  CHECK(finding(&Parts::behind_loads, behind_loads + fence_behind + over_loads) == unwaited);
  const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%s40+3], {%r1};\n";
  const std::string wait_for_store = "tcgen05.wait::st.sync.aligned;\n";
  const std::string fence = "tcgen05.fence::before_thread_sync;\n";
  CHECK(finding(&Parts::store_a, store + wait_for_store + fence + "bar.sync 0;\n") == "proved");
  CHECK(finding(&Parts::store_a, store + fence + "bar.sync 0;\n") == unwaited);
  CHECK(finding(&Parts::wait, store + wait) == unwaited);
  CHECK(finding(&Parts::products, copy("128x256b", 0) + copy("128x256b", 12)) == "broken contract");  // not set: 8
  CHECK(finding(&Parts::products, all + copy("128x256b", 28)) == "broken contract");                  // not allocated
}

TEST_CASE("ptx: products follow the copies to tensor memory of their thread") {
  const std::string of_copy = Parts::product("0", "kind::f16", Parts::of_bf16, "[%r23]");
  const std::string to_a = "add.s32 %r23, %r21, 16;\n" + copy("128x256b", 16);
  const Judged judged = run(copies(to_a + of_copy));
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  // What a product has of A in shared memory it has of the copy.
  const Judged direct = run({});
  for (std::size_t at = 0; at < 2048; ++at) {
    CHECK(judged.at<float>(2, at) == direct.at<float>(2, at));
  }
  const auto finding = [](const std::string& all) { return run(copies(all)).finding(); };
  // Copies follow neither one another nor, by PTX, products; a wait between them is an order.
  CHECK(finding(to_a + to_a + of_copy) == unwaited);
  CHECK(finding(to_a + complete(0) + to_a + of_copy) == "proved");
  CHECK(finding(to_a + of_copy + complete(0) + to_a) == "proved");
  const Judged behind = run(copies(to_a + of_copy + to_a + of_copy));
  CHECK(behind.kind() == "rule");
  REQUIRE(behind.launch.broken_rules.size() == 1);
  CHECK_THAT(behind.launch.broken_rules[0], ContainsSubstring("to tensor memory (k.ptx:"));
  // That of another thread is none of the rule.
  Parts other = copies(to_a + of_copy);
  other.wait = "setp.eq.u32 %p3, %r1, 64;\n @%p3 tcgen05.cp.cta_group::1.128x256b [%r21+16], %rd7;\n" + other.wait;
  CHECK(run(other).finding() == unwaited);
}

TEST_CASE("ptx: shifts of tensor memory are judged, and not computed") {
  const std::string product = Parts::product("0", "kind::f16", Parts::of_bf16, "[%r23]");
  const std::string to_a = "add.s32 %r23, %r21, 16;\n" + copy("128x256b", 16);
  const std::string four = "add.s32 %r24, %r21, 2031632;\n tcgen05.cp.cta_group::1.4x256b [%r24], %rd8;\n";
  const auto finding = [](const std::string& all) { return run(copies(all)).finding(); };
  const Judged judged = run(copies(to_a + product + shift(16) + product));
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.size() == 1);
  CHECK_THAT(judged.unknown[2], ContainsSubstring("by tcgen05.shift.cta_group::1.down (k.ptx:"));
  CHECK_THAT(judged.unknown[2], ContainsSubstring("2048 of 8192 bytes"));  // of one warp's rows
  // Behind products, before products and copies of four rows; neither behind copies nor behind one another.
  CHECK(finding(to_a + product + shift(16) + four + product) == "proved");
  CHECK(finding(to_a + product + shift(16) + copy("128x256b", 16) + product) == unwaited);
  CHECK(finding(to_a + shift(16) + product) == unwaited);
  CHECK(finding(to_a + complete(0) + shift(16) + product) == "proved");
  CHECK(finding(to_a + product + shift(16) + shift(16) + product) == unwaited);
  CHECK(finding(to_a + product + shift(16) + product + shift(16) + product) == "proved");
  CHECK(finding(to_a + product + shift(0)) == "proved");
  Parts early = copies(to_a + product + shift(0));
  early.arrive = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [full];\n";
  early.products = to_a + product;
  early.arrive += shift(0);
  CHECK(run(early).finding() == unwaited);
  const auto message = [](const std::string& all) { return run(copies(all)).message(); };
  CHECK_THAT(message(to_a + product + "add.s32 %r24, %r21, 65536;\n tcgen05.shift.cta_group::1.down [%r24];\n"),
             ContainsSubstring("from lane 1 on, where 0, 32, 64 and 96 are defined"));
  CHECK_THAT(message(to_a + product + shift(24)), ContainsSubstring("no product has set"));
}
