// Products of a pair of CTAs by PTX: their values beside sums of another formula, and the order of what both CTAs do.
#include "judge.hpp"
#include "mma_types.hpp"
#include "tensor_parts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace {

using Catch::Matchers::ContainsSubstring;
using ptx_test::judge;
using ptx_test::Judged;
using ptx_test::tensor::is_product_of_pairs;
using ptx_test::tensor::own_row;
using ptx_test::tensor::store_results;
using ptx_test::tensor::store_row;
using ptx_test::tensor::take_operands;

/// Parts of a kernel of two CTAs of four warps, each of which a test may have otherwise. C is 256 x 32, A 256 x 16, B
/// 32 x 16; each CTA stores half of A and half of B.
struct Parts {
  std::string begin = ptx_test::meet;
  std::string allocate = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [where], 32;\n";
  std::string relinquish = "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n";
  std::string meet = ptx_test::meet;
  std::string stores = "";  ///< to tensor memory, of each thread
  std::string before_products = "tcgen05.fence::after_thread_sync;\n";
  std::string products = product("0");
  std::string arrive = arrival("3");
  std::string wait =
      "again:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [full], 0;\n @!%p2 bra again;\n";
  std::string before_loads = "tcgen05.fence::after_thread_sync;\n";
  std::string behind_loads = "tcgen05.fence::before_thread_sync;\n";
  std::string meet_again = ptx_test::meet;
  std::string free = "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r21, 32;\n";

  /// @param rows, columns  of the product of both CTAs
  static std::string product(const std::string& adds, unsigned rows = 256, unsigned columns = 32) {
    constexpr unsigned floats_of_bf16 = 1U << 4U | 1U << 7U | 1U << 10U;
    return "tcgen05.mma.cta_group::2.kind::f16 [%r21], %rd7, %rd8, " +
           std::to_string(floats_of_bf16 | columns >> 3U << 17U | rows >> 4U << 24U) + ", " + adds + ";\n";
  }
  /// @param mask  of the CTAs
  static std::string arrival(const std::string& mask, const std::string& group = "2") {
    return "mov.u16 %h1, " + mask + ";\n tcgen05.commit.cta_group::" + group +
           ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [full], %h1;\n";
  }
};

/// @param issuer  the rank of the CTA that starts the products
std::string text_of(const Parts& parts, const std::string& issuer) {
  std::string text = R"(
  .reg .b32 %s<50>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u64 %rd3, [z];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %cluster_ctarank;
  shl.b32 %r3, %r2, 7;
  add.s32 %r3, %r3, %r1;
  mul.wide.u32 %rd5, %r3, 32;
  add.s64 %rd1, %rd1, %rd5;
  mul.wide.u32 %rd5, %r3, 128;
  add.s64 %rd3, %rd3, %rd5;
  shl.b32 %r3, %r2, 4;
  add.s32 %r3, %r3, %r1;
  mul.wide.u32 %rd5, %r3, 32;
  add.s64 %rd2, %rd2, %rd5;
)" + own_row + store_row("%rd1", "0") +
                     "setp.gt.u32 %p4, %r1, 15;\n @%p4 bra stored;\n" + store_row("%rd2", "4096") + R"(stored:
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared::cta.b64 [full], 1;
  @!%p1 fence.mbarrier_init.release.cluster;
  fence.proxy.async.shared::cta;
  setp.gt.u32 %p5, %r1, 31;
)" + parts.begin + "@%p5 bra allocated;\n" +
                     parts.allocate + parts.relinquish + "allocated:\n" + parts.meet + take_operands("%r22") +
                     parts.stores + "setp.ne.u32 %p6, %r2, " + issuer +
                     ";\n or.pred %p6, %p6, %p1;\n @%p6 bra started;\n" + parts.before_products + parts.products +
                     parts.arrive + "started:\n" + parts.wait + parts.before_loads;
  text += ptx_test::tensor::Parts::load_of("%s40", 32) + "tcgen05.wait::ld.sync.aligned;\n";
  return text + store_results(32) + parts.behind_loads + parts.meet_again + "@%p5 bra end;\n" + parts.free + "end:\n";
}
const std::string of_bf16s = "x: bf16[4096] = random, y: bf16[512] = random";

