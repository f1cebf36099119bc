// Boxes that both CTAs of a pair load for a product of both, and the mbarrier of one of them that counts all bytes.
#include "judge.hpp"
#include "tensor_parts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <string>

namespace {

using Catch::Matchers::ContainsSubstring;
using ptx_test::judge;
using ptx_test::Judged;
using ptx_test::tensor::is_product_of_pairs;
using ptx_test::tensor::store_results;
using ptx_test::tensor::take_operands;

/// Parts of a kernel of two CTAs of four warps, each of which a test may have otherwise. C is 256 x 32, A 256 x 16, B
/// 32 x 16; each CTA loads half of A and half of B, 4608 bytes, and the even one starts the product.
struct Parts {
  std::string open = "@!%p1 mbarrier.init.shared::cta.b64 [full+8], 1;\n";
  std::string meet = ptx_test::meet;
  std::string expect = expected("9216");
  std::string copies = copy("x", "0", "%s41") + copy("y", "4096", "%s42");
  std::string wait = wait_for("full+8", ".acquire.cluster");
  std::string arrive =
      "and.b32 %s49, %r2, 2;\n mov.u32 %s48, 3;\n shl.b32 %s48, %s48, %s49;\n cvt.u16.u32 %h1, %s48;\n"
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [full], %h1;\n";

  /// Of the even CTA.
  static std::string expected(const std::string& bytes) {
    return "@!%p6 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full+8], " + bytes + ";\n";
  }
  /// @param barrier  a register
  static std::string copy(const std::string& map, const std::string& place, const std::string& row,
                          const std::string& barrier = "%s44",
                          const std::string& how = ".cta_group::2.shared::cluster.global.tile") {
    return "mov.b64 %rd5, " + map + ";\n cvta.param.u64 %rd1, %rd5;\n add.s32 %s43, %r22, " + place +
           ";\n@!%p1 cp.async.bulk.tensor.4d" + how + ".mbarrier::complete_tx::bytes [%s43], [%rd1, {0, 0, 0, " + row +
           "}], [" + barrier + "];\n";
  }
  static std::string wait_for(const std::string& barrier, const std::string& how) {
    static int number = 0;
    const std::string again = "again" + std::to_string(++number);
    return again + ":\n mbarrier.try_wait.parity" + how + ".shared::cta.b64 %p2, [" + barrier + "], 0;\n @!%p2 bra " +
           again + ";\n";
  }
};

/// %r22 is the CTA's tile and %s44 the mbarrier of the even CTA, %s45 that of the odd one; %s41 and %s42 are the places
/// of its boxes; %p6 is false in the thread that starts the product.
std::string text_of(const Parts& parts) {
  std::string text = R"(
  .reg .b32 %s<50>;
  ld.param.u64 %rd3, [z];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %cluster_ctarank;
  shl.b32 %r3, %r2, 7;
  add.s32 %r3, %r3, %r1;
  mul.wide.u32 %rd5, %r3, 128;
  add.s64 %rd3, %rd3, %rd5;
  shl.b32 %s41, %r2, 4;
  shl.b32 %s42, %r2, 1;
  mov.u32 %r22, tile;
  mov.u32 %s44, full;
  add.s32 %s44, %s44, 8;
  and.b32 %s44, %s44, 0xfeffffff;
  or.b32 %s45, %s44, 0x01000000;
  setp.ne.u32 %p1, %r1, 0;
  and.b32 %s47, %r2, 1;
  setp.ne.u32 %p6, %s47, 0;
  or.pred %p6, %p6, %p1;
  @!%p1 mbarrier.init.shared::cta.b64 [full], 1;
)" + parts.open + R"(
  @!%p1 fence.mbarrier_init.release.cluster;
  setp.gt.u32 %p5, %r1, 31;
)" + parts.meet + R"(
  @%p5 bra allocated;
  tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [where], 32;
  tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
allocated:
)" + ptx_test::meet + parts.expect +
                     parts.copies + take_operands("%s46") + R"(
  @%p6 bra started;
)" + parts.wait + "tcgen05.fence::after_thread_sync;\n tcgen05.mma.cta_group::2.kind::f16 [%r21], %rd7, %rd8, " +
                     std::to_string(1U << 4U | 1U << 7U | 1U << 10U | 32U >> 3U << 17U | 256U >> 4U << 24U) + ", 0;\n" +
                     parts.arrive + "started:\n" + Parts::wait_for("full", ".acquire.cluster") +
                     "tcgen05.fence::after_thread_sync;\n";
  text += ptx_test::tensor::Parts::load_of("%s40", 32) + "tcgen05.wait::ld.sync.aligned;\n";
  return text + store_results(32) + "tcgen05.fence::before_thread_sync;\n" + ptx_test::meet +
         "@%p5 bra end;\n tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r21, 32;\nend:\n";
}