Judged run(const Parts& parts, const std::string& issuer = "0", const std::string& cluster = "2",
           const std::string& operands = of_bf16s) {
  return judge(
      ptx_test::kernel(".param .u64 x, .param .u64 y, .param .u64 z", text_of(parts, issuer),
                       ".shared .align 1024 .b8 tile[8192]; .shared .align 8 .b64 full[2]; .shared .b32 where[1];"),
      "k<<<" + cluster + ", 128, cluster " + cluster + ">>>(" + operands + ", z: out f32[8192])");
}

}  // namespace

TEST_CASE("ptx: products of a pair of CTAs are computed") {
  Parts parts;
  const Judged judged = run(parts);
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.empty());
  CHECK(is_product_of_pairs(judged));
  parts.products += Parts::product("1");
  CHECK(is_product_of_pairs(run(parts), 2));
  // A thread of either CTA starts them.
  const Judged odd = run(parts, "1");
  CHECK(odd.kind() == "proved");
  CHECK(is_product_of_pairs(odd, 2));
}

/// A kernel whose tensor memory has 64 columns.
Parts of_64_columns() {
  Parts parts;
  parts.allocate = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [where], 64;\n";
  parts.free = "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r21, 64;\n";
  return parts;
}

TEST_CASE("ptx: each CTA of a pair has a copy to tensor memory of its own shared memory") {
  const std::string copy = "add.s32 %r23, %r21, 32;\n tcgen05.cp.cta_group::2.128x256b [%r23], %rd7;\n";
  Parts parts = of_64_columns();
  std::string product = Parts::product("0");
  product.replace(product.find("%rd7"), 4, "[%r23]");
  parts.products = copy + product;
  for (const char* const issuer : {"0", "1"}) {
    const Judged judged = run(parts, issuer);
    CHECK(judged.message() == "");
    CHECK(judged.kind() == "proved");
    CHECK(is_product_of_pairs(judged));
  }
  // The odd CTA's bytes are stored while the even one copies them, and its columns loaded.
  const std::string unwaited = "a copy or an asynchronous read that was not waited for";
  Parts other = parts;
  other.products = copy + Parts::product("0");
  CHECK(run(other).finding() == "proved");
  other.wait = "setp.eq.u32 %p7, %r2, 0;\n @!%p7 st.shared.b32 [%r20], %r1;\n" + Parts().wait;
  CHECK(run(other).kind() == "error");
  parts.products = copy + copy + product;
  CHECK(run(parts).finding() == unwaited);
  parts.products = "tcgen05.cp.cta_group::1.128x256b [%r21], %rd7;\n" + product;
  CHECK_THAT(run(parts).message(), ContainsSubstring("of one CTA (.cta_group::1) and of a pair (.cta_group::2)"));
  parts.products = "tcgen05.shift.cta_group::1.down [%r21];\n" + product;
  CHECK_THAT(run(parts).message(), ContainsSubstring("of one CTA (.cta_group::1) and of a pair (.cta_group::2)"));
}

TEST_CASE("ptx: each CTA of a pair has the scales of its rows and of all columns of B") {
  // Those of A are 1 in the even CTA and 2 in the odd one, those of B 1 and 8 in turn.
  Parts parts = of_64_columns();
  parts.stores =
      "mad.lo.u32 %s33, %r2, 16843009, 2139062143;\n and.b32 %s34, %r1, 1;\n"
      "mad.lo.u32 %s34, %s34, 50529027, 2139062143;\n"
      "tcgen05.st.sync.aligned.32x32b.x4.b32 [%s40+32], {%s33, %s33, %s33, %s33};\n"
      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%s40+36], {%s34};\n tcgen05.wait::st.sync.aligned;\n"
      "tcgen05.fence::before_thread_sync;\n" +
      std::string(ptx_test::meet);
  parts.products = "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale [%r21], %rd7, %rd8, " +
                   std::to_string(1U << 23U | 32U >> 3U << 17U | 256U >> 7U << 27U) + ", [%r21+32], [%r21+36], 0;\n";
  const Judged judged = run(parts, "0", "2", "x: e4m3[8192] = random, y: e4m3[1024] = random");
  CHECK(judged.message() == "");
  CHECK(judged.kind() == "proved");
  CHECK(judged.launch.not_computed.empty());
  int wrong = 0;
  for (int at = 0; at < 8192; ++at) {
    double sum = 0;
    for (int k = 0; k < 32; ++k) {
      sum += ptx_test::e4m3_at(judged.arrays[0].data() + at / 32 * 32, k) *
             ptx_test::e4m3_at(judged.arrays[1].data() + at % 32 * 32, k);
    }
    sum *= (at / 32 < 128 ? 1 : 2) * (at % 2 == 0 ? 1 : 8);
    wrong +=
        std::abs(sum - double{judged.at<float>(2, static_cast<std::size_t>(at))}) <= 1e-5 * (1 + std::abs(sum)) ? 0 : 1;
  }
  CHECK(wrong == 0);
  // Where the odd CTA has none.
  Parts some = parts;
  some.stores = "setp.ne.u32 %p7, %r2, 0;\n @%p7 bra none;\n" + parts.stores;
  some.stores.insert(some.stores.rfind(ptx_test::meet), "none:\n");
  CHECK_THAT(run(some).message(), ContainsSubstring("a product reads A, or scales, in columns"));
  // Without a synchronization behind the odd CTA's stores.
  some = parts;
  some.stores.replace(some.stores.rfind("tcgen05.fence"), std::string::npos, ptx_test::meet);
  CHECK(run(some).finding() == "a copy or an asynchronous read that was not waited for");
}

TEST_CASE("ptx: what both CTAs of a pair order is judged") {
  const auto finding = [](std::string Parts::*part, const std::string& other = "") {
    Parts parts;
    parts.*part = other;
    return run(parts).finding();
  };
  const std::string unwaited = "a copy or an asynchronous read that was not waited for";
  CHECK(finding(&Parts::arrive, Parts::arrival("1")) == "deadlock");
  CHECK(finding(&Parts::arrive, Parts::arrival("2")) == "deadlock");
  CHECK(finding(&Parts::arrive, "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [full];\n") ==
        "deadlock");
  Parts narrow;
  narrow.wait = "again:\n mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 0;\n @!%p2 bra again;\n";
  CHECK(run(narrow).kind() == "rule");  // The odd CTA waits at CTA scope.
  CHECK(finding(&Parts::before_loads) == "missing proxy fence");
  CHECK(finding(&Parts::behind_loads) == unwaited);
  CHECK(finding(&Parts::meet_again) == "broken contract");  // loads of columns that are freed
  CHECK(finding(&Parts::free) == "pending at exit");
  // The odd CTA's operands are stored while products read them.
  const std::string wait = Parts().wait;
  const std::string of_odd = "setp.eq.u32 %p7, %r2, 0;\n or.pred %p7, %p7, %p4;\n";
  CHECK(finding(&Parts::wait, of_odd + "@!%p7 st.shared.b32 [%r20+4096], %r1;\n" + wait) == unwaited);
  CHECK(finding(&Parts::wait, wait + "@!%p4 st.shared.b32 [%r20+4096], %r1;\n") == "proved");
}

TEST_CASE("ptx: what a pair of CTAs may not do is an error") {
  const auto message = [](std::string Parts::*part, const std::string& other) {
    Parts parts;
    parts.*part = other;
    const Judged judged = run(parts);
    CHECK(judged.kind() == "error");
    CHECK_THAT(judged.message(), ContainsSubstring("k.ptx:"));
    return judged.message();
  };
  CHECK_THAT(message(&Parts::begin, "bar.sync 0;\n"), ContainsSubstring("before cluster.sync()"));
  CHECK_THAT(message(&Parts::arrive, Parts::arrival("3", "1")),
             ContainsSubstring("of one CTA (.cta_group::1) and of a pair (.cta_group::2)"));
  CHECK_THAT(message(&Parts::arrive, Parts::arrival("7")),
             ContainsSubstring("mapa was asked for CTA 2 of a cluster of 2"));
  CHECK_THAT(message(&Parts::relinquish, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"),
             ContainsSubstring("of one CTA (.cta_group::1) and of a pair (.cta_group::2)"));
}

TEST_CASE("ptx: operands of a pair that are outside of either CTA's shared memory are an error") {
  Parts parts;
  parts.products = "add.s64 %rd7, %rd7, 8000;\n" + Parts::product("0");
  for (const char* const issuer : {"0", "1"}) {
    const Judged judged = run(parts, issuer);
    CHECK(judged.kind() == "error");
    CHECK_THAT(judged.message(), ContainsSubstring("shared memory, which has 8224 bytes"));
  }
}

TEST_CASE("ptx: other shapes of products of a pair are refused") {
  const auto refused = [](const std::string& products) {
    Parts parts;
    parts.products = products;
    const Judged judged = run(parts);
    CHECK_THAT(judged.message(), ContainsSubstring("not understood"));
    return judged.kind() == "refused";
  };
  CHECK(refused(Parts::product("0", 128)));
  CHECK(refused(Parts::product("0", 256, 16)));
}