/// Rows of 16 elements as operands are, eight together: 8 elements, 8 rows, 2 halves of k, eights of rows.
std::string map_of(const std::string& array, const std::string& eights, const std::string& of_box) {
  return "map{" + array + ", extents (8, 8, 2, " + eights + "), strides (32, 16, 256), box (8, 8, 2, " + of_box + ")}";
}
Judged run(const Parts& parts, const std::string& cluster = "2") {
  return judge(
      ptx_test::kernel(".param .align 64 .b8 x[128], .param .align 64 .b8 y[128], .param .u64 z", text_of(parts),
                       ".shared .align 1024 .b8 tile[8192]; .shared .align 8 .b64 full[2]; .shared .b32 where[1];"),
      "k<<<" + cluster + ", 128, cluster " + cluster + ">>>(" + map_of("x: bf16[4096] = random", "32", "16") + ", " +
          map_of("y: bf16[512] = random", "4", "2") + ", z: out f32[" + (cluster == "2" ? "8192" : "16384") + "])");
}
Judged run_with(std::string Parts::*part, const std::string& other) {
  Parts parts;
  parts.*part = other;
  return run(parts);
}
/// Copies whose mbarrier and qualifiers are others.
std::string copies_by(const std::string& barrier, const std::string& how) {
  return Parts::copy("x", "0", "%s41", barrier, how) + Parts::copy("y", "4096", "%s42", barrier, how);
}

}  // namespace

TEST_CASE("ptx: both CTAs of a pair load for a product, and the mbarrier of one counts all bytes") {
  const Judged judged = run({});
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  CHECK(is_product_of_pairs(judged));
}

TEST_CASE("ptx: what a pair loads for a product and does not count, or wait for, is found") {
  const std::string unwaited = "a copy or an asynchronous read that was not waited for";
  CHECK(run_with(&Parts::wait, "").finding() == unwaited);
  CHECK(run_with(&Parts::wait, Parts::wait_for("full+8", "")).kind() == "proved");  // at CTA scope, as CUTLASS waits
  CHECK(run_with(&Parts::expect, "").finding() == "deadlock");
  CHECK(run_with(&Parts::expect, Parts::expected("9232")).finding() == "deadlock");
  for (const char* const bytes : {"9200", "4608"}) {
    CHECK(run_with(&Parts::expect, Parts::expected(bytes)).kind() == "error");
  }
  // The mbarrier of the even CTA is not there yet.
  CHECK(run_with(&Parts::open, "").kind() == "error");
  CHECK(run_with(&Parts::meet, "bar.sync 0;\n").kind() == "error");
  // The bytes of one CTA, or of both, are counted in the odd one.
  const std::string pair = ".cta_group::2.shared::cluster.global.tile";
  const std::string own = "mov.u32 %s48, full;\n add.s32 %s48, %s48, 8;\n";
  CHECK(run_with(&Parts::copies, own + copies_by("%s48", pair)).kind() == "error");
  CHECK(run_with(&Parts::copies, copies_by("%s45", pair)).kind() == "error");
}

TEST_CASE("ptx: a copy completes on an mbarrier of its CTA, or for a pair of either one") {
  const auto message = [](const std::string& how) {
    const Judged judged = run_with(&Parts::copies, copies_by("%s44", how));
    CHECK(judged.kind() == "error");
    return judged.message();
  };
  const std::string other = "a copy into shared memory of CTA 1 is to complete on an mbarrier of CTA 0";
  CHECK_THAT(message(".shared::cluster.global.tile"), ContainsSubstring(other));
  CHECK_THAT(message(".cta_group::1.shared::cluster.global.tile"), ContainsSubstring(other));
  CHECK_THAT(message(".cta_group::2.shared::cta.global.tile"), ContainsSubstring(other));
  Parts parts;
  parts.copies = "xor.b32 %s48, %s44, 0x02000000;\n" + copies_by("%s48", ".cta_group::2.shared::cluster.global.tile");
  CHECK_THAT(run(parts, "4").message(), ContainsSubstring("is to complete on an mbarrier of CTA"));
}

TEST_CASE("ptx: a copy for both CTAs of a pair is counted for each of them in one") {
  const auto copies = [](const std::string& how, const std::string& barrier = "%s44", const std::string& mask = "3") {
    std::string text = "setp.ne.u32 %p7, %r2, 0;\n @%p7 bra copied;\n mov.u16 %h1, " + mask + ";\n" +
                       copies_by(barrier, how + ".shared::cluster.global.tile") + "copied:\n";
    const std::string bytes = "mbarrier::complete_tx::bytes";
    for (std::size_t at = text.find(bytes); at != std::string::npos; at = text.find(bytes, at + 1)) {
      text.insert(at + bytes.size(), ".multicast::cluster");
      text.insert(text.find(';', at), ", %h1");
    }
    return text;
  };
  Parts parts;
  parts.copies = copies(".cta_group::2");
  const Judged judged = run(parts);
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  CHECK(is_product_of_pairs(judged, 1, 128, 16));
  CHECK(run_with(&Parts::copies, copies("")).kind() == "error");  // counted in each
  CHECK(run_with(&Parts::copies, copies(".cta_group::2", "%s45")).kind() == "error");
  // Of two pairs, each counts what comes to its CTAs.
  parts.copies = copies(".cta_group::2", "%s44", "15");
  const Judged of_pairs = run(parts, "4");
  CHECK(of_pairs.message() == "");
  CHECK(of_pairs.kind() == "proved");
  CHECK(is_product_of_pairs(of_pairs, 1, 128, 16));
}
